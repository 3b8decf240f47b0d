// Which actions an operator is offered: the matrix of the seeds as a table, and what holds for every fault and every state.

import { describe, expect, it } from "vitest";
import { CATALOGUE, fault, FAULT_CODES, type FaultCode } from "../../../src/core/index.ts";
import { ACTIONS, actionsFor, actionsOn, focusOf, REMEDIES, remediesFor } from "../../../src/core/flow/action.ts";
import { actionTable } from "../../../src/core/flow/action-table.ts";
import { ACTION_IDS, type ActionId } from "../../../src/core/flow/action-words.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import {
  CODER_DONE,
  failedWith,
  FIRST,
  folded,
  pausedFor,
  question,
  retryingAfter,
  SELECT,
  situation,
  started,
} from "./action-situations.ts";

const EVERYTHING = { targets: ["claude", "codex"], sendBackTo: "coder" };
const idsOf = (state: RunState, more = {}): readonly ActionId[] =>
  actionsFor(situation(state, more), "en").map(({ id }) => id);

// prettier-ignore
const AFTER_A_FAILURE: readonly (readonly [FaultCode, readonly ActionId[]])[] = [
  ["NetworkDisconnect", ["retry-stage", "switch-provider"]],
  ["NetworkTimeout",    ["retry-stage", "switch-provider"]],
  ["RateLimited",       ["retry-stage", "switch-provider"]],
  ["Overloaded",        ["retry-stage", "switch-provider"]],
  ["CircuitOpen",       ["retry-stage", "switch-provider"]],
  ["AuthFailed",        ["sign-in-again", "switch-provider"]],
  ["AccessDenied",      ["sign-in-again", "switch-provider"]],
  ["BinaryMissing",     ["retry-stage", "switch-provider"]],
  ["PermissionLoop",    ["grant-and-retry", "edit-and-retry"]],
  ["Forbidden",         ["grant-and-retry", "edit-and-retry"]],
  ["ApprovalRejected",  ["retry-stage", "send-back", "edit-and-retry"]],
  ["SchemaInvalid",     ["regenerate-once", "edit-and-retry", "send-back"]],
  ["OutputTruncated",   ["regenerate-once", "edit-and-retry", "send-back"]],
  ["OutputMalformed",   ["regenerate-once", "edit-and-retry", "send-back"]],
  ["TestsFailed",       ["send-back", "retry-stage", "edit-and-retry"]],
  ["ContextOverflow",   ["shorten-context", "switch-provider", "edit-and-retry"]],
  ["ContentFiltered",   ["edit-and-retry"]],
  ["BudgetExceeded",    ["raise-limit"]],
  ["TurnLimit",         ["raise-limit"]],
  ["RunTimeout",        ["raise-limit", "retry-stage"]],
  ["QuotaExhausted",    ["switch-provider", "retry-stage"]],
  ["ExecutionFailed",   ["retry-stage", "edit-and-retry"]],
  ["Unclassified",      ["retry-stage", "edit-and-retry"]],
];

