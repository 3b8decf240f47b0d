// The chains of a gateway's routes: one for each dialect, model and first step, created when it is first needed.

import { chain } from "../../runtime/tool/chain.ts";
import type { Chain, RequestNeeds } from "../../runtime/tool/tool.ts";
import { resolveModelOptions } from "../../provider/model/model-options.ts";
import { needsOf, walkRequest } from "../../provider/model/model-request.ts";
import type { Protocol } from "../../provider/wire/protocol.ts";
import type { GatewayRoute, RouteStep } from "../config/settings.ts";
import type { GatewayRequest } from "../request/gateway-request.ts";
import { fault } from "../../core/fault/fault.ts";
import { byteMember, CONTINUES, dialectOnly, type GatewayDeps, type GatewayMember } from "../target/byte-member.ts";
import { fallbackMember, translatedMember } from "../target/model-member.ts";
import type { TakenRoute } from "./routing.ts";

export type GatewayChain = Chain<GatewayRequest, unknown>;

/** Everything that a chain depends on. */
interface ChainPlace {
  readonly taken: TakenRoute;
  readonly dialect: Protocol;
  readonly model: string;
  readonly start: number;
}

/** Model names come from clients, so the least recently used chains are dropped. */
const MAX_CHAINS = 500;

const { retryBeforeFallback } = resolveModelOptions({});

export class Chains {
  readonly #deps: GatewayDeps;
  readonly #chains = new Map<string, GatewayChain>();
  /** The chain that was used last, because clients ask for the same model again and again. */
  #newest: (ChainPlace & { readonly chain: GatewayChain }) | null = null;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
  }

  /** `start`: the step that is tried first. */
  get(taken: TakenRoute, dialect: Protocol, model: string, start: number): GatewayChain {
    const newest = this.#newest;
    const isNewest = newest?.taken === taken && newest.dialect === dialect && newest.model === model;
    if (isNewest && newest.start === start) return newest.chain;
    const { id, route, steps } = taken;
    const key = `${id}\n${dialect}\n${model}\n${start}`;
    const chain = this.#chains.get(key) ?? this.#make(startingAt(steps, start), dialect, model, route);
    this.#newest = { taken, dialect, model, start, chain };
    this.#chains.delete(key);
    this.#chains.set(key, chain);
    for (const oldest of this.#chains.keys()) {
      if (this.#chains.size <= MAX_CHAINS) break;
      this.#chains.delete(oldest);
    }
    return chain;
  }

  #make(
    steps: readonly RouteStep[],
    dialect: Protocol,
    model: string,
    { leastPerSecond, hedge, midStream }: GatewayRoute,
  ): GatewayChain {
    const members = steps.map((step, index): GatewayMember => {
      const placed = { target: step.target, model: step.model ?? model, hasFallback: steps.length > 1, leastPerSecond };
      if (!step.target.dialects.includes(dialect)) return translatedMember(placed, dialect, this.#deps);
      if (index === 0 && midStream !== "continue") return byteMember(placed, dialect, this.#deps);
      return fallbackMember(placed, dialect, this.#deps, index === 0);
    });
    const repairs = { regenerate: (request: GatewayRequest) => request };
    return chain(members, {
      retryBeforeFallback,
      hedge,
      needsOf: (request) => needsOfRequest(request, dialect),
      repairs,
    });
  }
}

/** A request that cannot be translated into another dialect needs a target of this dialect. */
function needsOfRequest(request: GatewayRequest, dialect: Protocol): RequestNeeds {
  const { refused, options } = request.read;
  if (refused !== null) return { capabilities: [dialectOnly(dialect)], inputTokens: 0, refusal: null };
  if (request.answer.isOpen) {
    const refusal = request.continuation === null ? CANNOT_CONTINUE : null;
    return { capabilities: [CONTINUES], inputTokens: 0, refusal };
  }
  const { needs, inputTokensAtLeast } = needsOf(walkRequest(options), request.asked.facts.streaming);
  return { capabilities: needs, inputTokens: inputTokensAtLeast, refusal: null };
}

const CANNOT_CONTINUE = fault("NetworkDisconnect", {
  message: "the stream broke off where no target can continue it",
  context: { ran: true },
});

/** The step at `start` first, then the others in their order. */
function startingAt<Step>(steps: readonly Step[], start: number): readonly Step[] {
  const first = steps[start];
  return start === 0 || first === undefined ? steps : [first, ...steps.filter((_step, index) => index !== start)];
}
