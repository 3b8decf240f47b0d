// What the demo counts, and what it rejects.

import { describe, expect, it } from "vitest";
import type { DemoEnd } from "../../../src/cli/demo/drive-demo.ts";
import { factsOf } from "../../../src/cli/demo/start-facts.ts";
import { countSurvived, SURVIVED } from "../../../src/cli/demo/survived.ts";
import { fileChange } from "../../../src/cli/demo/text-diff.ts";
import { type Entry, fault, type FaultCode, type JournalEvent } from "../../../src/core/index.ts";

function journal(...events: readonly (readonly [at: number, event: object])[]): readonly Entry[] {
  return events.map(([at, event], index) => ({ session: "r", seq: index + 1, at, event: event as JournalEvent }));
}

const failed = (code: FaultCode, decision: object, about: object = {}): object => ({
  type: "call-failed",
  call: "c",
  tool: "a",
  fault: { ...fault(code, { message: "no" }), ...about },
  decision,
});
const admitted = { type: "call-admitted", call: "c", tool: "a" };
const succeeded = (tool = "a"): object => ({ type: "call-succeeded", call: "c", tool });

describe("countSurvived", () => {
  it("counts a rate limit only if the wait was respected and the call succeeded", () => {
    const limited = failed("RateLimited", { recourse: "retry" }, { retryAfterMs: 2_000 });
    const count = (againAt: number, last: object) =>
      countSurvived(journal([0, limited], [againAt, admitted], [againAt, last])).counts.rateLimits;
    expect(count(2_000, succeeded())).toBe(1);
    expect(count(1_999, succeeded())).toBe(0);
    expect(count(2_000, limited)).toBe(0);
  });

  it("counts a failover only when the other target answered", () => {
    const cut = failed("NetworkDisconnect", { recourse: "fallback", target: "b" });
    expect(countSurvived(journal([0, cut], [1, succeeded("b")])).counts.failovers).toBe(1);
    expect(countSurvived(journal([0, cut], [1, succeeded("a")])).counts.failovers).toBe(0);
    expect(countSurvived(journal([0, cut])).counts.failovers).toBe(0);
  });

  it("counts hangs of tools, and not those of models", () => {
    const retry = { recourse: "retry" };
    const count = (code: FaultCode) => countSurvived(journal([0, failed(code, retry)], [1, succeeded()])).counts.hangs;
    expect(count("ExecutionTimeout")).toBe(1);
    expect(count("NetworkTimeout")).toBe(0);
  });

  it("counts an invalid answer only if a valid one followed", () => {
    const unfit = failed("SchemaInvalid", { recourse: "regenerate" });
    expect(countSurvived(journal([0, unfit], [1, succeeded()])).counts.regenerated).toBe(1);
    expect(countSurvived(journal([0, unfit])).counts.regenerated).toBe(0);
  });

  it("counts work that was sent back only if it succeeded later", () => {
    const to = (node: string) => ({ kind: "to", nodes: [node] });
    const wants = {
      type: "node-completed",
      node: "reviewer",
      execution: 1,
      route: to("coder"),
      output: { decision: "changes_requested" },
    };
    const broke = { type: "node-failed", node: "run_tests", execution: 1, route: to("coder") };
    const done = (node: string) => ({ type: "node-completed", node, execution: 2, route: to("x"), output: null });
    const both = journal([0, wants], [1, done("coder")], [2, broke], [3, done("run_tests")]);
    expect(countSurvived(both).counts).toMatchObject({ reviews: 1, failedTests: 1 });
    expect(countSurvived(journal([0, wants], [1, broke])).counts).toMatchObject({ reviews: 0, failedTests: 0 });
  });

  it("counts a crash only when something was interrupted", () => {
    const resumed = (...interrupted: readonly string[]) => ({ type: "session-resumed", interrupted });
    expect(countSurvived(journal([0, resumed()], [1, resumed("c")])).counts.crashes).toBe(1);
  });

  it("names finished work that was started again", () => {
    const done = { type: "node-completed", node: "n", execution: 1, route: { kind: "end", outcome: "" }, output: null };
    const again = { type: "node-started", node: "n", execution: 1, attempt: 2 };
    expect(countSurvived(journal([0, succeeded()], [1, admitted], [2, done], [3, again])).redone).toEqual(["c", "n#1"]);
    const nextRound = { ...again, execution: 2 };
    expect(countSurvived(journal([0, admitted], [1, succeeded()], [2, done], [3, nextRound])).redone).toEqual([]);
  });
});

describe("factsOf", () => {
  const place = {
    folder: "f",
    repository: "f/r",
    before: new Map(),
    workflowFile: "w",
    publishFile: "",
    journal: "j",
    diff: "d",
  };
  const end = (outcome: string, entries: readonly Entry[], killed = 1): DemoEnd => ({
    ...{ run: "r", entries, workers: 2, killed },
    report: { summary: { outcome, startedAt: 1, endedAt: 3 }, files: [], spending: {} } as unknown as DemoEnd["report"],
  });

  it("names everything that was promised and did not happen", () => {
    expect(factsOf(end("test_failed", []), place, []).missing).toEqual([...SURVIVED, "outcome"]);
  });

  it("counts no crash if no process was killed", () => {
    const crashed = journal([0, { type: "session-resumed", interrupted: ["c"] }]);
    expect(factsOf(end("approved", crashed), place, []).missing).not.toContain("crashes");
    expect(factsOf(end("approved", crashed, 0), place, []).missing).toContain("crashes");
  });

  it("rejects repeated finished work", () => {
    const twice = journal([0, succeeded()], [1, admitted]);
    expect(factsOf(end("approved", twice), place, []).missing).toContain("redone");
  });
});

describe("fileChange", () => {
  it("shows what changed, and what stayed around it", () => {
    const { added, removed, diff } = fileChange("a.js", "one\ntwo\nthree\n", "one\n2\nthree\nfour\n");
    expect({ added, removed }).toEqual({ added: 2, removed: 1 });
    expect(diff).toBe("--- a/a.js\n+++ b/a.js\n@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n");
  });

  it("is empty for a file that stayed the same", () => {
    expect(fileChange("a.js", "one\n", "one\n").diff).toBe("");
  });

  it("recognises new and deleted files", () => {
    expect(fileChange("a.js", null, "one\n").diff).toBe("--- /dev/null\n+++ b/a.js\n@@ -0,0 +1,1 @@\n+one\n");
    expect(fileChange("a.js", "one\n", null)).toMatchObject({ added: 0, removed: 1 });
  });
});
