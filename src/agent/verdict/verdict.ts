// Did a run of an agent CLI succeed, and if not, what went wrong? The exit code is a hint and no more: CLIs exit 0 after failures
// and print errors as answers. These hold:
// V1  what we did ourselves (cancel, timer, stop) is never guessed from what the CLI printed.
// V2  words are read only from error fields, stderr and known shapes of errors, never from a model's prose.
// V3  success needs the line that proves it and an answer; in text mode, exit 0 and an answer.

import { classify, type Evidence, fault, type Fault, type FaultCode, withContext } from "../../core/index.ts";
import type { AgentKind, AgentState, RecordedError } from "../parse/agent-state.ts";
import { errorInAnswer } from "../parse/answer-error.ts";
import { AGENT_CLIS, type AgentCli } from "./cli-table.ts";
import type { AgentEnding, StopReason, TimerPhase } from "./ending.ts";
import { withZone } from "./local-time.ts";
import { readStderr } from "./stderr-text.ts";

/** Null means success. */
export function verdictOn(kind: AgentKind, state: AgentState, ending: AgentEnding): Fault | null {
  const run: Run = { cli: AGENT_CLIS[kind], state, ending };
  const made = ownDoing(run) ?? spawnFailure(run) ?? saidFailure(run) ?? badEnd(run) ?? falseSuccess(run);
  return made === null ? null : withFacts(run, made);
}

interface Run {
  readonly cli: AgentCli;
  readonly state: AgentState;
  readonly ending: AgentEnding;
}

interface OwnRow {
  readonly code: FaultCode;
  readonly words: string;
}

/** One code for all three clocks: whichever ran out, the CLI owes an answer as a provider does, and another one may give it. */
const TIMERS: Readonly<Record<TimerPhase, OwnRow>> = {
  startup: { code: "NetworkTimeout", words: "printed nothing within the time it has to start" },
  idle: { code: "NetworkTimeout", words: "printed nothing for longer than it may be silent" },
  total: { code: "NetworkTimeout", words: "did not finish within its time limit" },
};

const STOPS: Readonly<Record<Exclude<StopReason, "after-result">, OwnRow>> = {
  "permission-loop": {
    code: "PermissionLoop",
    words: "was stopped: it kept asking for tools it is not allowed to use",
  },
  "step-loop": { code: "NetworkDisconnect", words: "was stopped: its answers broke off again and again" },
  "network-wait": { code: "NetworkDisconnect", words: "was stopped: it waited for a network that did not come back" },
};

/** What to do next, for codes that a person can do something about. */
const NEXT_STEPS: Partial<Readonly<Record<FaultCode, (cli: AgentCli) => string | null>>> = {
  AuthFailed: (cli) => cli.loginCommand,
  BinaryMissing: (cli) => cli.installCommand,
};

function ownDoing({ cli, state, ending }: Run): Fault | null {
  if (ending.aborted === true) {
    return fault("ToolCancelled", { message: `${cli.name} was stopped because the call was cancelled` });
  }
  const { timedOut, stopped } = ending;
  if (timedOut !== undefined) {
    const { code, words } = TIMERS[timedOut];
    const cause = troubleOf({ cli, state, ending });
    return fault(code, { message: `${cli.name} ${words}`, context: { phase: timedOut }, cause });
  }
  if (stopped === undefined || stopped === "after-result") return null;
  const { code, words } = STOPS[stopped];
  return fault(code, { message: `${cli.name} ${words}`, context: { stopped } });
}

/** What the CLI was struggling with when its time was over: it says why the time was not enough. */
function troubleOf(run: Run): Fault | undefined {
  const { lastRetry, stalledSteps } = run.state;
  if (lastRetry !== null) return classify(evidenceOf(run, lastRetry.reason, lastRetry.status));
  return stalledSteps > 0
    ? fault("NetworkDisconnect", { message: "its answers broke off again and again" })
    : undefined;
}

/** Why a process does not start. */
const SPAWN_WORDS: ReadonlyMap<string, string> = new Map([
  ["ENOENT", "it is not installed or not on the PATH, or the working folder does not exist"],
  ["EACCES", "the file may not be executed"],
  ["ENOTDIR", "the working folder is a file"],
  ["E2BIG", "its arguments are too long: give the prompt by stdin or in a file"],
]);

function spawnFailure({ cli, ending }: Run): Fault | null {
  const { spawnError } = ending;
  if (spawnError === undefined) return null;
  const binary = cli.binary ?? "the command";
  const why = SPAWN_WORDS.get(spawnError.code) ?? "the system refused";
  const named = classify({
    surface: "cli",
    provider: cli.provider,
    error: { code: spawnError.code, syscall: `spawn ${binary}`, message: `spawn ${binary} ${spawnError.code}` },
  });
  return { ...named, message: `${binary} could not be started (${spawnError.code}): ${why}` };
}

