// Lint finds the mistakes that are legal.

import { describe, expect, it } from "vitest";
import {
  DEFAULT_POLICY,
  lintPolicy,
  withRows,
  type FindingKind,
  type Policy,
  type PolicyRow,
  type Retry,
} from "../../../src/core/index.ts";
import { TOOL_RETRY, TRANSPORT_RETRY } from "../../../src/core/policy/matrix.ts";

function fileRow(row: Partial<PolicyRow>): PolicyRow {
  return { match: {}, retry: null, then: ["fail"], origin: { layer: "file", at: "p.yaml:1" }, ...row };
}

function kinds(rows: readonly PolicyRow[], change: Partial<Policy> = {}): readonly FindingKind[] {
  return lintPolicy({ ...withRows(DEFAULT_POLICY, rows), ...change }).map(({ kind }) => kind);
}

function retryWith(change: Partial<Retry>): Retry {
  return { ...TRANSPORT_RETRY, ...change };
}

const BACKOFF: Retry["backoff"] = { kind: "exponential", initialMs: 100, maxMs: 1000, multiplier: 2 };

describe("lint", () => {
  it.each<[string, readonly PolicyRow[], FindingKind]>([
    [
      "a row behind one that always matches first",
      [
        fileRow({ match: { class: ["ProviderTransient"] } }),
        fileRow({ match: { code: ["Overloaded"], provider: ["openai"] } }),
      ],
      "unreachable-row",
    ],
    [
      "a row whose class and code never meet",
      [fileRow({ match: { class: ["Output"], code: ["RateLimited"] } })],
      "unreachable-row",
    ],
    [
      "a row covered by several rows together",
      [
        fileRow({ match: { code: ["SandboxFailed"] } }),
        fileRow({ match: { code: ["SandboxTimeout"] } }),
        fileRow({ match: { class: ["Sandbox"] } }),
      ],
      "unreachable-row",
    ],
    [
      "waits that pass the row's total",
      [fileRow({ match: { code: ["Overloaded"] }, retry: retryWith({ maxAttempts: 9, maxTotalWaitMs: 3000 }) })],
      "impossible-schedule",
    ],
    [
      "a cap below the first wait",
      [
        fileRow({
          match: { code: ["Overloaded"] },
          retry: retryWith({ backoff: { kind: "fixed", initialMs: 100, maxMs: 50, multiplier: 2 } }),
        }),
      ],
      "impossible-schedule",
    ],
    [
      "one attempt called a retry",
      [fileRow({ match: { code: ["Overloaded"] }, retry: retryWith({ maxAttempts: 1 }) })],
      "pointless-retry",
    ],
    [
      "retrying what fails the same way",
      [fileRow({ match: { code: ["AuthFailed"] }, retry: TOOL_RETRY })],
      "pointless-retry",
    ],
    [
      "a recourse behind fail",
      [fileRow({ match: { code: ["Overloaded"] }, then: ["fail", "ask"] })],
      "unreachable-recourse",
    ],
  ])("finds %s", (_what, rows, kind) => {
    expect(kinds(rows)).toContain(kind);
  });

  it("finds a code without a row", () => {
    const [first, ...rows] = DEFAULT_POLICY.rows;
    expect(first).toBeDefined();
    const findings = lintPolicy({
      ...DEFAULT_POLICY,
      rows: rows.filter(({ match }) => match.class?.includes("Session") !== true),
    });
    expect(findings).toMatchObject([{ kind: "code-without-row", message: "no row for ManifestDrift, ResumeMismatch" }]);
  });

  it("finds numbers that contradict each other", () => {
    expect(kinds([], { breaker: { ...DEFAULT_POLICY.breaker, maxOpenMs: 1 } })).toEqual(["unsafe-number"]);
    expect(kinds([], { retryBudget: { capacity: 5, perCall: 0, perSecond: 0 } })).toEqual(["unsafe-number"]);
  });

  it.each<[string, Partial<Retry>, readonly string[]]>([
    ["one attempt and no more", { maxAttempts: 1 }, ["retry.maxAttempts: maxAttempts counts the first attempt too"]],
    [
      "no attempt at all",
      { maxAttempts: 0 },
      ["retry.maxAttempts: retry.maxAttempts must be a whole number from 1 on"],
    ],
    [
      "half an attempt",
      { maxAttempts: 2.5 },
      ["retry.maxAttempts: retry.maxAttempts must be a whole number from 1 on"],
    ],
    ["the least jitter", { jitter: 0 }, []],
    ["the most jitter", { jitter: 1 }, []],
    ["jitter below none", { jitter: -0.1 }, ["retry.jitter: retry.jitter must be a share from 0 to 1"]],
    ["jitter above all", { jitter: 1.5 }, ["retry.jitter: retry.jitter must be a share from 0 to 1"]],
    ["waits that stay the same", { backoff: { ...BACKOFF, multiplier: 1 } }, []],
    [
      "waits that shrink",
      { backoff: { ...BACKOFF, multiplier: 0.5 } },
      ["retry.backoff.multiplier: retry.backoff.multiplier must be a number from 1 on"],
    ],
    ["no wait at all", { backoff: { ...BACKOFF, initialMs: 0, maxMs: 0 }, maxWaitMs: 0, maxTotalWaitMs: 0 }, []],
    [
      "a wait below zero",
      { backoff: { ...BACKOFF, initialMs: -1 } },
      ["retry.backoff: retry.backoff must be times of 0 ms and more"],
    ],
    [
      "a total that the second retry passes",
      { maxAttempts: 3, jitter: 0, maxTotalWaitMs: 2 * BACKOFF.initialMs },
      ["retry.maxAttempts: attempt 3 of 3 can never be made"],
    ],
    ["a total that the waits just fill", { maxAttempts: 3, jitter: 0, maxTotalWaitMs: 3 * BACKOFF.initialMs }, []],
    [
      "a wait longer than the longest",
      { maxAttempts: 2, jitter: 0, maxWaitMs: BACKOFF.initialMs - 1 },
      ["retry.maxAttempts: attempt 2 of 2 can never be made"],
    ],
    ["a wait as long as the longest", { maxAttempts: 2, jitter: 0, maxWaitMs: BACKOFF.initialMs }, []],
  ])("judges the numbers of a retry at their edges: %s", (_what, change, expected) => {
    const row = fileRow({ match: { code: ["Overloaded"] }, retry: retryWith({ backoff: BACKOFF, ...change }) });
    const findings = lintPolicy(withRows(DEFAULT_POLICY, [row]));
    expect(findings.map(({ field, message }) => `${field}: ${message}`)).toEqual(
      expected.map((start) => expect.stringMatching(new RegExp(`^${start}`)) as string),
    );
  });

  it.each<[string, readonly PolicyRow[], string]>([
    [
      "the one row that shadows another",
      [
        fileRow({ match: { code: ["RateLimited"] } }),
        fileRow({ match: { class: ["ProviderTransient"] } }),
        fileRow({ match: { code: ["Overloaded"], provider: ["openai"] } }),
      ],
      "the row for class ProviderTransient (p.yaml:1) always matches first",
    ],
    ["a row that matches everything", [fileRow({}), fileRow({ match: { tool: ["x"] } })], "the row for everything ("],
    [
      "a class without such a code",
      [fileRow({ match: { class: ["Output"], code: ["RateLimited"] } })],
      "no code belongs to both the class and the code given",
    ],
    [
      "a code that fails the same way every time",
      [fileRow({ match: { code: ["AuthFailed"] }, retry: TOOL_RETRY })],
      "AuthFailed fails the same way every time",
    ],
    [
      "what stands behind fail",
      [fileRow({ match: { code: ["Overloaded"] }, then: ["fallback", "fail", "ask", "skip"] })],
      "ask, skip never happens",
    ],
    [
      "what stands behind fail in the first place",
      [fileRow({ match: { code: ["Overloaded"] }, then: ["fail", "ask"] })],
      "ask never happens",
    ],
  ])("names %s", (_what, rows, message) => {
    const messages = lintPolicy(withRows(DEFAULT_POLICY, rows)).map((finding) => finding.message);
    expect(messages).toEqual([expect.stringContaining(message)]);
  });

  it("finds numbers that contradict each other only if they do", () => {
    const { openMs } = DEFAULT_POLICY.breaker;
    expect(kinds([], { breaker: { ...DEFAULT_POLICY.breaker, maxOpenMs: openMs } })).toEqual([]);
    expect(kinds([], { retryBudget: { capacity: 5, perCall: 1, perSecond: 0 } })).toEqual([]);
    expect(kinds([], { retryBudget: { capacity: 5, perCall: 0, perSecond: 1 } })).toEqual([]);
  });

  it.each<[string, readonly PolicyRow[]]>([
    [
      "a retry of several codes of which one may succeed the next time",
      [fileRow({ match: { code: ["AuthFailed", "Overloaded"] }, retry: retryWith({ maxTotalWaitMs: 600_000 }) })],
    ],
    ["a row without fail", [fileRow({ match: { code: ["Overloaded"] }, then: ["fallback", "ask"] })]],
    [
      "a narrower row in front of a wider one",
      [
        fileRow({ match: { code: ["Overloaded"], provider: ["openai"] } }),
        fileRow({ match: { code: ["Overloaded"] } }),
      ],
    ],
    [
      "the same code in two places",
      [
        fileRow({ match: { code: ["Overloaded"], tool: ["a"] } }),
        fileRow({ match: { code: ["Overloaded"], tool: ["b"] } }),
      ],
    ],
    ["a file's row that shadows the matrix, which is what it is for", [fileRow({ match: {} })]],
  ])("says nothing against %s", (_what, rows) => {
    expect(kinds(rows)).toEqual([]);
  });
});
