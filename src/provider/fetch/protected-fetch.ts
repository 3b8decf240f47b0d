// A `fetch` for the official SDKs. Requests and answers stay the same; Faultline handles the failures in between. Requests that are
// not model calls pass through untouched.

import type { FailureDomains } from "../../core/decide/fallback.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { type FaultError, isFaultError } from "../../core/fault/fault.ts";
import { errorOf, hasValue, type Outcome, type ProtectChain } from "../../runtime/call/outcome.ts";
import { targetKey } from "../../runtime/target/targets.ts";
import { chain, type Member } from "../../runtime/tool/chain.ts";
import { type Chain, type Repairs, tool } from "../../runtime/tool/tool.ts";
import { accountIn, keysIn } from "../domain/account.ts";
import { endpointAt } from "../domain/endpoint.ts";
import { factsFor } from "../model-facts/facts-for.ts";
import type { MembersDeps } from "../model/members.ts";
import { modelTimeouts } from "../model/watch.ts";
import { priceOf } from "../price/price-table.ts";
import { baseOf } from "../wire/protocol.ts";
import { ByteSink } from "./byte-sink.ts";
import { exchange, type Exchanged, type ExchangeDeps } from "./exchange.ts";
import { warnOfProvider } from "../price/known-provider.ts";
import { headersFor, retargeted } from "./fallback-target.ts";
import { type FetchOptions, resolveFetchOptions, type ResolvedFetchOptions } from "./fetch-options.ts";
import { wireCosts } from "./wire-costs.ts";
import { understand, WireRequest } from "./wire-request.ts";

/** Model names may come from untrusted input, so the least recently used ones are evicted. */
const MAX_MODELS = 200;

export function createFetch(options: FetchOptions, protect: ProtectChain, deps: MembersDeps): typeof fetch {
  const resolved = resolveFetchOptions(options);
  for (const { provider } of [resolved, ...resolved.fallback])
    if (provider !== undefined) warnOfProvider("fl.fetch", provider, deps.prices);
  const { retryBeforeFallback } = resolved;
  const chainOptions = { repairs: repairsFor(resolved), retryBeforeFallback };
  const chains = new Map<string, Chain<WireRequest, Exchanged>>();

  function chainFor(request: WireRequest): Chain<WireRequest, Exchanged> {
    const headers = new Headers(request.init.headers);
    deps.learnKeys(keysIn(headers));
    const domains = requestDomains(request, headers, resolved);
    const key = targetKey(domains);
    const known = chains.get(key) ?? chain(membersFor(request, domains, resolved, deps), chainOptions);
    chains.delete(key);
    chains.set(key, known);
    for (const oldest of chains.keys()) if (chains.size > MAX_MODELS) chains.delete(oldest);
    return known;
  }

  return async (input, init) => {
    const understood = await understand(input, init);
    if (understood === null) return resolved.fetch(input, init);
    const { url, protocol, facts } = understood;
    const { signal, ...sent } = understood.init;
    const sink = new ByteSink();
    const request = new WireRequest(url, sent, protocol, facts, sink);
    const running = protect(chainFor(request), request, signal ?? undefined);
    const early = await Promise.race([running, sink.opened]);
    if (early instanceof Response) {
      void running.then((outcome) => {
        if (hasValue(outcome)) sink.close();
        else if (outcome.status === "cancelled") sink.abort(errorOf(outcome, signal));
        else void sink.fail(errorOf(outcome, signal));
      });
      return early;
    }
    return responseOf(early, request, signal);
  };
}

/** Each combination of address and key is a separate target. */
function requestDomains({ url, facts }: WireRequest, headers: Headers, options: ResolvedFetchOptions): FailureDomains {
  return {
    endpoint: endpointAt(baseOf(url), options.provider) ?? options.provider,
    account: options.credential ?? accountIn(headers),
    model: facts.model ?? "unknown",
  };
}

