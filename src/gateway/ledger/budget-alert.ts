// Warns that a client's budget runs low: writes a journal entry, which the server turns into notices. All processes of the journal together
// write one per time window.

import type { Journal } from "../../journal/journal.ts";
import type { KeyAccount, WindowName } from "../key/key-account.ts";
import { gatewaySession } from "./failed-calls.ts";

export interface BudgetAlert {
  /** The client's key, by its name. */
  readonly client: string;
  readonly window: WindowName;
  readonly spentMicrocents: number;
  readonly limitMicrocents: number;
}

/** Returns null if the window has no limit, or if another process has already warned. */
export async function recordAlert(
  journal: Journal,
  account: KeyAccount,
  window: WindowName,
  now: number,
): Promise<BudgetAlert | null> {
  const limitMicrocents = account.limits[window];
  if (limitMicrocents === null) return null;
  const { name: client } = account;
  const spentMicrocents = account.spent(window);
  const session = `gateway-budget.${client}.${window}.${account.startOf(window)}`;
  const labels = { gateway: "budget", client, window };
  const warned = {
    type: "budget-warned",
    spentMicrocents,
    maxCostMicrocents: limitMicrocents,
    client,
    window,
  } as const;
  const isKnown = async (): Promise<boolean> => (await journal.session(session)) !== null;
  if (await isKnown()) return null;
  try {
    await journal.append(session, 0, gatewaySession(journal, session, labels, now, [warned]));
  } catch (error) {
    if (await isKnown()) return null;
    throw error;
  }
  return { client, window, spentMicrocents, limitMicrocents };
}
