// The result of an MCP tool, and what a model may read of a call: the result, or a safe message about the fault.

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import type { ViewOptions } from "../core/fault/view.ts";
import type { Locale } from "../core/fault/words/words.ts";
import { faultText, hasValue, type Outcome } from "../runtime/call/outcome.ts";

/** What a tool of an MCP server returned. */
export interface McpResult {
  /** The whole result as text for a model. */
  readonly text: string;
  readonly content: CallToolResult["content"];
  /** Data that fits the tool's output schema; null if the tool sent none. */
  readonly structured: Readonly<Record<string, unknown>> | null;
  /** The tool reports that it failed: meant for the model, which may correct itself. */
  readonly isError: boolean;
}

export function readResult({ content, structuredContent, isError }: CallToolResult): McpResult {
  const structured = structuredContent ?? null;
  const text = content.map(textOf).join("\n");
  return {
    text: text === "" && structured !== null ? JSON.stringify(structured) : text,
    content,
    structured,
    isError: isError === true,
  };
}

type Block = CallToolResult["content"][number];

/** Content other than text is named, so that the model knows it existed. */
function textOf(block: Block): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource ${block.resource.uri}]`;
    case "resource_link":
      return `[resource ${block.uri}]`;
    default:
      return `[${block.type} ${block.mimeType}]`;
  }
}

/** The text for the model, for any outcome. Of a fault's evidence it contains only what `modelDetail` allows. */
export function modelText(
  outcome: Outcome<McpResult>,
  locale: Locale = "en",
  more: Pick<ViewOptions, "modelDetail" | "redactor"> = {},
): string {
  const { redactor = SHAPE_REDACTOR } = more;
  if (outcome.status === "partial") return redactor.text(outcome.value.text);
  if (hasValue(outcome)) return outcome.value.text;
  return faultText(outcome.fault, { ...more, correlationId: outcome.call, locale });
}
