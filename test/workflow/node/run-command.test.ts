// How long a call around a command may take, and what is kept of what a command said.

import { expect, it } from "vitest";
import { callTimeoutMs, saidEvidence } from "../../../src/workflow/node/run-command.ts";

const MONTH_MS = 30 * 24 * 3_600_000;

it.each([
  [0, 10_000],
  [60_000, 70_000],
  [MONTH_MS - 10_000, MONTH_MS],
  [MONTH_MS - 9_999, MONTH_MS],
  [Infinity, MONTH_MS],
])("a command with a limit of %d ms: its call has %d ms", (commandMs, callMs) => {
  expect(callTimeoutMs(commandMs)).toBe(callMs);
});

it("keeps the end of what a command said as evidence, without blanks around it", () => {
  const long = saidEvidence("rule", `begin ${"word ".repeat(400)}`);
  expect(saidEvidence("rule", " short \n")).toEqual({ rule: "rule", source: "process", nearly: [], excerpt: "short" });
  expect(saidEvidence("rule", "x".repeat(2_000)).excerpt).toBe("x".repeat(2_000));
  expect([long.excerpt.includes("begin"), long.excerpt.endsWith("word word")]).toEqual([false, true]);
});
