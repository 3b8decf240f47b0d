// Failures of the program itself: it is killed, or its store refuses writes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { join } from "node:path";
import { classify } from "../../../../src/core/classify/classify.ts";
import type { Fault } from "../../../../src/core/fault/fault.ts";
import { bundledProgram } from "../../../support/bundled-program.ts";
import { until } from "../../../support/look-again.ts";
import type { MatrixWorld } from "../world.ts";

/** The fault that advancing the run rejects with. */
export function isRefused(world: MatrixWorld, run: string): Promise<Fault> {
  return world.advance(run).then(
    () => {
      throw new Error("it was advanced");
    },
    (error: unknown) => classify({ surface: "store", error }),
  );
}

/** Resolves when no process is left; ending a process takes a moment of real time. */
export function nobodyHangs(world: MatrixWorld): Promise<void> {
  return until(() => world.hanging() === 0);
}

const LIFE = new URL("../crash-life.ts", import.meta.url);

/** Another process advances the run and is killed in the middle of a command; then this one resumes the run. */
export async function crashes(world: MatrixWorld, run: string): Promise<void> {
  const { folder, started } = world;
  const hangs = Promise.withResolvers<true>();
  const look = (): void => void (started().includes("hang-once.mjs") && hangs.resolve(true));
  const watcher = watch(join(folder, "started.txt"), look);
  const life = bundledProgram(LIFE);
  const child = spawn(process.execPath, [life, folder, "crash.faultline.yaml", run], { stdio: "inherit" });
  const gone = once(child, "exit");
  await Promise.race([hangs.promise, gone]);
  watcher.close();
  child.kill("SIGKILL");
  await gone;
  await world.nextLife();
  await world.advance(run);
}
