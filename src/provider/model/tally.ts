// The content of an answer so far, and the verdict on it: whether it is whole, ended well and fits its schema. Enough is kept to check
// it, to estimate its price and to replay it.

import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { parseJson } from "../../core/try-read.ts";
import { type Check, compileSchema, type JsonSchema } from "../../schema/index.ts";

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
    return textIn(this.all);
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

export function textIn(content: readonly LanguageModelV4Content[]): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
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

// Checks a finished answer. Many failures come with status 200, and only the stop reason and the content reveal them.

/** The parts of an answer that the check looks at. */
interface ModelAnswer {
  readonly text: string;
  /** Anything besides text: reasoning, files, tool calls and their results. */
  readonly hasOther: boolean;
  /** The raw arguments of its tool calls. */
  readonly toolInputs: readonly string[];
  readonly finishReason: LanguageModelV4FinishReason;
}

/** Returns null for a usable answer. Asynchronous only when a schema has to be checked. */
export function verdictOn(
  answer: ModelAnswer,
  options: LanguageModelV4CallOptions,
  provider: string,
): Fault | null | Promise<Fault | null> {
  const { text, hasOther, toolInputs, finishReason } = answer;
  const isNothing = text.trim() === "" && !hasOther && toolInputs.length === 0;
  if (isNothing && saysNothing(finishReason)) return nothingRead(provider);
  const stopped = badStop(finishReason, provider);
  if (stopped !== null) return stopped;
  const isCut = finishReason.unified === "length";
  // A truncated call may look complete: without streaming, Anthropic returns it with empty arguments.
  if (isCut && toolInputs.length > 0) {
    const message = "the answer was truncated inside the arguments of a tool call";
    return fault("OutputTruncated", { message, context: { provider } });
  }
  if (toolInputs.some((input) => input.trim() !== "" && parseJson(input) === undefined)) {
    return fault("SchemaInvalid", {
      message: "the arguments of a tool call are not valid JSON",
      context: { provider },
    });
  }
  if (isNothing) {
    return isCut
      ? fault("OutputTruncated", { message: "the answer was truncated before it began", context: { provider } })
      : fault("EmptyOutput", { message: "the answer is empty", context: { provider } });
  }
  if (toolInputs.length > 0 || options.responseFormat?.type !== "json") return null;
  return jsonVerdict(text, isCut, options.responseFormat, provider);
}

/** No model stops like this. If there is no content either, something other than a model answered. */
function saysNothing({ unified, raw }: LanguageModelV4FinishReason): boolean {
  return unified === "interrupted" || (unified === "other" && raw === undefined);
}

/** The fault for an HTML page, an error object or an empty body: SDKs ignore all of them silently. */
export function nothingRead(provider: string): Fault {
  return fault("AnswerUnreadable", {
    message: "nothing in the response could be read as an answer",
    context: { provider },
  });
}

/** Whether the model itself ended the answer, so that its usage is complete. */
export function isProperEnd({ unified }: LanguageModelV4FinishReason): boolean {
  return unified !== "interrupted";
}

type Unified = LanguageModelV4FinishReason["unified"];

/** Stop reasons that are failures regardless of the content. */
const FAILED_STOPS: ReadonlySet<Unified> = new Set<Unified>(["content-filter", "error", "interrupted"]);

function badStop({ unified, raw }: LanguageModelV4FinishReason, provider: string): Fault | null {
  const hasFailed = FAILED_STOPS.has(unified);
  if (!hasFailed && unified !== "other") return null;
  if (unified === "interrupted") {
    return fault("NetworkDisconnect", { message: "the stream ended without a stop reason", context: { provider } });
  }
  // The provider's raw stop reason is more precise if a rule knows it: `model_context_window_exceeded`, `MALFORMED_FUNCTION_CALL`.
  // But OpenAI's chat API says `stop` when the model declined; there the SDK's value is right.
  const named = classify({ surface: "stop", stopReason: raw, provider });
  if (named.evidence.source !== "none") return named;
  return hasFailed ? classify({ surface: "stop", stopReason: unified, provider }) : null;
}

/** Compiling a schema costs more than checking with it, and programs reuse the same schemas. */
const CHECKS = new WeakMap<object, Check>();

function checkFor(schema: JsonSchema): Check {
  if (typeof schema !== "object") return compileSchema(schema, "the output schema");
  const known = CHECKS.get(schema);
  if (known !== undefined) return known;
  const check = compileSchema(schema, "the output schema");
  CHECKS.set(schema, check);
  return check;
}

/** The most issues reported to the model, which cannot correct more at once. */
const MAX_ISSUES_TOLD = 10;

type JsonFormat = Extract<LanguageModelV4CallOptions["responseFormat"], { type: "json" }>;

/** If JSON was requested, checks that the answer is JSON and matches the whole schema. */
async function jsonVerdict(
  text: string,
  isCut: boolean,
  { schema }: JsonFormat,
  provider: string,
): Promise<Fault | null> {
  const value = parseJson(text);
  if (value === undefined) {
    return isCut
      ? fault("OutputTruncated", { message: "the JSON was truncated", context: { provider } })
      : fault("SchemaInvalid", { message: "the answer is not valid JSON", context: { provider } });
  }
  return schema === undefined ? null : schemaVerdict(value, schema as JsonSchema, { provider });
}

/** Returns null if the value matches. */
export async function schemaVerdict(
  value: unknown,
  schema: JsonSchema,
  context: Readonly<Record<string, string>>,
): Promise<Fault | null> {
  const result = await checkFor(schema)(value);
  if (result.ok) return null;
  const shownIssues = result.issues.slice(0, MAX_ISSUES_TOLD).map(({ path, message }) => `${path} ${message}`);
  const message = `the answer does not fit its schema: ${shownIssues.join("; ")}`;
  return fault("SchemaInvalid", { message, context: { ...context, issues: result.issues.length } });
}
