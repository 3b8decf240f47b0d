// A clock for workflows that use sockets and processes. Time advances only when every socket is idle, every file is written, and
// every started process has ended, except those that have reported that they hang.

import { systemClock } from "../../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSocketClock } from "../../support/socket-clock.ts";

/** `hanging`: how many of the running processes are known to be idle forever. */
export function createMatrixClock(startAt: number, hanging: () => number): FakeClock {
  // It has no timers of its own: advancing it by 0 waits until the sockets are idle.
  const sockets = createSocketClock(0);
  /** What looks again when that may have ended: at once after a file, a moment later after a process, which needs the processor itself. */
  const waitOn = (): ((look: () => void) => void) | null => {
    const resources = process.getActiveResourcesInfo();
    // A shared disk may take a second for what usually takes a millisecond.
    if (resources.some((kind) => FILE_WORK.has(kind))) return (look) => systemClock.soon(look);
    const processes = countOf(resources, "ProcessWrap");
    return processes > 0 && processes > hanging() ? (look) => void systemClock.after(LOOK_AGAIN_MS, look) : null;
  };
  return createFakeClock(startAt, (next) => {
    const look = (): void => {
      const wait = waitOn();
      if (wait !== null) return wait(look);
      void sockets.advance(0).then(() => {
        const again = waitOn();
        if (again === null) next();
        else again(look);
      });
    };
    look();
  });
}

const LOOK_AGAIN_MS = 2;

const FILE_WORK: ReadonlySet<string> = new Set(["FSReqPromise", "FSReqCallback", "CloseReq"]);

function countOf(resources: readonly string[], wanted: string): number {
  return resources.filter((kind) => kind === wanted).length;
}
