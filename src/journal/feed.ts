// Delivers entries to subscribers, always read back from the store, so they see only what is stored. Invariants:
// F1  A subscriber gets each entry once, in order; a late subscriber first gets what it missed.
// F2  a listener that throws gets the next entry all the same; its first failure is reported, later ones are not.
// F3  after its subscription is taken back a listener is not called again.
// F4  A listener runs in the async context of its subscriber, not of the writer.
// F5  Subscribers that catch up take turns, a few pages per turn of the event loop, behind those that are up to date.

import { AsyncLocalStorage } from "node:async_hooks";
import { classify } from "../core/classify/classify.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import type { Clock } from "../host/clock.ts";
import { guarded } from "../host/foreign-code.ts";
import { checkPosition } from "./encode.ts";
import type { EntryListener, Positioned, Subscription } from "./journal.ts";
import type { OnWarning } from "./warnings.ts";

export interface FeedSource {
  /** The newest position of all sessions; 0 when nothing was ever written. */
  lastPosition(): number;
  lastSeq(session: string): number;
  /** The number of the session's last entry that is not behind this position; 0 when there is none. */
  seqAt(session: string, position: number): number;
  entriesOf(session: string, after: number, limit: number): readonly Positioned[];
  entriesBehind(position: number, limit: number): readonly Positioned[];
}

export interface Feed {
  subscribe(listener: EntryListener, from: Subscription): () => void;
  /** New entries may be there: of these sessions, or of any when null. Subscribers are called before this returns … */
  wake(sessions: ReadonlySet<string> | null): void;
  /** … or in the next turn, for callers that a subscriber may have called. */
  wakeSoon(session: string): void;
  isEmpty(): boolean;
  close(): void;
}

interface Subscriber {
  /** null for all sessions. */
  readonly session: string | null;
  readonly listener: (...args: Parameters<EntryListener>) => unknown;
  /** The last it got: a position, or the number of an entry for a subscriber of one session. */
  cursor: number;
}

const PAGE = 256;
const READ_AGAIN_MS = 100;
/** Reading and delivering one takes about a millisecond. */
const LAGGING_PAGES = 4;

export function createFeed(source: FeedSource, clock: Clock, tell: OnWarning): Feed {
  const bySession = new Map<string | null, Set<Subscriber>>();
  /** Up to date until now: new entries may be there. */
  const due = new Set<Subscriber>();
  /** More than a page behind, in the order in which they take turns. */
  const lagging = new Set<Subscriber>();
  let isArmed = false;

  function arm(): void {
    if (isArmed) return;
    isArmed = true;
    clock.soon(() => {
      isArmed = false;
      pump();
    });
  }

  /** One page for each that was up to date, then a few for those that catch up; the rest in the next turn. */
  function pump(): void {
    // A listener may write or subscribe: what is due by that is for the next turn.
    const behind = Array.from(lagging);
    for (const subscriber of Array.from(due)) if (due.has(subscriber)) safely(subscriber);
    let pages = 0;
    for (const subscriber of behind) {
      if (!lagging.has(subscriber)) continue;
      safely(subscriber);
      if (++pages === LAGGING_PAGES) break;
    }
    if (lagging.size > 0) arm();
  }

  /** The store could not be read: tried again from the same place, unless that cannot help. */
  function safely(subscriber: Subscriber): void {
    try {
      serve(subscriber);
    } catch (error) {
      const fault = classify({ surface: "store", error });
      const { retryable } = traitsOf(fault.code);
      settle(subscriber);
      if (retryable) clock.after(READ_AGAIN_MS, () => readAgain(subscriber));
      else leave(subscriber);
      tell(fault, `reading entries for a subscriber${retryable ? "" : ", which gets no more"}`);
    }
  }

  function readAgain(subscriber: Subscriber): void {
    if (!isSubscribed(subscriber)) return;
    due.add(subscriber);
    pump();
  }

  /** Reads a page for one subscriber and delivers it to all whose place lies within it. */
  function serve({ session, cursor: from }: Subscriber): void {
    const page = session === null ? source.entriesBehind(from, PAGE) : source.entriesOf(session, from, PAGE);
    const isMore = page.length === PAGE;
    const last = page.at(-1);
    const end = last === undefined ? from : cursorOf(session, last);
    const here = Array.from(bySession.get(session) ?? NO_SUBSCRIBERS).filter(
      ({ cursor }) => cursor >= from && (cursor < end || !isMore),
    );
    // Before the first listener runs: it may write, and then they are due again.
    for (const subscriber of here) {
      settle(subscriber);
      if (isMore) lagging.add(subscriber);
    }
    for (const row of page) {
      const cursor = cursorOf(session, row);
      for (const subscriber of here) {
        if (subscriber.cursor >= cursor || !isSubscribed(subscriber)) continue;
        subscriber.cursor = cursor;
        void subscriber.listener(row.entry, row.position);
      }
    }
  }

  function settle(subscriber: Subscriber): void {
    due.delete(subscriber);
    lagging.delete(subscriber);
  }

  function isSubscribed(subscriber: Subscriber): boolean {
    return bySession.get(subscriber.session)?.has(subscriber) === true;
  }

  function leave(subscriber: Subscriber): void {
    settle(subscriber);
    const others = bySession.get(subscriber.session);
    others?.delete(subscriber);
    if (others?.size === 0) bySession.delete(subscriber.session);
  }

  function mark(session: string | null): void {
    for (const subscriber of bySession.get(session) ?? NO_SUBSCRIBERS)
      if (!lagging.has(subscriber)) due.add(subscriber);
  }

  /** The number behind which it begins. */
  function startOf({ session, after, position }: Subscription): number {
    if (session === undefined) return position ?? source.lastPosition();
    if (after !== undefined) return after;
    return position === undefined ? source.lastSeq(session) : source.seqAt(session, position);
  }

  return {
    subscribe(listener, from) {
      if (from.position !== undefined) checkPosition(from.position);
      const bound = guarded(AsyncLocalStorage.bind(listener), (error) =>
        tell(
          classify({ surface: "node", error }),
          "calling a subscriber (it still gets the next entries; later failures are not reported)",
        ),
      );
      const session = from.session ?? null;
      const subscriber: Subscriber = { session, listener: bound, cursor: startOf(from) };
      const others = bySession.get(session);
      if (others === undefined) bySession.set(session, new Set([subscriber]));
      else others.add(subscriber);
      lagging.add(subscriber);
      arm();
      return () => leave(subscriber);
    },
    wake(sessions) {
      for (const session of sessions ?? bySession.keys()) mark(session);
      mark(null);
      pump();
    },
    wakeSoon(session) {
      mark(session);
      mark(null);
      if (due.size > 0) arm();
    },
    isEmpty: () => bySession.size === 0,
    close() {
      bySession.clear();
      due.clear();
      lagging.clear();
    },
  };
}

const NO_SUBSCRIBERS: readonly Subscriber[] = [];

function cursorOf(session: string | null, { position, entry }: Positioned): number {
  return session === null ? position : entry.seq;
}
