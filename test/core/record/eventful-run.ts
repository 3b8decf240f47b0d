// One run in which nearly everything happens that a journal can hold, as its entries: retries, fallbacks, waits, questions, a
// fan-out, operators, money, late results. What is read from it is compared with files.

import { fault, type Fault } from "../../../src/core/index.ts";
import type { Question } from "../../../src/core/flow/interaction.ts";
import type { Entry, JournalEvent } from "../../../src/core/record/event.ts";

const EVENTFUL = "run_eventful";
const START = 1_700_000_000_000;

const STORY = {
  row: { layer: "matrix", at: "row 3" },
  considered: [],
  left: [],
  passedOver: [],
  preferred: null,
} as const;
const retry = (delayMs: number, attempt: number) =>
  ({ ...STORY, recourse: "retry", delayMs, serverWait: false, attempt, maxAttempts: 4 }) as const;

const said = (excerpt: string) => ({ rule: "status/503", source: "status", nearly: [], excerpt }) as const;
const BUSY = fault("Overloaded", { message: "503 busy", evidence: said("busy, try later"), retryAfterMs: 2_000 });
const LIMIT = fault("RateLimited", {
  message: "429",
  resetAt: START + 900_000,
  context: { tool: "west/llama", provider: "west" },
});
const KEY = fault("AuthFailed", { message: "401 at /srv/app/key.ts", context: { tool: "east/llama" } });
const BROKEN = fault("ExecutionFailed", {
  message: "exit code 2",
  context: { tool: "build", exitCode: 2 },
  cause: BUSY,
});
const STOPPED = fault("TurnCancelled", { message: "stopped by ada" });
const SPENT = fault("BudgetExceeded", { message: "the money is used up" });

const question = (id: string, call: string | null, kind: "Approve" | "Select"): Question =>
  ({
    ...{ id, session: EVENTFUL, call, code: "ExecutionFailed", expiresAt: START + 500_000, askedAt: START + 100 },
    payload: {
      kind,
      prompt: "Ship it?",
      tool: "build",
      approvalKey: "",
      options: [{ id: "retry", label: "Try again" }],
    },
  }) as unknown as Question;

const at = (node: string, attempt = 1, execution = 1) => ({ node, execution, attempt });
const priced = { microcents: 1_200, basis: "reported" } as const;
const guessed = { microcents: 300, basis: "estimated" } as const;

function call(id: string, turn: string, tool: string): JournalEvent {
  return { type: "call-started", call: id, turn, tool, digest: "d", input: { q: id }, deadlineAt: START + 60_000 };
}

const failed = (id: string, tool: string, attempt: number, why: Fault, decision: object): JournalEvent =>
  ({
    ...{ type: "call-failed", call: id, tool, attempt, fault: why, decision: { ...STORY, ...decision } },
    ...{ breaker: "closed", durationMs: 700, cost: guessed },
  }) as unknown as JournalEvent;

const decided = (id: string, tool: string, why: Fault, decision: object): JournalEvent =>
  ({
    ...{ type: "call-decided", call: id, tool, fault: why, breaker: "open" },
    decision: { ...STORY, ...decision },
  }) as unknown as JournalEvent;

function succeeded(id: string, tool: string, attempt: number, errors: readonly Fault[] = []): JournalEvent {
  const items = errors.map((one) => ({ item: "x", fault: one }));
  return {
    type: "call-succeeded",
    call: id,
    tool,
    attempt,
    durationMs: 900,
    cost: priced,
    errors: items,
    output: "ok",
  };
}

const FAN = { kind: "fan", nodes: ["left", "right"], join: "meet", failFast: true } as const;
const to = (...nodes: readonly string[]) => ({ kind: "to", nodes }) as const;
const END = { kind: "end", outcome: "shipped" } as const;

