// One attempt at a target of the client's own dialect: the bytes pass unchanged, and are read as they pass. It throws failures and
// decides nothing. It holds its bytes back until the first content, because another attempt may run beside it. The pool delivers the answer
// by callbacks: a stream object for each answer would cost more than all the rest.

import type { IncomingHttpHeaders } from "node:http";
import type { Dispatcher } from "undici";
import { classify } from "../../core/classify/classify.ts";
import { FaultError } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import { HeldBytes, MOST_BYTES, QuietBytes } from "../../provider/fetch/bounded.ts";
import { saysError, throwIfBad } from "../../provider/fetch/exchange.ts";
import { tellWireCost, type WireCosts } from "../../provider/fetch/wire-costs.ts";
import { type ModelTimeouts, Speed, Watch } from "../../provider/model/watch.ts";
import { createWireReader, type WireReader } from "../../provider/wire/wire-reader.ts";
import { outgoingHeaders } from "../../telemetry/otel.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { AnswerHead } from "../answer/client-answer.ts";
import { DIALECTS } from "../dialect/dialect.ts";
import type { GatewayRequest } from "../request/gateway-request.ts";
import { headersForClient, type PlainHeaders } from "../request/header-lists.ts";
import { withModel } from "../request/model-name.ts";
import { needsUsage, refusesUsage, UsageFilter, withUsage } from "./asked-usage.ts";
import { packedFault, refusePacked, unpacked } from "./content-encoding.ts";

export interface ByteTarget extends Pick<WireCosts, "costOf"> {
  readonly provider: string;
  readonly model: string;
  /** Its name, as a header's value. */
  readonly shownId: string;
  readonly origin: string;
  /** The path of the base URL, without a slash at its end. */
  readonly basePath: string;
  /** Sent unless the client sends its own. */
  readonly defaults: PlainHeaders;
  /** The gateway's own key. */
  readonly signIn: PlainHeaders;
  readonly agent: Dispatcher;
  readonly clock: Clock;
  readonly timeouts: ModelTimeouts;
  readonly leastPerSecond: number;
  /** It has refused a stream because the gateway asked for its usage. */
  refusesUsage: boolean;
}

/** How long to wait, after the end mark of an answer, until the connection is free for the next request. */
const TAIL_MS = 1_000;

export function passBytes(target: ByteTarget, request: GatewayRequest, context: RunContext): Promise<null> {
  return new ByteAttempt(target, request, context).run();
}

type Chunk = Uint8Array<ArrayBuffer>;

class ByteAttempt implements Dispatcher.DispatchHandler {
  private readonly target: ByteTarget;
  private readonly request: GatewayRequest;
  private readonly context: RunContext;
  private readonly watch: Watch;
  private ownReader: WireReader | null = null;
  private readonly quiet = new QuietBytes();
  private readonly speed: Speed | null;
  /** Removes the usage event for a client that did not ask for it; null: nothing has to be removed. */
  private readonly filter: UsageFilter | null;
  private controller: Dispatcher.DispatchController | null = null;
  private head: AnswerHead = NO_HEAD;
  /** The body of an error, or of an answer that is not streamed; null while a stream passes. */
  private body: HeldBytes | null = null;
  private responseHeaders: IncomingHttpHeaders = NO_HEAD.headers;
  private progress = 0;
  /** The bytes before the first content; null once the answer is this attempt's. */
  private early: HeldBytes | null = new HeldBytes("quiet");
  private stored: string | null = null;
  /** The first characters of the answer, in which its id is found. A client may continue an answer by its id. */
  private start = "";
  /** The target answered with an error. The request's memory cannot tell, because another attempt may run beside this one. */
  private isRefused = false;
  private isOver = false;
  /** Called when the connection is free after the end mark, or broken. Then it need not be closed. */
  private tailEnded: () => void = nothing;
  private tellDone: (value: null) => void = nothing;
  private tellFailed: (error: unknown) => void = nothing;

  constructor(target: ByteTarget, request: GatewayRequest, context: RunContext) {
    this.target = target;
    this.request = request;
    this.context = context;
    const { facts } = request.asked;
    const timeouts = facts.streaming ? target.timeouts.stream : target.timeouts.whole;
    this.watch = new Watch(target.clock, timeouts, context, (late) => this.reject(new FaultError(late)));
    this.speed = target.leastPerSecond === 0 ? null : new Speed(target.clock, target.leastPerSecond);
    this.filter = !target.refusesUsage && needsUsage(request, target.provider) ? new UsageFilter() : null;
  }

