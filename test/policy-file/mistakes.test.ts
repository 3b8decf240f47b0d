// Every mistake in a policy file is reported at its exact position, all of them at once, with a suggestion.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, lintPolicy } from "../../src/core/index.ts";
import { type Diagnostic, parsePolicy } from "../../src/policy-file/index.ts";
import { mistakes, row, text, warnings } from "../support/policy-text.ts";

const places = (found: readonly Diagnostic[]): unknown[] =>
  found.map(({ code, line, column, length }) => [code, line, column, length]);

/** Three English words in a row are a phrase. */
const PHRASE = /[A-Za-z]{2,}(?: [a-z]{2,}){2,}/;

/** The same mistakes at the same places, and nothing said in English. */
function checkInChinese(source: string): void {
  const found = parsePolicy(source, "p.yaml", "zh-CN").diagnostics;
  expect(places(found)).toEqual(places(parsePolicy(source, "p.yaml").diagnostics));
  for (const { message, label, help } of found) {
    expect(message).toMatch(/\p{Script=Han}/u);
    for (const said of [label, help].filter((one) => one !== "")) expect(said).toMatch(/\p{Script=Han}/u);
    expect(`${message} ${label} ${help}`).not.toMatch(PHRASE);
  }
}

describe("an error", () => {
  it("stands at every figure that is infinite: JSON has no Infinity, so the server could not show such a policy", () => {
    const breaker = ["failures", "successes", "openMs", "growth", "maxOpenMs", "probeTimeoutMs"];
    const retryBudget = ["capacity", "perCall", "perSecond"];
    const group = (fields: readonly string[]): string => fields.map((field) => `  ${field}: .inf\n`).join("");
    const found = mistakes(
      `version: 1\nlearnsAfter: .inf\nbreaker:\n${group(breaker)}retryBudget:\n${group(retryBudget)}`,
    );
    expect(found.map(({ line }) => line)).toEqual([2, 4, 5, 6, 7, 8, 9, 11, 12, 13]);
  });

  const RETRY = "retry: { maxAttempts: 3, backoff: { kind: fixed, initialMs: 1 } }";

  it.each<[code: string, what: string, source: string, line: number, column: number, length: number]>([
    ["POL001", "a list that is not closed", "version: 1\nrows: [\n", 2, 7, 1],
    ["POL001", "a key given twice", "version: 1\nversion: 1\n", 2, 1, 1],
    ["POL001", "a tab as indentation", "version: 1\nrows:\n\t- match: {}\n", 3, 1, 1],
    ["POL001", "a second document", "version: 1\n---\nversion: 1\n", 2, 1, 1],
    ["POL001", "two megabytes", "#".repeat(2_000_000), 1, 1, 1],
    ["POL002", "an unknown key", "version: 1\nlearnAfter: 3\n", 2, 1, 10],
    ["POL002", "an unknown key, deep inside", row("match: { cod: Overloaded }", "then: [fail]"), 3, 14, 3],
    ["POL002", "a key that is a number", "version: 1\n404: x\n", 2, 1, 3],
    ["POL002", "a key that is a truth value", "version: 1\ntrue: x\n", 2, 1, 4],
    ["POL003", "a list as the file", "- version: 1\n", 1, 1, 1],
    ["POL003", "text for a number", row("match: {}", RETRY.replace("3", "three"), "then: [fail]"), 4, 27, 5],
    ["POL003", "a fraction for a whole number", "version: 1\nlearnsAfter: 1.5\n", 2, 14, 3],
    ["POL003", "a map for a list", "version: 1\nrows: { }\n", 2, 7, 3],
    ["POL004", "a version there is not", "version: 2\n", 1, 10, 1],
    [
      "POL004",
      "a fault code there is not",
      row("match: { code: [RateLimited, RateLimted] }", "then: [fail]"),
      3,
      34,
      10,
    ],
    ["POL004", "a recourse there is not", row("match: {}", "then: [ask, explode]"), 4, 17, 7],
    ["POL004", "a retry that is only a word", row("match: {}", "retry: never", "then: [fail]"), 4, 12, 5],
    ["POL005", "a number too small", row("match: {}", RETRY.replace("3", "0"), "then: [fail]"), 4, 27, 1],
    ["POL005", "a number too large", row("match: {}", RETRY.replace("3", "101"), "then: [fail]"), 4, 27, 3],
    ["POL005", "an empty list", row("match: {}", "then: []"), 4, 11, 2],
    ["POL006", "an empty file", "", 1, 1, 1],
    ["POL006", "a file of comments", "# nothing\n", 1, 1, 1],
    ["POL006", "a row without then", row("match: {}"), 3, 5, 1],
    ["POL006", "a retry without backoff", row("match: {}", "retry: { maxAttempts: 3 }", "then: [fail]"), 4, 5, 5],
  ])("%s: %s", (code, _what, source, line, column, length) => {
    expect(places(mistakes(source))).toEqual([[code, line, column, length]]);
    checkInChinese(source);
  });

  it("about the file as a whole points at the start of its content", () => {
    const found = ["hello\n", "# ours\n\n- version: 1\n"].flatMap(mistakes);
    expect(found.map(({ code, line, column }) => [code, line, column])).toEqual([
      ["POL003", 1, 1],
      ["POL003", 3, 1],
    ]);
  });

  it("comes with all others, in the order of the file, and without a policy", () => {
    const source = text(
      "learnsAfter: -1",
      "rows:",
      "  - then: [fallbck, fail, explode]",
      "    match: { code: RateLimted, clas: Guard }",
      "  - match: {}",
      "breaker: { counts: call, failures: many }",
      "version: 2",
    );
    expect(mistakes(source).map(({ code, line, column }) => [code, line, column])).toEqual([
      ["POL005", 1, 14],
      ["POL004", 3, 12],
      ["POL004", 3, 27],
      ["POL004", 4, 20],
      ["POL002", 4, 32],
      ["POL006", 5, 5],
      ["POL004", 6, 20],
      ["POL003", 6, 36],
      ["POL004", 7, 10],
    ]);
  });

  it.each([
    ["Chinese text", row("match: { provider: 通义千问, code: Nope }", "then: [fail]"), 3, 36],
    ["a CRLF line end", "version: 1\r\npreset: nope\r\n", 2, 9],
    ["a byte order mark", "\uFEFFpreset: nope\nversion: 1\n", 1, 9],
  ])("keeps its column after %s", (_what, source, line, column) => {
    expect(places(mistakes(source))).toEqual([["POL004", line, column, 4]]);
  });

  it.each([
    ["learnAfter: 3", "learnsAfter"],
    ["preset: eagre", "eager"],
    ["preset: EAGER", "eager"],
    ["breaker: { counts: call }", "calls"],
  ])("in `%s` suggests %s", (line, meant) => {
    expect(mistakes(text("version: 1", line))).toMatchObject([
      { label: `did you mean \`${meant}\`?`, severity: "error" },
    ]);
  });

  it("suggests nothing for what is like nothing", () => {
    expect(mistakes(text("version: 1", "preset: xylophone"))).toMatchObject([{ label: "not a known value" }]);
  });

  it("tells milliseconds for a time with a unit, but not for a count", () => {
    const helpFor = (line: string): string => mistakes(text("version: 1", line))[0]?.help ?? "";
    expect(helpFor("breaker: { openMs: 5s }")).toContain("write `openMs: 5000`");
    expect(helpFor("breaker: { failures: 5s }")).not.toContain("milliseconds");
  });

  it("behind an anchor is the same error where the anchor is used", () => {
    const source = text("version: 1", "rows:", "  - &a { match: {}, then: [explode] }", "  - *a");
    expect(mistakes(source).map(({ code, line }) => [code, line])).toEqual([
      ["POL004", 3],
      ["POL004", 4],
    ]);
  });
});

