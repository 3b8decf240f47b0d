// One HTTP exchange with a provider: sends the request and reads the answer as it passes through. It throws failures and decides
// nothing.

import { classify } from "../../core/classify/classify.ts";
import type { Evidence } from "../../core/classify/evidence.ts";
import { type Fault, FaultError } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import { type ModelTimeouts, Watch } from "../model/watch.ts";
import { outgoingHeaders } from "../../telemetry/otel.ts";
import { createWireReader, type WireReader } from "../wire/wire-reader.ts";
import { answerBytes, errorText, HeldBytes, QuietBytes, withBody } from "./bounded.ts";
import { plainHeaders } from "./byte-sink.ts";
import { fetchSafely } from "./follow-redirects.ts";
import { tellWireCost, type WireCosts } from "./wire-costs.ts";
import type { WireRequest } from "./wire-request.ts";

export interface ExchangeDeps {
  readonly provider: string;
  readonly clock: Clock;
  readonly timeouts: ModelTimeouts;
  readonly fetch: typeof fetch;
  /** The calls belong to a session, which replays the answer when the program runs again. */
  readonly isKept: boolean;
  readonly costOf: WireCosts["costOf"];
}

/** An answer as a session records it. Outside sessions the body is empty, because the reader gets the response itself. */
export interface Exchanged {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string | null;
}

export async function exchange(deps: ExchangeDeps, request: WireRequest, context: RunContext): Promise<Exchanged> {
  const { sink, facts, protocol } = request;
  sink.begin();
  request.memory.refused = null;
  const stop = new AbortController();
  const given: { late: Fault | null } = { late: null };
  const leave = (reason: unknown): void => {
    stop.abort(reason);
    sink.paced.unfollow(reason);
  };
  const timeouts = facts.streaming ? deps.timeouts.stream : deps.timeouts.whole;
  const watch = new Watch(deps.clock, timeouts, context, (seen) => {
    given.late = seen;
    leave(new FaultError(seen));
  });
  sink.paced.whenLeft = context.cancel;
  context.whenGivenUp(leave);
  const reader = createWireReader(protocol, facts.streaming ? "stream" : "json", {
    provider: deps.provider,
    wantsJson: facts.wantsJson,
  });
  try {
    const sent = { ...withTrace(request.sent), signal: stop.signal };
    const response = await fetchSafely(deps.fetch, request.url, sent);
    watch.headers();
    context.responseHeaders(response.headers);
    if (!response.ok) throw await refused(deps, request, response);
    const answer = facts.streaming
      ? await pass(response, reader, request, watch, context, deps)
      : await take(response, reader, request, deps);
    tellWireCost(deps, facts, reader.state, context, wasRefused(request, reader, context, null));
    return answer;
  } catch (error) {
    stop.abort(error);
    const failure = given.late === null ? error : new FaultError(given.late);
    tellWireCost(deps, facts, reader.state, context, wasRefused(request, reader, context, failure));
    throw failure;
  }
}

/** Tells the other side which trace the request belongs to, unless the caller did. */
function withTrace(sent: RequestInit): RequestInit {
  const trace = Object.entries(outgoingHeaders());
  const headers = new Headers(sent.headers);
  if (trace.length === 0 || headers.has("traceparent")) return sent;
  for (const [name, value] of trace) headers.set(name, value);
  return { ...sent, headers };
}

/** Handles an error response. The caller gets this response if no recourse helps. */
async function refused(
  { provider, clock }: ExchangeDeps,
  { memory }: WireRequest,
  response: Response,
): Promise<FaultError> {
  const body = await errorText(response);
  const { status, headers } = response;
  const seen = classify({ surface: "http", provider, status, headers, body, observedAt: clock.now() });
  const shownHeaders = plainHeaders(headers);
  // Stops the caller's SDK from retrying what was already retried here.
  shownHeaders.set("x-should-retry", "false");
  shownHeaders.set("x-faultline-code", seen.code);
  memory.refused = withBody(response, body, shownHeaders);
  return new FaultError(seen);
}

