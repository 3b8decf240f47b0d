// Nodes as the engine runs them: an attempt is a turn of a session on a real journal file, with real processes in a temporary
// folder. Each attempt runs in its own life of the program.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { turnOf } from "../../../src/core/flow/visit.ts";
import { type Clock, systemClock } from "../../../src/host/clock.ts";
import {
  createFaultline,
  type Faultline,
  type FaultlineOptions,
  openJournal,
  type TurnResult,
} from "../../../src/index.ts";
import { createSandbox } from "../../../src/sandbox/sandbox.ts";
import type { FakeClock } from "../../../src/testing/fake-clock.ts";
import { type StageAttemptEnd, runAttempt } from "../../../src/workflow/advance/attempt.ts";
import type { NodeDeps } from "../../../src/workflow/node/base.ts";
import type { Edge, NodeBase, NodeOptions } from "../../../src/workflow-model/node-options.ts";
import { createStage } from "../../../src/workflow/node/node-stages.ts";
import type { ActTools, NodeResult, Stage, StageEnding, StageScope } from "../../../src/workflow-model/stage.ts";
import { placeFor } from "../../support/test-servers.ts";

export function nodeBase(over: Partial<NodeBase> = {}): NodeBase {
  const id = over.id ?? "here";
  const backoff = { kind: "fixed", initialMs: 1, maxMs: 1, multiplier: 1 } as const;
  return {
    id,
    rules: {
      node: id,
      retry: { maxAttempts: 1, backoff, jitter: 0, maxWaitMs: 1, maxTotalWaitMs: 1 },
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
    ...over,
  };
}

export function edge(to: string, over: Partial<Edge> = {}): Edge {
  return { to, when: null, max: Infinity, outcome: "", ...over };
}

export function nodeResult(output: unknown, over: Partial<NodeResult> = {}): NodeResult {
  return { status: "completed", output, execution: 1, attempts: 1, fault: null, ...over };
}

export function stageScope(over: Partial<StageScope> = {}): StageScope {
  return {
    run: "run-1",
    node: "here",
    execution: 1,
    attempt: 1,
    inputs: {},
    nodes: {},
    executionsOf: () => 0,
    lastFault: null,
    instruction: null,
    ...over,
  };
}

export interface Visited {
  readonly end: StageAttemptEnd | null;
  readonly turn: TurnResult<StageAttemptEnd | null>;
  readonly raw: string;
}

export interface World {
  readonly folder: string;
  readonly home: NodeDeps;
  /** Puts a program into the folder, to be run with `node name`. */
  program(name: string, source: string): void;
  /** One attempt, in its own life. `faultline` is called before the life starts. */
  visit(
    options: NodeOptions,
    scope?: Partial<StageScope>,
    faultline?: (fl: Faultline) => Promise<void>,
  ): Promise<Visited>;
  /** Where the engine would go from there. */
  routeFrom(options: NodeOptions, end: Partial<StageEnding>, scope?: Partial<StageScope>): Promise<unknown>;
}

export interface WorldOptions {
  readonly clock?: Clock;
  readonly home?: Partial<NodeDeps>;
  readonly faultline?: FaultlineOptions;
  readonly mode?: "attended" | "headless";
}

export function nodeWorld(options: WorldOptions = {}): World {
  const folder = mkdtempSync(join(tmpdir(), "faultline-nodes-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const { clock = systemClock, mode = "attended" } = options;
  const home: NodeDeps = {
    sandbox: createSandbox(),
    env: { PATH: [dirname(process.execPath), process.env["PATH"] ?? ""].join(delimiter) },
    cwd: folder,
    clock,
    tool: () => undefined,
    learn: () => Promise.resolve(),
    outcomeWord: "finished",
    ...options.home,
  };
  return {
    folder,
    home,
    program: (name, source) => writeFileSync(join(folder, name), source),
    async visit(node, over = {}, before = () => Promise.resolve()) {
      const journal = await openJournal(placeFor(join(folder, "runs.db")), { clock });
      const fl = createFaultline({ clock, journal, ...options.faultline });
      await before(fl);
      const scope = stageScope({ node: node.id, ...over });
      const session = await fl.session("run-1", { mode });
      const raw: string[] = [];
      const stage = createStage(node, home);
      const turn = await session.turn<StageAttemptEnd | null>(
        (live) =>
          runAttempt(
            stage,
            actTools(fl, live, (text) => void raw.push(text)),
            scope,
            () => undefined,
          ),
        {
          id: turnOf({ node: node.id, execution: scope.execution, attempt: scope.attempt }),
          timeoutMs: stage.timeoutMs,
        },
      );
      await session.leave();
      await fl.close();
      return { turn, end: turn.value ?? null, raw: raw.join("") };
    },
    async routeFrom(node, end, over = {}) {
      const stage: Stage = createStage(node, home);
      const ending: StageEnding = { status: "completed", output: null, capHit: false, fault: null, ...end };
      return stage.next(ending, stageScope({ node: node.id, ...over }));
    },
  };
}

function actTools(fl: Faultline, turn: ActTools["turn"], raw: ActTools["raw"]): ActTools {
  return {
    faultline: fl,
    turn,
    signal: new AbortController().signal,
    turnCap: 1,
    raw,
    budgetLeftMicrocents: () => Infinity,
    ask: async ({ payload, timeoutMs }) => {
      const answer = await turn.ask("gate", payload, timeoutMs === null ? {} : { timeoutMs });
      if (answer.status === "waiting") throw new Error("nobody is here");
      return answer;
    },
  };
}

/** Advances time at each turn of the event loop, by nothing or a little, until the work is done. */
export async function driven<T>(clock: FakeClock, work: Promise<T>, byMs: number): Promise<T> {
  const state = { isOver: false };
  const over = (): void => void (state.isOver = true);
  work.then(over, over);
  while (!state.isOver) await clock.advance(byMs);
  return work;
}
