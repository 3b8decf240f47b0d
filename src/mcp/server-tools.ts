// The tools of one server as protected tools, in step with the server's list. A tool whose description has not changed stays the
// same object, and keeps what the runtime knows about it.

import { defined } from "../core/defined.ts";
import { classify } from "../core/classify/classify.ts";
import { fault, type Fault, FaultError, withContext } from "../core/fault/fault.ts";
import { onFirstUse } from "../host/builtin.ts";
import { type RunContext, type Tool, tool } from "../runtime/tool/tool.ts";
import { type Check, compileSchema, schemaFault } from "../schema/index.ts";
import { CALL_RULES, toolSaidNo, wasRun } from "./failures.ts";
import { type Link, withStderr } from "./link.ts";
import type { McpToolDefinition, McpToolOptions, McpToolsChange, ResolvedMcpOptions } from "./options.ts";
import { type McpResult, readResult } from "./result.ts";

/** The arguments of a tool of an MCP server. */
export type McpInput = Readonly<Record<string, unknown>>;
/** A tool of an MCP server as a protected tool. */
export type McpTool = Tool<McpInput, McpResult>;

interface Known {
  /** The description as JSON, to detect changes. */
  readonly text: string;
  readonly definition: McpToolDefinition;
  readonly tool: McpTool;
  /** null: one of its schemas is unusable. */
  readonly checks: () => Checks | null;
}

interface Checks {
  readonly input: Check;
  readonly output: Check | null;
}

export interface ServerToolsDeps {
  readonly options: ResolvedMcpOptions;
  readonly link: (signal: AbortSignal) => Promise<Link>;
  readonly suppress: (seen: Fault, reason: string) => void;
}

export class ServerTools {
  readonly #deps: ServerToolsDeps;
  readonly #known = new Map<string, Known>();
  /** Tools with an unusable schema; found on first use. */
  readonly #unusable = new Map<string, Fault>();
  #tools: ReadonlyMap<string, McpTool> = new Map();

  constructor(deps: ServerToolsDeps) {
    this.#deps = deps;
  }

  /** By the server's name for them. A new map after each change. */
  get all(): ReadonlyMap<string, McpTool> {
    return this.#tools;
  }

  definition(name: string): McpToolDefinition | undefined {
    return this.#known.get(name)?.definition;
  }

  /** The tool, or a stand-in that explains why there is none. */
  get(name: string): McpTool {
    return this.#known.get(name)?.tool ?? this.#make({ name, inputSchema: { type: "object" } }, () => false);
  }