/** The target that the request names, and those behind it. */
function membersFor(
  request: WireRequest,
  domains: FailureDomains,
  options: ResolvedFetchOptions,
  deps: MembersDeps,
): readonly Member<WireRequest, Exchanged>[] {
  const behind = options.fallback.map((to): Member<WireRequest, Exchanged> => {
    const headers = headersFor(request, to);
    deps.learnKeys(keysIn(headers));
    const own = { ...options, provider: to.provider ?? options.provider, credential: to.credential ?? null };
    const there = requestDomains(retargeted(request, to), headers, own);
    return {
      ...fetchMember(there, own, deps),
      fit: (given) => ({ request: retargeted(given, to), changes: [] }),
    };
  });
  return [fetchMember(domains, options, deps), ...behind];
}

function fetchMember(
  domains: FailureDomains,
  options: ResolvedFetchOptions,
  { clock, prices, isKept }: MembersDeps,
): Member<WireRequest, Exchanged> {
  const { model } = domains;
  const { provider, maxConcurrent } = options;
  const timeouts = modelTimeouts(options.timeouts, factsFor(provider, model));
  const { costOf, estimate, sent } = wireCosts(priceOf(prices, provider, model));
  const exchangeDeps: ExchangeDeps = { provider, clock, timeouts, fetch: options.fetch, isKept, costOf };
  const target = tool<WireRequest, Exchanged>({
    id: `${provider}/${model}`,
    surface: "http",
    provider,
    idempotent: true,
    timeoutMs: timeouts.stream.totalMs,
    maxConcurrent,
    cost: { estimate: ({ facts }) => estimate(facts), sent: ({ facts }) => sent(facts) },
    run: (request, context) => exchange(exchangeDeps, request, context),
  });
  return { tool: target, facts: { ...domains, capabilities: [], contextWindowTokens: Infinity, lastResort: false } };
}

function repairsFor({ refreshCredential }: ResolvedFetchOptions): Partial<Repairs<WireRequest>> {
  return {
    // The wire request cannot carry feedback for the model, so it is only sent once more.
    regenerate: (request) => request,
    ...(refreshCredential === null || refreshCredential === undefined
      ? {}
      : {
          refresh: async (request, why, signal) => request.withHeaders(await refreshCredential({ fault: why, signal })),
        }),
  };
}

/** Returns to the SDK the answer, the provider's own error response, or an error that says what happened. */
function responseOf(
  outcome: Outcome<unknown>,
  { memory, init }: WireRequest,
  signal: AbortSignal | null | undefined,
): Response {
  if (hasValue(outcome)) {
    if (memory.answer !== null) return memory.answer;
    // Recorded by an earlier process.
    const { status, headers, body } = outcome.value as Exchanged;
    return new Response(body, { status, headers: headers.map(([name, value]): [string, string] => [name, value]) });
  }
  if (outcome.status !== "cancelled" && memory.refused !== null) return memory.refused;
  const error = errorOf(outcome, signal);
  const isSpent = outcome.status !== "cancelled" && new Headers(init.headers).has(SAYS_HOW_OFTEN);
  if (isSpent && isFaultError(error)) return spentResponse(error);
  throw error;
}

/** A header of the SDKs that retry whatever `fetch` throws and obey `x-should-retry` in a response. Other SDKs do neither. */
const SAYS_HOW_OFTEN = "x-stainless-retry-count";

/** No answer came and every recourse is used up. This response tells the SDK not to retry. */
function spentResponse(error: FaultError): Response {
  const { message, fault: seen } = error;
  const { code } = seen;
  const response = new Response(JSON.stringify({ type: "error", error: { type: code, code, message } }), {
    status: traitsOf(code).httpStatus,
    headers: { "content-type": "application/json", "x-should-retry": "false", "x-faultline-code": code },
  });
  // The SDK's error keeps these headers, so `classify` finds the fault in it.
  Object.defineProperty(response.headers, "cause", { value: error });
  return response;
}
