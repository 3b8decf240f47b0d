// What an event means for the status of its session: a table. Once ended, a session stays so until it is taken up again.

import type { JournalEvent, SessionStatus } from "../core/record/event.ts";

export interface StatusMark {
  readonly status: SessionStatus;
  /** Holds even for a session that has ended. */
  readonly reopens: boolean;
}

type MarkRows = {
  readonly [Type in JournalEvent["type"]]?: (event: Extract<JournalEvent, { type: Type }>) => StatusMark | null;
};

// prettier-ignore
const MARKS: MarkRows = {
  "session-started": () => ({ status: "open", reopens: false }),
  "session-resumed": () => ({ status: "open", reopens: true }),
  "turn-started":    () => ({ status: "open", reopens: false }),
  "turn-ended":      ({ status }) => (status === "waiting" ? { status, reopens: false } : null),
  "session-ended":   ({ status }) => ({ status, reopens: false }),
};

/** null: the status does not change. */
export function statusMarkOf(event: JournalEvent): StatusMark | null {
  // A foreign event may be called anything, `constructor` too.
  if (!Object.hasOwn(MARKS, event.type)) return null;
  const mark = (MARKS[event.type] as (event: JournalEvent) => StatusMark | null)(event);
  return mark !== null && STATUSES.includes(mark.status) ? mark : null;
}

const STATUSES: readonly SessionStatus[] = ["open", "waiting", "done", "failed", "cancelled"];
export const ENDED: readonly SessionStatus[] = ["done", "failed", "cancelled"];

export function statusAfter(before: SessionStatus, mark: StatusMark | null): SessionStatus {
  if (mark === null) return before;
  return ENDED.includes(before) && !mark.reopens ? before : mark.status;
}
