// "Did you mean …?"

import { closest, distance } from "fastest-levenshtein";

const STEM_CHARS = 4;
const SHORT_CHARS = 4;

/** The closest known name, ignoring case; null if none is close enough. */
export function nearest(word: string, known: readonly string[]): string | null {
  const lower = known.map((name) => name.toLowerCase());
  const wanted = word.toLowerCase();
  if (lower.length === 0) return null;
  // Also matches a name without its suffix: `timeout` for `timeout_ms` or `timeoutMs`, `linear` for `linear_backoff`.
  const longer = known.findIndex(
    (name, index) => lower[index]?.startsWith(wanted) && /[_A-Z]/.test(name[wanted.length] ?? ""),
  );
  if (longer !== -1) return known[longer] ?? null;
  const near = closest(wanted, lower);
  // Names of one stem may end differently: `retries` for `retry`.
  const stem = near.startsWith(wanted.slice(0, STEM_CHARS)) ? 1 : 0;
  return distance(wanted, near) <= Math.max(slipsIn(wanted, near), Math.floor(word.length / 3)) + stem
    ? (known[lower.indexOf(near)] ?? null)
    : null;
}

/** In a short word two other letters make another word, such as `tcsh` beside `bash`; two letters that changed places do not. */
function slipsIn(wanted: string, near: string): number {
  const lettersOf = (text: string): string => Array.from(text).toSorted().join("");
  return wanted.length > SHORT_CHARS || lettersOf(wanted) === lettersOf(near) ? 2 : 1;
}
