// Finds every phrase of a list in one pass over a text (Aho–Corasick), so that the cost is linear in the text and does
// not grow with the number of rules. No regular expression ever sees foreign text with more than a bounded look-around.
//
// Text is normalised first: lower case, no URLs or file names (full of misleading words), one space for any run of white
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

export function createPhraseBook(phrases: readonly string[]): PhraseBook {
  const names = [...new Set(phrases)];
  const ids = new Map(names.map((phrase, id) => [phrase, id]));
  const machine = build(names);
  return {
    idOf: (phrase) => ids.get(phrase) ?? -1,
    phraseOf: (id) => names[id] ?? "",
    find: (text) => scan(machine, text),
  };
}

/** A phrase that ends at a state. */
interface Ending {
  readonly id: number;
  readonly length: number;
  readonly open: boolean;
}

interface Machine {
  /**
   * Steps on ASCII letters: state × column → state. Each letter that a phrase uses has a column; column 0 is any other. Once built,
   * every step is in the table, those over suffixes included.
   */
  readonly next: Uint16Array | Int32Array;
  readonly columns: number;
  readonly columnOf: Uint8Array;
  /** Steps on all other letters, which are of many kinds and rarely used: state × 65536 + letter → state. */
  readonly rare: Map<number, number>;
  /** The state of the longest proper suffix that is also a beginning of some phrase. */
  readonly suffix: Int32Array;
  /** Phrases that end at a state, those of its suffixes included. */
  readonly endings: Ending[][];
  /** 1 where `endings` has any: most states have none, and this is asked for every letter. */
  readonly isEnd: Uint8Array;
}

const ASCII = 128;
const LETTERS = 65_536;

/** Letter by letter through all phrases at once, so that when a state is made all shorter ones, its suffix among them, are there. */
function build(names: readonly string[]): Machine {
  const words = names.map((name) => normalise(name.endsWith("*") ? name.slice(0, -1) : name).trim());
  const machine = emptyMachine(words);
  const states = new Int32Array(words.length);
  let running = words.map((_, id) => id).filter((id) => words[id] !== "");
  for (let depth = 0; running.length > 0; depth++) {
    for (const id of running) {
      states[id] = childOf(machine, states[id] ?? 0, words[id]?.charCodeAt(depth) ?? 0);
    }
    const ended = running.filter((id) => words[id]?.length === depth + 1);
    for (const id of ended) {
      machine.endings[states[id] ?? 0]?.push({ id, length: depth + 1, open: names[id]?.endsWith("*") === true });
    }
    running = running.filter((id) => (words[id]?.length ?? 0) > depth + 1);
  }
  completeSteps(machine);
  return machine;
}

/** A state that does not go on with a letter steps where its suffix does. Suffixes are shorter, so they are complete already. */
function completeSteps({ next, columns, suffix, endings, isEnd }: Machine): void {
  for (let state = 0; state < endings.length; state++) {
    const row = state * columns;
    const shorter = (suffix[state] ?? 0) * columns;
    for (let column = 1; column < columns; column++) next[row + column] ||= next[shorter + column] ?? 0;
    if ((endings[state]?.length ?? 0) > 0) isEnd[state] = 1;
  }
}

function emptyMachine(words: readonly string[]): Machine {
  const columnOf = new Uint8Array(ASCII);
  let columns = 1;
  for (const letter of new Set(words.join(""))) {
    const unit = letter.charCodeAt(0);
    if (unit < ASCII) columnOf[unit] = columns++;
  }
  const states = countStates(words);
  // Half the size, where it suffices, keeps more of the table in the processor's cache.
  const next = states <= LETTERS ? new Uint16Array(states * columns) : new Int32Array(states * columns);
  const suffix = new Int32Array(states);
  return { next, columns, columnOf, rare: new Map(), suffix, endings: [[]], isEnd: new Uint8Array(states) };
}

/** One state per distinct beginning: in sorted order, each word adds what it does not share with the one before it. */
function countStates(words: readonly string[]): number {
  let states = 1;
  let before = "";
  for (const word of words.toSorted()) {
    let shared = 0;
    while (shared < word.length && word.charCodeAt(shared) === before.charCodeAt(shared)) shared++;
    states += word.length - shared;
    before = word;
  }
  return states;
}

