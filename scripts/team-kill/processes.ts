// Processes that a worker has started, found by the mark in their environment: on Linux, where the environment can be read.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tryRead } from "../../src/core/try-read.ts";
import { systemClock } from "../../src/host/clock.ts";
import { MARK } from "./life.ts";

/** On other systems nothing is found, and the checks that need it are skipped. */
export const SEES_PROCESSES = existsSync("/proc/self/environ");

/** How long a process that is ending may take. */
const ENDING_MS = 3_000;
const LOOK_EVERY_MS = 50;

/** The processes that are still running after a while, each as its pid and command. */
export async function livingWith(mark: string): Promise<readonly string[]> {
  for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
    const living = markedNow(mark);
    if (living.length === 0 || waitedMs >= ENDING_MS) return living;
    await new Promise<void>((resolve) => void systemClock.after(LOOK_EVERY_MS, resolve));
  }
}

function markedNow(mark: string): readonly string[] {
  const ids = tryRead(() => readdirSync("/proc"), []).filter((name) => /^\d+$/.test(name));
  return ids.flatMap((id) => {
    const environment = tryRead(() => readFileSync(`/proc/${id}/environ`, "utf8"), "");
    if (!environment.split("\0").includes(`${MARK}=${mark}`)) return [];
    return [
      `${id} ${tryRead(() => readFileSync(`/proc/${id}/cmdline`, "utf8"), "")
        .replaceAll("\0", " ")
        .trim()}`,
    ];
  });
}
