// One attempt at a model for an answer that is not streamed. It throws failures, reports the cost and the rate-limit headers, and
// decides nothing.

import type { JSONObject, LanguageModelV4GenerateResult, LanguageModelV4Usage } from "@ai-sdk/provider";
import { FaultError } from "../../core/fault/fault-error.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { ModelRequest } from "./model-request.ts";
import { answerIn, charactersIn } from "./tally.ts";
import { ReturnedCalls } from "./returned-calls.ts";
import { Meter, OUTRUN, type Upstream, UpstreamAbort, withTrace } from "./upstream.ts";
import { isProperEnd, verdictOn } from "./verdict.ts";
import { Watch } from "./watch.ts";

export async function generate(upstream: Upstream, request: ModelRequest, context: RunContext): Promise<Kept> {
  const leaving = new UpstreamAbort();
  new Watch(upstream.clock, upstream.timeouts.whole, context, (late) => leaving.leave(late, new FaultError(late)));
  context.whenGivenUp((reason) => leaving.leave(null, reason));
  const meter = new Meter(upstream, request, context);
  let result;
  try {
    const answer = await leaving.orLeave(
      upstream.model.doGenerate({ ...withTrace(request.options), abortSignal: leaving.signal }),
    );
    result = new ReturnedCalls(request).result(answer);
  } catch (error) {
    const told = leaving.late === null ? error : new FaultError(leaving.late);
    meter.failed(told, 0);
    throw told;
  }
  context.responseHeaders(result.response?.headers);
  const answer = answerIn(result.content, result.finishReason);
  const isWhole = isProperEnd(result.finishReason);
  meter.answered(fullUsage(result), result.providerMetadata, isWhole, charactersIn(result.content));
  const verdict = verdictOn(answer, request.options, upstream.provider);
  const wrong = verdict instanceof Promise ? await verdict : verdict;
  if (wrong !== null) {
    request.memory.lastAnswer = answer.text;
    throw new FaultError(wrong);
  }
  if (!context.claim()) throw new Error(OUTRUN);
  request.memory.result = result;
  return upstream.isKept ? kept(result) : result;
}

/** Adds the provider's raw usage: SDKs drop fields they do not know, such as the lifetime of cached tokens. */
function fullUsage({ usage, response }: LanguageModelV4GenerateResult): LanguageModelV4Usage {
  const body = response?.body as { readonly usage?: unknown } | null | undefined;
  const raw = typeof body === "object" ? body?.usage : undefined;
  return typeof raw === "object" && raw !== null ? { ...usage, raw: raw as JSONObject } : usage;
}

/** The part of an answer that a session records and replays when the program runs again. HTTP details are left out. */
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
