// Delivers entries to subscribers, always read back from the store, so they see only what is stored. Invariants:
// F1  A subscriber gets each entry once, in order; a late subscriber first gets what it missed.
// F2  a listener that throws gets the next entry all the same; its first failure is reported, later ones are not.
// F3  after its subscription is taken back a listener is not called again.
// F4  A listener runs in the async context of its subscriber, not of the writer.

import { AsyncLocalStorage } from "node:async_hooks";
import { classify } from "../core/classify/classify.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import type { Entry } from "../core/record/event.ts";
import type { Clock } from "../host/clock.ts";
import { guarded } from "../host/foreign-code.ts";
import type { Subscription } from "./journal.ts";
import type { OnWarning } from "./warnings.ts";

export interface FeedSource {
  /** The number of the newest entry of all sessions; 0 when there is none. */
  lastId(): number;
  lastSeq(session: string): number;
  entriesOf(session: string, after: number, limit: number): readonly Entry[];
  entriesBehind(id: number, limit: number): readonly { readonly id: number; readonly entry: Entry }[];
}

export interface Feed {
  subscribe(listener: (entry: Entry) => void, from: Subscription): () => void;
  /** New entries may be there: of these sessions, or of any when null. Subscribers are called before this returns … */
  wake(sessions: ReadonlySet<string> | null): void;
  /** … or in the next turn, for callers that a subscriber may have called. */
  wakeSoon(session: string): void;
  isEmpty(): boolean;
  close(): void;
}

interface OneSession {
  readonly session: string;
  readonly listener: (entry: Entry) => unknown;
  /** The last number it got. */
  seq: number;
  isBehind: boolean;
}

interface AllSessions {
  readonly listener: (entry: Entry) => unknown;
  /** Earlier entries are not delivered. */
  readonly fromId: number;
}

const PAGE = 256;
const READ_AGAIN_MS = 100;

export function createFeed(source: FeedSource, clock: Clock, tell: OnWarning): Feed {
  const ofOne = new Set<OneSession>();
  const ofAll = new Set<AllSessions>();
  /** How far those that want all sessions have got. */
  let id = 0;
  let isAllBehind = false;
  let isArmed = false;

  function arm(): void {
    if (isArmed) return;
    isArmed = true;
    clock.soon(() => {
      isArmed = false;
      pump();
    });
  }

  /** One page for each that is behind; the rest in the next turn, so that a long session does not hold everything up. */
  function pump(): void {
    for (const subscriber of ofOne) {
      if (subscriber.isBehind)
        safely(
          () => catchUp(subscriber),
          () => ofOne.delete(subscriber),
        );
    }
    if (isAllBehind) safely(catchUpAll, () => ofAll.clear());
  }

  /** The store could not be read: tried again from the same place, unless that cannot help. */
  function safely(work: () => void, giveUp: () => void): void {
    try {
      work();
    } catch (error) {
      const fault = classify({ surface: "store", error });
      const { retryable } = traitsOf(fault.code);
      if (retryable) clock.after(READ_AGAIN_MS, pump);
      else giveUp();
      tell(fault, `reading entries for a subscriber${retryable ? "" : ", which gets no more"}`);
    }
  }

  function catchUp(subscriber: OneSession): void {
    const page = source.entriesOf(subscriber.session, subscriber.seq, PAGE);
    subscriber.isBehind = page.length === PAGE;
    if (subscriber.isBehind) arm();
    for (const entry of page) {
      if (!ofOne.has(subscriber)) return;
      subscriber.seq = entry.seq;
      void subscriber.listener(entry);
    }
  }

  function catchUpAll(): void {
    const page = source.entriesBehind(id, PAGE);
    // A listener may have closed the journal meanwhile.
    isAllBehind = page.length === PAGE && ofAll.size > 0;
    if (isAllBehind) arm();
    for (const row of page) {
      id = row.id;
      for (const subscriber of ofAll) if (row.id > subscriber.fromId) void subscriber.listener(row.entry);
    }
  }

  function subscribeToOne(listener: OneSession["listener"], session: string, after: number | undefined): () => void {
    const subscriber: OneSession = { session, listener, seq: after ?? source.lastSeq(session), isBehind: true };
    ofOne.add(subscriber);
    arm();
    return () => void ofOne.delete(subscriber);
  }

  function subscribeToAll(listener: AllSessions["listener"]): () => void {
    const fromId = source.lastId();
    if (ofAll.size === 0) id = fromId;
    const subscriber: AllSessions = { listener, fromId };
    ofAll.add(subscriber);
    return () => void ofAll.delete(subscriber);
  }

  /** Notes which subscribers are behind; false when none is. */
  function mark(isConcerned: (session: string) => boolean): boolean {
    isAllBehind ||= ofAll.size > 0;
    let isAnyBehind = isAllBehind;
    for (const subscriber of ofOne) {
      subscriber.isBehind ||= isConcerned(subscriber.session);
      isAnyBehind ||= subscriber.isBehind;
    }
    return isAnyBehind;
  }

  return {
    subscribe(listener, { session, after }) {
      const bound = guarded(AsyncLocalStorage.bind(listener), (error) =>
        tell(
          classify({ surface: "node", error }),
          "calling a subscriber (it still gets the next entries; later failures are not reported)",
        ),
      );
      return session === undefined ? subscribeToAll(bound) : subscribeToOne(bound, session, after);
    },
    wake(sessions) {
      mark((session) => sessions === null || sessions.has(session));
      pump();
    },
    wakeSoon(session) {
      if (mark((other) => other === session)) arm();
    },
    isEmpty: () => ofOne.size === 0 && ofAll.size === 0,
    close() {
      ofOne.clear();
      ofAll.clear();
      isAllBehind = false;
    },
  };
}
