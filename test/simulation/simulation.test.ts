// Whole worlds from seeds: tools that fail in every way, people, a disk that refuses, a process that dies. Everything that
// must always hold is held against each of them. `npm run simulate` runs thousands more.

import { describe, expect, it } from "vitest";
import type { JournalEvent } from "../../src/index.ts";
import { simulate, type Simulation, type Violation } from "./simulate.ts";
import { worldFrom } from "./world-spec.ts";
import known from "./seeds.json" with { type: "json" };
import { samples } from "../support/grid.ts";

const SEEDS = samples(150, 300);

function told(violations: readonly Violation[]): readonly string[] {
  return violations.map(({ seed, property, detail }) => `seed ${seed}: NOT ${property}: ${detail}`);
}

async function worlds(): Promise<readonly Simulation[]> {
  const all: Simulation[] = [];
  for (let seed = 1; seed <= SEEDS; seed++) all.push(await simulate(seed));
  return all;
}

describe("simulated worlds", () => {
  it(`keep every promise, from seed 1 to ${SEEDS}, and a lot happens in them`, async () => {
    const all = await worlds();
    expect(told(all.flatMap(({ violations }) => violations))).toEqual([]);

    const stories = all.map(({ story }) => story);
    const events = stories.flatMap(({ written }) => written.map(({ entry }) => entry.event));
    const types = new Set<string>(events.map(({ type }) => type));
    const decided = new Set(events.flatMap((event) => ("decision" in event ? [event.decision.recourse] : [])));
    expect([...MUST_COME].filter((type) => !types.has(type))).toEqual([]);
    expect(
      ["retry", "alternative", "park", "ask", "default", "skip", "partial"].filter((r) => !decided.has(r as "ask")),
    ).toEqual([]);
    const ends = new Set(stories.flatMap(({ lives }) => lives.map(({ end }) => end)));
    expect([...ends].sort()).toEqual(["again", "died", "done"]);
    expect(stories.filter(({ refusals }) => refusals > 0).length).toBeGreaterThan(SEEDS / 10);
    expect(stories.filter(({ cancels }) => cancels.length > 0).length).toBeGreaterThan(SEEDS / 20);
    expect(stories.filter(({ told: seen }) => seen.length > 0).length).toBeGreaterThan(SEEDS / 10);
    expect(stories.filter(({ world }) => world.isPlain && world.deaths.length > 0).length).toBeGreaterThan(SEEDS / 10);
  });

  it.each(known)("still keep every promise in world $seed, which broke one: $broke", async ({ seed }) => {
    expect(told((await simulate(seed)).violations)).toEqual([]);
  });

  it("come out the same to the last event for the same seed, and differently for another", async () => {
    const seed = 7;
    const [first, second, other] = [await simulate(seed), await simulate(seed), await simulate(seed + 1)];
    const text = ({ story }: Simulation): string => JSON.stringify([story.entries, story.outcomes, story.lives]);
    expect(text(second)).toBe(text(first));
    expect(text(other)).not.toBe(text(first));
  });

  it("are made of parts that depend on the seed alone", () => {
    expect(JSON.stringify(worldFrom(42))).toBe(JSON.stringify(worldFrom(42)));
  });
});

const MUST_COME: readonly JournalEvent["type"][] = [
  "session-started",
  "session-resumed",
  "session-ended",
  "turn-started",
  "round-started",
  "node-settled",
  "turn-ended",
  "call-started",
  "call-admitted",
  "call-failed",
  "call-decided",
  "call-succeeded",
  "call-cancelled",
  "call-late",
  "question-asked",
  "question-answered",
  "breaker-changed",
  "budget-warned",
  "budget-exceeded",
];
