// Decides whether a run of an agent CLI succeeded, and if not, what went wrong. The exit code is only a hint: CLIs exit with 0 after
// failures and print errors as answers.
// V1  Our own actions (cancel, timeout, stop) are never guessed from the CLI's output.
// V2  Messages are read only from error fields, stderr and known error formats, never from a model's text.
// V3  Success needs an answer and the line that proves a proper end; in text mode, an answer and exit code 0.

import { classify, type Evidence, fault, type Fault, type FaultCode, withContext } from "../../core/index.ts";
import type { AgentKind, AgentState, RecordedError } from "../parse/agent-state.ts";
import { errorInAnswer } from "../parse/answer-error.ts";
import { AGENT_CLIS, type AgentCli } from "./cli-table.ts";
import type { AgentEnding, StopReason, TimerPhase } from "./ending.ts";
import { withoutColours } from "../parse/without-colours.ts";

/** Null means success. */
export function verdictOn(kind: AgentKind, state: AgentState, ending: AgentEnding): Fault | null {
  const run: Run = { cli: AGENT_CLIS[kind], state, ending };
  const made = stoppedByUs(run) ?? spawnFailure(run) ?? reportedFailure(run) ?? badEnd(run) ?? falseSuccess(run);
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

const TIMERS: Readonly<Record<TimerPhase, string>> = {
  startup: "printed nothing within its startup time limit",
  idle: "printed nothing for longer than its idle time limit",
  total: "did not finish within its time limit",
};

/** For all three time limits. An agent CLI is like a provider that does not answer; a plain command is work that took too long. */
function timeoutCode({ kind }: AgentCli): FaultCode {
  return kind === "generic" ? "ExecutionTimeout" : "NetworkTimeout";
}

/** Stops during a retry. The fault is the failure that the CLI was retrying. */
type RetryStop = "no-cure" | "elsewhere";

const RETRY_STOPS: Readonly<Record<RetryStop, string>> = {
  "no-cure": "was stopped because it kept retrying a failure that no retry can fix",
  "elsewhere": "was stopped while it was retrying, because another target can answer",
};

function isRetryStop(stopped: StopReason): stopped is RetryStop {
  return stopped in RETRY_STOPS;
}

const STOPS: Readonly<Record<Exclude<StopReason, RetryStop | "after-result">, OwnRow>> = {
  "permission-loop": {
    code: "PermissionLoop",
    words: "was stopped because it kept asking for tools it is not allowed to use",
  },
  "step-loop": { code: "NetworkDisconnect", words: "was stopped because its answers kept breaking off" },
  "network-wait": { code: "NetworkDisconnect", words: "was stopped because it kept waiting for the network" },
};

/** What to do next, for faults that the user can fix. */
const NEXT_STEPS: Partial<Readonly<Record<FaultCode, (cli: AgentCli) => string | null>>> = {
  AuthFailed: (cli) => cli.loginCommand,
  KeyMissing: (cli) => cli.loginCommand,
  BinaryMissing: (cli) => cli.installCommand,
};

function stoppedByUs({ cli, state, ending }: Run): Fault | null {
  if (ending.aborted === true) {
    return fault("ToolCancelled", { message: `${cli.name} was stopped because the call was cancelled` });
  }
  const { timedOut, stopped } = ending;
  if (timedOut !== undefined) {
    const cause = troubleOf({ cli, state, ending });
    return fault(timeoutCode(cli), {
      message: `${cli.name} ${TIMERS[timedOut]}`,
      context: { phase: timedOut },
      cause,
    });
  }
  if (stopped === undefined || stopped === "after-result") return null;
  if (isRetryStop(stopped)) return endedRetrying({ cli, state, ending }, stopped);
  const { code, words } = STOPS[stopped];
  return fault(code, { message: `${cli.name} ${words}`, context: { stopped } });
}

/** If the CLI ended by itself before our stop, its own error counts. */
function endedRetrying(run: Run, stopped: RetryStop): Fault | null {
  const { cli, state } = run;
  const why = state.sawResult || state.lastError?.isFinal === true ? undefined : run.ending.stoppedFor;
  if (why === undefined) return null;
  const status = why.context["status"];
  const words =
    typeof status === "number" && !why.message.includes(String(status)) ? `${status} ${why.message}` : why.message;
  const message = `${cli.name} ${RETRY_STOPS[stopped]}: ${words}`;
  return withContext({ ...why, message }, { stopped, ownRetries: state.ownRetries });
}

/** Why a CLI retries by itself; null if it does not. An unknown reason counts as a lost connection. */
export function retryFault(kind: AgentKind, state: AgentState, observedAt: number): Fault | null {
  const ending = { exitCode: null, signal: null, stderrTail: "", observedAt };
  return state.lastRetry === null ? null : (troubleOf({ cli: AGENT_CLIS[kind], state, ending }) ?? null);
}

/** The failure that the CLI was retrying when its time ran out. It explains the timeout. */
function troubleOf(run: Run): Fault | undefined {
  const { lastRetry, stalledSteps } = run.state;
  if (lastRetry !== null) {
    const named = classify(evidenceOf(run, lastRetry.reason, lastRetry.status));
    if (named.evidence.rule !== "none") return named;
    return fault("NetworkDisconnect", { message: lastRetry.reason, evidence: named.evidence });
  }
  return stalledSteps > 0 ? fault("NetworkDisconnect", { message: "its answers kept breaking off" }) : undefined;
}

function spawnFailure({ cli, ending }: Run): Fault | null {
  const { spawnError } = ending;
  if (spawnError === undefined) return null;
  const binary = cli.binary ?? "the command";
  const named = classify({
    surface: "cli",
    provider: cli.provider,
    error: { code: spawnError.code, syscall: `spawn ${binary}`, message: `spawn ${binary} ${spawnError.code}` },
  });
  return { ...named, message: `${binary} could not be started (${spawnError.code}). ${spawnError.message}` };
}

/** The CLI itself reported that the run failed. */
function reportedFailure(run: Run): Fault | null {
  const error = run.state.lastError;
  return error?.isFinal === true ? errorFault(run, error) : null;
}

/** The process ended by a signal or with a non-zero exit code. */
function badEnd(run: Run): Fault | null {
  const { cli, state, ending } = run;
  if ((ending.exitCode === 0 && ending.signal === null) || isEndedAfterResult(run)) return null;
  const { exitCode, signal, observedAt } = ending;
  if (signal !== null) {
    const named = classify({ surface: "cli", provider: cli.provider, exitCode, signal, observedAt });
    return { ...named, message: `${cli.name} was ended by ${signal}` };
  }
  if (state.lastError !== null) return errorFault(run, state.lastError);
  const stderr = readStderr(ending.stderrTail);
  const [words = "", ...others] = wordsOf(run, stderr.text);
  const judge = (text: string): Fault => classify({ ...evidenceOf(run, text, null), exitCode });
  const named = judge(words);
  for (const [text, seen] of [[words, named] as const, ...others.map((text) => [text, judge(text)] as const)]) {
    if (seen.evidence.rule !== "none") return { ...seen, message: decidingLine(text, seen, judge) };
  }
  if (stderr.showsHelp) {
    return fault("RequestInvalid", {
      message: `${cli.name} refused its arguments and printed its help. ${words}`.trim(),
    });
  }
  if (words !== "") return named;
  const said = exitCode === null ? "ended without an exit code" : `ended with exit code ${exitCode}`;
  return fault("ProcessCrashed", { message: `${cli.name} ${said} and did not say why`, context: { ...named.context } });
}

/** We stopped the process after it had printed its result. */
function isEndedAfterResult({ state, ending: { stopped } }: Run): boolean {
  return stopped === "after-result" || (stopped !== undefined && isRetryStop(stopped) && state.sawResult);
}

/** The error messages of a run that failed without an error event, the most informative first. */
function wordsOf({ cli, state }: Run, stderr: string): readonly string[] {
  const answer = errorInAnswer(cli.kind, state.text) ?? "";
  const printedErrors = state.hasTranscriptOnStderr ? "" : stderr;
  const printed = cli.printsErrorsAsAnswer && state.isPlainText ? state.text : "";
  return [answer, printedErrors, printed].filter((words) => words !== "");
}

/** More lines than any CLI needs to report an error. */
const MAX_JUDGED_LINES = 100;

/** The line that determined the fault; if several did, the most informative one. */
function decidingLine(text: string, { message, evidence }: Fault, judge: (line: string) => Fault): string {
  const lines = text.split("\n", MAX_JUDGED_LINES).map((line) => line.trim());
  if (lines.length === 1) return message;
  const deciding = lines.map((line) => judge(line)).filter((seen) => seen.evidence.rule === evidence.rule);
  return (
    deciding.reduce((fullest, seen) => (seen.message.length > fullest.length ? seen.message : fullest), "") || message
  );
}

/** Detects a failed run that exited with 0. */
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
    return fault("NetworkDisconnect", { message: `${cli.name} ended in the middle of its answer` });
  if (hasText)
    return fault("OutputTruncated", {
      message: `${cli.name} ended before its answer was complete: its output has no proper end`,
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
    // The exact reset time, which the CLI reported separately. The error message has none, or only a time of day.
    ...(limit === null ? {} : { resetsAt: limit.resetAt }),
  };
  const evidence = {
    ...evidenceOf(run, error.message, error.status),
    body,
    exitCode: exitCode === 0 ? null : exitCode,
  };
  const named = classify(evidence);
  if (named.evidence.rule !== "none" || run.state.hasTranscriptOnStderr) return named;
  // The message is only "terminated". stderr may name the cause.
  const stderr = readStderr(run.ending.stderrTail).text;
  const explained = classify({ ...evidence, message: `${evidence.message ?? ""}\n${stderr}` });
  return explained.evidence.rule === "none" ? named : { ...explained, message: named.message };
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

/** Codex prints "try again at 8:33 PM" in local time, without a zone. */
const CLOCK =
  /\btry again at (?:([A-Z][a-z]{2})[a-z]{0,6} (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? (?:at )?)?(\d{1,2}:\d{2}) ?([AP])M\b/;

/** Repeats that time with its zone, in the form that the classifier reads. */
function withZone(message: string, timeZone: string | undefined): string {
  const clock = timeZone === undefined ? null : CLOCK.exec(message.slice(0, 4_000));
  if (clock === null) return message;
  const [, month, day, year, time = "", half = ""] = clock;
  const date = month === undefined ? "" : `${month} ${day}, ${year}, `;
  return `${message} (resets ${date}${time}${half.toLowerCase()}m (${timeZone}))`;
}

// Extracts the part of a CLI's stderr that is about its failure. Colours, stack frames, progress and help pages are removed, because their
// words would suggest the wrong cause.

interface StderrText {
  readonly text: string;
  /** The CLI printed its help, as CLIs do when they reject their arguments. */
  readonly showsHelp: boolean;
}

export function readStderr(stderr: string): StderrText {
  const kept: string[] = [];
  for (const raw of stderr.split("\n")) {
    const line = withoutColours(raw).trimEnd();
    if (HELP.test(line)) return { text: joined(kept), showsHelp: true };
    if (line !== "" && !NOISE.some((noise) => noise.test(line))) kept.push(line);
  }
  return { text: joined(kept), showsHelp: false };
}

/** The start of a help page. The text before it may name the rejected argument. */
const HELP = /^(?:Usage: |USAGE:|Options:$|Commands:$|Positionals:$)/;

/** Lines that successful runs print, too, each with a real example. */
const NOISE: readonly RegExp[] = [
  /^\s+at /, //                                        at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
  /^WARNING: proceeding, even though/, //              WARNING: proceeding, even though we could not create PATH aliases
  /^Reading (?:additional input|prompt) from stdin/, // Reading additional input from stdin...
  /^\[STARTUP\] /, //                                  [STARTUP] Phase 'cleanup_ops' was started but never ended. Skipping metrics.
  /^YOLO mode is enabled/, //                          YOLO mode is enabled. All tool calls will be automatically approved.
  /^Warning: /, //                                     Warning: no stdin data received in 3s, proceeding without it.
  /^warning: /, //                                     warning: Codex could not find bubblewrap on PATH.
  /^Retrying (?:provider attempt|in \d)/, //           Retrying provider attempt (0 buffered tool call(s) discarded).
  /^Attempt \d+ failed/, //                            Attempt 1 failed with status 503. Retrying with backoff... _ApiError: {…}
  /^Error executing tool /, //                         Error executing tool run_shell_command: Tool "run_shell_command" not found.
  /^Could not parse message into JSON: /, //           Could not parse message into JSON: {"type":"content_block_delta"
  /^From chunk: /, //                                  From chunk: [ "event: content_block_delta" ]
  /^\d{4}-\d{2}-\d{2}T\S+\s+(?:ERROR|WARN|INFO) /, //  2026-11-15T19:35:14.940993Z ERROR codex_api::endpoint::responses_websocket: failed to connect
  /^> \S+ · /, //                                      > build · m1
  /^Loaded cached credentials/, //                     Loaded cached credentials.
  /^\(node:\d+\) |^\(Use `node --trace/, //            (node:123) [DEP0040] DeprecationWarning: The `punycode` module is deprecated.
];

function joined(lines: readonly string[]): string {
  return lines.join("\n").trim();
}