  /** null: nothing has changed. */
  update(definitions: readonly McpToolDefinition[]): McpToolsChange | null {
    const before = new Map(this.#known);
    this.#known.clear();
    this.#unusable.clear();
    for (const definition of definitions) this.#add(definition, before.get(definition.name));
    this.#tools = new Map(Array.from(this.#known, ([name, known]) => [name, known.tool]));
    const names = [...this.#known.keys()];
    const added = names.filter((name) => !before.has(name));
    const removed = [...before.keys()].filter((name) => !this.#known.has(name));
    const changed = names.filter((name) => before.has(name) && before.get(name) !== this.#known.get(name));
    return added.length + removed.length + changed.length === 0 ? null : { added, removed, changed };
  }

  #add(definition: McpToolDefinition, before: Known | undefined): void {
    const { name } = definition;
    const text = JSON.stringify(definition);
    if (before?.text === text) return void this.#known.set(name, before);
    // A server may list thousands of tools, and a model uses few of them. Compiling all schemas would block the process for seconds.
    const checks = onFirstUse(() => this.#compile(definition));
    const made = this.#make(definition, this.#deps.options.idempotent);
    // A tool with an unusable schema is not checked; running it explains why.
    const checkInput: Check = (value) => checks()?.input(value) ?? { ok: true, value };
    this.#known.set(name, {
      text,
      definition,
      checks,
      tool: { ...made, checkInput, inputSchema: () => definition.inputSchema },
    });
  }

  #compile({ name, inputSchema, outputSchema }: McpToolDefinition): Checks | null {
    const id = this.#idOf(name);
    try {
      return {
        input: compileSchema(inputSchema, `the input of tool ${id}`),
        output: outputSchema === undefined ? null : compileSchema(outputSchema, `the output of tool ${id}`),
      };
    } catch (error) {
      const seen = classify({ surface: "mcp", provider: this.#deps.options.name, error });
      this.#unusable.set(name, seen);
      this.#deps.suppress(seen, `the tool ${name} cannot be used; the others can`);
      return null;
    }
  }

  #idOf(name: string): string {
    return `${this.#deps.options.name}.${name}`;
  }

  #make(definition: McpToolDefinition, isIdempotent: ResolvedMcpOptions["idempotent"]): McpTool {
    const { options } = this.#deps;
    const { name } = definition;
    const own = options.tools.get(name) ?? {};
    const retry = own.retry ?? options.retry;
    const breaker = own.breaker ?? options.breaker;
    return tool<McpInput, McpResult>({
      id: this.#idOf(name),
      provider: options.name,
      surface: "mcp",
      idempotent: own.idempotent ?? isIdempotent(definition),
      timeoutMs: own.timeoutMs ?? options.timeoutMs,
      rules: CALL_RULES,
      classify: nameFailure,
      ...(retry === null ? {} : { retry }),
      ...(breaker === null ? {} : { breaker }),
      ...defined({
        modelDetail: own.modelDetail,
        optional: own.optional,
        default: own.default,
        alternatives: own.alternatives,
        maxConcurrent: own.maxConcurrent,
      }),
      run: (input, context) => this.#run(name, input, context, own),
    });
  }

  async #run(name: string, input: McpInput, context: RunContext, own: McpToolOptions): Promise<McpResult> {
    const { signal } = context;
    const timeoutMs = own.timeoutMs ?? this.#deps.options.timeoutMs;
    const link = await this.#deps.link(signal);
    // Looked up now: the list may have changed since the caller got the tool.
    const known = this.#known.get(name);
    const checks = known?.checks() ?? null;
    if (known === undefined || checks === null) throw new FaultError(this.#missing(name));
    if (known.definition.execution?.taskSupport === "required") throw new FaultError(needsTasks(known.tool.id));
    const result = readResult(await link.call(name, input, { signal, timeoutMs }));
    if (result.isError) {
      // The protocol addresses this text to the model, so it counts as a partial answer unless the operator hides it.
      if (own.modelDetail !== "none") context.partial(result);
      throw new FaultError(toolSaidNo(known.tool.id, result));
    }
    await checkStructured(known.tool.id, checks.output, result);
    return result;
  }

  #missing(name: string): Fault {
    const { options } = this.#deps;
    const context = { tool: this.#idOf(name), provider: options.name, ran: false };
    const unusable = this.#unusable.get(name);
    if (unusable !== undefined) {
      const message = `the tool ${name} of ${options.name} cannot be used: ${unusable.message}`;
      return fault("NotFound", { message, context, cause: unusable });
    }
    const offered = [...this.#known.keys()];
    const list = offered.length === 0 ? "it offers none" : `it offers ${offered.join(", ")}`;
    return fault("NotFound", { message: `${options.name} has no tool ${name} (any more); ${list}`, context });
  }
}

/** Adds context for the error; its code stays as the rules say. */
function nameFailure(error: unknown, seen: Fault): Fault | undefined {
  // The client validates answers with zod 3 or 4.
  const isNoResult = error instanceof Error && error.name.endsWith("ZodError");
  if (!isNoResult) return withStderr(error, wasRun(error) ? withContext(seen, { ran: true }) : seen);
  const message =
    "the server's answer is not a tool result; the tool ran, so check what it did before calling it again";
  return fault("OutputMalformed", {
    message,
    context: { ...seen.context, ran: true },
    evidence: { ...seen.evidence, rule: "mcp/no-result" },
  });
}

async function checkStructured(id: string, checkOutput: Check | null, { structured }: McpResult): Promise<void> {
  if (checkOutput === null) return;
  if (structured === null) {
    const message = `${id} declares structured output and sent none; the tool ran, so check what it did before calling it again`;
    throw new FaultError(fault("OutputMalformed", { message, context: { tool: id, ran: true } }));
  }
  const checked = await checkOutput(structured);
  if (!checked.ok) throw new FaultError(withContext(schemaFault("output", id, checked), { ran: true }));
}

function needsTasks(id: string): Fault {
  const message = `${id} runs only as an MCP task, which is not supported; call it with the MCP client directly`;
  return fault("Unsupported", { message, context: { tool: id, ran: false } });
}
