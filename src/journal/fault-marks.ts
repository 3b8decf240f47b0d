// Which entries change the index of failures, when they are read back.

import type { JournalEvent } from "../core/record/event.ts";
import { type FaultMark, faultMarkOf } from "../core/record/fault-index.ts";
import { parseJson } from "../core/try-read.ts";

/** The types of events that mean something for the index. */
export const MARKED_TYPES: readonly string[] = ["call-failed", "call-decided", "node-failed", "call-succeeded"];

/** What an entry that was read back means for the index. */
export function markIn(body: string): FaultMark | null {
  const event = parseJson(body);
  return typeof event === "object" && event !== null ? faultMarkOf(event as JournalEvent) : null;
}
