// A chain of models that is itself an AI SDK language model: generateText, streamText, structured output and agents use it unchanged.
// If no target can answer, the call throws a FaultError.

import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
  SharedV4ProviderMetadata,
} from "@ai-sdk/provider";
import { errorOf, hasValue, type Outcome, type ProtectChain } from "../../runtime/call/outcome.ts";
import type { Chain } from "../../runtime/tool/tool.ts";
import { type AnyTarget, isMember, type MembersDeps, modelChain, type ModelMember, targetOf } from "./members.ts";
import { type ModelOptions, resolveModelOptions } from "./model-options.ts";
import { ModelRequest } from "./model-request.ts";
import type { FinishPart, Streamed } from "./attempt.ts";
import { type MidStream, StreamSink } from "./stream-sink.ts";

export function createModel(
  targets: readonly (AnyTarget | ModelMember)[],
  options: ModelOptions,
  protect: ProtectChain,
  deps: MembersDeps,
): LanguageModelV4 {
  const resolved = resolveModelOptions(options);
  const chain = modelChain(targets, resolved, deps);
  return new ChainModel(chain, targets.length === 1 ? targets[0] : undefined, resolved.midStream, protect);
}

class ChainModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "faultline";
  readonly modelId: string;
  private readonly chain: Chain<ModelRequest, unknown>;
  private readonly only: AnyTarget | ModelMember | undefined;
  private readonly midStream: MidStream;
  private readonly protect: ProtectChain;

  constructor(
    chain: Chain<ModelRequest, unknown>,
    only: AnyTarget | ModelMember | undefined,
    midStream: MidStream,
    protect: ProtectChain,
  ) {
    this.chain = chain;
    this.only = only;
    this.midStream = midStream;
    this.protect = protect;
    this.modelId = chain.members.map(({ id }) => id).join(" > ");
  }

  /** Only the URLs that every target can fetch, because any of them may answer. */
  get supportedUrls(): PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]> {
    if (this.only === undefined || isMember(this.only)) return {};
    return targetOf(this.only).model.supportedUrls;
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const request = new ModelRequest(options, null);
    const outcome = await this.protect(this.chain, request, options.abortSignal);
    if (!hasValue(outcome)) throw errorOf(outcome, options.abortSignal);
    const result = request.memory.result ?? (outcome.value as LanguageModelV4GenerateResult);
    return { ...result, providerMetadata: { ...result.providerMetadata, faultline: metadataOf(outcome) } };
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const sink = new StreamSink(this.midStream);
    const failed = await new Promise<Outcome<unknown> | null>((resolve, reject) => {
      sink.whenOpen(() => resolve(null));
      this.protect(this.chain, new ModelRequest(options, sink), options.abortSignal)
        .then((outcome) => {
          if (sink.isOpen || hasValue(outcome)) conclude(sink, outcome, options);
          else resolve(outcome);
        })
        .catch(reject);
    });
    if (failed !== null) throw errorOf(failed, options.abortSignal);
    return { stream: sink.paced.stream, ...(sink.response === undefined ? {} : { response: sink.response }) };
  }
}

/** Ends a stream with its finish part, or with an error that cannot be mistaken for one. */
function conclude(sink: StreamSink, outcome: Outcome<unknown>, options: LanguageModelV4CallOptions): void {
  if (outcome.status === "cancelled") {
    sink.abort(errorOf(outcome, options.abortSignal));
    return;
  }
  if (!hasValue(outcome)) {
    sink.fail(errorOf(outcome, options.abortSignal), brokenFinish(outcome));
    return;
  }
  const { content, finish } = outcome.value as Streamed;
  // Nothing has been streamed: the answer was recorded by an earlier process, or comes whole from a CLI.
  if (sink.isUntouched) for (const part of partsOf(content)) sink.push(part);
  sink.finish({ ...finish, providerMetadata: { ...finish.providerMetadata, faultline: metadataOf(outcome) } });
}

function* partsOf(content: readonly LanguageModelV4Content[]): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  for (const [index, part] of content.entries()) {
    const id = String(index);
    if (part.type === "text" || part.type === "reasoning") {
      const { type, text, providerMetadata } = part;
      const signed = providerMetadata === undefined ? {} : { providerMetadata };
      yield { type: `${type}-start`, id };
      yield { type: `${type}-delta`, id, delta: text };
      yield { type: `${type}-end`, id, ...signed };
    } else yield part;
  }
}

/** Which target answered, and after how many attempts. */
function metadataOf(outcome: Outcome<unknown>): SharedV4ProviderMetadata[string] {
  const { call, attempts } = outcome;
  return { call, attempts, target: "from" in outcome ? outcome.from : null };
}

function brokenFinish(outcome: Outcome<unknown>): FinishPart {
  const code = "fault" in outcome ? outcome.fault.code : "error";
  return { type: "finish", usage: NO_USAGE, finishReason: { unified: "error", raw: code } };
}

export const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
