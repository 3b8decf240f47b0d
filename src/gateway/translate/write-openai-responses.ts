// Writes answers as OpenAI's responses: items that open and close, each with its number. Thinking of other vendors is left out: a client
// would send it back to a target that never stored it.

import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import {
  type AboutAnswer,
  type AnswerCall,
  type AnswerFinish,
  AnswerWriter,
  callsIn,
  type DialectWriter,
  inputText,
  named,
  secondsOf,
  totalsOf,
  responseIdOf,
} from "./answer-writing.ts";
import { textIn } from "../../provider/model/tally.ts";

/** Why a response is incomplete; null when it is complete. */
const CUTS: Readonly<Record<LanguageModelV4FinishReason["unified"], string | null>> = {
  "stop": null,
  "length": "max_output_tokens",
  "content-filter": "content_filter",
  "tool-calls": null,
  "interrupted": "max_output_tokens",
  "error": null,
  "other": null,
};

type Item = Readonly<Record<string, unknown>>;

export const OPENAI_RESPONSES_WRITER: DialectWriter = {
  stream: (about) => new ResponseStream(about),
  body: ({ content, finishReason, usage }, about) => {
    const text = textIn(content);
    const output = [
      ...(text === "" ? [] : [messageItem(`msg_${about.id}`, text)]),
      ...callsIn(content).map((call) => callItem(call, about)),
    ];
    return responseOf(about, finishReason, output, usage);
  },
};

function responseOf(
  about: AboutAnswer,
  finishReason: LanguageModelV4FinishReason | null,
  output: readonly Item[],
  usage: LanguageModelV4Usage | null,
): Item {
  const { model, createdAt } = about;
  const cut = finishReason === null ? null : CUTS[finishReason.unified];
  return {
    id: responseIdOf(about),
    object: "response",
    created_at: secondsOf(createdAt),
    status: finishReason === null ? "in_progress" : cut === null ? "completed" : "incomplete",
    error: null,
    incomplete_details: cut === null ? null : { reason: cut },
    instructions: null,
    metadata: {},
    model,
    output,
    parallel_tool_calls: true,
    temperature: null,
    tool_choice: "auto",
    tools: [],
    top_p: null,
    usage: usage === null ? null : usageOf(usage),
  };
}

function usageOf(usage: LanguageModelV4Usage): unknown {
  const { input, cached, output, reasoning } = totalsOf(usage);
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  };
}

function messageItem(id: string, text: string | null): Item {
  const content = text === null ? [] : [textContent(text)];
  return { id, type: "message", role: "assistant", status: text === null ? "in_progress" : "completed", content };
}

function textContent(text: string): Item {
  return { type: "output_text", text, annotations: [], logprobs: [] };
}

function callItem(call: AnswerCall, { textTools }: AboutAnswer, isOpen = false): Item {
  const { toolCallId, toolName: name, input } = call;
  const status = isOpen ? "in_progress" : "completed";
  return textTools.has(name)
    ? {
        id: `ctc_${toolCallId}`,
        type: "custom_tool_call",
        status,
        call_id: toolCallId,
        name,
        input: isOpen ? "" : inputText(call),
      }
    : {
        id: `fc_${toolCallId}`,
        type: "function_call",
        status,
        call_id: toolCallId,
        name,
        arguments: isOpen ? "" : input,
      };
}

interface OpenCall {
  readonly index: number;
  readonly name: string;
  input: string;
}

class ResponseStream extends AnswerWriter {
  #number = this.about.sent?.number ?? 0;
  /** Items in their places; null while one is open. */
  readonly #output: (Item | null)[] = [];
  #text: { readonly index: number; readonly id: string; written: string } | null = null;
  readonly #calls = new Map<string, OpenCall>();

  finish({ finishReason, usage }: AnswerFinish): string {
    const begun = this.begin() + this.textEnd();
    const response = responseOf(
      this.about,
      finishReason,
      this.#output.filter((item) => item !== null),
      usage,
    );
    return begun + this.#event(`response.${String(response["status"])}`, { response });
  }

  protected override head(): string {
    const response = responseOf(this.about, null, [], null);
    return this.#event("response.created", { response }) + this.#event("response.in_progress", { response });
  }

  #event(type: string, data: Item): string {
    return named(type, { type, sequence_number: this.#number++, ...data });
  }

  #open(): number {
    return this.#output.push(null) - 1;
  }

  #close(index: number, item: Item): string {
    this.#output[index] = item;
    return this.#event("response.output_item.done", { output_index: index, item });
  }

  protected text(delta: string): string {
    let opened = "";
    if (this.#text === null) {
      opened = this.begin();
      const index = this.#open();
      const id = index === 0 && this.about.sent !== null ? this.about.sent.item : `msg_${this.about.id}_${index}`;
      this.#text = { index, id, written: "" };
      const place = { item_id: id, output_index: index, content_index: 0 };
      opened += this.#event("response.output_item.added", { output_index: index, item: messageItem(id, null) });
      opened += this.#event("response.content_part.added", { ...place, part: textContent("") });
    }
    const { index, id } = this.#text;
    this.#text.written += delta;
    const place = { item_id: id, output_index: index, content_index: 0 };
    return opened + this.#event("response.output_text.delta", { ...place, delta, logprobs: [] });
  }

  protected override textEnd(): string {
    if (this.#text === null) return "";
    const { index, id, written } = this.#text;
    this.#text = null;
    const place = { item_id: id, output_index: index, content_index: 0 };
    return (
      this.#event("response.output_text.done", { ...place, text: written, logprobs: [] }) +
      this.#event("response.content_part.done", { ...place, part: textContent(written) }) +
      this.#close(index, messageItem(id, written))
    );
  }

  protected override callStart(id: string, name: string): string {
    const closed = this.begin() + this.textEnd();
    const index = this.#open();
    this.#calls.set(id, { index, name, input: "" });
    const item = callItem({ type: "tool-call", toolCallId: id, toolName: name, input: "" }, this.about, true);
    return closed + this.#event("response.output_item.added", { output_index: index, item });
  }

  protected override callInput(id: string, delta: string): string {
    const call = this.#calls.get(id);
    if (call === undefined) return "";
    call.input += delta;
    // The text of a text tool is known when its JSON is complete.
    if (this.about.textTools.has(call.name)) return "";
    const place = { item_id: `fc_${id}`, output_index: call.index };
    return this.#event("response.function_call_arguments.delta", { ...place, delta });
  }

  protected wholeCall(part: AnswerCall): string {
    const { toolCallId: id, toolName, input } = part;
    const opened = this.#calls.has(id) ? "" : this.callStart(id, toolName);
    const call = this.#calls.get(id);
    if (call === undefined) return opened;
    const rest = call.input === "" && input !== "" ? this.callInput(id, input) : "";
    const whole = { ...part, input: call.input === "" ? input : call.input };
    return opened + rest + this.#inputDone(whole, call.index) + this.#close(call.index, callItem(whole, this.about));
  }

  #inputDone(call: AnswerCall, index: number): string {
    const isText = this.about.textTools.has(call.toolName);
    const place = { item_id: `${isText ? "ctc" : "fc"}_${call.toolCallId}`, output_index: index };
    if (!isText) {
      const { toolName: name, input } = call;
      return this.#event("response.function_call_arguments.done", { ...place, name, arguments: input });
    }
    const input = inputText(call);
    return (
      this.#event("response.custom_tool_call_input.delta", { ...place, delta: input }) +
      this.#event("response.custom_tool_call_input.done", { ...place, input })
    );
  }
}
