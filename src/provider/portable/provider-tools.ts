// Tools that a vendor defines or runs itself. Another vendor does not have them and cannot read their calls in the history.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { removeParts, type Pass, type ToolCall } from "./pass.ts";
import { isForeign, isForeignKind } from "./target-facts.ts";

export function removeForeignTools(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const before = options.tools ?? [];
  const tools = before.filter((tool) => tool.type === "function" || !isForeignKind(tool.id, pass.to));
  if (tools.length === before.length) return options;
  for (const tool of before) if (!tools.includes(tool)) pass.note(pass.whereOf(tool));
  const { toolChoice } = options;
  const isChoiceGone =
    tools.length === 0 || (toolChoice?.type === "tool" && tools.every(({ name }) => name !== toolChoice.toolName));
  const edited = { ...options, tools };
  if (tools.length === 0) delete (edited as LanguageModelV4CallOptions).tools;
  if (isChoiceGone && toolChoice !== undefined) {
    delete edited.toolChoice;
    pass.note("toolChoice");
  }
  return edited;
}

/** Removes calls that another vendor ran on its own servers, with their results. The model's text about them stays. */
export function removeForeignServerCalls(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const toolIds = new Map(
    (options.tools ?? []).flatMap((tool) => (tool.type === "provider" ? [[tool.name, tool.id] as const] : [])),
  );
  const gone = new Set<string>();
  for (const message of options.prompt) {
    if (message.role !== "assistant") continue;
    for (const part of message.content)
      if (part.type === "tool-call" && isForeignServerCall(part, toolIds.get(part.toolName), pass))
        gone.add(part.toolCallId);
  }
  if (gone.size === 0) return options;
  return removeParts(options, pass, (part) => {
    if (part.type === "tool-call") return part.providerExecuted === true && gone.has(part.toolCallId);
    return part.type === "tool-result" && gone.has(part.toolCallId);
  });
}

/** Id prefixes of calls that vendors run themselves. */
const SERVER_CALL_IDS: readonly { readonly prefix: string; readonly namespace: string }[] = [
  { prefix: "srvtoolu_", namespace: "anthropic" },
  { prefix: "mcptoolu_", namespace: "anthropic" },
  { prefix: "ws_", namespace: "openai" },
  { prefix: "ci_", namespace: "openai" },
  { prefix: "fs_", namespace: "openai" },
  { prefix: "ig_", namespace: "openai" },
  { prefix: "mcp_", namespace: "openai" },
];

/** A call stays if nothing says which vendor ran it. */
function isForeignServerCall(call: ToolCall, toolId: string | undefined, { to }: Pass): boolean {
  if (call.providerExecuted !== true) return false;
  if (toolId !== undefined) return isForeignKind(toolId, to);
  const marks = Object.keys(call.providerOptions ?? {});
  if (marks.some((mark) => to.namespaces.includes(mark))) return false;
  const byId = SERVER_CALL_IDS.filter(({ prefix }) => call.toolCallId.startsWith(prefix));
  return [...marks, ...byId.map(({ namespace }) => namespace)].some((mark) => isForeign(mark, to));
}
