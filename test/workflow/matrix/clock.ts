// A clock that the test owns, for workflows that talk over sockets and start processes: time moves on only when every socket is at
// rest, every file is written, and every process that was started has ended, but for those that have said that they will hang for ever.

import { systemClock } from "../../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSocketClock } from "../../support/socket-clock.ts";

/** `hanging`: how many of the running processes are known to do nothing any more. */
export function createMatrixClock(startAt: number, hanging: () => number): FakeClock {
  // Has no timers of its own: moving it by nothing waits until the sockets are at rest.
  const sockets = createSocketClock(0);
  const isBusy = (): boolean => {
    const resources = process.getActiveResourcesInfo();
    // A disk that others use may take a second for what is usually a millisecond.
    return resources.some((kind) => FILE_WORK.has(kind)) || countOf(resources, "ProcessWrap") > hanging();
  };
  return createFakeClock(startAt, (next) => {
    const look = (): void => {
      if (isBusy()) return systemClock.soon(look);
      void sockets.advance(0).then(() => (isBusy() ? systemClock.soon(look) : next()));
    };
    look();
  });
}

const FILE_WORK: ReadonlySet<string> = new Set(["FSReqPromise", "FSReqCallback", "CloseReq"]);

function countOf(resources: readonly string[], wanted: string): number {
  return resources.filter((kind) => kind === wanted).length;
}
