// Collects what the protocol readers find and judges the end of the answer.
// T1  The end is judged once, and nothing changes after it.
// T2  A reported error beats every judgement, and the first reported error wins.
// T3  After something was too large to inspect, neither success nor failure is claimed.

import type { Evidence } from "../../core/index.ts";
import { isFilled, lengthOf } from "./json-value.ts";
import type { LookedAway, WireState, WireUsage } from "./wire-state.ts";

interface TallyOptions {
  readonly keepText: boolean;
  readonly wantsJson: boolean;
  readonly maxTextCharacters: number;
  /** The origin that is added to all evidence. */
  readonly origin: Pick<Evidence, "surface" | "provider">;
}

/** The mutable form of `WireState`. Callers only see `WireState`. */
type Counting = { -readonly [Field in keyof WireState]: WireState[Field] };

/** More choices than a real request asks for. Further ones are ignored. */
const MAX_CHOICES = 256;

export class WireTally {
  readonly state: Counting;
  private readonly options: TallyOptions;
  /** Choices that have started and not stopped. A request may ask for several, and most ask for one: lists cost less than sets. */
  private readonly open: number[] = [];
  private readonly ended: number[] = [];
  private sawAnswer = false;
  private isRefused = false;
  private isBlocked = false;
  private isDeferred = false;

  constructor(options: TallyOptions) {
    this.options = options;
    this.state = {
      sawContent: false,
      sawToolCall: false,
      isThinking: false,
      progress: 0,
      textLength: 0,
      outputLength: 0,
      text: options.keepText ? "" : null,
      stopReason: null,
      usage: null,
      isComplete: false,
      failure: null,
      hasEnded: false,
      lookedAway: null,
    };
  }

  text(choice: number, piece: string): void {
    if (piece === "") return;
    this.output(piece);
    // Only the first choice can be continued. The others count as output.
    if (choice !== 0) return;
    this.state.textLength += piece.length;
    if (this.state.text === null) return;
    this.state.text += piece;
    if (this.state.textLength > this.options.maxTextCharacters) this.lookAway("text");
  }

  reasoning(piece: unknown): void {
    if (!isFilled(piece)) return;
    this.state.sawContent = true;
    this.state.isThinking = true;
    if (typeof piece === "string") this.state.outputLength += piece.length;
    this.state.progress++;
  }

  /** `piece`: the next part of its arguments. */
  toolCall(piece?: unknown): void {
    this.state.sawToolCall = true;
    this.output(piece);
  }

  /** Any other output: an image, audio, a search by the provider. `piece`: its text, if any. */
  output(piece?: unknown): void {
    this.state.outputLength += lengthOf(piece);
    this.sawAnswer = true;
    this.state.isThinking = false;
    this.state.sawContent = true;
    this.state.progress++;
  }

  /** A refusal is not content: the caller has seen nothing yet, so another model can still be called. */
  refusal(): void {
    this.isRefused = true;
    this.state.progress++;
  }

  advance(steps = 1): void {
    this.state.progress += steps;
  }

  began(choice: number): void {
    if (this.open.length >= MAX_CHOICES || this.ended.includes(choice) || this.open.includes(choice)) return;
    this.open.push(choice);
  }

  stopped(choice: number, reason: string): void {
    const at = this.open.indexOf(choice);
    if (at !== -1) this.open.splice(at, 1);
    if (this.ended.length < MAX_CHOICES && !this.ended.includes(choice)) this.ended.push(choice);
    this.state.progress++;
    // If there are several reasons, the worst is kept.
    if (this.state.stopReason === null || stopMeaning(this.state.stopReason) === null) this.state.stopReason = reason;
  }

  /** For protocols where the stop reason is the end mark: complete once every choice that started has stopped. */
  completeIfAllStopped(): void {
    if (this.open.length > 0) this.state.isComplete = false;
    else if (this.ended.length > 0) this.complete();
  }

  /** The prompt itself was refused, so there is no answer. */
  blocked(reason: string): void {
    this.isBlocked = true;
    this.state.stopReason = reason;
    this.state.progress++;
  }