  /** Created when the answer begins: until then, most calls only wait, and each collection of garbage would copy it. */
  private get reader(): WireReader {
    const { target, request } = this;
    const { facts, dialect } = request.asked;
    return (this.ownReader ??= createWireReader(dialect, facts.streaming ? "stream" : "json", {
      provider: target.provider,
      wantsJson: facts.wantsJson,
    }));
  }

  run(): Promise<null> {
    const { request, target, context } = this;
    const { asked, answer, memory } = request;
    answer.attempts += 1;
    memory.refused = null;
    context.whenGivenUp((reason) => this.reject(reason));
    return new Promise((resolve, reject) => {
      this.tellDone = resolve;
      this.tellFailed = reject;
      const { path } = DIALECTS[asked.dialect];
      const { bytes, body } = asked;
      const isAsAsked = !("model" in body) || body["model"] === target.model;
      const sent = isAsAsked ? bytes : withModel(bytes.toString("utf8"), body, target.model);
      target.agent.dispatch(
        {
          origin: target.origin,
          path: `${target.basePath}${path(target.model, asked.facts.streaming)}${asked.query}`,
          method: "POST",
          headers: { ...target.defaults, ...asked.headers, ...outgoingHeaders(), ...target.signIn },
          body: this.filter === null ? sent : withUsage(sent.toString("utf8"), body),
        },
        this,
      );
    });
  }

