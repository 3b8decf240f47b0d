// Notices writes of other processes while something listens. Invariants:
// W1  The server reports each write as it is committed (NOTIFY). What a broken connection missed is read when there is a new one.
// W2  Reports are a hint, never the truth: listeners also look by themselves, seldom while reports arrive, often while they do not
//     (behind a pooler none do).
// W3  Listening does not keep the process alive.

import type pg from "pg";
import { classify } from "../../core/classify/classify.ts";
import { afterIdle } from "../../host/clock.ts";
import type { KeepKind } from "../journal.ts";
import type { OnWarning } from "../warnings.ts";
import { type Database, keepingAlive, type OwnClient } from "./database.ts";
import { postgresError } from "./postgres-errors.ts";
import { kindsIn } from "./writes.ts";

export interface Changes {
  start(): void;
  stop(): Promise<void>;
}

/** `kinds` of values that were written; null when that is not known. */
export type OnChange = (kinds: ReadonlySet<KeepKind> | null) => void;

const LOOK_SELDOM_MS = 5_000;
const LOOK_OFTEN_MS = 250;
const CONNECT_AGAIN_MS = 500;

export function createChanges(
  db: Database,
  { channel, origin, tell }: { readonly channel: string; readonly origin: string; readonly tell: OnWarning },
  onChange: OnChange,
): Changes {
  let isOn = false;
  let client: OwnClient | null = null;
  let isConnecting = false;
  let isHeard = false;
  let hasTold = false;
  let disarm: () => void = () => undefined;
  const wasStopped = (): boolean => !isOn;

  function look(): void {
    onChange(null);
    arm();
  }

  function arm(): void {
    disarm();
    if (isOn) disarm = afterIdle(isHeard ? LOOK_SELDOM_MS : LOOK_OFTEN_MS, look);
  }

  function onNotice({ payload = "" }: pg.Notification): void {
    isHeard = true;
    const [from, kinds = ""] = payload.split(" ");
    if (isOn && from !== origin) onChange(kindsIn(kinds));
  }

  async function connect(): Promise<void> {
    if (isConnecting || client !== null || !isOn) return;
    isConnecting = true;
    try {
      const connected = await db.connect();
      client = connected;
      connected.on("notification", onNotice);
      // Also when the connection ends and nothing here has ended it.
      connected.on("error", (error) => suppressLoss(connected, error));
      // A connection that only listens must not keep the process alive.
      connected.unref();
      await connected.query(`LISTEN "${channel}"`);
      await db.ask("SELECT pg_notify($1, $2)", [channel, `${origin} `]);
      // What was written before this connection listened.
      onChange(null);
    } catch (error) {
      suppressLoss(client, error);
    } finally {
      isConnecting = false;
    }
    if (wasStopped()) await stop();
  }

  /** Connects again, and tells of the first loss. */
  function suppressLoss(failed: OwnClient | null, error: unknown): void {
    if (failed !== client) return;
    client = null;
    isHeard = false;
    arm();
    if (failed !== null) void end(failed);
    if (!isOn) return;
    if (!hasTold) {
      hasTold = true;
      const fault = classify({ surface: "store", error: postgresError(error, db.address.secrets) });
      tell(fault, "listening for entries of other processes; until this works again the journal is polled");
    }
    afterIdle(CONNECT_AGAIN_MS, () => void connect());
  }

  async function stop(): Promise<void> {
    isOn = false;
    disarm();
    const left = client;
    client = null;
    if (left === null) return;
    await end(left);
  }

  return {
    start() {
      if (isOn) return;
      isOn = true;
      arm();
      if (!db.address.isPooled) void connect();
    },
    stop,
  };
}

async function end(client: OwnClient): Promise<void> {
  // It is not used any more, so it does not matter how it ended.
  const suppress = (): void => undefined;
  await keepingAlive(client.end()).catch(suppress);
}
