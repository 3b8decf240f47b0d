// The fault that a run ends with when a path of it ends in one of the matrix's outcomes.

import { describe, expect, it } from "vitest";
import { fault } from "../../../src/core/fault/fault.ts";
import type { FaultCode } from "../../../src/core/fault/catalogue.ts";
import type { RunEvent } from "../../../src/core/flow/run-event.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import { foldRun, startRun } from "../../../src/core/flow/run.ts";
import { completedEnd } from "../../../src/workflow/advance/slice.ts";
import { started } from "../../core/flow/run-plans.ts";

const NODES = ["before", "last", "after"] as const;
type Failures = Partial<Readonly<Record<(typeof NODES)[number], FaultCode>>>;

/** Three nodes beside each other. `last` says how the run ends. */
function stateAfter(failures: Failures): RunState {
  const state = startRun(started(NODES), 0);
  for (const node of NODES) {
    const place = { node, execution: 1, attempt: 1 };
    const route = { kind: "end", outcome: node === "last" ? "test_failed" : "" } as const;
    const code = failures[node];
    const event: RunEvent =
      code === undefined
        ? { type: "node-completed", ...place, route, output: null }
        : { type: "node-failed", ...place, fault: fault(code), outcome: "internal_error", resolution: "skip", route };
    foldRun(state, event, 1);
  }
  return state;
}

describe("a run in which a node ends its path with test_failed", () => {
  // prettier-ignore
  it.each<readonly [string, Failures, FaultCode]>([
    ["nothing failed",                          {},                                                  "TestsFailed"],
    ["that node failed",                        { last: "RateLimited" },                             "RateLimited"],
    ["that node failed and one before it",      { before: "AuthFailed", last: "RateLimited" },       "RateLimited"],
    ["that node failed and one after it",       { last: "RateLimited", after: "AuthFailed" },        "RateLimited"],
    ["that node failed and others like it",     { before: "TestsFailed", last: "RateLimited", after: "TestsFailed" }, "RateLimited"],
    ["another one failed, in another way",      { after: "AuthFailed" },                             "TestsFailed"],
    ["another one failed, in that way",         { before: "TestsFailed" },                           "TestsFailed"],
  ])("%s", (_what, failures, code) => {
    const { events, status } = completedEnd(stateAfter(failures));
    expect(status).toBe("failed");
    expect(events).toMatchObject([{ type: "run-ended", outcome: "test_failed", node: "last", fault: { code } }]);
  });

  it("has the very fault of another node that failed in that way", () => {
    const { events } = completedEnd(stateAfter({ before: "TestsFailed", after: "AuthFailed" }));
    expect(events).toMatchObject([{ fault: { context: {} } }]);
    expect(events).not.toMatchObject([{ fault: { context: { declared: true } } }]);
  });
});