/** Reads an answer that is not streamed. */
async function take(
  response: Response,
  reader: WireReader,
  { memory }: WireRequest,
  { clock, isKept }: ExchangeDeps,
): Promise<Exchanged> {
  const bytes = await answerBytes(response);
  reader.push(bytes);
  reader.end();
  throwIfBad(reader, clock);
  const headers = plainHeaders(response.headers);
  // The body is the protocol's JSON. With any other content type an SDK would return it as a string.
  if (reader.state.isComplete && !/\bjson\b/i.test(headers.get("content-type") ?? ""))
    headers.set("content-type", "application/json");
  const { status, statusText } = response;
  memory.answer = new Response(bytes, { status, statusText, headers });
  return isKept
    ? { status, headers: [...headers], body: new TextDecoder().decode(bytes) }
    : { status, headers: [], body: null };
}

/** Passes a streamed answer on as it arrives, starting with its first content. */
async function pass(
  response: Response,
  reader: WireReader,
  request: WireRequest,
  watch: Watch,
  context: RunContext,
  { clock, isKept, costOf }: ExchangeDeps,
): Promise<Exchanged> {
  const { sink } = request;
  const kept = isKept ? new HeldBytes("answer") : null;
  const quiet = new QuietBytes();
  const body = response.body?.getReader() ?? null;
  const { state } = reader;
  let progress = 0;
  const takes = (chunk: Uint8Array<ArrayBuffer>): boolean => {
    kept?.keep(chunk);
    quiet.passed(chunk);
    reader.push(chunk);
    throwIfBad(reader, clock);
    if (state.hasEnded) {
      // Readers stop at the end mark, so it is held back until the answer is recorded.
      sink.last(chunk);
      return false;
    }
    if (state.progress === progress) watch.hold();
    else {
      watch.progress(state.isThinking);
      quiet.progress();
      const cost = costOf(request.facts, state.usage, false, state.outputLength);
      if (cost !== null) context.costSoFar(cost.microcents);
    }
    progress = state.progress;
    sink.push(chunk);
    // An answer that is too large to inspect is passed on unchecked.
    if (!sink.isOpen && (state.sawContent || state.lookedAway !== null)) {
      sink.open(response);
      context.commit();
    }
    return true;
  };
  if (body !== null) await sink.paced.follow(body, { waits: () => watch.wait(), takes });
  reader.end();
  throwIfBad(reader, clock);
  if (body !== null) leaveTidily(body, clock);
  sink.open(response);
  const { status } = response;
  if (kept === null) return { status, headers: [], body: null };
  return { status, headers: [...plainHeaders(response.headers)], body: new TextDecoder().decode(kept.whole()) };
}

/** Reads past the end mark, where nothing follows, so that the connection can be reused. A failure here only costs the connection. */
function leaveTidily(body: ReadableStreamDefaultReader<Uint8Array>, clock: Clock): void {
  const giveUp = clock.after(TAIL_MS, () => void Promise.allSettled([body.cancel()]));
  void Promise.allSettled([body.read()]).then(giveUp);
}

const TAIL_MS = 1_000;

/** A refusal or a full context window is an answer too. The caller handles it, as it would without Faultline. */
export function throwIfBad({ state }: WireReader, clock: Clock): void {
  const { failure } = state;
  if (failure === null || isStop(failure)) return;
  throw new FaultError(classify({ ...failure, observedAt: clock.now() }));
}

function isStop({ surface }: Evidence): boolean {
  return surface === "stop";
}

/** The provider rejected the request, or it never went out. */
function wasRefused({ memory }: WireRequest, { state }: WireReader, context: RunContext, error: unknown): boolean {
  if (memory.refused !== null || saysError(state.failure)) return true;
  return error !== null && context.classify(error).context["sent"] === false;
}

/** True for the provider's own error. For an unreadable answer the message is ours. */
export function saysError(failure: Evidence | null): boolean {
  return failure !== null && failure.message === undefined && failure.body !== undefined;
}