/** The state after one more letter of a phrase, made if it is not there yet. */
function childOf(machine: Machine, state: number, letter: number): number {
  const known = stepFrom(machine, state, letter);
  if (known !== 0) return known;
  const { next, columns, columnOf, rare, suffix, endings } = machine;
  const target = state === 0 ? 0 : follow(machine, suffix[state] ?? 0, letter);
  const made = endings.push(endings[target]?.slice() ?? []) - 1;
  suffix[made] = target;
  if (letter < ASCII) next[state * columns + (columnOf[letter] ?? 0)] = made;
  else rare.set(state * LETTERS + letter, made);
  return made;
}

/** The next state if some phrase continues with this letter; 0, the root, if none does. */
function stepFrom({ next, columns, columnOf, rare }: Machine, state: number, letter: number): number {
  if (letter >= ASCII) return rare.get(state * LETTERS + letter) ?? 0;
  const column = columnOf[letter] ?? 0;
  return column === 0 ? 0 : (next[state * columns + column] ?? 0);
}

/** Follows suffix links until a state continues with this letter. Never takes more steps back than letters were read. */
function follow(machine: Machine, from: number, letter: number): number {
  for (let state = from; ; state = machine.suffix[state] ?? 0) {
    const step = stepFrom(machine, state, letter);
    if (step !== 0 || state === 0) return step;
  }
}

function scan(machine: Machine, text: string): PhraseHits {
  const { next, columns, columnOf, isEnd } = machine;
  const hits = new Map<number, number[]>();
  let state = 0;
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i);
    state = letter < ASCII ? (next[state * columns + (columnOf[letter] ?? 0)] ?? 0) : follow(machine, state, letter);
    if (isEnd[state] !== 1) continue;
    for (const { id, length, open } of machine.endings[state] ?? []) {
      if (isWordChar(text, i - length) && isWordChar(text, i - length + 1)) continue;
      if (!open && isWordChar(text, i + 1) && isWordChar(text, i)) continue;
      if (isDenied(text, i - length + 1)) continue;
      const positions = hits.get(id);
      if (positions === undefined) hits.set(id, [i]);
      else if (positions.length < MAX_HITS) positions.push(i);
    }
  }
  return hits;
}

/** A negated cause, as in `(not your usage limit)`. */
// prettier-ignore
const DENIALS = [
  "not your ", "not a ", "not an ", "not the ", "not due to ", "not related to ", "not caused by ", "not because of ", "not about ",
  "isn't a ", "isn't your ", "never a ", "unrelated to ", "rather than ",
];

function isDenied(text: string, start: number): boolean {
  return text.charCodeAt(start - 1) === SPACE && DENIALS.some((denial) => text.endsWith(denial, start));
}

const SPACE = 0x20;

/** Latin letters and digits make words; Chinese and the like need no boundary. */
function isWordChar(text: string, at: number): boolean {
  const letter = at < 0 ? 0 : text.charCodeAt(at);
  return (letter >= 97 && letter <= 122) || (letter >= 48 && letter <= 57) || (letter >= 0xdf && letter <= 0x24f);
}

/** `src/auth/unauthorized.test.ts:12`: a file's name says nothing about the failure. */
const FILE_NAME =
  /(?<![\w.@/\\-])[\w.@/\\-]{0,200}\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|c|cc|cpp|h|cs|php|sh|md|json|ya?ml|toml|lock|log|txt|html)(?![\w])(?::\d{1,7}){0,2}/g;

/** Every file name has one of these. Looked for first, because most texts name no file and this is quick to tell. */
const EXTENSION =
  /\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|c|cc|cpp|h|cs|php|sh|md|json|ya?ml|toml|lock|log|txt|html)(?![\w])/;

const ADDRESS = /\bhttps?:\/\/[^\s"'`<>)\]}]+/g;

/** What stands between words, other than the one space that most words have between them already. */
const BETWEEN_WORDS = /(?! [^\s_\-"`\\│┃|\u001b])(?:\\+[nrt]|[\s_\-"`\\│┃|]+|\u001b\[[0-9;]{0,16}m)+/g;

export function normalise(text: string): string {
  const lower = text.toLowerCase();
  const local = lower.includes("://") ? lower.replace(ADDRESS, " ") : lower;
  const nameless = EXTENSION.test(local) ? local.replace(FILE_NAME, " ") : local;
  return nameless.replace(BETWEEN_WORDS, " ").replace(/[\u2018\u2019\u02bc]/g, "'");
}
