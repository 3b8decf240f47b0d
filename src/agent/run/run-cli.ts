// One run of an agent CLI: starts it, reads its output, stops it early if it cannot succeed, and judges the result. It throws failures
// and decides nothing.
// A1  A run that used no tool has changed nothing, and its fault says so (`ran: false`). A run that used tools may have.
// A2  The output of a failed run is stored as files: the raw streams, and the events line by line.

import { microcentsOf } from "../../core/flow/money.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, FaultError, withContext } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { AgentEvent } from "../event/agent-event.ts";
import type { AgentState } from "../parse/agent-state.ts";
import { createParser } from "../parse/create-parser.ts";
import { findBinary } from "../process/find-binary.ts";
import { noProgram } from "../process/spawn-failure.ts";
import { createPrivateHome } from "../process/private-home.ts";
import type { ProcessEnd, RunningProcess, SpawnError } from "../process/process-spec.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import type { AgentEnding, StopReason } from "../verdict/ending.ts";
import { whyStop, whyStopRetrying } from "../verdict/stop-early.ts";
import { retryFault, verdictOn } from "../verdict/verdict.ts";
import { type AgentRequest, type AgentRunResult, errorSubtypeOf } from "./agent-request.ts";
import { type CliTarget, resumesSessions } from "./cli.ts";
import type { KnownSessions } from "./known-sessions.ts";
import { RawOutput } from "./raw-output.ts";

export interface CliRunDeps {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly sessions: KnownSessions;
}

/** The CLI's own retries while another target can take over. They last about ten seconds, enough for a short outage in the middle of a run. */
const OWN_RETRIES_WITH_OTHERS = 4;
/** A CLI may repeat a failed request once, like a model in a chain. It still has its context; the next CLI would start over. */
const OWN_ATTEMPTS_BEFORE_FALLBACK = 2;
/** A CLI that retried this often before it gave up is not started again, so that only the CLI or only the policy retries. */
const ENOUGH_OWN_RETRIES = 2;

/** Longer prompts go to stdin, if the CLI accepts them: arguments are limited in length and visible to every user of the machine. */
const LONGEST_ARGUMENT = 10_000;
const MAX_LINE_BYTES = 16 * 1_048_576;
const MAX_TAIL_BYTES = 262_144;

