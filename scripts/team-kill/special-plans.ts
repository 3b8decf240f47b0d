// Kills that need more than the number of an entry: at the gate, while the run is parked, while a command runs.

import { existsSync } from "node:fs";
import { systemClock } from "../../src/host/clock.ts";
import { SEES_PROCESSES } from "./processes.ts";
import type { Life, Told } from "./life.ts";
import type { Plan } from "./story.ts";
import { hangMark, TEAM_STEPS } from "./team.ts";

const HOUR_MS = 3_600_000;
/** A driver has looked at the journal several times by then. */
const LOOKS_MS = 400;
const LOOK_EVERY_MS = 20;

interface SpecialPlan {
  readonly plan: Omit<Plan, "name">;
  /** The same without kills; null: as every other run. */
  readonly undisturbed: Omit<Plan, "name"> | null;
}

/** A used-up quota that resets in an hour, without a fallback. */
const PARKED: Omit<Plan, "name"> = {
  kills: [],
  steps: [{ fault: "quota-reset" }, ...TEAM_STEPS.slice(1)],
  change: (text) => text.replaceAll(/^ {4}fallback: .*\n/gm, ""),
};

/** By name: what happens in it. */
export const SPECIAL_PLANS: Readonly<Record<string, SpecialPlan>> = {
  // Killed right after it asked its question, and again while the question is open.
  gate: {
    plan: { kills: [], killsFrom: 3, answersFrom: 3, listen: killedWhileItWaits },
    undisturbed: null,
  },
  // Killed when it has just been parked, and again while the hour runs.
  parked: {
    plan: { ...PARKED, aheadMs: (number) => (number > 2 ? 2 * HOUR_MS : 0), listen: killedWhileItWaits },
    undisturbed: { ...PARKED, jumps: true },
  },
  // The tests hang at their first run, and the worker is killed meanwhile.
  command: {
    plan: {
      kills: [],
      hangs: true,
      listen: (told, life, _number, folder) => {
        if (told.told === "driving") killWhenItHangs(life, hangMark(folder));
      },
    },
    undisturbed: null,
  },
};

/** The plans that this machine supports. */
export const SPECIAL_NAMES = Object.keys(SPECIAL_PLANS).filter((name) => SEES_PROCESSES || name !== "command");

function killedWhileItWaits(told: Told, life: Life, number: number): void {
  if (number === 1 && told.told === "paused") life.kill();
  if (number === 2 && told.told === "driving") systemClock.after(LOOKS_MS, () => life.kill());
}

/** It hangs once, and leaves this mark. In a life that finds the mark it has been killed before. */
function killWhenItHangs(life: Life, mark: string): void {
  if (existsSync(mark)) return;
  let isOver = false;
  void life.ended.then(() => (isOver = true));
  const look = (): void => {
    if (isOver) return;
    if (existsSync(mark)) life.kill();
    else systemClock.after(LOOK_EVERY_MS, look);
  };
  look();
}
