// Delivers entries to subscribers, always read back from the store, so they see only what is stored. Invariants:
// F1  A subscriber gets each entry once, in order; a late subscriber first gets what it missed.
// F2  a listener that throws gets the next entry all the same; its first failure is reported, later ones are not.
// F3  after its subscription is taken back a listener is not called again.
// F4  A listener runs in the async context of its subscriber, not of the writer.
// F5  Subscribers that catch up take turns, a few pages per turn of the event loop, behind those that are up to date.
// F6  A source on this machine answers at once, and then subscribers are called before `wake` returns. A remote one answers with
//     promises: a few pages are under way at a time, and no page is asked for twice.

import { AsyncLocalStorage } from "node:async_hooks";
import { classify } from "../core/classify/classify.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import type { Clock } from "../host/clock.ts";
import { guarded } from "../host/foreign-code.ts";
import { checkPosition } from "./encode.ts";
import type { EntryListener, Positioned, Subscription } from "./journal.ts";
import type { OnWarning } from "./warnings.ts";

type Soon<T> = T | Promise<T>;

export interface FeedSource {
  /** The newest position of all sessions; 0 when nothing was ever written. */
  lastPosition(): Soon<number>;
  lastSeq(session: string): Soon<number>;
  /** The number of the session's last entry up to this position; 0 if there is none. */
  seqAt(session: string, position: number): Soon<number>;
  entriesOf(session: string, after: number, limit: number): Soon<readonly Positioned[]>;
  entriesAfter(position: number, limit: number): Soon<readonly Positioned[]>;
}

/** A source that answers at once. */
export type LocalFeedSource = {
  readonly [Name in keyof FeedSource]: (
    ...asked: Parameters<FeedSource[Name]>
  ) => Awaited<ReturnType<FeedSource[Name]>>;
};

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
/** Pages that are asked for at the same time, of a source that answers with promises. */
const MAX_UNDER_WAY = 4;

