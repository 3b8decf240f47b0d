// The journal suite's tests of search (J10): what contains the words is found, newest first, and no question is taken for syntax.

import { describe, expect, it } from "vitest";
import type { Found, Journal, Keep } from "../journal/journal.ts";
import { ended, failed, note, started, type Using } from "./journal-samples.ts";

const ANY = { limit: Infinity } as const;

const nameOf = (found: Found): string => (found.kind === "run" ? `run ${found.run}` : found.fault.message);

async function names(journal: Journal, ...asked: Parameters<Journal["search"]>): Promise<readonly string[]> {
  return (await journal.search(...asked)).map(nameOf);
}

const run = (id: string, about: object): Keep => ({
  kind: "run",
  key: id,
  value: { run: id, workflow: "review", status: "running", code: null, nodes: [], startedAt: 1, ...about },
});

export function searchSuite(name: string, using: Using): void {
  describe(`${name}: a search`, () => {
    it("finds failures by any part of their message, code, tool and session, newest first", () =>
      using(async ({ journal }) => {
        await journal.append("trip-1", 0, [
          failed(1, { message: "Connection reset by peer" }),
          failed(2, { message: "账户余额不足，请充值", tool: "支付" }),
          note("Connection"),
        ]);
        await journal.append("trip-2", 0, [failed(3, { message: "reset again", code: "RateLimited" })]);
        expect(await names(journal, "RESET", ANY)).toEqual(["reset again", "Connection reset by peer"]);
        expect(await names(journal, "peer connection", ANY)).toEqual(["Connection reset by peer"]);
        expect(await names(journal, "eset b", ANY)).toEqual(["Connection reset by peer"]);
        for (const question of ["余额", "不足 账户", "充", "支付"])
          expect(await names(journal, question, ANY)).toEqual(["账户余额不足，请充值"]);
        expect(await names(journal, "ratelim", ANY)).toEqual(["reset again"]);
        expect(await names(journal, "trip-2", ANY)).toEqual(["reset again"]);
        expect(await names(journal, "earch", ANY)).toHaveLength(2);
        for (const question of ["", "  ", "resetx", "余不"]) expect(await names(journal, question, ANY)).toEqual([]);
      }));

    it("finds runs by id, workflow, code and the nodes where they stand, as they are now", () =>
      using(async ({ journal }) => {
        const begin = (id: string): Promise<void> =>
          journal.append(id, 0, [started(id, journal.storeId, 1)], [run(id, { nodes: ["plan"] })]);
        await begin("run_a");
        await begin("run_b");
        await journal.keep([run("no-session", {})]);
        expect(await names(journal, "review", ANY)).toEqual(["run run_b", "run run_a"]);
        await journal.append(
          "run_a",
          1,
          [note("x")],
          [run("run_a", { status: "failed", code: "TestsFailed", nodes: ["tester"] })],
        );
        expect(await names(journal, "tester", ANY)).toEqual(["run run_a"]);
        expect(await names(journal, "testsf run_", ANY)).toEqual(["run run_a"]);
        await journal.append("run_a", 2, [note("x")], [run("run_a", { status: "completed" })]);
        expect(await names(journal, "tester", ANY)).toEqual([]);
        const [found] = await journal.search("run_a", ANY);
        expect(found).toMatchObject({ kind: "run", run: "run_a", value: { status: "completed" } });
        await journal.keep([{ kind: "run", key: "run_a", value: null }]);
        expect(await names(journal, "review", ANY)).toEqual(["run run_b"]);
      }));

    it("continues from page to page, over all kinds or one", () =>
      using(async ({ journal }) => {
        for (let index = 0; index < 6; index++) {
          const id = `run_${index}`;
          const failure = failed(index, { message: `deploy ${index}` });
          await journal.append(
            id,
            0,
            [started(id, journal.storeId, index), failure],
            [run(id, { workflow: "deploy" })],
          );
        }
        const all = await journal.search("deploy", ANY);
        expect(all.map(nameOf).slice(0, 4)).toEqual(["deploy 5", "run run_5", "deploy 4", "run run_4"]);
        const seen: Found[] = [];
        for (let after: Found | undefined; ;) {
          const page = await journal.search("deploy", { limit: 5, ...(after === undefined ? {} : { after }) });
          seen.push(...page);
          after = page.at(-1);
          if (page.length < 5) break;
        }
        expect(seen).toEqual(all);
        const runs = await journal.search("deploy", { ...ANY, kinds: ["run"] });
        expect(runs).toEqual(all.filter(({ kind }) => kind === "run"));
      }));

    it("takes nothing in the question for syntax", () =>
      using(async ({ journal }) => {
        const odd = [
          'say "no" AND*',
          "NEAR(a b)",
          "pairs:x OR NOT y",
          "100% ^[\\d]+ -flag",
          "it's; DROP TABLE x --",
          "a\u0000b 😀",
        ];
        await journal.append(
          "s",
          0,
          odd.map((message, index) => failed(index, { call: `c${index}`, message })),
        );
        for (const message of odd) {
          const shown = message.replaceAll("\u0000", " ");
          expect(await names(journal, shown, ANY)).toEqual([shown]);
        }
        for (const question of ['"', "*", "^", "(", ":", "-", "😀", "\ud83d", "\u0000", "NOT", "' OR 1=1"])
          expect((await journal.search(question, ANY)).length).toBeLessThanOrEqual(odd.length);
        expect(await names(journal, "nothing OR", ANY)).toEqual([]);
        expect(await names(journal, "😀", ANY)).toHaveLength(1);
      }));

    it("does not find what was pruned", () =>
      using(async ({ journal }) => {
        await journal.append(
          "run_a",
          0,
          [started("run_a", journal.storeId, 1), failed(1), ended("done", 2)],
          [run("run_a", {})],
        );
        expect(await journal.search("run_a", ANY)).toHaveLength(2);
        await journal.prune({ before: 9 });
        expect(await journal.search("run_a", ANY)).toEqual([]);
        await journal.append("run_a", 0, [started("run_a", journal.storeId, 1)], [run("run_a", {})]);
        expect(await names(journal, "run_a", ANY)).toEqual(["run run_a"]);
      }));
  });
}
