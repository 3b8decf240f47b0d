// A run is advanced by one process at a time: whoever holds its key in the journal. The hold is renewed while the work goes
// on; a process that is known to be dead loses it at once, one that only seems so when its time is over.

import { classify } from "../core/classify/classify.ts";
import type { Clock } from "../host/clock.ts";
import type { Worker } from "../host/worker.ts";
import type { Hold, Journal } from "../journal/journal.ts";

/** Long enough for a busy machine, short enough for a person who waits. */
const HOLD_MS = 15_000;

export interface HeldRun {
  release(): Promise<void>;
}

export interface HoldHome {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly worker: Worker;
}

/** null: another process has it. `lost` is called when somebody else took it over meanwhile. */
export async function holdRun(home: HoldHome, run: string, lost: () => void): Promise<HeldRun | null> {
  const { journal, clock, worker } = home;
  if (!(await take(home, run)).granted) return null;
  let isOver = false;
  let disarm: () => void = () => undefined;
  const renew = (): void => {
    disarm = clock.after(HOLD_MS / 3, () => {
      journal.hold(run, worker.name, clock.now() + HOLD_MS, clock.now()).then(
        ({ granted }) => {
          if (isOver) return;
          if (granted) renew();
          else lost();
        },
        (error: unknown) => {
          // The store may answer the next time; if it does not, what is written fails and says so.
          classify({ surface: "store", error });
          if (!isOver) renew();
        },
      );
    });
  };
  renew();
  return {
    async release() {
      isOver = true;
      disarm();
      await journal.letGo(run, worker.name);
    },
  };
}

async function take({ journal, clock, worker }: HoldHome, run: string): Promise<Hold> {
  const now = clock.now();
  const asked = await journal.hold(run, worker.name, now + HOLD_MS, now);
  if (asked.granted || !worker.isGone(asked.owner)) return asked;
  return journal.takeFrom(run, asked.owner, worker.name, now + HOLD_MS);
}