// prettier-ignore
const STEPS: readonly (readonly [number, JournalEvent])[] = [
  [0,       { type: "run-started", workflow: "team", version: "2", digest: "d1", file: "/srv/team.yaml", inputs: { task: "t" }, start: ["plan"],
              limits: { maxParallel: 2, maxNodes: 20, timeoutMs: 3_600_000, maxCostMicrocents: 100_000 }, predecessor: "run_before", inherited: null,
              instruction: { action: "retry-stage", params: {}, by: "ada" } }],
  [10,      { type: "node-started", ...at("plan"), kind: "agent", targets: ["west/llama", "east/llama"] }],
  [10,      { type: "turn-started", turn: "plan#1.1", deadlineAt: null }],
  [20,      { type: "stage-entered", ...at("plan"), phase: "act", passed: ["setup", "init"] }],
  [30,      call("plan#1.1/1", "plan#1.1", "west/llama")],
  [40,      { type: "call-admitted", call: "plan#1.1/1", tool: "west/llama", attempt: 1 }],
  [740,     failed("plan#1.1/1", "west/llama", 1, BUSY, retry(2_000, 2))],
  [745,     { type: "call-held", call: "plan#1.1/1", tool: "west/llama", attempt: 2, reason: "paced", nextAt: START + 3_000 }],
  [3_000,   { type: "call-admitted", call: "plan#1.1/1", tool: "west/llama", attempt: 2 }],
  [3_500,   { type: "call-admitted", call: "plan#1.1/1", tool: "east/llama", attempt: 1, hedge: { beside: "west/llama", silentMs: 500 } }],
  [3_700,   failed("plan#1.1/1", "west/llama", 2, LIMIT, { recourse: "fallback", target: "east/llama", considered: [{ recourse: "retry", refused: "wait-too-long" }], left: ["park", "fail"], preferred: "fallback" })],
  [3_701,   { type: "target-paused", target: "west/llama", until: START + 900_000, call: "plan#1.1/1" }],
  [3_702,   { type: "breaker-changed", target: "west/llama", tool: "west/llama", from: "closed", to: "open" }],
  [3_710,   { type: "call-adapted", call: "plan#1.1/1", tool: "east/llama", changes: [{ rule: "images", where: "message 2", why: "no images" }], kept: true }],
  [3_720,   { type: "call-admitted", call: "plan#1.1/1", tool: "east/llama", attempt: 1 }],
  [4_620,   succeeded("plan#1.1/1", "east/llama", 1, [BUSY])],
  [4_700,   { type: "call-late", call: "plan#1.1/1", tool: "west/llama", attempt: 2, ok: false, fault: LIMIT, durationMs: 1_700, cost: priced, booked: guessed }],
  [4_710,   { type: "artefact-kept", call: "plan#1.1/1", name: "plan.md", ref: "a1", bytes: 2_048, cut: true }],
  [4_720,   { type: "turn-ended", turn: "plan#1.1", status: "done", fault: null }],
  [4_730,   { type: "node-completed", ...at("plan"), route: FAN, output: "a plan" }],
  [4_740,   { type: "node-started", ...at("left"), kind: "command" }],
  [4_750,   { type: "node-started", ...at("right"), kind: "tool" }],
  [4_760,   { type: "turn-started", turn: "left#1.1", deadlineAt: START + 99_000 }],
  [4_770,   { type: "round-started", turn: "left#1.1", round: 1, digest: "r", nodes: 3, plan: [
              { id: "a", tool: "build", label: "Build", needs: [] }, { id: "b", tool: "test", label: "", needs: ["a"] }, { id: "c", tool: "lint", label: "Lint", needs: ["a", "b"] }] }],
  [4_780,   call("left#1.1/1/a", "left#1.1", "build")],
  [4_790,   { type: "call-admitted", call: "left#1.1/1/a", tool: "build", attempt: 1 }],
  [5_490,   failed("left#1.1/1/a", "build", 1, BROKEN, { recourse: "ask", question: "Select", considered: [{ recourse: "retry", refused: "may-have-happened" }, { recourse: "default", refused: "not-offered" }] })],
  [5_500,   { type: "question-asked", call: "left#1.1/1/a", question: question("q1", "left#1.1/1/a", "Select") }],
  [5_510,   { type: "node-paused", ...at("left"), why: "question", fault: BROKEN, questions: [question("q1", "left#1.1/1/a", "Select")], wakeAt: null }],
  [6_000,   call("right#1.1/1", "right#1.1", "search")],
  [6_010,   decided("right#1.1/1", "search", LIMIT, { recourse: "park", wakeAt: START + 70_000 })],
  [6_020,   { type: "node-paused", ...at("right"), why: "parked", fault: LIMIT, questions: [], wakeAt: START + 70_000 }],
  [6_030,   { type: "run-paused", why: "parked", wakeAt: START + 70_000 }],
  [60_000,  { type: "session-resumed", interrupted: ["left#1.1"] }],
  [60_010,  { type: "question-answered", call: "left#1.1/1/a", id: "q1", answer: { status: "accepted", value: "retry" }, by: "ada" }],
  [60_020,  { type: "node-resumed", ...at("left"), why: "question", answer: null, by: "ada" }],
  [60_030,  { type: "call-admitted", call: "left#1.1/1/a", tool: "build", attempt: 2 }],
  [60_930,  failed("left#1.1/1/a", "build", 2, BROKEN, { recourse: "skip" })],
  [60_940,  { type: "node-settled", turn: "left#1.1", round: 1, node: "b", status: "skipped", fault: BROKEN, because: "a" }],
  [60_950,  { type: "node-settled", turn: "left#1.1", round: 1, node: "c", status: "failed", fault: STOPPED, because: "" }],
  [60_960,  { type: "turn-ended", turn: "left#1.1", status: "failed", fault: BROKEN }],
  [60_970,  { type: "node-retrying", ...at("left"), of: 3, fault: BROKEN, decision: retry(5_000, 2), delayMs: 5_000, nextAt: START + 65_970 }],
  [65_970,  { type: "node-started", ...at("left", 2), kind: "command" }],
  [66_000,  { type: "node-deferred", ...at("left", 2), of: 3, fault: KEY, nextAt: START + 80_000 }],
  [67_000,  { type: "budget-warned", spentMicrocents: 80_000, maxCostMicrocents: 100_000 }],
  [68_000,  { type: "run-instructed", action: "switch-provider", node: "left", execution: 1, key: "k1", params: { target: "east/llama" }, by: "bob" }],
  [69_000,  { type: "run-instructed", action: "add-note", node: "", execution: 0, key: "k2", params: { text: "look at the build" }, by: "bob" }],
  [70_000,  { type: "node-resumed", ...at("right"), why: "parked", answer: null, by: "" }],
  [70_010,  { type: "call-admitted", call: "right#1.1/1", tool: "search", attempt: 1 }],
  [70_020,  { type: "call-cancelled", call: "right#1.1/1", tool: "search", fault: STOPPED, cost: guessed }],
  [70_030,  { type: "node-skipped", ...at("right"), reason: "operator", fault: null, route: to("meet") }],
  [80_000,  { type: "node-started", ...at("left", 3), kind: "command" }],
  [80_100,  { type: "node-failed", ...at("left", 3), fault: KEY, outcome: "internal_error", resolution: "abort-workflow", route: to("repair") }],
  [80_200,  { type: "workflow-changed", from: "d1", to: "d2", by: "bob" }],
  [80_300,  { type: "node-started", ...at("repair"), kind: "stage" }],
  [80_400,  { type: "node-completed", ...at("repair"), route: to("meet"), output: null }],
  [80_500,  { type: "node-started", ...at("meet"), kind: "merge" }],
  [80_600,  { type: "node-completed", ...at("meet"), route: to("gate"), output: [1, 2] }],
  [80_700,  { type: "node-started", ...at("gate"), kind: "human_gate" }],
  [80_710,  { type: "node-paused", ...at("gate"), why: "gate", fault: null, questions: [question("q2", null, "Approve")], wakeAt: START + 200_000 }],
  [90_000,  { type: "node-resumed", ...at("gate"), why: "gate", answer: { status: "rejected", reason: "too early" }, by: "cleo" }],
  [90_010,  { type: "node-completed", ...at("gate"), route: to("plan"), output: false }],
  [90_100,  { type: "node-started", ...at("plan", 1, 2), kind: "agent", targets: ["east/llama"] }],
  [90_110,  call("plan#2.1/1", "plan#2.1", "east/llama")],
  [90_115,  { type: "budget-exceeded", call: "plan#2.1/1", spentMicrocents: 99_000, reservedMicrocents: 500, estimateMicrocents: 2_000, maxCostMicrocents: 100_000 }],
  [90_120,  decided("plan#2.1/1", "east/llama", SPENT, { recourse: "default" })],
  [90_130,  { type: "fault-suppressed", fault: BUSY, reason: "the cache is optional" }],
  [90_140,  { type: "node-completed", ...at("plan", 1, 2), route: END, output: "done" }],
  [90_200,  { type: "run-ended", status: "failed", outcome: "internal_error", node: "left", fault: KEY }],
  [90_300,  { type: "run-superseded", successor: "run_after" }],
  [90_400,  { type: "session-ended", status: "failed", fault: KEY }],
];

export const EVENTFUL_RUN: readonly Entry[] = STEPS.map(([ms, event], index) => ({
  session: EVENTFUL,
  seq: index + 1,
  at: START + ms,
  event,
}));
