// What people did about a kind of failure, and whether it helped.

import { expect, it } from "vitest";
import { type Entry, fault, type FaultCode, type Journal, type JournalEvent } from "../../../src/index.ts";
import { actedOn, actedWords } from "../../../src/workflow/report/acted-on.ts";

const at = (node: string) => ({ node, execution: 1, attempt: 1 });
const failed = (node: string, code: FaultCode = "AuthFailed"): JournalEvent => ({
  ...{ type: "node-failed", ...at(node), fault: fault(code), outcome: "internal_error" },
  ...{ resolution: "abort-workflow", route: null },
});
const done = (node: string): JournalEvent => ({
  type: "node-completed",
  ...at(node),
  route: { kind: "end", outcome: "" },
  output: 1,
});
const acts = (node: string, action = "retry-stage"): JournalEvent => ({
  ...{ type: "run-instructed", action, node, execution: 1, key: "k", params: {}, by: "ada" },
});
const superseded: JournalEvent = { type: "run-superseded", successor: "next" };
const started = (action: string): JournalEvent =>
  ({ type: "run-started", instruction: { action, params: {}, by: "ada" } }) as unknown as JournalEvent;

async function tallied(runs: Readonly<Record<string, readonly JournalEvent[]>>): Promise<readonly string[]> {
  const journal = { faultRuns: () => Promise.resolve(Object.keys(runs).filter((run) => run !== "next")) };
  const readAll = (run: string, take: (entry: Entry) => void): Promise<void> => {
    (runs[run] ?? []).forEach((event, index) => take({ session: run, seq: index + 1, at: index, event }));
    return Promise.resolve();
  };
  const tallies = await actedOn(journal as unknown as Journal, readAll, { fingerprint: "f", code: "AuthFailed" });
  return tallies.map(({ recourse, worked, failed: not }) => `${recourse} ${worked} ${not}`);
}

it.each<[string, Readonly<Record<string, readonly JournalEvent[]>>, readonly string[]]>([
  ["nothing was done", { a: [failed("n")] }, []],
  ["it helped", { a: [failed("n"), acts("n"), done("n")] }, ["person:retry-stage 1 0"]],
  ["it did not help", { a: [failed("n"), acts("n"), failed("n", "Overloaded")] }, ["person:retry-stage 0 1"]],
  [
    "it helped at the second time",
    { a: [failed("n"), acts("n"), failed("n"), acts("n"), done("n")] },
    ["person:retry-stage 1 1"],
  ],
  ["it has no result yet", { a: [failed("n"), acts("n")] }, []],
  ["it was about another node", { a: [failed("n"), acts("m"), done("n"), done("m")] }, []],
  ["it was about another failure", { a: [failed("n", "Overloaded"), acts("n"), done("n")] }, []],
  [
    "two runs, two actions",
    { a: [failed("n"), acts("n"), done("n")], b: [failed("n"), acts("n", "skip-stage"), done("n")] },
    ["person:retry-stage 1 0", "person:skip-stage 1 0"],
  ],
  [
    "the run that continues it shows the result, once",
    { a: [failed("n"), superseded], next: [started("retry-stage"), failed("n"), acts("n"), done("n"), superseded] },
    ["person:retry-stage 0 1"],
  ],
])("%s", async (_what, runs, expected) => {
  expect(await tallied(runs)).toEqual(expected);
});

it("is said in words, for actions that are known and for others; what the program did is not", () => {
  expect(actedWords("person:retry-stage", "en")).toBe("Retry this stage, by a person");
  expect(actedWords("person:from-the-future", "en")).toBe("from-the-future, by a person");
  expect(actedWords("person:from-the-future", "zh-CN")).toBe("from-the-future（人工）");
  expect(actedWords("fallback", "en")).toBeNull();
});
