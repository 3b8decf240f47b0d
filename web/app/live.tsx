// Keeps the page up to date: one stream of events for the whole page says what changed, and what shows it is read again.
//
// 1. Events only say that something changed. What is shown always comes from a route, so that nothing is computed here.
// 2. Under load, what is shown is read at most twice a second, however many events there are.
// 3. After a gap (`reset`), or when a lost stream is back, everything is read again.

import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import type { Client } from "faultline/client";
import { setClockBy } from "./clock.ts";
import { queries } from "./queries.ts";
import { suppressThrown } from "./thrown.ts";

const FLUSH_MS = 500;

/** What the events of the last moment were about. */
export interface Change {
  /** Sessions and runs with new entries. */
  readonly sessions: ReadonlySet<string>;
  /** Types of entries, such as `call-failed`. */
  readonly types: ReadonlySet<string>;
  /** Anything may have changed. */
  readonly isEverything: boolean;
}

export type Connection = "connecting" | "live" | "lost";

const ConnectionContext = createContext<Connection>("connecting");
const listeners = new Set<(change: Change) => void>();

export function useConnection(): Connection {
  return useContext(ConnectionContext);
}

/** Calls `listener` for every change while the component is there. */
export function useChanges(listener: (change: Change) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => {
    const hear = (change: Change): void => latest.current(change);
    listeners.add(hear);
    return () => void listeners.delete(hear);
  }, []);
}

export function LiveUpdates({
  client,
  children,
}: {
  readonly client: Client;
  readonly children: ReactNode;
}): ReactNode {
  const [connection, setConnection] = useState<Connection>("connecting");
  useEffect(() => follow(client, setConnection), [client]);
  return <ConnectionContext value={connection}>{children}</ConnectionContext>;
}

function follow(client: Client, onConnection: (connection: Connection) => void): () => void {
  const leaving = new AbortController();
  const collected = collector();
  let wasLost = false;
  const events = client.stream({
    signal: leaving.signal,
    onReset: () => collected.everything(),
    onConnection: (isOpen) => {
      onConnection(isOpen ? "live" : "lost");
      if (isOpen && wasLost) collected.everything();
      wasLost = !isOpen;
      if (isOpen)
        void setClockBy(client).catch((error: unknown) => suppressThrown("The server's time is unknown.", error));
    },
  });
  const read = async (): Promise<void> => {
    for await (const { data } of events) collected.add(data.session, String(data.event["type"]));
  };
  void read().catch((error: unknown) => {
    // The server refused the stream, for example after the token was removed. The next read shows why.
    suppressThrown("The stream of events ended.", error);
    onConnection("lost");
    collected.everything();
  });
  return () => {
    leaving.abort();
    collected.stop();
  };
}

interface Collector {
  readonly add: (session: string, type: string) => void;
  readonly everything: () => void;
  readonly stop: () => void;
}

function collector(): Collector {
  let sessions = new Set<string>();
  let types = new Set<string>();
  let isEverything = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const flush = (): void => {
    timer = null;
    const change: Change = { sessions, types, isEverything };
    [sessions, types, isEverything] = [new Set(), new Set(), false];
    void readAgain(change);
    for (const listener of listeners) listener(change);
  };
  const soon = (): void => void (timer ??= setTimeout(flush, FLUSH_MS));
  return {
    add: (session, type) => {
      sessions.add(session);
      types.add(type);
      soon();
    },
    everything: () => {
      isEverything = true;
      soon();
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/** What no event changes. Of the other routes, some show one session, and the rest a bit of all. */
const NEVER_CHANGES: ReadonlySet<string> = new Set([
  "openapi",
  "health",
  "whoAmI",
  "showPolicy",
  "classify",
  "replayPolicy",
  "lookAtQuestion",
]);

function readAgain(change: Change): Promise<void> {
  return queries.invalidateQueries(
    {
      predicate: ({ queryKey: [name, input] }) => {
        if (change.isEverything) return true;
        if (NEVER_CHANGES.has(String(name))) return false;
        const session = sessionIn(input);
        return session === null || change.sessions.has(session);
      },
    },
    // A read under way may miss the change: it is followed by another one.
    { cancelRefetch: false },
  );
}

function sessionIn(input: unknown): string | null {
  const { params } = (input ?? {}) as { readonly params?: Readonly<Record<string, unknown>> };
  const session = params?.["run"] ?? params?.["session"];
  return typeof session === "string" ? session : null;
}
