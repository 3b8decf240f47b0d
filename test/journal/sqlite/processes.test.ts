// Several real processes on one journal file.

import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { POLL_MS, QUIET_POLLS, watchChanges } from "../../../src/journal/sqlite/change-watcher.ts";
import { openSqliteJournal } from "../../../src/journal/sqlite/sqlite-journal.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { codeOf, listen, note, readAll } from "../../../src/testing/journal-samples.ts";
import { thrownBy } from "../../support/thrown.ts";
import { startWriter } from "../start-writer.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";

let folder: TempFolder;
let path: string;
const open: Journal[] = [];

beforeEach(() => {
  folder = tempFolder();
  path = folder.file("journal.db");
});
afterEach(async () => {
  for (const journal of open.splice(0)) await journal.close();
  folder.remove();
});

/** Stands still until it is moved, and then waits for real files. */
function realTurnClock(): FakeClock {
  return createFakeClock(0, (next) => systemClock.soon(next));
}

async function openHere(options: Parameters<typeof openSqliteJournal>[1] = {}): Promise<Journal> {
  const journal = await openSqliteJournal(path, options);
  open.push(journal);
  return journal;
}

describe("several processes on one file", () => {
  it("lose nothing, number without gaps, and are all seen by a subscriber in one order", async () => {
    const journal = await openHere();
    const all = listen(journal);
    const names = ["w1", "w2", "w3", "w4"];
    const count = 150;
    const writers = names.map((name) => startWriter("hammer", path, name, count));
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });

    const shares = Math.ceil(count / 5);
    const expected = names.length * (count + shares);
    const seen = await all.until(expected);
    expect(seen).toHaveLength(expected);
    for (const session of [...names, "shared"]) {
      const ofSession = seen.filter((entry) => entry.session === session);
      expect(ofSession.map(({ seq }) => seq)).toEqual(ofSession.map((_, index) => index + 1));
      expect(ofSession).toEqual(await readAll(journal, session));
    }
    // Each process's entries in the shared session are there once.
    const shared = (await readAll(journal, "shared")).map(({ event }) => JSON.stringify(event));
    expect(new Set(shared).size).toBe(names.length * shares);
    expect(await journal.verify()).toEqual({ sessions: names.length + 1, entries: expected, firstBad: null });

    const byNumber = new DatabaseSync(path, { readOnly: true });
    const inOrder = byNumber.prepare("SELECT session, seq FROM events ORDER BY id").all();
    byNumber.close();
    expect(seen.map(({ session, seq }) => ({ session, seq }))).toEqual(inOrder.map((row) => ({ ...row })));
  });

  it("are followed by a subscriber from a position, across its own restarts, without a gap", async () => {
    const writers = ["w1", "w2", "w3"].map((name) => startWriter("hammer", path, name, 60));
    const seen: number[] = [];
    const expected = 3 * (60 + 12);
    while (seen.length < expected) {
      const journal = await openHere({ onWarning: () => undefined });
      const more = Promise.withResolvers<null>();
      const goal = Math.min(expected, seen.length + 40);
      // The next process continues where this one stopped.
      const stop = journal.subscribe(
        (_entry, position) => {
          seen.push(position);
          if (seen.length < goal) return;
          stop();
          more.resolve(null);
        },
        { position: seen.at(-1) ?? 0 },
      );
      await more.promise;
      await journal.close();
    }
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });
    const journal = await openHere();
    const all = await journal.readFrom(0, { limit: Infinity });
    expect(seen).toEqual(all.map(({ position }) => position));
    expect(await journal.position()).toEqual({ first: 0, last: expected });
  });

  it("agree on one store when they create the file at the same time", async () => {
    const writers = ["w1", "w2", "w3"].map((name) => startWriter("hammer", path, name, 1));
    const journals = await Promise.all([openHere(), openHere(), openHere()]);
    expect(new Set(journals.map(({ storeId }) => storeId)).size).toBe(1);
    for (const { ended } of writers) expect(await ended).toEqual({ code: 0, signal: null, stderr: "" });
    expect(await journals[0].verify()).toEqual({ sessions: 4, entries: 6, firstBad: null });
  });

  it("find everything that a killed one had reported to be on disk", async () => {
    const writer = startWriter("acknowledge", path, "w");
    await writer.said(50);
    writer.child.kill("SIGKILL");
    expect((await writer.ended).signal).toBe("SIGKILL");
    const acknowledged = Number(writer.lines.at(-1));
    const journal = await openHere();
    const entries = await readAll(journal, "w");
    expect(entries.length).toBeGreaterThanOrEqual(acknowledged);
    expect(await journal.verify()).toEqual({ sessions: 1, entries: entries.length, firstBad: null });
  });
});

