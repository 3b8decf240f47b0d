// What an operator may do in every kind of situation, and how failed attempts of a stage end, compared with files. A change that is meant
// shows as a difference of these files (`npx vitest run test/core/flow/reviewed.test.ts -u` writes them again).

import { describe, expect, it } from "vitest";
import { fault, FAULT_CODES, type FaultContext } from "../../../src/core/index.ts";
import { actionsFor, type ActionSituation, limitsAsMeant } from "../../../src/core/flow/action.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import {
  decideStage,
  type FailedAttempt,
  seenStage,
  stageDecidedAgain,
  type StageRules,
} from "../../../src/core/flow/stage.ts";
import { NODE_KINDS } from "../../../src/core/flow/visit.ts";
import {
  failedWith,
  folded,
  pausedFor,
  question,
  retryingAfter,
  SELECT,
  situation,
  started,
} from "./action-situations.ts";
import { CODER_DONE, FIRST } from "./action-situations.ts";

const line = (...values: readonly unknown[]): string =>
  values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");

async function expectFile(name: string, lines: readonly string[]): Promise<void> {
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`reviewed/${name}.txt`);
}

const KNOWN = { targets: ["claude", "codex"], sendBackTo: "coder", hasPartialOutput: true };

/** The same run, whose visits have cost something. */
function spent(state: RunState): RunState {
  for (const visit of state.visits) visit.spentMicrocents = 7;
  return state;
}

/** Every action that is offered, and all that its offer says but for its words. */
function offersIn(name: string, about: ActionSituation): readonly string[] {
  return actionsFor(about, "en").map(({ id, label: _label, explains, redoes, keeps, ...facts }) => {
    const { node, execution } = facts;
    const meant = limitsAsMeant({ id, node, execution }, about.state, { limits: facts.limits });
    return line(name, id, Object.values(facts), [explains, redoes, keeps].join(" "), meant);
  });
}

describe("the actions that are offered", () => {
  it("after each failure and on each kind of node are those in the file", async () => {
    const byCode = FAULT_CODES.flatMap((code) => offersIn(code, situation(spent(failedWith(code)), KNOWN)));
    const byKind = NODE_KINDS.flatMap((kind) =>
      ["Overloaded", "Forbidden", "TestsFailed"].flatMap((code) => {
        const state = failedWith(code as "Overloaded", kind);
        return offersIn(`${kind} ${code}`, situation(state, KNOWN));
      }),
    );
    await expectFile("offers-after-failures", [...byCode, ...byKind]);
  });

  it("in each state of a run are those in the file", async () => {
    const questions = [question("q_1", SELECT), question("q_2", { kind: "Confirm", prompt: "Sure?" })];
    const states: Readonly<Record<string, RunState>> = {
      "running": folded(...CODER_DONE),
      "retrying": spent(retryingAfter("Overloaded")),
      "at a gate": pausedFor("gate", null, questions),
      "with a question": pausedFor("question", "Forbidden", questions),
      "parked": pausedFor("parked", "RateLimited", [], 99),
      "out of money": pausedFor("budget", "BudgetExceeded"),
      "stopped": pausedFor("stopped", null),
      "completed": folded({ type: "run-ended", status: "completed", outcome: "success", node: "coder", fault: null }),
      "cancelled": folded(...CODER_DONE, started(), {
        ...{
          type: "run-ended",
          status: "cancelled",
          outcome: "canceled",
          node: "reviewer",
          fault: fault("RunTimeout"),
        },
      }),
    };
    const lines = Object.entries(states).flatMap(([name, state]) => [
      ...offersIn(name, situation(state, KNOWN)),
      ...offersIn(`${name}, nothing known`, situation(state, { lastSeq: 11 })),
    ]);
    await expectFile("offers-in-states", lines);
  });

  it("raise the limit that was reached, under the name that its owner reads", async () => {
    const contexts: readonly FaultContext[] = [
      {},
      { limit: 5 },
      { agent: "reviewer" },
      { agent: "reviewer", limit: 5 },
      { agent: 5, limit: "5" },
      { declared: true },
      { declared: false },
    ];
    const codes = ["BudgetExceeded", "RunTimeout", "TurnTimeout", "TurnLimit", "Overloaded"] as const;
    const lines = codes.flatMap((code) =>
      contexts.flatMap((context) => {
        const seen = fault(code, { context });
        const state = folded(
          ...CODER_DONE,
          started(),
          {
            type: "node-failed",
            node: "reviewer",
            ...FIRST,
            fault: seen,
            outcome: "internal_error",
            resolution: "abort-workflow",
            route: null,
          },
          { type: "run-ended", status: "failed", outcome: "internal_error", node: "reviewer", fault: seen },
        );
        return offersIn(line(code, context), situation(state, KNOWN));
      }),
    );
    await expectFile("offers-after-limits", lines);
  });
});

