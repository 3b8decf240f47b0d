// The default policy has the figures the specifications fix, a row for every code, and nothing that lint objects to.

import { describe, expect, it } from "vitest";
import {
  DEFAULT_POLICY,
  FAULT_CODES,
  lintPolicy,
  PRESET_NAMES,
  PRESETS,
  rowFor,
  schedule,
  withRows,
  type FaultCode,
  type Place,
  type Policy,
  type PolicyRow,
  type PresetName,
  type Recourse,
} from "../../../src/core/index.ts";
import { traitsOf } from "../../../src/core/fault/catalogue.ts";
import { withDeclared } from "../../../src/core/policy/policy.ts";
import { policyOfRuns } from "../../../src/core/policy/presets.ts";

const HTTP: Place = { surface: "http", provider: "openai", tool: "", stage: "" };
const TOOL: Place = { surface: "tool", provider: "", tool: "search", stage: "" };

function waits(code: FaultCode, place: Place = HTTP): readonly (readonly [number, number, number])[] {
  const { retry } = rowFor(DEFAULT_POLICY, { code }, place);
  return retry === null ? [] : schedule(retry).map(({ baseMs, minMs, maxMs }) => [baseMs, minMs, maxMs]);
}

describe("the default matrix", () => {
  it.each<[FaultCode, Place, number, number]>([
    ["RateLimited", HTTP, 160_000, 3_600_000],
    ["Overloaded", HTTP, 4_000, 1_800_000],
    ["StoreUnavailable", HTTP, 6_000, 60_000],
    ["ResourceBusy", TOOL, 800, 2_000],
    ["Interrupted", TOOL, 1_000, 60_000],
  ])("never waits longer for %s than its cap, however many attempts a policy adds", (code, place, capMs, totalMs) => {
    const { retry } = rowFor(DEFAULT_POLICY, { code }, place);
    const longer = retry === null ? [] : schedule({ ...retry, maxAttempts: 12 });
    expect(longer.slice(-3).map(({ baseMs }) => baseMs)).toEqual([capMs, capMs, capMs]);
    expect(retry).toMatchObject({ maxWaitMs: 600_000, maxTotalWaitMs: totalMs });
  });

  it("waits 5·10·20·40·80 s ±20 % for a rate limit, six attempts in all", () => {
    expect(waits("RateLimited")).toEqual([
      [5_000, 4_000, 6_000],
      [10_000, 8_000, 12_000],
      [20_000, 16_000, 24_000],
      [40_000, 32_000, 48_000],
      [80_000, 64_000, 96_000],
    ]);
  });

  it("would wait 160 s before a seventh attempt", () => {
    const { retry } = rowFor(DEFAULT_POLICY, { code: "RateLimited" }, HTTP);
    expect(retry).not.toBeNull();
    if (retry !== null) expect(schedule({ ...retry, maxAttempts: 7 }).at(-1)?.baseMs).toBe(160_000);
  });

  it.each(["NetworkTimeout", "NetworkDisconnect", "Provider5xx", "Overloaded"] as const)(
    "tries %s three times, 1·2 s apart with jitter",
    (code) => {
      expect(waits(code).map(([base]) => base)).toEqual([1_000, 2_000]);
      expect(waits(code).every(([base, min, max]) => min < base && base < max)).toBe(true);
    },
  );

  it("tries the store three times, 2·4 s apart, exactly", () => {
    expect(waits("StoreUnavailable")).toEqual([
      [2_000, 2_000, 2_000],
      [4_000, 4_000, 4_000],
    ]);
  });

  it.each(["ExecutionTimeout", "ResourceBusy", "ToolUnavailable"] as const)(
    "tries a tool with %s five times, 100·200·400·800 ms ±10 %%",
    (code) => {
      expect(waits(code, TOOL)).toEqual([
        [100, 90, 110],
        [200, 180, 220],
        [400, 360, 440],
        [800, 720, 880],
      ]);
      expect(rowFor(DEFAULT_POLICY, { code }, TOOL).retry?.maxTotalWaitMs).toBe(2_000);
    },
  );

  it.each([
    "AuthFailed",
    "BinaryMissing",
    "SchemaInvalid",
    "QuotaExhausted",
    "TlsUntrusted",
    "ContentFiltered",
    "TurnCancelled",
    "TestsFailed",
  ] as const)("never tries %s again", (code) => {
    expect(waits(code)).toEqual([]);
  });

  it("gives an unknown failure one more try in a tool and none elsewhere", () => {
    expect(rowFor(DEFAULT_POLICY, { code: "Unclassified" }, TOOL).retry?.maxAttempts).toBe(2);
    expect(rowFor(DEFAULT_POLICY, { code: "Unclassified" }, HTTP).retry).toBeNull();
  });

  it("opens a breaker after five failures, closes after two successes, stays open 30 s", () => {
    expect(DEFAULT_POLICY.breaker).toMatchObject({ failures: 5, successes: 2, openMs: 30_000, counts: "calls" });
  });
});

describe.each(PRESET_NAMES)("preset %s", (name) => {
  it.each(FAULT_CODES)("has a row for %s that ends in fail", (code) => {
    for (const place of [HTTP, TOOL]) expect(rowFor(PRESETS[name], { code }, place).then.at(-1)).toBe("fail");
  });

  it("passes its own lint", () => {
    expect(lintPolicy(PRESETS[name])).toEqual([]);
  });
});

