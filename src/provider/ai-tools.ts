// Tools of Faultline and of the AI SDK as one protected set for `generateText({ tools })`. The AI SDK is not imported.
// A fault reaches the model as a tool error with safe words; the error that carries it is a FaultError.

import { defined } from "../core/defined.ts";
import { FaultError } from "../core/fault/fault.ts";
import type { Redactor } from "../core/fault/redact.ts";
import { invalidOption, isPlain, shape } from "../options/check-options.ts";
import { errorOf, faultText, hasValue, type Outcome } from "../runtime/call/outcome.ts";
import { type AnyTool, type RunContext, type Tool, tool, TOOL_BASE, type ToolBase } from "../runtime/tool/tool.ts";
import { aiSchema } from "../schema/ai-schema.ts";

/** What the AI SDK passes to a tool besides its input, as far as it is used here. */
export interface AiToolCall {
  readonly toolCallId?: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** A tool of Faultline as the AI SDK takes it. */
export interface AiTool<Input, Output> {
  readonly description: string;
  readonly inputSchema: never;
  readonly execute: (input: Input, options: AiToolCall) => Promise<Output>;
}

/** A tool made with `tool` of the AI SDK. */
export interface AnyAiTool {
  readonly inputSchema: unknown;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
}

/** Tools of either kind, by the name under which a model calls them. */
export type GivenTools = Readonly<Record<string, AnyTool | AnyAiTool>>;

/** The same tools, protected, as the AI SDK takes them. */
export type AiTools<Given extends GivenTools> = {
  [Name in keyof Given]: Given[Name] extends Tool<infer Accepts, infer Output> ? AiTool<Accepts, Output> : Given[Name];
};

/** What Faultline should know of a tool of the AI SDK, as in `tool`: `idempotent`, `timeoutMs`, `retry` … */
export type AiToolSettings = Partial<Omit<ToolBase<never, unknown>, "id" | "description" | "cost">>;

const { id: _id, description: _description, cost: _cost, ...ofSettings } = TOOL_BASE;
export const AI_TOOL_SETTINGS = shape<AiToolSettings>(ofSettings);

/** Runs a tool under protection. `id` names the call in its turn. */
export type ProtectAiTool = (
  called: AnyTool,
  input: unknown,
  options: { readonly id?: string; readonly signal?: AbortSignal },
) => Promise<Outcome<unknown>>;

export interface AiToolsDeps {
  readonly protect: ProtectAiTool;
  readonly redactor: Redactor;
}

const DOOR = "fl.aiTools";

export function createAiTools(
  given: GivenTools,
  settings: Readonly<Record<string, AiToolSettings | undefined>>,
  deps: AiToolsDeps,
): Readonly<Record<string, unknown>> {
  if (!isPlain(given))
    throw invalidOption(
      DOOR,
      "tools",
      "tools must be an object with your tools by name, as in fl.aiTools({ weather })",
    );
  for (const name of Object.keys(settings))
    if (given[name] === undefined)
      throw invalidOption(DOOR, `settings.${name}`, `settings.${name} is for a tool that is not there`);
  const tools = Object.entries(given).map(([name, one]) => [name, aiToolOf(name, one, settings[name], deps)] as const);
  return Object.fromEntries(tools);
}

function aiToolOf(
  name: string,
  given: AnyTool | AnyAiTool,
  settings: AiToolSettings | undefined,
  deps: AiToolsDeps,
): unknown {
  if (isTool(given)) return fromTool(name, given, settings, deps);
  if (!isAiTool(given))
    throw invalidOption(DOOR, name, `${name} is not a tool; make it with tool() of faultline or of the AI SDK`);
  return fromAiTool(name, given, settings ?? {}, deps);
}

function isTool(given: unknown): given is AnyTool {
  return typeof given === "object" && given !== null && "checkInput" in given;
}

function isAiTool(given: unknown): given is AnyAiTool {
  return typeof given === "object" && given !== null && "inputSchema" in given;
}

function fromTool(
  name: string,
  given: AnyTool,
  settings: AiToolSettings | undefined,
  deps: AiToolsDeps,
): AiTool<unknown, unknown> {
  if (settings !== undefined) {
    const message = `settings.${name} is for a tool that has settings of its own; give them to tool({ id: "${given.id}" })`;
    throw invalidOption(DOOR, `settings.${name}`, message);
  }
  const schema = given.inputSchema();
  if (schema === null) {
    const message = `${name} has no input schema that a model can read; give tool({ id: "${given.id}" }) an input, such as z.object({ … }) or a JSON Schema`;
    throw invalidOption(DOOR, `${name}.input`, message);
  }
  return {
    description: given.description,
    inputSchema: aiSchema(schema),
    execute: (input, options) => run(given, input, options, deps),
  };
}

/** A tool without `execute` is run by the provider or the caller: it stays as it is. */
function fromAiTool(name: string, given: AnyAiTool, settings: AiToolSettings, deps: AiToolsDeps): AnyAiTool {
  const execute = given.execute as ((input: unknown, options: object) => unknown) | undefined;
  if (execute === undefined) return given;
  const target = tool<AiCall, unknown>({
    ...settings,
    id: name,
    run: async ({ input, options }, { signal }: RunContext) =>
      lastOf(await execute.call(given, input, { ...options, abortSignal: signal })),
  });
  return {
    ...given,
    execute: (input: unknown, options: AiToolCall) => run(target, new AiCall(input, options), options, deps),
  };
}

/** A call of an AI SDK tool. Only the input is written down: the rest belongs to this process. */
class AiCall {
  readonly input: unknown;
  readonly options: AiToolCall;

  constructor(input: unknown, options: AiToolCall) {
    this.input = input;
    this.options = options;
  }

  toJSON(): unknown {
    return this.input;
  }
}

/** A tool may yield preliminary results; the last one is its value. */
async function lastOf(result: unknown): Promise<unknown> {
  if (typeof result !== "object" || result === null || !(Symbol.asyncIterator in result)) return result;
  let last: unknown;
  for await (const one of result as AsyncIterable<unknown>) last = one;
  return last;
}

async function run(
  called: AnyTool,
  input: unknown,
  options: AiToolCall | undefined,
  { protect, redactor }: AiToolsDeps,
): Promise<unknown> {
  const { abortSignal: signal, toolCallId } = options ?? {};
  const outcome = await protect(called, input, {
    ...defined({ signal, id: toolCallId }),
  });
  if (hasValue(outcome)) return outcome.value;
  const error = errorOf(outcome, signal);
  if (!(error instanceof FaultError)) throw error as Error;
  const { modelDetail } = called;
  const message = faultText(outcome.fault, { correlationId: outcome.call, redactor, modelDetail });
  throw new FaultError(error.fault, { error: outcome.error, message });
}
