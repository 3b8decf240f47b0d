// A client's budget that runs low: an entry of the journal, from which the server's notices are made, and a line in the log. Once for each
// window of time, among all processes of the journal.

import type { JournalEvent, Manifest } from "../../core/record/event.ts";
import type { Journal } from "../../journal/journal.ts";
import type { KeyAccount, WindowName } from "./key-account.ts";

export interface BudgetAlert {
  /** The client's key, by its name. */
  readonly client: string;
  readonly window: WindowName;
  readonly spentMicrocents: number;
  readonly limitMicrocents: number;
}

/** null: another process has told it already. */
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
  const manifest: Manifest = {
    ...{ sessionId: session, storeId: journal.storeId, contract: 1, mode: "headless", createdAt: now, labels },
  };
  const events: readonly JournalEvent[] = [
    { type: "session-started", manifest },
    { type: "budget-warned", spentMicrocents, maxCostMicrocents: limitMicrocents, client, window },
    { type: "session-ended", status: "done", fault: null },
  ];
  const isKnown = async (): Promise<boolean> => (await journal.session(session)) !== null;
  if (await isKnown()) return null;
  try {
    await journal.append(
      session,
      0,
      events.map((event) => ({ at: now, event })),
    );
  } catch (error) {
    if (await isKnown()) return null;
    throw error;
  }
  return { client, window, spentMicrocents, limitMicrocents };
}
