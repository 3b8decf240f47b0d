// A clock for tests and simulations. Time stands still until the test moves it, and everything then happens in a fixed order.
// F1  Timers fire by time, and timers of the same time in the order they were set.
// F2  Between two timers, all ready promises and all `soon` callbacks have run.
// F3  Time never goes back, and during a timer it is exactly that timer's time. Only `set` moves the wall clock alone.
// F4  Time stands still while a part of the library loads, because a second call would not wait for it.
// F5  Setting and clearing a timer take logarithmic time; a cleared timer leaves nothing behind.

import { fault, FaultError } from "../core/fault/fault.ts";
import type { Clock } from "../host/clock.ts";
import { partsLoading } from "../host/lazy-part.ts";

/** A clock that a test moves. */
export interface FakeClock extends Clock {
  /** Advances time by `ms` and fires the timers that fall due. `advance(0)` runs everything that is ready. */
  advance(ms: number): Promise<void>;
  /** Advances to the next timer and fires it; false if there is none. */
  next(): Promise<boolean>;
  /** Fires timers until none is left; returns how many. */
  runAll(): Promise<number>;
  /** Fires timers until the work has ended and returns its result. Throws if no timer is left and the work has not ended. */
  runUntil<T>(work: Promise<T>): Promise<T>;
  /** Moves the wall clock, forward or back: no time passes, and every timer stays as far away as it was. */
  set(byMs: number): void;
  /** Timers and `soon` callbacks that have not run yet. */
  readonly pending: number;
  /** When the next timer falls due; null if there is none. */
  readonly nextAt: number | null;
}

interface Timer {
  at: number;
  readonly order: number;
  readonly wake: () => void;
  /** Its place in the heap; -1 once it is out. */
  index: number;
}

/** Like the system's clock: an endless wait is the longest one that Node supports. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;
/** A test that fires more timers than this is in an endless loop. */
const MAX_TIMERS = 10_000_000;

/**
 * `turn` calls back when all ready promises have run. The default waits for promises only and is five times faster. Code that
 * uses Node's streams or real I/O needs a turn of the event loop: `systemClock.soon`.
 */
export function createFakeClock(
  startAt = 0,
  turn: (next: () => void) => void = (next) => process.nextTick(next),
): FakeClock {
  const heap: Timer[] = [];
  const soon: (() => void)[] = [];
  let now = startAt;
  let shiftMs = 0;
  let timersSet = 0;
  let isMoving = false;

  async function settle(): Promise<void> {
    await new Promise<void>(turn);
    for (let parts = partsLoading(); parts !== null; parts = partsLoading()) {
      await parts;
      await new Promise<void>(turn);
    }
    for (let next = soon.shift(); next !== undefined; next = soon.shift()) {
      next();
      await settle();
    }
  }

  async function fire(timer: Timer): Promise<void> {
    takeOut(heap, timer);
    if (timer.at > now) now = timer.at;
    timer.wake();
    await settle();
  }

  /** Only one caller may move the clock at a time: two would each see time jump. */
  async function move<T>(steps: () => Promise<T>): Promise<T> {
    if (isMoving) throw refusal("The clock is already being moved. Await the first move before the next one.");
    isMoving = true;
    try {
      // If called from a `nextTick` callback, the first turn would come before the ready promises.
      await Promise.resolve();
      await settle();
      return await steps();
    } finally {
      isMoving = false;
    }
  }

  /** Fires timers while `mayFire` returns true; returns how many. */
  async function fireWhile(mayFire: (next: Timer) => boolean): Promise<number> {
    let fired = 0;
    for (let next = heap[0]; next !== undefined && mayFire(next); next = heap[0]) {
      if (++fired > MAX_TIMERS)
        throw refusal(`More than ${MAX_TIMERS} timers fired: something keeps setting new ones.`);
      await fire(next);
    }
    return fired;
  }

  return {
    tickMs: Infinity,
    now: () => now,
    get shiftMs() {
      return shiftMs;
    },
    set(byMs) {
      now += byMs;
      shiftMs += byMs;
      for (const timer of heap) timer.at += byMs;
    },
    after(delayMs, wake) {
      const waitMs = Number.isFinite(delayMs) ? Math.max(0, Math.ceil(delayMs)) : LONGEST_WAIT_MS;
      const timer: Timer = { at: now + waitMs, order: timersSet++, wake, index: heap.length };
      heap.push(timer);
      moveUp(heap, timer);
      return () => takeOut(heap, timer);
    },
    soon: (next) => void soon.push(next),
    advance: (ms) =>
      move(async () => {
        if (!(ms >= 0)) throw refusal(`Time moves forward only, not by ${ms} ms.`);
        const until = now + ms;
        await fireWhile((next) => next.at <= until);
        now = until;
      }),
    next: () =>
      move(async () => {
        const [first] = heap;
        if (first !== undefined) await fire(first);
        return first !== undefined;
      }),
    runAll: () => move(() => fireWhile(() => true)),
    runUntil(work) {
      const state = { isOver: false };
      const end = (): void => void (state.isOver = true);
      // At once: work that fails before time moves must not count as unhandled.
      work.then(end, end);
      return move(async () => {
        await Promise.resolve();
        await fireWhile(() => !state.isOver);
        if (!state.isOver) throw refusal(`No timer is pending at ${now}, and the work has not ended.`);
        return work;
      });
    },
    get pending() {
      return heap.length + soon.length;
    },
    get nextAt() {
      return heap[0]?.at ?? null;
    },
  };
}

function refusal(message: string): FaultError {
  return new FaultError(fault("EngineState", { message }));
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function put(heap: Timer[], timer: Timer, index: number): void {
  heap[index] = timer;
  timer.index = index;
}

function moveUp(heap: Timer[], timer: Timer): void {
  let index = timer.index;
  while (index > 0) {
    const parentIndex = (index - 1) >> 1;
    const parent = heap[parentIndex];
    if (parent === undefined || isBefore(parent, timer)) break;
    put(heap, parent, index);
    index = parentIndex;
  }
  put(heap, timer, index);
}

function moveDown(heap: Timer[], timer: Timer): void {
  let index = timer.index;
  for (;;) {
    const leftIndex = 2 * index + 1;
    const left = heap[leftIndex];
    if (left === undefined) break;
    const right = heap[leftIndex + 1];
    const child = right !== undefined && isBefore(right, left) ? right : left;
    if (isBefore(timer, child)) break;
    const childIndex = child.index;
    put(heap, child, index);
    index = childIndex;
  }
  put(heap, timer, index);
}

function takeOut(heap: Timer[], timer: Timer): void {
  const { index } = timer;
  if (index === -1) return;
  timer.index = -1;
  const last = heap.pop();
  if (last === undefined || last === timer) return;
  put(heap, last, index);
  moveUp(heap, last);
  moveDown(heap, last);
}
