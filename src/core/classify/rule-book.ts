// Rules compiled for speed: each is filed under its most selective condition, so a classification looks only at rules
// that can match, in their order. Adding rules costs memory, not time.

import type { FaultCode } from "../fault/catalogue.ts";
import type { EvidenceSource } from "../fault/fault.ts";
import type { Surface } from "./evidence.ts";
import { createPhraseBook, normalise, type PhraseBook, type PhraseHits } from "./phrases.ts";
import type { Rule, RuleGroup, When } from "./rule.ts";
import type { Signals } from "./signals.ts";

export interface Match {
  readonly rule: Rule;
  readonly source: EvidenceSource;
  readonly code: FaultCode;
}

export interface RuleBook {
  /** Rules that decide on structured signals alone, first match first. */
  matchStructured(signals: Signals): readonly Match[];
  /** All rules, those on words included. */
  matchAll(signals: Signals): readonly Match[];
}

/** A match and a few runners-up are kept. */
const MAX_MATCHES = 5;
const TOOL_SURFACES: ReadonlySet<Surface> = new Set(["tool", "mcp"]);

interface Filed {
  readonly rule: Rule;
  readonly source: EvidenceSource;
  readonly order: number;
}

export function createRuleBook(groups: readonly RuleGroup[]): RuleBook {
  const filed: Filed[] = [];
  for (const group of groups) {
    for (const rule of group.rules) {
      filed.push({ rule, source: rule.when.says === undefined ? group.source : "text", order: filed.length });
    }
  }
  const files = fileAll(filed);
  // From the first rule on words on, words decide; a structured match before it needs no text at all.
  const firstText = filed.findIndex(({ rule }) => rule.when.says !== undefined || rule.when.unless !== undefined);
  const structuredEnd = firstText === -1 ? filed.length : firstText;
  // Built on first use: many programs never meet a failure that only words explain.
  let phrases: PhraseBook | undefined;
  const phraseBook = (): PhraseBook =>
    (phrases ??= createPhraseBook(filed.flatMap(({ rule }) => phrasesOf(rule.when))));

  function candidates(signals: Signals): Filed[] {
    const found: Filed[] = [];
    const add = (field: FilingField, value: string | number): void => {
      const list = files[field].get(value);
      if (list !== undefined) for (const entry of list) found.push(entry);
    };
    if (signals.aborted !== null) add("aborted", signals.aborted);
    for (const token of signals.tokens) add("token", token);
    for (const errno of signals.errnos) add("errno", errno);
    for (const stop of signals.stops) add("stop", stop);
    if (signals.rpcCode !== 0) add("rpcCode", signals.rpcCode);
    if (signals.signal !== "") add("signal", signals.signal);
    if (signals.exitCode !== null) add("exitCode", signals.exitCode);
    if (signals.status !== 0) add("status", signals.status);
    if (signals.emptyBody) add("emptyBody", 1);
    add("surface", signals.surface);
    return found;
  }

  function pick(found: Filed[], signals: Signals, hits: Hits, end: number): readonly Match[] {
    if (found.length > 1) found.sort((a, b) => a.order - b.order);
    const matches: Match[] = [];
    let last = -1;
    for (const { rule, source, order } of found) {
      if (order >= end || matches.length === MAX_MATCHES) break;
      if (order === last || !holds(rule.when, signals, hits)) continue;
      last = order;
      matches.push({ rule, source, code: codeOn(rule, signals.surface) });
    }
    return matches;
  }

  return {
    matchStructured: (signals) => pick(candidates(signals), signals, NO_HITS, structuredEnd),
    matchAll(signals) {
      const found = candidates(signals);
      if (signals.texts.length === 0) return pick(found, signals, NO_HITS, filed.length);
      const texts = signals.surface === "tool" ? signals.texts.map(withoutQuotedNames) : signals.texts;
      const hits = hitsIn(phraseBook(), texts);
      for (const id of hits.found.keys()) found.push(...(files.says.get(hits.phraseOf(id)) ?? []));
      return pick(found, signals, hits, filed.length);
    },
  };
}