  /** The answer is produced in the background and fetched later, so an empty response is correct. */
  deferred(): void {
    this.isDeferred = true;
  }

  used(usage: WireUsage): void {
    this.state.usage = usage;
  }

  complete(): void {
    if (this.state.failure === null) this.state.isComplete = true;
  }

  saidError(evidence: Omit<Evidence, "surface" | "provider">): void {
    this.state.failure ??= { ...this.options.origin, ...evidence };
    this.state.isComplete = false;
    this.state.progress++;
  }

  lookAway(from: LookedAway): void {
    if (this.state.hasEnded) return;
    this.state.lookedAway ??= from;
    this.state.isComplete = false;
  }

  /** `unfinished` explains a missing end mark. It is called only in that case. */
  close(unfinished: () => Omit<Evidence, "surface" | "provider">): void {
    if (this.state.hasEnded) return;
    this.state.hasEnded = true;
    if (this.state.failure !== null || this.state.lookedAway !== null) return;
    if (this.state.isComplete) this.state.failure = this.badEnd();
    else this.state.failure = { ...this.options.origin, ...unfinished() };
  }

  private badEnd(): Evidence | null {
    const { provider } = this.options.origin;
    const stopReason = this.state.stopReason ?? "";
    if (this.isBlocked) {
      const message = `the prompt was blocked: block reason ${stopReason}`;
      // As a block reason, OTHER still means blocked. As a stop reason it would mean a server failure.
      return stopReason === "OTHER"
        ? { surface: "stop", provider, message }
        : { surface: "stop", provider, stopReason, message };
    }
    if (this.isRefused) return { surface: "stop", provider, stopReason: "refusal" };
    const meaning = stopMeaning(stopReason);
    if (meaning === "failed") return { surface: "stop", provider, stopReason };
    if (meaning === "cut") return this.isUselessWhenCut() ? { surface: "stop", provider, stopReason } : null;
    return this.sawAnswer || this.isDeferred ? null : { ...this.options.origin, ...EMPTY };
  }

  /** Half a sentence is usable. Half a call, half a JSON document or an answer of only reasoning is not. */
  private isUselessWhenCut(): boolean {
    return this.state.sawToolCall || this.options.wantsJson || !this.sawAnswer;
  }
}

export const EMPTY: Omit<Evidence, "surface" | "provider"> = Object.freeze({
  status: 200,
  body: "",
  message: "the model returned an empty response: status 200 without content",
});

// The meaning of stop reasons. Reasons not listed (`stop`, `end_turn`, `tool_use`, `pause_turn`, and future ones) are not failures: a new
// reason must not break a good answer.

/** `failed`: the answer is unusable. `cut`: the token limit was reached; truncated plain text is still usable. */
type StopMeaning = "failed" | "cut";

function stopMeaning(reason: string): StopMeaning | null {
  return MEANINGS.get(reason.toLowerCase()) ?? null;
}

// prettier-ignore
const FAILED = [
  // Refused or filtered (OpenAI, Anthropic, Google).
  "content_filter", "content_filtered", "refusal", "safety", "recitation", "language", "blocklist", "prohibited_content", "spii",
  "image_safety", "image_prohibited_content", "image_recitation", "model_armor", "jailbreak", "guardrail_intervened",
  // The context window is full (Anthropic, Mistral).
  "model_context_window_exceeded", "model_length",
  // The model wrote a malformed call (Google).
  "malformed_function_call", "malformed_response", "unexpected_tool_call", "too_many_tool_calls",
  // The server stopped early (OpenRouter and Mistral, DeepSeek, vLLM, Google).
  "error", "insufficient_system_resource", "abort", "other", "image_other",
];
const CUT = ["max_tokens", "length", "max_output_tokens"];

const MEANINGS: ReadonlyMap<string, StopMeaning> = new Map([
  ...FAILED.map((reason) => [reason, "failed"] as const),
  ...CUT.map((reason) => [reason, "cut"] as const),
]);

/** For the test that compares this list with the classifier's. */
export const STOP_REASONS: readonly string[] = [...MEANINGS.keys()];
