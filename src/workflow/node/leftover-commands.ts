// Marks a command so that a later process finds it if its own process was killed. `killMarked` ends the leftover command before the
// call runs again, because two at a time would interfere with each other.

import { digestOf } from "../../runtime/session/digest.ts";

/** The same for every attempt of a call, and unique to the call. It includes the folder, because two journals may use the same run id. */
export function commandMark(run: string, call: string, folder: string): string {
  return digestOf({ run, call, folder });
}
