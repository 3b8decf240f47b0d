// Random interleavings of several writers: numbering without gaps, and the same content in memory and in SQLite.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFaultError } from "../../src/core/fault/fault.ts";
import type { Journal, Keep } from "../../src/journal/journal.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { ended, listen, note, readAll } from "../../src/testing/journal-samples.ts";
import { tempFolder } from "./temp-folder.ts";

type Step =
  | {
      readonly do: "append";
      readonly session: string;
      readonly size: number;
      readonly lag: number;
      readonly keep: boolean;
      readonly ends: boolean;
    }
  | { readonly do: "keep"; readonly key: string; readonly value: number | null }
  | { readonly do: "keep-first"; readonly key: string; readonly value: number };

const session = fc.constantFrom("s1", "s2", "s3");
const key = fc.constantFrom("s1", "s1/a", "s2/a", "s10/a");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("append" as const),
      session,
      size: fc.integer({ min: 0, max: 4 }),
      // How far the writer's idea of the end is off: mostly 0.
      lag: fc.oneof(
        { weight: 5, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: -2, max: 2 }) },
      ),
      keep: fc.boolean(),
      ends: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("keep" as const), key, value: fc.option(fc.integer()) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("keep-first" as const), key, value: fc.integer() }) },
);
/** The steps of one turn are requested at once, without waiting for each other. */
const turns = fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { maxLength: 12 });

interface Told {
  readonly results: readonly unknown[];
  readonly content: unknown;
  readonly heard: readonly string[];
}

async function play(journal: Journal, story: readonly (readonly Step[])[]): Promise<Told> {
  const results: unknown[] = [];
  const all = listen(journal);
  let at = 0;
  let written = 0;
  for (const turn of story) {
    const ends = new Map<string, number>();
    for (const name of ["s1", "s2", "s3"]) ends.set(name, (await journal.session(name))?.lastSeq ?? 0);
    const asked = turn.map((one) => perform(journal, one, ends, ++at));
    const settled = await Promise.allSettled(asked);
    results.push(...settled.map((result) => (result.status === "fulfilled" ? result.value : codeIn(result.reason))));
    written += settled.reduce((sum, { status }, index) => sum + (status === "fulfilled" ? sizeOf(turn[index]) : 0), 0);
    await all.until(written);
  }
  return { results, content: await contentOf(journal), heard: all.entries.map((entry) => JSON.stringify(entry)) };
}

function perform(journal: Journal, one: Step, ends: Map<string, number>, at: number): Promise<unknown> {
  switch (one.do) {
    case "append": {
      const believed = Math.max(0, (ends.get(one.session) ?? 0) + one.lag);
      const size = sizeOf(one);
      const entries = Array.from({ length: size }, (_, index) =>
        one.ends && index === size - 1 ? ended("done", at) : note(`${at}-${index}`, at),
      );
      const keeps: readonly Keep[] = one.keep ? [{ kind: "result", key: `${one.session}/a`, value: { at } }] : [];
      // The next steps of this turn build on this one; a wrong guess makes them come too late.
      if (one.lag === 0) ends.set(one.session, believed + size);
      return journal.append(one.session, believed, entries, keeps);
    }
    case "keep":
      return journal.keep([{ kind: "action", key: one.key, value: one.value }]);
    case "keep-first":
      return journal.keepFirst({ kind: "action", key: one.key, value: one.value });
  }
}

function sizeOf(one: Step | undefined): number {
  return one?.do === "append" ? one.size : 0;
}

function codeIn(error: unknown): string {
  if (isFaultError(error)) return error.fault.code;
  throw error;
}

async function contentOf(journal: Journal): Promise<unknown> {
  const sessions = await journal.sessions();
  const entries = [];
  for (const { session: name, lastSeq } of sessions) {
    const found = await readAll(journal, name);
    expect(found.map(({ seq }) => seq)).toEqual(Array.from({ length: lastSeq }, (_, index) => index + 1));
    entries.push(found);
  }
  return { sessions, entries, kept: await journal.keptAll("result"), under: await journal.keptAll("result", "s1") };
}

describe("random interleavings of several writers", () => {
  it("give the same answers, the same content and the same news in memory and in SQLite", async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 0, max: 80 }), async (story, before) => {
        const folder = tempFolder();
        const memory = createMemoryJournal();
        const sqlite = await openSqliteJournal(folder.file("journal.db"));
        try {
          const [inMemory, onDisk] = [await play(memory, story), await play(sqlite, story)];
          expect(onDisk).toEqual(inMemory);
          expect(await sqlite.verify()).toEqual(await memory.verify());
          expect(await sqlite.prune({ before })).toBe(await memory.prune({ before }));
          expect(await contentOf(sqlite)).toEqual(await contentOf(memory));
          expect(await sqlite.verify()).toEqual(await memory.verify());
        } finally {
          await Promise.all([memory.close(), sqlite.close()]);
          folder.remove();
        }
      }),
      { numRuns: 40 },
    );
  });
});
