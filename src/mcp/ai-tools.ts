// A server's tools in the shape the AI SDK's `generateText({ tools })` takes. No part of the AI SDK is imported: it knows its
// schemas by a mark, which is written here.

import type { McpConnection } from "./connection.ts";
import { modelText } from "./result.ts";

export interface AiTool {
  readonly type: "dynamic";
  readonly description: string;
  /** `never` fits the AI SDK's own type, which has a symbol of its own in it and cannot be written without importing it. */
  readonly inputSchema: never;
  readonly execute: (input: unknown, options?: { readonly abortSignal?: AbortSignal | undefined }) => Promise<string>;
}

/** The tools as listed now; make them again after `onToolsChanged`. A fault reaches the model as safe words, never as an exception. */
export function toAiTools(connection: McpConnection): Record<string, AiTool> {
  const tools = Array.from(connection.tools.keys(), (name) => [name, aiTool(connection, name)] as const);
  return Object.fromEntries(tools);
}

function aiTool(connection: McpConnection, name: string): AiTool {
  const definition = connection.definition(name);
  return {
    type: "dynamic",
    description: definition?.description ?? "",
    inputSchema: aiSchema(definition?.inputSchema ?? {}),
    execute: async (input, options) => {
      const signal = options?.abortSignal;
      const given = (input ?? {}) as Readonly<Record<string, unknown>>;
      const outcome = await connection.call(name, given, signal === undefined ? {} : { signal });
      return modelText(outcome, "en", { modelDetail: connection.tool(name).modelDetail });
    },
  };
}

const AI_SCHEMA = Symbol.for("vercel.ai.schema");

/** Not checked by the AI SDK: our own check stands in front of the tool, and its fault is what the model reads. */
function aiSchema(jsonSchema: Readonly<Record<string, unknown>>): never {
  return { [AI_SCHEMA]: true, _type: undefined, jsonSchema, validate: undefined } as never;
}
