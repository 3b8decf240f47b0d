// Mutants that no test can notice, because the program behaves the same with them. They are left out of samples.

import type { Mutant } from "./sample.ts";

export interface Equivalent extends Pick<Mutant, "file" | "text" | "from" | "to"> {
  /** Where `from` stands in `text`. The same token elsewhere in the line is another mutant. */
  readonly columns: readonly number[];
  readonly why: string;
}

export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: "src/core/json-fields.ts",
    text: 'return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;',
    columns: [68],
    from: ">",
    to: ">=",
    why: "0 gives 0 on both ways",
  },
  {
    file: "src/runtime/tool/binding.ts",
    text: "if (this.#fault === null || !isA(error, Error)) return null;",
    columns: [4],
    from: "this.#fault === null || !isA(error, Error)",
    to: "false",
    why: "saves time only: the return below gives null too, and something that is not an error has another prototype",
  },
  {
    file: "src/runtime/tool/binding.ts",
    text: "if (this.#fault === null || !isA(error, Error)) return null;",
    columns: [25],
    from: "||",
    to: "&&",
    why: "saves time only, as above",
  },
  {
    file: "src/provider/wire/framing.ts",
    text: "if (head.length < HEAD_CHARACTERS) head = (head + text).slice(0, HEAD_CHARACTERS);",
    columns: [16],
    from: "<",
    to: "<=",
    why: "a head that is full stays as it is when more is added and cut off again",
  },
  {
    file: "src/provider/model/stream-sink.ts",
    text: "while (said < delta.length && said < this.saidAgain.length && delta[said] === this.saidAgain[said]) said += 1;",
    columns: [12, 35],
    from: "<",
    to: "<=",
    why: "past the end of either text there is no character, which equals none of the other text",
  },
  {
    file: "src/core/fault/known-values.ts",
    text: "for (let at = text.lastIndexOf(CUT); at > 0 && cuts.length < 2 * MAX_CUTS; at = text.lastIndexOf(CUT, at - 1))",
    columns: [42],
    from: "0",
    to: "1",
    why: "the first places of a text are already in the list when this loop adds its last places",
  },
  {
    file: "src/runtime/call/loop.ts",
    text: "const MOST_LAUNCHES = 20;",
    columns: [22],
    from: "20",
    to: "21",
    why: "both ways through a call do the same; the number only bounds the depth of the stack",
  },
  {
    file: "src/runtime/call/settle.ts",
    text: "if (!binding.costs) binding.noteCost();",
    columns: [4],
    from: "!binding.costs",
    to: "true",
    why: "noting a cost twice does the same as noting it once",
  },
  {
    file: "src/journal/sqlite/writes.ts",
    text: "if (at > updatedAt) updatedAt = at;",
    columns: [7],
    from: ">",
    to: ">=",
    why: "assigns the value that is already there",
  },
  {
    file: "src/core/classify/timing.ts",
    text: "(signals.timings.size === 0 ? undefined : fromBody(signals)) ??",
    columns: [1],
    from: "signals.timings.size === 0",
    to: "false",
    why: "saves time only: without timings, the body gives undefined",
  },
  {
    file: "src/runtime/wheel.ts",
    text: "if (time < this.armedFor) this.arm(now);",
    columns: [9],
    from: "<",
    to: "<=",
    why: "arm does nothing unless the time is earlier than the one it is armed for",
  },
  {
    file: "src/runtime/wheel.ts",
    text: "if (time < this.armedFor) this.arm(now);",
    columns: [4],
    from: "time < this.armedFor",
    to: "true",
    why: "as above",
  },
  {
    file: "src/core/classify/read-text.ts",
    text: "if (letter < ASCII) {",
    columns: [11],
    from: "<",
    to: "<=",
    why: "U+0080 is in no phrase, so it has the column of letters that are in none, and that is how it is followed otherwise, too",
  },
  {
    file: "src/core/classify/times.ts",
    text: "const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;",
    columns: [15, 45, 57, 69],
    from: "0",
    to: "1",
    why: "the format has every part; the compiler cannot know",
  },
  {
    file: "src/core/record/fault-index.ts",
    text: "a.recourse < b.recourse ? -1 : 1,",
    columns: [27, 31],
    from: "1",
    to: "2",
    why: "sorting asks for the sign only",
  },
  {
    file: "src/journal/memory/memory-journal.ts",
    text: "if (entries.length > 0) feed.wakeSoon(session);",
    columns: [4],
    from: "entries.length > 0",
    to: "true",
    why: "saves time only: subscribers that are woken without a new entry get none",
  },
  {
    file: "src/workflow/advance/node-results.ts",
    text: "this.#seen.set(key, { upTo, latest });",
    columns: [0],
    from: "this.#seen.set(key, { upTo, latest });",
    to: ";",
    why: "saves time only: visits that are not remembered are read again",
  },
  {
    file: "src/workflow/define.ts",
    text: "maxCostMicrocents: 0,",
    columns: [19],
    from: "0",
    to: "1",
    why: "defineWorkflow sets the amount from maxUsd, and a run that is only to be ended keeps its own limits",
  },
  {
    file: "src/runtime/report/reports.ts",
    text: "after = page.at(-1);",
    columns: [17],
    from: "1",
    to: "2",
    why: "the next page begins with the last session of this one: it is over and not listed, or it is passed over again",
  },
  {
    file: "src/journal/files/artefacts.ts",
    text: "const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;",
    columns: [58],
    from: ">=",
    to: ">",
    why: "no text has the byte 0xc0; the other two comparisons have a test",
  },
  {
    file: "src/core/classify/read-text.ts",
    text: "for (let end = ending[state] ?? 0; end !== 0; end = ending[suffix[end] ?? 0] ?? 0)",
    columns: [32, 74, 80],
    from: "0",
    to: "1",
    why: "a typed array has a number at every state; the compiler cannot know",
  },
  {
    file: "src/runtime/recorder.ts",
    text: "if (this.listeners.size > 0) this.tell(entry);",
    columns: [24],
    from: ">",
    to: ">=",
    why: "saves time only: without a listener, no one hears the event either way",
  },
  {
    file: "src/journal/sqlite/writes.ts",
    text: "if (heads.size >= MAX_HEADS) heads.clear();",
    columns: [15],
    from: ">=",
    to: ">",
    why: "a head that is not in memory is read from the file; one more or less in memory changes no answer",
  },
  {
    file: "src/journal/sqlite/fault-reads.ts",
    text: ".all(fingerprint, after?.at ?? Infinity, after?.position ?? 0, Number.isFinite(limit) ? limit : -1)",
    columns: [60],
    from: "0",
    to: "1",
    why: "without a place to begin at, the time is endless, and no failure has that time: positions are not compared",
  },
  {
    file: "src/runtime/wheel.ts",
    text: "const smaller = (heap[right] ?? Infinity) < (heap[left] ?? Infinity) ? right : left;",
    columns: [42],
    from: "<",
    to: "<=",
    why: "of two equal times, either may come first",
  },
  {
    file: "src/core/decide/decide.ts",
    text: "return { delayMs: retry === null ? 0 : delayMs(retry, attempt + 1, roll), serverWait: false };",
    columns: [35],
    from: "0",
    to: "1",
    why: "without a retry in the row, the wait is not used",
  },
];

export function isEquivalent(mutant: Mutant): boolean {
  return EQUIVALENTS.some(
    ({ file, text, columns, from, to }) =>
      file === mutant.file &&
      text === mutant.text &&
      columns.includes(mutant.column) &&
      from === mutant.from &&
      to === mutant.to,
  );
}
