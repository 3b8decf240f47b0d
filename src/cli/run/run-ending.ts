// How a run ended: the exit code, the last line with what to type next, and the same as JSON.

import type { AgentExit } from "../../agent/run/agent-request.ts";
import type { TimerPhase } from "../../agent/verdict/ending.ts";
import { type Fault, type FaultCode, INTERACTIONS, type Locale, type Question } from "../../core/index.ts";
import type { AgentRunResult } from "../../index.ts";
import type { Outcome, OutcomeStatus } from "../../runtime/call/outcome.ts";
import type { ExitName } from "../exit-codes.ts";
import { minuteOf } from "../render/values.ts";
import { oneLine } from "../render/safe-text.ts";
import { commandLine, lineOf } from "../render/program-name.ts";
import type { AnswerProblem } from "./printed-answer.ts";
import { callAgain, type RunCommandOptions } from "./run-options.ts";
import { failureText, mayHaveHappened, type RunFailure, safeLine, saidIn } from "./run-story.ts";
import { AGENT_TOTAL_MS } from "./run-targets.ts";
import { RUN_WORDS } from "../render/words/run-words.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface RunCommandEnding {
  readonly words: readonly string[];
  readonly options: RunCommandOptions;
  readonly outcome: Outcome<AgentRunResult>;
  /** The command's output or the agent's answer; null when it failed. */
  readonly answer: string | null;
  /** How the answer differs from the printed bytes. */
  readonly answerProblems: readonly AnswerProblem[];
  /** Why a part of the output was lost; null when all of it was printed. */
  readonly lost: Fault | null;
  /** stderr ended without a line break. */
  readonly isMidLine: boolean;
  /** The reader closed our output before the command ended. */
  readonly hasReaderLeft: boolean;
  readonly exit: AgentExit;
  /** null when nothing failed in this process. */
  readonly lastFailure: RunFailure | null;
  /** null without a journal. */
  readonly sessionId: string | null;
  readonly durationMs: number;
  readonly locale: Locale;
}

const EXIT_OF_STATUS: Readonly<Record<OutcomeStatus, ExitName>> = {
  done: "ok",
  defaulted: "failed",
  partial: "failed",
  skipped: "failed",
  surfaced: "failed",
  failed: "failed",
  cancelled: "cancelled",
  waiting: "waiting",
  parked: "parked",
};

/** Failures that have an exit code of their own. */
const EXIT_OF_CODE: Readonly<Partial<Record<FaultCode, ExitName>>> = {
  BinaryMissing: "missing", // claude is not on the PATH
};

export function exitOf({ outcome }: RunCommandEnding): ExitName {
  const plain = EXIT_OF_STATUS[outcome.status];
  const fault = faultOf(outcome);
  if (plain !== "failed" || fault === null) return plain;
  return EXIT_OF_CODE[fault.code] ?? ("phase" in fault.context ? "timeout" : plain);
}

/** A shell reports a process ended by a signal as 128 + n. These numbers are the same on all supported systems. */
// prettier-ignore
const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGILL: 4, SIGTRAP: 5, SIGABRT: 6, SIGFPE: 8, SIGKILL: 9, SIGSEGV: 11, SIGPIPE: 13, SIGALRM: 14, SIGTERM: 15,
};
const SIGNAL_BASE = 128;

/** The command's own exit code; null when it never ran. */
export function ownExitCode({ exit: { exitCode, signal } }: RunCommandEnding): number | null {
  return signal === null ? exitCode : SIGNAL_BASE + (SIGNAL_NUMBERS[signal] ?? 0);
}

/** null when the command worked at once, so there is nothing to say. */
export function lastLine(ending: RunCommandEnding): string | null {
  const { outcome, locale } = ending;
  const words = RUN_WORDS[locale];
  if (outcome.status === "done") return outcome.attempts > 1 ? words.workedLater(outcome.from, outcome.attempts) : null;
  const next = nextStep(ending, outcome.fault);
  const hint = mayRunAgain(ending) ? words.notRepeated : null;
  const parts = [endText(ending, outcome), hint, next === null ? null : `${words.next}${next}`];
  return parts.filter((part) => part !== null).join(PUNCTUATION[locale].gap);
}

/** A failure that a line above has told is not repeated. */
function endText({ lastFailure, words, locale }: RunCommandEnding, outcome: Failed): string {
  const text = RUN_WORDS[locale];
  const { status, fault } = outcome;
  if (status === "cancelled") return text.cancelled;
  if (status === "waiting" || status === "parked") {
    const why = `${fault.code}${PUNCTUATION[locale].colon}${withoutStop(saidIn(fault, locale))}`;
    return text[status === "waiting" ? "waits" : "parked"](lastFailure?.isPrinted === true ? "" : why);
  }
  const { target, attempt } = lastFailure ?? { target: lineOf([words[0] ?? ""]), attempt: outcome.attempts };
  return PUNCTUATION[locale].sentence(withoutStop(failureText({ target, attempt, fault }, locale)));
}

