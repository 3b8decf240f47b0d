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

const unpriced = { microcents: null, basis: "reported" } as const;
const free = (id: string, tool: string): JournalEvent =>
  ({ ...succeeded(id, tool, 1), cost: null }) as unknown as JournalEvent;
const late = (id: string, tool: string, ok: boolean, cost: object | null, booked: object | null): JournalEvent =>
  ({
    type: "call-late",
    call: id,
    tool,
    attempt: 1,
    ok,
    fault: null,
    durationMs: 5,
    cost,
    booked,
  }) as unknown as JournalEvent;
const turns = (turn: string, ...within: readonly JournalEvent[]): readonly JournalEvent[] => [
  { type: "turn-started", turn, deadlineAt: null },
  ...within,
  { type: "turn-ended", turn, status: "done", fault: null },
];

/** A run of commands that end with an error although their calls worked, and of calls without a price. Nothing follows its end. */
// prettier-ignore
const COMMANDS: readonly JournalEvent[] = [
  { type: "run-started", workflow: "ci", version: "1", digest: "d1", file: null, inputs: {}, start: ["build", "ask", "lint"],
    limits: { maxParallel: 2, maxNodes: 20, timeoutMs: null, maxCostMicrocents: 0 }, predecessor: null, inherited: null, instruction: null },
  { type: "node-started", ...at("build"), kind: "command" },
  ...turns("build#1.1", call("build#1.1/1", "build#1.1", "make"), { type: "call-admitted", call: "build#1.1/1", tool: "make", attempt: 1 }, free("build#1.1/1", "make")),
  { type: "node-started", ...at("lint"), kind: "command" },
  { type: "turn-started", turn: "lint#1.1", deadlineAt: null },
  call("lint#1.1/1", "lint#1.1", "make"),
  { type: "call-admitted", call: "lint#1.1/1", tool: "make", attempt: 1 },
  free("lint#1.1/1", "make"),
  { type: "node-retrying", ...at("build"), of: 3, fault: BROKEN, decision: retry(5_000, 2), delayMs: 5_000, nextAt: START + 9_000 },
  { type: "turn-ended", turn: "lint#1.1", status: "done", fault: null },
  { type: "node-completed", ...at("lint"), route: END, output: null },
  { type: "node-started", ...at("build", 2), kind: "command" },
  ...turns("build#1.2", call("build#1.2/1", "build#1.2", "make"), { type: "call-admitted", call: "build#1.2/1", tool: "make", attempt: 1 }, free("build#1.2/1", "make")),
  { type: "node-deferred", ...at("build", 2), of: 3, fault: BROKEN, nextAt: START + 19_000 },
  { type: "node-started", ...at("ask"), kind: "agent", targets: ["west/llama"] },
  { type: "turn-started", turn: "ask#1.1", deadlineAt: null },
  call("ask#1.1/1", "ask#1.1", "west/llama"),
  { type: "call-admitted", call: "ask#1.1/1", tool: "west/llama", attempt: 1 },
  { ...failed("ask#1.1/1", "west/llama", 1, BUSY, retry(100, 2)), cost: unpriced } as unknown as JournalEvent,
  late("ask#1.1/1", "west/llama", true, priced, unpriced),
  { type: "call-admitted", call: "ask#1.1/1", tool: "west/llama", attempt: 2 },
  { ...failed("ask#1.1/1", "west/llama", 2, BUSY, { recourse: "alternative", tool: "search" }), cost: null } as unknown as JournalEvent,
  late("ask#1.1/1", "west/llama", false, guessed, null),
  late("ask#1.1/1", "west/llama", false, null, guessed),
  decided("ask#1.1/1", "search", KEY, { recourse: "fail", considered: [{ recourse: "ask", refused: "denied" }] }),
  call("ask#1.1/2", "ask#1.1", "search"),
  { type: "call-cancelled", call: "ask#1.1/2", tool: "search", fault: STOPPED, cost: null },
  call("ask#1.1/3", "ask#1.1", "search"),
  { type: "call-admitted", call: "ask#1.1/3", tool: "search", attempt: 1 },
  { type: "call-cancelled", call: "ask#1.1/3", tool: "search", fault: STOPPED, cost: unpriced },
  { type: "breaker-changed", target: "west/llama", tool: "west/llama", from: "half-open", to: "open" },
  { type: "breaker-changed", target: "west/llama", tool: "west/llama", from: "open", to: "open" },
  { type: "breaker-changed", target: "west/llama", tool: "west/llama", from: "open", to: "closed" },
  { type: "turn-ended", turn: "ask#1.1", status: "failed", fault: STOPPED },
  { type: "node-failed", ...at("ask"), fault: STOPPED, outcome: "cancelled", resolution: "abort-workflow", route: to("help") },
  { type: "node-started", ...at("help"), kind: "human_gate" },
  { type: "question-asked", call: "help#1.1", question: question("q3", null, "Approve") },
  { type: "node-paused", ...at("help"), why: "gate", fault: null, questions: [question("q3", null, "Approve")], wakeAt: null },
  { type: "node-resumed", ...at("help"), why: "gate", answer: { status: "accepted", value: true }, by: "ada" },
  { type: "node-skipped", ...at("help"), reason: "resolution", fault: BUSY, route: null },
  { type: "node-started", ...at("build", 3), kind: "command" },
  ...turns("build#1.3", call("build#1.3/1", "build#1.3", "make"), { type: "call-admitted", call: "build#1.3/1", tool: "make", attempt: 1 }, free("build#1.3/1", "make")),
  { type: "node-failed", ...at("build", 3), fault: BROKEN, outcome: "internal_error", resolution: "abort-workflow", route: null },
  { type: "run-ended", status: "failed", outcome: "internal_error", node: "build", fault: BROKEN },
] as unknown as readonly JournalEvent[];

