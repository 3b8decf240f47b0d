// Proves that a policy file's text becomes a whole policy or none, and that no text whatever makes the parser throw.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, PRESETS, schedule } from "../../src/core/index.ts";
import { parsePolicy, renderDiagnostic } from "../../src/policy-file/index.ts";
import { FILE, mistakes, policyOf, row, text } from "../support/policy-text.ts";
import { samples } from "../support/grid.ts";
import { anyText } from "../support/any-text.ts";

describe("a good file", () => {
  it("puts its rows in front of the default policy and remembers their lines", () => {
    const policy = policyOf(row("match: { code: RateLimited, provider: [openai, azure] }", "then: [park, fail]"));
    expect(policy).toEqual({
      ...DEFAULT_POLICY,
      name: FILE,
      rows: [
        {
          match: { code: ["RateLimited"], provider: ["openai", "azure"] },
          retry: null,
          then: ["park", "fail"],
          origin: { layer: "file", at: `${FILE}:3` },
        },
        ...DEFAULT_POLICY.rows,
      ],
    });
  });

  it("may say no more than its version", () => {
    expect(policyOf("version: 1")).toEqual({ ...DEFAULT_POLICY, name: FILE });
  });

  it.each(["default", "cautious", "eager", "headless"] as const)("starts from the preset %s", (preset) => {
    expect(policyOf(text("version: 1", `preset: ${preset}`))).toEqual({ ...PRESETS[preset], name: FILE });
  });

  it("fills in what a retry leaves out", () => {
    const policy = policyOf(
      row("match: {}", "retry: { maxAttempts: 3, backoff: { kind: exponential, initialMs: 1000 } }", "then: [fail]"),
    );
    expect(policy.rows[0]?.retry).toMatchObject({
      maxAttempts: 3,
      backoff: { kind: "exponential", initialMs: 1000, multiplier: 2 },
      jitter: 0.2,
      maxWaitMs: 600_000,
      maxTotalWaitMs: 3_600_000,
    });
  });

  it.each([
    ["fixed", 2, [1000, 1000, 1000]],
    ["linear", 2, [1000, 2000, 3000]],
    ["exponential", 2, [1000, 2000, 4000]],
    ["exponential", 10, [1000, 10_000, 100_000]],
  ])("without maxMs lets %s waits grow by %d as they are said to", (kind, multiplier, waits) => {
    const backoff = `{ kind: ${kind}, initialMs: 1000, multiplier: ${multiplier} }`;
    const [first] = policyOf(row("match: {}", `retry: { maxAttempts: 4, backoff: ${backoff} }`, "then: [fail]")).rows;
    expect(first?.retry && schedule(first.retry).map(({ baseMs }) => baseMs)).toEqual(waits);
  });

  it("keeps what a retry says", () => {
    const retry = {
      maxAttempts: 4,
      backoff: { kind: "linear", initialMs: 10, maxMs: 25, multiplier: 3 },
      jitter: 0,
      maxWaitMs: 100,
      maxTotalWaitMs: 200,
    };
    const policy = policyOf(row("match: {}", `retry: ${JSON.stringify(retry)}`, "then: [fail]"));
    expect(policy.rows[0]?.retry).toEqual(retry);
  });

  it("overrides single figures of breaker, budget and memory", () => {
    const policy = policyOf(
      text(
        "version: 1",
        "breaker: { failures: 2, counts: attempts }",
        "retryBudget: { perCall: 0.5 }",
        "learnsAfter: 0",
      ),
    );
    expect(policy.breaker).toEqual({ ...DEFAULT_POLICY.breaker, failures: 2, counts: "attempts" });
    expect(policy.retryBudget).toEqual({ ...DEFAULT_POLICY.retryBudget, perCall: 0.5 });
    expect(policy.learnsAfter).toBe(0);
  });

  it("may have CRLF line ends, tabs between words, comments and a byte order mark", () => {
    const lines = [
      "\uFEFF# ours",
      "version:\t1",
      "rows:",
      "  - match:\t{ code: RateLimited }",
      "    then: [fail] # 完",
      "",
    ];
    expect(policyOf(lines.join("\r\n")).rows[0]?.origin.at).toBe(`${FILE}:4`);
  });

  it("may use a few anchors", () => {
    const policy = policyOf(
      text(
        "version: 1",
        "rows:",
        "  - match: { provider: a }",
        "    then: &end [park, fail]",
        "  - match: { provider: b }",
        "    then: *end",
      ),
    );
    expect(policy.rows[1]?.then).toEqual(["park", "fail"]);
  });
});

describe("a hostile file", () => {
  const level = (name: string, item: string): string =>
    `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(", ")}]`;
  const bomb = text(
    level("a", "x"),
    ..."bcdefghi".split("").map((name, index) => level(name, `*${"abcdefgh".charAt(index)}`)),
    "version: 1",
  );

  it.each([
    ["a bomb of aliases", bomb],
    ["an alias of nothing", "version: *nothing\n"],
    ["an alias of itself", "version: &a [*a]\n"],
    ["a merge of what is no map", "%YAML 1.1\n---\nversion: 1\n<<: 3\n"],
    ["a hundred thousand open brackets", "[".repeat(100_000)],
    ["ten thousand brackets, closed again", `version: ${"[".repeat(10_000)}${"]".repeat(10_000)}\n`],
    ["zero bytes", "version: 1\n\0\0\0\n"],
    ["half a character", "version: \uD83D\n"],
    ["a prototype", "version: 1\n__proto__: { polluted: 1 }\n"],
  ])("gets a diagnostic: %s", (_what, source) => {
    const found = mistakes(source);
    expect(found.length).toBeGreaterThan(0);
    expect(found.every(({ severity, line, column }) => severity === "error" && line >= 1 && column >= 1)).toBe(true);
  });
});

describe("any text", () => {
  const WORDS =
    "version|: |1|\n|\n  |rows|match|retry|then|none|fail|- |[|]|{|}|, |&a |*a|<<|? |! |!!set |'|\"|# |\t|\r\n|---\n|...|%YAML 1.1\n|~|.nan|0x1|| >|\u00e9|界|\uFEFF".split(
      "|",
    );
  const pieces = fc.oneof(fc.constantFrom(...WORDS), fc.constant("|"), fc.string({ maxLength: 3 }));
  const yamlLike = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""));
  const afterGoodStart = yamlLike.map((tail) => `version: 1\n${tail}`);

  it.each([
    ["of any characters", anyText({ maxLength: 200 })],
    ["made of YAML's own pieces", yamlLike],
    ["behind a good beginning", afterGoodStart],
    ["that is JSON", fc.json()],
  ])("%s is a policy or a mistake, and nothing is thrown", (_what, source) => {
    fc.assert(
      fc.property(source, (given) => {
        const { policy, diagnostics } = parsePolicy(given, FILE);
        const errors = diagnostics.filter(({ severity }) => severity === "error");
        expect(policy === null).toBe(errors.length > 0);
        for (const diagnostic of diagnostics) expect(renderDiagnostic(diagnostic, given)).toContain(diagnostic.code);
      }),
      { numRuns: samples(100, 1000) },
    );
  });
});
