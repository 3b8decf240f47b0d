// A run as it is told while it happens: what the command prints goes through as it is, what Faultline does about it is said on
// stderr.
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
import type { AgentExit, OutputStream } from "../../agent/run/agent-request.ts";
import type { AgentRunEvent } from "../../index.ts";
import { type Io, type Paint, paintFor } from "../io.ts";
import type { GlobalOptions } from "../options.ts";
import { oneLine } from "../safe-text.ts";
import { OutputQueue } from "./output-queue.ts";
import { RUN_WORDS, type RunWords } from "./run-words.ts";

const WIPE_LINE = "\r\u001b[K";
const SECOND_MS = 1_000;

export class RunStory {
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
  #stopCountdown: (() => void) | null = null;
  readonly #output: Readonly<Record<OutputStream, OutputQueue>>;

  constructor(io: Io, { json, locale, color }: GlobalOptions) {
    this.#io = io;
    this.#output = { stdout: new OutputQueue(io.stdout), stderr: new OutputQueue(io.stderr) };
    this.#locale = locale;
    this.#words = RUN_WORDS[locale];
    this.#paint = paintFor(io.stderr, io.env, color);
    this.#passesOn = !json;
    this.#tellsSteps = io.stderr.isTTY && (json || !io.stdout.isTTY);
  }

  onLine(stream: OutputStream, line: string): void {
    if (!this.#passesOn) return;
    this.#wipe();
    this.#hasPrinted = true;
    this.#output[stream].write(`${line}\n`);
  }

  onExit(exit: AgentExit): void {
    this.exit = exit;
  }

  onEvent(event: AgentRunEvent): void {
    if (event.type === "attempt") this.#begin(event.target, event.attempt);
    else if (!this.#tellsSteps) return;
    else if (event.type === "tool-use") this.say(this.#words.uses(this.#target, oneLine(event.name)));
    else if (event.type === "retrying") this.say(this.#words.retriesItself(this.#target, safeLine(event.reason)));
  }

  onEntry({ event }: Entry): void {
    if (event.type === "call-failed") {
      const { tool, attempt, fault, decision } = event;
      this.#failed(this.#words.failed(tool, attempt, fault.code, safeLine(fault.message)), fault, decision);
    } else if (event.type === "call-decided") {
      this.#failed(`${event.fault.code}: ${safeLine(event.fault.message)}`, event.fault, event.decision);
    }
  }

  say(text: string): void {
    this.#wipe();
    this.#output.stderr.write(`${this.#paint("dim", "faultline:")} ${text}\n`);
  }

  /** Everything has been written. */
  async end(): Promise<void> {
    this.#wipe();
    await Promise.all([this.#output.stdout.end(), this.#output.stderr.end()]);
  }

  #begin(target: string, attempt: number): void {
    this.#attempts += 1;
    this.#target = target;
    if (this.#attempts === 1) return;
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
      this.#output.stderr.write(`${WIPE_LINE}${this.#paint("dim", this.#words.countdown(attempt, of, left))}`);
      this.#stopCountdown = clock.after(SECOND_MS, tick);
    };
    tick();
  }

  #wipe(): void {
    if (this.#stopCountdown === null) return;
    this.#stopCountdown();
    this.#stopCountdown = null;
    this.#output.stderr.write(WIPE_LINE);
  }
}

/** Nothing comes after these. */
const ENDS: ReadonlySet<Decision["recourse"]> = new Set(["surface", "fail", "default", "skip", "partial"]);

/** Something that would have run it again was left out for that reason. */
export function mayHaveHappened({ considered }: Decision): boolean {
  return considered.some(({ refused }) => refused === "may-have-happened");
}

/** Words of a failure on one line, without secrets and without anything a terminal obeys. */
export function safeLine(text: string): string {
  return oneLine(SHAPE_REDACTOR.text(text), 300);
}
