// Kills that need more than the number of an entry: at the gate, while the run is parked, while a command runs.

import type { Entry } from "../../src/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { markedNow } from "./processes.ts";
import type { Life } from "./life.ts";
import type { Plan } from "./story.ts";
import { CHECK, CHECK_FILE, TEAM_STEPS } from "./team.ts";

const HOUR_MS = 3_600_000;
/** A driver has looked at the journal several times by then. */
const LOOKS_MS = 400;

/** Says which entry of the undisturbed run to be killed at, if any. */
type MakePlan = (entries: readonly Entry[]) => Omit<Plan, "name">;

const SPECIAL: Readonly<Record<string, MakePlan>> = {
  // Killed when it has just put the question, and again by and by while nobody has answered it.
  "gate": () => ({
    kills: [],
    answersFrom: 3,
    listen: (told, life, number) => {
      if (number === 1 && told.told === "paused") life.kill();
      if (number === 2 && told.told === "driving") killLater(life);
    },
  }),
  // The first request is refused until an hour from now. Killed when that is written, and again while the hour runs.
  "parked": () => ({
    kills: [],
    steps: [{ fault: "quota-reset" }, ...TEAM_STEPS.slice(1)],
    change: (text) => text.replaceAll(/^ {4}fallback: .*\n/gm, ""),
    aheadMs: (number) => (number > 2 ? 2 * HOUR_MS : 0),
    listen: (told, life, number) => {
      if (number === 1 && told.told === "paused") life.kill();
      if (number === 2 && told.told === "driving") killLater(life);
    },
  }),
  // The tests hang when they are run for the first time; killed in the middle of that.
  "command": () => ({
    kills: [],
    files: { [CHECK_FILE]: HANGS_ONCE + CHECK },
    listen: (told, life, number, mark) => {
      if (number === 1 && told.told === "paused") killWhenRunning(life, mark, CHECK_FILE);
    },
  }),
};

export const SPECIAL_PLANS = Object.keys(SPECIAL);

export function specialPlans(names: readonly string[], entries: readonly Entry[]): readonly Plan[] {
  return names.map((name) => {
    const make = SPECIAL[name];
    if (make === undefined) throw new Error(`there is no plan ${name}; there are ${SPECIAL_PLANS.join(", ")}`);
    return { name: `--only ${name}`, ...make(entries) };
  });
}

function killLater(life: Life): void {
  systemClock.after(LOOKS_MS, () => life.kill());
}

function killWhenRunning(life: Life, mark: string, program: string): void {
  let isOver = false;
  void life.ended.then(() => (isOver = true));
  const look = (): void => {
    if (isOver) return;
    if (markedNow(mark).some((one) => one.endsWith(program))) life.kill();
    else systemClock.after(20, look);
  };
  look();
}

/** Hangs for a minute, silently, unless it has hung before. */
const HANGS_ONCE = `import { existsSync, writeFileSync } from "node:fs";
if (!existsSync("../has-hung")) {
  writeFileSync("../has-hung", "");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
`;
