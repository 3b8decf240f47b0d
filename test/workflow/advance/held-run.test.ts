// How often a process renews its hold on the run that it advances.

import { expect, it } from "vitest";
import { createMemoryJournal, type Journal } from "../../../src/index.ts";
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
