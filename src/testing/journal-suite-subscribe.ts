// The journal suite's tests of subscribers: each entry once, in order, and only after it was written.

import { describe, expect, it } from "vitest";
import type { Entry } from "../core/record/event.ts";
import { codeOf, listen, note, readAll, type Using } from "./journal-samples.ts";

const numbers = (entries: readonly Entry[]): readonly number[] => entries.map(({ seq }) => seq);

export function subscriptionSuite(name: string, using: Using): void {
  describe(`${name}: a subscriber`, () => {
    it("gets every new entry of all sessions in the order they were written", () =>
      using(async ({ journal }) => {
        await journal.append("s", 0, [note("before")]);
        const all = listen(journal);
        await Promise.all([
          journal.append("s", 1, [note("a"), note("b")]),
          journal.append("t", 0, [note("c")]),
          journal.append("s", 3, [note("d")]),
        ]);
        const entries = await all.until(4);
        expect(entries.map(({ session, seq }) => `${session}${seq}`)).toEqual(["s2", "s3", "t1", "s4"]);
        expect(entries[0]?.event).toEqual(note("a").event);
      }));

    it("of one session gets no entries of others, and past entries only on request", () =>
      using(async ({ journal }) => {
        await journal.append("s", 0, [note("before")]);
        const ofSession = listen(journal, { session: "s" });
        const fromStart = listen(journal, { session: "s", after: 0 });
        await journal.append("t", 0, [note("other")]);
        await journal.append("s", 1, [note("now")]);
        expect(numbers(await fromStart.until(2))).toEqual([1, 2]);
        expect(numbers(await ofSession.until(1))).toEqual([2]);
      }));

    it("that subscribes late gets the past entries and then the new ones, without gaps or repetition", () =>
      using(async ({ journal }) => {
        await journal.append(
          "s",
          0,
          Array.from({ length: 700 }, (_, index) => note(`n${index}`)),
        );
        const late = listen(journal, { session: "s", after: 10 });
        // Some entries follow before the first delivery, some during it, and some afterwards.
        for (let after = 700; after < 760; after++) await journal.append("s", after, [note("live")]);
        await late.until(750);
        await journal.append("s", 760, [note("last")]);
        expect(numbers(await late.until(751))).toEqual(Array.from({ length: 751 }, (_, index) => index + 11));
      }));

    it("that throws is reported once and still gets the next entry", () =>
      using(async ({ journal, troubles }) => {
        const seen: number[] = [];
        journal.subscribe(({ seq }) => {
          seen.push(seq);
          throw new Error(`listener failed at ${seq}`);
        });
        const later: (entry: Entry) => unknown = ({ seq }) => Promise.reject(new Error(`later failed at ${seq}`));
        journal.subscribe(later);
        const other = listen(journal);
        await journal.append("s", 0, [note("a"), note("b")]);
        await journal.append("s", 2, [note("c")]);
        expect(numbers(await other.until(3))).toEqual([1, 2, 3]);
        expect(seen).toEqual([1, 2, 3]);
        for (const first of ["listener failed at 1", "later failed at 1"])
          expect(troubles.filter((text) => text.includes(first))).toHaveLength(1);
        expect(troubles.filter((text) => text.includes("failed at"))).toHaveLength(2);
      }));

    it("that subscribes while another one is far behind gets only new entries", () =>
      using(async ({ journal }) => {
        let late: readonly Entry[] = [];
        const stop = journal.subscribe(({ seq }) => {
          if (seq === 1) late = listen(journal).entries;
        });
        const other = listen(journal);
        await journal.append(
          "s",
          0,
          Array.from({ length: 600 }, () => note("x")),
        );
        await other.until(600);
        await journal.append("s", 600, [note("last")]);
        await other.until(601);
        expect(numbers(late)).toEqual([601]);
        stop();
      }));

    it("is not called after it has unsubscribed", () =>
      using(async ({ journal }) => {
        const stays = listen(journal);
        const goes = listen(journal);
        const ofOne = listen(journal, { session: "s" });
        const seen: number[] = [];
        const stop = journal.subscribe(({ seq }) => {
          seen.push(seq);
          stop();
        });
        const seenOfOne: number[] = [];
        const stopOfOne = journal.subscribe(
          ({ seq }) => {
            seenOfOne.push(seq);
            stopOfOne();
          },
          { session: "s" },
        );
        await journal.append("s", 0, [note("a"), note("b")]);
        await stays.until(2);
        goes.stop();
        ofOne.stop();
        await journal.append("s", 2, [note("c")]);
        await stays.until(3);
        expect([seen, seenOfOne]).toEqual([[1], [1]]);
        expect(numbers(goes.entries)).toEqual([1, 2]);
        expect(numbers(ofOne.entries)).toEqual([1, 2]);
      }));

    it("may write and subscribe from its callback, and sees only written entries", () =>
      using(async ({ journal }) => {
        const there: Promise<number>[] = [];
        let stop: () => void = () => undefined;
        const outer = Promise.withResolvers<undefined>();
        const inner = new Promise<readonly Entry[]>((resolve) => {
          stop = journal.subscribe((entry) => {
            there.push(readAll(journal, "s", entry.seq - 1).then((entries) => entries[0]?.seq ?? 0));
            if (entry.seq === 1) resolve(listen(journal, { session: "s", after: 0 }).until(3));
            if (entry.seq === 2) void journal.append("s", 2, [note("from inside")]);
            if (entry.seq === 3) outer.resolve(undefined);
          });
        });
        await journal.append("s", 0, [note("a"), note("b")]);
        expect(numbers(await inner)).toEqual([1, 2, 3]);
        // Either of the two may get the third entry first.
        await outer.promise;
        expect(await Promise.all(there)).toEqual([1, 2, 3]);
        stop();
      }));

    it("is not called for a rejected append", () =>
      using(async ({ journal }) => {
        const all = listen(journal);
        await journal.append("s", 0, [note("a")]);
        expect(await codeOf(journal.append("s", 0, [note("refused")]))).toBe("EngineState");
        await journal.append("s", 1, [note("b")]);
        expect((await all.until(2)).map(({ event }) => event)).toEqual([note("a").event, note("b").event]);
      }));
  });
}
