// Passes the parts of a streamed answer to the caller. Nothing reaches the caller before the first content, so an attempt that fails
// earlier can be retried without the caller noticing.
// K1  The caller never sees parts of an attempt that failed before its first content.
// K2  After the first content the stream always ends with a finish part or an error.
// K3  The caller sets the pace: nothing is read ahead of a slow reader.
// K4  Reasoning is shown but does not commit the call. If the attempt fails, its blocks are closed and the next attempt opens new ones.
// K5  With `restart` the caller sees only complete answers: text it has seen and tools it has run cannot be taken back.

import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { MOST_BYTES, PIECE_BYTES, tooLarge } from "../fetch/bounded.ts";
import { PacedStream } from "../paced-stream.ts";

type Part = LanguageModelV4StreamPart;

/** What to do when a stream breaks after content has reached the caller. */
export type MidStream = "fail" | "restart" | "continue";

interface Block {
  readonly type: "text" | "reasoning";
  readonly id: string;
}

const nothing = (): void => undefined;

export class StreamSink {
  readonly midStream: MidStream;
  /** The response details of the model that is answering. */
  response: LanguageModelV4StreamResult["response"];
  /** The stream that the caller reads. */
  readonly paced = new PacedStream<Part>();
  private onOpen: () => void = nothing;
  private held: Part[] = [];
  private heldSize = 0;
  private opened = false;
  /** The caller has seen part of the answer itself. */
  private answered = false;
  /** The parts of this attempt are held back for now. */
  private holds = true;
  /** Blocks that are open on the caller's side. */
  private blocks: Block[] = [];
  private text = "";
  private sawToolCall = false;
  /** The text block that is open on the caller's side. A continuation writes into it. */
  private openText: string | null = null;
  /** The first text block of a continuation, whose parts go into `openText`. */
  private adopted: string | null = null;
  /** This attempt continues the text of an earlier one. */
  private continues = false;
  /** White space at the end of what the caller has seen. A continuation is asked for without it, so models repeat it. */
  private trailing = "";

  constructor(midStream: MidStream) {
    this.midStream = midStream;
  }

  /** Calls back at the first content, or when the stream ends. */
  whenOpen(listener: () => void): void {
    this.onOpen = listener;
  }

  /** Content has reached the caller. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** No attempt has delivered any part. */
  get isUntouched(): boolean {
    return !this.opened && this.held.length === 0;
  }

  /** The text the caller has seen, if another model could continue it: plain text only. */
  get continuable(): string | null {
    return this.opened && this.midStream === "continue" && !this.sawToolCall && this.text !== "" ? this.text : null;
  }

  /** Whether a break from here on reaches the caller. */
  get isCommitted(): boolean {
    return this.answered && this.continuable === null;
  }

  /** The caller has this text already, from a stream of its own: the next attempt continues it. */
  resume(text: string): void {
    this.opened = true;
    this.answered = true;
    this.holds = false;
    this.text = text;
    this.openText = "0";
  }

  /** An attempt begins. */
  begin(): void {
    this.held = [];
    this.heldSize = 0;
    this.adopted = null;
    this.continues = this.continuable !== null;
    this.trailing = this.text.slice(this.text.trimEnd().length);
    if (this.continues) return;
    this.holds = true;
    for (const { type, id } of this.blocks) this.paced.put({ type: `${type}-end`, id });
    this.blocks = [];
  }

  /** Returns the part as the caller gets it; null if it gets nothing. */
  push(part: Part): Part | null {
    const own = this.continues ? this.continued(part) : part;
    if (own === null) return null;
    if (this.midStream === "continue") this.note(own);
    if (this.holds) {
      this.hold(own);
      if (this.midStream !== "restart" && isContent(own)) this.flush();
    } else this.show(own);
    return own;
  }

  /** The answer is whole. */
  finish(part: Part): void {
    this.flush();
    this.paced.put(part);
    this.paced.close();
  }

