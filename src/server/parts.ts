// What the handlers work with: doors of the library, and nothing of the server's own.

import type { Faultline } from "../faultline.ts";
import type { Clock } from "../host/clock.ts";
import type { Worker } from "../host/worker.ts";
import type { Journal } from "../journal/journal.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Workflows } from "../workflow/workflows.ts";
import type { EventHub } from "./events/event-hub.ts";
import type { OwnAddresses } from "./guard.ts";
import type { Lookers } from "./lookers.ts";
import type { NotifyOptions } from "./notify/channels.ts";
import type { SignInCodes } from "./sign-in-codes.ts";
import type { Tokens } from "./tokens.ts";

export interface ServerParts {
  readonly version: string;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly journalFile: string;
  readonly faultline: Faultline;
  readonly workflows: Workflows;
  /** Names this process among those that share the journal. */
  readonly worker: Worker;
  readonly tokens: Tokens;
  readonly signInCodes: SignInCodes;
  readonly lookers: Lookers;
  /** Where notices go; null: nowhere. */
  readonly notify: NotifyOptions | null;
  readonly addresses: OwnAddresses;
  /** The server's own address, as people type it. */
  readonly url: string;
  readonly hub: EventHub;
  /** Counts from the start of the server. */
  readonly metrics: Metrics;
  /** This server advances runs that are due. */
  readonly drives: boolean;
}
