// Who is served when: every page that a feed reads, every entry that a subscriber gets and every wait, compared with a file per story. The
// source answers at once, or with promises that the story settles one by one. A change that is meant shows as a difference of these files
// (`npx vitest run -u` writes them again).

import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { fault, FaultError } from "../../src/core/fault/fault.ts";
import type { Clock } from "../../src/host/clock.ts";
import { createFeed, type Feed, type FeedSource } from "../../src/journal/feed.ts";
import type { Positioned, Subscription } from "../../src/journal/journal.ts";

interface Asked {
  readonly what: string;
  readonly answer: () => void;
  readonly refuse: (error: unknown) => void;
}

interface World {
  readonly feed: Feed;
  readonly asked: readonly Asked[];
  /** The source fails with this instead of answering; null: it answers. */
  failing: Error | null;
  write(session: string, count?: number): void;
  subscribe(name: string, from: Subscription, also?: () => void): () => void;
  /** One turn of the event loop. */
  turn(): Promise<void>;
  /** Answers what was asked first. */
  answer(): Promise<void>;
  refuse(error: unknown): Promise<void>;
  /** All waits are over. */
  wait(): Promise<void>;
  say(line: string): void;
}

function createWorld(isRemote: boolean): World & { readonly lines: readonly string[] } {
  const rows: Positioned[] = [];
  const lines: string[] = [];
  const asked: Asked[] = [];
  let soon: (() => void)[] = [];
  let waits: (() => void)[] = [];
  const say = (line: string): void => void lines.push(line);
  const reading = <T>(what: string, read: () => T): T | Promise<T> => {
    say(`  ${what}`);
    if (!isRemote && world.failing !== null) throw world.failing;
    if (!isRemote) return read();
    // As of now: what is written until it arrives is not in it.
    const found = read();
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    asked.push({ what, answer: () => resolve(found), refuse: reject });
    return promise;
  };
  const of = (session: string): readonly Positioned[] => rows.filter(({ entry }) => entry.session === session);
  const source: FeedSource = {
    lastPosition: () => reading("looks up the last position", () => rows.length),
    lastSeq: (session) => reading(`looks up the last entry of ${session}`, () => of(session).length),
    seqAt: (session, position) =>
      reading(`looks up ${session} at ${position}`, () => of(session).filter((row) => row.position <= position).length),
    entriesOf: (session, after, limit) =>
      reading(`reads ${limit} of ${session} behind ${after}`, () => of(session).slice(after, after + limit)),
    entriesAfter: (position, limit) =>
      reading(`reads ${limit} of all behind ${position}`, () => rows.slice(position, position + limit)),
  };
  const clock: Clock = {
    now: () => 0,
    shiftMs: 0,
    tickMs: Infinity,
    soon: (next) => void soon.push(next),
    after: (delayMs, wake) => {
      say(`  waits ${delayMs} ms`);
      waits.push(wake);
      return () => undefined;
    },
  };
  const world = {
    feed: createFeed(source, clock, (seen, what) => say(`  warns: ${what}: ${seen.code}`)),
    failing: null as Error | null,
    lines,
    asked,
    say,
    write(session: string, count = 1) {
      for (let index = 0; index < count; index++) {
        const [seq, position] = [of(session).length + 1, rows.length + 1];
        rows.push({ position, entry: { session, seq, at: 0, event: { type: "extension-started", name: "x" } } });
      }
      say(`${count} written to ${session}`);
    },
    subscribe: (name: string, from: Subscription, also?: () => void) => {
      say(`${name} subscribes`);
      return world.feed.subscribe(({ session, seq }, position) => {
        say(`  ${name} gets ${session}.${seq} at ${position}`);
        also?.();
      }, from);
    },
    async turn() {
      const now = soon;
      soon = [];
      say(now.length === 0 ? "nothing is to be done" : "turn");
      for (const next of now) next();
      await setImmediate();
    },
    async answer() {
      const first = asked.shift();
      say(`answered: ${first?.what}`);
      first?.answer();
      await setImmediate();
    },
    async refuse(error: unknown) {
      const first = asked.shift();
      say(`failed: ${first?.what}`);
      first?.refuse(error);
      await setImmediate();
    },
    async wait() {
      const now = waits;
      waits = [];
      say(now.length === 0 ? "no wait is set" : "the wait is over");
      for (const wake of now) wake();
      await setImmediate();
    },
  };
  return world;
}

