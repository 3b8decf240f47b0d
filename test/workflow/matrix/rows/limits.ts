// Limits of the provider, which pass with time, and of the workflow, which a person can raise.

import { expect } from "vitest";
import type { Row } from "../row.ts";
import type { MatrixWorld } from "../world.ts";
import { AGENT, CODER_FAILED, completed, failed, fails, STAGES, steps, times } from "./expect.ts";

const RATE = "000 ProviderTransient / RateLimited";
const AGENT_TOOL = "agent-tool.faultline.yaml";
const CALL = { call: { tool: "lookup", input: { q: "answer" } } } as const;
const LIMITED = { en: "Rate limit hit (HTTP 429)", zh: "触发限流（HTTP 429）" } as const;
const USED_UP = { en: "Quota or credit is exhausted", zh: "额度或余额耗尽" } as const;
const TOO_DEAR = { en: "The run reached its cost or token cap", zh: "运行达到费用或 token 上限" } as const;
/** No action is needed: the journal's driver resumes the run when its time comes. */
async function untilItIsOver({ life, run: until }: MatrixWorld, run: string): Promise<void> {
  const over = Promise.withResolvers<string>();
  const driver = life.workflows.driver({
    onAdvanced: (end) => {
      if (end.run === run && end.status !== "paused") over.resolve(end.status);
    },
  });
  driver.start();
  await until(over.promise);
  await until(driver.stop());
}

/** Between the first two requests, as the provider saw them. */
function gapMs({ chaos }: MatrixWorld): number {
  const [first, second] = chaos.received();
  return (second?.at ?? 0) - (first?.endedAt ?? 0);
}