describe("a failed attempt of a stage", () => {
  const retry = {
    ...{ maxAttempts: 3, jitter: 0, maxWaitMs: Infinity, maxTotalWaitMs: Infinity },
    backoff: { kind: "exponential", initialMs: 100, maxMs: 10_000, multiplier: 2 },
  } as const;
  const rules: StageRules = { node: "review", retry, retryOn: null, resolution: "abort-workflow", idempotent: false };
  const OF_RULES: Readonly<Record<string, Partial<StageRules>>> = {
    "as usual": {},
    "tried once": { retry: { ...retry, maxAttempts: 1 } },
    "tried twice": { retry: { ...retry, maxAttempts: 2 } },
    "only for some": { retryOn: ["Overloaded"] },
    "skipped": { resolution: "skip" },
    "tried later": { resolution: "retry-later" },
    "idempotent": { idempotent: true },
    "idempotent and tried later": { idempotent: true, resolution: "retry-later" },
  };

  it("ends as the file says, and what is recorded of it is enough to decide it again", async () => {
    const lines = Object.entries(OF_RULES).flatMap(([name, own]) =>
      FAULT_CODES.flatMap((code) =>
        [1, 2, 3].map((attempt) => {
          const failed: FailedAttempt = {
            fault: fault(code),
            again: false,
            attempt,
            now: 5,
            deadlineAt: null,
            roll: 0,
          };
          const decided = decideStage(failed, { ...rules, ...own });
          const saw = seenStage(failed, { ...rules, ...own });
          expect(stageDecidedAgain({ node: "review", ...FIRST, attempt, fault: failed.fault }, saw, 900)).toEqual(
            decided,
          );
          return line(name, code, attempt, decided.do, "delayMs" in decided ? decided.delayMs : "-");
        }),
      ),
    );
    await expectFile("stages", lines);
  });

  it.each<[string, Partial<FailedAttempt>, Partial<StageRules>, object]>([
    ["nothing else", {}, { retry: { ...retry, maxAttempts: 1 } }, {}],
    [
      "two attempts",
      {},
      { retry: { ...retry, maxAttempts: 2, maxWaitMs: 9, maxTotalWaitMs: 9 } },
      { retry: { ...retry, maxAttempts: 2, maxWaitMs: 9, maxTotalWaitMs: 9 } },
    ],
    ["codes", {}, { retry: { ...retry, maxAttempts: 1 }, retryOn: ["Overloaded"] }, { retryOn: ["Overloaded"] }],
    ["a resolution", {}, { retry: { ...retry, maxAttempts: 1 }, resolution: "skip" }, { resolution: "skip" }],
    ["work that may run twice", {}, { retry: { ...retry, maxAttempts: 1 }, idempotent: true }, { idempotent: true }],
    ["a verdict", { again: true }, { retry: { ...retry, maxAttempts: 1 } }, { again: true }],
    ["a deadline", { deadlineAt: 8 }, { retry: { ...retry, maxAttempts: 1 } }, { deadlineAt: 8, decidedAt: 5 }],
    [
      "a reset time",
      { fault: fault("RateLimited", { resetAt: 9 }) },
      { retry: { ...retry, maxAttempts: 1 } },
      { decidedAt: 5 },
    ],
  ])("is recorded by its roll, and besides only what is unusual: %s", (_what, details, own, expected) => {
    const failed = { fault: fault("Overloaded"), again: false, attempt: 1, now: 5, deadlineAt: null, roll: 0.25 };
    expect(seenStage({ ...failed, ...details }, { ...rules, ...own })).toEqual({ roll: 0.25, ...expected });
  });

  it("is tried again for any reason when a verdict asks for it", () => {
    for (const code of FAULT_CODES) {
      const failed: FailedAttempt = { fault: fault(code), again: true, attempt: 1, now: 5, deadlineAt: null, roll: 0 };
      const saw = seenStage(failed, rules);
      const again = stageDecidedAgain({ node: "review", ...FIRST, fault: failed.fault }, saw, 900);
      expect(again).toEqual(decideStage(failed, rules));
    }
  });
});
