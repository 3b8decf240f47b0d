// One life of a simulated program: a clock of its own, and an end after which nothing it does counts.

import type { Chance } from "../../src/host/chance.ts";
import { hashOf } from "./dice.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import type { LifeRecord, Story } from "./story.ts";

/** A life that sets more timers, or writes more often, than this is going round in circles. */
const MOST_TIMERS = 5_000;
const MOST_APPENDS = 2_000;

export class Life {
  readonly story: Story;
  readonly record: LifeRecord;
  readonly clock: FakeClock;
  readonly chance: Chance;
  /** Resolves when it is over before its program is. */
  readonly over: Promise<void>;
  #isOver = false;
  #end: () => void = () => undefined;
  #timers = 0;
  #appends = 0;

  constructor(story: Story, startedAt: number) {
    const number = story.lives.length;
    const { seed } = story.world;
    this.story = story;
    this.record = {
      number,
      startedAt,
      endedAt: startedAt,
      end: "unfinished",
      lostStore: false,
      spending: null,
      status: null,
    };
    story.lives.push(this.record);
    this.over = new Promise((resolve) => (this.#end = resolve));
    this.clock = this.#counted(createFakeClock(startedAt));
    const chance = createSeededChance(hashOf(seed, "life", number));
    this.chance = { roll: () => chance.roll(), newId: (prefix) => chance.newId(`${prefix}${number}`) };
  }

  /** A function, because it may change during a wait. */
  isOver(): boolean {
    return this.#isOver;
  }

  get number(): number {
    return this.record.number;
  }

  /** Counts an append; the number of this one, from 1. */
  countAppend(): number {
    if (++this.#appends > MOST_APPENDS) this.end("runaway");
    return this.#appends;
  }

  end(how: LifeRecord["end"]): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.record.end = how;
    this.record.endedAt = this.clock.now();
    this.#end();
  }

  /** Promises of this life that are no longer awaited. */
  never<T>(): Promise<T> {
    return new Promise(() => undefined);
  }

  #counted(clock: FakeClock): FakeClock {
    const after: FakeClock["after"] = (delayMs, wake) => {
      if (++this.#timers > MOST_TIMERS) this.end("runaway");
      return clock.after(delayMs, wake);
    };
    // The time is read through, as the rest of a clock is made of functions.
    return Object.create(clock, { after: { value: after } }) as FakeClock;
  }
}
