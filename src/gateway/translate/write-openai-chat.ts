// Writes answers as OpenAI's chat completions.

import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import {
  type AboutAnswer,
  type AnswerCall,
  type AnswerFinish,
  type AnswerPart,
  type AnswerWriter,
  callsIn,
  type DialectWriter,
  event,
  inputText,
  OpenCalls,
  secondsOf,
  signatureOf,
  textIn,
  thoughtsIn,
  totalsOf,
} from "./answer-writing.ts";

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
      ...{ id: call.toolCallId, ...calledBy(call, about) },
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

function headOf(object: string, { id, createdAt, model }: AboutAnswer): Readonly<Record<string, unknown>> {
  return { id: `chatcmpl-${id}`, object, created: secondsOf(createdAt), model };
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

class ChatStream implements AnswerWriter {
  readonly #about: AboutAnswer;
  readonly #calls = new OpenCalls();
  #isFirst = true;

  constructor(about: AboutAnswer) {
    this.#about = about;
  }

  part(part: AnswerPart): string {
    switch (part.type) {
      case "text-delta":
        return part.delta === "" ? "" : this.#delta({ content: part.delta });
      case "reasoning-delta":
        return part.delta === "" ? "" : this.#delta({ reasoning_content: part.delta });
      case "tool-input-start":
        return part.providerExecuted === true || this.#about.textTools.has(part.toolName)
          ? ""
          : this.#open(part.id, part.toolName);
      case "tool-input-delta": {
        const call = this.#calls.get(part.id);
        if (call === null || part.delta === "") return "";
        call.sent += part.delta.length;
        return this.#delta({ tool_calls: [{ index: call.index, function: { arguments: part.delta } }] });
      }
      case "tool-call":
        return part.providerExecuted === true ? "" : this.#whole(part);
      default:
        return "";
    }
  }

  finish({ finishReason, usage }: AnswerFinish): string {
    const ended = this.#chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: STOPS[finishReason.unified] }]);
    const used = this.#about.wantsUsage ? event({ ...this.#head(), choices: [], usage: usageOf(usage) }) : "";
    return `${this.#begin()}${ended}${used}data: [DONE]\n\n`;
  }

  #open(id: string, name: string): string {
    const { index } = this.#calls.open(id, name);
    return this.#delta({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
  }

  /** The call is complete. Some targets give its input only now. */
  #whole(call: AnswerCall): string {
    const id = call.toolCallId;
    if (this.#about.textTools.has(call.toolName)) {
      const { index } = this.#calls.open(id, call.toolName);
      return this.#delta({ tool_calls: [{ index, id, ...calledBy(call, this.#about) }] });
    }
    const opened = this.#calls.get(id) === null ? this.#open(id, call.toolName) : "";
    const known = this.#calls.get(id);
    if (known === null) return opened;
    const input = known.sent > 0 || call.input === "" ? {} : { function: { arguments: call.input } };
    const rest = { ...input, ...signed(call) };
    if (Object.keys(rest).length === 0) return opened;
    return opened + this.#delta({ tool_calls: [{ index: known.index, ...rest }] });
  }

  #delta(delta: unknown): string {
    return this.#begin() + this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]);
  }

  #begin(): string {
    if (!this.#isFirst) return "";
    this.#isFirst = false;
    return this.#chunk([{ index: 0, delta: { role: "assistant", content: "" }, logprobs: null, finish_reason: null }]);
  }

  #chunk(choices: readonly unknown[]): string {
    return event({ ...this.#head(), choices });
  }

  #head(): Readonly<Record<string, unknown>> {
    return headOf("chat.completion.chunk", this.#about);
  }
}
