// Adapts a request that was written for one target to another, as a list of declared changes that can be recorded. Always start from
// the caller's original request, not from one that was already adapted to another target.
// P1  Applying the rules twice changes nothing more.
// P2  A request that needs no change is returned as the same object.
// P3  The text of a user is never changed.
// P4  Afterwards every tool call has its result.
// P5  Each change says where and why, and contains nothing of the conversation.
//
// The rules are in the order they are applied: what is changed, why, and a real error message or effect that occurs without
// the change.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { mapMessages, type Pass, removeParts, placesOf } from "./pass.ts";
import {
  removeBoundReasoning,
  removeCacheMarks,
  removeForeignOptions,
  removeForeignReasoning,
  removeServerState,
  removeUnsignedReasoning,
} from "./provider-options.ts";
import {
  answerOrphanCalls,
  fitToolCallIds,
  fitToolNames,
  moveLateResults,
  removeForeignServerCalls,
  removeForeignTools,
  removeOrphanResults,
  separateToolCallIds,
} from "./tools.ts";
import { tellRepeats, DEFAULT_REPEAT_LIMITS } from "./repeated-calls.ts";
import type { RequestChange } from "../../core/flow/call.ts";
import type { PortableFacts } from "./target-facts.ts";

export interface PortableRule {
  readonly name: string;
  /** `always`: every vendor rejects the history. `onSwitch`: the request was written for another target. */
  readonly when: "always" | "onSwitch";
  readonly why: string;
  /** A real error message, or the effect, without the rule. */
  readonly example: string;
  readonly apply: (options: LanguageModelV4CallOptions, pass: Pass) => LanguageModelV4CallOptions;
}

export const PORTABLE_RULES: readonly PortableRule[] = [
  {
    name: "foreign-reasoning",
    when: "always",
    why: "the reasoning is signed, encrypted or shaped for another vendor, and the target cannot read it",
    example: "messages.1.content.0: Invalid `signature` in `thinking` block",
    apply: removeForeignReasoning,
  },
  {
    name: "unsigned-reasoning",
    when: "onSwitch",
    why: "the target accepts only reasoning with its own mark",
    example: "messages.1.content.0.thinking.signature: Field required",
    apply: removeUnsignedReasoning,
  },
  {
    name: "bound-reasoning",
    when: "onSwitch",
    why: "the reasoning is tied to another model or account of the same vendor",
    example: "The encrypted content could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
    apply: removeBoundReasoning,
  },
  {
    name: "foreign-server-call",
    when: "onSwitch",
    why: "another vendor ran this call on its own servers; the target does not know the tool",
    example: "messages.1.content.1.server_tool_use.id: String should match pattern '^srvtoolu_[a-zA-Z0-9_]+$'",
    apply: removeForeignServerCalls,
  },
  {
    name: "empty-text",
    when: "onSwitch",
    why: "the target rejects empty text and messages without parts",
    example: "messages: text content blocks must be non-empty",
    apply: removeEmptyText,
  },
  {
    name: "duplicate-tool-call-id",
    when: "always",
    why: "an earlier call has the same id; this call and its result got a new one",
    example: "messages.3.content.0: `tool_use` ids must be unique",
    apply: separateToolCallIds,
  },
  {
    name: "late-tool-result",
    when: "always",
    why: "a result must follow its call directly; it was moved there",
    example:
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
    apply: moveLateResults,
  },
  {
    name: "orphan-tool-call",
    when: "always",
    why: "the call has no result; a result tells the model that the outcome is unknown",
    example: "`tool_use` ids were found without `tool_result` blocks immediately after",
    apply: answerOrphanCalls,
  },
  {
    name: "orphan-tool-result",
    when: "always",
    why: "there is no open call for this result",
    example: "No tool call found for function call output with call_id call_x.",
    apply: removeOrphanResults,
  },
  {
    name: "repeated-failure",
    when: "always",
    why: "this call has failed several times in a row with the same arguments; a note tells the model",
    example:
      "read_file(/etc/app.conf) fails with Forbidden, and the model calls it again, with the same result, forever",
    apply: tellRepeats,
  },
  {
    name: "tool-call-id",
    when: "always",
    why: "the target rejects ids of this length or with these characters; the call and its result got a new one",
    example: "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    apply: fitToolCallIds,
  },
  {
    name: "tool-name",
    when: "always",
    why: "the target rejects tool names of this length or with these characters; its calls come back under the caller's name",
    example:
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    apply: fitToolNames,
  },
  {
    name: "foreign-tool",
    when: "onSwitch",
    why: "only another vendor has this tool",
    example: "tools.0: Input tag 'web_search_preview' found using 'type' does not match any of the expected tags",
    apply: removeForeignTools,
  },
  {
    name: "server-state",
    when: "onSwitch",
    why: "this refers to state stored at another vendor or account, which the target cannot read",
    example: "Previous response with id 'resp_x' not found.",
    apply: removeServerState,
  },
  {
    name: "cache-mark",
    when: "onSwitch",
    why: "this is meant for the cache of another vendor",
    example: "messages.0.content.0.cache_control: Extra inputs are not permitted",
    apply: removeCacheMarks,
  },
  {
    name: "foreign-options",
    when: "onSwitch",
    why: "these options are meant for another vendor",
    example: "Unknown parameter: 'thinking'.",
    apply: removeForeignOptions,
  },
  {
    name: "refused-parameter",
    when: "onSwitch",
    why: "the target rejects this parameter",
    example: "Unsupported parameter: 'temperature' is not supported with this model.",
    apply: removeRefusedParameters,
  },
  {
    name: "output-limit",
    when: "onSwitch",
    why: "the target cannot write that much; the request was lowered to the target's limit",
    example: "max_tokens: 200000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5",
    apply: lowerOutputLimit,
  },
  {
    name: "prefill",
    when: "onSwitch",
    why: "the target does not continue a final assistant message; a user message asks it to",
    example: "This model does not support assistant message prefill. The conversation must end with a user message.",
    apply: endWithUser,
  },
];

