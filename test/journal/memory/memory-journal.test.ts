// What is special about the journal in memory: its limit.

import { describe, expect, it } from "vitest";
import { createMemoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { ended, listen, note, readAll } from "../../../src/testing/journal-samples.ts";

describe("a journal in memory that is full", () => {
  it("drops the sessions that ended first, with their kept values, and none that is still open", async () => {
    const journal = createMemoryJournal({ maxEntries: 20 });
    for (const session of ["first", "second"]) {
      const keeps = [{ kind: "result", key: `${session}/c`, value: 1 }] as const;
      await journal.append(session, 0, [note("a"), note("b")], keeps);
    }
    await journal.append(
      "open",
      0,
      Array.from({ length: 10 }, () => note("x")),
    );
    await journal.append("second", 2, [ended("done", 1)]);
    await journal.append("first", 2, [ended("failed", 2)]);
    await journal.append(
      "more",
      0,
      Array.from({ length: 5 }, () => note("x")),
    );
    expect((await journal.sessions()).map(({ session }) => session).sort()).toEqual(["first", "more", "open"]);
    expect(await journal.keptAll("result")).toEqual([{ key: "first/c", value: 1 }]);
    await journal.append(
      "open",
      10,
      Array.from({ length: 30 }, () => note("x")),
    );
    expect((await journal.sessions()).map(({ session }) => session).sort()).toEqual(["more", "open"]);
    expect(await readAll(journal, "open")).toHaveLength(40);
    expect(await journal.verify()).toEqual({ sessions: 2, entries: 45, firstBad: null });
  });

  it("counts a dropped session that comes back as the newest", async () => {
    const journal = createMemoryJournal({ maxEntries: 8 });
    const whole = (at: number): Parameters<typeof journal.append>[2] => [note("x"), note("x"), ended("done", at)];
    const names = async (): Promise<readonly string[]> =>
      (await journal.sessions()).map(({ session }) => session).sort();
    for (const [at, session] of ["back", "b", "c", "d"].entries()) await journal.append(session, 0, whole(at));
    expect(await names()).not.toContain("back");
    const before = await names();
    await journal.append("back", 0, whole(4));
    await journal.append("e", 0, whole(5));
    const left = await names();
    expect(left).toContain("back");
    expect(left).not.toContain(before[0]);
  });

  it("keeps a session that has just ended until another one is written", async () => {
    const journal = createMemoryJournal({ maxEntries: 5 });
    await journal.append("large", 0, [...Array.from({ length: 9 }, () => note("x")), ended("done", 1)]);
    expect(await readAll(journal, "large")).toHaveLength(10);
    await journal.append("next", 0, [note("x")]);
    expect(await readAll(journal, "large")).toEqual([]);
  });

  it("still delivers new entries to subscribers", async () => {
    const journal = createMemoryJournal({ maxEntries: 4, chance: createSeededChance(1) });
    expect(journal.storeId).toBe("store_1");
    const all = listen(journal);
    for (let round = 1; round <= 10; round++) {
      await journal.append(`s${round}`, 0, [note("a"), ended("done", round)]);
      await all.until(round * 2);
    }
    expect(all.entries.map(({ session, seq }) => `${session}.${seq}`)).toEqual(
      Array.from({ length: 10 }, (_, index) => [`s${index + 1}.1`, `s${index + 1}.2`]).flat(),
    );
  });

  it("reopens an ended session, and then does not drop it", async () => {
    const journal = createMemoryJournal({ maxEntries: 4 });
    await journal.append("s", 0, [note("a"), ended("failed", 1)]);
    await journal.append("s", 2, [{ at: 2, event: { type: "session-resumed", interrupted: [] } }]);
    await journal.append("t", 0, [note("a"), note("b"), note("c")]);
    expect(await readAll(journal, "s")).toHaveLength(3);
  });
});