type Failed = Exclude<Outcome<AgentRunResult>, { readonly status: "done" }>;

function withoutStop(text: string): string {
  return text.replace(/[.。]$/, "");
}

/** The command that shows the causes; null when nothing failed or no journal recorded them. */
export function causesLine(ending: RunCommandEnding): string | null {
  const id = ending.outcome.status === "done" ? null : idOf(ending);
  if (id === null) return null;
  return `${RUN_WORDS[ending.locale].causes}${commandLine("explain", id, "--journal", ending.options.journal ?? "")}`;
}

/** The next command to type; null when there is none. */
function nextStep(ending: RunCommandEnding, fault: Fault): string | null {
  const { words, options, outcome, sessionId, locale } = ending;
  const text = RUN_WORDS[locale];
  const { next } = fault.context;
  const repair = typeof next === "string" ? oneLine(next) : null;
  const resumeLine = callAgain(words, options, { session: sessionId });
  if (outcome.status === "waiting") {
    const steps = [repair, answerLine(outcome.question, options.journal ?? ""), resumeLine];
    return steps.filter((step) => step !== null).join(text.then);
  }
  if (outcome.status === "parked") return `${text.after(`${minuteOf(outcome.wakeAt)} UTC`)}${resumeLine}`;
  if (outcome.status === "cancelled") return sessionId === null ? null : showLine(options, sessionId);
  if (repair !== null) return repair;
  if (EXIT_OF_CODE[fault.code] === "missing") return text.checkName(lineOf([words[0] ?? ""]));
  const limits = longerLimits(fault, options);
  if (limits !== null) return callAgain(words, options, { ...limits, session: null });
  if (mayRunAgain(ending)) return callAgain(words, options, { idempotent: true, session: null });
  return sessionId === null ? commandLine("explain", fault.code) : showLine(options, sessionId);
}

/** The command was not repeated only because it may have had an effect, and repeating it as it is could help. */
function mayRunAgain({ lastFailure, options, outcome }: RunCommandEnding): boolean {
  const isOver = outcome.status !== "done" && EXIT_OF_STATUS[outcome.status] === "failed";
  return (
    isOver &&
    lastFailure !== null &&
    mayHaveHappened(lastFailure.decision) &&
    longerLimits(lastFailure.fault, options) === null
  );
}

/** The option that sets the time limit of each phase. */
const LIMITS: Readonly<Record<TimerPhase, "timeout" | "idle">> = { startup: "idle", idle: "idle", total: "timeout" };
const HOUR_MS = 3_600_000;

/** A longer time limit in place of the one that ended the command; null when none did. */
function longerLimits(
  { context }: Fault,
  options: RunCommandOptions,
): Pick<RunCommandOptions, "timeout" | "idle"> | null {
  const phase = context["phase"];
  const option = typeof phase === "string" && Object.hasOwn(LIMITS, phase) ? LIMITS[phase as TimerPhase] : null;
  if (option === null) return null;
  const limitMs = options[option] ?? AGENT_TOTAL_MS;
  return { [option]: Math.max(2 * limitMs, Math.min(10 * limitMs, HOUR_MS)) };
}

function showLine({ journal = "" }: RunCommandOptions, sessionId: string): string {
  return commandLine("journal", "show", journal, sessionId);
}

function answerLine({ id, payload }: Question, journal: string): string {
  const first = payload.kind === "Select" ? payload.options[0]?.id : undefined;
  const isYesNo = INTERACTIONS[payload.kind].answer === "yes-no";
  if (first === undefined && !isYesNo) return commandLine("journal", "questions", journal);
  return commandLine("journal", "answer", journal, id, first ?? "yes");
}

export function jsonOf(ending: RunCommandEnding): Readonly<Record<string, unknown>> {
  const { outcome, answer, exit, durationMs, sessionId } = ending;
  const fault = faultOf(outcome);
  return {
    outcome: outcome.status,
    answer: outcome.status === "done" ? answer : null,
    answerProblems: ending.answerProblems,
    code: fault?.code ?? null,
    message: fault === null ? null : safeLine(fault.message),
    attempts: outcome.attempts,
    target: outcome.status === "done" ? outcome.from : null,
    exitCode: exit.exitCode,
    signal: exit.signal,
    durationMs,
    sessionId,
    correlationId: fault === null ? null : idOf(ending),
    next: fault === null ? null : nextStep(ending, fault),
  };
}

/** The id for `faultline explain`; null without a journal. */
function idOf({ sessionId, outcome }: RunCommandEnding): string | null {
  return sessionId === null ? null : `${sessionId}/${outcome.call}`;
}

function faultOf(outcome: Outcome<unknown>): Fault | null {
  return outcome.status === "done" ? null : outcome.fault;
}