// The shape of a conversation that the target accepts: no empty parts, and no assistant message at the end.

/** The user message for a target that does not support prefill. */
export const CONTINUE_PROMPT = "Continue exactly where your last message ends. Do not repeat it.";

/** A user's text is not judged: only a part without any characters is removed from a user message. */
function removeEmptyText(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  if (pass.to.acceptsEmptyText) return options;
  const withoutParts = removeParts(options, pass, (part, { role }) => {
    if (part.type !== "text") return false;
    return role === "user" ? part.text === "" : part.text.trim() === "";
  });
  return mapMessages(withoutParts, (message) => {
    if (message.content.length > 0) return message;
    pass.note(pass.whereOf(message));
    return null;
  });
}

function endWithUser(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const isPrefill = options.prompt.findLast(({ role }) => role !== "system")?.role === "assistant";
  if (!isPrefill || pass.to.capabilities.includes("prefill")) return options;
  pass.note("messages");
  return {
    ...options,
    prompt: [...options.prompt, { role: "user", content: [{ type: "text", text: CONTINUE_PROMPT }] }],
  };
}

// Parameters that the target rejects, or rejects at that size.

/** Parameters that can be left out without changing what the request asks for. */
const OPTIONAL_PARAMETERS = [
  "temperature",
  "topP",
  "topK",
  "presencePenalty",
  "frequencyPenalty",
  "seed",
  "stopSequences",
  "reasoning",
] as const satisfies readonly (keyof LanguageModelV4CallOptions)[];

function removeRefusedParameters(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const { refusedParameters, refusedWhileReasoning } = pass.to;
  const refused = isReasoningOff(options, pass) ? refusedParameters : [...refusedParameters, ...refusedWhileReasoning];
  const gone: readonly string[] = OPTIONAL_PARAMETERS.filter(
    (parameter) => refused.includes(parameter) && options[parameter] !== undefined,
  );
  if (gone.length === 0) return options;
  gone.forEach(pass.note);
  return Object.fromEntries(
    Object.entries(options).filter(([key]) => !gone.includes(key)),
  ) as unknown as LanguageModelV4CallOptions;
}

function lowerOutputLimit(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const { maxOutputTokens } = pass.to;
  if (options.maxOutputTokens === undefined || options.maxOutputTokens <= maxOutputTokens) return options;
  pass.note("maxOutputTokens");
  return { ...options, maxOutputTokens };
}

function isReasoningOff({ reasoning, providerOptions }: LanguageModelV4CallOptions, { to }: Pass): boolean {
  const efforts = to.namespaces.map((namespace) => providerOptions?.[namespace]?.["reasoningEffort"]);
  return reasoning === "none" || efforts.includes("none");
}

export interface Portable {
  readonly options: LanguageModelV4CallOptions;
  readonly changes: readonly RequestChange[];
  /** The tool names that are sent, mapped to the caller's own names, which the answer gets back. */
  readonly toolNames: ReadonlyMap<string, string>;
}

/** Applies all rules. `from` is the target the request was written for, if known: some models cannot read the reasoning of related models. */
export function makePortable(
  options: LanguageModelV4CallOptions,
  to: PortableFacts,
  from: PortableFacts | null = null,
  tellAfter = DEFAULT_REPEAT_LIMITS.tellAfter,
): Portable {
  return applyRules(PORTABLE_RULES, options, to, from, tellAfter);
}

/** Applies the rules that the first target needs, too: for an interrupted turn, or a history from another vendor's model. */
export function repairHistory(
  options: LanguageModelV4CallOptions,
  to: PortableFacts,
  tellAfter = DEFAULT_REPEAT_LIMITS.tellAfter,
): Portable {
  return applyRules(ALWAYS, options, to, null, tellAfter);
}

/** A place in a list, such as a message. */
const PLACE = /\[\d+\]/;

/** For a journal: one line per rule, because a long history may have hundreds of changes of one kind, and one for each parameter. */
export function summarizeChanges(changes: readonly RequestChange[]): readonly RequestChange[] {
  if (changes.length === 0) return changes;
  const kindOf = ({ rule, where }: RequestChange): string => (PLACE.test(where) ? rule : `${rule}=${where}`);
  return [...Map.groupBy(changes, kindOf).values()].flatMap(([first, ...more]) => {
    if (first === undefined) return [];
    return more.length === 0 ? first : { ...first, where: `${first.where} and ${more.length} more` };
  });
}

const ALWAYS = PORTABLE_RULES.filter(({ when }) => when === "always");

function applyRules(
  rules: readonly PortableRule[],
  given: LanguageModelV4CallOptions,
  to: PortableFacts,
  from: PortableFacts | null,
  tellAfter: number,
): Portable {
  const changes: RequestChange[] = [];
  const toolNames = new Map<string, string>();
  const { options: start, whereOf, replace } = placesOf(given);
  const options = rules.reduce((before, { name, why, apply }) => {
    const note = (where: string): void => void changes.push({ rule: name, where, why });
    const pass: Pass = { to, from, note, toolNames, tellAfter, whereOf, replace };
    return apply(before, pass);
  }, start);
  return { options: changes.length === 0 ? given : options, changes, toolNames };
}