describe("a warning", () => {
  const backoff = "backoff: { kind: fixed, initialMs: 1000 }";

  it.each<[code: string, what: string, source: string, line: number, column: number, length: number]>([
    [
      "POL101",
      "a row behind one that takes all",
      text(
        "version: 1",
        "rows:",
        "  - { match: {}, then: [ask] }",
        "  - { match: { code: RateLimited }, then: [park] }",
      ),
      4,
      14,
      21,
    ],
    ["POL101", "a code of another class", row("match: { class: Guard, code: RateLimited }", "then: [fail]"), 3, 12, 35],
    [
      "POL103",
      "a cap below the first wait",
      row("match: {}", "retry: { maxAttempts: 2, backoff: { kind: fixed, initialMs: 9, maxMs: 5 } }", "then: [ask]"),
      4,
      75,
      1,
    ],
    [
      "POL103",
      "an attempt that never comes",
      row("match: {}", `retry: { maxAttempts: 20, maxTotalWaitMs: 5000, ${backoff} }`, "then: [ask]"),
      4,
      27,
      2,
    ],
    [
      "POL104",
      "a retry of one attempt",
      row("match: {}", `retry: { maxAttempts: 1, ${backoff} }`, "then: [ask]"),
      4,
      27,
      1,
    ],
    [
      "POL104",
      "a retry of what cannot work",
      row("match: { code: AuthFailed }", `retry: { maxAttempts: 2, ${backoff} }`, "then: [ask]"),
      4,
      12,
      61,
    ],
    ["POL105", "a recourse behind fail", row("match: {}", "then: [fail, ask]"), 4, 11, 11],
    ["POL106", "a breaker that closes early", text("version: 1", "breaker: { openMs: 9, maxOpenMs: 5 }"), 2, 34, 1],
    [
      "POL106",
      "a breaker open longer than the preset allows",
      text("version: 1", "breaker: { openMs: 700000 }"),
      2,
      1,
      7,
    ],
    [
      "POL106",
      "a budget that never refills",
      text("version: 1", "retryBudget: { perCall: 0, perSecond: 0 }"),
      2,
      14,
      28,
    ],
  ])("%s: %s", (code, _what, source, line, column, length) => {
    const found = warnings(source);
    expect(places(found)).toEqual([[code, line, column, length]]);
    expect(found[0]?.severity).toBe("warning");
    checkInChinese(source);
  });

  it("POL102 never applies to a file, because a preset follows its rows", () => {
    const bare = lintPolicy({ ...DEFAULT_POLICY, rows: [] });
    expect(bare).toMatchObject([{ kind: "code-without-row", row: null, field: "rows" }]);
    expect(warnings(text("version: 1", "rows: []"))).toEqual([]);
  });

  it("appears in file order", () => {
    const source = text(
      "breaker: { openMs: 9, maxOpenMs: 5 }",
      "rows:",
      "  - { match: {}, then: [fail, ask] }",
      "  - { match: {}, then: [ask] }",
      "version: 1",
    );
    expect(warnings(source).map(({ code, line }) => [code, line])).toEqual([
      ["POL106", 1],
      ["POL105", 3],
      ["POL101", 4],
    ]);
  });
});
