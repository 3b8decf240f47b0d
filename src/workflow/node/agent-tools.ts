// Offers a workflow's tools to a model and runs the calls it makes. Each is a protected call with a stable name, so that a repeated
// attempt finds it in the journal. Failures are reported in words that are safe for a model.

import type {
  LanguageModelV4FunctionTool,
  LanguageModelV4ToolCall,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";
import type { FaultClass } from "../../core/fault/catalogue.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { type Redactor, SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { viewFor, type ViewOptions } from "../../core/fault/view.ts";
import { parseJson, tryRead } from "../../core/try-read.ts";
import { hasValue, type Outcome } from "../../runtime/call/outcome.ts";
import type { CallOptions } from "../../runtime/session/turn.ts";
import type { AnyTool } from "../../runtime/tool/tool.ts";

/** A tool's description for models, besides its schema. */
export interface ToolWords {
  readonly description: string;
}

/** A tool with its description, so that it can be offered to a model. */
export type WordedTool = AnyTool & { readonly words?: ToolWords };

export function withWords(tool: AnyTool, words: ToolWords): WordedTool {
  return Object.freeze({ ...tool, words });
}

export interface OfferedTool {
  readonly tool: AnyTool;
  readonly offer: LanguageModelV4FunctionTool;
}

/** Throws a FaultError when the workflow does not have a tool. */
export function offeredTools(
  ids: readonly string[],
  find: (id: string) => AnyTool | undefined,
  agent: string,
): readonly OfferedTool[] {
  return ids.map((id) => {
    const found: WordedTool | undefined = find(id);
    if (found === undefined) {
      const message = `agent ${agent} lists the tool ${id}, but the workflow has no tool of that name`;
      throw new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "tools", agent } }));
    }
    const { description = "" } = found.words ?? {};
    return {
      tool: found,
      offer: {
        type: "function",
        name: id,
        ...(description === "" ? {} : { description }),
        inputSchema: found.inputSchema() ?? { type: "object" },
      },
    };
  });
}

export type ProtectTool = (
  tool: AnyTool,
  input: never,
  options: CallOptions & { readonly id: string },
) => Promise<Outcome<unknown>>;

/** What the calls of a message loop need. */
export interface ToolRunning {
  readonly tools: readonly OfferedTool[];
  /** `turn.protect`. */
  readonly protect: ProtectTool;
  readonly signal: AbortSignal;
  /** Knows the secrets of the run. */
  readonly redactor: Redactor;
}

/** Runs the calls of one answer in parallel. If one of them ends the attempt, throws after all of them have ended. */
export async function runToolCalls(
  calls: readonly LanguageModelV4ToolCall[],
  round: number,
  { tools, protect, signal, redactor }: ToolRunning,
): Promise<readonly LanguageModelV4ToolResultPart[]> {
  const running = calls.map(async (call, index) => {
    const { toolName, input } = call;
    const found = tools.find(({ offer }) => offer.name === toolName);
    if (found === undefined)
      return { call, output: failing(notOffered(toolName), { correlationId: toolName, redactor }) };
    // Named by position: parallel calls may end in any order, and models reuse ids.
    const id = `r${round}.${index + 1}`;
    const outcome = await protect(found.tool, inputOf(input) as never, { id, signal });
    const options = { correlationId: outcome.call, redactor, modelDetail: found.tool.modelDetail };
    return { call, output: outputOf(outcome, options), ends: endingFault(outcome) };
  });
  const results = await Promise.all(running);
  const ends = results.map((result) => result.ends ?? null).find((one) => one !== null);
  if (ends !== undefined) throw new FaultError(ends);
  return results.map(({ call: { toolCallId, toolName }, output }) => ({
    type: "tool-result",
    toolCallId,
    toolName,
    output,
  }));
}

/** A tool without parameters may be called with an empty input. */
export function inputOf(text: string): unknown {
  return text.trim() === "" ? {} : (parseJson(text) ?? {});
}

function notOffered(tool: string): Fault {
  return fault("Unsupported", { message: `the model called ${tool}, which it was not offered`, context: { tool } });
}

/** Faults of the run rather than of the tool: a model can do nothing about them. */
const ENDS_ATTEMPT: ReadonlySet<FaultClass> = new Set<FaultClass>(["Session", "Limit", "Cancellation", "Internal"]);

const OPEN_ENDS: ReadonlySet<Outcome<unknown>["status"]> = new Set<Outcome<unknown>["status"]>([
  "waiting",
  "parked",
  "cancelled",
]);

/** null: the model gets the failure and continues. It can do without an optional tool, whatever failed. */
function endingFault(outcome: Outcome<unknown>): Fault | null {
  if (hasValue(outcome) || outcome.status === "skipped") return null;
  return OPEN_ENDS.has(outcome.status) || ENDS_ATTEMPT.has(outcome.fault.class) ? outcome.fault : null;
}

type ToolOutput = LanguageModelV4ToolResultPart["output"];

function outputOf(outcome: Outcome<unknown>, options: ViewOptions): ToolOutput {
  if (!hasValue(outcome)) return failing(outcome.fault, options);
  if (outcome.status === "partial") {
    const { redactor = SHAPE_REDACTOR } = options;
    return inJson({ partial: redactor.value(outcome.value), error: viewFor("model", outcome.fault, options) });
  }
  return typeof outcome.value === "string" ? { type: "text", value: outcome.value } : inJson(outcome.value);
}

/** Not wrapped in an `error` field: each vendor's client marks a result of this type as an error in its own way. */
function failing(why: Fault, options: ViewOptions): ToolOutput {
  return { type: "error-json", value: JSON.parse(JSON.stringify(viewFor("model", why, options))) as JsonPart };
}

type JsonPart = Extract<ToolOutput, { type: "json" }>["value"];

/** As the journal returns it, so that the program says the same after a restart. */
function inJson(value: unknown): ToolOutput {
  return { type: "json", value: tryRead(() => JSON.parse(JSON.stringify(value ?? null)) as JsonPart, null) };
}