/** Long blocks of what subscribers get become one line for each subscriber. */
function shortened(lines: readonly string[]): string {
  const blocks: string[][] = [];
  for (const line of lines) {
    const isGot = line.includes(" gets ");
    if (isGot && blocks.at(-1)?.[0]?.includes(" gets ") === true) blocks.at(-1)?.push(line);
    else blocks.push([line]);
  }
  return `${blocks.flatMap((block) => (block.length <= 12 ? block : summed(block))).join("\n")}\n`;
}

function summed(block: readonly string[]): readonly string[] {
  const byName = Map.groupBy(block, (line) => line.trim().split(" ")[0]);
  return Array.from(byName.values(), (got) => `${got[0]} … ${got.at(-1)?.trim()} (${got.length} entries)`);
}

const BUSY = new FaultError(fault("StoreUnavailable"));
const CORRUPT = new FaultError(fault("EngineState"));

type Story = (world: World) => Promise<void> | void;

/** Of a source that answers at once. */
const LOCAL: Readonly<Record<string, Story>> = {
  async "begins where it is asked to"(world) {
    world.write("a", 2);
    world.write("b", 2);
    world.write("a", 1);
    world.subscribe("now", {});
    world.subscribe("all", { position: 0 });
    world.subscribe("behindTwo", { position: 2 });
    world.subscribe("nowOfA", { session: "a" });
    world.subscribe("wholeA", { session: "a", after: 0 });
    world.subscribe("aAtFour", { session: "a", position: 4 });
    await world.turn();
    await world.turn();
    await world.turn();
    world.write("a");
    world.feed.wakeSoon("a");
    world.feed.wakeSoon("a");
    await world.turn();
    await world.turn();
  },
  async "reads four pages in a turn for those that catch up"(world) {
    for (const session of "abcdef") {
      world.write(session);
      world.subscribe(`of${session}`, { session, after: 0 });
    }
    for (let index = 0; index < 3; index++) await world.turn();
  },
  async "serves those that are up to date first, and those that catch up in turns"(world) {
    world.write("a", 600);
    for (const name of ["one", "two", "three", "four", "five"]) {
      world.subscribe(name, { position: name.length });
    }
    world.subscribe("ofA", { session: "a" });
    for (let index = 0; index < 4; index++) await world.turn();
    world.write("a");
    world.feed.wake(new Set(["a"]));
    for (let index = 0; index < 5; index++) await world.turn();
  },
  async "reads a page once for all who are at the same place, and a full page means that more may follow"(world) {
    world.write("a", 256);
    world.subscribe("one", { session: "a", after: 0 });
    world.subscribe("two", { session: "a", after: 0 });
    world.subscribe("last", { session: "a", after: 255 });
    world.subscribe("done", { session: "a", after: 256 });
    for (let index = 0; index < 4; index++) await world.turn();
  },
  async "wakes whom it may concern"(world) {
    world.subscribe("all", {});
    world.subscribe("ofA", { session: "a" });
    world.subscribe("ofB", { session: "b" });
    await world.turn();
    await world.turn();
    world.write("a");
    world.feed.wake(new Set(["a"]));
    world.write("b");
    world.feed.wake(null);
    world.feed.wake(new Set(["c"]));
    world.write("b");
    world.feed.wakeSoon("b");
    await world.turn();
    await world.turn();
  },
  async "lets a listener write, subscribe and leave"(world) {
    let leave = (): void => undefined;
    world.subscribe("writes", { session: "a" }, () => {
      if (world.feed.isEmpty()) return;
      world.write("b");
      world.feed.wakeSoon("b");
    });
    world.subscribe("stops", { session: "a" }, () => leave());
    leave = world.subscribe("leaves", { session: "a" });
    world.subscribe("ofB", { session: "b" }, () => void world.subscribe("late", { session: "b" }));
    await world.turn();
    world.write("a", 2);
    world.feed.wake(new Set(["a"]));
    for (let index = 0; index < 3; index++) await world.turn();
  },
  async "is empty when all have left, and after it is closed"(world) {
    const say = (): void => world.say(`empty: ${world.feed.isEmpty()}`);
    say();
    const leaves = [world.subscribe("one", {}), world.subscribe("two", {}), world.subscribe("ofA", { session: "a" })];
    for (const leave of leaves) {
      say();
      leave();
      leave();
    }
    say();
    world.subscribe("one", {});
    world.write("a", 300);
    world.subscribe("behind", { position: 0 });
    world.feed.wake(null);
    world.subscribe("behindAgain", { position: 0 });
    world.feed.wakeSoon("a");
    world.feed.close();
    say();
    await world.turn();
    await world.turn();
    world.feed.wakeSoon("a");
    await world.turn();
  },
  async "tries again after a failure that may pass, and gives up after another"(world) {
    world.subscribe("one", {});
    const leave = world.subscribe("leaves", { position: 0 });
    await world.turn();
    world.write("a");
    world.failing = BUSY;
    world.feed.wake(null);
    leave();
    world.feed.wakeSoon("a");
    await world.turn();
    world.failing = null;
    await world.wait();
    world.write("a");
    world.failing = CORRUPT;
    world.feed.wake(null);
    world.failing = null;
    await world.wait();
    world.feed.wake(null);
    world.say(`empty: ${world.feed.isEmpty()}`);
  },
};

