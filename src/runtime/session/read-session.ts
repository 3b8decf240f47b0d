// A session folded from its journal, to show it or to resume it.

import { emptySession, foldEntry, fromSnapshot, type SessionState } from "../../core/record/replay.ts";
import type { Entry } from "../../core/record/event.ts";
import type { KeepKind } from "../../journal/journal.ts";

export interface SessionSource {
  kept(kind: KeepKind, key: string): Promise<unknown>;
  each(session: string, after: number, take: (entry: Entry) => void): Promise<void>;
}

export async function readSession(source: SessionSource, id: string): Promise<SessionState> {
  const snapshot = await source.kept("snapshot", id);
  const state = snapshot === undefined || snapshot === null ? emptySession(id) : fromSnapshot(snapshot);
  await source.each(id, state.seq, (entry) => foldEntry(state, entry));
  return state;
}
