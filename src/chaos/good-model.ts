// The model that works: it answers, calls tools and returns JSON that fits the schema, from a script or by itself. The same
// request always gets the same reply.

import { sampleOf } from "./sample.ts";
import type { ChaosRequest, Reply, ChaosToolCall } from "./wire.ts";

/** The reply that a script or scenario sets. */
export type Scripted =
  | { readonly kind: "answer"; readonly text: string }
  | { readonly kind: "calls"; readonly calls: readonly ScriptedCall[] }
  | { readonly kind: "json"; readonly value: unknown };

export interface ScriptedCall {
  readonly tool: string;
  /** Default: a sample of the tool's schema. */
  readonly input?: unknown;
}

export function replyTo(asked: ChaosRequest, scripted: Scripted | null): Reply {
  switch (scripted?.kind) {
    case "answer":
      return said(behindPrefill(scripted.text, asked));
    case "calls":
      return calling(scripted.calls.map(({ tool, input }) => callOf(tool, input ?? sampleInput(tool, asked))));
    case "json":
      return inJson(asked, scripted.value);
    case undefined:
      return unscripted(asked);
  }
}

function unscripted(asked: ChaosRequest): Reply {
  if (asked.forcedTool !== null) return calling([callOf(asked.forcedTool, sampleInput(asked.forcedTool, asked))]);
  if (asked.schema !== null)
    return inJson(asked, isAnything(asked.schema) ? { answer: textFor(asked) } : sampleOf(asked.schema));
  return said(behindPrefill(textFor(asked), asked));
}

/** A request may ask for JSON by forcing the model to call a tool that takes it. */
export function inJson(asked: ChaosRequest, value: unknown): Reply {
  return asked.forcedTool === null ? said(JSON.stringify(value)) : calling([callOf(asked.forcedTool, value)]);
}

export function callOf(tool: string, input: unknown): ChaosToolCall {
  return { tool, input, text: JSON.stringify(input) };
}

export function sampleInput(tool: string, asked: ChaosRequest): unknown {
  return sampleOf(toolSchema(tool, asked));
}

/** A tool that was not offered accepts any object. */
export function toolSchema(tool: string, { tools }: ChaosRequest): unknown {
  return tools.find(({ name }) => name === tool)?.schema ?? { type: "object" };
}

function said(text: string): Reply {
  return { text, calls: [], stop: "end", isEmpty: false };
}

export function calling(calls: readonly ChaosToolCall[]): Reply {
  return { text: "", calls, stop: "tools", isEmpty: false };
}

const MAX_QUOTED_CHARS = 400;

function textFor({ lastUserText, toolResults }: ChaosRequest): string {
  if (toolResults.length > 0) return `The tool said: ${toolResults.join("; ").slice(0, MAX_QUOTED_CHARS)}`;
  const quoted = lastUserText.slice(0, MAX_QUOTED_CHARS);
  return `You said: ${quoted === "" ? "nothing" : quoted} (This answer comes from a test server, in several pieces.)`;
}

/** Continues an answer whose beginning the request has, as models with prefill do. */
function behindPrefill(text: string, { prefill }: ChaosRequest): string {
  return text.startsWith(prefill) ? text.slice(prefill.length) : text;
}

function isAnything(schema: unknown): boolean {
  return typeof schema === "object" && schema !== null && Object.keys(schema).length === 0;
}
