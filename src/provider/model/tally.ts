// What has come of a streamed answer so far: enough to judge it, to price it when nobody says, and to give it again.

import type {
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import type { Answer } from "./verdict.ts";

interface Block {
  type: "text" | "reasoning";
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

type BlockPart = Extract<
  LanguageModelV4StreamPart,
  { type: `${Block["type"]}-start` | `${Block["type"]}-delta` | `${Block["type"]}-end` }
>;

export class Tally {
  readonly #content: LanguageModelV4Content[] = [];
  readonly #blocks = new Map<string, Block>();
  readonly #toolInputs = new Map<string, string>();
  /** Of the attempt that runs. */
  characters = 0;

  add(part: LanguageModelV4StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "reasoning-start": {
        const block: Block = { type: part.type === "text-start" ? "text" : "reasoning", text: "" };
        this.#blocks.set(`${block.type} ${part.id}`, block);
        this.#content.push(block);
        this.#sign(part);
        return;
      }
      case "text-delta":
      case "reasoning-delta": {
        const block = this.#sign(part);
        if (block !== undefined) block.text += part.delta;
        this.characters += part.delta.length;
        return;
      }
      case "text-end":
      case "reasoning-end":
        this.#sign(part);
        return;
      case "tool-input-start":
        this.#toolInputs.set(part.id, "");
        return;
      case "tool-input-delta":
        this.#toolInputs.set(part.id, (this.#toolInputs.get(part.id) ?? "") + part.delta);
        this.characters += part.delta.length;
        return;
      case "tool-call":
        this.#toolInputs.set(part.toolCallId, part.input);
        this.#content.push(part);
        return;
      case "tool-result":
      case "file":
      case "source":
        this.#content.push(part);
        return;
      default:
    }
  }

  /** Signatures of thoughts come with any of their parts; the last word counts. */
  #sign(part: BlockPart): Block | undefined {
    const block = this.#blocks.get(`${part.type.startsWith("text") ? "text" : "reasoning"} ${part.id}`);
    if (block !== undefined && part.providerMetadata !== undefined) block.providerMetadata = part.providerMetadata;
    return block;
  }

  get text(): string {
    return textIn(this.#content);
  }

  /** As a model that does not stream would have given it. */
  get content(): readonly LanguageModelV4Content[] {
    return this.#content;
  }

  answer(finishReason: LanguageModelV4FinishReason): Answer {
    return { ...answerIn(this.#content, finishReason), toolInputs: [...this.#toolInputs.values()] };
  }
}

export function answerIn(
  content: readonly LanguageModelV4Content[],
  finishReason: LanguageModelV4FinishReason,
): Answer {
  return {
    text: textIn(content),
    hasOther: content.some((part) => part.type !== "text" && !(part.type === "reasoning" && part.text === "")),
    toolInputs: content.flatMap((part) => (part.type === "tool-call" ? [part.input] : [])),
    finishReason,
  };
}

function textIn(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
