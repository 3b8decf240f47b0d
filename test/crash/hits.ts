// What a kill hit, told from what the dead process left behind: its diary, and the journal as it is afterwards.

import type { Entries } from "./check-journal.ts";
import { appendsOf, type Diary } from "./diary.ts";

export const HITS = [
  "before the program had loaded",
  "while the journal was being opened",
  "an append was asked for: on disk, not acknowledged",
  "an append was asked for: not on disk",
  "a COMMIT was under way",
  "a call was admitted and had not begun",
  "a call was at work",
  "a call had done its work, and that was not written",
  "between two steps",
] as const;
export type Hit = (typeof HITS)[number];

/** One kill can hit several things at once: calls run side by side. */
export function whatWasHit(life: number, diary: Diary, entries: Entries): readonly Hit[] {
  const marks = diary.acks.filter((ack) => ack.life === life);
  const has = (what: string): boolean => marks.some((ack) => ack.what === what);
  if (!has("loaded")) return ["before the program had loaded"];
  if (!has("opened")) return ["while the journal was being opened"];
  const count = (what: string): number => marks.filter((ack) => ack.what === what).length;
  const hits = new Set<Hit>();
  if (count("committing") > count("committed")) hits.add("a COMMIT was under way");
  for (const { session, after } of unacknowledged(life, diary)) {
    const isOnDisk = (entries.get(session)?.length ?? 0) > after;
    hits.add(isOnDisk ? "an append was asked for: on disk, not acknowledged" : "an append was asked for: not on disk");
  }
  for (const [session, list] of entries) {
    const inFlight = new Map<string, { readonly tool: string; readonly attempt: number }>();
    for (const { event } of list) {
      if (event.type === "call-admitted") inFlight.set(event.call, event);
      if (event.type === "call-failed" || event.type === "call-succeeded") inFlight.delete(event.call);
    }
    for (const [call, { tool, attempt }] of inFlight) hits.add(stateOf(diary, session, call, tool, attempt));
  }
  return hits.size === 0 ? ["between two steps"] : [...hits];
}

function unacknowledged(life: number, diary: Diary): readonly { session: string; after: number }[] {
  const of = (what: "appending" | "appended" | "refused"): readonly { session: string; after: number }[] =>
    appendsOf(diary, what).filter((append) => append.life === life);
  const settled = new Set([...of("appended"), ...of("refused")].map(({ session, after }) => `${session} ${after}`));
  return of("appending").filter(({ session, after }) => !settled.has(`${session} ${after}`));
}

function stateOf(diary: Diary, session: string, call: string, tool: string, attempt: number): Hit {
  const phases = diary.effects
    .filter((effect) => effect.session === session && effect.call === call)
    .filter((effect) => effect.tool === tool && effect.attempt === attempt)
    .map(({ phase }) => phase);
  if (phases.includes("end")) return "a call had done its work, and that was not written";
  return phases.includes("begin") ? "a call was at work" : "a call was admitted and had not begun";
}
