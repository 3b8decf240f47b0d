// What is searched, what is asked, and the pairs of characters that stores index.

import { describe, expect, it } from "vitest";
import {
  contains,
  matchOf,
  pairsOf,
  textOfFault,
  textOfRun,
  tsQueryOf,
  wordsOf,
} from "../../src/journal/search-text.ts";

/** ASCII characters are written beyond ASCII, so that none of them is syntax. */
const sign = (text: string): string =>
  Array.from(text, (one) => (one < "\u0080" ? String.fromCharCode(0xe000 + one.charCodeAt(0)) : one)).join("");

describe("a question", () => {
  it.each<[string, readonly string[]]>([
    ["", []],
    ["  \n ", []],
    ["Reset  BY peer", ["reset", "by", "peer"]],
    ["ﬁne", ["fine"]],
    ["a b c d e f g h i j k l", ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]],
    ["x".repeat(120), ["x".repeat(100)]],
  ])("%j has the words %j", (question, words) => {
    expect(wordsOf(question)).toEqual(words);
  });

  it.each([
    ["Connection RESET by peer", "eset by", true],
    ["Connection reset", "reset peer", false],
    ["余额不足", "额不", true],
    ["anything", "", true],
  ])("%j contains %j: %s", (text, question, isFound) => {
    expect(contains(text, wordsOf(question))).toBe(isFound);
  });
});

describe("the text of", () => {
  it("a failure has its message, code, tool and session", () => {
    const text = textOfFault({ message: "bad", code: "RateLimited", tool: "search", session: "s" });
    expect(text).toBe("bad\nRateLimited\nsearch\ns");
  });

  it.each<[object | null, string]>([
    [{ workflow: "w", code: "RateLimited", status: "failed", nodes: ["a", "b"] }, "r\nw\nRateLimited\na\nb"],
    [{ workflow: "w", code: null, status: "running", nodes: ["a"] }, "r\nw"],
    [{ workflow: "w", code: null, status: "paused", nodes: "a" }, "r\nw"],
    [null, "r"],
  ])("the run %j", (summary, text) => {
    expect(textOfRun("r", summary)).toBe(text);
  });
});

describe("the pairs of", () => {
  const end = sign("\n");

  it.each([
    ["ab", [sign("ab"), `${sign("b")}${end}`]],
    ["余A", [`余${sign("a")}`, `${sign("a")}${end}`]],
    ["", []],
  ])("the text %j are %j", (text, pairs) => {
    expect(pairsOf(text)).toBe(pairs.join(" "));
  });

  it.each([
    [["abc"], `"${sign("ab")} ${sign("bc")}"`, `'${sign("ab")}' & '${sign("bc")}'`],
    [["a"], `"${sign("a")}"*`, `'${sign("a")}':*`],
    [["ab", "余额"], `"${sign("ab")}" AND "余额"`, `'${sign("ab")}' & '余额'`],
    [['"*'], `"${sign('"*')}"`, `'${sign('"*')}'`],
  ])("the words %j, as SQLite and PostgreSQL are asked", (words, match, query) => {
    expect([matchOf(words), tsQueryOf(words)]).toEqual([match, query]);
  });
});
