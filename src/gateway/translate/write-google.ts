// Writes answers as Google's generateContent: every piece of a stream is a whole response with the next parts.

import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from "@ai-sdk/provider";
import {
  type AboutAnswer,
  type AnswerCall,
  type AnswerFinish,
  AnswerWriter,
  callsIn,
  type DialectWriter,
  event,
  inputObject,
  signatureOf,
  thoughtsIn,
  totalsOf,
} from "./answer-writing.ts";
import { textIn } from "../../provider/model/tally.ts";

const STOPS: Readonly<Record<LanguageModelV4FinishReason["unified"], string>> = {
  "stop": "STOP",
  "length": "MAX_TOKENS",
  "content-filter": "SAFETY",
  "tool-calls": "STOP",
  "interrupted": "MAX_TOKENS",
  "error": "OTHER",
  "other": "STOP",
};

export const GOOGLE_WRITER: DialectWriter = {
  stream: (about) => new GenerateStream(about),
  body: ({ content, finishReason, usage }, about) => {
    const [text, thoughts] = [textIn(content), thoughtsIn(content)];
    const parts = [
      ...(thoughts === "" ? [] : [{ text: thoughts, thought: true }]),
      ...(text === "" ? [] : [{ text }]),
      ...callsIn(content).map((call) => callPart(call, about)),
    ];
    return {
      candidates: [{ content: { role: "model", parts }, finishReason: STOPS[finishReason.unified], index: 0 }],
      usageMetadata: usageOf(usage),
      ...headOf(about),
    };
  },
};

function headOf({ id, model, sent }: AboutAnswer): Readonly<Record<string, unknown>> {
  return { modelVersion: model, responseId: sent?.id ?? id };
}

/** Google counts thoughts apart from the answer. */
function usageOf(usage: LanguageModelV4Usage): unknown {
  const { input, cached, output, reasoning } = totalsOf(usage);
  return {
    promptTokenCount: input,
    cachedContentTokenCount: cached,
    candidatesTokenCount: Math.max(0, output - reasoning),
    thoughtsTokenCount: reasoning,
    totalTokenCount: input + output,
  };
}

/**
 * Gemini 3 and later refuse a call in a conversation without a signature. Google's own word for "made elsewhere" stands for it, so that a
 * conversation that a fallback has answered can go back to Google.
 */
const MADE_ELSEWHERE = "skip_thought_signature_validator";
const WANTS_SIGNATURES = /\bgemini-(?:[3-9]|\d\d)/;

function callPart(call: AnswerCall, { model }: AboutAnswer): unknown {
  const thoughtSignature = signatureOf(call) ?? (WANTS_SIGNATURES.test(model) ? MADE_ELSEWHERE : null);
  const functionCall = { id: call.toolCallId, name: call.toolName, args: inputObject(call) };
  return thoughtSignature === null ? { functionCall } : { functionCall, thoughtSignature };
}

class GenerateStream extends AnswerWriter {
  #isFirst = true;

  protected text(text: string): string {
    return this.#part({ text });
  }

  protected override thought(text: string): string {
    return this.#part({ text, thought: true });
  }

  protected wholeCall(call: AnswerCall): string {
    return this.#part(callPart(call, this.about));
  }

  finish({ finishReason, usage }: AnswerFinish): string {
    // As Google's own last piece: without a part, the text of the piece is `undefined` to Google's SDK.
    const content = { role: "model", parts: [{ text: "" }] };
    const candidate = { content, finishReason: STOPS[finishReason.unified], index: 0 };
    const last = this.#piece({ candidates: [candidate], usageMetadata: usageOf(usage), ...headOf(this.about) });
    return this.about.asList ? `${last}\n]` : last;
  }

  #part(part: unknown): string {
    const content = { role: "model", parts: [part] };
    return this.#piece({ candidates: [{ content, index: 0 }], ...headOf(this.about) });
  }

  #piece(response: unknown): string {
    if (!this.about.asList) return event(response);
    const before = this.#isFirst ? "[" : ",\r\n";
    this.#isFirst = false;
    return before + JSON.stringify(response);
  }
}
