// Layers: who speaks last is asked first, and a tool's manifest says it in the specification's own words.

import { describe, expect, it } from "vitest";
import {
  DEFAULT_POLICY,
  rowFor,
  rowsOfAdapter,
  rowsOfStage,
  rowsOfTool,
  schedule,
  withRows,
  type FaultCode,
  type PolicyRow,
} from "../../../src/core/index.ts";
import { changedRetry, retryChangeOf, rowsOfRetry } from "../../../src/core/policy/layer.ts";
import { TRANSPORT_RETRY } from "../../../src/core/policy/matrix.ts";

const manifest = {
  strategy: "exponential_backoff",
  initial_delay_ms: 50,
  max_delay_ms: 2000,
  multiplier: 2,
  jitter_percent: 15,
  max_attempts: 3,
  max_total_time_ms: 5000,
} as const;

const place = { surface: "tool", provider: "", tool: "flight_search", stage: "" } as const;

describe("a tool's manifest", () => {
  const policy = withRows(DEFAULT_POLICY, rowsOfTool("flight_search", manifest, DEFAULT_POLICY));

  it("overrides the default retry for that tool", () => {
    const row = rowFor(policy, { code: "ExecutionTimeout" }, place);
    expect(row.origin).toEqual({ layer: "tool", at: "flight_search" });
    expect(row.retry).toMatchObject({ maxAttempts: 3, jitter: 0.15, maxTotalWaitMs: 5000 });
    expect(row.retry === null ? [] : schedule(row.retry).map(({ baseMs }) => baseMs)).toEqual([50, 100]);
  });

  it("leaves other tools, and what comes after retrying, as they were", () => {
    expect(rowFor(policy, { code: "ExecutionTimeout" }, { ...place, tool: "hotel_search" }).retry?.maxAttempts).toBe(5);
    expect(rowFor(policy, { code: "ExecutionTimeout" }, place).then).toEqual(
      rowFor(DEFAULT_POLICY, { code: "ExecutionTimeout" }, place).then,
    );
    expect(rowFor(policy, { code: "StoreUnavailable" }, place).origin.layer).toBe("matrix");
  });

  it.each([
    [{}, {}, {}],
    [{ strategy: "linear_backoff" }, { kind: "linear" }, {}],
    [{ strategy: "fixed_delay" }, { kind: "fixed" }, {}],
    [{ initial_delay_ms: 0 }, { initialMs: 0 }, {}],
    [{ max_delay_ms: 7 }, { maxMs: 7 }, {}],
    [{ multiplier: 3 }, { multiplier: 3 }, {}],
    [{ jitter_percent: 15 }, {}, { jitter: 0.15 }],
    [{ max_attempts: 1 }, {}, { maxAttempts: 1 }],
    [{ max_total_time_ms: 9 }, {}, { maxTotalWaitMs: 9 }],
  ] as const)("changes the fields it names and no others: %o", (own, backoff, others) => {
    expect(retryChangeOf(own)).toEqual({ backoff, ...others });
    const changed = changedRetry(TRANSPORT_RETRY, retryChangeOf(own));
    expect(changed).toEqual({ ...TRANSPORT_RETRY, ...others, backoff: { ...TRANSPORT_RETRY.backoff, ...backoff } });
  });

  it("raises the longest wait to a first wait that is longer", () => {
    const initial = TRANSPORT_RETRY.backoff.maxMs + 1;
    expect(changedRetry(TRANSPORT_RETRY, retryChangeOf({ initial_delay_ms: initial })).backoff.maxMs).toBe(initial);
  });

  it("keeps the default for what it leaves out", () => {
    const own = withRows(DEFAULT_POLICY, rowsOfTool("x", { max_attempts: 2 }, DEFAULT_POLICY));
    expect(rowFor(own, { code: "ResourceBusy" }, { ...place, tool: "x" }).retry).toMatchObject({
      maxAttempts: 2,
      jitter: 0.1,
      backoff: { initialMs: 100 },
    });
  });
});

describe("the retry of one place", () => {
  const reaches = (maxAttempts: number, code: FaultCode): boolean => {
    const policy = withRows(DEFAULT_POLICY, rowsOfRetry("x", { maxAttempts }, DEFAULT_POLICY));
    return rowFor(policy, { code }, { ...place, tool: "x" }).origin.layer === "tool";
  };

  it.each([
    ["paces what fails on the way", "Overloaded", true, true],
    ["may forbid a repetition that the default allows, and not add one", "Unclassified", false, true],
    ["leaves the machine's own store alone", "StoreUnavailable", false, false],
    ["leaves a fault alone that is never repeated", "AuthFailed", false, false],
  ] as const)("%s (%s)", (_what, code, whenTwice, whenOnce) => {
    expect([reaches(2, code), reaches(1, code)]).toEqual([whenTwice, whenOnce]);
  });
});

describe("the order of layers", () => {
  it("is file, stage, tool, adapter, preset, matrix, whatever the order they came in", () => {
    const fileRow: PolicyRow = {
      match: { code: ["NetworkTimeout"] },
      retry: null,
      then: ["fail"],
      origin: { layer: "file", at: "p.yaml:3" },
    };
    const everywhere = { surface: "tool", provider: "openai", tool: "flight_search", stage: "review" } as const;
    const layers = [
      [fileRow],
      rowsOfAdapter("openai", { ...TRANSPORT_RETRY, maxAttempts: 9 }, DEFAULT_POLICY),
      rowsOfStage("review", { ...TRANSPORT_RETRY, maxAttempts: 7 }, DEFAULT_POLICY),
      rowsOfTool("flight_search", manifest, DEFAULT_POLICY),
    ];
    const policy = layers.reduce((all, rows) => withRows(all, rows), DEFAULT_POLICY);
    expect(rowFor(policy, { code: "NetworkTimeout" }, everywhere).origin.layer).toBe("file");
    expect(rowFor(policy, { code: "Overloaded" }, everywhere).origin.layer).toBe("stage");
    expect(rowFor(policy, { code: "Overloaded" }, { ...everywhere, stage: "" }).origin.layer).toBe("tool");
    expect(rowFor(policy, { code: "Overloaded" }, { ...everywhere, stage: "", tool: "" }).origin.layer).toBe("adapter");
    expect(
      rowFor(policy, { code: "Overloaded" }, { ...everywhere, stage: "", tool: "", provider: "" }).origin.layer,
    ).toBe("matrix");
  });

  it("puts a later layer of the same kind in front", () => {
    const once = withRows(DEFAULT_POLICY, rowsOfTool("x", { max_attempts: 2 }, DEFAULT_POLICY));
    const twice = withRows(once, rowsOfTool("x", { max_attempts: 4 }, DEFAULT_POLICY));
    expect(rowFor(twice, { code: "ResourceBusy" }, { ...place, tool: "x" }).retry?.maxAttempts).toBe(4);
  });
});
