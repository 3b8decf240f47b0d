// Whether all is well, in a sentence.

import type { Locale } from "../../core/fault/words/words.ts";

export interface GlanceCounts {
  /** Questions that wait for a person. */
  readonly questions: number;
  /** Targets that no call reaches, or only a probe. */
  readonly targetsOut: number;
  /** Runs that failed today and were not continued. */
  readonly failed: number;
  readonly running: number;
  readonly queued: number;
  readonly waiting: number;
  /** Open sessions of programs. */
  readonly programs: number;
  /** Failures that calls met in the last 24 hours, of any program, recovered from or not. */
  readonly faults: number;
}

export function isWell({ questions, targetsOut, failed }: GlanceCounts): boolean {
  return questions + targetsOut + failed === 0;
}

/** What a person on duty should know first. */
export function describeGlance(counts: GlanceCounts, locale: Locale): string {
  const { well, idle, noNeed, met, trouble, at, end, comma } = WORDS[locale];
  const parts = (isWell(counts) ? at : trouble)(counts).filter((part) => part !== "");
  // Programs may have given up on calls that belong to no run.
  const failures = counts.faults === 0 ? "" : met(counts.faults);
  if (!isWell(counts)) return `${parts.join(comma)}${end}${failures}`;
  if (failures !== "") return `${[noNeed, ...parts].join(comma)}${end}${failures}`;
  return parts.length === 0 ? idle : `${well}${parts.join(comma)}${end}`;
}

interface GlanceWords {
  readonly well: string;
  readonly idle: string;
  readonly noNeed: string;
  readonly met: (faults: number) => string;
  readonly comma: string;
  readonly end: string;
  readonly trouble: (counts: GlanceCounts) => readonly string[];
  /** What is under way. */
  readonly at: (counts: GlanceCounts) => readonly string[];
}

function some(count: number, one: string, many: string): string {
  return count === 0 ? "" : `${count} ${count === 1 ? one : many}`;
}

const WORDS: Readonly<Record<Locale, GlanceWords>> = {
  "en": {
    well: "All is well: ",
    idle: "All is well. Nothing is running.",
    noNeed: "Nothing needs you",
    met: (faults) => ` Calls met ${some(faults, "failure", "failures")} in the last 24 hours.`,
    comma: ", ",
    end: ".",
    trouble: ({ questions, targetsOut, failed }) => [
      some(questions, "question waits for you", "questions wait for you"),
      some(targetsOut, "target is out of service", "targets are out of service"),
      some(failed, "run failed today", "runs failed today"),
    ],
    at: ({ running, queued, waiting, programs }) => [
      some(running, "run is working", "runs are working"),
      some(queued, "run is queued", "runs are queued"),
      some(waiting, "run waits and continues by itself", "runs wait and continue by themselves"),
      some(programs, "session of a program is open", "sessions of programs are open"),
    ],
  },
  "zh-CN": {
    well: "一切正常：",
    idle: "一切正常，目前没有运行。",
    noNeed: "没有需要您处理的事",
    met: (faults) => `过去 24 小时内调用遇到 ${faults} 次故障。`,
    comma: "，",
    end: "。",
    trouble: ({ questions, targetsOut, failed }) => [
      questions === 0 ? "" : `${questions} 个问题等待您处理`,
      targetsOut === 0 ? "" : `${targetsOut} 个目标已停用`,
      failed === 0 ? "" : `今天有 ${failed} 个运行失败`,
    ],
    at: ({ running, queued, waiting, programs }) => [
      running === 0 ? "" : `${running} 个运行正在进行`,
      queued === 0 ? "" : `${queued} 个运行排队中`,
      waiting === 0 ? "" : `${waiting} 个运行在等待，会自动继续`,
      programs === 0 ? "" : `${programs} 个程序会话进行中`,
    ],
  },
};
