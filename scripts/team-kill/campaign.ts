// Repeats the same run of the team, each time with its worker killed at another place, and compares each with an undisturbed run.

import { join } from "node:path";
import { classify } from "../../src/index.ts";
import { checkStory } from "./check.ts";
import { cutOffAttempts, microcents } from "./entries.ts";
import type { Kill } from "./life.ts";
import { SPECIAL_PLANS } from "./special-plans.ts";
import { type Plan, type Story, tellStory } from "./story.ts";
import { readTeam } from "./team.ts";

export interface CampaignOptions {
  /** An empty folder. The campaign leaves all its files there. */
  readonly folder: string;
  /** Which entries of the undisturbed run a worker is killed at, given how many there are. */
  readonly points: (entries: number) => readonly number[];
  /** After which it is killed twice: there, and five entries later. */
  readonly again: (entries: number) => readonly number[];
  /** Of `SPECIAL_PLANS`, each alone (`command`), or with a kill at an entry besides (`command,17`). */
  readonly special: (entries: number) => readonly string[];
  /** How many runs proceed at the same time. */
  readonly sideBySide: number;
  /** The addresses of the servers that keep the journals and drive the runs; null: files do, and the plain driver. */
  readonly postgres: string | null;
  readonly restate: string | null;
  /** What the runs are compared with; null: one more run, without kills, on this journal and driver. */
  readonly undisturbed?: Story | null;
  readonly tell: (line: string) => void;
}

export interface Report {
  readonly undisturbed: Story;
  entries: number;
  stories: number;
  kills: number;
  /** Of plans that name entries. */
  killsAtEntries: number;
  lives: number;
  /** All requests to models, and how many were repeated because the kill came before their answer was on disk. */
  requests: number;
  askedAgain: number;
  cutOff: number;
  /** Booked for interrupted attempts, in addition to the cost of the run. */
  cutOffMicrocents: number;
  undisturbedMicrocents: number;
  readonly problems: string[];
}

export async function runCampaign(options: CampaignOptions): Promise<Report> {
  const { folder, points, again, special, sideBySide, postgres, restate, tell } = options;
  const team = await readTeam();
  let number = 0;
  // Folders of the same length: their names are in prompts.
  const next = (plan: Plan): Promise<Story> => {
    number += 1;
    const own = join(folder, `story-${String(number).padStart(4, "0")}`);
    return tellStory({ team, folder: own, postgres, restate }, plan);
  };
  const undisturbed = options.undisturbed ?? (await next({ name: "undisturbed", kills: [] }));
  const { length } = undisturbed.entries;
  const report: Report = {
    ...{ undisturbed, entries: length, stories: 0, kills: 0, lives: 0, requests: 0, askedAgain: 0, cutOff: 0 },
    killsAtEntries: 0,
    cutOffMicrocents: 0,
    undisturbedMicrocents: undisturbed.report?.spending.microcents ?? NaN,
    problems: checkStory(undisturbed, undisturbed).map((problem) => `undisturbed: ${problem}`),
  };
  if (report.problems.length > 0) return report;
  const open: Planned[] = [
    ...special(length).map(specialPlan),
    ...points(length).map((seq) => planned({ name: `--at ${seq}`, kills: [killAt(seq)] })),
    ...again(length).map((seq) =>
      planned({ name: `--at ${seq},${seq + TWICE_AFTER}`, kills: [killAt(seq), killAt(seq + TWICE_AFTER)] }),
    ),
  ];
  const work = async (): Promise<void> => {
    for (let one = open.shift(); one !== undefined; one = open.shift()) {
      const { plan, against } = one;
      try {
        const expected = against === null ? undisturbed : await next(against);
        const story = await next(plan);
        const problems = checkStory(story, expected);
        add(report, story, expected);
        report.problems.push(...problems.map((problem) => `${plan.name}: ${problem}`));
        tell(`${plan.name}: ${story.lives.length} lives, ${story.entries.length} entries, ${problems.length} problems`);
        for (const problem of problems) tell(`  ${problem}`);
      } catch (error) {
        report.problems.push(`${plan.name}: ${classify({ surface: "node", error }).message}`);
      }
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, work));
  return report;
}

interface Planned {
  readonly plan: Plan;
  /** The run it is compared with; null: the one that all others are compared with. */
  readonly against: Plan | null;
}

function planned(plan: Plan): Planned {
  return { plan, against: null };
}

function specialPlan(given: string): Planned {
  const [name = "", seq] = given.split(",");
  const found = SPECIAL_PLANS[name];
  if (found === undefined) throw new Error(`there is no ${name}; there are ${Object.keys(SPECIAL_PLANS).join(", ")}`);
  const { plan, undisturbed } = found;
  const against = undisturbed === null ? null : { name: `${name}, undisturbed`, ...undisturbed };
  const kills = seq === undefined ? plan.kills : [killAt(Number(seq))];
  return { plan: { ...plan, name: `--only ${given}`, kills }, against };
}

const TWICE_AFTER = 5;

/** Every second worker kills itself exactly there. The parent kills the others a little later, in the middle of other work. */
function killAt(seq: number): Kill {
  return seq % 2 === 0 ? { seq, by: "itself", delayMs: 0 } : { seq, by: "parent", delayMs: (seq * 7) % 60 };
}

/** The n-th entry, the n-th after that, and so on; each entry of the run for 1. */
export function everyNth(n: number): (entries: number) => readonly number[] {
  return (entries) => Array.from({ length: Math.ceil(entries / n) }, (_, index) => Math.min(entries, 1 + index * n));
}

function add(report: Report, { lives, asks, entries, killsAtEntries }: Story, undisturbed: Story): void {
  const cutOff = cutOffAttempts(entries);
  report.stories += 1;
  report.lives += lives.length;
  report.killsAtEntries += killsAtEntries;
  report.kills += lives.filter(({ killed }) => killed).length;
  report.requests += asks.length;
  report.askedAgain += Math.max(0, asks.length - undisturbed.asks.length);
  report.cutOff += cutOff.length;
  report.cutOffMicrocents += microcents(cutOff);
}
