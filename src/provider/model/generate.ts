// One attempt at a model for a whole answer. Looks and tells: what went wrong is thrown, what it cost and what the headers
// said is reported, and nothing is decided here.

import type { LanguageModelV4GenerateResult } from "@ai-sdk/provider";
import { FaultError } from "../../core/fault/fault-error.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { ModelRequest } from "./model-request.ts";
import { answerIn } from "./tally.ts";
import { tellCost, tellUnansweredCost, type Upstream } from "./upstream.ts";
import { verdictOn } from "./verdict.ts";

export async function generate(upstream: Upstream, request: ModelRequest, context: RunContext): Promise<Kept> {
  let result;
  try {
    result = await upstream.model.doGenerate({ ...request.options, abortSignal: context.signal });
  } catch (error) {
    tellUnansweredCost(upstream, request, context, error, 0);
    throw error;
  }
  context.responseHeaders(result.response?.headers);
  tellCost(upstream, context, result.usage);
  const answer = answerIn(result.content, result.finishReason);
  const verdict = verdictOn(answer, request.options, upstream.provider);
  const wrong = verdict instanceof Promise ? await verdict : verdict;
  if (wrong !== null) {
    request.memory.lastAnswer = answer.text;
    throw new FaultError(wrong);
  }
  request.memory.result = result;
  return upstream.isKept ? kept(result) : result;
}

/** What a session keeps of an answer, and gives back when the program runs again: nothing of the wire. */
function kept({
  content,
  finishReason,
  usage,
  warnings,
  providerMetadata,
  response,
}: LanguageModelV4GenerateResult): Kept {
  const { id, modelId } = response ?? {};
  return JSON.parse(
    JSON.stringify({ content, finishReason, usage, warnings, providerMetadata, response: { id, modelId } }),
  ) as Kept;
}

type Kept = Pick<LanguageModelV4GenerateResult, "content" | "finishReason" | "usage" | "warnings" | "providerMetadata">;
