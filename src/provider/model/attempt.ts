// One attempt at a model, streamed or whole. It is loaded with the first request to a model. Parts of a stream go to the caller as they
// arrive; the last one waits until the whole answer has been checked.
// U1  When the clock or the caller gives up, the upstream request is cancelled too.
// U2  At its first content, an attempt claims the answer. Before that, it changes nothing that another attempt uses.
// U3  A stream that ends without a finish part is an error, even if the SDK reports none.

import type {
  JSONObject,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  LanguageModelV4,
  LanguageModelV4CallOptions,
} from "@ai-sdk/provider";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { readField, isA } from "../../core/try-read.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { ModelRequest } from "./model-request.ts";
import type { Follower } from "../paced-stream.ts";
import { MOST_BYTES, PIECE_BYTES, tooLarge } from "../fetch/bounded.ts";
import { isContent, isThought, type StreamSink } from "./stream-sink.ts";
import { answerIn, charactersIn, ContentTally, isProperEnd, nothingRead, verdictOn } from "./tally.ts";
import { isUnknownEvent } from "../wire/wire-reader.ts";
import { Speed, Watch, type ModelTimeouts } from "./watch.ts";
import { idsIn } from "../portable/tools.ts";
import type { Clock } from "../../host/clock.ts";
import { outgoingHeaders } from "../../telemetry/otel.ts";
import { askedTier, costOfAnswer, type Seen, servedTier } from "../price/cost.ts";
import type { Price } from "../price/price-table.ts";

export type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** A complete streamed answer: its content, and its last part, which the caller has not received yet. */
export interface Streamed {
  readonly content: readonly LanguageModelV4Content[];
  readonly finish: FinishPart;
}

export async function stream(
  upstream: Upstream,
  request: ModelRequest,
  sink: StreamSink,
  context: RunContext,
): Promise<Streamed> {
  const { memory, sent } = request;
  const tally = (sink.continuable === null ? null : memory.tally) ?? new ContentTally();
  tally.characters = 0;
  const upstreamAbort = new UpstreamAbort();
  const meter = new Meter(upstream, request, context);
  let isPriced = false;
  const watch = new Watch(upstream.clock, upstream.timeouts.stream, context, (late) =>
    upstreamAbort.abort(late, new FaultError(late)),
  );
  sink.paced.whenLeft = context.cancel;
  context.whenGivenUp((reason) => upstreamAbort.abort(null, reason));
  try {
    const result = await upstreamAbort.orAbort(
      upstream.model.doStream({ ...withTrace(sent), abortSignal: upstreamAbort.signal }),
    );
    watch.headers();
    context.responseHeaders(result.response?.headers);
    const { clock, minCharactersPerSecond } = upstream;
    const speed = minCharactersPerSecond === 0 ? null : new Speed(clock, minCharactersPerSecond);
    const calls = new ReturnedCalls(request);
    const reading = new Reading({ sink, watch, tally, commit: context.commit, speed, meter, calls });
    const parts = result.stream.getReader();
    upstreamAbort.onAbort = (reason) => {
      if (reading.isShown) sink.paced.unfollow(reason);
      // Cancelling ends a read that hangs. The attempt is over, so a failed cancel does no harm.
      void Promise.allSettled([parts.cancel(reason)]);
    };
    const early = await untilContent(parts, watch, upstreamAbort);
    const show = (): boolean => {
      if (!context.claim()) throw upstreamAbort.error ?? new Error(OUTRUN);
      sink.begin();
      sink.response = result.response;
      memory.tally = tally;
      reading.isShown = true;
      return early.every((part) => reading.takes(part));
    };
    const last = early.at(-1);
    const isEmpty = last === undefined || !isContent(last);
    if (last?.type === "finish") reading.finish = last;
    if (!isEmpty && show()) await sink.paced.follow(parts, reading);
    const { finish } = reading;
    if (finish === null) throw upstreamAbort.error ?? new FaultError(cutShort(upstream.provider, tally));
    meter.answered(finish.usage, finish.providerMetadata, isProperEnd(finish.finishReason), tally.characters);
    isPriced = true;
    const verdict = verdictOn(tally.answer(finish.finishReason), sent, upstream.provider);
    const wrong = verdict instanceof Promise ? await verdict : verdict;
    if (wrong !== null) throw new FaultError(wrong);
    if (isEmpty) show();
    return { content: tally.content, finish };
  } catch (error) {
    const failure =
      upstreamAbort.late === null ? readAs(error, upstream.provider, tally) : new FaultError(upstreamAbort.late);
    if (!isPriced) meter.failed(failure, tally.characters);
    memory.lastAnswer = tally.text;
    upstreamAbort.abort(null, failure);
    throw failure;
  }
}

