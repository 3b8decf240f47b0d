// The full-text index in SQLite finds exactly what a plain scan finds.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { Journal } from "../../src/journal/journal.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { failed } from "../../src/testing/journal-samples.ts";
import { tempFolder } from "./temp-folder.ts";
import { samples } from "../support/grid.ts";

const text = (maxLength: number): fc.Arbitrary<string> =>
  fc.string({
    unit: fc.constantFrom("a", "B", "b", "c", " ", '"', "*", "-", "余", "额", "😀", "ﬁ", "é", "\u0301", "\n"),
    maxLength,
  });

/** As many failures as go into the index together. */
const FILLERS = Array.from({ length: 256 }, () => "zzz");

it("finds what a scan of the texts finds, for any text and any question", async () => {
  const folder = tempFolder();
  let files = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(text(12), { minLength: 1, maxLength: 8 }),
      fc.array(text(4), { minLength: 1, maxLength: 6 }),
      async (messages, questions) => {
        const journals: readonly Journal[] = [
          createMemoryJournal(),
          await openSqliteJournal(folder.file(`${++files}.db`)),
        ];
        const answers = await Promise.all(
          journals.map(async (journal) => {
            // The first ones are in the full-text index, the last ones are not yet.
            const all = [...messages, ...FILLERS, ...messages];
            await journal.append(
              "s",
              0,
              all.map((message, index) => failed(index, { call: `c${index}`, message })),
            );
            const found = await Promise.all(questions.map((question) => journal.search(question, { limit: Infinity })));
            await journal.close();
            return found;
          }),
        );
        expect(answers[1]).toEqual(answers[0]);
      },
    ),
    { numRuns: samples(12, 40) },
  );
  folder.remove();
});
