// Checks a finished answer. Many failures come with status 200, and only the stop reason and the content reveal them.

import type { LanguageModelV4CallOptions, LanguageModelV4FinishReason } from "@ai-sdk/provider";
import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { parseJson } from "../../core/try-read.ts";
import { type Check, compileSchema, type JsonSchema } from "../../schema/index.ts";

/** The parts of an answer that the check looks at. */
export interface ModelAnswer {
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

/** For an HTML page, an error object or an empty body, all of which SDKs ignore silently. */
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
  const named = raw === undefined ? null : classify({ surface: "stop", stopReason: raw, provider });
  if (named !== null && named.evidence.source !== "none") return named;
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
  const told = result.issues.slice(0, MAX_ISSUES_TOLD).map(({ path, message }) => `${path} ${message}`);
  const message = `the answer does not fit its schema: ${told.join("; ")}`;
  return fault("SchemaInvalid", { message, context: { ...context, issues: result.issues.length } });
}