/** The CLI itself said that the run failed. */
function saidFailure(run: Run): Fault | null {
  const error = run.state.lastError;
  return error?.isFinal === true ? errorFault(run, error) : null;
}

/** A signal or an exit code that is not 0. */
function badEnd(run: Run): Fault | null {
  const { cli, state, ending } = run;
  if ((ending.exitCode === 0 && ending.signal === null) || ending.stopped === "after-result") return null;
  const { exitCode, signal, observedAt } = ending;
  if (signal !== null) {
    const named = classify({ surface: "cli", provider: cli.provider, exitCode, signal, observedAt });
    return { ...named, message: `${cli.name} was ended by ${signal}` };
  }
  if (state.lastError !== null) return errorFault(run, state.lastError);
  const stderr = readStderr(ending.stderrTail);
  const words = wordsOf(run, stderr.text);
  const named = classify({ ...evidenceOf(run, words, null), exitCode });
  if (named.evidence.rule !== "none") return named;
  if (stderr.showsHelp) {
    return fault("RequestInvalid", {
      message: `${cli.name} refused its arguments and printed its help. ${words}`.trim(),
    });
  }
  if (words !== "") return named;
  const said = exitCode === null ? "ended without an exit code" : `ended with exit code ${exitCode}`;
  return fault("ProcessCrashed", { message: `${cli.name} ${said} and did not say why`, context: { ...named.context } });
}

/** The error text of a run that failed without an error event. */
function wordsOf({ cli, state }: Run, stderr: string): string {
  if (stderr !== "" && !state.hasTranscriptOnStderr) return stderr;
  if (cli.printsErrorsAsAnswer && state.isPlainText) return state.text;
  return errorInAnswer(cli.kind, state.text) ?? "";
}

/** Exit 0 that was none. */
function falseSuccess(run: Run): Fault | null {
  const { cli, state } = run;
  const hasText = state.text.trim() !== "";
  const words = state.isPlainText ? errorInAnswer(cli.kind, state.text) : null;
  if (words !== null) return classify(evidenceOf(run, words, null));
  const isAnswered = hasText && (state.sawResult || state.isPlainText);
  if (!isAnswered && !state.sawResult && state.lastError !== null) return errorFault(run, state.lastError);
  const stop = stopFault(run);
  if (stop !== null) return stop;
  if (isAnswered) return null;
  if (!hasText && state.permissionDenials.length > 0) {
    const [denial] = state.permissionDenials;
    return fault("AccessDenied", {
      message: `${cli.name} was not allowed to use ${denial?.tool ?? "a tool"} and gave no answer`,
    });
  }
  if (state.stalledSteps > 0)
    return fault("NetworkDisconnect", { message: `${cli.name} ended while its answer broke off` });
  if (hasText)
    return fault("OutputTruncated", {
      message: `${cli.name} ended before its answer was whole: nothing it printed proves the end`,
    });
  const why = state.lastError === null ? "" : `: ${state.lastError.message}`;
  return fault("EmptyOutput", { message: `${cli.name} exited as if it had succeeded, but gave no answer${why}` });
}

function stopFault({ cli, state }: Run): Fault | null {
  if (state.stopReason === null) return null;
  const named = classify({ surface: "stop", provider: cli.provider, stopReason: state.stopReason });
  return named.evidence.rule === "none" ? null : named;
}

function errorFault(run: Run, error: RecordedError): Fault {
  const { exitCode } = run.ending;
  const { limit } = run.state;
  const body = {
    ...error.detail,
    // The exact time of a limit that was said apart; the words of the error have none or only a time of day.
    ...(limit === null ? {} : { resetsAt: limit.resetAt }),
  };
  const evidence = evidenceOf(run, error.message, error.status);
  return classify({ ...evidence, body, exitCode: exitCode === 0 ? null : exitCode });
}

function evidenceOf({ cli, ending }: Run, words: string, status: number | null): Evidence {
  return {
    surface: "cli",
    provider: cli.provider,
    message: withZone(words, ending.timeZone),
    status: status ?? undefined,
    observedAt: ending.observedAt,
  };
}

function withFacts({ cli, state }: Run, made: Fault): Fault {
  const next = NEXT_STEPS[made.code]?.(cli) ?? null;
  return withContext(made, {
    surface: "cli",
    provider: cli.provider,
    ...(next === null ? {} : { next }),
    ...(state.sessionId === null ? {} : { sessionId: state.sessionId }),
    ...(state.permissionDenials.length === 0 ? {} : { denials: state.permissionDenials.length }),
  });
}