describe("presets", () => {
  it("cautious never repeats an unclassified failure", () => {
    expect(rowFor(PRESETS.cautious, { code: "Unclassified" }, TOOL).retry).toBeNull();
  });

  it("eager takes an unknown failure for a transient one and may switch credentials", () => {
    expect(rowFor(PRESETS.eager, { code: "Unclassified" }, HTTP).retry?.maxAttempts).toBe(3);
    expect(rowFor(PRESETS.eager, { code: "AuthFailed" }, HTTP).then).toContain("fallback");
    expect(rowFor(PRESETS.default, { code: "AuthFailed" }, HTTP).then).not.toContain("fallback");
  });

  it("headless is the default without asking, for every code and place", () => {
    for (const code of FAULT_CODES) {
      for (const place of [HTTP, TOOL]) {
        const { retry, then } = rowFor(PRESETS.default, { code }, place);
        expect(rowFor(PRESETS.headless, { code }, place)).toMatchObject({
          retry,
          then: then.filter((recourse) => recourse !== "ask"),
        });
      }
    }
  });

  it("cautious asks before it goes elsewhere, and leaves the lists of other faults alone", () => {
    const goesElsewhere = (recourse: string): boolean => recourse === "fallback" || recourse === "alternative";
    for (const code of FAULT_CODES) {
      for (const place of [HTTP, TOOL]) {
        const { then: usual } = rowFor(PRESETS.default, { code }, place);
        const row = rowFor(PRESETS.cautious, { code }, place);
        const elsewhere = row.then.findIndex(goesElsewhere);
        if (elsewhere !== -1) expect(row.then.slice(0, elsewhere), code).toContain("ask");
        if (!usual.some(goesElsewhere) && !usual.includes("ask")) expect(row.then, code).toEqual(usual);
      }
    }
  });
});

describe("what a preset does, as one line: attempts × longest wait, then its recourses", () => {
  const said = (preset: Policy, code: FaultCode, place: Place): string => {
    const { retry, then } = rowFor(preset, { code }, place);
    return `${retry === null ? "once" : `${retry.maxAttempts} × ${retry.backoff.maxMs} ms`}: ${then.join(", ")}`;
  };

  // prettier-ignore
  it.each<[PresetName, FaultCode, string]>([
    ["cautious", "RateLimited",    "4 × 160000 ms: ask, alternative, default, skip, park, fail"],
    ["cautious", "Overloaded",     "2 × 4000 ms: ask, alternative, default, skip, surface, fail"],
    ["cautious", "QuotaExhausted", "once: ask, alternative, default, skip, park, fail"],
    ["cautious", "Interrupted",    "once: ask, alternative, default, skip, surface, fail"],
    ["eager",    "RateLimited",    "7 × 160000 ms: fallback, park, fail"],
    ["eager",    "Overloaded",     "5 × 16000 ms: fallback, alternative, default, skip, surface, fail"],
    ["eager",    "AuthFailed",     "once: refresh-credential, fallback, ask, fail"],
    ["eager",    "Unclassified",   "3 × 1000 ms: fallback, alternative, default, skip, surface, fail"],
  ])("%s, %s", (name, code, expected) => {
    expect(said(PRESETS[name], code, HTTP)).toBe(expected);
  });

  it("cautious never learns a decision by itself", () => {
    expect(PRESETS.cautious.learnsAfter).toBe(0);
    expect(PRESETS.default.learnsAfter).toBeGreaterThan(0);
  });
});

describe("the policy of runs", () => {
  it("is made of a preset's name or of a policy, and knows that no person watches", () => {
    expect(policyOfRuns("eager")).toEqual(policyOfRuns(PRESETS.eager));
    expect(policyOfRuns("eager")).toMatchObject({ name: "eager", unattended: true });
  });

  it("asks only about limits, and where an operator's own row asks", () => {
    const own: PolicyRow = {
      match: { tool: ["x"] },
      retry: null,
      then: ["ask", "skip", "fail"],
      origin: { layer: "file", at: "p" },
    };
    const runs = policyOfRuns(withRows(DEFAULT_POLICY, [own]));
    expect(rowFor(runs, { code: "AuthFailed" }, { ...TOOL, tool: "x" }).then).toEqual(own.then);
    for (const code of FAULT_CODES) {
      for (const place of [HTTP, TOOL]) {
        const { then } = rowFor(DEFAULT_POLICY, { code }, place);
        const expected = traitsOf(code).scope === "limit" ? then : then.filter((recourse) => recourse !== "ask");
        expect(rowFor(runs, { code }, place).then, code).toEqual(expected);
      }
    }
  });
});

describe("a recourse that a tool declares", () => {
  // prettier-ignore
  it.each<[readonly Recourse[], readonly Recourse[], readonly Recourse[]]>([
    [["fallback", "ask", "fail"],  ["default"],                         ["fallback", "default", "ask", "fail"]],
    [["fallback", "ask", "fail"],  ["skip", "alternative", "default"],  ["fallback", "alternative", "default", "skip", "ask", "fail"]],
    [["partial", "skip", "fail"],  ["alternative"],                     ["alternative", "partial", "skip", "fail"]],
    [["partial", "park"],          ["default"],                         ["partial", "default", "park"]],
    [["ask", "default", "fail"],   ["default", "skip"],                 ["skip", "ask", "default", "fail"]],
    [["fallback"],                 ["skip"],                            ["fallback", "skip"]],
    [["fallback", "fail"],         ["ask", "park"],                     ["fallback", "fail"]],
    [["fallback", "fail"],         [],                                  ["fallback", "fail"]],
  ])("goes to its place in %j: %j", (then, offers, expected) => {
    expect(withDeclared(then, new Set(offers))).toEqual(expected);
  });
});
