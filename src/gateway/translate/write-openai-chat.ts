// Writes answers as OpenAI's chat completions.

import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import {
  type AboutAnswer,
  type AnswerCall,
  type AnswerFinish,
  AnswerWriter,
  callsIn,
  type DialectWriter,
  event,
  inputText,
  secondsOf,
  signatureOf,
  thoughtsIn,
  totalsOf,
} from "./answer-writing.ts";
import { textIn } from "../../provider/model/tally.ts";

const STOPS: Readonly<Record<LanguageModelV4FinishReason["unified"], string>> = {
  "stop": "stop",
  "length": "length",
  "content-filter": "content_filter",
  "tool-calls": "tool_calls",
  "interrupted": "length",
  "error": "stop",
  "other": "stop",
};

export const OPENAI_CHAT_WRITER: DialectWriter = {
  stream: (about) => new ChatStream(about),
  body: ({ content, finishReason, usage }, about) => {
    const calls = callsIn(content).map((call) => ({
      id: call.toolCallId,
      ...calledBy(call, about),
      ...signed(call),
    }));
    const thoughts = thoughtsIn(content);
    const message = {
      role: "assistant",
      content: textIn(content) || null,
      refusal: null,
      ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      ...headOf("chat.completion", about),
      choices: [{ index: 0, message, logprobs: null, finish_reason: STOPS[finishReason.unified] }],
      usage: usageOf(usage),
    };
  },
};

function headOf(object: string, { id, createdAt, model, sent }: AboutAnswer): Readonly<Record<string, unknown>> {
  return { id: sent?.id ?? `chatcmpl-${id}`, object, created: secondsOf(createdAt), model };
}

function usageOf(usage: LanguageModelV4Usage): unknown {
  const { input, cached, output, reasoning } = totalsOf(usage);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

function calledBy(call: AnswerCall, { textTools }: AboutAnswer): Readonly<Record<string, unknown>> {
  const { toolName: name, input } = call;
  return textTools.has(name)
    ? { type: "custom", custom: { name, input: inputText(call) } }
    : { type: "function", function: { name, arguments: input } };
}

/** Where Google's own endpoint for chat completions has its signature; clients that send it back keep the model's train of thought. */
function signed(call: AnswerCall): Readonly<Record<string, unknown>> {
  const signature = signatureOf(call);
  return signature === null ? {} : { extra_content: { google: { thought_signature: signature } } };
}

interface OpenCall {
  readonly index: number;
  /** The client has some of its input. */
  hasInput: boolean;
}

class ChatStream extends AnswerWriter {
  readonly #calls = new Map<string, OpenCall>();

  protected text(content: string): string {
    return this.#delta({ content });
  }

  protected override thought(text: string): string {
    return this.#delta({ reasoning_content: text });
  }

  protected override callStart(id: string, name: string): string {
    if (this.about.textTools.has(name)) return "";
    const { index } = this.#open(id);
    return this.#delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
  }

  protected override callInput(id: string, delta: string): string {
    const call = this.#calls.get(id);
    if (call === undefined) return "";
    call.hasInput = true;
    return this.#delta({ tool_calls: [{ index: call.index, function: { arguments: delta } }] });
  }

  finish({ finishReason, usage }: AnswerFinish): string {
    const ended = this.#chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: STOPS[finishReason.unified] }]);
    const used = this.about.wantsUsage ? this.#chunk([], { usage: usageOf(usage) }) : "";
    return `${this.begin()}${ended}${used}data: [DONE]\n\n`;
  }

  #open(id: string): OpenCall {
    const call = { index: this.#calls.size, hasInput: false };
    this.#calls.set(id, call);
    return call;
  }

  protected wholeCall(call: AnswerCall): string {
    const id = call.toolCallId;
    if (this.about.textTools.has(call.toolName)) {
      const { index } = this.#open(id);
      return this.#delta({ tool_calls: [{ index, id, ...calledBy(call, this.about) }] });
    }
    const opened = this.#calls.has(id) ? "" : this.callStart(id, call.toolName);
    const known = this.#calls.get(id);
    if (known === undefined) return opened;
    const input = known.hasInput || call.input === "" ? {} : { function: { arguments: call.input } };
    const rest = { ...input, ...signed(call) };
    if (Object.keys(rest).length === 0) return opened;
    return opened + this.#delta({ tool_calls: [{ index: known.index, ...rest }] });
  }

  #delta(delta: unknown): string {
    return this.begin() + this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]);
  }

  protected override head(): string {
    return this.#chunk([{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }]);
  }

  #chunk(choices: readonly unknown[], extra: Readonly<Record<string, unknown>> = {}): string {
    return event({ ...headOf("chat.completion.chunk", this.about), choices, ...extra });
  }
}
