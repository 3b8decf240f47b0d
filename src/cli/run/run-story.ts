// A run as it is told while it happens: what the command prints goes through as it is, what Faultline does about it is said on
// stderr. Where another attempt may follow and no person reads stdout, an attempt's stdout is held back until it is the last one.
// S1  our own lines begin with `faultline:` and stand alone: a countdown is wiped before anything else is written.

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
import type { Io } from "../io.ts";
import { type Paint, paintFor } from "../render/paint.ts";
import type { GlobalOptions } from "../options.ts";
import { oneLine } from "../render/safe-text.ts";
import { HeldOutput } from "./held-output.ts";
import { PrintedAnswer } from "./printed-answer.ts";
import { WIPE_LINE } from "../render/live-screen.ts";
import { OutputQueue } from "../render/output-queue.ts";
import { RUN_WORDS, type RunWords } from "../render/words/run-words.ts";

const SECOND_MS = 1_000;

export class RunStory {
  /** The reader of our output left before the command had ended. */
  hasReaderLeft = false;
  /** How the last process ended by its own account. */
  exit: AgentExit = { exitCode: null, signal: null };
  /** What was decided about the last failure. */
  lastDecision: Decision | null = null;
  readonly #io: Io;
  readonly #locale: Locale;
  readonly #words: RunWords;
  readonly #paint: Paint;
  readonly #passesOn: boolean;
  /** Nobody sees the command's own output on this terminal, so its steps are told. */
  readonly #tellsSteps: boolean;
  #attempts = 0;
  #target = "";
  #hasPrinted = false;
  /** null: stdout goes through as it comes. */
  readonly #held: HeldOutput | null;
  /** What the last attempt answered, if it worked. */
  answer: string | null = null;
  /** What the last attempt printed on stdout; for a JSON document only. */
  readonly printed = new PrintedAnswer();
  #stopCountdown: (() => void) | null = null;
  readonly #output: Readonly<Record<OutputStream, OutputQueue>>;

  /** `mayRepeat`: a failed attempt may be followed by another one. */
  constructor(io: Io, { json, locale, color }: GlobalOptions, mayRepeat: boolean) {
    this.#io = io;
    this.#output = { stdout: new OutputQueue(io.stdout), stderr: new OutputQueue(io.stderr) };
    this.#held = mayRepeat && !io.stdout.isTTY ? new HeldOutput(this.#output.stdout) : null;
    this.#locale = locale;
    this.#words = RUN_WORDS[locale];
    this.#paint = paintFor(io.stderr, io.env, color);
    this.#passesOn = !json;
    this.#tellsSteps = io.stderr.isTTY && (json || !io.stdout.isTTY);
  }

  /** "closed" when the reader of our own stream has left, or as much is held back as may be: the command then gets SIGPIPE. */
  onBytes(stream: OutputStream, chunk: Uint8Array): Promise<void> | "closed" | undefined {
    if (!this.#passesOn) {
      if (stream === "stdout") this.printed.add(chunk);
      return undefined;
    }
    if (stream === "stdout" && this.#held !== null) {
      this.#held.write(chunk);
      return this.#held.isFull ? "closed" : undefined;
    }
    if (this.#io[stream].isClosed === true) {
      this.hasReaderLeft = true;
      return "closed";
    }
    this.#wipe();
    this.#hasPrinted ||= stream === "stdout";
    return this.#output[stream].write(chunk);
  }

  /** The command's stderr ended without a line break: the next line of ours needs one in front. */
  get isMidLine(): boolean {
    return this.#output.stderr.isMidLine;
  }

  /** Why a part of the output is missing; null when nothing is. */
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
    // Minutes may pass like this, so it is said whoever reads along.
    else if (event.type === "retrying") this.say(this.#words.retriesItself(this.#target, retryWords(event)));
    else if (this.#tellsSteps && event.type === "tool-use")
      this.say(this.#words.uses(this.#target, oneLine(event.name)));
  }

  onEntry({ event }: Entry): void {
    // As in `yes | head -1`: how the command ends then is normal in a shell, and nothing to report.
    if (this.hasReaderLeft) return;
    if (event.type === "call-failed") {
      const { tool, attempt, fault, decision } = event;
      this.#failed(this.#words.failed(tool, attempt, fault.code, safeLine(fault.message)), fault, decision);
    } else if (event.type === "call-decided") {
      this.#failed(`${event.fault.code}: ${safeLine(event.fault.message)}`, event.fault, event.decision);
    }
  }

  say(text: string): void {
    this.#wipe();
    const lineBreak = this.#output.stderr.isMidLine ? "\n" : "";
    void this.#output.stderr.write(`${lineBreak}${this.#paint("dim", "faultline:")} ${text}\n`);
  }

  /** Everything has been written. */
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
    this.say(`${this.#words.begins(target, attempt)}${isVoid}`);
    this.#hasPrinted = false;
  }

  #failed(what: string, fault: Fault, decision: Decision): void {
    this.lastDecision = decision;
    this.say(this.#paint("yellow", what));
    // The last line says it again, with what to do about it.
    if (ENDS.has(decision.recourse)) {
      if (mayHaveHappened(decision)) this.say(`  ${this.#words.nothingMore} (${this.#words.needsIdempotent})`);
      return;
    }
    this.say(`  ${explain(decision, this.#locale).what}`);
    if (decision.recourse === "retry") this.#countDown(decision.attempt, decision.maxAttempts, decision.delayMs, fault);
  }

  /** Only where a person looks: in a file a line per second would be noise. */
  #countDown(attempt: number, of: number, delayMs: number, { resetAt }: Fault): void {
    const { stderr, clock } = this.#io;
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

/** Nothing comes after these. */
const ENDS: ReadonlySet<Decision["recourse"]> = new Set(["surface", "fail", "default", "skip", "partial"]);

/** What `--idempotent` allows. A prompt that is too long is too long again, so a refused `compact` is not among them. */
const RUNS_AGAIN: ReadonlySet<string> = new Set(["retry", "fallback"]);

/** The command would have run again, but for what it may have done. */
export function mayHaveHappened({ considered }: Decision): boolean {
  return considered.some(({ recourse, refused }) => refused === "may-have-happened" && RUNS_AGAIN.has(recourse));
}

/** `529 overloaded (1/10)`: what the CLI said about it. */
function retryWords({ status, reason, attempt, of }: AgentRetry): string {
  const count = attempt === null ? "" : `(${attempt}${of === null ? "" : `/${of}`})`;
  return safeLine([status ?? "", reason, count].join(" ").trim());
}

/** Words of a failure on one line, without secrets and without anything a terminal obeys. */
export function safeLine(text: string): string {
  return oneLine(SHAPE_REDACTOR.text(text), 300);
}
