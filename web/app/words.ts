// The page's own words. A table has the same keys in both languages, or it does not compile. Words about faults, decisions and actions
// come from the server and are never written here.

import { type Language, usePreferences } from "./preferences.ts";

export type WordTable<Words> = Readonly<Record<Language, Words>>;

/** A table of words whose Chinese has exactly the keys that its English has. */
export function wordTable<Words>(table: WordTable<Words>): WordTable<Words> {
  return table;
}

export function useWords<Words>(table: WordTable<Words>): Words {
  return table[usePreferences().language];
}
