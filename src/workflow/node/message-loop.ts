// The message loop of an agent's node: asks a model, runs the tools it calls, and asks again with their results, until the model
// answers without a tool call or the rounds are used up. It does not need the `ai` package.
// M1  Every step is a protected call of the turn. A repeated attempt makes the same calls with the same names and inputs in the same
//     order, so the journal answers the finished ones.
// M2  The text of a failed stream attempt is dropped, because no reader has seen it.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4Message,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
} from "@ai-sdk/provider";
import { parseJson } from "../../core/try-read.ts";
import { ContentTally, textIn } from "../../provider/model/tally.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { ActResult } from "../../workflow-model/stage.ts";
import { readAnswer } from "./agent-answer.ts";
import { inputOf, runToolCalls, type ToolRunning } from "./agent-tools.ts";

export interface MessageLoop extends ToolRunning {
  readonly agent: string;
  /** Creates the model. */
  readonly model: () => LanguageModelV4;
  /** May be empty. */
  readonly system: string;
  readonly prompt: string;
  readonly outputSchema: JsonSchema | null;
  /** The maximum number of requests to the model. */
  readonly turnCap: number;
  /** 0: no limit. */
  readonly maxOutputTokens: number;
  readonly stream: boolean;
  /** Throws when the model must not be asked again. */
  readonly mayAsk: () => void;
  readonly answered: (text: string) => void;
}

/** Throws a fault that could not be handled. Failures of tools go to the model. */
export async function runMessageLoop(loop: MessageLoop): Promise<ActResult> {
  const { agent, outputSchema, turnCap } = loop;
  const reader = new AnswerReader(loop);
  const messages: LanguageModelV4Message[] = [
    ...(loop.system === "" ? [] : [{ role: "system" as const, content: loop.system }]),
    { role: "user", content: [{ type: "text", text: loop.prompt }] },
  ];
  let lastText = "";
  for (let round = 1; round <= turnCap; round++) {
    loop.mayAsk();
    const content = await reader.ask(optionsFor(loop, messages));
    const text = textIn(content);
    loop.answered(text);
    const calls = content.filter(isOwnCall);
    // The chain has already checked it against the schema, and asked again if it did not match.
    if (calls.length === 0) return { output: outputSchema === null ? text : parseJson(text), capHit: false };
    if (text.trim() !== "") lastText = text;
    const results = await runToolCalls(calls, round, loop);
    messages.push({ role: "assistant", content: content.flatMap(partsOf) }, { role: "tool", content: [...results] });
  }
  return {
    output: outputSchema === null ? lastText : await asFarAsItFits(lastText, outputSchema, agent),
    capHit: true,
  };
}

function optionsFor(loop: MessageLoop, messages: readonly LanguageModelV4Message[]): LanguageModelV4CallOptions {
  const { tools, outputSchema, maxOutputTokens, signal } = loop;
  return {
    prompt: [...messages],
    abortSignal: signal,
    ...(maxOutputTokens > 0 ? { maxOutputTokens } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map(({ offer }) => offer) }),
    ...(outputSchema === null ? {} : formatFor(outputSchema)),
  };
}

/** OpenAI's strict mode refuses most hand-written schemas, so it is off; the answer is fully checked here anyway. */
const NOT_STRICT = { openai: { strictJsonSchema: false } };

function formatFor(schema: JsonSchema): Pick<LanguageModelV4CallOptions, "responseFormat" | "providerOptions"> {
  return {
    responseFormat: { type: "json", ...(typeof schema === "object" ? { schema } : {}) },
    providerOptions: NOT_STRICT,
  };
}

/** The complete answer, whether it arrives whole or as a stream. */
class AnswerReader {
  readonly #model: LanguageModelV4;
  readonly #streams: boolean;
  #tally = new ContentTally();

  constructor({ model, stream }: MessageLoop) {
    this.#streams = stream;
    this.#model = model();
  }

  async ask(options: LanguageModelV4CallOptions): Promise<readonly LanguageModelV4Content[]> {
    if (!this.#streams) return (await this.#model.doGenerate(options)).content;
    this.#tally = new ContentTally();
    const { stream } = await this.#model.doStream(options);
    for await (const part of stream) this.#take(part);
    return this.#tally.content;
  }

  #take(part: LanguageModelV4StreamPart): void {
    if (part.type === "error") throw part.error;
    this.#tally.add(part);
  }
}

/** Leaves out calls that the vendor runs itself: their results are already in the answer. */
function isOwnCall(part: LanguageModelV4Content): part is LanguageModelV4ToolCall {
  return part.type === "tool-call" && part.providerExecuted !== true;
}

type AssistantPart = Extract<LanguageModelV4Message, { role: "assistant" }>["content"][number];

/** The model's answer as a message for the next request, with the vendor's metadata. */
function partsOf(part: LanguageModelV4Content): readonly AssistantPart[] {
  if (part.type !== "text" && part.type !== "reasoning" && part.type !== "tool-call") return [];
  const marks = part.providerMetadata === undefined ? {} : { providerOptions: part.providerMetadata };
  if (part.type === "tool-call") {
    const { toolCallId, toolName, input } = part;
    return [{ type: "tool-call", toolCallId, toolName, input: inputOf(input), ...marks }];
  }
  if (part.type === "text" && part.text === "") return [];
  return [{ type: part.type, text: part.text, ...marks }];
}

/** The value if it matches the schema, otherwise the text. The stage decides whether an unfinished loop is acceptable. */
async function asFarAsItFits(text: string, schema: JsonSchema, agent: string): Promise<unknown> {
  const read = await readAnswer(text, schema, agent);
  return read.ok ? read.value : text;
}