export const LIMIT_ROWS: readonly Row[] = [
  {
    name: "a Retry-After is respected exactly",
    seed: `${RATE}: Retry-After present`,
    injected: "429 with `retry-after: 7`, twice",
    file: AGENT,
    rules: [steps("coder", ...times(2, { "fault": "rate-limit" as const, "retry-after": 7 }))],
    node: "coder",
    expected: completed("completed", {
      retries: { workflow: 0, transport: 2 },
      waitsMs: [7_000, 7_000],
      asked: { coder: 3 },
      way: ["coder#1"],
    }),
    also: (world) => {
      expect(gapMs(world)).toBe(7_000);
    },
  },
  {
    name: "without a Retry-After there are six attempts, each wait twice the last, and then it is terminal",
    seed: `${RATE}: no Retry-After`,
    injected: "429 without a word about how long",
    file: AGENT,
    rules: [fails("coder", "rate-limit-bare")],
    node: "coder",
    expected: failed("provider_runtime_error", "ProviderTransient/RateLimited", {
      ...CODER_FAILED,
      retries: { workflow: 0, transport: 5 },
      waitsMs: [5_000, 10_000, 20_000, 40_000, 80_000],
      jitter: 0.2,
      asked: { coder: 6 },
      actions: ["retry-stage"],
      says: LIMITED,
    }),
  },
  {
    name: "a long Retry-After parks the run until then",
    seed: `${RATE}: Retry-After present`,
    injected: "429 with `retry-after: 1200`",
    file: AGENT,
    rules: [steps("coder", { "fault": "rate-limit", "retry-after": 1_200 })],
    node: "coder",
    goes: untilItIsOver,
    expected: completed("completed", {
      retries: { workflow: 0, transport: 1 },
      waitsMs: [1_200_000],
      pauses: ["parked 1200 s"],
      asked: { coder: 2 },
      way: ["coder#1"],
      files: ["coder#1"],
      says: LIMITED,
    }),
  },
  {
    name: "a quota with a known reset time parks the run, which then continues by itself",
    seed: "000 Provider transient (escalate)",
    injected: "a quota that is used up and comes back in an hour",
    file: AGENT,
    rules: [steps("coder", "quota-reset")],
    node: "coder",
    goes: untilItIsOver,
    expected: completed("completed", {
      retries: { workflow: 0, transport: 1 },
      waitsMs: [3_600_000],
      pauses: ["parked 3600 s"],
      asked: { coder: 2 },
      way: ["coder#1"],
      files: ["coder#1"],
      says: USED_UP,
    }),
    also: (world) => {
      expect(gapMs(world)).toBe(3_600_000);
    },
  },
  {
    name: "a quota without a known reset time fails at once",
    seed: "002 Provider auth/config error",
    injected: "credit that is used up",
    file: AGENT,
    rules: [fails("coder", "quota-credit")],
    node: "coder",
    expected: failed("provider_quota_exceeded", "ProviderAccess/QuotaExhausted", {
      ...CODER_FAILED,
      asked: { coder: 1 },
      actions: ["retry-stage"],
      says: USED_UP,
    }),
  },
  {
    name: "an agent that never stops using tools ends at its turn cap",
    seed: "000 State Machine decision",
    injected: "the model calls a tool in each of its three rounds",
    file: AGENT_TOOL,
    rules: [steps("coder", ...times(9, CALL))],
    node: "coder",
    expected: failed("max_iterations_reached", "Limit/TurnLimit", {
      ...CODER_FAILED,
      asked: { "coder": 3, "lookup.mjs": 3 },
      actions: ["raise-limit", "accept-partial"],
      says: { en: "The loop reached its maximum number of turns", zh: "循环达到最大轮次" },
    }),
  },
  {
    name: "a review that never approves ends after its maximum number of rounds",
    seed: "000 State Machine decision",
    injected: "the reviewer rejects three times",
    file: STAGES,
    rules: [{ when: { model: "reviewer" }, json: { decision: "reject", must_fix: ["all of it"] } }],
    node: "reviewer",
    expected: failed("max_iterations_reached", "Limit/TurnLimit", {
      asked: { coder: 3, reviewer: 3 },
      way: ["coder#1", "reviewer#1", "coder#2", "reviewer#2", "coder#3", "reviewer#3"],
      actions: ["send-back", "retry-stage"],
      nextAction: null,
    }),
  },
  {
    name: "an agent without budget is not asked again",
    seed: "000 State Machine decision",
    injected: "a budget that the first answer uses up",
    file: AGENT_TOOL,
    edits: { "model: openai/coder, ": "model: openai/gpt-4o, budget: { max_cost_usd: 0.0000001 }, " },
    rules: [steps("gpt-4o", CALL)],
    node: "coder",
    expected: failed("max_iterations_reached", "Limit/BudgetExceeded", {
      ...CODER_FAILED,
      asked: { "gpt-4o": 1, "lookup.mjs": 1 },
      actions: ["raise-limit"],
      says: TOO_DEAR,
    }),
  },
  {
    name: "a run without budget fails at the current node",
    seed: "000 State Machine decision",
    injected: "a limit of the run below the price of one request",
    file: AGENT_TOOL,
    edits: { "openai/coder": "openai/gpt-4o", "agents:\n": "limits: { max_cost_usd: 0.0000001 }\nagents:\n" },
    node: "coder",
    expected: failed("max_iterations_reached", "Limit/BudgetExceeded", {
      ...CODER_FAILED,
      actions: ["raise-limit"],
      says: TOO_DEAR,
    }),
  },
  {
    name: "a run that may ask for more budget waits, and continues when the limit is raised",
    seed: "000 a user may be asked to choose a recovery path",
    injected: "a limit of the run below the price of one request, with `on_exceed: pause_for_approval`",
    file: AGENT_TOOL,
    edits: {
      "openai/coder": "openai/gpt-4o",
      "agents:\n": "limits: { max_cost_usd: 0.0000001, on_exceed: pause_for_approval }\nagents:\n",
    },
    node: "coder",
    goes: async (world, run) => {
      const { runs } = world.life.workflows;
      expect(await world.advance(run)).toMatchObject({ status: "paused" });
      expect((await world.run(runs.show(run)))?.actions.map(({ id }) => id)).toEqual([
        ...["answer", "raise-limit", "resume", "cancel"],
      ]);
      await world.run(runs.act(run, "raise-limit", { params: { limits: { maxCostMicrocents: 100_000_000 } } }));
      await world.advance(run);
    },
    expected: completed("found", {
      retries: { workflow: 1, transport: 0 },
      pauses: ["budget 604800 s"],
      asked: { "gpt-4o": 1 },
      way: ["coder#1"],
      files: ["coder#1"],
      says: TOO_DEAR,
    }),
  },
];
