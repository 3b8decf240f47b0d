// A target of the client's own dialect as a member of a chain.

import type { FailureDomains } from "../../core/decide/fallback.ts";
import { accountIn } from "../../provider/domain/account.ts";
import { endpointAt } from "../../provider/domain/endpoint.ts";
import { wireCosts } from "../../provider/fetch/wire-costs.ts";
import { factsFor } from "../../provider/model-facts/facts-for.ts";
import type { MembersDeps } from "../../provider/model/members.ts";
import { modelTimeouts } from "../../provider/model/watch.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import { MAX_OPEN_WITH_FALLBACK_MS, type Member } from "../../runtime/tool/chain.ts";
import { tool } from "../../runtime/tool/tool.ts";
import type { GatewayTarget } from "../config/settings.ts";
import { DIALECTS } from "../dialect/dialect.ts";
import type { GatewayRequest } from "../request/gateway-request.ts";
import { headerText } from "../request/header-lists.ts";
import { type ByteTarget, passBytes } from "./byte-attempt.ts";
import { PLAIN } from "./content-encoding.ts";
import { mostCost, targetPrice } from "./target-price.ts";
import type { Transport } from "./transport.ts";

export type GatewayMember = Member<GatewayRequest, unknown>;

export interface GatewayDeps extends MembersDeps {
  readonly transport: Transport;
}

/** One target with the model it is asked for. */
export interface PlacedTarget {
  readonly target: GatewayTarget;
  readonly model: string;
  /** Another target can answer, too. */
  readonly hasFallback: boolean;
  /** The slowest allowed stream, in characters; 0 for any. */
  readonly leastPerSecond: number;
}

export function byteMember(placed: PlacedTarget, dialect: Protocol, deps: GatewayDeps): GatewayMember {
  const { target, model, hasFallback } = placed;
  const { provider, maxConcurrent, maxPerMinute } = target;
  const { defaults, signIn } = headersOf(target, dialect);
  const url = new URL(target.baseUrl);
  const facts = factsFor(provider, model);
  const timeouts = modelTimeouts(target.timeouts, facts);
  const price = targetPrice(deps.prices, target, model);
  const costs = wireCosts(price);
  const id = `${target.name}/${model}`;
  const bytes: ByteTarget = {
    provider,
    model,
    shownId: headerText(id),
    origin: url.origin,
    basePath: url.pathname === "/" ? "" : url.pathname,
    defaults,
    signIn,
    agent: deps.transport.agent,
    clock: deps.clock,
    timeouts,
    costOf: costs.costOf,
    leastPerSecond: placed.leastPerSecond,
    refusesUsage: false,
  };
  return {
    tool: tool<GatewayRequest, unknown>({
      id,
      surface: "http",
      provider,
      idempotent: true,
      timeoutMs: timeouts.stream.totalMs,
      ...(hasFallback ? { breaker: { defaultMaxOpenMs: MAX_OPEN_WITH_FALLBACK_MS } } : {}),
      ...(maxConcurrent === null ? {} : { maxConcurrent }),
      ...(maxPerMinute === null ? {} : { maxPerMinute }),
      cost: { estimate: ({ asked }) => mostCost(price, asked, facts), sent: ({ asked }) => costs.sent(asked.facts) },
      run: (request, context) => passBytes(bytes, request, context),
    }),
    facts: {
      ...domainsOf(target, model, dialect),
      capabilities: [...facts.capabilities, dialectOnly(dialect), ...(target.continues ? [CONTINUES] : [])],
      contextWindowTokens: facts.contextWindowTokens,
      lastResort: false,
    },
    passesThrough: ({ answer }) => !answer.isOpen,
  };
}

/** The capability of a target to continue a text that another one has begun. */
export const CONTINUES = "continues";

/** The capability of a target to read what exists only in a dialect. */
export function dialectOnly(dialect: Protocol): string {
  return `only:${dialect}`;
}

function headersOf({ key }: GatewayTarget, dialect: Protocol): Pick<ByteTarget, "defaults" | "signIn"> {
  const { headers, signIn } = DIALECTS[dialect];
  const defaults = { ...PLAIN, "content-type": "application/json", ...headers };
  return { defaults, signIn: key === null ? {} : signIn(key) };
}

/** The dialects of one address are different services, but one account. */
export function domainsOf(
  { key, provider, baseUrl, name }: GatewayTarget,
  model: string,
  dialect: Protocol,
): FailureDomains {
  const { vendor, signIn } = DIALECTS[dialect];
  return {
    endpoint: endpointAt(baseUrl, provider) ?? `${vendor}+${name}`,
    account: accountIn(Object.entries(key === null ? {} : signIn(key))),
    model,
  };
}
