// A server's tools in the shape that the AI SDK's `generateText({ tools })` takes.

import type { McpConnection } from "./connection.ts";
import { aiSchema } from "../schema/ai-schema.ts";
import { modelText } from "./result.ts";

/** A tool for the AI SDK. */
export interface McpAiTool {
  readonly type: "dynamic";
  readonly description: string;
  readonly inputSchema: never;
  readonly execute: (input: unknown, options?: { readonly abortSignal?: AbortSignal | undefined }) => Promise<string>;
}

/**
 * The tools as listed now; call it again after `onToolsChanged`. A fault reaches the model as a safe message, never as an
 * exception.
 */
export function toAiTools(connection: McpConnection): Record<string, McpAiTool> {
  const tools = Array.from(connection.tools.keys(), (name) => [name, aiTool(connection, name)] as const);
  return Object.fromEntries(tools);
}

function aiTool(connection: McpConnection, name: string): McpAiTool {
  const definition = connection.definition(name);
  return {
    type: "dynamic",
    description: definition?.description ?? "",
    inputSchema: aiSchema(definition?.inputSchema ?? {}),
    execute: async (input, options) => {
      const signal = options?.abortSignal;
      const given = (input ?? {}) as Readonly<Record<string, unknown>>;
      const outcome = await connection.protect(name, given, signal === undefined ? {} : { signal });
      return modelText(outcome, "en", { modelDetail: connection.tool(name).modelDetail });
    },
  };
}