describe("a failed run", () => {
  it.each(AFTER_A_FAILURE)("offers after %s: %j", (code, ids) => {
    expect(idsOf(failedWith(code), EVERYTHING)).toEqual(ids);
  });

  it("does not call a node finished that failed and was skipped", () => {
    const skipped = { type: "node-skipped", node: "reviewer", ...FIRST, reason: "resolution" } as const;
    const seen = fault("ExecutionFailed");
    const state = folded(
      ...CODER_DONE,
      started(),
      { ...skipped, fault: seen, route: null },
      {
        type: "run-ended",
        status: "failed",
        outcome: "internal_error",
        node: "reviewer",
        fault: seen,
      },
    );
    const kept = actionsFor(situation(state), "en").map(({ keeps }) => keeps);
    expect(state.visits.map(({ state: at }) => at)).toContain("skipped");
    expect(kept.filter((text) => text.includes("reviewer"))).toEqual([]);
  });

  it("continues in a successor that starts at the failed node and keeps what is finished", () => {
    const [retry] = actionsFor(situation(failedWith("NetworkDisconnect")), "en");
    expect(retry).toEqual({
      id: "retry-stage",
      node: "reviewer",
      execution: 1,
      label: "Retry this stage",
      explains: "Retries the stage unchanged. Use it when the cause has passed or is fixed.",
      redoes: "Runs reviewer again from its beginning, in a new run.",
      keeps: "Keeps the finished nodes: coder. This run stays as it is, so you can inspect it.",
      needs: "nothing",
      accepts: [],
      choices: [],
      limits: {},
      effect: "successor",
      question: "",
      costMicrocents: 0,
      key: "run_1:retry-stage:reviewer#1.1:failed",
    });
  });

  it("speaks Chinese with the names of the matrix", () => {
    const labels = actionsFor(situation(failedWith("NetworkDisconnect"), EVERYTHING), "zh-CN").map(
      ({ label }) => label,
    );
    expect(labels).toEqual(["重试当前阶段", "切换 Provider 重试"]);
  });

  it("offers nothing that cannot be done: no other target, nowhere to send it back to", () => {
    expect(idsOf(failedWith("AuthFailed"))).toEqual(["sign-in-again"]);
    const state = failedWith("KeyMissing");
    const visit = focusOf(state);
    if (visit !== null) visit.fault = fault("KeyMissing", { context: { variable: "WEST_API_KEY" } });
    expect(actionsFor(situation(state), "en")[0]?.explains).toContain("a valid key in WEST_API_KEY.");
    expect(idsOf(failedWith("TestsFailed"))).toEqual(["retry-stage", "edit-and-retry"]);
    expect(idsOf(failedWith("TestsFailed"), { sendBackTo: "reviewer" })).toEqual(["retry-stage", "edit-and-retry"]);
  });

  it.each([
    { name: "whose fault it was", tool: "west/llama", switchedTo: "", offers: ["east/llama", "claude"] },
    { name: "that was asked first", tool: "", switchedTo: "", offers: ["west/llama", "claude"] },
    { name: "that was switched to", tool: "", switchedTo: "claude", offers: ["east/llama", "west/llama"] },
    { name: "that failed after a switch", tool: "east/llama", switchedTo: "claude", offers: ["west/llama", "claude"] },
    {
      name: "that was asked first, when a tool failed",
      tool: "search",
      switchedTo: "",
      offers: ["west/llama", "claude"],
    },
  ])("never offers to switch to the target $name", ({ tool, switchedTo, offers }) => {
    const state = failedWith("Overloaded");
    const visit = focusOf(state);
    if (visit === null) throw new Error("the run has no visit");
    visit.fault = fault("Overloaded", tool === "" ? {} : { context: { tool } });
    visit.instruction =
      switchedTo === "" ? null : { action: "switch-provider", params: { target: switchedTo }, by: "ann" };
    const offered = actionsFor(situation(state, { targets: ["east/llama", "west/llama", "claude"] }), "en");
    expect(offered.find(({ id }) => id === "switch-provider")?.choices).toEqual(offers);
  });

  it("offers what the node had by then as its result", () => {
    expect(idsOf(failedWith("BudgetExceeded"), { hasPartialOutput: true })).toEqual(["raise-limit", "accept-partial"]);
  });

  it("names the targets, the limit that was reached and the node the work goes back to", () => {
    const offered = (code: FaultCode, id: ActionId) =>
      actionsFor(situation(failedWith(code), EVERYTHING), "en").find((action) => action.id === id);
    expect(offered("Overloaded", "switch-provider")).toMatchObject({ needs: "target", choices: ["codex"] });
    expect(offered("BudgetExceeded", "raise-limit")).toMatchObject({ limits: { maxCostMicrocents: 500 } });
    expect(offered("RunTimeout", "raise-limit")).toMatchObject({
      choices: ["timeoutMs"],
      limits: { timeoutMs: 60_000 },
    });
    expect(offered("TurnLimit", "raise-limit")).toMatchObject({ limits: { maxNodes: 100, turnCap: 0 } });
    expect(offered("TestsFailed", "send-back")).toMatchObject({
      choices: ["coder"],
      redoes: "Runs coder again and then goes the same way to reviewer.",
      keeps: "No node is finished yet. This run stays as it is, so you can inspect it.",
    });
  });

  it("asks for commands where a command was refused, and for tools everywhere else", () => {
    const needs = (kind: "agent" | "command") =>
      actionsFor(situation(failedWith("Forbidden", kind)), "en").find(({ id }) => id === "grant-and-retry")?.needs;
    expect([needs("command"), needs("agent")]).toEqual(["commands", "tools"]);
  });

  it("that has a successor is acted on in its successor", () => {
    const state = failedWith("NetworkDisconnect");
    state.successor = "run_2";
    expect(idsOf(state, EVERYTHING)).toEqual([]);
  });

  it("whose end names no node continues from where it stopped", () => {
    const state = failedWith("RunTimeout");
    state.failedNode = "";
    expect(focusOf(state)?.node).toBe("reviewer");
    expect(idsOf(state)).toEqual(["raise-limit", "retry-stage"]);
  });
});