/** Of a source that answers with promises. */
const REMOTE: Readonly<Record<string, Story>> = {
  async "gives nothing to a subscriber before its place is known"(world) {
    world.write("a");
    world.subscribe("all", {});
    world.subscribe("ofA", { session: "a" });
    world.subscribe("aAtZero", { session: "a", position: 0 });
    const leave = world.subscribe("leaves", {});
    world.write("a");
    world.feed.wake(null);
    leave();
    await world.turn();
    for (let index = 0; index < 4; index++) await world.answer();
    await world.turn();
    for (let index = 0; index < 3; index++) await world.answer();
    await world.turn();
  },
  async "looks a place up again when that failed, unless the subscriber left"(world) {
    world.subscribe("all", {});
    const leaveEarly = world.subscribe("leavesEarly", {});
    const leaveLate = world.subscribe("leavesLate", {});
    leaveEarly();
    for (let index = 0; index < 3; index++) await world.refuse(BUSY);
    leaveLate();
    world.write("a");
    await world.wait();
    await world.answer();
    world.write("a");
    world.feed.wake(null);
    await world.turn();
    await world.answer();
    await world.answer();
  },
  async "asks for four pages at a time, and for none twice"(world) {
    world.write("a", 3);
    for (let index = 0; index < 6; index++) world.subscribe(`of${index}`, { position: index % 5 });
    await world.turn();
    world.feed.wake(null);
    await world.turn();
    for (let index = 0; index < 6; index++) {
      await world.answer();
      await world.turn();
    }
    world.write("a");
    world.feed.wake(null);
    world.feed.wake(null);
    while (world.asked.length > 0) await world.answer();
    await world.turn();
  },
  async "reads on when it was woken while a page was under way"(world) {
    world.subscribe("ofA", { session: "a", after: 0 });
    world.subscribe("alsoA", { session: "a", after: 0 });
    await world.turn();
    world.write("a", 300);
    world.feed.wake(new Set(["a"]));
    for (let index = 0; index < 4; index++) {
      await world.answer();
      await world.turn();
    }
    world.write("a");
    world.feed.wakeSoon("a");
    await world.turn();
    const leave = world.subscribe("leaves", { session: "a", after: 0 });
    leave();
    await world.answer();
    await world.turn();
  },
  async "misses nothing that is written while a page is under way"(world) {
    world.subscribe("one", { position: 0 });
    await world.turn();
    world.write("a");
    world.feed.wakeSoon("a");
    await world.turn();
    await world.answer();
    await world.turn();
    await world.answer();
    await world.turn();
  },
  async "reads again what failed, for those who are still there"(world) {
    world.subscribe("one", { position: 0 });
    const leave = world.subscribe("leaves", { position: 0 });
    await world.turn();
    world.write("a");
    await world.refuse(BUSY);
    leave();
    world.subscribe("ofA", { session: "a", after: 0 });
    await world.turn();
    await world.wait();
    await world.refuse(CORRUPT);
    await world.answer();
    await world.turn();
    world.write("a");
    world.feed.wake(null);
    await world.answer();
    const alone = world.subscribe("alone", { session: "b", after: 0 });
    await world.turn();
    alone();
    await world.refuse(BUSY);
    await world.wait();
  },
};

describe("a feed", () => {
  const stories = [
    ...Object.entries(LOCAL).map(([title, story]) => ({ title, story, kind: "local" })),
    ...Object.entries(REMOTE).map(([title, story]) => ({ title, story, kind: "remote" })),
  ];
  it.each(stories)("of a $kind source $title", async ({ title, story, kind }) => {
    const world = createWorld(kind === "remote");
    await story(world);
    const file = `${kind} ${title}`.replaceAll(/\W+/g, "-").slice(0, 50);
    await expect(shortened(world.lines)).toMatchFileSnapshot(`./feed-stories/${file}.txt`);
  });

  it("refuses a position that is none", () => {
    const { feed } = createWorld(false);
    expect(() => feed.subscribe(() => undefined, { position: -1 })).toThrow();
    expect(feed.isEmpty()).toBe(true);
  });
});