describe("a store that is locked by another process", () => {
  it("is retried a few times, each with a warning, and then the write is refused as unavailable", async () => {
    const clock = realTurnClock();
    const troubles: string[] = [];
    const journal = await openHere({
      clock,
      onWarning: ({ code, context }) => void troubles.push(`${code} ${String(context["attempts"])}`),
    });
    const holder = startWriter("hold", path, "");
    await holder.said(1);
    const refused = [journal.append("s", 0, [note("a")]), journal.keep([{ kind: "breaker", key: "b", value: 1 }])].map(
      thrownBy,
    );
    const errors = await clock.runUntil(Promise.all(refused));
    for (const error of errors) {
      expect(error).toMatchObject({
        fault: { code: "StoreUnavailable", context: { attempts: 6 } },
        cause: { code: "ERR_SQLITE_ERROR" },
      });
    }
    expect(troubles).toEqual([1, 2, 3, 4, 5].map((attempt) => `StoreUnavailable ${attempt}`));
    // Linear: 25, 50, 75, 100 and 125 ms.
    expect(clock.now()).toBe(375);
    // Reads continue in the meantime.
    expect(await readAll(journal, "s")).toEqual([]);

    holder.child.stdin.end();
    expect(await holder.ended).toEqual({ code: 0, signal: null, stderr: "" });
    await clock.runUntil(journal.append("s", 0, [note("a")]));
    expect(await readAll(journal, "s")).toHaveLength(1);
    await clock.runUntil(journal.close());
  });

  it("is written to as soon as it is released, with everything that queued up", async () => {
    const holder = new DatabaseSync(path);
    const troubles: string[] = [];
    const journal = await openHere({
      onWarning: (_fault, what) => {
        troubles.push(what);
        if (troubles.length === 2) holder.exec("COMMIT");
      },
    });
    holder.exec("BEGIN IMMEDIATE");
    const first = journal.append("s", 0, [note("a")]);
    const second = journal.append("t", 0, [note("b")]);
    await Promise.all([first, second, journal.keep([{ kind: "breaker", key: "x", value: 1 }])]);
    expect(troubles).toHaveLength(2);
    expect((await journal.sessions()).map(({ session }) => session).sort()).toEqual(["s", "t"]);
    holder.close();
  });
});

describe("entries of other processes", () => {
  it("are found by polling every few milliseconds, together with own entries in the order of the store", async () => {
    const clock = realTurnClock();
    const journal = await openHere({ clock });
    const other = await openHere();
    const all = listen(journal);
    await other.append("o", 0, [note("a")]);
    expect(all.entries).toEqual([]);
    // An own write finds what came before it.
    await clock.runUntil(journal.append("s", 0, [note("b")]));
    expect(all.entries.map(({ session }) => session)).toEqual(["o", "s"]);
    await other.append("o", 1, [note("c")]);
    await clock.advance(POLL_MS);
    expect(all.entries.map(({ session, seq }) => `${session}${seq}`)).toEqual(["o1", "s1", "o2"]);
    all.stop();
    expect(clock.pending).toBe(0);
    await clock.runUntil(journal.close());
  });

  it("are still found after a long quiet time without polling", async () => {
    const clock = realTurnClock();
    const journal = await openHere({ clock });
    const other = await openHere();
    await other.append("o", 0, [note("before")]);
    const ofOne = listen(journal, { session: "o", after: 0 });
    expect(await clock.runAll()).toBeGreaterThan(QUIET_POLLS);
    expect(clock.pending).toBe(0);
    for (let round = 1; round <= 3; round++) {
      await other.append("o", round, [note("a")]);
      await ofOne.until(round + 1);
      await clock.runAll();
    }
    expect(ofOne.entries.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await clock.runUntil(journal.close());
    expect(clock.pending).toBe(0);
  });

  it("do not keep a finished process alive that forgot to unsubscribe", async () => {
    const writer = startWriter("forget", path, "w");
    expect(await writer.ended).toEqual({ code: 0, signal: null, stderr: "" });
    expect(writer.lines).toEqual(["1"]);
    // It did not close the journal either; the next program opens it all the same.
    const next = await openSqliteJournal(path);
    expect(await readAll(next, "w")).toHaveLength(1);
    await next.close();
  });

  it("are polled forever where the system cannot watch a file, with one warning", async () => {
    const clock = createFakeClock();
    const troubles: string[] = [];
    let changes = 0;
    let asked = 0;
    const others = watchChanges(
      {
        logPath: folder.file("not-there"),
        isAwaited: () => true,
        hasChanged: () => {
          if (++asked % 50 === 7) throw new Error("the store is away");
          return asked % 50 === 0;
        },
      },
      clock,
      (_fault, what) => void troubles.push(what),
      () => void changes++,
    );
    others.lookClosely();
    await clock.advance(POLL_MS * 100);
    expect([asked, changes]).toEqual([100, 2]);
    expect(troubles.filter((what) => what.startsWith("watching"))).toHaveLength(1);
    expect(troubles.filter((what) => what.startsWith("looking"))).toHaveLength(2);
    others.stop();
    expect(clock.pending).toBe(0);
  });
});

describe("a second process that was faster", () => {
  it("makes the first one's next append fail, although it has the session in memory", async () => {
    const [journal, other] = [await openHere(), await openHere()];
    await journal.append("s", 0, [note("a")]);
    await other.append("s", 1, [note("b")]);
    expect(await codeOf(journal.append("s", 1, [note("late")]))).toBe("EngineState");
    await journal.append("s", 2, [note("c")]);
    expect(await codeOf(other.append("s", 2, [note("late")]))).toBe("EngineState");
    expect((await readAll(other, "s")).map(({ event }) => event)).toEqual(
      ["a", "b", "c"].map((name) => note(name).event),
    );
    expect(await journal.verify()).toMatchObject({ firstBad: null });
  });
});