/** The parts up to the first content, the end of the stream, or its error. */
async function untilContent(
  parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  watch: Watch,
  upstreamAbort: UpstreamAbort,
): Promise<readonly LanguageModelV4StreamPart[]> {
  const early: LanguageModelV4StreamPart[] = [];
  for (;;) {
    watch.wait();
    const { done, value } = await upstreamAbort.orAbort(parts.read());
    if (done) return early;
    if (value.type === "error") {
      throwUnlessSkipped(value.error);
      continue;
    }
    early.push(value);
    if (isContent(value) || value.type === "finish") return early;
    if (value.type === "reasoning-start") watch.progress(true);
    else watch.hold();
    if (early.length * PIECE_BYTES > MOST_BYTES.answer) throw tooLarge("answer");
  }
}

/** What the parts of a stream pass through. */
interface Readers {
  readonly sink: StreamSink;
  readonly watch: Watch;
  readonly tally: ContentTally;
  readonly commit: RunContext["commit"];
  /** null: no minimum speed. */
  readonly speed: Speed | null;
  readonly meter: Meter;
  readonly calls: ReturnedCalls;
}

/** Processes the parts of one attempt. */
class Reading implements Follower<LanguageModelV4StreamPart> {
  private readonly readers: Readers;
  /** The attempt has claimed the answer, so the sink gets its parts. */
  isShown = false;
  /** The last part, held back; null if the stream ended without one. */
  finish: FinishPart | null = null;

  constructor(readers: Readers) {
    this.readers = readers;
  }

  waits(): void {
    const { watch, speed } = this.readers;
    watch.wait();
    speed?.waits();
  }

  takes(part: LanguageModelV4StreamPart): boolean {
    if (part.type === "finish") {
      this.finish = part;
      return false;
    }
    if (part.type === "error") {
      throwUnlessSkipped(part.error);
      return true;
    }
    const { sink, watch, tally, commit, speed, meter, calls } = this.readers;
    if (isContent(part) || part.type === "reasoning-start") watch.progress(isThought(part));
    else watch.hold();
    const seen = sink.push(calls.part(part));
    const before = tally.characters;
    if (seen !== null) tally.add(seen);
    if (tally.characters > MOST_BYTES.answer) throw tooLarge("answer");
    if (tally.characters > before) meter.streamed(tally.characters);
    speed?.came(tally.characters, isThought(part));
    if (sink.isCommitted) commit();
    return true;
  }
}

/** The SDK reports an event of a type that it does not know as an error, and reads on. */
function throwUnlessSkipped(error: unknown): void {
  const isUnread = typeof error === "object" && error !== null && readField(error, "name") === "AI_TypeValidationError";
  if (!isUnread || !isUnknownEvent(readField(error, "value"))) throw error;
}

/** Some SDKs throw their own error for a stream without an end. If no content came before it, there was no answer to cut. */
function readAs(error: unknown, provider: string, tally: ContentTally): unknown {
  if (tally.content.length > 0 || typeof error !== "object" || error === null) return error;
  return readField(error, "name") === "AI_InvalidResponseDataError" ? new FaultError(nothingRead(provider)) : error;
}

function cutShort(provider: string, tally: ContentTally): Fault {
  if (tally.content.length === 0) return nothingRead(provider);
  return fault("NetworkDisconnect", {
    message: "the stream ended before the answer was complete",
    context: { provider },
  });
}

