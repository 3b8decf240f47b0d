// What failures of one kind have cost, read from their entries.

import { book, NOTHING_SPENT, type Spending } from "../core/flow/money.ts";
import type { Journal } from "./journal.ts";

/** What the newest failures of a group cost together. */
export interface FaultCosts extends Spending {
  /** How many failures were looked at. */
  readonly failures: number;
}

/** Adds up what the newest failures with this fingerprint cost, at most `limit` of them. */
export async function faultCosts(journal: Journal, fingerprint: string, limit: number): Promise<FaultCosts> {
  const faults = await journal.faultsOf(fingerprint, { limit });
  let spending = NOTHING_SPENT;
  for (const { position } of faults) {
    const [found] = await journal.readFrom(position - 1, { limit: 1 });
    const event = found?.position === position ? found.entry.event : null;
    if (event?.type === "call-failed") spending = book(spending, event.cost);
  }
  return { ...spending, failures: faults.length };
}
