// Agent nodes as the engine runs them: attempts are turns of a session on a real journal, with real SDKs against the
// fault-injecting provider, on a clock that the test controls. Each attempt runs in its own life of the program.

import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { Instruction } from "../../../src/core/flow/visit.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { type Fault, type FaultlineOptions, openJournal, type TurnResult } from "../../../src/index.ts";
import type { Tool } from "../../../src/runtime/tool/tool.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { type StageAttemptEnd, runAttempt } from "../../../src/workflow/advance/attempt.ts";
import type { AgentNodeOptions } from "../../../src/workflow/node/agent-stage.ts";
import { agentStage } from "../../../src/workflow/node/agent-stage.ts";
import { type ToolWords, withWords } from "../../../src/workflow/node/agent-tools.ts";
import type { NodeDeps } from "../../../src/workflow/node/base.ts";
import type { AgentSpec, AgentTarget } from "../../../src/workflow-model/node-options.ts";
import type { ActTools, NodeResult, StageScope } from "../../../src/workflow-model/stage.ts";
import { chainWorld, type ChainWorld } from "../../provider/chain/chain-world.ts";
import { newPath } from "../../runtime/session/life.ts";
import { placeFor } from "../../support/test-servers.ts";

export const SPEC: AgentSpec = {
  id: "helper",
  targets: [],
  system: "",
  outputSchema: null,
  env: [],
  tools: [],
  turnCap: 5,
  repeatedFailures: {},
  onCap: "fail",
  maxCostMicrocents: 0,
  maxOutputTokens: 0,
  stream: false,
};

export const NODE: Omit<AgentNodeOptions, "agent"> = {
  kind: "agent",
  id: "coder",
  prompt: "Do {{ inputs.task }}.",
  rules: {
    node: "coder",
    retry: {
      maxAttempts: 1,
      backoff: { kind: "fixed", initialMs: 1, maxMs: 1, multiplier: 1 },
      jitter: 0,
      maxWaitMs: 1,
      maxTotalWaitMs: 1,
    },
    retryOn: null,
    resolution: "abort-workflow",
    idempotent: false,
  },
  timeoutMs: 3_600_000,
  role: null,
  onlyIf: null,
  asserts: [],
  next: [],
  onFailure: [],
};

export interface Tried {
  readonly end: StageAttemptEnd | null;
  readonly turn: TurnResult<StageAttemptEnd | null>;
  readonly raw: string;
  /** The fault it failed with, or waits because of. */
  readonly fault: Fault | null;
}

export interface Trial {
  readonly agent?: Partial<AgentSpec>;
  readonly node?: Partial<Omit<AgentNodeOptions, "agent">>;
  readonly tools?: Readonly<Record<string, Tool<never, unknown>>>;
  readonly words?: Readonly<Record<string, ToolWords>>;
  readonly inputs?: Readonly<Record<string, unknown>>;
  readonly nodes?: Readonly<Record<string, NodeResult>>;
  readonly instruction?: Instruction | null;
  readonly lastFault?: Fault | null;
  readonly env?: NodeDeps["env"];
  readonly budget?: () => number;
  /** The program dies while this is pending: it is abandoned. */
  readonly dies?: boolean;
}

export interface AgentWorld extends ChainWorld {
  readonly openai: (model: string) => AgentTarget;
  readonly anthropic: (model: string) => AgentTarget;
  /** The same attempt of the same run, in a new life of the program. */
  readonly attempt: (trial: Trial) => Promise<Tried>;
  /** Requests by model, as the provider's control endpoint counts them. */
  readonly counted: () => Promise<Readonly<Record<string, number>>>;
}

export async function agentWorld(
  rules: readonly ScenarioRule[] = [],
  options: FaultlineOptions = { policy: DEFAULT_POLICY },
): Promise<AgentWorld> {
  const world = await chainWorld(rules);
  const path = newPath();
  const sandbox = createSandbox({ clock: world.clock });
  let lives = 0;
  const modelAt =
    (provider: string, baseUrl: string) =>
    (model: string): AgentTarget => ({
      kind: "model",
      name: "",
      provider,
      model,
      baseUrl,
      apiKeyEnv: "",
    });

  async function attempt(trial: Trial): Promise<Tried> {
    const life = ++lives;
    const chance = createSeededChance(life);
    const named = { roll: () => chance.roll(), newId: (prefix: string) => chance.newId(`${prefix}${life}`) };
    const journal = await openJournal(placeFor(path), { clock: world.clock, chance: named });
    const fl = world.createLife({ journal, chance: named, ...options });
    const session = await world.run(fl.session("run"));
    let raw = "";
    const stop = new AbortController();
    const home: NodeDeps = {
      sandbox,
      env: trial.env ?? {},
      cwd: process.cwd(),
      learn: () => Promise.resolve(),
      clock: world.clock,
      tool: (id) => {
        const found = trial.tools?.[id];
        const words = trial.words?.[id];
        return found === undefined || words === undefined ? found : withWords(found, words);
      },
      outcomeWord: "completed",
    };
    const agent = { ...SPEC, ...trial.agent };
    const stage = agentStage({ ...NODE, ...trial.node, agent }, home);
    const scope: StageScope = {
      run: "run",
      node: stage.id,
      execution: 1,
      attempt: 1,
      inputs: trial.inputs ?? { task: "it" },
      nodes: trial.nodes ?? {},
      executionsOf: () => 1,
      lastFault: trial.lastFault ?? null,
      instruction: trial.instruction ?? null,
    };
    const running = session.turn(
      (turn) => {
        const tools: ActTools = {
          faultline: fl,
          turn,
          signal: stop.signal,
          turnCap: stage.turnCap,
          ask: () => Promise.reject(new Error("agents do not ask")),
          raw: (text) => void (raw += text),
          budgetLeftMicrocents: trial.budget ?? (() => Infinity),
        };
        return runAttempt(stage, tools, scope, () => undefined);
      },
      { id: "coder#1.1", timeoutMs: stage.timeoutMs },
    );
    if (trial.dies === true) {
      void running.then(
        () => null,
        () => null,
      );
      await world.clock.advance(1_000);
      throw new Died();
    }
    const turn = await world.run(running);
    await world.run(fl.close());
    const end = turn.value ?? null;
    const waits = Object.values(turn.outcomes).find((one) => one.status === "waiting" || one.status === "parked");
    const fault = end?.end === "failed" ? end.fault : waits !== undefined && "fault" in waits ? waits.fault : null;
    return { end, turn, raw, fault };
  }

  return {
    ...world,
    attempt,
    openai: modelAt("openai", world.chaos.openaiUrl),
    anthropic: modelAt("anthropic", world.chaos.anthropicUrl),
    counted: async () => {
      const asked = fetch(`${world.chaos.url}/__chaos`).then((answer) => answer.json());
      return ((await world.run(asked)) as { readonly perModel: Record<string, number> }).perModel;
    },
  };
}

/** The error of an abandoned life. */
export class Died extends Error {}
