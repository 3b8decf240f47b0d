// A timeline over real runs and sessions: spans end once and in order, every attempt is one of them, and reading in steps changes nothing.

import { describe, expect, it } from "vitest";
import { fault, FaultError, type JournalEvent } from "../../../src/index.ts";
import type { Entry } from "../../../src/core/record/event.ts";
import { Timeline } from "../../../src/core/record/timeline.ts";
import { type EngineWorld, engineWorld } from "../../support/engine-world.ts";

async function entriesOf(world: EngineWorld, run: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of world.journal.read(run)) entries.push(entry);
  return entries;
}

/** Takes five seconds and fails, so many times. */
const failing = (times: number, take: (ms: number) => Promise<void>) => {
  let count = 0;
  return async () => {
    if (++count > times) return count;
    await take(5_000);
    throw new FaultError(fault("NetworkTimeout"));
  };
};

/** Two branches side by side with one slot, a stage that is tried again after a minute, a gate. */
async function someRun() {
  const take = (ms: number): Promise<void> => new Promise((resolve) => void world.clock.after(ms, resolve));
  const world: EngineWorld = await engineWorld({
    id: "some",
    limits: { maxParallel: 1 },
    stages: {
      start: { act: () => "go", next: () => ({ kind: "fan", nodes: ["left", "right"], join: "end", failFast: false }) },
      left: {
        act: failing(2, take),
        idempotent: true,
        retryPolicy: { maxAttempts: 3, backoff: { kind: "fixed", initialMs: 60_000 }, jitter: 0 },
        next: () => ({ kind: "end", outcome: "" }),
      },
      right: { act: () => "right", next: () => ({ kind: "end", outcome: "" }) },
      end: { act: () => "end", next: () => null },
    },
  });
  const run = await world.start();
  for (
    let end = await world.advance(run);
    end.status === "paused" && end.wakeAt !== null;
    end = await world.advance(run)
  )
    await world.clock.advance(end.wakeAt - world.clock.now());
  return { world, run, entries: await entriesOf(world, run) };
}

describe("a timeline", () => {
  it("has one span for every attempt of a node, with its failure and what it led to", async () => {
    const { run, entries } = await someRun();
    const line = new Timeline(run);
    for (const entry of entries) line.feed(entry);
    const attempts = line.spans.filter(({ kind }) => kind === "turn").map(({ name, status }) => [name, status]);
    expect(Object.fromEntries(attempts)).toEqual({
      "start#1.1": "done",
      "left#1.1": "failed",
      "right#1.1": "done",
      "left#1.2": "failed",
      "left#1.3": "done",
      "end#1.1": "done",
    });
    expect(attempts).toHaveLength(6);
    const [first] = line.spans.filter(({ name }) => name === "left#1.1");
    expect(first).toMatchObject({ resolution: "retry", fault: { code: "NetworkTimeout" } });
    expect(first?.decision).toMatchObject({ recourse: "retry", delayMs: 60_000 });
    expect(line.moves.map(({ from, to }) => [from, to])).toEqual([
      ["start", "left"],
      ["start", "right"],
    ]);
  });

  it("tells how long a visit waited, queued and worked", async () => {
    const { world, run, entries } = await someRun();
    const line = new Timeline(run);
    for (const entry of entries) line.feed(entry);
    const times = line.times(world.clock.now());
    expect(times.get("left#1")).toEqual({ queuedMs: 0, waitedMs: 120_000, workedMs: 10_000 });
    // One slot for both.
    expect(times.get("right#1")).toEqual({ queuedMs: 5_000, waitedMs: 0, workedMs: 0 });
  });

  it("ends every span once and never before it begins, in whatever steps it is read", async () => {
    const { run, entries } = await someRun();
    const whole = new Timeline(run);
    for (const entry of entries) whole.feed(entry);
    expect(whole.spans.filter(({ endAt }) => endAt === null)).toEqual([]);
    for (const { startAt, endAt } of whole.spans) expect(endAt).toBeGreaterThanOrEqual(startAt);
    for (let cut = 0; cut <= entries.length; cut++) {
      const line = new Timeline(run);
      for (const entry of entries.slice(0, cut)) line.feed(entry);
      // A reader that looks again may be given what it has seen.
      for (const entry of entries) line.feed(entry);
      expect(line.spans).toEqual(whole.spans);
    }
  });

  it("never has two waits at once within one visit or call", async () => {
    const { run, entries } = await someRun();
    const line = new Timeline(run);
    for (const entry of entries) line.feed(entry);
    const byName = Map.groupBy(
      line.spans.filter(({ kind }) => kind === "wait"),
      ({ name }) => name,
    );
    for (const waits of byName.values()) {
      for (const [index, { endAt }] of waits.entries())
        expect(waits[index + 1]?.startAt ?? Infinity).toBeGreaterThanOrEqual(endAt ?? Infinity);
    }
  });

  it("skips types that a newer program wrote", () => {
    const line = new Timeline("s");
    const event = { type: "from-the-future", call: "c" } as unknown as JournalEvent;
    expect(() => line.feed({ session: "s", seq: 1, at: 1, event })).not.toThrow();
    expect(line.spans).toEqual([]);
  });
});
