// A `fetch` for the official SDKs: the same requests and answers, with everything Faultline does about failures in between.
// What is no model call passes untouched.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import { hasValue, type Outcome } from "../../runtime/call/outcome.ts";
import type { ChainPart } from "../../runtime/tool/chain-part.ts";
import { type AnyTool, tool } from "../../runtime/tool/tool.ts";
import type { MembersHome } from "../model/members.ts";
import { costOfUsage, estimateCost } from "../price/cost.ts";
import { priceOf } from "../price/price-table.ts";
import type { WireUsage } from "../wire/wire-state.ts";
import { ByteSink } from "./byte-sink.ts";
import { exchange, type Exchanged, type ExchangeHome } from "./exchange.ts";
import { type FetchOptions, resolveFetchOptions, type ResolvedFetchOptions } from "./fetch-options.ts";
import { understand, WireRequest } from "./wire-request.ts";

export type ProtectFetch = (
  tool: AnyTool,
  request: WireRequest,
  signal: AbortSignal | undefined,
) => Promise<Outcome<unknown>>;

/** Names may come from a model; the ones not used for longest are forgotten. */
const MOST_MODELS = 200;

export function createFetch(options: FetchOptions, protect: ProtectFetch, home: MembersHome): typeof fetch {
  const resolved = resolveFetchOptions(options);
  const tools = new Map<string, AnyTool>();

  function toolFor(model: string): AnyTool {
    const known = tools.get(model) ?? targetTool(model, resolved, home);
    tools.delete(model);
    tools.set(model, known);
    for (const oldest of tools.keys()) if (tools.size > MOST_MODELS) tools.delete(oldest);
    return known;
  }

  return async (input, init) => {
    const understood = await understand(input, init);
    if (understood === null) return resolved.fetch(input, init);
    const { url, protocol, facts } = understood;
    const { signal, ...sent } = understood.init;
    const sink = new ByteSink();
    const request = new WireRequest(url, sent, protocol, facts, sink);
    const running = protect(toolFor(facts.model ?? "unknown"), request, signal ?? undefined);
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

function targetTool(model: string, options: ResolvedFetchOptions, { clock, prices, isKept }: MembersHome): AnyTool {
  const { provider, credential, timeouts, maxConcurrent, refreshCredential } = options;
  const price = priceOf(prices, provider, model);
  const guess = ({ facts }: WireRequest, outputCharacters: number): number | null =>
    price === null ? null : estimateCost(tokensIn(facts.inputCharacters), tokensIn(outputCharacters), price);
  const home: ExchangeHome = {
    provider,
    clock,
    timeouts,
    fetch: options.fetch,
    isKept,
    costOf: (usage) => (price === null ? null : costOfUsage(usageOf(usage), price)),
    guessCost: guess,
  };
  const plain = tool<WireRequest, unknown>({
    id: `${provider}/${model}`,
    surface: "http",
    provider,
    target: `${provider}/${model}@${credential}`,
    idempotent: true,
    timeoutMs: timeouts.totalMs,
    maxConcurrent,
    cost: {
      estimate: (request) => {
        const most = (request.facts.maxOutputTokens ?? ASSUMED_OUTPUT_TOKENS) * CHARACTERS_PER_TOKEN;
        return guess(request, most);
      },
    },
    run: (request, context) => exchange(home, request, context),
  });
  const members: AnyTool[] = [];
  const chain: ChainPart<AnyTool> = {
    members,
    facts: { provider, model, credential, capabilities: [], contextWindowTokens: Infinity, lastResort: false },
    hurried: null,
    revive: (_kept, given) => given,
    takesAsGiven: () => true,
    needsOf: () => NO_NEEDS,
    repairs: {
      fit: (input) => ({ input, changes: [] }),
      compact: null,
      sizeOf: () => 0,
      // Nobody here can tell the model what was wrong; asked once more, it may do better.
      regenerate: (input) => input,
      refresh:
        refreshCredential === null || refreshCredential === undefined
          ? null
          : (input, why, signal) => refreshed(input as WireRequest, refreshCredential({ fault: why, signal })),
    },
  };
  const made = { ...(plain as AnyTool), chain };
  members.push(made);
  return made;
}

const NO_NEEDS = { capabilities: [], inputTokens: 0 } as const;
const ASSUMED_OUTPUT_TOKENS = 4_096;
const CHARACTERS_PER_TOKEN = 4;

function tokensIn(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

async function refreshed(
  request: WireRequest,
  headers: Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>,
): Promise<WireRequest> {
  return request.withHeaders(await headers);
}

/** The same figures in the AI SDK's shape, which prices are held against. */
function usageOf({
  inputTokens,
  cachedInputTokens,
  cacheWriteTokens,
  outputTokens,
  reasoningTokens,
}: WireUsage): Usage {
  return {
    inputTokens: {
      total: inputTokens,
      noCache: Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens),
      cacheRead: cachedInputTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: {
      total: outputTokens,
      text: Math.max(0, outputTokens - reasoningTokens),
      reasoning: reasoningTokens,
    },
  };
}

type Usage = Parameters<typeof costOfUsage>[0];

/** What an SDK gets: the answer, the provider's own refusal, or an error that says what happened. */
function responseOf(
  outcome: Outcome<unknown>,
  { memory }: WireRequest,
  signal: AbortSignal | null | undefined,
): Response {
  if (hasValue(outcome)) {
    if (memory.answer !== null) return memory.answer;
    // Known from an earlier life of the program.
    const { status, headers, body } = outcome.value as Exchanged;
    return new Response(body, { status, headers: headers.map(([name, value]): [string, string] => [name, value]) });
  }
  if (outcome.status !== "cancelled" && memory.refused !== null) return memory.refused;
  throw errorOf(outcome, signal);
}

/** The caller's own reason when it left, otherwise the fault. */
function errorOf(outcome: Outcome<unknown>, signal: AbortSignal | null | undefined): unknown {
  if (outcome.status === "cancelled" && signal?.aborted === true) return signal.reason;
  if (!("fault" in outcome))
    return new FaultError(fault("InvariantBroken", { message: "a call failed without a fault" }));
  const { fault: seen } = outcome;
  return new FaultError(outcome.status === "parked" ? { ...seen, resetAt: outcome.wakeAt } : seen);
}
