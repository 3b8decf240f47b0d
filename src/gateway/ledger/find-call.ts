// Finds a call of a gateway by the id that its client got, or one of its decisions: `call_….7`, `call_….7#2`.

import { defined } from "../../core/defined.ts";
import type { Entry } from "../../core/record/event.ts";
import type { Journal } from "../../journal/journal.ts";
import { decisionIn } from "./ledger-line.ts";
import { type PlacedLine, readLedger } from "./read-ledger.ts";

/** What a client got in `x-faultline-call`, or in `x-faultline-decisions`. */
interface CallId {
  readonly call: string;
  /** From 1; null: the whole call. */
  readonly decision: number | null;
}

const CALL_ID = /^(call_\w{6,}(?:\.\d+)?)(?:#(\d+)(?:=[\w-]+)?)?$/;

/** null: the text is not the id of a call. */
export function readCallId(text: string): CallId | null {
  const [, call, decision] = CALL_ID.exec(text.trim()) ?? [];
  return call === undefined ? null : { call, decision: decision === undefined ? null : Number(decision) };
}

/** Null when the ledger has no such call, or when too many have come after it. */
export async function findCall(journal: Journal, call: string): Promise<PlacedLine | null> {
  const [found] = await readLedger(journal, { limit: 1, where: (line) => line.call === call });
  return found ?? null;
}

const HOUR_MS = 3_600_000;
const SESSIONS_AT_ONCE = 100;

/** What the journal recorded about a call that met a failure; each entry with the number of the decision that it holds, or null. */
export async function callEntries(
  journal: Journal,
  { line, place }: PlacedLine,
): Promise<readonly { readonly entry: Entry; readonly decision: number | null }[]> {
  const entries: Entry[] = [];
  for (const session of await sessionsOf(journal, place.key.split("/")[1] ?? "", line.at, line.at + line.tookMs))
    for await (const entry of journal.read(session))
      if ("call" in entry.event && entry.event.call === line.call) entries.push(entry);
  let count = 0;
  let hedged: string | null = null;
  return entries.map((entry) => {
    const { event } = entry;
    const isDecision = decisionIn(event, hedged) !== null;
    if (event.type === "call-admitted" && event.hedge !== undefined) hedged = event.tool;
    return { entry, decision: isDecision ? ++count : null };
  });
}

/** The sessions in which a process of a gateway recorded failures of this time: one for each hour. */
async function sessionsOf(journal: Journal, owner: string, from: number, until: number): Promise<readonly string[]> {
  const found: string[] = [];
  let after: { readonly session: string; readonly startedAt: number } | undefined;
  for (;;) {
    const page = await journal.sessions({ limit: SESSIONS_AT_ONCE, ...defined({ after }) });
    for (const { session, startedAt } of page)
      if (session.startsWith(`gateway.${owner}.`) && startedAt <= until + HOUR_MS) found.push(session);
    const last = page.at(-1);
    if (last === undefined || page.length < SESSIONS_AT_ONCE || last.startedAt < from - HOUR_MS)
      return found.toReversed();
    after = last;
  }
}