export async function runCli(
  target: CliTarget,
  request: AgentRequest,
  deps: CliRunDeps,
  context: RunContext,
): Promise<AgentRunResult> {
  const { kind } = target;
  const { configHomeEnv, supportsStdinPrompt } = AGENT_CLIS[kind];
  request.listeners.onEvent({ type: "attempt", target: context.tool, attempt: context.attempt });
  const cwd = target.cwd ?? deps.cwd;
  const resume = resumesSessions(target) ? (request.sessions[context.tool] ?? null) : null;
  const byStdin = target.stdin === null && request.prompt.length > LONGEST_ARGUMENT && supportsStdinPrompt;
  const privateHome = target.privateHome && configHomeEnv !== null ? createPrivateHome(`faultline-${kind}-`) : null;
  const env = environmentOf(target, deps, privateHome?.path ?? null, context);
  const parser = createParser(kind);
  const raw = new RawOutput(target.command);
  let usedTools = false;
  const retries = new OwnRetries(kind, deps.clock);
  let stopped: Stopped | null = null;
  const hear = (events: readonly AgentEvent[]): void => {
    for (const event of events) {
      usedTools ||= event.type === "tool-use";
      raw.event(event);
      request.listeners.onEvent(event);
    }
    stopped ??= whyStopEarly(target, parser.state, usedTools, retries, context);
    if (stopped !== null) running?.kill(stopped.reason);
  };
  let running: RunningProcess | null = null;
  try {
    if (findBinary(target.command, env, cwd) === null) {
      throw new FaultError(missing(target, cwd, deps.clock.now(), parser.state, context));
    }
    // Loaded on the first run: most programs that import Faultline start no process.
    const { runProcess } = await import("../process/run-process.ts");
    running = runProcess(
      {
        command: target.command,
        args: target.args({ prompt: byStdin ? null : request.prompt, model: target.model, resume }),
        cwd,
        env,
        stdin: byStdin ? request.prompt : target.stdin,
        clock: deps.clock,
        timeouts: target.timeouts,
        signal: context.signal,
        maxLineBytes: MAX_LINE_BYTES,
        maxTailBytes: MAX_TAIL_BYTES,
      },
      {
        stdout: (line) => {
          const isBusy = request.listeners.onLine("stdout", line);
          hear(parser.stdout(line));
          return isBusy;
        },
        stderr: (line) => {
          const isBusy = request.listeners.onLine("stderr", line);
          hear(parser.stderr(line));
          return isBusy;
        },
        bytes: (stream, chunk) => request.listeners.onBytes(stream, chunk),
        wantsLines: () => !target.forgetsOutput || parser.wantsLines(),
        isToolRunning: () => parser.state.toolRunning,
      },
    );
    const end = await running.done;
    hear(parser.end());
    request.listeners.onExit({ exitCode: end.exitCode, signal: end.signal });
    if (end.spawnError !== null && !HANDLED_BY_VERDICT.has(end.spawnError.obstacle))
      throw new FaultError(notStarted(end.spawnError, context));
    const { state } = parser;
    const isPlainSuccess = target.exitCodeDecides && end.exitCode === 0 && !end.killed;
    const failed = isPlainSuccess ? null : verdictOn(kind, state, endingOf(end, stopped, deps.clock.now()));
    tellCost(state.costUsd, state.cumulative.cost ? deps.sessions.costOf(resume) : 0, failed, context);
    if (state.usage !== null) context.tokens({ inputTokens: state.usage.input, outputTokens: state.usage.output });
    const result = resultOf(context.tool, parser.state, end, failed);
    request.listeners.onResult(result);
    const remembered = target.forgetsOutput ? { ...result, text: "", stderr: "" } : result;
    deps.sessions.note(remembered);
    if (failed === null) return remembered;
    raw.put(end, failed, context);
    throw new FaultError(withContext(failed, { ...whatRan(target, end, usedTools), ...whoRetried(state, end) }));
  } finally {
    privateHome?.remove();
  }
}

function environmentOf(
  { kind, env, inheritEnv }: CliTarget,
  deps: CliRunDeps,
  privateHome: string | null,
  context: RunContext,
): CliRunDeps["env"] {
  const { maxRetriesEnv, configHomeEnv } = AGENT_CLIS[kind];
  return {
    // The user's own setting takes precedence.
    ...(maxRetriesEnv === null || !context.hasFallback() ? {} : { [maxRetriesEnv]: String(OWN_RETRIES_WITH_OTHERS) }),
    ...(inheritEnv ? deps.env : {}),
    ...env,
    ...(privateHome === null || configHomeEnv === null ? {} : { [configHomeEnv]: privateHome }),
  };
}

interface Stopped {
  readonly reason: StopReason;
  /** The failure that the CLI kept retrying. */
  readonly why: Fault | null;
}

/** Why the CLI retries by itself. Asked after every line, and classified once per retry. */
class OwnRetries {
  readonly #kind: CliTarget["kind"];
  readonly #clock: Clock;
  #last: AgentState["lastRetry"] = null;
  #fault: Fault | null = null;

  constructor(kind: CliTarget["kind"], clock: Clock) {
    this.#kind = kind;
    this.#clock = clock;
  }

  faultIn(state: AgentState): Fault | null {
    if (state.lastRetry !== this.#last) {
      this.#last = state.lastRetry;
      this.#fault = retryFault(this.#kind, state, this.#clock.now());
    }
    return this.#fault;
  }
}

