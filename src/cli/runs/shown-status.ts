// The words of `runs list` for runs that are not over, as `--status` takes them. The library's own status calls all of them running or paused.

import type { RunStanding } from "../../core/flow/run-standing.ts";

export const SHOWN_STATUSES = {
  "needs-you": "asking",
  "retrying": "retrying",
  "waiting": "waiting",
  "stopped": "stopped",
} as const satisfies Readonly<Record<string, RunStanding>>;
export type ShownStatus = keyof typeof SHOWN_STATUSES;
