// Phrases are found in one pass over a text, whatever the phrases and the text: as a plain search for each of them finds them.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPhraseBook, normalise } from "../../../src/core/classify/read-text.ts";
import { samples } from "../../support/grid.ts";

const PHRASES = ["rate limit", "limit", "rate", "a", "ab", "abab", "ba*", "余额不足"];
const LETTERS = ["a", "b", " ", "rate", "limit", "余额不足", "x", "9", "-"];

/** The phrases of the book that a plain search finds in the text: as whole words, the last of which may be longer before a `*`. */
function plainlyFound(phrases: readonly string[], text: string): readonly string[] {
  return phrases.filter((phrase) => {
    const open = phrase.endsWith("*");
    const word = open ? phrase.slice(0, -1) : phrase;
    const pattern = /^[a-z ]+$/.test(word) ? `(?<![a-z0-9])${word}${open ? "" : "(?![a-z0-9])"}` : word;
    return new RegExp(pattern).test(text);
  });
}

function expectAsPlain(phrases: readonly string[], text: string): void {
  const book = createPhraseBook(phrases);
  const found = [...book.find(text).keys()].map((id) => book.phraseOf(id));
  expect([text, new Set(found)]).toEqual([text, new Set(plainlyFound(phrases, text))]);
}

describe("phrases", () => {
  it("are found exactly where a plain search finds them, whatever the text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...LETTERS), { maxLength: 30 }), (parts) => {
        expectAsPlain(PHRASES, normalise(parts.join("")));
      }),
      { numRuns: samples(500, 2000) },
    );
  });

  it("are found exactly where a plain search finds them, whatever the phrases: few or many, one longer than all others", () => {
    const word = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 4 }).map((all) => all.join(""));
    const phrase = fc.tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom("", "*"));
    const phrases = fc.array(
      phrase.map(([words, open]) => words.join(" ") + open),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(phrases, fc.array(word, { maxLength: 6 }), (all, others) => {
        for (const one of all) expectAsPlain(all, one.replace("*", ""));
        expectAsPlain(all, others.join(" "));
      }),
      { numRuns: samples(500, 2000) },
    );
  });
});
