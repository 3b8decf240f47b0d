// What free text says in a form a program wrote: `"type":"overloaded_error"` at any depth of escaping, `code: 'ECONNRESET'`,
// Python's repr, truncated JSON, `HTTP 429`, `API Error: 529`, an upper-case errno. One tolerant reader for all of them
// instead of a parser for each; every pattern is linear (no nested quantifiers).

import { addQuotaId, addStatus, type Signals } from "./read-evidence.ts";

/** `key: value` in JSON, JSON inside JSON strings, Python, and what Node's inspect prints. */
const PAIR =
  /\b(type|code|status|reason|error_?type|error_?code|subtype|name|terminal_reason|status_?code|http_?status(?:_?code)?|finish_?reason|stop_?reason|quotaId|x-amzn-errortype|exception-type|retryDelay|estimated_time|resets_in_seconds|resets_at)["'\\]{0,9}\s{0,4}[:=]\s{0,4}["'\\]{0,9}([A-Za-z0-9_.-]{1,80})/gi;

/** A word that a program made: `context_length_exceeded`, `ThrottlingException`, `RESOURCE_EXHAUSTED`, `ECONNRESET`. */
const IDENTIFIER =
  /^(?:[a-z]+(?:_[a-z0-9]+)+|[A-Za-z][A-Za-z0-9]{0,60}(?:Error|Exception)|(?:AI_)?[A-Z][a-z]+[A-Z][A-Za-z0-9]*|[A-Z][A-Z0-9]{2,}(?:_[A-Z0-9]+)*)$/;

/** A three-digit number is a status only where HTTP speaks: after such a word, before a reason phrase, or leading. */
const STATUS_PLACES: readonly RegExp[] = [
  /(?:\bHTTP(?:\/[\d.]{1,3})?|\bstatus(?:[ _]?code)?|\bAPI Error|\bError code|\bresponse code(?: was)?|\berror|\bhttp_status|\bstatusCode)["']?[\s:=([#-]{1,4}(?:is |of |HTTP )?["']?([45]\d\d)\b(?![\w.:,-]*\d)/i,
  /(?:^|[^\w.:/-])([45]\d\d)[:\s]{1,2}(?:\(?(?:Too Many Requests|Internal Server Error|Internal Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Unauthorized|Forbidden|Not Found|Bad Request|Payment Required|Request Entity Too Large|Payload Too Large|Request Timeout|Conflict|Unprocessable|Client Error|Server Error|Overloaded|INVALID_ARGUMENT|PERMISSION_DENIED|RESOURCE_EXHAUSTED|UNAVAILABLE|INTERNAL|NOT_FOUND|status code))/i,
  /^\W{0,4}(?:\w{0,40}(?:Error|Exception)\W{1,3})?\[?([45]\d\d)\b(?![\w.,:/-]*\d)(?! tokens)/,
  /(?:error|exception|rejected|failed|failure|status|http|response|request|not_found)[^()\n]{0,48}\(([45]\d\d)\)/i,
  /(?:Error|Exception|failed|model):? \[?([45]\d\d)\b(?![\w.,:/-]*\d)(?! tokens)/,
  /: ([45]\d\d) (?:[A-Z{<"]|status)/,
  /\| ([45]\d\d) \|/,
  /\(([45]\d\d) [a-z]/i,
];

const TIMING_NAMES = new Set(["retrydelay", "estimatedtime", "resetsinseconds", "resetsat"]);

/** How much of a text is searched for a status: enough for any message, little enough for any dump. */
const STATUS_CHARS = 8_192;
const MAX_PAIRS = 200;

/** Adds what the collected texts say to the signals. */
export function readTexts(signals: Signals): void {
  for (const text of signals.texts) {
    readPairs(text, signals);
    readIdentifiers(text, signals);
    if (signals.status < 400) readStatus(text, signals);
    readRpcCode(text, signals);
    readBucket(text, signals);
  }
}

/** `Limit 7000, Used 0, Requested 12903`: a single request larger than the whole bucket never fits, however long one waits. */
function readBucket(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (!head.includes("Requested")) return;
  const found = /\bLimit:? (\d{1,12}),.{0,40}Requested:? ~?(\d{1,12})/.exec(head);
  if (found !== null && Number(found[2]) > Number(found[1])) signals.tokens.add("request>limit");
}

function readPairs(text: string, signals: Signals): void {
  if (!text.includes(":") && !text.includes("=")) return;
  let left = MAX_PAIRS;
  // `matchAll` would copy the expression each time.
  PAIR.lastIndex = 0;
  for (let found = PAIR.exec(text); found !== null; found = PAIR.exec(text)) {
    if (left-- === 0) return;
    const [, key = "", value = ""] = found;
    const name = key.toLowerCase().replaceAll("_", "");
    if (name === "quotaid") addQuotaId(signals, value);
    else if (TIMING_NAMES.has(name)) signals.timings.set(key.toLowerCase(), value);
    else if (name.endsWith("reason") && name !== "reason" && name !== "terminalreason")
      signals.stops.add(value.toLowerCase());
    else if (/^\d{3}$/.test(value)) addStatus(signals, Number(value));
    else signals.tokens.add(value.toLowerCase());
  }
}

function readIdentifiers(text: string, signals: Signals): void {
  readBrackets(text, signals);
  let left = MAX_PAIRS;
  for (let from = 0; from < text.length; from++) {
    if (traitOf(text, from) === NOT_IN_WORD) continue;
    let end = from + 1;
    // What lies behind the first letter tells most words of a language from identifiers.
    let isMade = traitOf(text, from) === UNDERSCORE;
    for (let trait = traitOf(text, end); trait !== NOT_IN_WORD; trait = traitOf(text, ++end)) isMade ||= trait > LOWER;
    if (isMade && !isPartOfPath(text, from) && IDENTIFIER.test(text.slice(from, end))) {
      if (left-- === 0) return;
      addIdentifier(text.slice(from, end), signals);
    }
    from = end;
  }
}

function addIdentifier(word: string, signals: Signals): void {
  if (word === word.toUpperCase()) signals.errnos.add(word);
  signals.tokens.add(word.toLowerCase());
}

/** Connect and gRPC put their state in brackets: `[unavailable] Error`. */
function readBrackets(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (!head.includes("[")) return;
  for (const [, state = ""] of head.matchAll(/\[([a-z_]{4,24})\]/g)) signals.tokens.add(state);
}

const NOT_IN_WORD = 0;
const LOWER = 1;
const UPPER_OR_DIGIT = 2;
const UNDERSCORE = 3;

/** What each ASCII character is inside an identifier. */
const TRAITS = new Uint8Array(128);
TRAITS.fill(LOWER, 0x61, 0x7b);
TRAITS.fill(UPPER_OR_DIGIT, 0x41, 0x5b);
TRAITS.fill(UPPER_OR_DIGIT, 0x30, 0x3a);
TRAITS[0x5f] = UNDERSCORE;

function traitOf(text: string, at: number): number {
  return at < text.length ? (TRAITS[text.charCodeAt(at)] ?? NOT_IN_WORD) : NOT_IN_WORD;
}

function isPartOfPath(text: string, from: number): boolean {
  const before = text[from - 1];
  return before === "/" || before === "-";
}

function readStatus(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (!/[45]\d\d/.test(head)) return;
  for (const place of STATUS_PLACES) {
    const found = place.exec(head)?.[1];
    if (found !== undefined) return addStatus(signals, Number(found));
  }
}

function readRpcCode(text: string, signals: Signals): void {
  const head = text.slice(0, STATUS_CHARS);
  if (signals.rpcCode !== 0 || !head.includes("-32")) return;
  const found = /(?:error|code)["'\\]{0,9}[\s:]{1,4}(-32\d{3})\b/i.exec(head)?.[1];
  if (found !== undefined) signals.rpcCode = Number(found);
}

// Finds every phrase of a list in one pass over a text (Aho–Corasick), so that the cost is linear in the text and does
// not grow with the number of rules. No regular expression ever sees foreign text with more than a bounded look-around.
//
// Text is normalised first: lower case, no URLs or file names (full of misleading words), one space for any run of white
// space, quotes, underscores, hyphens, box lines and escaped line breaks, straight apostrophes. A phrase matches whole words;
// a trailing `*` allows the last word to be longer.

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
  const words = names.map((name) => plainWords(name.endsWith("*") ? name.slice(0, -1) : name));
  const machine = build(names, words);
  const table = emptySteps(words, machine.states);
  return {
    idOf: (phrase) => ids.get(phrase) ?? -1,
    phraseOf: (id) => names[id] ?? "",
    find: (text) => scan(machine, table, text),
  };
}

/** States are numbered from ROOT up, as they are made; 0 stands for none. A state is a beginning of some phrase. */
interface Machine {
  /** The beginnings that are one letter longer: the first of them, the next beside each, and its last letter. */
  readonly child: Int32Array;
  readonly sibling: Int32Array;
  readonly letter: Uint16Array;
  /** The state of the longest proper suffix that is also a beginning of some phrase. */
  readonly suffix: Int32Array;
  /** The state itself when a phrase ends there, else the longest suffix at which one does; 0 when there is none. */
  readonly ending: Int32Array;
  /** By state: the first phrase that ends there; by phrase: the next one at the same state. Phrases count from 1 here, 0 ends the list. */
  readonly firstAt: Int32Array;
  readonly nextAt: Int32Array;
  readonly lengths: Int32Array;
  /** By phrase: 1 when its last word may be longer. */
  readonly isOpen: Uint8Array;
  states: number;
}

/**
 * Where an ASCII letter leads, by state × column: twice the next state, and one more if a phrase ends there; 0 when no text has asked yet.
 * Each letter that a phrase uses has a column; column 0 is any other. Filled in as texts take steps, because they take few of the million there are.
 */
interface StepTable {
  readonly steps: Uint16Array | Int32Array;
  readonly columns: number;
  readonly columnOf: Uint8Array;
}

const ASCII = 128;
const LETTERS = 65_536;
const ROOT = 1;

/** Letter by letter through all phrases at once, so that when a state is made all shorter ones, its suffix among them, are there. */
function build(names: readonly string[], words: readonly string[]): Machine {
  const machine = emptyMachine(words);
  const states = new Int32Array(words.length).fill(ROOT);
  let running = words.flatMap((word, id) => (word === "" ? [] : [id]));
  for (let depth = 0; running.length > 0; depth++) {
    const longer: number[] = [];
    for (const id of running) {
      const word = words[id] ?? "";
      const state = childOf(machine, states[id] ?? ROOT, word.charCodeAt(depth));
      states[id] = state;
      if (word.length > depth + 1) longer.push(id);
      else endAt(machine, state, id, names[id]?.endsWith("*") === true, word.length);
    }
    running = longer;
  }
  return machine;
}

/** Most phrases are written as they are compared, which is quicker to see than to bring about. */
const PLAIN = /^[a-z0-9]+(?: [a-z0-9]+)*$/;

function plainWords(phrase: string): string {
  return PLAIN.test(phrase) ? phrase : normalise(phrase).trim();
}

function emptyMachine(words: readonly string[]): Machine {
  // As many states as there are letters, if no two phrases began alike.
  const most = words.reduce((sum, word) => sum + word.length, ROOT + 1);
  return {
    child: new Int32Array(most),
    sibling: new Int32Array(most),
    letter: new Uint16Array(most),
    suffix: new Int32Array(most),
    ending: new Int32Array(most),
    firstAt: new Int32Array(most),
    nextAt: new Int32Array(words.length + 1),
    lengths: new Int32Array(words.length + 1),
    isOpen: new Uint8Array(words.length + 1),
    states: ROOT + 1,
  };
}

function emptySteps(words: readonly string[], states: number): StepTable {
  const columnOf = new Uint8Array(ASCII);
  let columns = 1;
  for (const word of words) {
    for (let at = 0; at < word.length; at++) {
      const unit = word.charCodeAt(at);
      if (unit < ASCII && columnOf[unit] === 0) columnOf[unit] = columns++;
    }
  }
  // Half the size, where it suffices, keeps more of the table in the processor's cache.
  const steps = 2 * states < LETTERS ? new Uint16Array(states * columns) : new Int32Array(states * columns);
  return { steps, columns, columnOf };
}

function endAt(machine: Machine, state: number, id: number, isOpen: boolean, length: number): void {
  machine.nextAt[id + 1] = machine.firstAt[state] ?? 0;
  machine.firstAt[state] = id + 1;
  machine.ending[state] = state;
  machine.lengths[id + 1] = length;
  machine.isOpen[id + 1] = isOpen ? 1 : 0;
}

/** The state after one more letter of a phrase, made if it is not there yet. */
function childOf(machine: Machine, state: number, letter: number): number {
  const known = stepFrom(machine, state, letter);
  if (known !== 0) return known;
  const { child, sibling, suffix, ending } = machine;
  const made = machine.states++;
  const shorter = state === ROOT ? ROOT : follow(machine, suffix[state] ?? ROOT, letter);
  suffix[made] = shorter;
  ending[made] = ending[shorter] ?? 0;
  machine.letter[made] = letter;
  sibling[made] = child[state] ?? 0;
  child[state] = made;
  return made;
}

/** The next state if a phrase continues with this letter, else 0. */
function stepFrom({ child, sibling, letter }: Machine, state: number, wanted: number): number {
  let found = child[state] ?? 0;
  while (found !== 0 && letter[found] !== wanted) found = sibling[found] ?? 0;
  return found;
}

/** Follows the suffix links until one continues with this letter. Never takes more steps back than letters were read. */
function follow(machine: Machine, from: number, letter: number): number {
  for (let state = from; ; state = machine.suffix[state] ?? ROOT) {
    const step = stepFrom(machine, state, letter);
    if (step !== 0) return step;
    if (state === ROOT) return ROOT;
  }
}

function scan(machine: Machine, { steps, columns, columnOf }: StepTable, text: string): PhraseHits {
  const { ending, suffix } = machine;
  const hits = new Map<number, number[]>();
  let state = ROOT;
  for (let i = 0; i < text.length; i++) {
    const letter = text.charCodeAt(i);
    const place = letter < ASCII ? state * columns + (columnOf[letter] ?? 0) : -1;
    const known = place < 0 ? 0 : (steps[place] ?? 0);
    const step = known === 0 ? stepTo(machine, follow(machine, state, letter)) : known;
    if (known === 0 && place >= 0) steps[place] = step;
    state = step >> 1;
    if ((step & 1) === 0) continue;
    for (let end = ending[state] ?? 0; end !== 0; end = ending[suffix[end] ?? 0] ?? 0)
      addHits(machine, hits, text, i, end);
  }
  return hits;
}

/** A step to this state, as the table keeps it. */
function stepTo({ ending }: Machine, state: number): number {
  return 2 * state + (ending[state] === 0 ? 0 : 1);
}

/** The phrases that end at this state and stand in the text as whole words, not denied. */
function addHits(machine: Machine, hits: Map<number, number[]>, text: string, at: number, state: number): void {
  const { firstAt, nextAt, lengths, isOpen } = machine;
  for (let number = firstAt[state] ?? 0; number !== 0; number = nextAt[number] ?? 0) {
    const start = at - (lengths[number] ?? 0) + 1;
    if (isWordChar(text, start - 1) && isWordChar(text, start)) continue;
    if (isOpen[number] === 0 && isWordChar(text, at + 1) && isWordChar(text, at)) continue;
    const positions = hits.get(number - 1);
    if (positions?.length === MAX_HITS || isDenied(text, start)) continue;
    if (positions === undefined) hits.set(number - 1, [at]);
    else positions.push(at);
  }
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
const BETWEEN_WORDS = /(?! [^\s_\-"`\\│┃|\u001b])(?:\\+[nrt]?|[\s_\-"`│┃|]|\u001b\[[0-9;]{0,16}m)+/g;

export function normalise(text: string): string {
  const lower = text.toLowerCase();
  const local = lower.includes("://") ? lower.replace(ADDRESS, " ") : lower;
  const nameless = EXTENSION.test(local) ? local.replace(FILE_NAME, " ") : local;
  return nameless.replace(BETWEEN_WORDS, " ").replace(/[\u2018\u2019\u02bc]/g, "'");
}
