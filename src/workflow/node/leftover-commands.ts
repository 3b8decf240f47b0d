// Names a command so that a later process finds what a killed one left running: `killMarked` ends the old command before the call runs
// again, because two of them at a time would work against each other.

import { digestOf } from "../../runtime/session/digest.ts";

/** The same for every attempt of a call and for no other call. The folder is part of it: two journals may use the same run id. */
export function commandMark(run: string, call: string, folder: string): string {
  return digestOf({ run, call, folder });
}
