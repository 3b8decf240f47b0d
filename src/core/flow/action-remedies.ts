// What helps against a fault, by its traits: a table. Whether it can be done for a run is said by `action.ts`.

import { type CatalogueRow, isFaultCode, traitsOf } from "../fault/catalogue.ts";
import type { Fault } from "../fault/fault.ts";
import type { ActionId } from "./action-words.ts";

export interface Remedy {
  /** All that is given must be true of the fault; the first row that fits speaks. */
  readonly match: Partial<Pick<CatalogueRow, "class" | "scope" | "cause" | "retryable" | "lifts" | "cancels">>;
  /** Best first. */
  readonly offer: readonly ActionId[];
  readonly example: string;
}

// prettier-ignore
export const REMEDIES: readonly Remedy[] = [
  { match: { cancels: true },                                   offer: [],                                              example: "a person pressed Ctrl-C" },
  { match: { cause: "quota-exhausted" },                         offer: ["switch-provider", "retry-now", "retry-stage"], example: "You have hit your weekly limit" },
  { match: { class: "ProviderAccess", scope: "account" },       offer: ["sign-in-again", "switch-provider"],            example: "401 invalid x-api-key" },
  { match: { cause: "permission-denied" },                       offer: ["grant-and-retry", "edit-and-retry"],           example: "Claude requested permissions to use Bash, three times" },
  { match: { cause: "tool-denied" },                             offer: ["grant-and-retry", "edit-and-retry"],           example: "`rm -rf build` is not on the list of allowed commands" },
  { match: { cause: "approval-rejected" },                       offer: ["retry-stage", "send-back", "edit-and-retry"],  example: "\"Ship it?\" was answered with no: not on a Friday" },
  { match: { cause: "provider-not-found" },                      offer: ["retry-stage", "switch-provider"],              example: "spawn codex ENOENT" },
  { match: { cause: "network-error", retryable: false },         offer: ["retry-stage", "switch-provider"],              example: "self-signed certificate in certificate chain" },
  { match: { cause: "context-overflow" },                        offer: ["shorten-context", "switch-provider", "edit-and-retry"], example: "prompt is too long: 213000 tokens" },
  { match: { cause: "content-filter" },                          offer: ["edit-and-retry"],                              example: "blocked by the content management policy" },
  { match: { cause: "capability-missing" },                      offer: ["switch-provider", "retry-stage"],              example: "this model takes no images" },
  { match: { cause: "test-failed" },                             offer: ["send-back", "edit-and-retry"],                 example: "`npm test` ended with code 1" },
  { match: { scope: "output" },                                 offer: ["regenerate-once", "edit-and-retry", "send-back"], example: "the review has no field `decision`" },
  { match: { cause: "schema-invalid" },                          offer: ["regenerate-once", "edit-and-retry", "send-back"], example: "a tool answered with half a JSON" },
  { match: { scope: "limit", cause: "timeout" },                 offer: ["raise-limit", "retry-stage"],                  example: "the attempt took longer than 30 minutes" },
  { match: { scope: "limit" },                                  offer: ["raise-limit"],                                 example: "2.00 of 2.00 dollars are spent" },
  { match: { class: "ProviderTransient" },                      offer: ["retry-stage", "retry-now", "switch-provider"], example: "stream disconnected before completion" },
  { match: { class: "Guard" },                                  offer: ["retry-stage", "retry-now", "switch-provider"], example: "the circuit of openai/gpt-5.5 is open" },
  { match: { retryable: true },                                 offer: ["retry-stage", "retry-now"],                    example: "the test runner is busy" },
  { match: { class: "Crash" },                                  offer: ["retry-stage", "switch-provider"],              example: "the agent was killed by SIGSEGV" },
  { match: { cause: "bad-request" },                             offer: ["edit-and-retry", "switch-provider"],           example: "400 messages.3: tool_use without tool_result" },
  { match: { class: "ToolTerminal" },                           offer: ["retry-stage", "edit-and-retry"],               example: "ENOSPC: no space left on device" },
  { match: {},                                                  offer: ["retry-stage", "edit-and-retry"],               example: "a condition read a field of undefined; the workflow was put right" },
];

/** A loop has had its rounds: it may have one more, or its last node another look. */
const ROUNDS_SPENT: readonly ActionId[] = ["send-back", "retry-stage"];

/** What helps against such a fault, best first; whether it can be done is another question. */
export function remediesFor(fault: Pick<Fault, "code"> & Partial<Pick<Fault, "context">>): readonly ActionId[] {
  const traits = rowOf(fault);
  if (traits.scope === "limit" && fault.context?.["declared"] === true) return ROUNDS_SPENT;
  const fits = ({ match }: Remedy): boolean =>
    (Object.keys(match) as (keyof Remedy["match"])[]).every((trait) => match[trait] === traits[trait]);
  return REMEDIES.find(fits)?.offer ?? [];
}

/** A code from a newer program is treated as unknown. */
function rowOf({ code }: Pick<Fault, "code">): CatalogueRow {
  return traitsOf(isFaultCode(code) ? code : "Unclassified");
}
