// Parameters that the target rejects, or rejects at that size.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { Pass } from "./pass.ts";

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

export function removeRefusedParameters(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
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

export function lowerOutputLimit(options: LanguageModelV4CallOptions, pass: Pass): LanguageModelV4CallOptions {
  const { maxOutputTokens } = pass.to;
  if (options.maxOutputTokens === undefined || options.maxOutputTokens <= maxOutputTokens) return options;
  pass.note("maxOutputTokens");
  return { ...options, maxOutputTokens };
}

function isReasoningOff({ reasoning, providerOptions }: LanguageModelV4CallOptions, { to }: Pass): boolean {
  const efforts = to.namespaces.map((namespace) => providerOptions?.[namespace]?.["reasoningEffort"]);
  return reasoning === "none" || efforts.includes("none");
}
