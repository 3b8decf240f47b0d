// A chain: several targets that can do the same work, the first choice first. Models, agent CLIs and `fetch` each declare members;
// `chain` makes one value of them, which `protect` takes like a tool. The runtime falls back, waits and repairs.

import { targetKey } from "../target/targets.ts";
import {
  type Chain,
  type ChainRequest,
  type FittedRequest,
  type HedgeOptions,
  type MemberTool,
  type Repairs,
  type RequestNeeds,
  retryOf,
  type RetryOptions,
  type TargetFacts,
  type Tool,
} from "./tool.ts";

/** The breaker cap of a target that has a fallback: probing it costs little while another target answers. The operator's own rule takes precedence. */
export const MAX_OPEN_WITH_FALLBACK_MS = 30_000;

/** One target of a chain, as its kind declares it. */
export interface Member<Request extends ChainRequest, Output> {
  readonly tool: Tool<Request, Output>;
  readonly facts: TargetFacts;
  /** How often and how long this target is retried while another can answer. The chain's own number when left out. */
  readonly retryBeforeFallback?: RetryOptions;
  /** Changes a request so that this target accepts it. When left out, requests go out as they are. */
  readonly fit?: (request: Request) => FittedRequest<Request>;
  /** A quick check. True: the target can do what the request needs, and `fit` would change nothing. */
  readonly passesThrough?: (request: Request) => boolean;
}

export interface ChainOptions<Request extends ChainRequest> {
  /** How often and how long a target is retried while another can answer. As the policy says when left out. */
  readonly retryBeforeFallback?: RetryOptions;
  /** What a request needs of a target. Nothing when left out. */
  readonly needsOf?: (request: Request) => RequestNeeds;
  readonly repairs?: Partial<Repairs<Request>>;
  /** Asks a second target while the first one is silent. When left out, the call waits for the first. */
  readonly hedge?: HedgeOptions | null;
}

export function chain<Request extends ChainRequest, Output>(
  declared: readonly Member<Request, Output>[],
  options: ChainOptions<Request> = {},
): Chain<Request, Output> {
  const { needsOf, repairs } = options as ChainOptions<ChainRequest>;
  const taken = new Set<string>();
  const members: MemberTool[] = [];
  const made: Chain<Request, Output> = {
    members,
    needsOf: needsOf ?? (() => NO_NEEDS),
    repairs: { ...NO_REPAIRS, ...repairs },
    hedge: options.hedge ?? null,
  };
  for (const { tool, ...own } of declared as unknown as readonly Member<ChainRequest, unknown>[]) {
    const { facts, fit, passesThrough } = own;
    const retry = own.retryBeforeFallback ?? options.retryBeforeFallback;
    const isAlwaysReady = needsOf === undefined && fit === undefined;
    const member = {
      chain: made,
      facts,
      retryBeforeFallback: retry === undefined ? null : retryOf(retry),
      fit: fit ?? asItIs,
      passesThrough: passesThrough ?? (() => isAlwaysReady),
    };
    members.push(
      Object.freeze<MemberTool>({ ...tool, id: freeName(tool.id, taken), target: targetKey(facts), member }),
    );
  }
  return Object.freeze(made);
}

const NO_NEEDS: RequestNeeds = { capabilities: [], inputTokens: 0, refusal: null };
const NO_REPAIRS: Repairs<ChainRequest> = { compact: null, sizeOf: () => 0, regenerate: null, refresh: null };

function asItIs<Request>(request: Request): FittedRequest<Request> {
  return { request, changes: [] };
}

/** The same target twice, perhaps with another key or other arguments, gets a second name: `claude#2`. */
export function freeName(wanted: string, taken: Set<string>): string {
  let name = wanted;
  for (let number = 2; taken.has(name); number++) name = `${wanted}#${number}`;
  taken.add(name);
  return name;
}
