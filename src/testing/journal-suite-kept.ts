// The journal suite's tests of values that are kept beside the entries.

import { describe, expect, it } from "vitest";
import type { Journal, SessionSummary } from "../journal/journal.ts";
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
        expect(await keys("run", { ...newest, tag: "running" })).toEqual(["d", "c", "a"]);
        expect(await keys("run", { ...newest, tag: "running", limit: 1, after: { at: 3, key: "d" } })).toEqual(["c"]);
        await journal.keep([run("d", 3, "failed"), run("a", 9, "running")]);
        expect(await keys("run", { ...newest, tag: "running" })).toEqual(["a", "c"]);
        expect(await keys("run", { ...newest, tag: "nothing" })).toEqual([]);
        expect(await keys("run", { ...newest, limit: Infinity })).toEqual(["a", "d", "c", "b"]);
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
