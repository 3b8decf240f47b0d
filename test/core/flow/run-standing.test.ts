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
    ["a process holds it although its time has come", { status: "paused", wakeAt: NOW }, true, true, "running"],
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
          const names = standing === "completed" ? [] : nodes;
          for (const node of names) expect(said).toContain(node);
          const tellsTarget =
            standing === "running" || standing === "failed" || (standing === "retrying" && wait === null);
          expect(said.includes("openai/gpt")).toBe(tellsTarget && target === "openai/gpt");
          const tellsWait = standing === "retrying" || (standing === "waiting" && wait?.held === "paused");
          expect(said.includes("east/llama")).toBe(tellsWait && wait !== null);
          if (standing === "failed") expect(said).toContain(code === null ? "stuck" : wordsFor(code, locale).title);
        },
      ),
      { numRuns: 500 },
    );
  });

  it.each<[RunStanding, Partial<RunLine>, string, string, string?]>([
    [
      "completed",
      { outcome: "shipped", startedAt: 1, endedAt: 90_001 },
      "shipped, in 1 min 30 s",
      "shipped，用时 1 分钟 30 秒",
    ],
    [
      "completed",
      { status: "completed", outcome: "completed", startedAt: 1, endedAt: 501 },
      "in 500 ms",
      "用时 500 毫秒",
    ],
    ["completed", { outcome: "shipped", startedAt: 0, endedAt: 1 }, "shipped, in 1 ms", "shipped，用时 1 毫秒"],
    ["completed", { outcome: "shipped", startedAt: 1 }, "shipped", "shipped"],
    [
      "cancelled",
      { nodes: ["gate"], startedAt: 1, endedAt: 501 },
      "stopped at gate, after 500 ms",
      "停在 gate，历时 500 毫秒",
    ],
    ["asking", { nodes: ["gate"], questions: ["q"] }, "gate: Ship it?", "gate：Ship it?"],
    [
      "retrying",
      { nodes: ["coder"], code: "RateLimited", wait: WAIT },
      "coder: Too many requests (east/llama); attempt 2 of 4 comes next",
      "coder：请求过于频繁（east/llama）；接下来是第 2 次尝试，共 4 次",
    ],
    ["asking", { nodes: ["gate"], questions: ["q"] }, "gate: waits for an answer", "gate：等待答复", ""],
    ["asking", { questions: ["q", "r"] }, "waits for 2 answers", "等待 2 个答复", ""],
    ["retrying", { code: "RateLimited" }, "Too many requests; tries again later", "请求过于频繁；稍后重试"],
    [
      "retrying",
      { code: "RateLimited", wait: { ...WAIT, of: 1 } },
      "Too many requests (east/llama); tries again later",
      "请求过于频繁（east/llama）；稍后重试",
    ],
    [
      "retrying",
      { code: "RateLimited", wait: { ...WAIT, of: 2 } },
      "Too many requests (east/llama); attempt 2 of 2 comes next",
      "请求过于频繁（east/llama）；接下来是第 2 次尝试，共 2 次",
    ],
    ["failed", { status: "failed", outcome: "stuck" }, "stuck", "stuck"],
    ["failed", { status: "failed", outcome: "stuck", code: "FromTheFuture" }, "FromTheFuture", "FromTheFuture"],
    ["queued", { nodes: ["coder"] }, "coder: due; a process takes it up next", "coder：已到时间，即将由进程接手"],
  ])("%s %j", (standing, more, en, zh, asks = "Ship it?") => {
    const said = (locale: Locale): string => reasonOf({ ...LINE, ...more }, standing, locale, asks);
    expect([said("en"), said("zh-CN")]).toEqual([en, zh]);
  });

  it.each(LOCALES)("names the run that continues it, wherever it stands (%s)", (locale) => {
    for (const standing of STANDINGS) expect(reasonOf({ ...LINE, successor: "r2" }, standing, locale)).toContain("r2");
  });
});
