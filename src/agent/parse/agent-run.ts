// Collects what the CLI readers find: the state of the run and the events of the current line.
// R1  Memory for lines, text and denials is bounded, however much a CLI prints.
// R2  A final error is kept. Later errors that are not final do not replace it.
// R3  Output after a retry means that the retry is over.

import type { AgentError, AgentEvent, AgentRetry, AgentUsage, NoticeAbout } from "../event/agent-event.ts";
import type { AgentState, LineLog, PermissionDenial, RecordedError, UsageLimit } from "./agent-state.ts";

/** The mutable form of `AgentState`. Callers only see `AgentState`. Only `text` and `answer` write the text. */
type Collecting = { -readonly [Field in Exclude<keyof AgentState, "text">]: AgentState[Field] } & Pick<
  AgentState,
  "text"
>;

const MAX_KEPT_LINES = 5;
const MAX_KEPT_LINE_CHARS = 300;
/** The answer is truncated at this length. */
export const MAX_TEXT_CHARS = 16_777_216;
const MAX_DENIALS = 100;
const MAX_OPEN_TOOLS = 1_000;
export const NO_LINES: LineLog = { count: 0, first: [] };

export class AgentRun {
  readonly #text = new BoundedText(MAX_TEXT_CHARS);
  readonly state: Collecting = createState(this.#text);
  #events: AgentEvent[] = [];
  readonly #openTools = new Map<string, string>();
  readonly #deniedTools = new Set<string>();

  /** There is no answer yet. Cheaper than reading `text`, which joins the pieces. */
  get isSilent(): boolean {
    return this.#text.isEmpty;
  }

  /** The answer has reached its limit. */
  get isFull(): boolean {
    return this.#text.isFull;
  }

  /** The events since the last call. */
  drain(): readonly AgentEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  started(sessionId: string | null, model: string | null): void {
    const isNew =
      (sessionId !== null && this.state.sessionId === null) || (model !== null && this.state.model === null);
    this.state.sessionId = sessionId ?? this.state.sessionId;
    this.state.model = model ?? this.state.model;
    if (isNew) this.#events.push({ type: "started", sessionId: this.state.sessionId, model: this.state.model });
  }

  /** Adds to the answer. */
  text(delta: string): void {
    if (delta === "") return;
    this.#progressed();
    this.#text.add(delta);
    this.#events.push({ type: "text", text: delta });
  }

  /** Replaces the collected answer with the whole one. Emits no event. */
  answer(text: string): void {
    this.#text.set(text);
  }

  thinking(text: string): void {
    if (text === "") return;
    this.#progressed();
    this.#events.push({ type: "thinking", text });
  }

  toolUse(givenId: string, givenName: string): void {
    const id = shortCopy(givenId);
    const name = shortCopy(givenName);
    this.#progressed();
    if (this.#openTools.size < MAX_OPEN_TOOLS) this.#openTools.set(id, name);
    this.state.toolRunning = true;
    this.#events.push({ type: "tool-use", id, name });
  }

  /** `denial` is the message of a denied tool call; null if the tool ran. */
  toolResult(givenId: string, isError: boolean, denial: string | null): void {
    const id = shortCopy(givenId);
    const name = this.#openTools.get(id) ?? "";
    this.#openTools.delete(id);
    this.state.toolRunning = this.#openTools.size > 0;
    const isDenied = denial !== null || this.#deniedTools.has(id);
    if (denial !== null) this.denied(id, name, denial);
    if (!isDenied) this.state.consecutiveDenials = 0;
    this.#events.push({ type: "tool-result", id, isError: isError || isDenied, isDenied });
  }

  /** A tool call was denied. CLIs report this two or three times; with the same id it counts once. */
  denied(givenId: string, tool: string, reason: string): void {
    const id = shortCopy(givenId);
    if (this.#deniedTools.has(id) || this.state.permissionDenials.length >= MAX_DENIALS) return;
    if (id !== "") this.#deniedTools.add(id);
    const denial: PermissionDenial = { tool: shortCopy(tool), reason: shortCopy(reason) };
    this.state.permissionDenials = [...this.state.permissionDenials, denial];
    this.state.consecutiveDenials++;
  }

  used(usage: AgentUsage, isCumulative: boolean): void {
    this.state.usage = usage;
    this.state.cumulative = { ...this.state.cumulative, usage: isCumulative };
    this.#events.push({ type: "usage", usage });
  }

  cost(usd: number, isCumulative: boolean): void {
    this.state.costUsd = usd;
    this.state.cumulative = { ...this.state.cumulative, cost: isCumulative };
  }

  retrying(retry: AgentRetry): void {
    this.state.lastRetry = retry;
    // Some CLIs report the same retry twice, each time with its number.
    this.state.ownRetries = retry.attempt ?? this.state.ownRetries + 1;
    this.#events.push({ type: "retrying", ...retry });
  }

  notice(about: NoticeAbout, message: string, resetAt: number | null = null): void {
    this.#events.push({ type: "notice", about, message, resetAt });
  }

  limited(limit: UsageLimit): void {
    this.state.limit = limit;
  }

  error(error: AgentError, detail: RecordedError["detail"] = null): void {
    if (error.isFinal || this.state.lastError?.isFinal !== true) this.state.lastError = { ...error, detail };
    this.#events.push({ type: "error", ...error });
  }

  /** The CLI has recovered from the error, so the run has none. */
  recovered(): void {
    this.state.lastError = null;
    this.#progressed();
  }

  /** The line that proves a proper end was read. */
  finished(isError: boolean, stopReason: string | null): void {
    this.state.sawResult = true;
    this.state.toolRunning = false;
    this.state.stopReason = stopReason ?? this.state.stopReason;
    this.#events.push({ type: "finished", isError, stopReason: this.state.stopReason });
  }

  unknown(line: string): void {
    this.state.unknownLines = logged(this.state.unknownLines, line);
  }

  broken(line: string): void {
    this.state.brokenLines = logged(this.state.brokenLines, line);
  }

  #progressed(): void {
    this.state.lastRetry = null;
    this.state.ownRetries = 0;
  }
}

function logged({ count, first }: LineLog, line: string): LineLog {
  if (first.length >= MAX_KEPT_LINES) return { count: count + 1, first };
  return { count: count + 1, first: [...first, shortCopy(line)] };
}

/** Copies the text, because a slice would keep the whole line in memory. */
function shortCopy(text: string): string {
  if (text.length <= MAX_KEPT_LINE_CHARS) return text;
  return Buffer.from(text.slice(0, MAX_KEPT_LINE_CHARS), "utf16le").toString("utf16le");
}

function createState(text: BoundedText): Collecting {
  return {
    get text() {
      return text.toString();
    },
    sessionId: null,
    model: null,
    usage: null,
    costUsd: null,
    cumulative: { usage: false, cost: false },
    numTurns: null,
    apiDurationMs: null,
    stopReason: null,
    permissionDenials: [],
    consecutiveDenials: 0,
    toolRunning: false,
    lastError: null,
    lastRetry: null,
    ownRetries: 0,
    limit: null,
    sawResult: false,
    isPlainText: false,
    hasTranscriptOnStderr: false,
    stalledSteps: 0,
    networkWaits: 0,
    unknownLines: NO_LINES,
    brokenLines: NO_LINES,
  };
}

/**
 * Some CLIs join the texts of all attempts into one answer; `attempts` is their number. If all have the same text, it is returned once.
 * If they differ, their boundaries are unknown, and the text is returned unchanged.
 */
export function onceOf(text: string, attempts: number): string {
  const once = text.slice(0, text.length / attempts);
  return once.repeat(attempts) === text ? once : text;
}

// A text that grows piece by piece up to a limit. The pieces are collected in blocks: repeated string concatenation would create a rope of
// as many parts as there were pieces, which is slow to read and uses far more memory than the text.

/** Pieces are joined once they reach this length. */
const BLOCK_CHARS = 65_536;

export class BoundedText {
  readonly #maxChars: number;
  #blocks: string[] = [];
  #pieces: string[] = [];
  #pieceChars = 0;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  get isEmpty(): boolean {
    return this.#chars === 0;
  }

  get isFull(): boolean {
    return this.#chars === this.#maxChars;
  }

  /** Drops what exceeds the limit. */
  add(piece: string): void {
    const kept = piece.slice(0, this.#maxChars - this.#chars);
    if (kept === "") return;
    this.#pieces.push(kept);
    this.#chars += kept.length;
    this.#pieceChars += kept.length;
    if (this.#pieceChars >= BLOCK_CHARS) this.#join();
  }

  /** Replaces the whole text. */
  set(text: string): void {
    this.#blocks = [];
    this.#pieces = [];
    this.#pieceChars = 0;
    this.#chars = 0;
    this.add(text);
  }

  toString(): string {
    this.#join();
    // Keep the joined text, so that the next read is free.
    this.#blocks = [this.#blocks.join("")];
    return this.#blocks[0] ?? "";
  }

  #join(): void {
    this.#blocks.push(this.#pieces.join(""));
    this.#pieces = [];
    this.#pieceChars = 0;
  }
}
