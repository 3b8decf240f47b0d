// Prompts and answers that are kept while the journal is busy, and removed when their time is over.

import { expect, it } from "vitest";
import { Transcripts, transcriptOf } from "../../../src/gateway/ledger/transcripts.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { createMemoryJournal } from "../../../src/journal/memory/memory-journal.ts";

const RULE = { prompts: true, answers: true, forDays: 1 };
const NOW = 1_000;

/** A journal whose writes wait. Each `end` lets the oldest one succeed, or fail with an error. */
function slowJournal(): { readonly journal: Journal; readonly end: (error?: Error) => Promise<void> } {
  const memory = createMemoryJournal();
  const writes: ((error?: Error) => void)[] = [];
  const keep: Journal["keep"] = (changes) =>
    new Promise((resolve, reject) => {
      writes.push((error) => {
        if (error === undefined) memory.keep(changes).then(resolve, reject);
        else reject(error);
      });
    });
  const end = async (error?: Error): Promise<void> => {
    await expect.poll(() => writes.length).toBeGreaterThan(0);
    writes.shift()?.(error);
  };
  return { journal: { ...memory, keep }, end };
}

const ENDS = [
  { name: "the first write succeeds", error: undefined, first: "prompt of 1" },
  { name: "the journal refuses the first write for good", error: new Error("refused"), first: undefined },
];

it.each(ENDS)("what comes during a write is written by the next one: $name", async ({ error, first }) => {
  const { journal, end } = slowJournal();
  const transcripts = new Transcripts(journal, (text) => text);
  const add = (call: string): void => transcripts.add(call, NOW, RULE, { prompt: `prompt of ${call}`, answer: null });
  add("1");
  const writing = transcripts.write(NOW);
  add("2");
  add("3");
  await end(error);
  if (error === undefined) await writing;
  else {
    await expect(writing).rejects.toBe(error);
    transcripts.drop();
  }
  expect(transcripts.waiting).toBe(2);
  const again = transcripts.write(NOW);
  await end();
  await again;
  expect(transcripts.waiting).toBe(0);
  const kept = await Promise.all(["1", "2", "3"].map((call) => transcriptOf(journal, call, NOW)));
  expect(kept.map((one) => one?.prompt)).toEqual([first, "prompt of 2", "prompt of 3"]);
});

const DAY_MS = 86_400_000;
/** How many calls of a key whose prompts are kept for longer come before each one of the other key. More than one page of what is pruned at once. */
const LONGER = [0, 1, 250];

it.each(LONGER)("what is over is removed although %s older calls are kept for longer", async (count) => {
  const journal = createMemoryJournal();
  const transcripts = new Transcripts(journal, (text) => text);
  const add = (call: string, at: number, forDays: number): void =>
    transcripts.add(call, at, { ...RULE, forDays }, { prompt: call, answer: null });
  for (let number = 0; number < count; number++) add(`long ${number}`, NOW, 365);
  add("short", NOW + 1, 1);
  await transcripts.write(NOW + 1);
  expect(await journal.kept("transcript", "short")).not.toBeNull();
  await transcripts.write(NOW + 1 + DAY_MS);
  expect(await journal.kept("transcript", "short")).toBeNull();
  const left = await Promise.all(
    Array.from({ length: count }, (_none, number) => transcriptOf(journal, `long ${number}`, NOW)),
  );
  expect(left.every((one) => one !== null)).toBe(true);
});

it("a journal that refuses to prune loses nothing that comes meanwhile", async () => {
  const memory = createMemoryJournal();
  const refusal = new Error("refused");
  const journal: Journal = { ...memory, keptByTime: () => Promise.reject(refusal) };
  const transcripts = new Transcripts(journal, (text) => text);
  transcripts.add("1", NOW, RULE, { prompt: "prompt of 1", answer: null });
  const writing = transcripts.write(NOW);
  transcripts.add("2", NOW, RULE, { prompt: "prompt of 2", answer: null });
  await expect(writing).rejects.toBe(refusal);
  transcripts.drop();
  expect(transcripts.waiting).toBe(1);
});
