// Finds every phrase of a list in one pass over a text (Aho–Corasick), so that the cost is linear in the text and does
// not grow with the number of rules. No regular expression ever sees foreign text with more than a bounded look-around.
//
// Text is normalised first: lower case, no URLs (their paths are full of misleading words), one space for any run of white
// space, quotes, underscores, hyphens, box lines and escaped line breaks, straight apostrophes. A phrase matches whole words;
// a trailing `*` lets the last word go on.

export interface PhraseBook {
  /** Where each phrase was found: phrase number → end positions, first few only. */
  readonly find: (normalised: string) => PhraseHits;
  /** The number of a phrase in this book, and back. */
  readonly idOf: (phrase: string) => number;
  readonly phraseOf: (id: number) => string;
}

export type PhraseHits = ReadonlyMap<number, readonly number[]>;

/** Positions kept per phrase: enough to pair two phrases, few enough to stay cheap on hostile repetition. */
const MAX_HITS = 8;

interface Entry {
  readonly id: number;
  readonly length: number;
  readonly open: boolean;
}

export function createPhraseBook(phrases: readonly string[]): PhraseBook {
  const ids = new Map<string, number>();
  for (const phrase of phrases) if (!ids.has(phrase)) ids.set(phrase, ids.size);
  const names = [...ids.keys()];
  const machine = build(ids);
  return {
    idOf: (phrase) => ids.get(phrase) ?? -1,
    phraseOf: (id) => names[id] ?? "",
    find: (text) => scan(machine, text),
  };
}

interface Machine {
  /** Next state by state × letter; letters are numbered, 0 stands for any letter no phrase uses. */
  readonly next: Int32Array;
  readonly letters: number;
  readonly letterOf: Uint16Array;
  /** Phrases that end at a state, those of its suffixes included. */
  readonly ends: readonly (readonly Entry[])[];
}

function build(ids: ReadonlyMap<string, number>): Machine {
  const letterOf = new Uint16Array(65_536);
  let letters = 1;
  const words: { readonly text: string; readonly entry: Entry }[] = [];
  for (const [phrase, id] of ids) {
    const open = phrase.endsWith("*");
    const text = normalise(open ? phrase.slice(0, -1) : phrase).trim();
    words.push({ text, entry: { id, length: text.length, open } });
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (letterOf[unit] === 0) letterOf[unit] = letters++;
    }
  }

  const size = words.reduce((sum, { text }) => sum + text.length, 1);
  const next = new Int32Array(size * letters).fill(-1);
  const ends: Entry[][] = [[]];
  let states = 1;
  for (const { text, entry } of words) {
    let state = 0;
    for (let i = 0; i < text.length; i++) {
      const slot = state * letters + (letterOf[text.charCodeAt(i)] ?? 0);
      if (next[slot] === -1) {
        next[slot] = states++;
        ends.push([]);
      }
      state = next[slot] ?? 0;
    }
    ends[state]?.push(entry);
  }
  linkSuffixes(next, letters, ends);
  return { next, letters, letterOf, ends };
}

/** Breadth first: a missing step goes where the longest proper suffix would go, and ends what that suffix ends. */
function linkSuffixes(next: Int32Array, letters: number, ends: Entry[][]): void {
  const suffix = new Int32Array(ends.length);
  const queue: number[] = [];
  for (let letter = 0; letter < letters; letter++) {
    const child = next[letter] ?? -1;
    if (child === -1) next[letter] = 0;
    else queue.push(child);
  }
  // The queue grows while it is walked, which a for-of over an array allows.
  for (const state of queue) {
    const fallback = suffix[state] ?? 0;
    for (let letter = 0; letter < letters; letter++) {
      const slot = state * letters + letter;
      const viaSuffix = next[fallback * letters + letter] ?? 0;
      const child = next[slot] ?? -1;
      if (child === -1) next[slot] = viaSuffix;
      else {
        suffix[child] = viaSuffix;
        ends[child]?.push(...(ends[viaSuffix] ?? []));
        queue.push(child);
      }
    }
  }
}

function scan({ next, letters, letterOf, ends }: Machine, text: string): PhraseHits {
  const hits = new Map<number, number[]>();
  let state = 0;
  for (let i = 0; i < text.length; i++) {
    state = next[state * letters + (letterOf[text.charCodeAt(i)] ?? 0)] ?? 0;
    const ending = ends[state];
    if (ending === undefined || ending.length === 0) continue;
    for (const { id, length, open } of ending) {
      if (isWordChar(text, i - length) && isWordChar(text, i - length + 1)) continue;
      if (!open && isWordChar(text, i + 1) && isWordChar(text, i)) continue;
      const positions = hits.get(id);
      if (positions === undefined) hits.set(id, [i]);
      else if (positions.length < MAX_HITS) positions.push(i);
    }
  }
  return hits;
}

/** Latin letters and digits make words; Chinese and the like need no boundary. */
function isWordChar(text: string, at: number): boolean {
  const unit = at < 0 ? 0 : text.charCodeAt(at);
  return (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57) || (unit >= 0xdf && unit <= 0x24f);
}

export function normalise(text: string): string {
  return text
    .toLowerCase()
    .replace(/\bhttps?:\/\/[^\s"'`<>)\]}]+/g, " ")
    .replace(/\\+[nrt]|[\s_\-"`\\│┃|]+|\u001b\[[0-9;]{0,16}m/g, " ")
    .replace(/ {2,}/g, " ")
    .replace(/[\u2018\u2019\u02bc]/g, "'");
}
