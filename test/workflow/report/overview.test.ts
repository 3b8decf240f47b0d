// A journal at a glance: what is counted, and what no longer needs anyone.

import { describe, expect, it } from "vitest";
import { createMemoryJournal } from "../../../src/index.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { overviewOf } from "../../../src/workflow/report/overview.ts";

const NOON = Date.UTC(2026, 0, 2, 12);
const run = (name: string, status: string, startedAt: number, more: object = {}): object => ({
  ...{ run: name, workflow: "w", status, startedAt, code: null, successor: null, spentMicrocents: 10, nodes: [] },
  ...more,
});

describe("an overview", () => {
  it("leaves out questions that have an answer, and runs that were continued or began before today", async () => {
    const journal = createMemoryJournal();
    const runs = [
      run("a", "running", NOON - 1_000),
      run("b", "failed", NOON - 2_000, { code: "AuthFailed" }),
      run("c", "failed", NOON - 3_000, { code: "AuthFailed", successor: "a" }),
      run("d", "failed", NOON - 13 * 3_600_000, { code: "AuthFailed" }),
      run("e", "running", NOON - 4_000),
      run("f", "running", NOON - 5_000),
      run("g", "running", NOON - 6_000),
      run("h", "paused", NOON - 7_000),
    ];
    await journal.keep([
      ...["q1", "q2"].map((key) => ({
        kind: "question" as const,
        key,
        value: { id: key, session: "a", askedAt: NOON },
      })),
      { kind: "answer", key: "q1", value: { status: "accepted" } },
      ...runs.map((value) => ({ kind: "run" as const, key: (value as { run: string }).run, value })),
      // It asks a person, so it does not continue by itself although it has a time.
      { kind: "wake", key: "a", value: NOON + 5_000 },
      { kind: "wake", key: "e", value: NOON + 6_000 },
      { kind: "wake", key: "b", value: NOON - 5_000 },
      { kind: "wake", key: "g", value: NOON - 5_000 },
      { kind: "wake", key: "h", value: NOON - 5_000 },
    ]);
    expect(await overviewOf(journal, NOON, new Set(["f"]))).toMatchObject({
      questions: { count: 1, isMore: false, first: [{ id: "q2" }] },
      running: { count: 1, first: [{ run: "f" }] },
      // One that no process has taken up, and one whose time has come.
      queued: { count: 2, first: [{ run: "g" }, { run: "h" }] },
      waiting: { count: 1, first: [{ run: "e", nextAt: NOON + 6_000 }] },
      failed: [{ code: "AuthFailed", count: 1, newest: "b" }],
      spentMicrocents: 70,
      since: NOON - 12 * 3_600_000,
      isPartial: false,
    });
  });

  it.each([
    { open: 100, isMore: false },
    { open: 101, isMore: true },
  ])("looks up the newest 100 programs that are open: of $open there are more: $isMore", async ({ open, isMore }) => {
    const clock = createFakeClock(NOON);
    const journal = createMemoryJournal({ clock });
    const manifest = { contract: 1, mode: "headless", createdAt: NOON, labels: {}, storeId: journal.storeId } as const;
    for (let index = 0; index < open; index++) {
      const event = { type: "session-started", manifest: { ...manifest, sessionId: `s${index}` } } as const;
      await journal.append(`s${index}`, 0, [{ at: NOON + index, event }]);
    }
    const { programs } = await overviewOf(journal, NOON, new Set());
    expect([programs.count, programs.isMore, programs.first.length]).toEqual([open, isMore, 20]);
    expect(programs.first[0]).toMatchObject({ session: `s${open - 1}` });
  });

  it("counts up to a limit, and says that there are more", async () => {
    const journal = createMemoryJournal();
    const many = Array.from({ length: 600 }, (_, index) => run(`r${index}`, "running", NOON - index));
    await journal.keep(many.map((value, index) => ({ kind: "run", key: `r${index}`, value })));
    const { running, spentMicrocents, isPartial } = await overviewOf(
      journal,
      NOON,
      new Set(many.map((one) => (one as { run: string }).run)),
    );
    expect([running.count, running.isMore, running.first.length]).toEqual([500, true, 20]);
    expect([spentMicrocents, isPartial]).toEqual([5_000, true]);
  });
});
