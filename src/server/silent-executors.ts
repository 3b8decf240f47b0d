// Executors that stopped without a word leave their calls open. After a day they count as cancelled, so that nothing grows for ever.

import { classify } from "../core/classify/classify.ts";
import type { Faultline } from "../faultline.ts";
import type { Clock } from "../host/clock.ts";
import { warn } from "../journal/warnings.ts";

const LOOK_EVERY_MS = 3_600_000;
const SILENT_MS = 24 * 3_600_000;

/** Looks every hour. Returns a function that stops it. */
export function endSilentCalls(faultline: Faultline, clock: Clock): () => void {
  let isStopped = false;
  let disarm = clock.after(LOOK_EVERY_MS, look);

  function look(): void {
    void faultline
      .endSilentReports(SILENT_MS)
      .catch((error: unknown) =>
        warn(classify({ surface: "store", error }), "ending calls whose executor was not heard of any more"),
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
