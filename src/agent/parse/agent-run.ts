// Collects what the readers of the CLIs find: keeps the state and the events of the line at hand. These hold:
// R1  what is kept of lines, texts and denials is bounded, however much a CLI prints.
// R2  a final error is kept; later errors that are not final do not replace it.
// R3  after output that follows a retry, the retry is over.

import type { AgentError, AgentEvent, AgentRetry, AgentUsage, NoticeAbout } from "../event/agent-event.ts";
import type { AgentState, LineLog, PermissionDenial, RecordedError, UsageLimit } from "./agent-state.ts";

/** The mutable twin of `AgentState`, handed out only as that. */
type Collecting = { -readonly [Field in keyof AgentState]: AgentState[Field] };

const MAX_KEPT_LINES = 5;
const MAX_KEPT_LINE_CHARS = 300;
const MAX_TEXT_CHARS = 16_777_216;
const MAX_DENIALS = 100;
const MAX_OPEN_TOOLS = 1_000;
export const NO_LINES: LineLog = { count: 0, first: [] };

export class AgentRun {
  readonly state: Collecting = {
    text: "",
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
    limit: null,
    sawResult: false,
    isPlainText: false,
    hasTranscriptOnStderr: false,
    stalledSteps: 0,
    networkWaits: 0,
    unknownLines: NO_LINES,
    brokenLines: NO_LINES,
  };
  #events: AgentEvent[] = [];
  readonly #openTools = new Map<string, string>();
  readonly #deniedTools = new Set<string>();

  /** The events since the last call. */
  drain(): readonly AgentEvent[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  started(sessionId: string | null, model: string | null): void {
    const isNew =
      (sessionId !== null && this.state.sessionId === null) || (model !== null && this.state.model === null);
    this.state.sessionId = sessionId ?? this.state.sessionId;
    this.state.model = model ?? this.state.model;
    if (isNew) this.#events.push({ type: "started", sessionId: this.state.sessionId, model: this.state.model });
  }

  /** More of the answer. */
  text(delta: string): void {
    if (delta === "") return;
    this.#progressed();
    const text = this.state.text + delta;
    this.state.text = text.length > MAX_TEXT_CHARS ? text.slice(0, MAX_TEXT_CHARS) : text;
    this.#events.push({ type: "text", text: delta });
  }

  /** The answer as a whole, in place of what was collected; nothing new for whoever follows the events. */
  answer(text: string): void {
    this.state.text = text.slice(0, MAX_TEXT_CHARS);
  }

  thinking(text: string): void {
    if (text === "") return;
    this.#progressed();
    this.#events.push({ type: "thinking", text });
  }

  toolUse(id: string, name: string): void {
    this.#progressed();
    if (this.#openTools.size < MAX_OPEN_TOOLS) this.#openTools.set(id, name);
    this.state.toolRunning = true;
    this.#events.push({ type: "tool-use", id, name });
  }

  /** `denial` holds the words of a refusal to let the tool run; null when it ran. */
  toolResult(id: string, isError: boolean, denial: string | null): void {
    const name = this.#openTools.get(id) ?? "";
    this.#openTools.delete(id);
    this.state.toolRunning = this.#openTools.size > 0;
    const isDenied = denial !== null || this.#deniedTools.has(id);
    if (denial !== null) this.denied(id, name, denial);
    if (!isDenied) this.state.consecutiveDenials = 0;
    this.#events.push({ type: "tool-result", id, isError: isError || isDenied, isDenied });
  }

  /** A tool was not let run. CLIs say so twice or three times; by its id it counts once. */
  denied(id: string, tool: string, reason: string): void {
    if (this.#deniedTools.has(id) || this.state.permissionDenials.length >= MAX_DENIALS) return;
    if (id !== "") this.#deniedTools.add(id);
    const denial: PermissionDenial = { tool, reason: reason.slice(0, MAX_KEPT_LINE_CHARS) };
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

  /** An error that the CLI got over is no error of the run. */
  recovered(): void {
    this.state.lastError = null;
    this.state.lastRetry = null;
  }

  /** The line that proves a proper end. */
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
  }
}

function logged({ count, first }: LineLog, line: string): LineLog {
  if (first.length >= MAX_KEPT_LINES) return { count: count + 1, first };
  return { count: count + 1, first: [...first, line.slice(0, MAX_KEPT_LINE_CHARS)] };
}
