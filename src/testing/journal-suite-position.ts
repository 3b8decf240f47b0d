// The journal suite's tests of positions (J8): one order over all sessions, in which a reader can continue.

import { describe, expect, it } from "vitest";
import type { Journal, Positioned } from "../journal/journal.ts";
import { codeOf, ended, listen, note, type Using } from "./journal-samples.ts";

const names = (rows: readonly Positioned[]): readonly string[] =>
  rows.map(({ entry: { session, seq } }) => `${session}${seq}`);

/** Page by page, as a reader that remembers the last position does. */
async function readOn(journal: Journal, from: number, limit: number): Promise<readonly Positioned[]> {
  const found: Positioned[] = [];
  for (let position = from; ;) {
    const page = await journal.readFrom(position, { limit });
    found.push(...page);
    if (page.length < limit) return found;
    position = page.at(-1)?.position ?? position;
  }
}

async function fill(journal: Journal, sessions: readonly string[], rounds: number): Promise<void> {
  for (let after = 0; after < rounds; after++)
    await Promise.all(sessions.map((session) => journal.append(session, after, [note("x")])));
}

export function positionSuite(name: string, using: Using): void {
  describe(`${name}: positions`, () => {
    it("grow over all sessions in the order in which entries were written", () =>
      using(async ({ journal }) => {
        expect(await journal.position()).toEqual({ first: 0, last: 0 });
        await journal.append("s", 0, [note("a"), note("b")]);
        await journal.append("t", 0, [note("c")]);
        await journal.append("s", 2, [note("d")]);
        const rows = await journal.readFrom(0, { limit: 10 });
        expect(names(rows)).toEqual(["s1", "s2", "t1", "s3"]);
        const positions = rows.map(({ position }) => position);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
        expect(new Set(positions).size).toBe(4);
        expect(await journal.position()).toEqual({ first: 0, last: positions.at(-1) });
        expect(rows[0]?.entry).toEqual({ session: "s", seq: 1, at: 0, event: note("a").event });
      }));

    it("lead a reader from page to page without a gap or a repetition", () =>
      using(async ({ journal }) => {
        await fill(journal, ["a", "b", "c"], 100);
        const { last } = await journal.position();
        const all = await journal.readFrom(0, { limit: Infinity });
        expect(all).toHaveLength(300);
        expect(await readOn(journal, 0, 7)).toEqual(all);
        expect(await readOn(journal, all[120]?.position ?? 0, 50)).toEqual(all.slice(121));
        expect(await journal.readFrom(last, { limit: 5 })).toEqual([]);
      }));

    it("are never given again, and `first` says which readers missed something", () =>
      using(async ({ journal, reopen }) => {
        await journal.append("old", 0, [note("a"), ended("done", 1)]);
        await journal.append("young", 0, [note("b")]);
        await journal.append("old too", 0, [note("c"), ended("done", 1)]);
        const before = await journal.readFrom(0, { limit: 9 });
        expect(await journal.prune({ before: 5 })).toBe(2);
        const removed = before.at(-1)?.position;
        expect(await journal.position()).toEqual({ first: removed, last: removed });
        expect(names(await journal.readFrom(0, { limit: 9 }))).toEqual(["young1"]);
        const now = reopen === undefined ? journal : await reopen();
        await now.append("new", 0, [note("d")]);
        const rows = await now.readFrom(removed ?? 0, { limit: 9 });
        expect(names(rows)).toEqual(["new1"]);
        expect(rows[0]?.position).toBeGreaterThan(removed ?? Infinity);
        expect(await now.position()).toEqual({ first: removed, last: rows[0]?.position });
      }));

    it("that are not whole numbers from 0 are rejected", () =>
      using(async ({ journal }) => {
        for (const position of [-1, 0.5, Number.NaN, Infinity]) {
          expect(await codeOf(journal.readFrom(position, { limit: 1 }))).toBe("ShapeInvalid");
          expect(() => journal.subscribe(() => undefined, { position })).toThrow(/whole number from 0/);
        }
      }));
  });

  describe(`${name}: a subscriber from a position`, () => {
    it("gets what lies behind it and then what is written, each once, in order, with its position", () =>
      using(async ({ journal }) => {
        await fill(journal, ["a", "b"], 400);
        const start = (await journal.readFrom(0, { limit: 10 })).at(-1)?.position ?? 0;
        const seen: Positioned[] = [];
        const done = Promise.withResolvers<null>();
        const stop = journal.subscribe(
          (entry, position) => {
            seen.push({ position, entry });
            if (entry.session === "end") done.resolve(null);
          },
          { position: start },
        );
        // Some of these come while the subscriber catches up.
        for (let after = 0; after < 50; after++) await journal.append("live", after, [note("x")]);
        await journal.append("end", 0, [note("x")]);
        await done.promise;
        expect(seen).toEqual(await journal.readFrom(start, { limit: Infinity }));
        expect(seen).toHaveLength(790 + 51);
        stop();
      }));

    it("of one session gets that session's entries behind it", () =>
      using(async ({ journal }) => {
        await fill(journal, ["a", "b"], 3);
        const middle = (await journal.readFrom(0, { limit: 4 })).at(-1)?.position ?? 0;
        const ofB = listen(journal, { session: "b", position: middle });
        const ofNew = listen(journal, { session: "new", position: middle });
        await journal.append("new", 0, [note("x")]);
        await journal.append("b", 3, [note("x")]);
        expect((await ofB.until(2)).map(({ seq }) => seq)).toEqual([3, 4]);
        expect((await ofNew.until(1)).map(({ seq }) => seq)).toEqual([1]);
      }));

    it("is not disturbed by five hundred others from other positions that come and go", () =>
      using(async ({ journal }) => {
        await fill(journal, ["a", "b", "c"], 200);
        const old = await journal.readFrom(0, { limit: Infinity });
        const from = (index: number): number => old[index]?.position ?? 0;
        const readers = Array.from({ length: 500 }, (_, index) => {
          const seen: number[] = [];
          const position = from((index * 7) % 600);
          const stop = journal.subscribe(
            (_entry, at) => {
              seen.push(at);
              // Every fifth has enough after a while.
              if (index % 5 === 0 && seen.length === 20) stop();
            },
            { position },
          );
          return { seen, position, leaves: index % 5 === 0 };
        });
        const last = listen(journal);
        await journal.append("live", 0, [note("x")]);
        await last.until(1);
        await fill(journal, ["d", "e"], 20);
        const slowest = listen(journal, { position: 0 });
        await slowest.until(641);
        for (const { seen, position, leaves } of readers) {
          const behind = (await journal.readFrom(position, { limit: leaves ? 20 : Infinity })).map(
            (row) => row.position,
          );
          expect(seen).toEqual(behind);
        }
        expect(last.entries).toHaveLength(41);
      }));
  });
}
