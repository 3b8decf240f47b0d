// The journal suite's tests of the index of failures (J9): groups, occurrences, trends and what helped follow from the entries.

import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../core/record/event.ts";
import type { FaultGroup, FaultOccurrence } from "../core/record/fault-index.ts";
import type { Journal, NewEntry } from "../journal/journal.ts";
import { codeOf, ended, failed, nodeFailed, note, succeeded, type Using } from "./journal-samples.ts";

const SEARCH = "ToolUnavailable@tool:search#raised";
const PAY = "RateLimited@tool:pay#raised";

const pay = (at: number, call: string): NewEntry =>
  failed(at, { call, code: "RateLimited", tool: "pay", message: "429" });

export function faultSuite(name: string, using: Using): void {
  describe(`${name}: failures`, () => {
    it("are grouped by fingerprint, with counts, times, sessions and the newest message", () =>
      using(async ({ journal }) => {
        expect(await journal.faultGroups({ limit: 9 })).toEqual([]);
        await journal.append("s", 0, [failed(10, { message: "old" }), failed(30, { message: "new" }), note("x")]);
        await journal.append("t", 0, [failed(20, { message: "between" }), pay(25, "c2")]);
        const groups = await journal.faultGroups({ limit: 9 });
        const search = { fingerprint: SEARCH, code: "ToolUnavailable", tool: "search", message: "new" };
        const ofPay = { fingerprint: PAY, code: "RateLimited", tool: "pay", message: "429" };
        expect(groups).toEqual([
          { ...search, count: 3, sessions: 2, firstAt: 10, lastAt: 30 },
          { ...ofPay, count: 1, sessions: 1, firstAt: 25, lastAt: 25 },
        ]);
        expect(await journal.faultGroup(PAY)).toEqual(groups[1]);
        expect(await journal.faultGroup("nothing")).toBeNull();
      }));

    it("are listed page by page, groups and occurrences alike, newest first", () =>
      using(async ({ journal }) => {
        const tools = Array.from({ length: 7 }, (_, index) => `tool ${index % 3}${index}`);
        const codes = ["ToolUnavailable", "ResourceBusy"] as const;
        for (let round = 0; round < 3; round++)
          await journal.append(
            `s${round}`,
            0,
            tools.map((tool, index) =>
              failed(round * 10 + (index % 3), { call: tool, tool, code: codes[index % 2] ?? "NotFound" }),
            ),
          );
        const all = await journal.faultGroups({ limit: Infinity });
        expect(all).toHaveLength(7);
        expect(await groupPages(journal, 2)).toEqual(all);
        const busy = await journal.faultGroups({ limit: 9, code: "ResourceBusy" });
        expect(busy).toEqual(all.filter(({ code }) => code === "ResourceBusy"));
        expect(await journal.faultGroups({ limit: 9, tool: "tool 11" })).toMatchObject([{ tool: "tool 11", count: 3 }]);
        expect(await journal.faultGroups({ limit: 9, tool: "tool 11", code: "ToolUnavailable" })).toEqual([]);
        const [first] = all;
        if (first === undefined) throw new Error("there is no group");
        const found = await journal.faultsOf(first.fingerprint, { limit: Infinity });
        expect(found.map(({ session }) => session)).toEqual(["s2", "s1", "s0"]);
        expect(await faultPages(journal, first.fingerprint, 1)).toEqual(found);
        expect(found[0]).toMatchObject({
          at: first.lastAt,
          tool: first.tool,
          recourse: "retry",
          worked: null,
        });
      }));

    it("lead to their entry", () =>
      using(async ({ journal }) => {
        await journal.append("s", 0, [note("a"), failed(5), note("b")]);
        const [found] = await journal.faultsOf(SEARCH, { limit: 9 });
        const [row] = await journal.readFrom((found?.position ?? 0) - 1, { limit: 1 });
        expect(row?.entry).toMatchObject({ session: "s", seq: 2, event: { type: "call-failed" } });
        expect(found).toMatchObject({ session: "s", seq: 2, at: 5, message: "503" });
      }));

    it("say what helped: how often each recourse worked, and how often it did not", () =>
      using(async ({ journal }) => {
        await journal.append("s", 0, [failed(1), failed(2), succeeded(3), failed(4, { call: "c2" })]);
        await journal.append("s", 4, [failed(5, { call: "c2", recourse: "fallback" }), succeeded(6, "c2")]);
        await journal.append("t", 0, [failed(7, { call: "c3", recourse: "fail" }), succeeded(8, "other")]);
        expect(await journal.faultRecourses(SEARCH)).toEqual([
          { recourse: "fallback", worked: 1, failed: 0 },
          { recourse: "retry", worked: 1, failed: 2 },
        ]);
        expect((await journal.faultsOf(SEARCH, { limit: 9 })).map(({ worked }) => worked)).toEqual([
          null,
          true,
          false,
          true,
          false,
        ]);
        expect(await journal.faultRecourses("nothing")).toEqual([]);
      }));

    it("are counted over time, one bucket after the other", () =>
      using(async ({ journal }) => {
        await journal.append("s", 0, [failed(9), failed(10), failed(19), failed(20), failed(44), failed(45)]);
        const trend = await journal.faultTrend(SEARCH, { since: 10, until: 45, bucketMs: 10 });
        const none = { recoveredByRetry: 0 };
        expect(trend).toEqual([
          { at: 10, count: 2, ...none },
          { at: 20, count: 1, ...none },
          { at: 30, count: 0, ...none },
          { at: 40, count: 1, ...none },
        ]);
        const nothing = await journal.faultTrend("nothing", { since: 0, until: 5, bucketMs: 5 });
        expect(nothing).toEqual([{ at: 0, count: 0, ...none }]);
        // A refused call has a group of its own, and does not count as another failure.
        await journal.append("t", 0, [failed(21, { code: "CircuitOpen" })]);
        expect(await journal.faultGroups({ limit: 9, code: "CircuitOpen" })).toMatchObject([{ count: 1 }]);
        expect(await journal.faultTrend(null, { since: 10, until: 45, bucketMs: 10 })).toEqual(trend);
        for (const bucketMs of [0, -1, Number.NaN])
          expect(await codeOf(journal.faultTrend(SEARCH, { since: 0, until: 1, bucketMs }))).toBe("ShapeInvalid");
        expect(await codeOf(journal.faultTrend(SEARCH, { since: 0, until: 1e6, bucketMs: 1 }))).toBe("ShapeInvalid");
      }));

    it("of nodes are there too; cancellations and entries without a fault are not", () =>
      using(async ({ journal }) => {
        const odd = { type: "call-failed", call: "c", tool: 7 } as unknown as JournalEvent;
        await journal.append("s", 0, [
          nodeFailed(1, "reviewer", { code: "TestsFailed" }),
          failed(2, { code: "TurnCancelled" }),
          { at: 3, event: odd },
        ]);
        const groups = await journal.faultGroups({ limit: 9 });
        expect(groups).toMatchObject([{ fingerprint: "TestsFailed@node:reviewer#raised", tool: "reviewer", count: 1 }]);
      }));

    it("of nodes that pass on the failure of a call of theirs are counted once, with the call", () =>
      using(async ({ journal }) => {
        const call = (name: string): NewEntry => failed(1, { call: name });
        const passedOn = nodeFailed(2, "a", { attempt: 2 });
        const cases: readonly (readonly [string, NewEntry, number])[] = [
          ["a#1.2/c1", passedOn, 1],
          ["a#1.2/round/c1", passedOn, 1],
          ["a#1.1/c1", passedOn, 2], // of another attempt
          ["a#1.20/c1", passedOn, 2],
          ["aa#1.2/c1", passedOn, 2],
          ["c1", passedOn, 2],
          ["a#1.2/c1", nodeFailed(2, "a", { attempt: 2, code: "TestsFailed" }), 2], // its own failure
        ];
        for (const [index, [name, node, count]] of cases.entries()) {
          const session = `s${index}`;
          await journal.append("other", index, [call("a#1.2/c1")]);
          await journal.append(session, 0, [call(name), succeeded(1, name), node]);
          const groups = await journal.faultGroups({ limit: 9 });
          const all = await Promise.all(groups.map((group) => journal.faultsOf(group.fingerprint, { limit: 99 })));
          expect([name, all.flat().filter((one) => one.session === session).length]).toEqual([name, count]);
        }
        expect(await journal.verify()).toMatchObject({ firstBad: null });
      }));

    it("lead to the runs that met them, the last begun first, each once, page by page", () =>
      using(async ({ journal }) => {
        const names = ["r1", "b", "r2", "c", "r3", "r4"];
        for (const name of names) await journal.append(name, 0, [failed(1), failed(2), pay(3, "c2")]);
        await journal.append("r1", 3, [failed(50)]);
        await journal.append("r5", 0, [pay(9, "c3")]);
        const runs = ["r1", "r2", "r3", "r4", "r5"];
        await journal.keep(runs.map((key) => ({ kind: "run", key, value: { run: key, startedAt: 1 } })));
        expect(await journal.faultRuns(SEARCH, { limit: 9 })).toEqual(["r4", "r3", "r2", "r1"]);
        expect(await journal.faultRuns(PAY, { limit: 9 })).toEqual(["r5", "r4", "r3", "r2", "r1"]);
        expect(await journal.faultRuns(SEARCH, { limit: 2 })).toEqual(["r4", "r3"]);
        expect(await journal.faultRuns(SEARCH, { limit: 2, after: "r3" })).toEqual(["r2", "r1"]);
        expect(await journal.faultRuns(SEARCH, { limit: 2, after: "r1" })).toEqual([]);
        expect(await journal.faultRuns("nothing", { limit: 9 })).toEqual([]);
      }));

    it("of pruned sessions are gone, and the counts of the others stay right", () =>
      using(async ({ journal }) => {
        await journal.append("old", 0, [
          failed(50, { message: "newest" }),
          succeeded(51),
          pay(52, "c2"),
          ended("done", 60),
        ]);
        await journal.append("young", 0, [failed(40, { message: "left" }), failed(41, { message: "last left" })]);
        expect(await journal.prune({ before: 100 })).toBe(1);
        expect(await journal.faultGroups({ limit: 9 })).toEqual([
          {
            fingerprint: SEARCH,
            code: "ToolUnavailable",
            tool: "search",
            message: "last left",
            count: 2,
            sessions: 1,
            firstAt: 40,
            lastAt: 41,
          },
        ]);
        expect(await journal.faultsOf(SEARCH, { limit: 9 })).toHaveLength(2);
        expect(await journal.faultsOf(PAY, { limit: 9 })).toEqual([]);
        expect(await journal.faultRecourses(SEARCH)).toEqual([{ recourse: "retry", worked: 0, failed: 1 }]);
        expect(await journal.verify()).toMatchObject({ firstBad: null });
      }));
  });
}

async function groupPages(journal: Journal, limit: number): Promise<readonly FaultGroup[]> {
  const found: FaultGroup[] = [];
  for (let after: FaultGroup | undefined; ;) {
    const page = await journal.faultGroups({ limit, ...(after === undefined ? {} : { after }) });
    found.push(...page);
    after = page.at(-1);
    if (page.length < limit) return found;
  }
}

async function faultPages(journal: Journal, fingerprint: string, limit: number): Promise<readonly FaultOccurrence[]> {
  const found: FaultOccurrence[] = [];
  for (let after: FaultOccurrence | undefined; ;) {
    const page = await journal.faultsOf(fingerprint, { limit, ...(after === undefined ? {} : { after }) });
    found.push(...page);
    after = page.at(-1);
    if (page.length < limit) return found;
  }
}
