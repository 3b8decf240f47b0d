// What a finished answer is worth: many failures come with status 200, and only how the model stopped and what it said tell.

import type { LanguageModelV4CallOptions, LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { parseJson } from "../../core/try-read.ts";
import { type Check, compileSchema, type JsonSchema } from "../../schema/index.ts";

/** What an answer consists of, as far as its worth is concerned. */
export interface ModelAnswer {
  readonly text: string;
  /** Anything besides text: reasoning, files, tool calls and their results. */
  readonly hasOther: boolean;
  /** The arguments of its tool calls, as they came. */
  readonly toolInputs: readonly string[];
  readonly finishReason: LanguageModelV4FinishReason;
}

/** null: it can be used. Only what a schema has to be asked about is waited for. */
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
  // A call that was cut may look whole: outside a stream Anthropic gives it empty arguments.
  if (isCut && toolInputs.length > 0) {
    const message = "the answer was cut within the arguments of a tool call";
    return fault("OutputTruncated", { message, context: { provider } });
  }
  if (toolInputs.some((input) => input.trim() !== "" && parseJson(input) === undefined)) {
    return fault("SchemaInvalid", { message: "the arguments of a tool call are no JSON", context: { provider } });
  }
  if (isNothing) {
    return isCut
      ? fault("OutputTruncated", { message: "the answer was cut before it began", context: { provider } })
      : fault("EmptyOutput", { message: "the answer is empty", context: { provider } });
  }
  if (toolInputs.length > 0 || options.responseFormat?.type !== "json") return null;
  return jsonVerdict(text, isCut, options.responseFormat, provider);
}

/** No model ended like this: where nothing was said either, something else answered. */
function saysNothing({ unified, raw }: LanguageModelV4FinishReason): boolean {
  return unified === "interrupted" || (unified === "other" && raw === undefined);
}

/** A page, an error object or no byte at all, which SDKs pass over in silence. */
export function nothingRead(provider: string): Fault {
  return fault("AnswerUnreadable", {
    message: "nothing in the response could be read as an answer",
    context: { provider },
  });
}

/** A model's own end, whatever it says: what is counted there is counted to the end. */
export function isProperEnd({ unified }: LanguageModelV4FinishReason): boolean {
  return unified !== "interrupted";
}

type Unified = LanguageModelV4FinishReason["unified"];

/** Ways to stop that are failures whatever was said. */
const FAILED_STOPS: ReadonlySet<Unified> = new Set<Unified>(["content-filter", "error", "interrupted"]);

function badStop({ unified, raw }: LanguageModelV4FinishReason, provider: string): Fault | null {
  const hasFailed = FAILED_STOPS.has(unified);
  if (!hasFailed && unified !== "other") return null;
  if (unified === "interrupted") {
    return fault("NetworkDisconnect", { message: "the stream ended without saying why", context: { provider } });
  }
  // The provider's own word says more, where a rule knows it: `model_context_window_exceeded`, `MALFORMED_FUNCTION_CALL`. OpenAI's
  // chat says `stop` where the model declined, and the SDK knows better.
  const named = raw === undefined ? null : classify({ surface: "stop", stopReason: raw, provider });
  if (named !== null && named.evidence.source !== "none") return named;
  return hasFailed ? classify({ surface: "stop", stopReason: unified, provider }) : null;
}

/** Compiling a schema costs more than checking with it, and programs ask with the same one again and again. */
const CHECKS = new WeakMap<object, Check>();

function checkFor(schema: JsonSchema): Check {
  if (typeof schema !== "object") return compileSchema(schema, "the output schema");
  const known = CHECKS.get(schema);
  if (known !== undefined) return known;
  const check = compileSchema(schema, "the output schema");
  CHECKS.set(schema, check);
  return check;
}

/** Told to the model, which cannot correct more at once. */
const MAX_ISSUES_TOLD = 10;

type JsonFormat = Extract<LanguageModelV4CallOptions["responseFormat"], { type: "json" }>;

/** When JSON was asked for, all of it is checked: that it is JSON, and everything the schema says. */
async function jsonVerdict(
  text: string,
  isCut: boolean,
  { schema }: JsonFormat,
  provider: string,
): Promise<Fault | null> {
  const value = parseJson(text);
  if (value === undefined) {
    return isCut
      ? fault("OutputTruncated", { message: "the JSON was cut", context: { provider } })
      : fault("SchemaInvalid", { message: "the answer is no JSON", context: { provider } });
  }
  return schema === undefined ? null : schemaVerdict(value, schema as JsonSchema, { provider });
}

/** null: the value fits. */
export async function schemaVerdict(
  value: unknown,
  schema: JsonSchema,
  context: Readonly<Record<string, string>>,
): Promise<Fault | null> {
  const result = await checkFor(schema)(value);
  if (result.ok) return null;
  const told = result.issues.slice(0, MAX_ISSUES_TOLD).map(({ path, message }) => `${path} ${message}`);
  const message = `the answer does not fit its schema: ${told.join("; ")}`;
  return fault("SchemaInvalid", { message, context: { ...context, issues: result.issues.length } });
}
