// Tools and their calls, made to fit another vendor: names, ids, calls paired with their results, tools that only one vendor runs.
//
// Vendors allow fewer lengths and characters in names than MCP servers and programs use. A name that the target rejects is replaced
// everywhere in the request; the caller gets the model's calls under the original name.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import {
  mapMessages,
  mapParts,
  type Message,
  type Part,
  type Pass,
  removeParts,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  withParts,
} from "./pass.ts";
import { isForeign, isForeignKind, type PortableFacts } from "./target-facts.ts";

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
  /** The last number of each name. */
  const numbers = new Map<string, number>();
  // The vendor's adapter translates the names of its own tools.
  const vendors = new Set((options.tools ?? []).filter(isVendors).map(({ name }) => name));
  for (const name of known) {
    if (form.test(name) || vendors.has(name)) continue;
    const sent = freeName(name, taken, numbers);
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
function freeName(name: string, taken: ReadonlySet<string>, numbers: Map<string, number>): string {
  const plain = name.replace(/[^a-zA-Z0-9_-]+/g, "_").replace(/^(?=[^a-zA-Z_]|$)/, "_");
  const short = plain.slice(0, LONGEST_TOOL_NAME);
  let number = numbers.get(short) ?? 1;
  let free = short;
  while (taken.has(free)) {
    const suffix = `_${++number}`;
    free = short.slice(0, LONGEST_TOOL_NAME - suffix.length) + suffix;
  }
  numbers.set(short, number);
  return free;
}

function isVendors(tool: Tool): boolean {
  return tool.type === "provider";
}

// Tool call ids. Each vendor accepts its own format, and ids must be unique in a conversation. A history from another vendor's model
// may break both rules. Calls and results are renamed together.

/** Gives each further call with the same id, and its result, a new id. */
export function separateToolCallIds(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const freeId = freeIds(options);
  const used = new Set<string>();
  /** Ids of calls without a result so far, oldest first, by the caller's id. */
  const open = new Map<string, string[]>();
  return mapMessages(options, (message) => {
    const here = new Set<string>();
    return mapParts(message, pass, (part) => {
      if (!("toolCallId" in part)) return part;
      const { toolCallId: id } = part;
      if (part.type === "tool-result") return renamed(part, pass, open.get(id)?.shift() ?? id);
      // A vendor may list its own call twice: before it is approved, and after it has run.
      if (part.providerExecuted === true) return part;
      const own = used.has(id) ? freeId() : id;
      used.add(id);
      // A call from an earlier message that is still open was interrupted. The results that follow belong to other calls.
      if (here.has(id)) open.get(id)?.push(own);
      else open.set(id, [own]);
      here.add(id);
      return renamed(part, pass, own);
    });
  });
}

/** Numbers the new ids from the start of the history, so that a longer history gets the same ids. */
export function fitToolCallIds(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const form = pass.to.toolCallIds;
  if (form === null) return options;
  const freeId = freeIds(options);
  const fitted = new Map<string, string>();
  for (const id of idsIn(options)) if (!form.test(id)) fitted.set(id, freeId());
  if (fitted.size === 0) return options;
  return mapMessages(options, (message) =>
    mapParts(message, pass, (part) =>
      "toolCallId" in part ? renamed(part, pass, fitted.get(part.toolCallId) ?? part.toolCallId) : part,
    ),
  );
}

/** Nine letters and digits: the strictest format of any vendor. */
function freeIds(options: LanguageModelV4CallOptions): () => string {
  // Most requests need no new id.
  let known: ReadonlySet<string> | null = null;
  let count = 0;
  return () => {
    known ??= idsIn(options);
    let id: string;
    do id = `call${String(++count).padStart(5, "0")}`;
    while (known.has(id));
    return id;
  };
}

function renamed(part: Extract<Part, { toolCallId: string }>, pass: Pass, toolCallId: string): Part {
  if (toolCallId === part.toolCallId) return part;
  pass.note(pass.whereOf(part));
  return pass.replace(part, { ...part, toolCallId });
}

/** All ids of the calls and results in a conversation. */
export function idsIn({ prompt }: Pick<LanguageModelV4CallOptions, "prompt">): Set<string> {
  const ids = new Set<string>();
  for (const message of prompt) {
    if (message.role === "system") continue;
    for (const part of message.content) if ("toolCallId" in part) ids.add(part.toolCallId);
  }
  return ids;
}

// Every tool call needs its result right after the message that made it, and every result needs a call. An interrupted turn breaks
// this, and from then on every vendor rejects every request with that history.

/** The result of a call whose outcome is unknown. The model must not assume that nothing happened. */
export const OUTCOME_UNKNOWN = "outcome unknown: the call was interrupted";

/** Moves a result that came after other messages to its call: the real result is better than "unknown". */
export function moveLateResults(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const taken = new Set<Part>();
  let uses: CallUses | null = null;
  const answered = answerCalls(options, pass, (call, at) => {
    const late = lateResult((uses ??= usesOfCalls(options.prompt)), call.toolCallId, at, taken);
    if (late === null) return null;
    taken.add(late);
    pass.note(pass.whereOf(late));
    return pass.replace(late, { ...late });
  });
  const quiet: Pass = { ...pass, note: () => undefined };
  return taken.size === 0 ? options : removeParts(answered, quiet, (part) => taken.has(part));
}

export function answerOrphanCalls(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  return answerCalls(options, pass, (call) => {
    pass.note(pass.whereOf(call));
    return {
      type: "tool-result",
      toolCallId: call.toolCallId,
      toolName: call.toolName,
      output: { type: "error-text", value: OUTCOME_UNKNOWN },
    };
  });
}

export function removeOrphanResults(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const gone = new Set<Part>();
  /** Calls whose result may come at any later time. */
  const anytime = new Set<string>();
  let open = new Set<string>();
  for (const message of options.prompt) {
    if (message.role === "user") open = new Set();
    if (message.role === "assistant") open = new Set(clientCalls(message, pass).map((call) => call.toolCallId));
    if (message.role === "system" || message.role === "user") continue;
    for (const part of message.content) {
      if (part.type === "tool-call" && !isAnsweredHere(part, pass.to)) anytime.add(part.toolCallId);
      if (part.type !== "tool-result") continue;
      if (!open.delete(part.toolCallId) && !anytime.has(part.toolCallId)) gone.add(part);
    }
  }
  return removeParts(options, pass, (part) => gone.has(part));
}

/** Adds the results from `answer` after each message with open calls: to its tool message, or to a new one. */
function answerCalls(
  options: LanguageModelV4CallOptions,
  pass: Pass,
  answer: (call: ToolCall, at: number) => ToolResult | null,
): LanguageModelV4CallOptions {
  const prompt: Message[] = [];
  let due: ToolResult[] = [];
  let answered = 0;
  const settle = (): void => {
    if (due.length === 0) return;
    // Right after the assistant's message, even if a system message follows it.
    const behind = prompt.findLastIndex((message) => message.role === "assistant") + 1;
    prompt.splice(behind, 0, { role: "tool", content: due });
    due = [];
  };
  options.prompt.forEach((message, at) => {
    if (message.role === "assistant" || message.role === "user") settle();
    if (message.role === "tool" && due.length > 0) {
      prompt.push(pass.replace(message, withParts(message, [...message.content, ...due])));
      due = [];
      return;
    }
    prompt.push(message);
    if (message.role !== "assistant") return;
    due = openCalls(options.prompt, message, at, pass).flatMap((call) => answer(call, at) ?? []);
    answered += due.length;
  });
  settle();
  return answered > 0 ? { ...options, prompt } : options;
}

/** The calls of a message without a result in it or in the tool messages after it; each id once. */
function openCalls(
  prompt: readonly Message[],
  message: Extract<Message, { role: "assistant" }>,
  at: number,
  pass: Pass,
): readonly ToolCall[] {
  const calls = clientCalls(message, pass);
  if (calls.length === 0) return [];
  const answers = new Set(resultsIn(message).map((result) => result.toolCallId));
  for (let behind = at + 1; behind < prompt.length; behind++) {
    const next = prompt[behind];
    if (next === undefined || next.role === "user" || next.role === "assistant") break;
    for (const result of resultsIn(next)) answers.add(result.toolCallId);
  }
  const open = new Map(calls.map((call) => [call.toolCallId, call]));
  return [...open.values()].filter((call) => !answers.has(call.toolCallId));
}

/** The calls and results of each id, in the order of the conversation. */
type CallUses = ReadonlyMap<string, readonly { readonly at: number; readonly part: ToolCall | ToolResult }[]>;

function usesOfCalls(prompt: readonly Message[]): CallUses {
  return Map.groupBy(
    prompt.flatMap((message, at) => {
      const parts: readonly Part[] = message.role === "assistant" || message.role === "tool" ? message.content : [];
      const kind = message.role === "assistant" ? "tool-call" : "tool-result";
      return parts.filter((part) => part.type === kind).map((part) => ({ at, part: part as ToolCall | ToolResult }));
    }),
    ({ part }) => part.toolCallId,
  );
}

/** Finds a later result of a call, unless it belongs to a later call with the same id. */
function lateResult(uses: CallUses, id: string, at: number, taken: ReadonlySet<Part>): ToolResult | null {
  for (const { at: usedAt, part } of uses.get(id) ?? []) {
    if (usedAt <= at || taken.has(part)) continue;
    return part.type === "tool-result" ? part : null;
  }
  return null;
}

function clientCalls(message: Extract<Message, { role: "assistant" }>, pass: Pass): readonly ToolCall[] {
  return message.content.filter((part) => part.type === "tool-call" && isAnsweredHere(part, pass.to)) as ToolCall[];
}

/** A vendor may return the result of a call that it ran itself at any time; an asynchronous call may take several turns. */
export function isAnsweredHere(call: ToolCall, to: PortableFacts): boolean {
  const { providerOptions } = call;
  const isAsync =
    providerOptions !== undefined && to.namespaces.some((name) => providerOptions[name]?.["async"] === true);
  return call.providerExecuted !== true && !isAsync;
}

function resultsIn(message: Message | ToolMessage): readonly ToolResult[] {
  if (message.role !== "tool" && message.role !== "assistant") return [];
  const parts: readonly Part[] = message.content;
  return parts.filter((part) => part.type === "tool-result");
}

// Tools that a vendor defines or runs itself. Another vendor does not have them and cannot read their calls in the history.

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