export function createFeed(source: FeedSource, clock: Clock, warn: OnWarning): Feed {
  const bySession = new Map<string | null, Set<Subscriber>>();
  /** Up to date until now: new entries may be there. */
  const due = new Set<Subscriber>();
  /** More than a page behind, in the order in which they take turns. */
  const lagging = new Set<Subscriber>();
  /** Their place is being looked up. */
  const starting = new Set<Subscriber>();
  /** The page after their place is being read. */
  const reading = new Set<Subscriber>();
  let underWay = 0;
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
    for (const subscriber of Array.from(due)) if (due.has(subscriber) && isFree(subscriber)) serve(subscriber);
    let pages = 0;
    for (const subscriber of behind) {
      if (!lagging.has(subscriber) || !isFree(subscriber)) continue;
      serve(subscriber);
      if (++pages === LAGGING_PAGES) break;
    }
    // A page that arrives wakes the rest.
    if (lagging.size > 0 && underWay === 0) arm();
  }

  function isFree(subscriber: Subscriber): boolean {
    return underWay < MAX_UNDER_WAY && !reading.has(subscriber);
  }

  /** Reads a page for one subscriber and delivers it to all whose place lies within it. */
  function serve(subscriber: Subscriber): void {
    const { session, cursor: from } = subscriber;
    withAnswer(
      () => (session === null ? source.entriesAfter(from, PAGE) : source.entriesOf(session, from, PAGE)),
      (page) => deliver(session, from, page, true),
      (error) => readAgain([subscriber], error),
      (page) => {
        const riders = Array.from(bySession.get(session) ?? NO_SUBSCRIBERS).filter(({ cursor }) => cursor === from);
        for (const rider of riders) {
          settle(rider);
          reading.add(rider);
        }
        underWay++;
        const landed = (): void => {
          underWay--;
          for (const rider of riders) reading.delete(rider);
        };
        page.then(
          (rows) => {
            landed();
            deliver(session, from, rows, false);
            if (due.size > 0 || lagging.size > 0) arm();
          },
          (error: unknown) => {
            landed();
            readAgain(riders, error);
          },
        );
      },
    );
  }

  /** The store could not be read: tried again from the same place, unless that cannot help. */
  function readAgain(subscribers: readonly Subscriber[], error: unknown): void {
    const present = subscribers.filter(isSubscribed);
    if (present.length === 0) return;
    const fault = classify({ surface: "store", error });
    const { retryable } = traitsOf(fault.code);
    for (const subscriber of present) {
      settle(subscriber);
      if (!retryable) leave(subscriber);
    }
    const again = (): void => {
      for (const subscriber of present) if (isSubscribed(subscriber)) due.add(subscriber);
      pump();
    };
    if (retryable) clock.after(READ_AGAIN_MS, again);
    warn(fault, `reading entries for a subscriber${retryable ? "" : ", which gets no more"}`);
  }

  /**
   * `isNew`: read just now. A subscriber that was woken while the page was under way stays due: the page may be older than the news. After a
   * full page it reads on anyway, and others have their turn first.
   */
  function deliver(session: string | null, from: number, page: readonly Positioned[], isNew: boolean): void {
    const isMore = page.length === PAGE;
    const last = page.at(-1);
    const end = last === undefined ? from : cursorOf(session, last);
    const here = Array.from(bySession.get(session) ?? NO_SUBSCRIBERS).filter(
      (one) => !starting.has(one) && one.cursor >= from && (one.cursor < end || !isMore),
    );
    // Before the first listener runs: it may write, and then they are due again.
    for (const subscriber of here) {
      if (isNew || isMore) settle(subscriber);
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
    starting.delete(subscriber);
    const others = bySession.get(subscriber.session);
    others?.delete(subscriber);
    if (others?.size === 0) bySession.delete(subscriber.session);
  }

  function mark(session: string | null): void {
    for (const subscriber of bySession.get(session) ?? NO_SUBSCRIBERS)
      if (!lagging.has(subscriber) && !starting.has(subscriber)) due.add(subscriber);
  }

  /** It begins after this number. */
  function startOf({ session, after, position }: Subscription): Soon<number> {
    if (session === undefined) return position ?? source.lastPosition();
    if (after !== undefined) return after;
    return position === undefined ? source.lastSeq(session) : source.seqAt(session, position);
  }

  function begin(subscriber: Subscriber, cursor: number): void {
    subscriber.cursor = cursor;
    lagging.add(subscriber);
    arm();
  }

  /** From a remote source the place comes later; until it is known the subscriber gets nothing. */
  function beginLater(subscriber: Subscriber, from: Subscription, start: Promise<number>): void {
    starting.add(subscriber);
    start.then(
      (cursor) => {
        starting.delete(subscriber);
        if (isSubscribed(subscriber)) begin(subscriber, cursor);
      },
      (error: unknown) => {
        if (!isSubscribed(subscriber)) return;
        warn(classify({ surface: "store", error }), "looking up where a subscriber begins");
        clock.after(READ_AGAIN_MS, () => {
          if (isSubscribed(subscriber)) beginLater(subscriber, from, Promise.resolve(startOf(from)));
        });
      },
    );
  }

  return {
    subscribe(listener, from) {
      if (from.position !== undefined) checkPosition(from.position);
      const bound = guarded(AsyncLocalStorage.bind(listener), (error) =>
        warn(
          classify({ surface: "node", error }),
          "calling a subscriber (it still gets the next entries; later failures are not reported)",
        ),
      );
      const session = from.session ?? null;
      const start = startOf(from);
      const subscriber: Subscriber = { session, listener: bound, cursor: 0 };
      const others = bySession.get(session);
      if (others === undefined) bySession.set(session, new Set([subscriber]));
      else others.add(subscriber);
      if (start instanceof Promise) beginLater(subscriber, from, start);
      else begin(subscriber, start);
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

/** Uses an answer now, or hands over the promise of one. */
function withAnswer<T>(
  ask: () => Soon<T>,
  use: (answer: T) => void,
  suppress: (error: unknown) => void,
  later: (answer: Promise<T>) => void,
): void {
  let answer: Soon<T>;
  try {
    answer = ask();
  } catch (error) {
    suppress(error);
    return;
  }
  if (answer instanceof Promise) later(answer);
  else use(answer);
}

const NO_SUBSCRIBERS: readonly Subscriber[] = [];

function cursorOf(session: string | null, { position, entry }: Positioned): number {
  return session === null ? position : entry.seq;
}
