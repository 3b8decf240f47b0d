// A program that reports calls and then dies leaves its calls open. The server cancels them after a day, so that they do not pile up.

import { classify } from "../core/classify/classify.ts";
import type { Faultline } from "../faultline.ts";
import type { Clock } from "../host/clock.ts";
import { warn } from "../journal/warnings.ts";

const LOOK_EVERY_MS = 3_600_000;
const SILENT_MS = 24 * 3_600_000;

/** Checks every hour. Returns a function that stops it. */
export function endSilentCalls(faultline: Faultline, clock: Clock): () => void {
  let isStopped = false;
  let disarm = clock.after(LOOK_EVERY_MS, look);

  function look(): void {
    void faultline
      .endSilentReports(SILENT_MS)
      .catch((error: unknown) =>
        warn(classify({ surface: "store", error }), "cancelling open calls whose executor has been silent for a day"),
      )
      .finally(() => {
        if (!isStopped) disarm = clock.after(LOOK_EVERY_MS, look);
      });
  }

  return () => {
    isStopped = true;
    disarm();
  };
}
