// Holds in PostgreSQL follow the server's clock: a process whose clock is wrong, or is set while it works, takes nothing too early and
// keeps nothing too long.

import { afterEach, describe, expect, it, vi } from "vitest";
import type { Journal } from "../../src/journal/journal.ts";
import { openJournal } from "../../src/journal/open-journal.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";

const HOUR_MS = 3_600_000;
const HOLD_MS = 15_000;
const realNow = Date.now.bind(Date);
const opened: Journal[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const journal of opened.splice(0)) await journal.close();
});

/** From now on the clock of this machine is wrong by this much. */
function setClock(byMs: number): void {
  vi.spyOn(Date, "now").mockImplementation(() => realNow() + byMs);
}

async function open(url: string): Promise<Journal> {
  const journal = await openJournal(url);
  opened.push(journal);
  return journal;
}

const hold = (journal: Journal, owner: string, forMs = HOLD_MS) =>
  journal.hold("run", owner, Date.now() + forMs, Date.now());

describe.each([
  { wrong: "an hour ahead", byMs: HOUR_MS },
  { wrong: "an hour behind", byMs: -HOUR_MS },
])("a clock that is $wrong", ({ byMs }) => {
  it("takes no run from a process that holds it, whether it was wrong from the start or was set later", async () => {
    const url = await freshJournalUrl();
    const [right, later] = [await open(url), await open(url)];
    expect(await hold(right, "right")).toMatchObject({ granted: true });
    setClock(byMs);
    const wrong = await open(url);
    for (const journal of [wrong, later]) {
      const { granted, owner, until } = await hold(journal, "wrong");
      expect([granted, owner]).toEqual([false, "right"]);
      // As this process sees it: soon, although its clock is wrong.
      expect(Math.abs(until - Date.now() - HOLD_MS)).toBeLessThan(HOLD_MS / 2);
    }
  });

  it("keeps a run no longer than it says: others take it when its hold has run out by the server's clock", async () => {
    const url = await freshJournalUrl();
    const later = await open(url);
    setClock(byMs);
    const wrong = await open(url);
    for (const journal of [wrong, later]) {
      expect(await hold(journal, "wrong", 50)).toMatchObject({ granted: true });
      vi.restoreAllMocks();
      const right = await open(url);
      while (!(await hold(right, "right")).granted);
      await right.release("run", "right");
      setClock(byMs);
    }
  });

  it("lists and prunes holds by the server's clock", async () => {
    const url = await freshJournalUrl();
    const right = await open(url);
    await hold(right, "right");
    setClock(byMs);
    const wrong = await open(url);
    const [seen] = await wrong.holds();
    expect(Math.abs((seen?.until ?? 0) - Date.now() - HOLD_MS)).toBeLessThan(HOLD_MS / 2);
    await wrong.prune({ before: Date.now() });
    expect(await wrong.holds()).toHaveLength(1);
  });
});