/** The condition a rule is filed under, most selective first. */
const FILING_FIELDS = [
  "aborted",
  "token",
  "errno",
  "stop",
  "rpcCode",
  "signal",
  "exitCode",
  "says",
  "status",
  "emptyBody",
  "surface",
] as const;
type FilingField = (typeof FILING_FIELDS)[number];
type Files = Readonly<Record<FilingField, Map<string | number, Filed[]>>>;

function fileAll(filed: readonly Filed[]): Files {
  const files = Object.fromEntries(FILING_FIELDS.map((field) => [field, new Map<string | number, Filed[]>()])) as Files;
  for (const entry of filed) {
    const { field, values } = filingOf(entry.rule);
    for (const value of values) {
      const list = files[field].get(value);
      if (list === undefined) files[field].set(value, [entry]);
      else list.push(entry);
    }
  }
  return files;
}

function filingOf({ id, when }: Rule): { readonly field: FilingField; readonly values: readonly (string | number)[] } {
  for (const field of FILING_FIELDS) {
    const value = when[field];
    if (value === undefined) continue;
    if (field === "says") return { field, values: when.says?.[0] ?? [] };
    if (typeof value === "object") return { field, values: value as readonly (string | number)[] };
    return { field, values: [typeof value === "boolean" ? 1 : value] };
  }
  throw new RangeError(`rule ${id} has no condition to be found by`);
}

/** A tool quotes names of files, tests, tables and branches: `pathspec 'fix/rate-limit' did not match`. They say nothing of the cause. */
function withoutQuotedNames(text: string): string {
  return text.replace(/(["'`])[\w./:@-]{1,80}\1/g, " ");
}

function phrasesOf(when: When): readonly string[] {
  return [...(when.says ?? []).flat(), ...(when.unless ?? [])];
}

interface Hits {
  readonly found: PhraseHits;
  readonly phraseOf: (id: number) => string;
  readonly positions: (phrase: string) => readonly number[];
}

const NOWHERE: readonly number[] = [];
const NO_HITS: Hits = { found: new Map(), phraseOf: () => "", positions: () => NOWHERE };

function hitsIn(book: PhraseBook, texts: readonly string[]): Hits {
  const found = book.find(normalise(texts.join(" · ")));
  return { found, phraseOf: book.phraseOf, positions: (phrase) => found.get(book.idOf(phrase)) ?? NOWHERE };
}

function holds(when: When, signals: Signals, hits: Hits): boolean {
  return (
    (when.surface === undefined || when.surface.includes(signals.surface)) &&
    (when.provider === undefined || when.provider.some((name) => signals.provider.startsWith(name))) &&
    (when.fromProvider === undefined || signals.provider !== "") &&
    (when.aborted === undefined || when.aborted === signals.aborted) &&
    (when.token === undefined || when.token.some((token) => signals.tokens.has(token))) &&
    (when.errno === undefined || when.errno.some((errno) => signals.errnos.has(errno))) &&
    (when.stop === undefined || when.stop.some((stop) => signals.stops.has(stop))) &&
    (when.rpcCode === undefined || when.rpcCode.includes(signals.rpcCode)) &&
    (when.signal === undefined || when.signal.includes(signals.signal)) &&
    (when.exitCode === undefined || when.exitCode.includes(signals.exitCode ?? NaN)) &&
    (when.status === undefined || when.status.includes(signals.status)) &&
    (when.emptyBody === undefined || signals.emptyBody) &&
    (when.answered === undefined || signals.status < 400) &&
    !when.unless?.some((phrase) => hits.positions(phrase).length > 0) &&
    (when.says === undefined || areSaid(when.says, when.within ?? Infinity, hits))
  );
}

/** Each group said; and if the groups must be close, some place of the first has a place of every other near it. */
function areSaid(groups: readonly (readonly string[])[], within: number, hits: Hits): boolean {
  const places = groups.map((group) => group.flatMap((phrase) => hits.positions(phrase)));
  if (places.some((list) => list.length === 0)) return false;
  const [first = NOWHERE, ...others] = places;
  return (
    within === Infinity ||
    first.some((at) => others.every((list) => list.some((other) => Math.abs(other - at) <= within)))
  );
}

function codeOn(rule: Rule, surface: Surface): FaultCode {
  return rule.onTool !== undefined && TOOL_SURFACES.has(surface) ? rule.onTool : rule.means;
}
