// One attempt at a model for a streamed answer: parts go to the caller as they come, and the last one only when the whole
// answer has been judged.
// U1  whoever stops waiting, the clock or the caller, stops the upstream too.
// U2  an answer that only stops coming is an error, whatever the SDK thinks of it.

import type { LanguageModelV4Content, LanguageModelV4StreamPart, LanguageModelV4StreamResult } from "@ai-sdk/provider";
import { classify } from "../../core/classify/classify.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { ModelRequest } from "./model-request.ts";
import type { Follower } from "../paced-stream.ts";
import { isContent, type StreamSink } from "./stream-sink.ts";
import { Tally } from "./tally.ts";
import { tellCost, tellUnansweredCost, type Upstream } from "./upstream.ts";
import { verdictOn } from "./verdict.ts";
import { Watch } from "./watch.ts";

export type FinishPart = Extract<LanguageModelV4StreamPart, { type: "finish" }>;

/** A streamed answer that is whole: what it consists of, and its last part, which the caller has not had yet. */
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
  const tally = (sink.continuable === null ? null : memory.tally) ?? new Tally();
  memory.tally = tally;
  tally.characters = 0;
  if (sink.begin()) {
    await sink.read();
    await new Promise<void>((next) => upstream.clock.soon(next));
    upstream.discarded();
  }
  const leaving = new Leaving(sink);
  let isPriced = false;
  const watch = new Watch(upstream.clock, upstream.timeouts, context, (late) =>
    leaving.leave(late, new FaultError(late)),
  );
  sink.paced.whenLeft = context.cancel;
  context.whenGivenUp((reason) => leaving.leave(null, reason));
  try {
    const result = await leaving.orLeave(upstream.model.doStream({ ...sent, abortSignal: leaving.signal }));
    watch.headers();
    context.responseHeaders(result.response?.headers);
    sink.response = result.response;
    const reading = new Reading(sink, watch, tally, context);
    await sink.paced.follow(leaving.reader(result.stream), reading);
    const { finish } = reading;
    if (finish === null) throw leaving.error ?? new FaultError(cutShort(upstream.provider));
    tellCost(upstream, context, finish.usage);
    isPriced = true;
    const verdict = verdictOn(tally.answer(finish.finishReason), sent, upstream.provider);
    const wrong = verdict instanceof Promise ? await verdict : verdict;
    if (wrong !== null) throw new FaultError(wrong);
    return { content: tally.content, finish };
  } catch (error) {
    const told = leaving.late === null ? error : new FaultError(leaving.late);
    if (!isPriced) tellUnansweredCost(upstream, request, context, told, tally.characters);
    memory.lastAnswer = tally.text;
    leaving.leave(null, told);
    throw told;
  }
}

/** What is made of the parts of one attempt. */
class Reading implements Follower<LanguageModelV4StreamPart> {
  private readonly sink: StreamSink;
  private readonly watch: Watch;
  private readonly tally: Tally;
  private readonly context: RunContext;
  private isCommitted = false;
  /** The last part, held back; null when the stream only stopped. */
  finish: FinishPart | null = null;

  constructor(sink: StreamSink, watch: Watch, tally: Tally, context: RunContext) {
    this.sink = sink;
    this.watch = watch;
    this.tally = tally;
    this.context = context;
  }

  waits(): void {
    this.watch.wait();
  }

  takes(part: LanguageModelV4StreamPart): boolean {
    if (part.type === "finish") {
      this.finish = part;
      return false;
    }
    if (part.type === "error") throw part.error;
    if (isContent(part)) this.watch.progress();
    else this.watch.hold();
    const seen = this.sink.push(part);
    if (seen !== null) this.tally.add(seen);
    if (this.isCommitted || !this.sink.isCommitted) return true;
    this.isCommitted = true;
    this.context.commit();
    return true;
  }
}

function cutShort(provider: string): Fault {
  return fault("NetworkDisconnect", {
    message: "the stream ended before the answer was complete",
    context: { provider },
  });
}

const nothing = (): void => undefined;

/** Giving an upstream up, at whatever point it is: before it has begun to answer, or while a read of it hangs. */
class Leaving {
  private readonly sink: StreamSink;
  private readonly stop = new AbortController();
  private reject: (reason: unknown) => void = nothing;
  private read: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | null = null;
  /** Why the clock gave it up; null when it did not. */
  late: Fault | null = null;
  error: Error | null = null;

  constructor(sink: StreamSink) {
    this.sink = sink;
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  orLeave(answer: PromiseLike<LanguageModelV4StreamResult>): Promise<LanguageModelV4StreamResult> {
    return new Promise((resolve, reject) => {
      this.reject = reject;
      answer.then(resolve, reject);
    });
  }

  reader(parts: ReadableStream<LanguageModelV4StreamPart>): ReadableStreamDefaultReader<LanguageModelV4StreamPart> {
    return (this.read = parts.getReader());
  }

  leave(late: Fault | null, reason: unknown): void {
    if (this.stop.signal.aborted) return;
    this.late = late;
    this.error = reason instanceof Error ? reason : new Error("given up", { cause: reason });
    this.stop.abort(reason);
    this.reject(reason);
    this.sink.paced.unfollow(this.error);
    // A read that hangs ends only when the stream is given up from this side; whatever it says to that, nobody waits for it.
    this.read?.cancel(reason).catch((error: unknown) => classify({ surface: "http", error }));
  }
}
