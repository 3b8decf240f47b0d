// Sessions that readers look at again and again: each entry is folded once, and the sessions read last stay folded.

import { expect, it } from "vitest";
import { createMemoryJournal, type Entry } from "../../../src/index.ts";
import { FoldedSessions } from "../../../src/workflow/report/timelines.ts";

class Fold {
  readonly turns: string[] = [];

  feed({ event }: Entry): void {
    if (event.type === "turn-started") this.turns.push(event.turn);
  }
}

const entry = (turn: string): { at: number; event: Entry["event"] } => ({
  at: 1,
  event: { type: "turn-started", turn, deadlineAt: null },
});

it("folds the entries that are new, and no entry twice", async () => {
  const journal = createMemoryJournal();
  const begun: string[] = [];
  const folded = new FoldedSessions(journal, (session) => {
    begun.push(session);
    return new Fold();
  });
  await journal.append("s", 0, [entry("a"), entry("b")]);
  const first = await folded.read("s");
  expect(first.turns).toEqual(["a", "b"]);
  await journal.append("s", 2, [entry("c")]);
  const both = await Promise.all([folded.read("s"), folded.read("s")]);
  expect(both.map(({ turns }) => turns)).toEqual(Array(2).fill(["a", "b", "c"]));
  expect(begun).toEqual(["s"]);
});

it("keeps the sixteen sessions that were read last", async () => {
  const journal = createMemoryJournal();
  const begun: string[] = [];
  const folded = new FoldedSessions(journal, (session) => {
    begun.push(session);
    return new Fold();
  });
  const names = Array.from({ length: 16 }, (_one, index) => `s${index}`);
  for (const name of names) await folded.read(name);
  await folded.read("s0");
  await folded.read("one more");
  expect(begun.splice(0)).toEqual([...names, "one more"]);
  for (const name of ["s0", "s2", "one more", "s1"]) await folded.read(name);
  expect(begun).toEqual(["s1"]);
});
