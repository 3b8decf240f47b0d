// How a test that waits for something outside its own event loop looks again: a few turns at once, and then a moment apart. What it waits for is
// most often another process or thread, which needs the processor itself.

import { systemClock } from "../../src/host/clock.ts";

/** What is quick has come by then. */
const TURNS_AT_ONCE = 20;
const LOOK_AGAIN_MS = 1;

/** Returns a function that calls `look` after the next turn of the event loop, or a moment later. */
export function createLookAgain(): (look: () => void) => void {
  let turns = 0;
  return (look) => {
    turns += 1;
    if (turns <= TURNS_AT_ONCE) systemClock.soon(look);
    else void systemClock.after(LOOK_AGAIN_MS, look);
  };
}

/** Resolves when `isSo`; the test's own time limit ends a wait for what never comes. */
export async function until(isSo: () => boolean): Promise<void> {
  const again = createLookAgain();
  while (!isSo()) await new Promise<void>((resolve) => again(resolve));
}
