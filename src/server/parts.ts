// What the handlers work with.

import type { Faultline } from "../faultline.ts";
import type { Gateway } from "../gateway/gateway.ts";
import type { Clock } from "../host/clock.ts";
import type { Worker } from "../host/worker.ts";
import type { Journal } from "../journal/journal.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Workflows } from "../workflow/workflows.ts";
import type { EventHub } from "./events/event-hub.ts";
import type { ServerAddresses } from "./guard.ts";
import type { Presence } from "./presence.ts";
import type { NotifyOptions } from "./notify/channels.ts";
import type { SignInCodes } from "./sign-in-codes.ts";
import type { Tokens } from "./tokens.ts";

export interface ServerParts {
  readonly version: string;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly journalName: string;
  readonly faultline: Faultline;
  readonly workflows: Workflows;
  /** Names this process among those that share the journal. */
  readonly worker: Worker;
  readonly tokens: Tokens;
  readonly signInCodes: SignInCodes;
  readonly presence: Presence;
  /** Where notices go; null: no notices are sent. */
  readonly notify: NotifyOptions | null;
  readonly addresses: ServerAddresses;
  /** The server's own address, as people type it. */
  readonly url: string;
  readonly hub: EventHub;
  /** Counts from the start of the server. */
  readonly metrics: Metrics;
  /** On the server's own port; null: there is none. */
  readonly gateway: Gateway | null;
  /** This server advances runs that are due. */
  readonly drives: boolean;
}

/** Whether a session is that of a run, and not of a program. */
export async function isRun(journal: Journal, session: string): Promise<boolean> {
  return ((await journal.kept("run", session)) ?? null) !== null;
}
