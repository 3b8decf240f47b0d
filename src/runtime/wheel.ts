// Deadlines of many calls on one timer. A timer of its own costs each call more than all the rest of its protection, so
// deadlines are rounded up into buckets (by less than one percent) and one clock timer serves the earliest.
// W1  An entry fires once, never early, and at most one bucket late.
// W2  Adding and removing cost the same however many entries there are.
// W3  Setting the wall clock moves no entry: the wheel's times are steady times.
// W4  An empty wheel lets the process end within one tick.

import { type Clock, steadyNow } from "../host/clock.ts";

/** What can be put on the wheel. The links belong to the wheel. */
export interface WheelEntry {
  wheelBucket: Bucket | null;
  wheelBefore: WheelEntry | null;
  wheelAfter: WheelEntry | null;
  /** Its time is up. `now` is in steady time, as all times of the wheel. */
  expire(now: number): void;
}

interface Bucket {
  readonly at: number;
  first: WheelEntry | null;
}

export class Wheel {
  readonly clock: Clock;
  private readonly buckets = new Map<number, Bucket>();
  /** Bucket times as a heap, earliest first; emptied buckets stay in it until their time comes. */
  private readonly times: number[] = [];
  private count = 0;
  private armedFor = Infinity;
  private disarm: () => void = nothing;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  get size(): number {
    return this.count;
  }

  add(entry: WheelEntry, now: number, at: number): void {
    const grain = grainOf(at - now);
    const time = Math.ceil(at / grain) * grain;
    let bucket = this.buckets.get(time);
    if (bucket === undefined) {
      bucket = { at: time, first: null };
      this.buckets.set(time, bucket);
      pushTime(this.times, time);
    }
    const { first } = bucket;
    entry.wheelBucket = bucket;
    entry.wheelAfter = first;
    if (first !== null) first.wheelBefore = entry;
    bucket.first = entry;
    this.count += 1;
    if (time < this.armedFor) this.arm(now);
  }

  remove(entry: WheelEntry): void {
    const bucket = entry.wheelBucket;
    if (bucket === null) return;
    const { wheelBefore: before, wheelAfter: after } = entry;
    if (before === null) bucket.first = after;
    else before.wheelAfter = after;
    if (after !== null) after.wheelBefore = before;
    entry.wheelBucket = null;
    entry.wheelBefore = null;
    entry.wheelAfter = null;
    this.count -= 1;
  }

  private arm(now: number): void {
    const earliest = this.times[0];
    if (earliest === undefined) return;
    // No further ahead than a tick: a timer for a deadline that was met would keep a finished process alive.
    const at = Math.min(earliest, now + this.clock.tickMs);
    if (at >= this.armedFor) return;
    this.disarm();
    this.armedFor = at;
    this.disarm = this.clock.after(Math.max(0, at - now), () => this.turn());
  }

  private turn(): void {
    this.armedFor = Infinity;
    this.disarm = nothing;
    const now = steadyNow(this.clock);
    for (let time = this.times[0]; time !== undefined && time <= now; time = this.times[0]) {
      popTime(this.times);
      const bucket = this.buckets.get(time);
      this.buckets.delete(time);
      for (let entry = bucket?.first; entry !== null && entry !== undefined; entry = bucket?.first) {
        this.remove(entry);
        entry.expire(now);
      }
    }
    if (this.count > 0) this.arm(now);
    else this.forget();
  }

  /** Nothing is due any more: the emptied buckets go too. */
  private forget(): void {
    this.buckets.clear();
    this.times.length = 0;
  }
}

const nothing = (): void => undefined;

const LARGEST_GRAIN = 2 ** 30;

/** At most half a percent of the wait, as a power of two: 1 ms for waits under half a second, 64 ms for 30 s. */
function grainOf(waitMs: number): number {
  return waitMs < 512 ? 1 : 1 << (31 - Math.clz32(Math.min(waitMs / 256, LARGEST_GRAIN)));
}

function pushTime(heap: number[], time: number): void {
  let index = heap.push(time) - 1;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    const above = heap[parent] ?? time;
    if (above <= time) break;
    heap[index] = above;
    heap[parent] = time;
    index = parent;
  }
}

function popTime(heap: number[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= heap.length) break;
    const right = left + 1;
    const smaller = (heap[right] ?? Infinity) < (heap[left] ?? Infinity) ? right : left;
    const below = heap[smaller] ?? Infinity;
    if (below >= last) break;
    heap[index] = below;
    index = smaller;
  }
  heap[index] = last;
}