  /** The stream is open, and broke, and cannot be recovered. */
  fail(error: unknown, part: Part): void {
    this.paced.put({ type: "error", error });
    this.paced.put(part);
    this.paced.close();
  }

  /** The reader of an open stream aborted, so the stream errors with the reason. */
  abort(reason: unknown): void {
    this.paced.error(reason);
  }

  /** Bounds the memory for an upstream that keeps sending parts that cannot be shown yet. */
  private hold(part: Part): void {
    this.heldSize += PIECE_BYTES + ("delta" in part ? part.delta.length : 0);
    if (this.heldSize > MOST_BYTES.answer) throw tooLarge("answer");
    this.held.push(part);
  }

  private flush(): void {
    this.holds = false;
    const isFirst = !this.opened;
    this.opened = true;
    for (const part of this.held) if (isFirst || part.type !== "stream-start") this.show(part);
    this.held = [];
    if (isFirst) this.onOpen();
  }

  private show(part: Part): void {
    if (!this.answered) this.mark(part);
    this.paced.put(part);
  }

  /** Tracks open blocks: until the answer begins, a failed attempt may have to close them. */
  private mark(part: Part): void {
    switch (part.type) {
      case "text-start":
        this.blocks.push({ type: "text", id: part.id });
        break;
      case "reasoning-start":
        this.blocks.push({ type: "reasoning", id: part.id });
        break;
      case "text-end":
      case "reasoning-end":
        this.blocks = this.blocks.filter(({ type, id }) => part.type !== `${type}-end` || part.id !== id);
        break;
      default:
        this.answered = isContent(part) && !isThought(part);
    }
  }

  /** Remembers what another model needs to continue the answer. */
  private note(part: Part): void {
    switch (part.type) {
      case "text-start":
        this.openText = part.id;
        break;
      case "text-delta":
        this.text += part.delta;
        break;
      case "text-end":
        this.openText = null;
        break;
      case "tool-input-start":
      case "tool-call":
        this.sawToolCall = true;
        break;
      default:
    }
  }

  /** Maps a part of a continuation into the answer it continues; null for parts the caller already has. */
  private continued(part: Part): Part | null {
    switch (part.type) {
      case "stream-start":
      case "response-metadata":
        return null;
      case "text-start":
        if (this.openText === null || this.adopted !== null) return part;
        this.adopted = part.id;
        return null;
      case "text-delta":
        return this.withoutTrailing(
          part.id === this.adopted && this.openText !== null ? { ...part, id: this.openText } : part,
        );
      case "text-end":
        return part.id === this.adopted && this.openText !== null ? { ...part, id: this.openText } : part;
      default:
        return part;
    }
  }

  private withoutTrailing(part: Extract<Part, { type: "text-delta" }>): Part | null {
    const { delta } = part;
    let same = 0;
    while (same < delta.length && same < this.trailing.length && delta[same] === this.trailing[same]) same += 1;
    this.trailing = same === delta.length ? this.trailing.slice(same) : "";
    if (same === 0) return part;
    return same === delta.length ? null : { ...part, delta: delta.slice(same) };
  }
}

const NO_CONTENT: ReadonlySet<Part["type"]> = new Set<Part["type"]>([
  "stream-start",
  "response-metadata",
  "text-start",
  "reasoning-start",
  "text-end",
  "reasoning-end",
  // Anthropic's first event: the message has started, but has no content yet.
  "custom",
  "raw",
  "ping",
  "finish",
  "error",
]);

/** Whether the part is content, as opposed to keep-alives and empty deltas. */
export function isContent(part: Part): boolean {
  if (part.type === "text-delta" || part.type === "reasoning-delta") return part.delta !== "";
  return !NO_CONTENT.has(part.type);
}

/** Whether the part is reasoning. */
export function isThought({ type }: Part): boolean {
  return type === "reasoning-delta" || type === "reasoning-start" || type === "reasoning-file";
}
