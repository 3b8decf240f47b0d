// A conformance suite for journals: run it against your own implementation to know that a runtime can rely on it.
// `src/journal/journal.ts` defines the promises J1 to J10.

import { describe, expect, it } from "vitest";
import { FaultError } from "../core/fault/fault.ts";
import type { JournalEvent } from "../core/record/event.ts";
import type { Journal } from "../journal/journal.ts";
import { codeOf, ended, note, readAll, started, turnEnded, type JournalUnderTest } from "./journal-samples.ts";
import { faultSuite } from "./journal-suite-faults.ts";
import { fileSuite } from "./journal-suite-files.ts";
import { holdSuite } from "./journal-suite-holds.ts";
import { keptSuite } from "./journal-suite-kept.ts";
import { positionSuite } from "./journal-suite-position.ts";
import { searchSuite } from "./journal-suite-search.ts";
import { subscriptionSuite } from "./journal-suite-subscribe.ts";

export type { JournalUnderTest } from "./journal-samples.ts";

export function journalSuite(name: string, open: () => Promise<JournalUnderTest>): void {
  async function using(test: (subject: JournalUnderTest) => Promise<void>): Promise<void> {
    const subject = await open();
    try {
      await test(subject);
    } finally {
      await subject.close();
    }
  }

  describe(`${name}: entries`, () => {
    it("are numbered from 1 and read back unchanged", () =>
      using(async ({ journal }) => {
        await journal.append("s", 0, [started("s", journal.storeId, 10), note("a", 11)]);
        await journal.append("s", 2, [note("b", 12)]);
        const entries = await readAll(journal, "s");
        expect(entries.map(({ seq, at }) => [seq, at])).toEqual([
          [1, 10],
          [2, 11],
          [3, 12],
        ]);
        expect(entries.map(({ event }) => event)).toEqual([
          started("s", journal.storeId, 10).event,
          note("a").event,
          note("b").event,
        ]);
        expect((await readAll(journal, "s", 2)).map(({ seq }) => seq)).toEqual([3]);
        expect(await readAll(journal, "nobody")).toEqual([]);
      }));

    it("of a long session come in order across pages", () =>
      using(async ({ journal }) => {
        const notes = Array.from({ length: 1100 }, (_, index) => note(`n${index}`, index));
        await journal.append("long", 0, notes);
        const entries = await readAll(journal, "long", 3);
        expect(entries.map(({ seq }) => seq)).toEqual(notes.slice(3).map((_, index) => index + 4));
        expect(entries.at(-1)?.event).toEqual(note("n1099").event);
      }));

    it("appended after a number that is not the last are rejected, together with the rest of their batch", () =>
      using(async ({ journal }) => {
        await journal.append("s", 0, [note("a"), note("b")]);
        for (const after of [0, 1, 3]) {
          const late = journal.append("s", after, [note("late")], [{ kind: "result", key: "s/late", value: 1 }]);
          expect(await codeOf(late)).toBe("EngineState");
        }
        expect(await codeOf(journal.append("new", 4, [note("late")]))).toBe("EngineState");
        expect(await readAll(journal, "s")).toHaveLength(2);
        expect(await journal.kept("result", "s/late")).toBeNull();
        expect(await journal.session("new")).toBeNull();
      }));

    it("of the first of two writers are kept, and only the second writer is rejected", () =>
      using(async ({ journal }) => {
        const results = await Promise.allSettled([
          journal.append("s", 0, [note("first")]),
          journal.append("s", 0, [note("second")]),
          journal.append("t", 0, [note("other")]),
          journal.append("s", 1, [note("next")]),
        ]);
        expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
        expect((await readAll(journal, "s")).map(({ event }) => event)).toEqual([
          note("first").event,
          note("next").event,
        ]);
      }));

    it("that JSON cannot represent are rejected without affecting other writes", () =>
      using(async ({ journal }) => {
        const cycle: Record<string, unknown> = {};
        cycle["self"] = cycle;
        const bad = { type: "extension-started", name: "x", cycle } as unknown as JournalEvent;
        const results = await Promise.allSettled([
          codeOf(journal.append("bad", 0, [{ at: 1, event: bad }])),
          codeOf(journal.append("bad", 0, [{ at: Number.NaN, event: note("x").event }])),
          codeOf(journal.append("a/b", 0, [note("x")])),
          codeOf(journal.append("", 0, [note("x")])),
          journal.append("good", 0, [note("x")]),
        ]);
        const codes = results.map(
          (result) => (result.status === "fulfilled" ? result.value : result.reason) as unknown,
        );
        expect(codes).toEqual([...Array.from({ length: 4 }, () => "ShapeInvalid"), undefined]);
        expect((await journal.sessions()).map(({ session }) => session)).toEqual(["good"]);
      }));

    it("do not change when the writer changes its objects afterwards", () =>
      using(async ({ journal }) => {
        const labels: Record<string, string> = { before: "yes" };
        const value = { list: [1] };
        const entry = started("s", journal.storeId, 1, labels);
        const written = journal.append("s", 0, [entry], [{ kind: "result", key: "s/c", value }]);
        labels["after"] = "yes";
        value.list.push(2);
        await written;
        expect((await readAll(journal, "s"))[0]?.event).toMatchObject({ manifest: { labels: { before: "yes" } } });
        expect(JSON.stringify(await readAll(journal, "s"))).not.toContain("after");
        expect(await journal.kept("result", "s/c")).toEqual({ list: [1] });
      }));

    it("of unknown future types are kept whole", () =>
      using(async ({ journal }) => {
        const types = ["from-the-future", "constructor", "__proto__"];
        const events = types.map((type) => ({ type, deep: { list: [1, null, "…"] } }) as unknown as JournalEvent);
        await journal.append(
          "s",
          0,
          events.map((event) => ({ at: 1, event })),
        );
        expect((await readAll(journal, "s")).map(({ event }) => event)).toEqual(events);
        expect((await journal.session("s"))?.status).toBe("open");
      }));
  });

  describe(`${name}: sessions`, () => {
    it("have a status, times and a last number that follow from their entries", () =>
      using(async ({ journal }) => {
        const status = async (): Promise<string | undefined> => (await journal.session("s"))?.status;
        await journal.append("s", 0, [started("s", journal.storeId, 5)]);
        expect(await journal.session("s")).toEqual({
          session: "s",
          status: "open",
          startedAt: 5,
          updatedAt: 5,
          lastSeq: 1,
        });
        await journal.append("s", 1, [turnEnded("waiting", 7)]);
        expect(await status()).toBe("waiting");
        await journal.append("s", 2, [{ at: 8, event: { type: "session-resumed", interrupted: [] } }]);
        expect(await status()).toBe("open");
        await journal.append("s", 3, [ended("done", 9), note("late", 10), turnEnded("waiting", 11)]);
        expect(await journal.session("s")).toEqual({
          session: "s",
          status: "done",
          startedAt: 5,
          updatedAt: 11,
          lastSeq: 6,
        });
        expect(await journal.session("nobody")).toBeNull();
      }));

    it("are listed newest first, by status and up to a limit", () =>
      using(async ({ journal }) => {
        for (const [session, at] of [
          ["b", 2],
          ["a", 1],
          ["c", 3],
          ["d", 3],
        ] as const) {
          await journal.append(session, 0, [started(session, journal.storeId, at)]);
        }
        await journal.append("c", 1, [ended("failed", 9)]);
        const names = async (...filter: Parameters<Journal["sessions"]>): Promise<readonly string[]> =>
          (await journal.sessions(...filter)).map(({ session }) => session);
        expect(await names()).toEqual(["d", "c", "b", "a"]);
        expect(await names({ status: "open" })).toEqual(["d", "b", "a"]);
        expect(await names({ status: "failed" })).toEqual(["c"]);
        expect(await names({ limit: 2 })).toEqual(["d", "c"]);
        expect(await names({ status: "open", limit: 1 })).toEqual(["d"]);
      }));

    it("that ended long ago are removed with all their data, and nothing else is removed", () =>
      using(async ({ journal }) => {
        const question = (session: string) => ({ id: "q", session });
        for (const session of ["old", "young", "open"]) {
          await journal.append(
            session,
            0,
            [started(session, journal.storeId, 1)],
            [
              { kind: "result", key: `${session}/c1`, value: 1 },
              { kind: "snapshot", key: session, value: 1 },
              { kind: "question", key: `q-${session}`, value: question(session) },
              { kind: "answer", key: `q-${session}`, value: "yes" },
              { kind: "run", key: session, value: 1 },
              { kind: "wake", key: session, value: 1 },
              { kind: "action", key: `${session}/a1`, value: 1 },
            ],
          );
        }
        await journal.keep([
          { kind: "breaker", key: "old/model", value: 1 },
          { kind: "definition", key: "old", value: "text" },
        ]);
        await journal.append("old", 1, [ended("cancelled", 50)]);
        await journal.append("young", 1, [ended("done", 100)]);
        expect(await journal.prune({ before: 100 })).toBe(1);
        expect(await journal.prune({ before: 100 })).toBe(0);
        expect((await journal.sessions()).map(({ session }) => session).sort()).toEqual(["open", "young"]);
        expect(await readAll(journal, "old")).toEqual([]);
        for (const kind of ["result", "snapshot", "question", "answer", "run", "wake", "action"] as const) {
          const keys = (await journal.keptAll(kind)).map(({ key }) => key);
          expect(keys.filter((key) => key.includes("old"))).toEqual([]);
          expect(keys).toHaveLength(2);
        }
        expect(await journal.kept("breaker", "old/model")).toBe(1);
        expect(await journal.kept("definition", "old")).toBe("text");
        // The name is free again.
        await journal.append("old", 0, [note("new life")]);
        expect(await journal.verify()).toEqual({ sessions: 3, entries: 4, firstBad: null });
      }));
  });

  describe(`${name}: the whole`, () => {
    it("reads back as it was written", () =>
      using(async ({ journal }) => {
        expect(await journal.verify()).toEqual({ sessions: 0, entries: 0, firstBad: null });
        await journal.append("s", 0, [note("a"), note("b", 1.5), note("€ \ud83d\ude00 \u2028", -3)]);
        await journal.append("t", 0, [note("c")]);
        expect(await journal.verify()).toEqual({ sessions: 2, entries: 4, firstBad: null });
      }));

    it("finishes pending writes when it is closed, and rejects later ones", () =>
      using(async ({ journal }) => {
        const pending = journal.append("s", 0, [note("a")]);
        await Promise.all([journal.close(), journal.close(), pending]);
        const refused = [
          journal.append("s", 1, [note("b")]),
          journal.keep([{ kind: "breaker", key: "api", value: 1 }]),
          journal.kept("breaker", "api"),
          journal.hold("k", "a", 2, 1),
          journal.release("k", "a"),
          journal.takeFrom("k", "a", "b", 2),
          journal.holds(),
          journal.sessions(),
          journal.verify(),
          journal.position(),
          journal.readFrom(0, { limit: 1 }),
          journal.faultGroups({ limit: 1 }),
          journal.prune({ before: 0 }),
          readAll(journal, "s"),
        ];
        for (const call of refused) expect(await codeOf(call)).toBe("EngineState");
        expect(() => journal.subscribe(() => undefined)).toThrow(FaultError);
      }));

    it("either outlives the process or says that it does not", () =>
      using(async ({ journal, reopen }) => {
        expect(journal.durable).toBe(reopen !== undefined);
        if (!journal.durable) expect(journal.path).toBeNull();
        if (reopen === undefined) return;
        const keeps = [{ kind: "result", key: "s/1", value: "kept" }] as const;
        await journal.append("s", 0, [started("s", journal.storeId, 1), ended("done", 2)], keeps);
        await journal.hold("s", "a", 100, 1);
        const before = { entries: await readAll(journal, "s"), sessions: await journal.sessions() };
        const again = await reopen();
        expect(again.storeId).toBe(journal.storeId);
        expect({ entries: await readAll(again, "s"), sessions: await again.sessions() }).toEqual(before);
        expect(await again.kept("result", "s/1")).toBe("kept");
        expect(await again.hold("s", "b", 200, 99)).toEqual({ granted: false, owner: "a", until: 100 });
        await again.append("s", 2, [note("more")]);
        expect(await again.verify()).toEqual({ sessions: 1, entries: 3, firstBad: null });
      }));
  });

  holdSuite(name, using);
  keptSuite(name, using);
  subscriptionSuite(name, using);
  positionSuite(name, using);
  faultSuite(name, using);
  searchSuite(name, using);
  fileSuite(name, using);
}
