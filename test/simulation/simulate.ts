// Runs a whole world from one seed — tools that fail in every way, people, a disk that refuses, a process that dies between any
// two events — and holds what happened against everything that must always hold.

import { classify } from "../../src/core/classify/classify.ts";
import type { TurnResult } from "../../src/runtime/session/turn.ts";
import { systemClock } from "../../src/host/clock.ts";
import { ALWAYS } from "./always.ts";
import { diceFor } from "./dice.ts";
import { SimulatedDisk } from "./simulated-disk.ts";
import { Life } from "./simulated-life.ts";
import { Program } from "./simulated-program.ts";
import { Story } from "./story.ts";
import { type WorldSpec, worldFrom } from "./world-spec.ts";

export interface Violation {
  readonly seed: number;
  /** The sentence that does not hold. */
  readonly property: string;
  readonly detail: string;
}

export interface Simulation {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly story: Story;
}

/** The same seed gives the same story, to the last event. */
export async function simulate(seed: number): Promise<Simulation> {
  const world = worldFrom(seed);
  const story = await tell(world);
  const twin = world.isPlain ? await tell({ ...world, ...WITHOUT_TROUBLE }) : null;
  const found = ALWAYS.flatMap(({ property, broken }) => {
    const detail = broken(story, twin);
    return detail === null ? [] : [{ property, detail }];
  });
  const all = [...story.troubles, ...(twin?.troubles ?? []), ...found];
  return { seed, story, violations: all.map((each) => ({ seed, ...each })) };
}

const WITHOUT_TROUBLE: Pick<WorldSpec, "deaths" | "disk"> = {
  deaths: [],
  disk: { latency: "none", refuses: 0, uncertain: 0, refusesReads: 0, brokenFrom: null },
};

const BEGINNING = 1_700_000_000_000;
const MOST_LIVES = 25;
/** After its end a program is watched for this many timers more, for what comes late. */
const MOST_LATE_TIMERS = 500;

async function tell(world: WorldSpec): Promise<Story> {
  const story = new Story(world);
  const disk = new SimulatedDisk(story);
  const unhandled = (error: unknown): void =>
    void story.troubles.push({
      property: "nothing is thrown into the void",
      detail: classify({ surface: "node", error }).message,
    });
  process.on("unhandledRejection", unhandled);
  let startAt = BEGINNING;
  for (let lives = 0; lives < MOST_LIVES; lives++) {
    const again = await live(story, disk, startAt);
    if (again === null) break;
    startAt = again + diceFor(world.seed, "gap", lives).pick(GAPS_MS);
  }
  // An unhandled rejection is reported at the end of a turn.
  await new Promise<void>((resolve) => systemClock.soon(resolve));
  process.off("unhandledRejection", unhandled);
  await remember(story, disk);
  return story;
}

const GAPS_MS = [0, 1, 1_000, 3_600_000];

/** One life; null when no other is needed. */
async function live(story: Story, disk: SimulatedDisk, startAt: number): Promise<number | null> {
  const life = new Life(story, startAt);
  const { clock, record } = life;
  const program = new Program(life, disk.openFor(life));
  const ended = program.run();
  try {
    const end = await clock.runUntil(Promise.race([ended, life.over.then(() => null)]));
    if (end === null) return record.end === "died" ? clock.now() : null;
    if (end.again === null) await comeToRest(life);
    // Something that came late was the end of it.
    if (life.isOver()) return clock.now();
    record.spending = program.session?.spending ?? null;
    record.status = program.session?.status ?? null;
    life.end(end.again === null ? "done" : "again");
    return end.again === null ? null : Math.max(end.again, clock.now());
  } catch (error) {
    life.end("stuck");
    story.troubles.push({ property: "every world ends", detail: classify({ surface: "node", error }).message });
    return null;
  }
}

/** What is late comes now. */
async function comeToRest({ clock }: Life): Promise<void> {
  await clock.advance(0);
  for (let fired = 0; fired < MOST_LATE_TIMERS && (await clock.next()); fired++);
}

/** What the journal holds when all is over. */
async function remember(story: Story, { inner }: SimulatedDisk): Promise<void> {
  for await (const entry of inner.read(story.session)) story.entries.push(entry);
  story.snapshot = await inner.kept("snapshot", story.session);
  for (const { key, value } of await inner.keptAll("result", story.session)) {
    if (isTurn(value)) story.kept.set(key.slice(key.lastIndexOf("/") + 1), value.result);
  }
}

/** Results of calls are kept there too. */
function isTurn(value: unknown): value is { readonly result: TurnResult } {
  return typeof value === "object" && value !== null && "result" in value;
}
