// One look at a request that finds nothing to negotiate and nothing to repair, which is nearly always: the target can do what is
// asked, its window is large enough, tool names and ids are in a form it takes, each tool call has an id of its own and is answered
// right behind its message, each answer has its call, and no thoughts are another vendor's. One walk without a copy, in as few functions as can be: every call takes it, between long turns
// of other people's code, and each function that has to be fetched for it costs more than what it does. Whatever is not sure
// here is left to `needsOf` and the rules of portability.

import type { LanguageModelV4CallOptions, LanguageModelV4ToolResultOutput } from "@ai-sdk/provider";
import type { ModelFacts } from "../model-facts/facts-for.ts";
import {
  charactersIn,
  charactersInFile,
  charactersInSchema,
  charactersInTool,
  type FileLike,
  LONG_TOKEN_CHARACTERS,
  needsOfFile,
} from "../model-facts/needs-of.ts";
import { isForeignThought } from "../portable/reasoning.ts";
import { isFailure } from "../portable/repeated-calls.ts";
import { isAnsweredHere } from "../portable/tool-pairs.ts";

/** Whether this target takes requests as they are. */
export function passThroughTo(
  facts: ModelFacts,
): (options: LanguageModelV4CallOptions, isStreaming: boolean) => boolean {
  const canStream = facts.capabilities.includes("streaming");
  const canUseTools = facts.capabilities.includes("tools");
  const { toolNames, toolCallIds } = facts;
  const mostCharacters = facts.contextWindowTokens * LONG_TOKEN_CHARACTERS;

  return ({ prompt, tools, responseFormat }, isStreaming) => {
    if (isStreaming && !canStream) return false;
    // Not a number as soon as something cannot be taken; nothing is larger or smaller than that.
    let characters = responseFormat?.type === "json" ? charactersInSchema(responseFormat.schema) : 0;
    let usesTools = false;
    if (tools !== undefined && tools.length > 0) {
      usesTools = true;
      for (let at = 0, tool; (tool = tools[at]) !== undefined; at++) {
        if (tool.type === "function" && !toolNames.test(tool.name)) return false;
        characters += charactersInTool(tool);
      }
    }
    /** Ids of calls that are not answered yet. */
    const open: string[] = [];
    let failures = 0;
    /** Ids of all calls; null before the first. */
    let ids: Set<string> | null = null;
    for (let at = 0, message; (message = prompt[at]) !== undefined; at++) {
      if (message.role === "system") {
        characters += message.content.length;
        continue;
      }
      if (open.length > 0 && message.role !== "tool") return false;
      const parts = message.content;
      for (let each = 0, part; (part = parts[each]) !== undefined; each++) {
        switch (part.type) {
          case "text":
            characters += part.text.length;
            break;
          case "file":
            characters += charactersTaken(part, facts);
            break;
          case "reasoning":
            if (isForeignThought(part, facts)) return false;
            characters += part.text.length;
            break;
          case "tool-call":
            usesTools = true;
            ids ??= new Set();
            if (ids.has(part.toolCallId) || !isAnsweredHere(part, facts)) return false;
            if (!toolNames.test(part.toolName) || toolCallIds?.test(part.toolCallId) === false) return false;
            ids.add(part.toolCallId);
            open.push(part.toolCallId);
            characters += part.toolName.length + charactersIn(part.input);
            break;
          case "tool-result": {
            const answered = open.indexOf(part.toolCallId);
            if (answered === -1 || message.role !== "tool" || !toolNames.test(part.toolName)) return false;
            if (answered === open.length - 1) open.pop();
            else open.splice(answered, 1);
            // Two failures may be one call made again.
            failures = isFailure(part.output) ? failures + 1 : 0;
            if (failures > 1) return false;
            characters += charactersInOutput(part.output, facts);
            break;
          }
          default:
            return false;
        }
      }
    }
    return open.length === 0 && (canUseTools || !usesTools) && characters <= mostCharacters;
  };
}

/** Not a number for a file that the target cannot take. */
function charactersTaken(file: FileLike, { capabilities }: ModelFacts): number {
  return needsOfFile(file).every((need) => capabilities.includes(need)) ? charactersInFile(file) : NaN;
}

function charactersInOutput(output: LanguageModelV4ToolResultOutput, facts: ModelFacts): number {
  if (output.type !== "content") return charactersIn("value" in output ? output.value : output.reason);
  let characters = 0;
  for (const item of output.value) {
    if (item.type === "text") characters += item.text.length;
    else if (item.type === "file") characters += charactersTaken(item, facts);
  }
  return characters;
}
