// Where the parts of a streamed answer go. Nothing reaches the caller before the first content has arrived, so that an attempt
// that fails before it can be made again unseen.
// K1  parts of an attempt that failed before its first content are never seen.
// K2  after the first content the stream ends with a finish or with an error, never without either.
// K3  the caller's pace is the upstream's pace: nothing is read ahead of a slow reader.
// K4  thoughts are shown, and commit to nothing: when the attempt fails, they are closed, and the next one's begin a new block.
// K5  with `restart` an answer is shown when it is whole: what a reader has seen, and tools it has run, cannot be taken back.

import type { LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { MOST_BYTES, PIECE_BYTES, tooLarge } from "../fetch/bounded.ts";
import { PacedStream } from "../paced-stream.ts";

type Part = LanguageModelV4StreamPart;

/** What happens when a stream breaks after content has reached the caller. */
export type MidStream = "fail" | "restart" | "continue";

interface Block {
  readonly type: "text" | "reasoning";
  readonly id: string;
}

const nothing = (): void => undefined;

export class StreamSink {
  readonly midStream: MidStream;
  /** What the model in charge said when it began to answer. */
  response: LanguageModelV4StreamResult["response"];
  /** What the caller reads. */
  readonly paced = new PacedStream<Part>();
  private open: () => void = nothing;
  private held: Part[] = [];
  private heldSize = 0;
  private opened = false;
  /** The caller has seen something of the answer itself. */
  private answered = false;
  /** What the attempt has sent is kept back. */
  private holds = true;
  /** Blocks that the caller has seen begin and not end. */
  private blocks: Block[] = [];
  private text = "";
  private sawToolCall = false;
  /** The text block the caller has seen begin and not end; parts of a continuation belong to it. */
  private openText: string | null = null;
  private adopted: string | null = null;
  private continues = false;
  /** White space the caller has seen last: models go on from a text without it, and say it again. */
  private saidAgain = "";

  constructor(midStream: MidStream) {
    this.midStream = midStream;
  }

  /** Tells when the first content is there, or the stream has come to its end. */
  whenOpen(tell: () => void): void {
    this.open = tell;
  }

  /** Content has reached the caller. */
  get isOpen(): boolean {
    return this.opened;
  }

  /** Not one part has come, of any attempt. */
  get isUntouched(): boolean {
    return !this.opened && this.held.length === 0;
  }

  /** What the caller has seen so far, if another model could go on from it: plain text and nothing else. */
  get continuable(): string | null {
    return this.opened && this.midStream === "continue" && !this.sawToolCall && this.text !== "" ? this.text : null;
  }

  /** Whether a break from here on is the caller's business. */
  get isCommitted(): boolean {
    return this.answered && this.continuable === null;
  }

  /** An attempt begins. */
  begin(): void {
    this.held = [];
    this.heldSize = 0;
    this.adopted = null;
    this.continues = this.continuable !== null;
    this.saidAgain = this.openText === null ? "" : this.text.slice(this.text.trimEnd().length);
    if (this.continues) return;
    this.holds = true;
    for (const { type, id } of this.blocks) this.paced.put({ type: `${type}-end`, id });
    this.blocks = [];
  }

  /** The part as the caller gets it; null when it gets nothing. */
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
    if (this.holds) this.flush();
    this.paced.put(part);
    this.paced.close();
  }

  /** It broke, and nothing can be done about it any more. */
  fail(error: unknown, part: Part): void {
    if (!this.opened) this.open();
    this.opened = true;
    this.paced.put({ type: "error", error });
    this.paced.put(part);
    this.paced.close();
  }

  /** A stream that is cut short by its reader ends as streams do: with the reason. */
  abort(reason: unknown): void {
    this.open();
    this.paced.error(reason);
  }

  /** An upstream that sends without end, and nothing that may be shown, must not fill the memory. */
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
    if (isFirst) this.open();
  }

  private show(part: Part): void {
    if (!this.answered) this.mark(part);
    this.paced.put(part);
  }

  /** Until there is an answer, blocks may have to be closed for an attempt that failed. */
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

  /** What another model has to know to go on from here. */
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

  /** A part of a continuation, as a part of what it continues; null for what the caller has had already. */
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
        return part.id === this.adopted && this.openText !== null ? this.unsaid({ ...part, id: this.openText }) : part;
      case "text-end":
        return part.id === this.adopted && this.openText !== null ? { ...part, id: this.openText } : part;
      default:
        return part;
    }
  }

  private unsaid(part: Extract<Part, { type: "text-delta" }>): Part | null {
    const { delta } = part;
    let said = 0;
    while (said < delta.length && said < this.saidAgain.length && delta[said] === this.saidAgain[said]) said += 1;
    this.saidAgain = said === delta.length ? this.saidAgain.slice(said) : "";
    if (said === 0) return part;
    return said === delta.length ? null : { ...part, delta: delta.slice(said) };
  }
}

const NO_CONTENT: ReadonlySet<Part["type"]> = new Set<Part["type"]>([
  "stream-start",
  "response-metadata",
  "text-start",
  "reasoning-start",
  "text-end",
  "reasoning-end",
  // Anthropic's first: a message has begun, and nothing of it is there yet.
  "custom",
  "raw",
  "ping",
  "finish",
  "error",
]);

/** Something of the answer itself: from here on the caller has seen it. Keep-alives and empty deltas are none. */
export function isContent(part: Part): boolean {
  if (part.type === "text-delta" || part.type === "reasoning-delta") return part.delta !== "";
  return !NO_CONTENT.has(part.type);
}

/** What a model thinks before it answers. */
export function isThought({ type }: Part): boolean {
  return type === "reasoning-delta" || type === "reasoning-start" || type === "reasoning-file";
}
