// A journal that remembers what was appended to it, and the same appended once more with nothing around it: the floor.

import type { Journal, NewEntry } from "../src/journal/journal.ts";

export interface Portion {
  readonly session: string;
  readonly entries: readonly NewEntry[];
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
      append(session, after, entries, keeps) {
        portions.push({ session, entries });
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

/** The same entries in the same portions, each on disk before the next of its session, and so many sessions at a time. */
export async function appendAgain(journal: Journal, portions: readonly Portion[], sideBySide: number): Promise<void> {
  const open = [...Map.groupBy(portions, ({ session }) => session)];
  const work = async (): Promise<void> => {
    for (let next = open.shift(); next !== undefined; next = open.shift()) {
      const [session, list] = next;
      let after = 0;
      for (const { entries } of list) {
        await journal.append(session, after, entries);
        after += entries.length;
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
}