describe("the visit that a run which has ended is about", () => {
  const visit = (node: string, state: string) => ({ node, execution: 1, state, fault: null, pause: null });
  it.each([
    [
      "the last that was neither completed nor skipped",
      "",
      ["a:cancelled", "b:cancelled", "c:completed", "d:skipped"],
      "b",
    ],
    ["the failed one, the last time that it ran", "a", ["a:failed", "b:cancelled", "a:failed", "c:cancelled"], "a"],
    ["none when all went well", "", ["a:completed", "b:skipped"], null],
    ["none without visits", "a", [], null],
  ])("is %s", (_what, failedNode, given, expected) => {
    const visits = given.map((one) => {
      const [node = "", state = ""] = one.split(":");
      return visit(node, state);
    });
    const focus = focusOf({ status: "failed", failedNode, visits } as unknown as RunState);
    expect(focus?.node ?? null).toBe(expected);
    if (failedNode !== "" && focus !== null) expect(visits.indexOf(focus as never)).toBe(2);
  });
});

describe("a run that waits", () => {
  it("for a retry can be retried now, elsewhere, or in place", () => {
    const offered = actionsFor(situation(retryingAfter("NetworkDisconnect"), EVERYTHING), "en");
    expect(offered.map(({ id, effect }) => [id, effect])).toEqual([
      ["retry-stage", "instruct"],
      ["retry-now", "instruct"],
      ["switch-provider", "instruct"],
      ["cancel", "cancel"],
      ["resume", "resume"],
    ]);
    expect(offered[0]?.redoes).toBe("Runs reviewer again, as attempt 2.");
  });

  it("for a quota goes elsewhere first, and need not wait for the time", () => {
    const state = pausedFor("parked", "QuotaExhausted", [], 5000);
    expect(idsOf(state, EVERYTHING)).toEqual(["switch-provider", "retry-now", "retry-stage", "resume", "cancel"]);
  });

  it("for money lets the limit be raised, with and without a fault", () => {
    expect(idsOf(pausedFor("budget", null))).toEqual(["raise-limit", "resume", "cancel"]);
    expect(idsOf(pausedFor("budget", "BudgetExceeded", [question("q_1", { kind: "Confirm", prompt: "?" })]))).toEqual([
      "answer",
      "raise-limit",
      "resume",
      "cancel",
    ]);
  });

  it("at a gate accepts an answer, and continues the discussion if the gate has that option", () => {
    const state = pausedFor("gate", null, [question("q_1", SELECT)]);
    const [answer, talk, ...rest] = actionsFor(situation(state, EVERYTHING), "en");
    expect(answer).toMatchObject({ id: "answer", question: "q_1", choices: ["confirm", "continue"], needs: "answer" });
    expect(talk).toMatchObject({
      id: "continue-discussion",
      effect: "answer",
      needs: "text",
      key: "run_1:continue-discussion:q_1",
    });
    expect(rest.map(({ id }) => id)).toEqual(["resume", "cancel"]);
    expect(idsOf(pausedFor("gate", null, [question("q_2", { kind: "Confirm", prompt: "?" })]))).not.toContain(
      "continue-discussion",
    );
  });

  it("is offered what is known about one node for that node only", () => {
    const state = folded(
      { type: "node-started", node: "coder", ...FIRST, kind: "agent" },
      { type: "node-completed", node: "coder", ...FIRST, route: { kind: "to", nodes: ["a", "b"] }, output: null },
      { type: "node-paused", node: "a", ...FIRST, why: "parked", fault: null, questions: [], wakeAt: 9 },
      { type: "node-paused", node: "b", ...FIRST, why: "parked", fault: null, questions: [], wakeAt: 9 },
    );
    const switches = actionsFor(situation(state, EVERYTHING), "en").filter(({ id }) => id === "switch-provider");
    expect(focusOf(state)?.node).toBe("a");
    expect(switches.map(({ node }) => node)).toEqual(["a"]);
  });
});

describe("a run that works", () => {
  it("can be cancelled, and resumed in case no process works on it", () => {
    expect(idsOf(folded(...CODER_DONE, started()))).toEqual(["cancel", "resume"]);
  });

  it("is not cancelled twice", () => {
    const state = folded(started());
    state.cancelledBy = "ops";
    expect(idsOf(state)).toEqual(["resume"]);
  });
});

