// Prints a run while it happens: passes the command's output through unchanged, and reports Faultline's actions on stderr. If
// another attempt may follow and stdout is not a terminal, an attempt's stdout is held back until it is known to be the last.
// S1  Our own lines begin with `faultline:`. A countdown is wiped before anything else is written.

import {
  type Decision,
  type Entry,
  explain,
  type Fault,
  formatMs,
  type Locale,
  SHAPE_REDACTOR,
} from "../../core/index.ts";
import type { AgentRetry } from "../../agent/event/agent-event.ts";
import type { AgentExit, AgentRunResult, OutputStream } from "../../agent/run/agent-request.ts";
import type { AgentRunEvent } from "../../index.ts";
import type { Cli } from "../cli.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import type { Paint } from "../render/paint.ts";
import { oneLine } from "../render/safe-text.ts";
import { HeldOutput } from "./held-output.ts";
import { PrintedAnswer } from "./printed-answer.ts";
import { WIPE_LINE } from "../render/live-screen.ts";
import { OutputQueue } from "../render/output-queue.ts";
import { RUN_WORDS, type RunWords } from "../render/words/run-words.ts";

const SECOND_MS = 1_000;

export class RunStory {
  /** The reader closed our output before the command ended. */
  hasReaderLeft = false;
  /** The exit status of the last process. */
  exit: AgentExit = { exitCode: null, signal: null };
  /** The last failed attempt, and the decision about it. */
  lastFailure: RunFailure | null = null;
  readonly #cli: Cli;
  readonly #locale: Locale;
  readonly #words: RunWords;
  readonly #paint: Paint;
  readonly #passesOn: boolean;
  /** The command's own output is not visible on this terminal, so its steps are printed. */
  readonly #tellsSteps: boolean;
  #attempts = 0;
  #target = "";
  #hasPrinted = false;
  /** null: stdout passes through at once. */
  readonly #held: HeldOutput | null;
  /** The answer of the last attempt, if it worked. */
  answer: string | null = null;
  /** The stdout of the last attempt; kept for `--json` only. */
  readonly printed = new PrintedAnswer();
  #stopCountdown: (() => void) | null = null;
  readonly #output: Readonly<Record<OutputStream, OutputQueue>>;

  /** `mayRepeat`: a failed attempt may be followed by another one. */
  constructor(cli: Cli, mayRepeat: boolean) {
    const { json, locale } = cli;
    this.#cli = cli;
    this.#output = { stdout: new OutputQueue(cli.stdout), stderr: new OutputQueue(cli.stderr) };
    this.#held = mayRepeat && !cli.stdout.isTTY ? new HeldOutput(this.#output.stdout) : null;
    this.#locale = locale;
    this.#words = RUN_WORDS[locale];
    this.#paint = cli.paintError;
    this.#passesOn = !json;
    this.#tellsSteps = cli.stderr.isTTY && (json || !cli.stdout.isTTY);
  }

  /** "closed" when our reader has closed the stream or the limit of held output is reached: the command then gets SIGPIPE. */
  onBytes(stream: OutputStream, chunk: Uint8Array): Promise<void> | "closed" | undefined {
    if (!this.#passesOn) {
      if (stream === "stdout") this.printed.add(chunk);
      return undefined;
    }
    if (stream === "stdout" && this.#held !== null) {
      this.#held.write(chunk);
      return this.#held.isFull ? "closed" : undefined;
    }
    if (this.#cli[stream].isClosed === true) {
      this.hasReaderLeft = true;
      return "closed";
    }
    this.#wipe();
    this.#hasPrinted ||= stream === "stdout";
    return this.#output[stream].write(chunk);
  }

  /** The command's stderr ended without a line break, so our next line must start with one. */
  get isMidLine(): boolean {
    return this.#output.stderr.isMidLine;
  }

  /** Why a part of the output is missing; null when it is complete. */
  get lost(): Fault | null {
    return this.#held?.failure ?? null;
  }

  onExit(exit: AgentExit): void {
    this.exit = exit;
  }

  onResult({ text, errorSubtype }: AgentRunResult): void {
    this.answer = errorSubtype === null ? text : null;
  }

