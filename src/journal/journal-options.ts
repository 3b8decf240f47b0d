// The options of `openJournal`, whatever the journal is made of.

import type { Chance } from "../host/chance.ts";
import type { Clock } from "../host/clock.ts";
import { callable, chanceKind, clockKind, flag, shape } from "../options/check-options.ts";
import type { OnWarning } from "./warnings.ts";

/** Options of `openJournal`. */
export interface JournalOptions {
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock;
  /** Where random numbers come from. Default: the system's. */
  readonly chance?: Chance;
  /** Receives problems that no caller waits for; by default they become Node warnings. */
  readonly onWarning?: OnWarning;
  /** Read-only: nothing is created, written or upgraded, and a missing journal is refused. */
  readonly readOnly?: boolean;
}

export const JOURNAL_OPTIONS = shape<JournalOptions>({
  clock: clockKind,
  chance: chanceKind,
  onWarning: callable,
  readOnly: flag,
});
