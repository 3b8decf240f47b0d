// Writes answers as Anthropic's messages. Thinking of other vendors is left out: it has no signature, and a client would send it back.
// Blocks have numbers from 0, open before their deltas, and close before the message does.

import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import { parseJson } from "../../core/try-read.ts";
import {
  type AboutAnswer,
  type AnswerCall,
  type AnswerFinish,
  AnswerWriter,
  callsIn,
  type DialectWriter,
  inputObject,
  named,
  totalsOf,
} from "./answer-writing.ts";
import { textIn } from "../../provider/model/tally.ts";

const STOPS: Readonly<Record<LanguageModelV4FinishReason["unified"], string>> = {
  "stop": "end_turn",
  "length": "max_tokens",
  "content-filter": "refusal",
  "tool-calls": "tool_use",
  "interrupted": "max_tokens",
  "error": "end_turn",
  "other": "end_turn",
};

export const ANTHROPIC_WRITER: DialectWriter = {
  stream: (about) => new MessageStream(about),
  body: ({ content, finishReason, usage }, about) => {
    const text = textIn(content);
    const calls = callsIn(content).map((call) => ({
      type: "tool_use",
      id: call.toolCallId,
      name: call.toolName,
      input: inputObject(call),
    }));
    return {
      ...messageOf(about),
      content: [...(text === "" ? [] : [{ type: "text", text }]), ...calls],
      stop_reason: STOPS[finishReason.unified],
      usage: usageOf(usage),
    };
  },
};

function messageOf({ id, model }: AboutAnswer): Readonly<Record<string, unknown>> {
  return {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
}

/** Anthropic counts cached tokens apart from the others. */
function usageOf(usage: LanguageModelV4Usage): unknown {
  const { input, cached, cacheWrite, output } = totalsOf(usage);
  return {
    input_tokens: Math.max(0, input - cached - cacheWrite),
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: cacheWrite,
    output_tokens: output,
  };
}

class MessageStream extends AnswerWriter {
  #next = 0;
  /** The number of the open text block. */
  #text: number | null = null;
  readonly #calls = new Map<string, { readonly index: number; hasInput: boolean; isOpen: boolean }>();

  finish({ finishReason, usage }: AnswerFinish): string {
    const begun = this.begin();
    const closed = this.textEnd() + [...this.#calls.keys()].map((id) => this.#closeCall(id)).join("");
    const delta = { stop_reason: STOPS[finishReason.unified], stop_sequence: null };
    const ended = named("message_delta", { type: "message_delta", delta, usage: usageOf(usage) });
    return begun + closed + ended + named("message_stop", { type: "message_stop" });
  }

  protected override head(): string {
    // The target tells the count at the end; until then clients show this one.
    const usage = { input_tokens: this.about.inputTokens, output_tokens: 0 };
    return named("message_start", { type: "message_start", message: { ...messageOf(this.about), usage } });
  }

  #open(contentBlock: unknown): { readonly index: number; readonly written: string } {
    const begun = this.begin();
    const index = this.#next++;
    const start = { type: "content_block_start", index, content_block: contentBlock };
    return { index, written: begun + named("content_block_start", start) };
  }

  protected text(text: string): string {
    let written = "";
    if (this.#text === null) {
      const opened = this.#open({ type: "text", text: "" });
      this.#text = opened.index;
      written = opened.written;
    }
    return written + this.#delta(this.#text, { type: "text_delta", text });
  }

  protected override textEnd(): string {
    if (this.#text === null) return "";
    const index = this.#text;
    this.#text = null;
    return named("content_block_stop", { type: "content_block_stop", index });
  }

  protected override callStart(id: string, name: string): string {
    const closed = this.textEnd();
    const { index, written } = this.#open({ type: "tool_use", id, name, input: {} });
    this.#calls.set(id, { index, hasInput: false, isOpen: true });
    return closed + written;
  }

  protected override callInput(id: string, delta: string): string {
    const call = this.#calls.get(id);
    if (call === undefined) return "";
    call.hasInput = true;
    return this.#delta(call.index, { type: "input_json_delta", partial_json: delta });
  }

  protected wholeCall({ toolCallId: id, toolName, input }: AnswerCall): string {
    const opened = this.#calls.has(id) ? "" : this.callStart(id, toolName);
    const rest = this.#calls.get(id)?.hasInput === true || input === "" ? "" : this.callInput(id, input);
    // A block that is closed looks like a call that can be run. What is no JSON ends with the error of this attempt.
    return opened + rest + (input === "" || parseJson(input) !== undefined ? this.#closeCall(id) : "");
  }

  #closeCall(id: string): string {
    const call = this.#calls.get(id);
    if (call?.isOpen !== true) return "";
    call.isOpen = false;
    return named("content_block_stop", { type: "content_block_stop", index: call.index });
  }

  #delta(index: number, delta: unknown): string {
    return named("content_block_delta", { type: "content_block_delta", index, delta });
  }
}
