// One process at a time advances a run: the one that has a hold on it in the journal. It renews the hold while it works. A process
// that is known to be dead loses its holds at once; any other process loses a hold when it expires.
// R1  Setting the wall clock forward takes no run from a living process: for HOLD_MS, other processes compare holds with the old time.
//     By then every living process has renewed its holds.
// R2  Setting the wall clock back does not leave a run with a dead process: after HOLD_MS, a hold that ends later than a new one would
//     is stale.

import { classify } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import type { Worker } from "../../host/worker.ts";
import type { Hold, Journal, Keep } from "../../journal/journal.ts";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { usdOf } from "../../core/flow/money.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import type { SessionState } from "../../core/record/replay.ts";
import type { SessionOptions } from "../../runtime/session/session-options.ts";
import type { Session } from "../../runtime/session/session.ts";
import { outgoingTrace } from "../../telemetry/otel.ts";
import type { RunState } from "../../core/flow/run-state.ts";
import { startRun } from "../../core/flow/run.ts";
import type { RunSummary } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";
import { keepInputs, keepsOf, keepSummary, secretsOf, summaryOf } from "./summary.ts";
import type { Workflow, WorkflowInputs } from "../../workflow-model/stage.ts";

/** Long enough for a busy machine, short enough for a person who waits. */
const HOLD_MS = 15_000;

export interface HeldRun {
  release(): Promise<void>;
}

interface HoldDeps {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly worker: Worker;
}

/** The holds of one process. */
export class RunHolds {
  readonly #deps: HoldDeps;
  #shiftMs: number;
  /** How far the wall clock was set lately, and when this process noticed it, or started (in steady time). */
  #setByMs = 0;
  #noticedAt: number;

  constructor(deps: HoldDeps) {
    this.#deps = deps;
    this.#noticedAt = steadyNow(deps.clock);
    this.#shiftMs = deps.clock.shiftMs;
  }

  /** Resolves with null when another process has the run. Calls `lost` when another process takes the run over later. */
  async take(run: string, lost: () => void): Promise<HeldRun | null> {
    const { journal, clock, worker } = this.#deps;
    if (!(await this.#ask(run)).granted) return null;
    let isOver = false;
    let disarm: () => void = () => undefined;
    const renew = (): void => {
      disarm = clock.after(HOLD_MS / 3, () => {
        journal.hold(run, worker.name, clock.now() + HOLD_MS, clock.now()).then(
          ({ granted }) => {
            if (isOver) return;
            if (granted) renew();
            else lost();
          },
          (error: unknown) => {
            // A store that does not answer now may answer the next time.
            const { retryable } = traitsOf(classify({ surface: "store", error }).code);
            if (isOver) return;
            if (retryable) renew();
            else lost();
          },
        );
      });
    };
    renew();
    return {
      async release() {
        isOver = true;
        disarm();
        await journal.release(run, worker.name);
      },
    };
  }

  async #ask(run: string): Promise<Hold> {
    const { journal, clock, worker } = this.#deps;
    const now = clock.now();
    const isRecent = this.#wasSetRecently(now);
    const until = now + HOLD_MS;
    const asked = await journal.hold(run, worker.name, until, isRecent ? now - Math.max(0, this.#setByMs) : now);
    if (asked.granted) return asked;
    const isLeft = worker.isGone(asked.owner) || (!isRecent && asked.until > until);
    return isLeft ? journal.takeFrom(run, asked.owner, worker.name, until) : asked;
  }

  /** Whether the wall clock was set so recently that holds from before may still be valid. */
  #wasSetRecently(now: number): boolean {
    const { shiftMs } = this.#deps.clock;
    const steady = now - shiftMs;
    const isRecent = steady - this.#noticedAt < HOLD_MS;
    if (shiftMs === this.#shiftMs) return isRecent;
    this.#setByMs = shiftMs - this.#shiftMs + (isRecent ? this.#setByMs : 0);
    this.#shiftMs = shiftMs;
    this.#noticedAt = steady;
    return true;
  }
}

// The first entries of a run: its workflow, its inputs and where it starts. One append writes them, so two processes cannot start runs
// of the same name. After that a driver finds the run.

type RunStarted = Extract<RunEvent, { type: "run-started" }>;

export interface NewRun extends Pick<RunStarted, "start" | "inherited" | "instruction" | "limits" | "predecessor"> {
  readonly run: string;
  readonly workflow: Workflow;
  readonly inputs: WorkflowInputs;
  /** Values that are written together with the first entries. */
  readonly keeps: readonly Keep[];
}

export async function beginRun(deps: RunsDeps, begun: NewRun): Promise<void> {
  const { clock } = deps;
  const { run, workflow, inputs, keeps, ...beginning } = begun;
  const { id, version, digest, source } = workflow;
  await keepDefinition(deps, workflow);
  const file = source?.file ?? null;
  const { traceparent } = outgoingTrace();
  const inTrace = traceparent === undefined ? {} : { traceparent };
  const what = { workflow: id, version, digest, file, inputs: inputs.shown };
  const event: RunStarted = { type: "run-started", ...what, ...beginning, ...inTrace };
  const now = clock.now();
  const secrets = [...Object.values(inputs.secret), ...workflow.secrets];
  const session = await deps.faultline.beginSession(run, optionsOf(workflow, beginning.limits, secrets), {
    events: [event],
    keeps: [...keepInputs(run, inputs), ...keeps, ...keepsOf(summaryOf(run, startRun(event, now), 0, now))],
  });
  await session.leave();
}

/** Keeps the text of the definition in the journal, so that the run can continue on a machine without the file. */
export async function keepDefinition({ journal, library }: RunsDeps, workflow: Workflow): Promise<void> {
  library.add(workflow);
  const { digest, source } = workflow;
  if (source !== null) await journal.keepFirst({ kind: "definition", key: digest, value: source });
}

/** The run that a session is. */
export function runOf({ run, session }: Pick<SessionState, "run" | "session">): RunState {
  if (run !== null) return run;
  const message = `session ${session} is not a run of a workflow`;
  throw new FaultError(fault("InvariantBroken", { message, context: { run: session } }));
}

/** Opens the session of a run. `state`: the session as it was read; it is folded further. */
export async function openRun(
  deps: RunsDeps,
  state: SessionState,
  workflow: Workflow,
  limits: RunSummary["limits"],
): Promise<Session> {
  const secrets = await secretsOf(deps.journal, state.session, workflow);
  const session = await deps.faultline.resumeSession(state, optionsOf(workflow, limits, secrets));
  keepSummary(session, deps.clock);
  return session;
}

function optionsOf(workflow: Workflow, limits: RunSummary["limits"], secrets: readonly unknown[]): SessionOptions {
  return {
    // Answers come through the journal, so a run that waits for a person need not stay in memory.
    mode: "headless",
    labels: { workflow: workflow.id },
    ...(workflow.policy === null ? {} : { policy: workflow.policy }),
    secrets,
    budget: { maxUsd: usdOf(limits.maxCostMicrocents), onExceed: workflow.limits.onExceed },
    limits: { maxTurns: Infinity, turnTimeoutMs: Infinity, runTimeoutMs: limits.timeoutMs ?? Infinity },
  };
}
