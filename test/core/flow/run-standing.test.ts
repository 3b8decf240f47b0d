// Where a run stands and why, in one line: only what is known is said, in every language.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAULT_CODES } from "../../../src/core/fault/catalogue.ts";
import { LOCALES, type Locale, wordsFor } from "../../../src/core/fault/words/words.ts";
import { reasonOf, type RunLine, type RunStanding, standingOf } from "../../../src/core/flow/run-standing.ts";

const NOW = 1_000;
const LINE: RunLine = {
  ...{ status: "running", outcome: "running", nodes: [], target: null, code: null },
  ...{ questions: [], wakeAt: null, successor: null },
};

const WAIT = { target: "east/llama", attempt: 2, of: 4, code: null, held: "paused", nextAt: NOW + 1 } as const;

describe("where a run stands", () => {
  it.each<[string, Partial<RunLine>, boolean, boolean, RunStanding]>([
    ["it has failed", { status: "failed" }, true, true, "failed"],
    ["it is completed", { status: "completed" }, false, true, "completed"],
    ["it is cancelled", { status: "cancelled", questions: ["q"] }, false, true, "cancelled"],
    ["a process advances it", {}, true, true, "running"],
    ["it asks", { status: "paused", questions: ["q"] }, false, true, "asking"],
    ["it waits for a time", { status: "paused", wakeAt: NOW + 1 }, false, true, "waiting"],
    ["it tries again later", { status: "paused", wakeAt: NOW + 1, code: "RateLimited" }, false, true, "retrying"],
    ["a call of it waits", { wait: WAIT }, true, true, "waiting"],
    ["a call of it is retried", { wait: WAIT, code: "RateLimited" }, true, true, "retrying"],
    ["its call goes on now", { wait: { ...WAIT, nextAt: NOW }, code: "RateLimited" }, true, true, "running"],
    ["its process died in the wait", { wait: WAIT, code: "RateLimited" }, false, true, "queued"],
    ["its time has come", { status: "paused", wakeAt: NOW }, false, true, "queued"],
    ["no driver takes it up", { status: "paused", wakeAt: NOW }, false, false, "stopped"],
  ])("%s", (_why, line, isHeld, isDriven, standing) => {
    expect(standingOf({ ...LINE, ...line }, { now: NOW, isHeld, isDriven })).toBe(standing);
  });
});

const STANDINGS: readonly RunStanding[] = [
  ...(["queued", "running", "asking", "retrying", "waiting"] as const),
  ...(["stopped", "completed", "failed", "cancelled"] as const),
];

describe("why it stands there", () => {
  it("names nodes and target where the line has them, and leaves nothing empty where it has none", () => {
    const lines = fc.record({
      nodes: fc.subarray(["coder", "reviewer", "tester"]),
      target: fc.constantFrom(null, "", "openai/gpt"),
      code: fc.constantFrom(null, ...FAULT_CODES),
      questions: fc.subarray(["q1", "q2"]),
      wait: fc.constantFrom(null, WAIT, { ...WAIT, held: null }),
    });
    fc.assert(
      fc.property(
        lines,
        fc.constantFrom(...STANDINGS),
        fc.constantFrom<Locale>(...LOCALES),
        (more, standing, locale) => {
          const { nodes, target, code, wait } = more;
          const said = reasonOf({ ...LINE, ...more, outcome: "stuck" }, standing, locale);
          expect(said).not.toMatch(/\(\)|（）|^[:：]|[:：]\s*$|\s{2}|\s$/);
          const names = ["running", "asking", "retrying", "waiting", "failed"].includes(standing) ? nodes : [];
          for (const node of names) expect(said).toContain(node);
          const tellsTarget = standing === "running" || standing === "failed";
          expect(said.includes("openai/gpt")).toBe(tellsTarget && target === "openai/gpt");
          const tellsWait = standing === "retrying" || (standing === "waiting" && wait?.held === "paused");
          expect(said.includes("east/llama")).toBe(tellsWait && wait !== null);
          if (standing === "failed") expect(said).toContain(code === null ? "stuck" : wordsFor(code, locale).title);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each(LOCALES)("names the run that continues it, wherever it stands (%s)", (locale) => {
    for (const standing of STANDINGS) expect(reasonOf({ ...LINE, successor: "r2" }, standing, locale)).toContain("r2");
  });
});
