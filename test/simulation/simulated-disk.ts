// A disk for simulated worlds: a journal in memory that survives the death of the simulated process. It can be slow, refuse a write, or write
// and then report a failure. Its spec names an append at which the process dies, before or after the write.

import { fault, FaultError } from "../../src/core/fault/fault.ts";
import { type Breaker, CLOSED } from "../../src/core/decide/breaker.ts";
import type { Clock } from "../../src/host/clock.ts";
import type { Journal, Keep, KeepKind, Kept, NewEntry } from "../../src/journal/journal.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { diceFor } from "./dice.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import type { Life } from "./simulated-life.ts";
import type { Story } from "./story.ts";

export class SimulatedDisk {
  readonly #story: Story;
  readonly #inner: Journal;
  #now: () => number = () => 0;
  #operations = 0;

  constructor(story: Story) {
    this.#story = story;
    const clock: Clock = {
      now: () => this.#now(),
      shiftMs: 0,
      after: () => () => undefined,
      // Not before an append has been noted here.
      soon: (next) => queueMicrotask(() => queueMicrotask(next)),
      tickMs: Infinity,
    };
    this.#inner = createMemoryJournal({
      clock,
      chance: createSeededChance(story.world.seed),
      onWarning: () => undefined,
    });
  }

  /** The journal itself, for checks at the end. */
  get inner(): Journal {
    return this.#inner;
  }

  /** The journal as a program in this life sees it. */
  openFor(life: Life): Journal {
    const inner = this.#inner;
    this.#now = () => life.clock.now();
    const read = <T>(work: () => Promise<T>): Promise<T> => this.#read(life, work);
    return {
      // Queries that no runtime asks are answered at once.
      ...inner,
      durable: true,
      path: null,
      append: (session, after, entries, keeps = []) => this.#append(life, session, after, entries, keeps),
      keep: (keeps) => this.#keep(life, keeps),
      keepFirst: (keep) => read(() => inner.keepFirst(keep)),
      changeKept: (kind, key, change) => this.#changeKept(life, kind, key, change),
      hold: (...claim) => this.#write(life, () => inner.hold(...claim)),
      release: (...claim) => this.#write(life, () => inner.release(...claim)),
      takeFrom: (...claim) => this.#write(life, () => inner.takeFrom(...claim)),
      holds: () => read(() => inner.holds()),
      read: (session, after) => readThrough(read, inner, session, after ?? 0),
      kept: (kind, key) => read(() => inner.kept(kind, key)),
      keptAll: async (kind, under) => {
        const kept = await read(() => inner.keptAll(kind, under));
        if (kind === "breaker") this.#noteRestored(life, kept);
        return kept;
      },
      keptByTime: (kind, query) => read(() => inner.keptByTime(kind, query)),
      session: (session) => read(() => inner.session(session)),
      sessions: (query) => read(() => inner.sessions(query)),
      subscribe: (listener, from) => {
        const stop = inner.subscribe((entry, position) => life.isOver() || listener(entry, position), from);
        void life.over.then(stop);
        return stop;
      },
      prune: (options) => read(() => inner.prune(options)),
      verify: () => read(() => inner.verify()),
      close: () => Promise.resolve(),
    };
  }

  async #append(
    life: Life,
    session: string,
    after: number,
    entries: readonly NewEntry[],
    keeps: readonly Keep[],
  ): Promise<void> {
    const { world } = this.#story;
    const death = world.deaths[life.number];
    const dies = life.countAppend() === death?.append ? death.when : null;
    const fate = this.#fate(life);
    await this.#takeTime(life);
    if (dies === "before") life.end("died");
    if (life.isOver()) return life.never();
    if (fate === "refused") throw this.#refusal("the disk does not answer");
    await this.#inner.append(session, after, entries, keeps);
    this.#noteEntries(life, session, after, entries);
    this.#noteKeeps(life, keeps);
    if (dies === "after") life.end("died");
    await this.#takeTime(life);
    if (life.isOver()) return life.never();
    if (fate === "uncertain") throw this.#refusal("the disk did not say whether it wrote");
  }

  async #keep(life: Life, keeps: readonly Keep[]): Promise<void> {
    if (life.isOver()) return life.never();
    // Whether it is written or not: this is what the program now believes.
    this.#noteKeeps(life, keeps);
    if (this.#fate(life) === "refused") throw this.#refusal("the disk does not answer");
    await this.#inner.keep(keeps);
  }

  async #changeKept(life: Life, kind: KeepKind, key: string, change: (present: unknown) => unknown): Promise<unknown> {
    if (life.isOver()) return life.never();
    this.#noteKeeps(life, [{ kind, key, value: change(await this.#inner.kept(kind, key)) }]);
    if (this.#fate(life) === "refused") throw this.#refusal("the disk does not answer");
    return this.#inner.changeKept(kind, key, change);
  }

  async #write<T>(life: Life, work: () => Promise<T>): Promise<T> {
    if (life.isOver()) return life.never();
    const fate = this.#fate(life);
    if (fate === "refused") throw this.#refusal("the disk does not answer");
    const result = await work();
    await this.#takeTime(life);
    if (life.isOver()) return life.never<T>();
    if (fate === "uncertain") throw this.#refusal("the disk did not say whether it wrote");
    return result;
  }

  async #read<T>(life: Life, work: () => Promise<T>): Promise<T> {
    if (life.isOver()) return life.never();
    const { world } = this.#story;
    const refuses = diceFor(world.seed, "read", ++this.#operations).chance(world.disk.refusesReads);
    if (refuses && life.number < TROUBLED_LIVES) throw this.#refusal("the disk cannot be read");
    const result = await work();
    return life.isOver() ? life.never<T>() : result;
  }

  #fate({ number: life }: Life): "written" | "refused" | "uncertain" {
    const { seed, disk } = this.#story.world;
    const number = ++this.#operations;
    if (disk.brokenFrom !== null && number >= disk.brokenFrom) return "refused";
    if (life >= TROUBLED_LIVES || (disk.refuses === 0 && disk.uncertain === 0)) return "written";
    const dice = diceFor(seed, "disk", number);
    if (dice.chance(disk.refuses)) return "refused";
    return dice.chance(disk.uncertain) ? "uncertain" : "written";
  }

  async #takeTime(life: Life): Promise<void> {
    const { seed, disk } = this.#story.world;
    if (disk.latency === "none") return;
    const dice = diceFor(seed, "latency", ++this.#operations);
    if (disk.latency === "steps") for (let left = dice.int(0, 12); left > 0; left--) await Promise.resolve();
    else await new Promise<void>((resolve) => void life.clock.after(dice.int(0, 20), resolve));
  }

  #refusal(message: string): FaultError {
    this.#story.refusals += 1;
    return new FaultError(fault("StoreUnavailable", { message }));
  }

  #noteEntries(life: Life, session: string, after: number, entries: readonly NewEntry[]): void {
    const { written } = this.#story;
    for (const [index, { at, event }] of entries.entries()) {
      const entry = { session, seq: after + index + 1, at, event };
      written.push({ order: this.#story.next(), life: life.number, at: life.clock.now(), entry });
    }
  }

  #noteKeeps(life: Life, keeps: readonly Keep[]): void {
    for (const { kind, key, value } of keeps) {
      // One that is not worth keeping is closed.
      if (kind === "breaker") this.#noteBreaker(life, key, (value ?? CLOSED) as Breaker, life.clock.now());
      if (SHOWN_KINDS.has(kind) && value !== null && this.#story.world.secrets.length > 0) {
        this.#story.shown.push(JSON.stringify(value));
      }
    }
  }

  /** The moment before this life began: it admitted nothing earlier. */
  #noteRestored(life: Life, breakers: readonly Kept[]): void {
    for (const { key, value } of breakers) this.#noteBreaker(life, key, value as Breaker, life.record.startedAt - 1);
  }

  #noteBreaker(life: Life, target: string, breaker: Breaker, at: number): void {
    const { breakers } = this.#story;
    breakers.push({ order: this.#story.next(), life: life.number, at, target, breaker });
  }
}

/** After so many lives a disk that is not broken has recovered, so that every world comes to an end. */
const TROUBLED_LIVES = 8;

/** What pages and other programs can see. Results and inputs are kept exactly on purpose, so they are not in it. */
const SHOWN_KINDS: ReadonlySet<Keep["kind"]> = new Set(["snapshot", "question", "breaker", "pause", "incident"]);

async function* readThrough(
  read: <T>(work: () => Promise<T>) => Promise<T>,
  inner: Journal,
  session: string,
  after: number,
): ReturnType<Journal["read"]> {
  await read(() => Promise.resolve());
  yield* inner.read(session, after);
}