/** null: the run may continue. */
function whyStopEarly(
  { idempotent, hidesTools }: CliTarget,
  state: AgentState,
  usedTools: boolean,
  retries: OwnRetries,
  { hasFallback }: RunContext,
): Stopped | null {
  const loop = whyStop(state);
  if (loop !== null) return { reason: loop, why: null };
  const why = retries.faultIn(state);
  if (why === null) return null;
  const reason = whyStopRetrying(state, why, {
    attemptsBeforeFallback: OWN_ATTEMPTS_BEFORE_FALLBACK,
    hasOther: hasFallback,
    hasWorked: !idempotent && (usedTools || hidesTools),
  });
  return reason === null ? null : { reason, why };
}

function whatRan({ kind, hidesTools }: CliTarget, end: ProcessEnd, usedTools: boolean): { readonly ran?: boolean } {
  if (end.spawnError !== null) return { ran: false };
  if (hidesTools) return { ran: true };
  // The output of a generic command does not show what it did.
  return kind === "generic" ? {} : { ran: usedTools };
}

function whoRetried(
  { ownRetries }: AgentState,
  { killReason }: ProcessEnd,
): Readonly<Record<string, number | boolean>> {
  return killReason === null && ownRetries >= ENOUGH_OWN_RETRIES ? { ownRetries, shouldRetry: false } : {};
}

/** Obstacles that the verdict handles by their code. The others concern this machine, not the CLI. */
const HANDLED_BY_VERDICT: ReadonlySet<SpawnError["obstacle"]> = new Set<SpawnError["obstacle"]>([
  "command",
  "interpreter",
]);

function notStarted({ message, obstacle, code }: SpawnError, { cost }: RunContext): Fault {
  cost(0);
  const isConfigError = obstacle === "folder" || obstacle === "arguments";
  return fault(isConfigError ? "ConfigSchemaViolation" : "ResourceExhausted", {
    message,
    context: { obstacle, errno: code, ran: false },
  });
}

function missing(
  { kind, command }: CliTarget,
  cwd: string,
  observedAt: number,
  state: Parameters<typeof verdictOn>[1],
  { cost }: RunContext,
): Fault {
  cost(0);
  const nothing = { exitCode: null, signal: null, stderrTail: "" };
  const seen = verdictOn(kind, state, {
    ...nothing,
    spawnError: noProgram(command, cwd),
    observedAt,
  });
  return seen ?? fault("BinaryMissing", { context: { ran: false } });
}

function endingOf(end: ProcessEnd, stopped: Stopped | null, observedAt: number): AgentEnding {
  const { exitCode, signal, stderrTail, spawnError, timedOut, aborted } = end;
  return {
    exitCode,
    signal,
    stderrTail,
    ...(spawnError === null ? {} : { spawnError }),
    ...(timedOut === null ? {} : { timedOut }),
    ...(aborted ? { aborted } : {}),
    ...(stopped === null || aborted ? {} : { stopped: stopped.reason }),
    ...(stopped?.why ? { stoppedFor: stopped.why } : {}),
    observedAt,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}

function resultOf(
  target: string,
  state: ReturnType<typeof createParser>["state"],
  end: ProcessEnd,
  failed: Fault | null,
): AgentRunResult {
  return {
    text: state.text,
    sessionId: state.sessionId,
    durationMs: end.durationMs,
    usage: state.usage,
    aborted: end.aborted,
    stderr: end.stderrTail,
    totalCostUsd: state.costUsd,
    apiDurationMs: state.apiDurationMs,
    numTurns: state.numTurns,
    stopReason: state.stopReason,
    errorSubtype: failed === null ? null : errorSubtypeOf(failed),
    permissionDenials: state.permissionDenials,
    target,
  };
}

/** Some CLIs report the cost of the whole session. A run that never started, or reached no model, has cost nothing. */
function tellCost(costUsd: number | null, beforeUsd: number, failed: Fault | null, { cost }: RunContext): void {
  if (costUsd === null) {
    if (failed !== null && traitsOf(failed.code).cause === "provider-not-found") cost(0);
    return;
  }
  const ownUsd = costUsd >= beforeUsd ? costUsd - beforeUsd : costUsd;
  cost(microcentsOf(ownUsd));
}