/** A session without a workflow: turns, a plan of calls, a failure that ends it. */
// prettier-ignore
const PLAIN: readonly JournalEvent[] = [
  { type: "session-started" },
  { type: "turn-started", turn: "t1", deadlineAt: START + 500 },
  { type: "round-started", turn: "t1", round: 1, digest: "r", nodes: 2, plan: [{ id: "a", tool: "search", label: "", needs: [] }, { id: "b", tool: "book", label: "Book", needs: ["a"] }] },
  call("t1/1/a", "t1", "search"),
  { type: "call-admitted", call: "t1/1/a", tool: "search", attempt: 1 },
  succeeded("t1/1/a", "search", 1),
  call("t1/1/b", "t1", "book"),
  { type: "call-admitted", call: "t1/1/b", tool: "book", attempt: 1 },
  failed("t1/1/b", "book", 1, LIMIT, { recourse: "ask", question: "Approve" }),
  { type: "question-asked", call: "t1/1/b", question: question("q4", "t1/1/b", "Approve") },
  { type: "question-answered", call: "t1/1/b", id: "q4", answer: { status: "timeout" }, by: "" },
  { type: "session-resumed", interrupted: [] },
  failed("t1/1/b", "book", 2, BUSY, { recourse: "fail" }),
  { type: "node-settled", turn: "t1", round: 1, node: "b", status: "failed", fault: BUSY, because: "" },
  { type: "turn-ended", turn: "t1", status: "failed", fault: BUSY },
  { type: "turn-started", turn: "t2", deadlineAt: null },
  call("t2/1", "t2", "search"),
  { type: "call-cancelled", call: "t2/1", tool: "search", fault: STOPPED, cost: null },
  { type: "turn-ended", turn: "t2", status: "cancelled", fault: STOPPED },
  { type: "session-ended", status: "failed", fault: BUSY },
] as unknown as readonly JournalEvent[];

const entriesOf = (session: string, steps: readonly (readonly [number, JournalEvent])[]): readonly Entry[] =>
  steps.map(([ms, event], index) => ({ session, seq: index + 1, at: START + ms, event }));

/** A run that no node ends, and that costs nothing. */
// prettier-ignore
const LATE: readonly JournalEvent[] = [
  { ...COMMANDS[0], start: ["wait"] },
  { type: "node-started", ...at("wait"), kind: "wait" },
  { type: "node-paused", ...at("wait"), why: "parked", fault: null, questions: [], wakeAt: START + 9_000 },
  { type: "run-ended", status: "failed", outcome: "timed_out", node: "", fault: SPENT },
] as unknown as readonly JournalEvent[];

export const EVENTFUL_RUN = entriesOf(EVENTFUL, STEPS);
export const RUN_OF_COMMANDS = entriesOf(
  "run_commands",
  COMMANDS.map((event, index) => [index * 250, event]),
);
export const PLAIN_SESSION = entriesOf(
  "chat",
  PLAIN.map((event, index) => [index * 250, event]),
);
export const LATE_RUN = entriesOf(
  "run_late",
  LATE.map((event, index) => [index * 250, event]),
);
