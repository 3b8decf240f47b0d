// Runs an agent against a provider that fails, and tells whether the agent survived.
// S1  A failure counts as survived only if a good answer came after it: an agent that took a cut stream for the whole answer did not
//     survive.
// S2  A test that plays no fault proves nothing, so it does not pass.

import { type ChaosFaultId, faultRow } from "../chaos/faults.ts";
import type { ReceivedRequest, StrayRequest } from "../chaos/received.ts";
import type { ChaosStep } from "../chaos/scenario-schema.ts";
import { type Chaos, type ChaosOptions, startChaos } from "../chaos/start-chaos.ts";

/** How an agent got on with a provider that fails. */
export interface ChaosRun<T = unknown> {
  /** What the agent returned. */
  readonly value: T;
  /** Its requests, and what they got. */
  readonly requests: readonly ReceivedRequest[];
  /** Its requests to addresses that no vendor has. */
  readonly strays: readonly StrayRequest[];
}

/**
 * Starts a provider that fails on demand, runs the agent against it, and closes the provider. What the agent throws is thrown.
 *
 * @example
 * ```ts
 * import OpenAI from "openai";
 * import { assertSurvived, withChaos } from "faultline/testing";
 *
 * const run = await withChaos(["rate-limit"], async (chaos) => {
 *   const openai = new OpenAI({ baseURL: chaos.openaiUrl, apiKey: "none" });
 *   return (await openai.responses.create({ model: "gpt-5", input: "hi" })).output_text;
 * });
 * assertSurvived(run, "rate-limit");
 * ```
 */
export async function withChaos<T>(
  given: readonly ChaosStep[] | ChaosOptions,
  agent: (chaos: Chaos) => T | Promise<T>,
): Promise<ChaosRun<T>> {
  const chaos = await startChaos(isScript(given) ? {} : given);
  try {
    if (isScript(given)) chaos.script(given);
    const value = await agent(chaos);
    return { value, requests: chaos.received(), strays: chaos.strays() };
  } finally {
    await chaos.close();
  }
}

function isScript(given: readonly ChaosStep[] | ChaosOptions): given is readonly ChaosStep[] {
  return Array.isArray(given);
}

/** Whether the agent survived, and a sentence that says why. */
export interface Survival {
  readonly survived: boolean;
  readonly why: string;
}

/** Whether a run survived a fault, or, if none is named, every fault it met. */
export function survivalOf({ requests, strays }: Omit<ChaosRun, "value">, fault?: ChaosFaultId): Survival {
  const refused = requests.find(({ complaint }) => complaint !== null);
  if (refused !== undefined) return no(`request ${refused.number} was wrong: ${refused.complaint ?? ""}`);
  const met = requests.filter((request) => request.fault !== null && (fault === undefined || request.fault === fault));
  if (met.length === 0) {
    const lost =
      strays[0] === undefined
        ? ""
        : ` A request went to ${strays[0].path}, which is not a path of any vendor; check the base URL.`;
    return no(`no request met ${fault ?? "a fault"}; ${requestList(requests)}.${lost}`);
  }
  const last = met.findLast((request) => isFailure(request));
  if (last === undefined || requests.some((request) => request.number > last.number && isGood(request)))
    return { survived: true, why: `the agent survived ${fault ?? "every fault"}: ${requestList(requests)}` };
  return no(
    `no good answer came after request ${last.number}, which met ${last.fault ?? ""}; ${requestList(requests)}`,
  );
}

const no = (why: string): Survival => ({ survived: false, why });

/** Some faults only take time or change the words: their answer is whole. */
function isFailure({ fault }: ReceivedRequest): boolean {
  return fault !== null && faultRow(fault)?.means !== null;
}

function isGood(request: ReceivedRequest): boolean {
  return !isFailure(request) && request.status === 200 && request.ended === "answered";
}

function requestList(requests: readonly ReceivedRequest[]): string {
  if (requests.length === 0) return "the agent sent no request";
  return `the agent's requests got ${requests.map(({ fault }) => fault ?? "ok").join(", ")}`;
}

/** Throws if the run did not survive. For node:test and every other runner; Vitest and Jest have the matcher `toHaveSurvived`. */
export function assertSurvived(run: ChaosRun, fault?: ChaosFaultId): void {
  const { survived, why } = survivalOf(run, fault);
  if (!survived) throw new Error(why);
}

/** What `expect.extend` of Vitest and Jest takes: `expect(run).toHaveSurvived("rate-limit")`. */
export const chaosMatchers = {
  toHaveSurvived(run: ChaosRun, fault?: ChaosFaultId): { readonly pass: boolean; readonly message: () => string } {
    const { survived, why } = survivalOf(run, fault);
    return { pass: survived, message: () => why };
  },
};