  onEvent(event: AgentRunEvent): void {
    if (event.type === "attempt") this.#begin(event.target, event.attempt);
    // The CLI's own retries may take minutes, so they are always reported.
    else if (event.type === "retrying") this.say(this.#words.retriesItself(this.#target, retryWords(event)));
    else if (this.#tellsSteps && event.type === "tool-use")
      this.say(this.#words.uses(this.#target, oneLine(event.name)));
  }

  onEntry({ event }: Entry): void {
    // As in `yes | head -1`: the broken pipe is normal in a shell and not reported.
    if (this.hasReaderLeft) return;
    if (event.type === "call-failed") {
      const { tool: target, attempt, fault, decision } = event;
      this.#failed({ target, attempt, fault, decision, isPrinted: false });
    } else if (event.type === "call-decided") {
      const { target, attempt } = this.lastFailure ?? { target: this.#target, attempt: this.#attempts };
      this.#failed({ target, attempt, fault: event.fault, decision: event.decision, isPrinted: false });
    }
  }

  say(text: string): void {
    this.#wipe();
    const lineBreak = this.#output.stderr.isMidLine ? "\n" : "";
    void this.#output.stderr.write(`${lineBreak}${this.#paint("dim", "faultline:")} ${text}\n`);
  }

  /** Resolves when everything has been written. */
  async end(): Promise<void> {
    this.#wipe();
    await this.#held?.release();
    await Promise.all([this.#output.stdout.end(), this.#output.stderr.end()]);
  }

  #begin(target: string, attempt: number): void {
    this.#attempts += 1;
    this.#target = target;
    if (this.#attempts === 1) return;
    this.#held?.discard();
    this.printed.discard();
    const isVoid = this.#hasPrinted ? ` ${this.#words.isVoid}` : "";
    this.say(`${this.#words.begins(safeLine(target), attempt)}${isVoid}`);
    this.#hasPrinted = false;
  }

  #failed(failure: RunFailure): void {
    const { fault, decision } = failure;
    // The last line tells the failure that ends the call, with what to do next.
    const isPrinted = !ENDS.has(decision.recourse);
    this.lastFailure = { ...failure, isPrinted };
    if (!isPrinted) return;
    this.say(this.#paint("yellow", failureText(failure, this.#locale)));
    this.say(`  ${explain(decision, this.#locale).what}`);
    if (decision.recourse === "retry") this.#countDown(decision.attempt, decision.maxAttempts, decision.delayMs, fault);
  }

  /** On a terminal only: in a file a line per second would be noise. */
  #countDown(attempt: number, of: number, delayMs: number, { resetAt }: Fault): void {
    const { stderr, clock } = this.#cli;
    if (!stderr.isTTY || delayMs < 2 * SECOND_MS) return;
    const until = resetAt ?? clock.now() + delayMs;
    const tick = (): void => {
      const leftMs = Math.max(0, until - clock.now());
      const left = formatMs(Math.ceil(leftMs / SECOND_MS) * SECOND_MS, this.#locale);
      void this.#output.stderr.write(`${WIPE_LINE}${this.#paint("dim", this.#words.countdown(attempt, of, left))}`);
      this.#stopCountdown = clock.after(SECOND_MS, tick);
    };
    tick();
  }

  #wipe(): void {
    if (this.#stopCountdown === null) return;
    this.#stopCountdown();
    this.#stopCountdown = null;
    void this.#output.stderr.write(WIPE_LINE);
  }
}

export interface RunFailure {
  readonly target: string;
  readonly attempt: number;
  readonly fault: Fault;
  readonly decision: Decision;
  /** A line about it has been printed. */
  readonly isPrinted: boolean;
}

/** The name of a target is what the user typed. */
export function failureText(
  { target, attempt, fault }: Pick<RunFailure, "target" | "attempt" | "fault">,
  locale: Locale,
): string {
  return RUN_WORDS[locale].failed(safeLine(target), attempt, fault.code, saidIn(fault, locale));
}

/** The message of a fault, for a line of ours. */
export function saidIn({ message }: Fault, locale: Locale): string {
  return safeLine(messageIn(locale, message));
}

/** Recourses that end the call. */
const ENDS: ReadonlySet<Decision["recourse"]> = new Set(["surface", "fail", "default", "skip", "partial"]);

/** The recourses that `--idempotent` allows. A refused `compact` is not one: a prompt that is too long stays too long. */
const RUNS_AGAIN: ReadonlySet<string> = new Set(["retry", "fallback"]);

/** Whether the command was not repeated only because it may have had an effect. */
export function mayHaveHappened({ considered }: Decision): boolean {
  return considered.some(({ recourse, refused }) => refused === "may-have-happened" && RUNS_AGAIN.has(recourse));
}

/** The CLI's own words: `529 overloaded (1/10)`. */
function retryWords({ status, reason, attempt, of }: AgentRetry): string {
  const count = attempt === null ? "" : `(${attempt}${of === null ? "" : `/${of}`})`;
  return safeLine([status ?? "", reason, count].join(" ").trim());
}

/** A failure's message on one line, without secrets and control characters. */
export function safeLine(text: string): string {
  return oneLine(SHAPE_REDACTOR.text(text), 300);
}
