// A journal that remembers what was appended to it, and the same appended once more with nothing around it: the floor.

import type { Journal, Keep, NewEntry } from "../src/journal/journal.ts";

export interface Portion {
  readonly session: string;
  readonly entries: readonly NewEntry[];
  readonly keeps: readonly Keep[];
}

export interface Recording {
  readonly journal: Journal;
  /** What was appended since the last time. */
  readonly take: () => readonly Portion[];
}

export function recording(journal: Journal): Recording {
  let portions: Portion[] = [];
  return {
    journal: {
      ...journal,
      append(session, after, entries, keeps = []) {
        portions.push({ session, entries, keeps });
        return journal.append(session, after, entries, keeps);
      },
    },
    take() {
      const taken = portions;
      portions = [];
      return taken;
    },
  };
}

export function entriesIn(portions: readonly Portion[]): number {
  return portions.reduce((sum, { entries }) => sum + entries.length, 0);
}

/**
 * The same entries and values in the same portions, each on disk before the next of its session, and so many sessions at a time.
 * Returns the last number of each session, for portions that follow.
 */
export async function appendAgain(
  journal: Journal,
  portions: readonly Portion[],
  sideBySide: number,
  last: ReadonlyMap<string, number> = new Map(),
): Promise<ReadonlyMap<string, number>> {
  const open = [...Map.groupBy(portions, ({ session }) => session)];
  const ends = new Map<string, number>();
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const [session, list] = next;
      let after = last.get(session) ?? 0;
      for (const { entries, keeps } of list) {
        await journal.append(session, after, entries, keeps);
        after += entries.length;
      }
      ends.set(session, after);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  return ends;
}
