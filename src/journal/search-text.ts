// Free-text search: what is searched, what is asked, and how both meet. A text is found when it contains every word asked for, anywhere,
// whatever the case. Stores index the pairs of neighbouring characters, because languages without spaces have words of two.

import type { FaultOccurrence } from "../core/record/fault-index.ts";
import { fieldOf } from "../core/try-read.ts";

const MAX_WORDS = 10;
const MAX_WORD_CHARS = 100;

/** The words of a question, ready for `contains` and `matchOf`; empty when nothing is asked. */
export function wordsOf(question: string): readonly string[] {
  return normal(question)
    .split(/\s+/u)
    .filter((word) => word !== "")
    .slice(0, MAX_WORDS)
    .map((word) => word.slice(0, MAX_WORD_CHARS).toWellFormed());
}

export function contains(text: string, words: readonly string[]): boolean {
  const searched = normal(text);
  return words.every((word) => searched.includes(word));
}

/** The message, code, tool and session of a failure. */
export function textOfFault({
  message,
  code,
  tool,
  session,
}: Pick<FaultOccurrence, "message" | "code" | "tool" | "session">): string {
  return [message, code, tool, session].join("\n");
}

/** The id and workflow of a run, what it failed with, and where it stands. While it moves, its nodes change too often to be indexed. */
export function textOfRun(run: string, summary: unknown): string {
  const field = (name: string): unknown => fieldOf(summary, name);
  const nodes = field("status") === "running" ? [] : field("nodes");
  return [run, field("workflow"), field("code"), ...(Array.isArray(nodes) ? (nodes as readonly unknown[]) : [])]
    .filter((part) => typeof part === "string")
    .join("\n");
}

/** Pairs of characters, parted by spaces: what a full-text index gets as words. */
export function pairsOf(text: string): string {
  const signs = Array.from(normal(text), sign);
  return signs.map((one, index) => one + (signs[index + 1] ?? END)).join(" ");
}

/** The same pairs as an expression for FTS5. Nothing of the question can be taken for syntax: `sign` leaves no ASCII character. */
export function matchOf(words: readonly string[]): string {
  return words.map(phraseOf).join(" AND ");
}

/** The same pairs as a `tsquery` of PostgreSQL: a text that has them all, in any order. */
export function tsQueryOf(words: readonly string[]): string {
  return words
    .flatMap((word) => {
      const signs = Array.from(word, sign);
      const [only = END] = signs;
      if (signs.length < 2) return [`'${only}':*`];
      return signs.slice(1).map((one, index) => `'${signs[index] ?? ""}${one}'`);
    })
    .join(" & ");
}

function phraseOf(word: string): string {
  const signs = Array.from(word, sign);
  const [only = END] = signs;
  if (signs.length < 2) return `"${only}"*`;
  return `"${signs
    .slice(1)
    .map((one, index) => `${signs[index] ?? ""}${one}`)
    .join(" ")}"`;
}

const PRIVATE_USE = 0xe000;
const FIRST_BEYOND_ASCII = 0x80;

/** ASCII has separators and syntax; beyond it every character is part of a word. */
function sign(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code < FIRST_BEYOND_ASCII ? String.fromCharCode(PRIVATE_USE + code) : character;
}

const END = sign("\n");

function normal(text: string): string {
  return text.toWellFormed().normalize("NFKC").toLowerCase();
}
