// Tool names. Vendors allow fewer lengths and characters than MCP servers and programs use. A name that the target rejects is replaced
// everywhere in the request; the caller gets the model's calls under the original name.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { mapMessages, mapParts, type Pass } from "./pass.ts";

type Tool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];

/** The longest name that every vendor accepts. */
const LONGEST_TOOL_NAME = 64;

export function fitToolNames(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const fitted = fittedNames(options, pass.to.toolNames);
  if (fitted.size === 0) return options;
  for (const [name, sent] of fitted) pass.toolNames.set(sent, name);
  const rename = <T extends object>(thing: T, name: string, key: "name" | "toolName"): T => {
    const sent = fitted.get(name);
    if (sent === undefined) return thing;
    pass.note(pass.whereOf(thing));
    return pass.replace(thing, { ...thing, [key]: sent });
  };
  const { toolChoice, tools } = options;
  const chosen = toolChoice?.type === "tool" ? fitted.get(toolChoice.toolName) : undefined;
  const renamed = {
    ...options,
    ...(tools === undefined
      ? {}
      : { tools: tools.map((tool) => (isVendors(tool) ? tool : rename(tool, tool.name, "name"))) }),
    ...(chosen === undefined ? {} : { toolChoice: { type: "tool" as const, toolName: chosen } }),
  };
  return mapMessages(renamed, (message) =>
    mapParts(message, pass, (part) => ("toolName" in part ? rename(part, part.toolName, "toolName") : part)),
  );
}

/** Maps each rejected name to its replacement. Offered tools come first, so that their names stay the same as the history grows. */
function fittedNames(options: LanguageModelV4CallOptions, form: RegExp): ReadonlyMap<string, string> {
  const known = namesIn(options);
  const taken = new Set(known);
  const fitted = new Map<string, string>();
  // The vendor's adapter translates the names of its own tools.
  const vendors = new Set((options.tools ?? []).filter(isVendors).map(({ name }) => name));
  for (const name of known) {
    if (form.test(name) || vendors.has(name)) continue;
    const sent = freeName(name, taken);
    taken.add(sent);
    fitted.set(name, sent);
  }
  return fitted;
}

function namesIn({ tools = [], prompt }: LanguageModelV4CallOptions): ReadonlySet<string> {
  const names = new Set(tools.map(({ name }) => name));
  for (const message of prompt) {
    if (message.role === "system") continue;
    for (const part of message.content) if ("toolName" in part) names.add(part.toolName);
  }
  return names;
}

/** Letters, digits, dashes and underscores, not starting with a digit or dash: every vendor accepts this. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^(?=[^a-zA-Z_]|$)/, "_");
  let free = plain.slice(0, LONGEST_TOOL_NAME);
  for (let number = 2; taken.has(free); number++) {
    const suffix = `_${number}`;
    free = plain.slice(0, LONGEST_TOOL_NAME - suffix.length) + suffix;
  }
  return free;
}

function isVendors(tool: Tool): boolean {
  return tool.type === "provider";
}
