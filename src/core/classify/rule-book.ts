// Rules compiled for speed: each is filed under its most selective condition, so a classification looks only at rules
// that can match, in their order. Adding rules costs memory, not time.

import type { FaultCode } from "../fault/catalogue.ts";
import type { EvidenceSource } from "../fault/fault.ts";
import type { Surface } from "./evidence.ts";
import { createPhraseBook, normalise, type PhraseBook, type PhraseHits } from "./read-text.ts";
import type { Rule, RuleGroup, When } from "./rule.ts";
import type { Signals } from "./read-evidence.ts";

export interface Match {
  readonly rule: Rule;
  readonly source: EvidenceSource;
  readonly code: FaultCode;
}

/** Rules compiled for speed, as `rulesWith` makes them. */
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

/** The rules of a book, filed by the signals that lead to them. */
interface Filing {
  readonly all: readonly Filed[];
  readonly by: Files;
  /** From the first rule on words on, words decide; a structured match before it needs no text at all. */
  readonly structuredEnd: number;
}

/** Everything is built on first use: most programs start without a failure, and few failures are explained by words alone. */
export function createRuleBook(groups: readonly RuleGroup[]): RuleBook {
  let filed: Filing | undefined;
  let spoken: WordFiling | undefined;
  const filing = (): Filing => (filed ??= fileGroups(groups));
  const words = (): WordFiling => (spoken ??= fileWords(filing()));
  return {
    matchStructured(signals) {
      const { by, structuredEnd } = filing();
      return pick(candidates(by, signals), signals, null, structuredEnd);
    },
    matchAll(signals) {
      const { by, all } = filing();
      const found = candidates(by, signals);
      if (signals.texts.length === 0) return pick(found, signals, null, all.length);
      const texts = signals.surface === "tool" ? signals.texts.map(withoutQuotedNames) : signals.texts;
      const { book, conditionOf } = words();
      const hits = book.find(normalise(texts.length === 1 ? (texts[0] ?? "") : texts.join(" · ")));
      for (const id of hits.keys()) for (const entry of by.says.get(book.phraseOf(id)) ?? []) found.push(entry);
      return pick(found, signals, { hits, conditionOf }, all.length);
    },
  };
}

/** Throws on a rule that nothing leads to, so that a program learns of it when it hands the rule over. */
export function checkRules(rules: readonly Rule[]): void {
  for (const rule of rules) filingOf(rule);
}

function candidates(by: Files, signals: Signals): Filed[] {
  const found: Filed[] = [];
  const add = (field: FilingField, value: string | number): void => {
    const list = by[field].get(value);
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

function pick(found: Filed[], signals: Signals, said: Said | null, end: number): readonly Match[] {
  found.sort((a, b) => a.order - b.order);
  const matches: Match[] = [];
  let last = -1;
  for (const { rule, source, order } of found) {
    if (order >= end || matches.length === MAX_MATCHES) break;
    // Several signals, or several phrases, lead to the same rule.
    if (order === last) continue;
    last = order;
    if (holds(rule.when, signals) && isSaid(rule.when, order, said))
      matches.push({ rule, source, code: codeOn(rule, signals.surface) });
  }
  return matches;
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

function fileGroups(groups: readonly RuleGroup[]): Filing {
  const all: Filed[] = [];
  for (const { source, rules } of groups) {
    for (const rule of rules()) {
      all.push({ rule, source: rule.when.says === undefined ? source : "text", order: all.length });
    }
  }
  const firstText = all.findIndex(({ rule }) => rule.when.says !== undefined || rule.when.unless !== undefined);
  return { all, by: fileAll(all), structuredEnd: firstText === -1 ? all.length : firstText };
}

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

/** The phrases of a rule, by their numbers in the book. */
interface WordCondition {
  readonly says: readonly ReadonlySet<number>[];
  readonly unless: ReadonlySet<number>;
}

interface WordFiling {
  readonly book: PhraseBook;
  /** By the order of the rule; null for a rule without words. */
  readonly conditionOf: (order: number) => WordCondition | null;
}

/** What a text says. */
interface Said {
  readonly hits: PhraseHits;
  readonly conditionOf: WordFiling["conditionOf"];
}

function fileWords({ all }: Filing): WordFiling {
  const phrases: string[] = [];
  for (const { when } of all.map(({ rule }) => rule)) {
    for (const group of when.says ?? []) phrases.push(...group);
    if (when.unless !== undefined) phrases.push(...when.unless);
  }
  const book = createPhraseBook(phrases);
  const made: (WordCondition | null)[] = [];
  return { book, conditionOf: (order) => (made[order] ??= wordCondition(all[order]?.rule.when ?? {}, book)) };
}

function wordCondition({ says = [], unless = [] }: When, { idOf }: PhraseBook): WordCondition | null {
  if (says.length === 0 && unless.length === 0) return null;
  return { says: says.map((group) => new Set(group.map(idOf))), unless: new Set(unless.map(idOf)) };
}

function holds(when: When, signals: Signals): boolean {
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
    (when.answered === undefined || signals.status < 400)
  );
}

/** Whether the text says what the rule wants said, and nothing that speaks against it. `said` is null when there is no text. */
function isSaid(when: When, order: number, said: Said | null): boolean {
  if (said === null || (when.says === undefined && when.unless === undefined)) return when.says === undefined;
  const condition = said.conditionOf(order);
  if (condition === null) return true;
  const { hits } = said;
  const { says, unless } = condition;
  if (isAnySaid(unless, hits) || !says.every((group) => isAnySaid(group, hits))) return false;
  return when.within === undefined || says.length < 2 || areClose(says, when.within, hits);
}

/** Looks through whichever has fewer: a text says few phrases, and a group has up to a hundred. */
function isAnySaid(phrases: ReadonlySet<number>, hits: PhraseHits): boolean {
  if (hits.size < phrases.size) {
    for (const id of hits.keys()) if (phrases.has(id)) return true;
  } else for (const id of phrases) if (hits.has(id)) return true;
  return false;
}

/** Some place of the first group has a place of every other group near it. */
function areClose(says: WordCondition["says"], within: number, hits: PhraseHits): boolean {
  const [first = [], ...others] = says.map((group) => placesOf(group, hits));
  return first.some((at) => others.every((list) => list.some((other) => Math.abs(other - at) <= within)));
}

function placesOf(phrases: ReadonlySet<number>, hits: PhraseHits): readonly number[] {
  const places: number[] = [];
  for (const [id, ends] of hits) if (phrases.has(id)) places.push(...ends);
  return places;
}

function codeOn(rule: Rule, surface: Surface): FaultCode {
  return rule.onTool !== undefined && TOOL_SURFACES.has(surface) ? rule.onTool : rule.means;
}
