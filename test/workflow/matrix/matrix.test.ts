// Every row of the Error Handling Matrix and of the error model's class table, from a workflow file to the operator's text.

import { describe, expect, it } from "vitest";
import { MATRIX_OUTCOMES } from "../../../src/core/fault/vocabulary.ts";
import { observe } from "./observe.ts";
import { AREAS } from "./rows/all.ts";
import { REFUSALS } from "./rows/refusals.ts";

describe.each(AREAS)("$title", ({ rows }) => {
  it.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const { seen, world, report } = await observe(row);
    expect(seen).toEqual(row.expected);
    row.also?.(world, report);
  });
});

describe("the table", () => {
  const all = AREAS.flatMap(({ rows }) => rows);

  /** The names used there: the matrix of seed 002, the classes and the retry defaults of seed 000. */
  it.each([
    "002 Provider network disconnect",
    "002 Provider timeout",
    "002 Provider auth/config error",
    "002 Binary missing",
    "002 Reviewer schema invalid",
    "002 Tester schema invalid",
    "002 Test command failed",
    "002 Permission denied loop (Claude tools)",
    "002 Operator cancellation",
    "002 §2 Proposal discussion stage",
    "002 §2 Network/provider failures should not be mislabeled as schema failures",
    "000 Validation",
    "000 Provider transient",
    "000 Provider capability",
    "000 Tool transient",
    "000 Tool terminal",
    "000 State Machine decision: Assert, Next to a repair stage",
    "000 State Machine decision: a failed COMPOSE_REQUEST",
    "000 State Machine decision: skip",
    "000 State Machine decision: retry-later",
    "000 State Machine decision: abort-workflow",
    "000 Crash",
    "000 ProviderTransient / RateLimited: Retry-After present",
    "000 ProviderTransient / RateLimited: no Retry-After",
    "000 ProviderTransient / NetworkTimeout: three attempts, 1 → 2 s",
    "000 Session / StoreUnavailable: three attempts, 2 → 4 s",
  ])("has rows for: %s", (seed) => {
    expect([...all, ...REFUSALS].filter((row) => row.seed === seed).length).toBeGreaterThan(0);
  });

  it.each(MATRIX_OUTCOMES)("has a run that ends in %s", (outcome) => {
    expect(all.some(({ expected }) => expected.outcome === outcome)).toBe(true);
  });

  it("names no row twice", () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });
});
