// One sentence says whether all is well.

import { describe, expect, it } from "vitest";
import { isWell, type GlanceCounts, describeGlance } from "../../../src/workflow/report/overview-words.ts";

const NOTHING: GlanceCounts = {
  ...{
    questions: 0,
    targetsOut: 0,
    failed: 0,
    running: 0,
    queued: 0,
    waiting: 0,
    programs: 0,
    faults: 0,
  },
};

describe("the sentence of the overview", () => {
  it.each<[Partial<GlanceCounts>, string, string]>([
    [{}, "All is well. Nothing is running.", "一切正常，目前没有运行。"],
    [{ running: 1 }, "All is well: 1 run is working.", "一切正常：1 个运行正在进行。"],
    [
      { running: 3, waiting: 2 },
      "All is well: 3 runs are working, 2 runs wait and continue by themselves.",
      "一切正常：3 个运行正在进行，2 个运行在等待，会自动继续。",
    ],
    [
      { queued: 1, programs: 2 },
      "All is well: 1 run is queued, 2 sessions of programs are open.",
      "一切正常：1 个运行排队中，2 个程序会话进行中。",
    ],
    [
      { faults: 1 },
      "Nothing needs you. Calls met 1 failure in the last 24 hours.",
      "没有需要您处理的事。过去 24 小时内调用遇到 1 次故障。",
    ],
    [
      { faults: 24, running: 2 },
      "Nothing needs you, 2 runs are working. Calls met 24 failures in the last 24 hours.",
      "没有需要您处理的事，2 个运行正在进行。过去 24 小时内调用遇到 24 次故障。",
    ],
    [
      { questions: 1, running: 3, faults: 9 },
      "1 question waits for you. Calls met 9 failures in the last 24 hours.",
      "1 个问题等待您处理。过去 24 小时内调用遇到 9 次故障。",
    ],
    [
      { questions: 2, targetsOut: 1, failed: 4 },
      "2 questions wait for you, 1 target is out of service, 4 runs failed today.",
      "2 个问题等待您处理，1 个目标已停用，今天有 4 个运行失败。",
    ],
  ])("%j", (some, english, chinese) => {
    const counts = { ...NOTHING, ...some };
    expect([describeGlance(counts, "en"), describeGlance(counts, "zh-CN")]).toEqual([english, chinese]);
    expect(isWell(counts)).toBe(/^(?:All is well|Nothing needs you)/.test(english));
  });
});
