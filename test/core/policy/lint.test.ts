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

  it.each<[string, readonly PolicyRow[]]>([
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
