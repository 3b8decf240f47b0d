// What an MCP tool answered, and what a model may read of a call: the answer, or the safe words about the fault.

import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { viewFor, type ViewOptions } from "../core/fault/view.ts";
import type { Locale } from "../core/fault/words/words.ts";
import { hasValue, type Outcome } from "../runtime/call/outcome.ts";

export interface McpResult {
  /** All of it as text, as a model would read it. */
  readonly text: string;
  readonly content: CallToolResult["content"];
  /** Data that fits the tool's output schema; null when it sent none. */
  readonly structured: Readonly<Record<string, unknown>> | null;
  /** The tool's own word that it could not do it: meant for the model, which may correct itself. */
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

/** What is no text is named, so that a model knows that there was something. */
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

/** The text for the model, whatever became of the call. Of a fault's evidence only what `modelDetail` allows is in it. */
export function modelText(
  outcome: Outcome<McpResult>,
  locale: Locale = "en",
  more: Pick<ViewOptions, "modelDetail" | "redactor"> = {},
): string {
  const { redactor = SHAPE_REDACTOR } = more;
  if (outcome.status === "partial") return redactor.text(outcome.value.text);
  if (hasValue(outcome)) return outcome.value.text;
  const view = viewFor("model", outcome.fault, { ...more, correlationId: outcome.call, locale });
  const { class: family, code, message, issues = [], detail = "" } = view;
  const wrong = issues.map(({ path, expected, got }) => `${path} ${expected} (got ${got})`);
  return [`${family}/${code}: ${message}`, ...wrong, ...(detail === "" ? [] : [detail])].join("\n");
}
