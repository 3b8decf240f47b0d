// One life of the worker: a real process from its start to its end, which may be a SIGKILL after a certain entry.

import { spawn } from "node:child_process";
import { systemClock } from "../../src/host/clock.ts";
import { parseJson } from "../../src/core/try-read.ts";
import { bundledProgram } from "../../test/support/bundled-program.ts";

export interface Kill {
  /** The entry of the run after which it is killed. */
  readonly seq: number;
  /** The worker kills itself at once, so that nothing follows the entry; or its parent kills it later, in the middle of other work. */
  readonly by: "itself" | "parent";
  /** How much later the parent kills it. */
  readonly delayMs: number;
}

export interface Job {
  readonly journal: string;
  /** null: the plain driver drives the run. */
  readonly restate: { readonly url: string; readonly port: number } | null;
  readonly workflowFile: string;
  readonly run: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly kill: Kill | null;
  /** How much later than now it is for the worker. */
  readonly aheadMs: number;
  /** When the run waits for a time, that time comes at once. */
  readonly jumps: boolean;
}

export type Told =
  | { readonly told: "driving" | "moment" }
  | { readonly told: "paused"; readonly wakeAt: number | null; readonly questions: readonly string[] }
  | { readonly told: "over"; readonly status: string; readonly outcome: string }
  | { readonly told: "trouble"; readonly run: string; readonly code: string; readonly message: string };

export interface LifeEnd {
  readonly killed: boolean;
  readonly exitCode: number | null;
  readonly told: readonly Told[];
  readonly stderr: string;
  /** It did not end by itself, so it was killed. */
  readonly hung: boolean;
}

export interface Life {
  readonly ended: Promise<LifeEnd>;
  /** Kills it now, whatever it is doing. */
  kill(): void;
}

const WORKER = bundledProgram(new URL("worker.mjs", import.meta.url));
/** Far longer than any life takes. */
const HUNG_MS = 90_000;

/** `mark` is in the environment of the worker and of all processes it starts. */
export function startLife(job: Job, mark: string, listen: (told: Told) => void): Life {
  const child = spawn(process.execPath, [WORKER, JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", [MARK]: mark },
  });
  const told: Told[] = [];
  let [stdout, stderr, hung] = ["", "", false];
  const disarm = [
    systemClock.after(HUNG_MS, () => {
      hung = true;
      child.kill("SIGKILL");
    }),
  ];
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (stderr += chunk));
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    const lines = (stdout + chunk).split("\n");
    stdout = lines.pop() ?? "";
    for (const line of lines) {
      const said = parseJson(line) as Told;
      told.push(said);
      if (said.told !== "moment") listen(said);
      else disarm.push(systemClock.after(job.kill?.delayMs ?? 0, () => void child.kill("SIGKILL")));
    }
  });
  // A process that could not be started has an error and closes like any other.
  child.on("error", (error) => void (stderr += error.message));
  const ended = new Promise<LifeEnd>((resolve) => {
    child.on("close", (exitCode, signal) => {
      for (const takeBack of disarm) takeBack();
      resolve({ killed: signal === "SIGKILL" && !hung, exitCode, told, stderr, hung });
    });
  });
  return { ended, kill: () => void child.kill("SIGKILL") };
}

export const MARK = "FAULTLINE_KILL_MARK";
