// Token counts of Claude Code and qwen-code. Both use the same names, but qwen-code's input count includes cached tokens and Claude Code's
// does not.

import type { AgentUsage } from "../event/agent-event.ts";
import { countOf, type JsonObject } from "../../core/json-fields.ts";

export const NOTHING_USED: AgentUsage = Object.freeze({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });

export function claudeUsage(usage: JsonObject, dialect: "claude" | "qwen"): AgentUsage {
  const input = countOf(usage["input_tokens"]);
  const cacheRead = countOf(usage["cache_read_input_tokens"]);
  return {
    input: dialect === "qwen" ? Math.max(0, input - cacheRead) : input,
    output: countOf(usage["output_tokens"]),
    cacheRead,
    cacheWrite: countOf(usage["cache_creation_input_tokens"]),
  };
}

export function addUsage(a: AgentUsage, b: AgentUsage): AgentUsage {
  return {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
  };
}
