// What an agent is drilled in: one fault each, over the same small task. Data.

import type { ChaosFaultId } from "../../chaos/faults.ts";
import type { ScenarioRule } from "../../chaos/scenario-schema.ts";

/** In the answer of the model, at its end, and not in the prompt: an agent that prints it has read the whole answer. */
export const CODE_WORD = "heron-4217";
const ANSWER = `Here is what you asked for, all in one line and without any haste: the code word is ${CODE_WORD}`;
export const PROMPT = "What is the code word? Answer in one line and use no tools.";

export interface Drill {
  readonly id: string;
  readonly fault: ChaosFaultId;
  /** Every request meets the fault; otherwise only the first. */
  readonly lasts: boolean;
  /** How often one question may be asked before it is too much. */
  readonly mostTries: number;
  /** How long the provider asks to wait. */
  readonly retryAfterMs: number;
}

/** Trying again helps if the provider recovers. */
const PASSING = { lasts: false, mostTries: 10, retryAfterMs: 0 };
/** It does not recover, so the best a bare agent can do is to say so. */
const OUTAGE = { lasts: true, mostTries: 10, retryAfterMs: 0 };
/** Trying again cannot help. */
const HOPELESS = { lasts: true, mostTries: 3, retryAfterMs: 0 };

export const DRILLS: readonly Drill[] = [
  { id: "rate-limit", fault: "rate-limit", ...PASSING, retryAfterMs: 1_000 },
  { id: "overloaded", fault: "overloaded", ...PASSING },
  { id: "server-error", fault: "server-error", ...PASSING },
  { id: "bad-gateway", fault: "bad-gateway", ...PASSING },
  { id: "reset", fault: "reset", ...PASSING },
  { id: "cut-stream", fault: "cut-stream", ...PASSING },
  { id: "no-end-mark", fault: "no-end-mark", ...PASSING },
  { id: "error-mid-stream", fault: "error-mid-stream", ...PASSING },
  { id: "malformed-json", fault: "malformed-json", ...PASSING },
  { id: "empty-output", fault: "empty-output", ...PASSING },
  { id: "hang", fault: "hang", ...PASSING },
  { id: "stall", fault: "stall", ...PASSING },
  { id: "outage", fault: "unavailable", ...OUTAGE },
  { id: "always-cut", fault: "cut-stream", ...OUTAGE },
  { id: "quota", fault: "quota", ...HOPELESS },
  { id: "invalid-key", fault: "invalid-key", ...HOPELESS },
];

const GOOD: ScenarioRule = { answer: ANSWER };

/** The rules of a provider that works. */
export const GOOD_RULES: readonly ScenarioRule[] = [GOOD];

/**
 * The rules of the provider that fails. Many agents ask for more than the answer, such as a title, and we cannot tell which request is which:
 * a fault that passes meets as many requests as the task takes without it.
 */
export function rulesOf({ fault, lasts }: Drill, usual: number): readonly ScenarioRule[] {
  return [{ fault, answer: ANSWER, ...(lasts ? {} : { times: usual }) }, GOOD];
}