/** One attempt at an answer that is not streamed. */
export async function generate(upstream: Upstream, request: ModelRequest, context: RunContext): Promise<Kept> {
  const upstreamAbort = new UpstreamAbort();
  new Watch(upstream.clock, upstream.timeouts.whole, context, (late) =>
    upstreamAbort.abort(late, new FaultError(late)),
  );
  context.whenGivenUp((reason) => upstreamAbort.abort(null, reason));
  const meter = new Meter(upstream, request, context);
  let result;
  try {
    const answer = await upstreamAbort.orAbort(
      upstream.model.doGenerate({ ...withTrace(request.options), abortSignal: upstreamAbort.signal }),
    );
    result = new ReturnedCalls(request).result(answer);
  } catch (error) {
    const failure = upstreamAbort.late === null ? error : new FaultError(upstreamAbort.late);
    meter.failed(failure, 0);
    throw failure;
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

// Restores the caller's tool names in the tool calls of an answer and makes their ids unique. Some servers give every call the same id,
// or restart their numbering with each answer. Calls that a vendor runs itself keep name and id, because their results refer to them
// and their adapter knows them.

interface Begun {
  readonly id: string;
  ended: boolean;
  called: boolean;
}

export class ReturnedCalls {
  private readonly request: Pick<ModelRequest, "given" | "toolNames">;
  /** Ids used in this conversation and this answer; null before the first call. */
  private ids: Set<string> | null = null;
  /** Calls of this answer by the provider's id, oldest first. */
  private readonly begun = new Map<string, Begun[]>();

  constructor(request: Pick<ModelRequest, "given" | "toolNames">) {
    this.request = request;
  }

  result(result: LanguageModelV4GenerateResult): LanguageModelV4GenerateResult {
    const content = result.content.map((part) => this.part(part));
    return content.every((part, at) => part === result.content[at]) ? result : { ...result, content };
  }

  part<T extends LanguageModelV4StreamPart | LanguageModelV4Content>(part: T): T;
  part(part: LanguageModelV4StreamPart | LanguageModelV4Content): LanguageModelV4StreamPart | LanguageModelV4Content {
    switch (part.type) {
      case "tool-input-start":
        return part.providerExecuted === true
          ? part
          : returned(part, { id: this.begin(part.id).id, toolName: this.nameOf(part.toolName) });
      case "tool-input-delta":
        return returned(part, { id: this.begun.get(part.id)?.at(-1)?.id ?? part.id });
      case "tool-input-end": {
        const call = this.begun.get(part.id)?.find(({ ended }) => !ended);
        if (call !== undefined) call.ended = true;
        return returned(part, { id: call?.id ?? part.id });
      }
      case "tool-call": {
        if (part.providerExecuted === true) return part;
        const call = this.begun.get(part.toolCallId)?.find(({ called }) => !called) ?? this.begin(part.toolCallId);
        call.called = true;
        return returned(part, { toolCallId: call.id, toolName: this.nameOf(part.toolName) });
      }
      default:
        return part;
    }
  }

  private nameOf(sent: string): string {
    return this.request.toolNames.get(sent) ?? sent;
  }

  private begin(given: string): Begun {
    const ids = (this.ids ??= idsIn(this.request.given));
    const base = given === "" ? "call" : given;
    let id = given;
    for (let number = 2; id === "" || ids.has(id); number++) id = `${base}_${number}`;
    ids.add(id);
    const call: Begun = { id, ended: false, called: false };
    const before = this.begun.get(given);
    if (before === undefined) this.begun.set(given, [call]);
    else before.push(call);
    return call;
  }
}

/** Returns the same part if nothing changes. */
function returned<T extends object>(part: T, fields: Partial<T>): T {
  const isSame = Object.entries(fields).every(([key, value]) => part[key as keyof T] === value);
  return isSame ? part : { ...part, ...fields };
}

// One model of a chain, and the parts of an attempt at it: a running cost and a way to abort.

export interface Upstream {
  readonly model: LanguageModelV4;
  readonly provider: string;
  readonly clock: Clock;
  readonly timeouts: ModelTimeouts;
  /** 0: no limit. */
  readonly minCharactersPerSecond: number;
  /** null when there is no price. */
  readonly price: Price | null;
  /** A session records the answers in its journal, so they must be plain data. */
  readonly isKept: boolean;
}

/** The options with headers that tell the other side which trace the request belongs to. Headers of the caller come first. */
export function withTrace<Options extends Pick<LanguageModelV4CallOptions, "headers">>(options: Options): Options {
  const trace = outgoingHeaders();
  return Object.keys(trace).length === 0 ? options : { ...options, headers: { ...trace, ...options.headers } };
}

/** Reports what an attempt costs, while it runs and when it has ended. */
export class Meter {
  private readonly upstream: Upstream;
  private readonly request: ModelRequest;
  private readonly context: RunContext;
  /** Characters of the answer that are sent with the request. */
  private readonly continuedCharacters: number;

  constructor(upstream: Upstream, request: ModelRequest, context: RunContext) {
    this.upstream = upstream;
    this.request = request;
    this.context = context;
    this.continuedCharacters = request.sink?.continuable?.length ?? 0;
  }

  /** Called with the length of the answer streamed so far. */
  streamed(outputCharacters: number): void {
    const microcents = this.estimate(outputCharacters);
    if (microcents !== null) this.context.costSoFar(microcents);
  }

  /** Called with the provider's usage. `isWhole`: the provider reported it at a proper end. */
  answered(usage: LanguageModelV4Usage, metadata: Metadata | undefined, isWhole: boolean, characters: number): void {
    const { price, model } = this.upstream;
    this.context.tokens({ inputTokens: usage.inputTokens.total, outputTokens: usage.outputTokens.total });
    if (price === null) return;
    const tier = servedTier(model.provider, this.request.options, usage, metadata);
    const { microcents, basis } = costOfAnswer(usage, isWhole, this.seen(characters), price, tier);
    this.context.cost(microcents, basis);
  }

  /**
   * Called when the attempt failed without a usage. A request that was rejected or never sent costs nothing. One that was cut,
   * aborted or left unanswered costs what was sent and received.
   */
  failed(error: unknown, outputCharacters: number): void {
    const { status, sent } = this.context.classify(error).context;
    const isRefused = (typeof status === "number" && status >= 400) || sent === false;
    const isFree = outputCharacters === 0 && isRefused;
    const microcents = isFree ? 0 : this.estimate(outputCharacters);
    if (microcents !== null) this.context.cost(microcents, isFree ? "reported" : "estimated");
  }

  private estimate(outputCharacters: number): number | null {
    const { price, model } = this.upstream;
    if (price === null) return null;
    const tier = askedTier(model.provider, this.request.options);
    return costOfAnswer(null, false, this.seen(outputCharacters), price, tier).microcents;
  }

  private seen(outputCharacters: number): Seen {
    return { inputTokens: () => this.request.tokens(this.continuedCharacters), outputCharacters };
  }
}

type Metadata = Readonly<Record<string, unknown>>;

/** The message of an attempt when another attempt of its call has answered first. */
export const OUTRUN = "another attempt of this call has answered first";

/** Aborts an upstream at any point: before it has begun to answer, or while a read hangs. */
export class UpstreamAbort {
  private readonly controller = new AbortController();
  private reject: (reason: unknown) => void = nothing;
  /** Called when the upstream is aborted. */
  onAbort: (reason: Error) => void = nothing;
  /** The timeout that aborted it, if any. */
  late: Fault | null = null;
  error: Error | null = null;

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Resolves with the answer, or rejects if the upstream is aborted first. */
  orAbort<Answer>(answer: PromiseLike<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      answer.then(resolve, reject);
    });
  }

  abort(late: Fault | null, reason: unknown): void {
    if (this.controller.signal.aborted) return;
    this.late = late;
    this.error = isA(reason, Error) ? reason : new Error("given up", { cause: reason });
    this.controller.abort(reason);
    this.reject(reason);
    this.onAbort(this.error);
  }
}

const nothing = (): void => undefined;
