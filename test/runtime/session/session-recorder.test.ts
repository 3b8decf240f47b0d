// When a session's events reach its journal.

import { describe, expect, it } from "vitest";
import { createRedactor, DEFAULT_POLICY, type Entry, fault } from "../../../src/core/index.ts";
import type { JournalEvent } from "../../../src/core/record/event.ts";
import { createMemoryJournal } from "../../../src/index.ts";
import { type DerivedKeep, SessionRecorder } from "../../../src/runtime/session/session-recorder.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";

const started = (turn: string): JournalEvent => ({ type: "turn-started", turn, deadlineAt: null });
const late = { type: "call-late", call: "c" } as unknown as JournalEvent;

function world() {
  const clock = createFakeClock(1_000);
  const journal = createMemoryJournal({ clock });
  const appends: string[][] = [];
  let before: (() => Promise<void>) | undefined;
  const beforeAppend = (act: () => Promise<void>): void => void (before = act);
  const nameOf = (event: JournalEvent): string => (event.type === "turn-started" ? event.turn : event.type);
  const written: string[] = [];
  const options = {
    ...{ session: "s", clock, policy: DEFAULT_POLICY, redactor: createRedactor([]), roll: () => 0.5, seq: 0 },
    journal: {
      ...journal,
      append: async (...given: Parameters<typeof journal.append>) => {
        await before?.();
        appends.push(given[2].map(({ event }) => nameOf(event)));
        return journal.append(...given);
      },
    },
    rescue: () => Promise.resolve(null),
    died: () => undefined,
    written: ({ event }: { readonly event: JournalEvent }, seq: number) => void written.push(`${seq} ${nameOf(event)}`),
  };
  const read = async (): Promise<readonly string[]> => {
    const found: Entry[] = [];
    for await (const entry of journal.read("s")) found.push(entry);
    return found.map(({ event, at }) => `${at} ${nameOf(event)}`);
  };
  return { recorder: new SessionRecorder(options), journal, clock, appends, written, read, beforeAppend };
}

describe("a note", () => {
  it("waits for the next append, and comes before what was recorded after it", async () => {
    const { recorder, appends, written, read, clock } = world();
    recorder.note(() => [started("noted")]);
    await Promise.resolve();
    expect(appends).toEqual([]);
    await clock.advance(5);
    await recorder.record([started("later")], [], 7);
    expect(appends).toEqual([["noted", "later"]]);
    expect(written).toEqual(["1 noted", "2 later"]);
    // It has the time at which it was made.
    expect(await read()).toEqual(["1005 noted", "7 later"]);
  });

  it("is written when the session is flushed, once, and nothing is written when there is none", async () => {
    const { recorder, appends } = world();
    await recorder.flush();
    recorder.note(() => [started("one")]);
    await recorder.flush();
    await recorder.flush();
    expect(appends).toEqual([["one"]]);
    recorder.note(() => [started("two")]);
    recorder.note(() => [started("three")]);
    await recorder.flush();
    recorder.note(() => [started("four")]);
    await recorder.settled();
    expect(appends).toEqual([["one"], ["two", "three"], ["four"]]);
  });
});

describe("what is recorded", () => {
  it("while an append is under way goes together with the next", async () => {
    const { recorder, appends } = world();
    await Promise.all(["a", "b", "c"].map((turn) => recorder.record([started(turn)], [], 1)));
    expect(appends).toEqual([["a"], ["b", "c"]]);
  });

  it("and cannot be written is refused alone", async () => {
    const { recorder, appends, read } = world();
    const ring: Record<string, unknown> = {};
    ring["self"] = ring;
    const bad = { kind: "wake", key: "s", value: ring } as const;
    const ends = await Promise.allSettled([
      recorder.record([started("a")], [], 1),
      recorder.record([started("b")], [], 1),
      recorder.record([started("c")], [bad], 1),
      recorder.record([started("d")], [], 1),
    ]);
    expect(ends.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled"]);
    await recorder.record([started("e")], [], 1);
    await recorder.record([started("f")], [], 1);
    expect(appends).toEqual([["a"], ["b", "c", "d"], ["b"], ["c"], ["d"], ["e"], ["f"]]);
    expect(await read()).toEqual(["1 a", "1 b", "1 d", "1 e", "1 f"]);
    expect(recorder.deadFault).toBeNull();
  });

  it("comes with the values that follow from it when they say something new", async () => {
    const { recorder, journal } = world();
    const kept: unknown[] = [];
    const derived = (says: string, value: unknown): DerivedKeep => ({ kind: "run", key: "s", value, says });
    let next = derived("x", { n: 1 });
    recorder.deriveKeeps(() => [next]);
    for (const one of [next, derived("x", { n: 2 }), derived("y", { n: 3 })]) {
      next = one;
      await recorder.record([started("a")], [], 1);
      kept.push(await journal.kept("run", "s"));
    }
    expect(kept).toEqual([{ n: 1 }, { n: 1 }, { n: 3 }]);
  });

  it.each([
    { stands: "the same", entries: [{ at: 1, turn: "a" }], isDone: true },
    { stands: "another event", entries: [{ at: 1, turn: "b" }], isDone: false },
    { stands: "another time", entries: [{ at: 2, turn: "a" }], isDone: false },
    { stands: "one more", entries: [{ at: 1, turn: "a" }, { at: 1, turn: "b" }], isDone: false }, // prettier-ignore
  ])("and meets $stands in the journal after an append that seemed to fail is done: $isDone", async (row) => {
    const { recorder, journal, clock, beforeAppend } = world();
    let isFirst = true;
    beforeAppend(async () => {
      if (!isFirst) return;
      isFirst = false;
      await journal.append(
        "s",
        0,
        row.entries.map(({ at, turn }) => ({ at, event: started(turn) })),
      );
      throw new Error("disk I/O error");
    });
    const [end] = await clock.runUntil(Promise.allSettled([recorder.record([started("a")], [], 1)]));
    expect([end.status, recorder.deadFault === null]).toEqual([row.isDone ? "fulfilled" : "rejected", row.isDone]);
  });

  it("is refused when the session is over, but for what comes late", async () => {
    const { recorder, appends } = world();
    recorder.close("done");
    recorder.close("failed");
    expect(recorder.closedAs).toBe("done");
    await expect(recorder.record([started("a")], [], 1)).rejects.toMatchObject({ fault: { code: "EngineState" } });
    await recorder.record([late], [], 1);
    await recorder.record([], [], 1);
    expect(appends).toEqual([["call-late"]]);
  });

  it("is refused when another process has taken over, also what waits and what comes late", async () => {
    const { recorder, appends } = world();
    const first = recorder.record([started("a")], [], 1);
    const waiting = recorder.record([started("b")], [], 1);
    recorder.abandon(fault("ResumeMismatch"), "open");
    recorder.abandon(fault("EngineState"), "done");
    const ends = await Promise.allSettled([first, waiting, recorder.record([late], [], 1)]);
    expect(ends.slice(1).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect([recorder.deadFault?.code, recorder.closedAs]).toEqual(["ResumeMismatch", "open"]);
    expect(appends).toEqual([["a"]]);
  });
});
