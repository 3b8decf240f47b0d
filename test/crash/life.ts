// One life of the killed program: a real process from its start to its end, which may be a SIGKILL at a chosen moment.

import { spawn } from "node:child_process";
import { parseJson } from "../../src/core/try-read.ts";
import type { Chance } from "../../src/host/chance.ts";
import { systemClock } from "../../src/host/clock.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { between, pick } from "./program.ts";

/**
 * A place in the program, for the n-th time it gets there. The parent learns of it and sends the signal, the program does so
 * itself, or a thread of it does a little later.
 */
interface AimedMoment {
  readonly at: (typeof POINTS)[number] | "exec";
  readonly nth: number;
  readonly by: "parent" | "itself" | "thread";
  /** SIGCONT: it continues, and the parent knows that it got there. */
  readonly signal: "SIGKILL" | "SIGSTOP" | "SIGCONT";
  /** How much later the thread sends it. */
  readonly delayMicros: number;
}

/** So many milliseconds after the process was started, or after it had loaded its code. */
interface TimedMoment {
  readonly after: "start" | "load";
  readonly delayMs: number;
}

export type Moment = AimedMoment | TimedMoment;

const POINTS = ["opened", "appending", "committing", "committed", "appended", "told", "begin", "end", "turn"] as const;

/**
 * The kinds of moments, in turn, so that few kills already hit the most different ones. A good third is random; the rest is aimed at what is
 * over too soon to be hit by chance.
 */
// prettier-ignore
const TURNS: readonly ("start" | "load" | "commit" | (typeof POINTS)[number])[] = [
  "begin", "commit", "end", "load", "appending", "load", "committed", "commit", "told", "load", "appended",
  "load", "turn", "commit", "start", "load", "opened", "load", "committing", "commit", "load",
];

/** `setUpSteps`: how many statements make the journal; 0 when it is there. `dealt`: how many moments others have got before. */
export function pickMoment(chance: Chance, setUpSteps: number, dealt: number): Moment {
  if (setUpSteps > 0 && chance.roll() < 0.5)
    return byThread("exec", between(chance, 1, setUpSteps), between(chance, 0, 12_000));
  const turn = TURNS[dealt % TURNS.length] ?? "load";
  if (turn === "start") return { after: "start", delayMs: between(chance, 0, 120) };
  if (turn === "load") return { after: "load", delayMs: between(chance, 0, 400) };
  // A commit writes its pages within the first moment, and waits for the disk for the rest of its time.
  if (turn === "commit")
    return byThread("committing", between(chance, 1, 30), between(chance, 0, pick(chance, [150, 4_000])));
  const most = turn === "opened" ? 1 : turn === "turn" ? 3 : turn === "told" ? 90 : 30;
  const by = chance.roll() < 0.5 ? "itself" : "parent";
  return { at: turn, nth: between(chance, 1, most), by, signal: "SIGKILL", delayMicros: 0 };
}

function byThread(at: AimedMoment["at"], nth: number, delayMicros: number): Moment {
  return { at, nth, by: "thread", signal: "SIGKILL", delayMicros };
}

export interface Job {
  readonly life: number;
  readonly folder: string;
  readonly journal: string;
}

/** What the program said of one of its sessions. */
export interface Came {
  readonly session: string;
  readonly came: "done" | "over" | "waiting" | "stopped";
  readonly code?: string;
  readonly message?: string;
  /** What it says it has spent … */
  readonly spending?: unknown;
  /** … and what its entries say. */
  readonly booked?: unknown;
}

export interface LifeEnd {
  readonly life: number;
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly came: readonly Came[];
  readonly stderr: string;
  /** It had to be killed because it did not end by itself. */
  readonly hung: boolean;
}

export interface Life {
  readonly ended: Promise<LifeEnd>;
  /** Resolves when the aimed moment has come, or the life has ended before it. */
  readonly moment: Promise<void>;
  send(signal: "SIGKILL" | "SIGCONT"): void;
}

const CHILD = bundledProgram(new URL("child.mjs", import.meta.url));
/** Far longer than any life takes; only a life that would never end gets there. */
const HUNG_MS = 90_000;

/** `moment` null: lives until it is done. */
export function startLife(job: Job, moment: Moment | null): Life {
  const aimed = moment !== null && "at" in moment ? moment : null;
  const given = JSON.stringify({ ...job, moment: aimed });
  const child = spawn(process.execPath, [CHILD, given], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const came: Came[] = [];
  let [stdout, stderr, hung] = ["", "", false];
  let tellMoment: () => void = () => undefined;
  const momentCame = new Promise<void>((resolve) => (tellMoment = resolve));
  const disarm: (() => void)[] = [
    systemClock.after(HUNG_MS, () => {
      hung = true;
      child.kill("SIGKILL");
    }),
  ];
  const reach = (): void => {
    if (aimed === null || aimed.by === "parent") child.kill(aimed?.signal ?? "SIGKILL");
    tellMoment();
  };
  const arm = (after: TimedMoment["after"]): void => {
    if (moment !== null && "after" in moment && moment.after === after) {
      disarm.push(systemClock.after(moment.delayMs, reach));
    }
  };
  arm("start");
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (stderr += chunk));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (stdout + chunk).split("\n");
    stdout = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "loaded") arm("load");
      else if (line === "moment") reach();
      else came.push(parseJson(line) as Came);
    }
  });
  // A process that could not be started has an error and closes like any other.
  child.on("error", (error) => void (stderr += error.message));
  const ended = new Promise<LifeEnd>((resolve) => {
    child.on("close", (exitCode, signal) => {
      for (const takeBack of disarm) takeBack();
      tellMoment();
      resolve({ life: job.life, killed: signal === "SIGKILL" && !hung, exitCode, came, stderr, hung });
    });
  });
  return { ended, moment: momentCame, send: (signal) => void child.kill(signal) };
}
