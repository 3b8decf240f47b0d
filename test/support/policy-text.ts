// Policy files as tests write them, and what the parser says of them.

import { expect } from "vitest";
import type { Policy } from "../../src/core/index.ts";
import { type Diagnostic, parsePolicy } from "../../src/policy-file/index.ts";

export const FILE = "team.yaml";

export const text = (...lines: readonly string[]): string => `${lines.join("\n")}\n`;

/** A file with these lines as its only row, from line 3 on. */
export const row = (...lines: readonly string[]): string =>
  text("version: 1", "rows:", ...lines.map((line, index) => `${index === 0 ? "  - " : "    "}${line}`));

/** What is said of a file that gives no policy. */
export function mistakes(source: string): readonly Diagnostic[] {
  const { policy, diagnostics } = parsePolicy(source, FILE);
  expect(policy).toBeNull();
  return diagnostics;
}

/** The warnings about a file that still gives a policy. */
export function warnings(source: string): readonly Diagnostic[] {
  const { policy, diagnostics } = parsePolicy(source, FILE);
  expect(policy).not.toBeNull();
  return diagnostics;
}

/** The policy of a file of which nothing is said. */
export function policyOf(source: string): Policy {
  const { policy, diagnostics } = parsePolicy(source, FILE);
  expect(diagnostics).toEqual([]);
  if (policy === null) throw new Error("no policy and no diagnostic");
  return policy;
}
