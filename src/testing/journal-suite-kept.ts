// The journal suite's tests of values that are kept beside the entries.

import { describe, expect, it } from "vitest";
import type { Journal, Keep, SessionSummary, Timed } from "../journal/journal.ts";
import { codeOf, note, started, type Using } from "./journal-samples.ts";

export function keptSuite(name: string, using: Using): void {
  describe(`${name}: kept values`, () => {
    it("are written together with their entries", () =>
      using(async ({ journal }) => {
        await journal.append(
          "s",
          0,
          [note("a")],
          [
            { kind: "result", key: "s/1", value: { ok: true } },
            { kind: "snapshot", key: "s", value: [1, 2] },
          ],
        );
        expect(await journal.kept("result", "s/1")).toEqual({ ok: true });
        expect(await journal.kept("snapshot", "s")).toEqual([1, 2]);
        expect(await journal.kept("input", "s/1")).toBeNull();
      }));

    it("are replaced by the last write and removed by null", () =>
      using(async ({ journal }) => {
        await Promise.all([1, 2, 3].map((value) => journal.keep([{ kind: "breaker", key: "api", value }])));
        expect(await journal.kept("breaker", "api")).toBe(3);
        await journal.keep([{ kind: "breaker", key: "api", value: null }]);
        expect(await journal.kept("breaker", "api")).toBeNull();
        expect(await codeOf(journal.keep([{ kind: "breaker", key: "api", value: undefined }]))).toBe("ShapeInvalid");
      }));

    it("can be listed, all of them or those of one session", () =>
      using(async ({ journal }) => {
        const keys = ["s/2", "s", "s/1", "s0", "s-x/1", "t/1"];
        await journal.keep(keys.map((key) => ({ kind: "action", key, value: key })));
        expect((await journal.keptAll("action")).map(({ key }) => key)).toEqual([...keys].sort());
        expect(await journal.keptAll("action", "s")).toEqual(["s", "s/1", "s/2"].map((key) => ({ key, value: key })));
        expect(await journal.keptAll("question")).toEqual([]);
      }));

    it("with `first` keep the first write: exactly one of many writers succeeds", () =>
      using(async ({ journal }) => {
        const answers = await Promise.all(
          ["a", "b", "c"].map((value) => journal.keepFirst({ kind: "answer", key: "q1", value })),
        );
        expect(answers).toEqual([true, false, false]);
        expect(await journal.kept("answer", "q1")).toBe("a");
        expect(await journal.keepFirst({ kind: "answer", key: "q1", value: "later" })).toBe(false);
        expect(await codeOf(journal.keepFirst({ kind: "answer", key: "q2", value: null }))).toBe("ShapeInvalid");
      }));

    it("that answer requests are kept first, and pruned when they are old", () =>
      using(async ({ journal }) => {
        const answered = (at: number, status: number): Keep => ({
          kind: "request",
          key: `ada/POST /v1/runs/key-${at}`,
          value: { at, status },
        });
        expect(await journal.keepFirst(answered(10, 201))).toBe(true);
        expect(await journal.keepFirst(answered(10, 500))).toBe(false);
        expect(await journal.keepFirst(answered(20, 202))).toBe(true);
        expect(await journal.prune({ before: 20 })).toBe(0);
        expect(await journal.keptByTime("request", { order: "oldest", limit: 9 })).toEqual([
          { key: answered(20, 202).key, at: 20, value: { at: 20, status: 202 } },
        ]);
        expect(await journal.keepFirst(answered(10, 500))).toBe(true);
      }));

    it("are changed by what a function makes of them: of many changes at once none is lost", () =>
      using(async ({ journal }) => {
        const more = (there: unknown): unknown => Number(there ?? 0) + 1;
        const seen = await Promise.all(Array.from({ length: 20 }, () => journal.changeKept("breaker", "api", more)));
        expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
        expect(await journal.kept("breaker", "api")).toBe(20);
        expect(await journal.changeKept("breaker", "api", (there) => there)).toBe(20);
        expect(await journal.changeKept("breaker", "api", () => null)).toBeNull();
        expect(await journal.kept("breaker", "api")).toBeNull();
      }));

    it("stay as they are when that function fails or returns what cannot be kept", () =>
      using(async ({ journal }) => {
        await journal.keep([{ kind: "breaker", key: "api", value: 1 }]);
        const broken = (): never => {
          throw new TypeError("broken");
        };
        const changes = [
          journal.changeKept("breaker", "api", broken),
          journal.changeKept("breaker", "api", () => undefined),
          journal.changeKept("result", "s/1", () => 1),
        ];
        const beside = journal.changeKept("breaker", "other", () => 2);
        expect(await Promise.all(changes.map(codeOf))).toEqual(["ShapeInvalid", "ShapeInvalid", "ShapeInvalid"]);
        expect(await beside).toBe(2);
        expect(await journal.kept("breaker", "api")).toBe(1);
      }));

    it("that the hash chain covers require an entry", () =>
      using(async ({ journal }) => {
        for (const kind of ["result", "input"] as const) {
          expect(await codeOf(journal.keep([{ kind, key: "s/1", value: 1 }]))).toBe("ShapeInvalid");
          expect(await codeOf(journal.keep([{ kind, key: "s/1", value: null }]))).toBe("ShapeInvalid");
          expect(await codeOf(journal.keepFirst({ kind, key: "s/1", value: 1 }))).toBe("ShapeInvalid");
        }
        await journal.append("s", 0, [note("a")], [{ kind: "result", key: "s/1", value: 1 }]);
        await journal.append("s", 1, [note("b"), note("c")], [{ kind: "result", key: "s/1", value: 2 }]);
        expect(await journal.kept("result", "s/1")).toBe(2);
        await journal.append("s", 3, [note("d")], [{ kind: "result", key: "s/1", value: null }]);
        expect(await journal.verify()).toEqual({ sessions: 1, entries: 4, firstBad: null });
      }));
  });

  describe(`${name}: lists by time`, () => {
    const wake = (key: string, at: number) => ({ kind: "wake", key, value: at }) as const;
    const run = (key: string, startedAt: number, status: string) =>
      ({ kind: "run", key, value: { run: key, startedAt, status } }) as const;

    it("return what is due, longest overdue first, one page at a time", () =>
      using(async ({ journal }) => {
        await journal.keep([
          wake("c", 5),
          wake("a", 5),
          wake("later", 12.5),
          wake("b", -3),
          wake("\ud83d\ude00", 5),
          wake("\uffee", 5),
        ]);
        const due = { order: "oldest", until: 10 } as const;
        const keys = (found: readonly { readonly key: string }[]): readonly string[] => found.map(({ key }) => key);
        const all = await journal.keptByTime("wake", { ...due, limit: 10 });
        expect(keys(all)).toEqual(["b", "a", "c", "\uffee", "\ud83d\ude00"]);
        expect(all[0]).toEqual({ key: "b", value: -3, at: -3 });
        const first = await journal.keptByTime("wake", { ...due, limit: 2 });
        const after = first.at(-1);
        if (after === undefined) throw new Error("an empty page");
        expect([...keys(first), ...keys(await journal.keptByTime("wake", { ...due, limit: 10, after }))]).toEqual(
          keys(all),
        );
        const next = await journal.keptByTime("wake", {
          order: "oldest",
          after: { at: 10, key: "\u{10ffff}" },
          limit: 1,
        });
        expect(next).toEqual([{ key: "later", value: 12.5, at: 12.5 }]);
        await journal.keep([wake("a", 99), { kind: "wake", key: "b", value: null }]);
        expect(keys(await journal.keptByTime("wake", { ...due, limit: 1 }))).toEqual(["c"]);
      }));

    it("return the newest first, all or by tag, and reflect the last write", () =>
      using(async ({ journal }) => {
        await journal.keep([
          run("a", 1, "running"),
          run("b", 2, "paused"),
          run("c", 2, "running"),
          run("d", 3, "running"),
        ]);
        const newest = { order: "newest", limit: 10 } as const;
        const keys = async (...query: Parameters<Journal["keptByTime"]>): Promise<readonly string[]> =>
          (await journal.keptByTime(...query)).map(({ key }) => key);
        expect(await keys("run", newest)).toEqual(["d", "c", "b", "a"]);
        expect(await keys("run", { ...newest, tags: ["status:running"] })).toEqual(["d", "c", "a"]);
        expect(
          await keys("run", { ...newest, tags: ["status:running"], limit: 1, after: { at: 3, key: "d" } }),
        ).toEqual(["c"]);
        await journal.keep([run("d", 3, "failed"), run("a", 9, "running")]);
        expect(await keys("run", { ...newest, tags: ["status:running"] })).toEqual(["a", "c"]);
        expect(await keys("run", { ...newest, tags: ["status:nothing"] })).toEqual([]);
        expect(await keys("run", { ...newest, limit: Infinity })).toEqual(["a", "d", "c", "b"]);
      }));

    it("return the runs with all of several tags, page by page", () =>
      using(async ({ journal }) => {
        const about = (index: number): object => ({
          status: index % 2 === 0 ? "failed" : "completed",
          workflow: `flow ${index % 3}`,
          code: index % 2 === 0 ? "RateLimited" : null,
          target: index % 5 === 0 ? "西部" : "east",
          startedAt: index >> 1,
        });
        const keys = Array.from({ length: 30 }, (_, index) => `r${String(index).padStart(2, "0")}`);
        await journal.keep(keys.map((key, index) => ({ kind: "run", key, value: { run: key, ...about(index) } })));
        const found = async (tags: readonly string[], limit = Infinity): Promise<readonly string[]> => {
          const all: Timed[] = [];
          for (let after: Timed | undefined; ;) {
            const page = await journal.keptByTime("run", {
              order: "newest",
              limit,
              tags,
              ...(after === undefined ? {} : { after }),
            });
            all.push(...page);
            after = page.at(-1);
            if (page.length < limit) return all.map(({ key }) => key);
          }
        };
        const those = (isOne: (index: number) => boolean): readonly string[] =>
          keys.filter((_key, index) => isOne(index)).reverse();
        expect(await found(["code:RateLimited"], 4)).toEqual(those((index) => index % 2 === 0));
        expect(await found(["workflow:flow 1", "status:failed"], 2)).toEqual(those((index) => index % 6 === 4));
        expect(await found(["target:西部", "code:RateLimited", "workflow:flow 0", "status:failed"])).toEqual(["r00"]);
        expect(await found(["status:completed", "code:RateLimited"])).toEqual([]);
        await journal.keep([{ kind: "run", key: "r00", value: null }]);
        expect(await found(["target:西部", "workflow:flow 0"])).toEqual(["r15"]);
        expect(await journal.verify()).toMatchObject({ firstBad: null });
      }));

    it("of sessions continue from page to page", () =>
      using(async ({ journal }) => {
        for (const [session, at] of Object.entries({ a: 1, b: 2, c: 2, d: 2, e: 3 }))
          await journal.append(session, 0, [started(session, journal.storeId, at)]);
        const seen: string[] = [];
        for (let after: SessionSummary | undefined; ;) {
          const page = await journal.sessions({ limit: 2, ...(after === undefined ? {} : { after }) });
          seen.push(...page.map(({ session }) => session));
          after = page.at(-1);
          if (page.length < 2) break;
        }
        expect(seen).toEqual(["e", "d", "c", "b", "a"]);
        expect(await journal.sessions({ status: "done", after: { session: "gone", startedAt: 9 } })).toEqual([]);
      }));
  });
}
