// The name under which an incident is remembered: readable, stable, and never shared by two places.

import fc from "fast-check";
import { expect, it } from "vitest";
import { classify, fault, type Place } from "../../../src/core/index.ts";
import { fingerprint, readFingerprint } from "../../../src/core/record/fault-index.ts";
import { samples } from "../../support/grid.ts";

const place = (details: Partial<Place>): Place => ({ surface: "tool", provider: "", tool: "", stage: "", ...details });

it("reads like what it names", () => {
  const limited = classify({ surface: "tool", message: "Rate limit reached for this key" });
  expect(fingerprint(limited, place({ tool: "flight_search" }))).toBe(
    "RateLimited@tool:flight_search#words/rate-limit",
  );
  const down = classify({ surface: "http", status: 503 });
  expect(fingerprint(down, place({ surface: "http", provider: "openai" }))).toBe(
    `${down.code}@http/openai#${down.evidence.rule}+503`,
  );
  expect(fingerprint(fault("NotFound"), place({ tool: "查航班" }))).toBe("NotFound@tool:查航班#raised");
});

it("says nothing of the message, and so is the same for the next failure of the kind", () => {
  const one = fault("ExecutionFailed", { message: "token sk-live-1234 was refused", context: { request: "r1" } });
  const two = fault("ExecutionFailed", { message: "something else" });
  expect(fingerprint(one, place({}))).toBe(fingerprint(two, place({})));
});

it("is another one for every other place", () => {
  const names = fc.stringMatching(/^[ab/:#+@%~ ]{0,4}$/);
  const met = fault("NotFound");
  fc.assert(
    fc.property(names, names, names, names, (provider, tool, otherProvider, otherTool) => {
      const same = provider === otherProvider && tool === otherTool;
      const [a, b] = [place({ provider, tool }), place({ provider: otherProvider, tool: otherTool })];
      expect(fingerprint(met, a) === fingerprint(met, b)).toBe(same);
    }),
    { numRuns: samples(300, 2_000) },
  );
});

it("can be read back, part by part", () => {
  const names = fc.stringMatching(/^[ab/:#+@% ]{0,6}$/);
  fc.assert(
    fc.property(names, names, fc.option(fc.integer({ min: 100, max: 599 })), (provider, tool, status) => {
      const met = fault("NotFound", status === null ? {} : { context: { status } });
      const read = readFingerprint(fingerprint(met, place({ provider, tool })));
      expect(read).toEqual({ code: "NotFound", surface: "tool", provider, tool, rule: "raised", status });
    }),
  );
  expect(readFingerprint("nonsense")).toMatchObject({ code: "", rule: "", status: null });
});

it("stays short, and keeps long names apart that begin alike", () => {
  const long = "x".repeat(10_000);
  const [a, b] = [
    fingerprint(fault("NotFound"), place({ tool: `${long}a` })),
    fingerprint(fault("NotFound"), place({ tool: `${long}b` })),
  ];
  expect(a.length).toBeLessThan(120);
  expect(a).not.toBe(b);
  expect(fingerprint(fault("NotFound"), place({ tool: `${long}a` }))).toBe(a);
});
