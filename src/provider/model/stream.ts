// One attempt at a model for a streamed answer. Parts go to the caller as they arrive; the last one waits until the whole answer has
// been checked.
// U1  When the clock or the caller gives up, the upstream request is cancelled too.
// U2  Until its first content an attempt touches nothing that another one could use: then it claims the answer.
// U3  A stream that ends without a finish part is an error, even if the SDK reports none.

import type { LanguageModelV4Content, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { readField } from "../../core/try-read.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { ModelRequest } from "./model-request.ts";
import type { Follower } from "../paced-stream.ts";
import { MOST_BYTES, PIECE_BYTES, tooLarge } from "../fetch/bounded.ts";
import { ReturnedCalls } from "./returned-calls.ts";
import { isContent, isThought, type StreamSink } from "./stream-sink.ts";
import { ContentTally } from "./tally.ts";
import { Meter, OUTRUN, type Upstream, UpstreamAbort, withTrace } from "./upstream.ts";
import { isProperEnd, nothingRead, verdictOn } from "./verdict.ts";
import { Speed, Watch } from "./watch.ts";

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
  const leaving = new UpstreamAbort();
  const meter = new Meter(upstream, request, context);
  let isPriced = false;
  const watch = new Watch(upstream.clock, upstream.timeouts.stream, context, (late) =>
    leaving.leave(late, new FaultError(late)),
  );
  sink.paced.whenLeft = context.cancel;
  context.whenGivenUp((reason) => leaving.leave(null, reason));
  try {
    const result = await leaving.orLeave(upstream.model.doStream({ ...withTrace(sent), abortSignal: leaving.signal }));
    watch.headers();
    context.responseHeaders(result.response?.headers);
    const { clock, leastPerSecond } = upstream;
    const speed = leastPerSecond === 0 ? null : new Speed(clock, leastPerSecond);
    const reading = new Reading(sink, watch, tally, context.commit, speed, meter, new ReturnedCalls(request));
    const parts = result.stream.getReader();
    leaving.whenLeft = (reason) => {
      if (reading.isShown) sink.paced.unfollow(reason);
      // Cancelling ends a read that hangs. The attempt is over, so a failed cancel does no harm.
      void Promise.allSettled([parts.cancel(reason)]);
    };
    const early = await untilContent(parts, watch, leaving);
    const show = (): boolean => {
      if (!context.claim()) throw leaving.error ?? new Error(OUTRUN);
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
    if (finish === null) throw leaving.error ?? new FaultError(cutShort(upstream.provider, tally));
    meter.answered(finish.usage, finish.providerMetadata, isProperEnd(finish.finishReason), tally.characters);
    isPriced = true;
    const verdict = verdictOn(tally.answer(finish.finishReason), sent, upstream.provider);
    const wrong = verdict instanceof Promise ? await verdict : verdict;
    if (wrong !== null) throw new FaultError(wrong);
    if (isEmpty) show();
    return { content: tally.content, finish };
  } catch (error) {
    const told = leaving.late === null ? readAs(error, upstream.provider, tally) : new FaultError(leaving.late);
    if (!isPriced) meter.failed(told, tally.characters);
    memory.lastAnswer = tally.text;
    leaving.leave(null, told);
    throw told;
  }
}

/** The parts up to the first content, the end of the stream, or its error. */
async function untilContent(
  parts: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  watch: Watch,
  leaving: UpstreamAbort,
): Promise<readonly LanguageModelV4StreamPart[]> {
  const early: LanguageModelV4StreamPart[] = [];
  for (;;) {
    watch.wait();
    const { done, value } = await leaving.orLeave(parts.read());
    if (done) return early;
    if (value.type === "error") throw value.error;
    early.push(value);
    if (isContent(value) || value.type === "finish") return early;
    if (value.type === "reasoning-start") watch.progress(true);
    else watch.hold();
    if (early.length * PIECE_BYTES > MOST_BYTES.answer) throw tooLarge("answer");
  }
}

/** Processes the parts of one attempt. */
class Reading implements Follower<LanguageModelV4StreamPart> {
  private readonly sink: StreamSink;
  private readonly watch: Watch;
  private readonly tally: ContentTally;
  private readonly commit: RunContext["commit"];
  private readonly speed: Speed | null;
  private readonly meter: Meter;
  private readonly calls: ReturnedCalls;
  /** The answer is this attempt's: the sink gets its parts. */
  isShown = false;
  /** The last part, held back; null if the stream ended without one. */
  finish: FinishPart | null = null;

  constructor(
    sink: StreamSink,
    watch: Watch,
    tally: ContentTally,
    commit: RunContext["commit"],
    speed: Speed | null,
    meter: Meter,
    calls: ReturnedCalls,
  ) {
    this.sink = sink;
    this.watch = watch;
    this.tally = tally;
    this.commit = commit;
    this.speed = speed;
    this.meter = meter;
    this.calls = calls;
  }

  waits(): void {
    this.watch.wait();
    this.speed?.waits();
  }

  takes(part: LanguageModelV4StreamPart): boolean {
    if (part.type === "finish") {
      this.finish = part;
      return false;
    }
    if (part.type === "error") throw part.error;
    if (isContent(part) || part.type === "reasoning-start") this.watch.progress(isThought(part));
    else this.watch.hold();
    const seen = this.sink.push(this.calls.part(part));
    const before = this.tally.characters;
    if (seen !== null) this.tally.add(seen);
    if (this.tally.characters > MOST_BYTES.answer) throw tooLarge("answer");
    if (this.tally.characters > before) this.meter.came(this.tally.characters);
    this.speed?.came(this.tally.characters, isThought(part));
    if (this.sink.isCommitted) this.commit();
    return true;
  }
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
