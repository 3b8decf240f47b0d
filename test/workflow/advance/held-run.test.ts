// Holds on runs: how often a process renews them, when it takes one over, and when it has lost one.

import { describe, expect, it } from "vitest";
import { createMemoryJournal, fault, FaultError, type Journal } from "../../../src/index.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { RunHolds } from "../../../src/workflow/advance/held-run.ts";
import { worker } from "../../support/engine-world.ts";

it("renews three times in the time that a hold lasts, so that two of them may fail, and never once it is released", async () => {
  const clock = createFakeClock(1_000_000);
  const kept = createMemoryJournal({ clock });
  const holds: { readonly at: number; readonly lastsMs: number }[] = [];
  const journal: Journal = {
    ...kept,
    hold: (key, holder, until, now) => {
      holds.push({ at: clock.now(), lastsMs: until - now });
      return kept.hold(key, holder, until, now);
    },
  };
  const held = await new RunHolds({ journal, clock, worker: worker() }).take("run_1", () => undefined);
  const lastsMs = holds[0]?.lastsMs ?? 0;
  expect(lastsMs).toBeGreaterThan(0);
  await clock.advance(3 * lastsMs);
  expect(holds).toEqual(Array.from({ length: 10 }, (_one, nth) => ({ at: 1_000_000 + (nth * lastsMs) / 3, lastsMs })));
  await held?.release();
  await clock.advance(3 * lastsMs);
  expect(holds).toHaveLength(10);
});

const HOLD_MS = 15_000;
const NOW = 1_000_000;

describe("a run that another process holds", () => {
  it.each([
    { leftMs: 0, isGone: false, isTaken: true, why: "its hold is over" },
    { leftMs: 1, isGone: false, isTaken: false, why: "its hold lasts" },
    { leftMs: HOLD_MS, isGone: false, isTaken: false, why: "it has just taken it" },
    { leftMs: HOLD_MS + 1, isGone: false, isTaken: true, why: "its clock was ahead when it took it" },
    { leftMs: HOLD_MS, isGone: true, isTaken: true, why: "it is gone" },
  ])("is taken from it: $isTaken, because $why", async ({ leftMs, isGone, isTaken }) => {
    const clock = createFakeClock(NOW);
    const journal = createMemoryJournal({ clock });
    const holds = new RunHolds({ journal, clock, worker: { name: "me", isGone: () => isGone } });
    // A process that has just started does not know whether its clock was set.
    await clock.advance(HOLD_MS);
    await journal.hold("run_1", "other", clock.now() + leftMs, clock.now() - 1);
    expect((await holds.take("run_1", () => undefined)) !== null).toBe(isTaken);
    expect(await journal.holds()).toMatchObject([{ owner: isTaken ? "me" : "other" }]);
  });

  it("is not taken from it when this process's clock has just been set back, only a while later", async () => {
    const clock = createFakeClock(NOW);
    const journal = createMemoryJournal({ clock });
    const holds = new RunHolds({ journal, clock, worker: worker("me") });
    await journal.hold("run_1", "other", NOW + HOLD_MS, NOW);
    clock.set(-60_000);
    expect(await holds.take("run_1", () => undefined)).toBeNull();
    await clock.advance(HOLD_MS);
    expect(await holds.take("run_1", () => undefined)).not.toBeNull();
  });
});

describe("a hold that is renewed", () => {
  it.each([
    { answer: "refused", isLost: true },
    { answer: "StoreUnavailable", isLost: false },
    { answer: "ManifestDrift", isLost: true },
  ] as const)("and gets $answer is lost: $isLost", async ({ answer, isLost }) => {
    const clock = createFakeClock(NOW);
    const kept = createMemoryJournal({ clock });
    let asks = 0;
    const journal: Journal = {
      ...kept,
      hold: async (...asked) => {
        if (++asks !== 2) return kept.hold(...asked);
        if (answer !== "refused") throw new FaultError(fault(answer));
        return { granted: false, owner: "other", until: NOW };
      },
    };
    let lost = 0;
    await new RunHolds({ journal, clock, worker: worker() }).take("run_1", () => void lost++);
    await clock.advance(HOLD_MS);
    expect([lost, asks]).toEqual(isLost ? [1, 2] : [0, 4]);
  });
});
