// The content of a streamed answer so far: enough to check it, to estimate its price and to replay it.

import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { ModelAnswer } from "./verdict.ts";

interface Block {
  type: "text" | "reasoning";
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

type DeltaPart = Extract<LanguageModelV4StreamPart, { type: `${Block["type"]}-delta` }>;
type BlockPart = Extract<
  LanguageModelV4StreamPart,
  { type: `${Block["type"]}-start` | `${Block["type"]}-delta` | `${Block["type"]}-end` }
>;

const UNFINISHED: LanguageModelV4FinishReason = { unified: "other", raw: undefined };

export class ContentTally {
  private readonly all: LanguageModelV4Content[] = [];
  /** The block that grew last. It is almost always the one that grows next, and in most answers the only one. */
  private growing: { readonly id: string; readonly block: Block } | null = null;
  /** All blocks by kind and id, once there are two. Blocks of different kinds may share an id. */
  private blocks: Map<string, Block> | null = null;
  private toolInputs: Map<string, string> | null = null;
  /** Characters of the current attempt. */
  characters = 0;

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
        this.begin("text", part);
        return;
      case "reasoning-start":
        this.begin("reasoning", part);
        return;
      case "text-delta":
        this.grow("text", part);
        return;
      case "reasoning-delta":
        this.grow("reasoning", part);
        return;
      case "text-end":
        sign(this.blockOf("text", part.id), part);
        return;
      case "reasoning-end":
        sign(this.blockOf("reasoning", part.id), part);
        return;
      case "tool-input-start":
        this.inputs.set(part.id, "");
        return;
      case "tool-input-delta":
        this.inputs.set(part.id, (this.inputs.get(part.id) ?? "") + part.delta);
        this.characters += part.delta.length;
        return;
      case "tool-call":
        if ((this.inputs.get(part.toolCallId) ?? "") === "") this.characters += part.input.length;
        this.inputs.set(part.toolCallId, part.input);
        this.all.push(part);
        return;
      case "tool-result":
      case "file":
      case "source":
        this.all.push(part);
        return;
      default:
    }
  }

  private get inputs(): Map<string, string> {
    return (this.toolInputs ??= new Map());
  }

  private begin(type: Block["type"], part: BlockPart): void {
    const block: Block = { type, text: "" };
    if (this.growing !== null) {
      this.blocks ??= new Map([[nameOf(this.growing.block.type, this.growing.id), this.growing.block]]);
      this.blocks.set(nameOf(type, part.id), block);
    }
    this.growing = { id: part.id, block };
    this.all.push(block);
    sign(block, part);
  }

  private grow(type: Block["type"], part: DeltaPart): void {
    this.characters += part.delta.length;
    const block = this.blockOf(type, part.id);
    if (block === undefined) return;
    block.text += part.delta;
    sign(block, part);
  }

  private blockOf(type: Block["type"], id: string): Block | undefined {
    const { growing } = this;
    if (growing?.id === id && growing.block.type === type) return growing.block;
    const block = this.blocks?.get(nameOf(type, id));
    if (block !== undefined) this.growing = { id, block };
    return block;
  }

  get text(): string {
    return answerIn(this.all, UNFINISHED).text;
  }

  /** The content as a call without streaming would return it. */
  get content(): readonly LanguageModelV4Content[] {
    return this.all;
  }

  answer(finishReason: LanguageModelV4FinishReason): ModelAnswer {
    const answer = answerIn(this.all, finishReason);
    return this.toolInputs === null ? answer : { ...answer, toolInputs: [...this.toolInputs.values()] };
  }
}

function nameOf(type: Block["type"], id: string): string {
  return `${type} ${id}`;
}

/** The signature of a reasoning block may come with any of its parts; the last one counts. */
function sign(block: Block | undefined, { providerMetadata }: BlockPart): void {
  if (block !== undefined && providerMetadata !== undefined) block.providerMetadata = providerMetadata;
}

/** Counts the characters of a whole answer the same way as those of a stream. */
export function charactersIn(content: readonly LanguageModelV4Content[]): number {
  let characters = 0;
  for (const part of content) {
    if (part.type === "text" || part.type === "reasoning") characters += part.text.length;
    else if (part.type === "tool-call") characters += part.input.length;
  }
  return characters;
}

export function answerIn(
  content: readonly LanguageModelV4Content[],
  finishReason: LanguageModelV4FinishReason,
): ModelAnswer {
  let text = "";
  let hasOther = false;
  const toolInputs: string[] = [];
  for (let at = 0, part; (part = content[at]) !== undefined; at++) {
    if (part.type === "text") text += part.text;
    else if (part.type !== "reasoning" || part.text !== "") hasOther = true;
    if (part.type === "tool-call") toolInputs.push(part.input);
  }
  return { text, hasOther, toolInputs, finishReason };
}
