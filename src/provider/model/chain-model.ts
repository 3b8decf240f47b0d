// A chain of models that is itself a language model of the AI SDK: generateText, streamText, structured output and agents use it
// unchanged. Failures that no target could cure come out as a FaultError.

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
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { hasValue, type Outcome } from "../../runtime/call/outcome.ts";
import type { AnyTool } from "../../runtime/tool/tool.ts";
import { type MembersDeps, membersOf } from "./members.ts";
import {
  type ModelOptions,
  type ModelTarget,
  resolveModelOptions,
  type ResolvedModelOptions,
} from "./model-options.ts";
import { ModelRequest } from "./model-request.ts";
import type { FinishPart, Streamed } from "./stream.ts";
import { StreamSink } from "./stream-sink.ts";

/** Runs a tool under protection: outside sessions, or within one. */
export type Protect = (
  tool: AnyTool,
  request: ModelRequest,
  signal: AbortSignal | undefined,
) => Promise<Outcome<unknown>>;

export function createModel(
  targets: readonly ModelTarget[],
  options: ModelOptions,
  protect: Protect,
  home: MembersDeps,
): LanguageModelV4 {
  const resolved = resolveModelOptions(options);
  return new ChainModel(membersOf(targets, resolved, home), modelsIn(targets), resolved, protect);
}

function modelsIn(targets: readonly ModelTarget[]): readonly LanguageModelV4[] {
  return targets.map((target) => ("model" in target ? target.model : target));
}

class ChainModel implements LanguageModelV4 {
  readonly specificationVersion = "v4";
  readonly provider = "faultline";
  readonly modelId: string;
  private readonly members: readonly AnyTool[];
  private readonly models: readonly LanguageModelV4[];
  private readonly options: ResolvedModelOptions;
  private readonly protect: Protect;

  constructor(
    members: readonly AnyTool[],
    models: readonly LanguageModelV4[],
    options: ResolvedModelOptions,
    protect: Protect,
  ) {
    this.members = members;
    this.models = models;
    this.options = options;
    this.protect = protect;
    this.modelId = members.map(({ id }) => id).join(" > ");
  }

  /** Only what every target can fetch by itself, because each of them may be the one that answers. */
  get supportedUrls(): PromiseLike<Record<string, RegExp[]>> | Record<string, RegExp[]> {
    return this.models.length === 1 ? (this.models[0]?.supportedUrls ?? {}) : {};
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const request = new ModelRequest(options, null);
    const outcome = await this.protect(this.head, request, options.abortSignal);
    if (!hasValue(outcome)) throw errorOf(outcome, options);
    const result = request.memory.result ?? (outcome.value as LanguageModelV4GenerateResult);
    return { ...result, providerMetadata: { ...result.providerMetadata, faultline: metadataOf(outcome) } };
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const sink = new StreamSink(this.options.midStream);
    const failed = await new Promise<Outcome<unknown> | null>((resolve, reject) => {
      sink.whenOpen(() => resolve(null));
      this.protect(this.head, new ModelRequest(options, sink), options.abortSignal)
        .then((outcome) => {
          if (sink.isOpen || hasValue(outcome)) conclude(sink, outcome, options);
          else resolve(outcome);
        })
        .catch(reject);
    });
    if (failed !== null) throw errorOf(failed, options);
    return { stream: sink.paced.stream, ...(sink.response === undefined ? {} : { response: sink.response }) };
  }

  private get head(): AnyTool {
    const head = this.members[0];
    if (head === undefined) throw new Error("a chain without members was made");
    return head;
  }
}

/** The last word of a stream: its finish, or an error that nobody can take for one. */
function conclude(sink: StreamSink, outcome: Outcome<unknown>, options: LanguageModelV4CallOptions): void {
  if (outcome.status === "cancelled") {
    sink.abort(errorOf(outcome, options));
    return;
  }
  if (!hasValue(outcome)) {
    sink.fail(errorOf(outcome, options), brokenFinish(outcome));
    return;
  }
  const { content, finish } = outcome.value as Streamed;
  // Known from an earlier life of the program: nothing has been streamed in this one.
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

/** Who answered in the end, and after how many attempts. */
function metadataOf(outcome: Outcome<unknown>): SharedV4ProviderMetadata[string] {
  const { call, attempts } = outcome;
  return { call, attempts, target: "from" in outcome ? outcome.from : null };
}

function brokenFinish(outcome: Outcome<unknown>): FinishPart {
  const code = "fault" in outcome ? outcome.fault.code : "error";
  return { type: "finish", usage: NO_USAGE, finishReason: { unified: "error", raw: code } };
}

const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** What is thrown: the caller's own reason when it left, otherwise the fault. */
function errorOf(outcome: Outcome<unknown>, { abortSignal }: LanguageModelV4CallOptions): unknown {
  if (outcome.status === "cancelled" && abortSignal?.aborted === true) return abortSignal.reason;
  return new FaultError(faultIn(outcome));
}

function faultIn(outcome: Outcome<unknown>): Fault {
  if (outcome.status === "parked") return { ...outcome.fault, resetAt: outcome.wakeAt };
  return "fault" in outcome ? outcome.fault : fault("InvariantBroken", { message: "a call failed without a fault" });
}