  // Called by the pool.

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.isOver) controller.abort(GIVEN_UP);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (this.isOver) return;
    const { context, request } = this;
    this.watch.headers();
    context.responseHeaders(headers);
    this.responseHeaders = headers;
    const forClient = headersForClient(headers);
    forClient["x-faultline-target"] = this.target.shownId;
    forClient["x-faultline-call"] = context.call;
    this.head = { status, headers: forClient };
    const isError = status >= 400;
    if (isError) this.body = new HeldBytes("error");
    else if (!request.asked.facts.streaming) this.body = new HeldBytes("answer");
    else refusePacked(headers["content-encoding"]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.isOver) return;
    try {
      const piece = chunk as Chunk;
      if (this.body === null) this.pass(piece, controller);
      else if (this.head.status < 400) this.body.keep(piece);
      else if (!this.body.takes(piece)) this.refuse();
    } catch (error) {
      this.reject(error);
    }
  }

  onResponseEnd(): void {
    if (this.isOver) return this.tailEnded();
    try {
      if (this.head.status >= 400) return this.refuse();
      const bytes = this.body === null ? null : this.unpacked(this.body);
      this.reader.end();
      throwIfBad(this.reader, this.target.clock);
      if (!this.show()) return;
      if (this.filter !== null) this.request.answer.push(this.filter.take(EMPTY, true));
      if (bytes !== null) this.request.memory.whole = { ...this.wholeHead(), body: bytes };
      this.resolve();
    } catch (error) {
      this.reject(error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.tailEnded();
    this.reject(error);
  }

  /** Passes a piece of a stream on, once there is content. */
  private pass(chunk: Chunk, controller: Dispatcher.DispatchController): void {
    const { reader, request, watch, context, target } = this;
    const { state } = reader;
    const { answer } = request;
    this.quiet.passed(chunk);
    reader.push(chunk);
    throwIfBad(reader, target.clock);
    this.findStored(chunk);
    const { filter } = this;
    const shown = filter === null ? chunk : filter.take(chunk, state.hasEnded);
    if (state.hasEnded) {
      if (!this.show()) return;
      answer.last(shown);
      return this.resolve();
    }
    if (state.progress === this.progress) watch.hold();
    else this.progressed();
    const hasContent = state.sawContent || state.lookedAway !== null;
    if (this.early !== null && !hasContent) this.early.keep(shown);
    else if (this.show()) answer.push(shown);
    else return;
    const isFirst = !answer.isOpen && hasContent && answer.open(this.head);
    const isTextOnly = request.isContinued && !state.sawToolCall && !state.isThinking;
    if ((isFirst || request.isContinued) && answer.isOpen && !isTextOnly) context.commit();
    if (answer.isOpen && answer.isFull) this.waitForClient(controller);
    else this.wait();
  }

  /** The answer is this attempt's from now on; false when another attempt has it. */
  private show(): boolean {
    const { early, context, request, stored } = this;
    if (early === null) return true;
    if (!context.claim()) return false;
    this.early = null;
    const { answer, memory } = request;
    answer.begin();
    answer.responseId ??= stored;
    for (const chunk of early.chunks) answer.push(chunk);
    memory.head = this.head;
    memory.omitted = request.omitted;
    memory.stored = stored;
    memory.whole = null;
    return true;
  }

  private wait(): void {
    this.watch.wait();
    this.speed?.waits();
  }

  /** Looks for the answer's id in its first pieces, which may be small. */
  private findStored(chunk: Chunk): void {
    const { memory, asked } = this.request;
    if (asked.dialect !== "openai-responses" || this.start.length >= MOST_SEARCHED || this.stored !== null) return;
    this.start += new TextDecoder("latin1").decode(chunk.subarray(0, MOST_SEARCHED));
    this.stored = storedIn(this.start);
    if (this.early === null) memory.stored = this.stored;
  }

  private progressed(): void {
    const { state } = this.reader;
    this.progress = state.progress;
    this.watch.progress(state.isThinking);
    this.speed?.came(state.outputLength, state.isThinking);
    this.quiet.progress();
    const { asked, isMetered } = this.request;
    // Without a limit the cost is only asked for at the end.
    const cost = isMetered ? this.target.costOf(asked.facts, state.usage, false, state.outputLength) : null;
    if (cost !== null) this.context.costSoFar(cost.microcents);
  }

  /** Nothing is read ahead of a slow client. One that has stopped reading has left. */
  private waitForClient(controller: Dispatcher.DispatchController): void {
    const { answer } = this.request;
    controller.pause();
    answer.whenRead(
      () => {
        controller.resume();
        if (!this.isOver) this.wait();
      },
      () => this.context.cancel(),
    );
  }

  /** The plain bytes of a whole answer. They are also read here. */
  private unpacked(came: HeldBytes): Chunk {
    const encoding = this.responseHeaders["content-encoding"];
    const bytes = unpacked(came.whole(), encoding, "answer");
    if (bytes === null) throw packedFault(encoding);
    this.reader.push(bytes);
    this.findStored(bytes);
    return bytes;
  }

  private wholeHead(): AnswerHead {
    const { status, headers } = this.head;
    // A client's SDK returns any other type as text.
    if (/\bjson\b/i.test(headers["content-type"] ?? "")) return this.head;
    return { status, headers: { ...headers, "content-type": "application/json" } };
  }

  /** The target answered with an error. The client gets it unchanged if no recourse helps. */
  private refuse(): void {
    const { target, request, responseHeaders: headers, head } = this;
    const bytes = unpacked(this.body?.whole() ?? EMPTY, headers["content-encoding"], "error") ?? EMPTY;
    const body = new TextDecoder().decode(bytes.subarray(0, MOST_BYTES.error));
    const { status } = head;
    if (this.filter !== null && refusesUsage(status, body)) return this.askWithoutUsage();
    const { provider, clock } = target;
    const seen = classify({ surface: "http", provider, status, headers, body, observedAt: clock.now() });
    request.memory.refused = { ...head, body, fault: seen };
    this.isRefused = true;
    this.reject(new FaultError(seen));
  }

  /** Sends the request again without the field that the gateway added. If that works, the target is not asked for usage any more. */
  private askWithoutUsage(): void {
    const { target, request, context } = this;
    this.isOver = true;
    this.controller?.abort(GIVEN_UP);
    request.answer.attempts -= 1;
    void passBytes({ ...target, refusesUsage: true }, request, context).then((done) => {
      target.refusesUsage = true;
      this.tellDone(done);
    }, this.tellFailed);
  }

  /** The answer is whole. */
  private resolve(): void {
    this.isOver = true;
    this.book(saysError(this.reader.state.failure));
    this.leaveTidily();
    this.tellDone(null);
  }

  private reject(error: unknown): void {
    if (this.isOver) return;
    this.isOver = true;
    if (this.early === null) this.request.answer.stopAwaitingClient();
    // If the pool has not called, the attempt was given up before there was a connection.
    const wasSent = this.controller !== null && this.context.classify(error).context["sent"] !== false;
    // The client has seen part of the answer. If it cannot be continued, it must not start over either.
    if (this.early === null && this.request.answer.isOpen && this.request.continuation === null) this.context.commit();
    this.book(!wasSent || this.isRefused || saysError(this.reader.state.failure));
    this.controller?.abort(GIVEN_UP);
    this.tellFailed(error);
  }

  private book(isRefused: boolean): void {
    tellWireCost(this.target, this.request.asked.facts, this.reader.state, this.context, isRefused);
  }

  private leaveTidily(): void {
    if (this.body !== null || this.controller === null) return;
    const { controller } = this;
    this.tailEnded = this.target.clock.after(TAIL_MS, () => controller.abort(GIVEN_UP));
  }
}

const EMPTY = new Uint8Array();
const NO_HEAD: AnswerHead = { status: 200, headers: {} };
const MOST_SEARCHED = 2_048;

/** The id of a response, by which a client may continue it. */
function storedIn(start: string): string | null {
  return /"id":\s*"(resp_[^"]+)"/.exec(start)?.[1] ?? null;
}

const nothing = (): void => undefined;
const GIVEN_UP = new Error("the attempt is over");