describe("a run that has ended without a failure", () => {
  const ended = (status: "completed" | "cancelled") =>
    ({ type: "run-ended", status, outcome: "x", node: "", fault: null }) as const;

  it("was completed: offers nothing", () => {
    expect(idsOf(folded(...CODER_DONE, ended("completed")), EVERYTHING)).toEqual([]);
  });

  it("was cancelled: continues in a new run, at the node where it stopped", () => {
    const [action, ...others] = actionsFor(
      situation(folded(...CODER_DONE, started(), ended("cancelled")), EVERYTHING),
      "en",
    );
    expect(action).toMatchObject({ id: "retry-stage", effect: "successor" });
    expect(others).toEqual([]);
  });
});

describe("the key of an offer", () => {
  const keyOf = (state: RunState, id: ActionId, lastSeq = 10): string | undefined =>
    actionsFor(situation(state, { lastSeq }), "en").find((action) => action.id === id)?.key;

  it("is the same for the same offer, whatever else was written meanwhile", () => {
    expect(keyOf(retryingAfter("Overloaded"), "retry-stage", 10)).toBe(
      keyOf(retryingAfter("Overloaded"), "retry-stage", 77),
    );
    expect(keyOf(retryingAfter("Overloaded"), "cancel", 10)).toBe(keyOf(retryingAfter("Overloaded"), "cancel", 77));
  });

  it("is another one when the same stage fails again", () => {
    const before = retryingAfter("Overloaded");
    const after = retryingAfter("Overloaded");
    for (const visit of after.visits) visit.attempt = 3;
    expect(keyOf(after, "retry-stage")).not.toBe(keyOf(before, "retry-stage"));
  });

  it("is another one for an attempt that was begun by it and then had to wait", () => {
    const begun = folded(...CODER_DONE, started(), {
      ...{ type: "node-paused", node: "reviewer", execution: 1, attempt: 1 },
      ...{ why: "parked", fault: null, questions: [], wakeAt: 9 },
    });
    const waiting = retryingAfter("Overloaded");
    for (const visit of begun.visits) visit.attempt = 2;
    expect(keyOf(begun, "retry-stage")).not.toBe(keyOf(waiting, "retry-stage"));
  });

  it("of resuming is another one each time it stopped", () => {
    expect(keyOf(pausedFor("parked", null), "resume", 10)).not.toBe(keyOf(pausedFor("parked", null), "resume", 11));
  });
});

describe("every fault", () => {
  const codes = FAULT_CODES.filter((code) => !CATALOGUE[code].cancels);

  it.each(codes)("leaves something to do when the run failed with it: %s", (code) => {
    expect(idsOf(failedWith(code))).not.toEqual([]);
    expect(idsOf(retryingAfter(code)).length).toBeGreaterThan(2);
  });

  it.each(codes)("offers the same again after the next failure, in the same order: %s", (code) => {
    const once = failedWith(code);
    const again = { ...failedWith(code), predecessor: "run_0" };
    for (const visit of again.visits) if (visit.state === "failed") visit.attempt = 3;
    const offers = (state: RunState) =>
      actionsFor(situation(state, EVERYTHING), "en").map(({ id, redoes, keeps }) => [id, redoes, keeps]);
    expect(offers(again)).toEqual(offers(once));
  });

  it("of a newer version is treated like an unknown one", () => {
    expect(remediesFor({ code: "FromTheFuture" as FaultCode })).toEqual(remediesFor({ code: "Unclassified" }));
  });

  it("is spoken for by a row, and every row speaks for some code", () => {
    const spoken = new Set(FAULT_CODES.map((code) => remediesFor({ code })));
    expect(REMEDIES.filter(({ offer }) => !spoken.has(offer))).toEqual([]);
  });
});

describe("what can be done about a visit before its run has ended", () => {
  it("is what can be done afterwards", () => {
    const state = folded(...CODER_DONE, started(), {
      ...{ type: "node-failed", node: "reviewer", ...FIRST, outcome: "provider_network_error" },
      ...{ fault: fault("NetworkDisconnect"), resolution: "abort-workflow", route: null },
    });
    const failed = state.visits.find(({ node }) => node === "reviewer") ?? null;
    expect(actionsOn(situation(state, EVERYTHING), failed, "en").map(({ id }) => id)).toEqual([
      "retry-stage",
      "switch-provider",
    ]);
  });
});

describe("the table for the docs", () => {
  it("has a row for every action, in both languages", () => {
    for (const locale of ["en", "zh-CN"] as const) {
      const lines = actionTable(locale).trimEnd().split("\n");
      expect(lines).toHaveLength(ACTION_IDS.length + 2);
      ACTION_IDS.forEach((id, index) => expect(lines[index + 2]).toContain(`\`${id}\``));
      for (const line of lines) expect(line.match(/(?<!\\)\|/g)).toHaveLength(6);
    }
    expect(Object.keys(ACTIONS)).toEqual([...ACTION_IDS]);
  });
});
