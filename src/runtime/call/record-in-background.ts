// A line in the journal that nobody waits for: if it cannot be written, that is told.

import { classify } from "../../core/classify/classify.ts";
import type { Engine } from "../engine.ts";

export function recordInBackground({ clock, suppress }: Engine, written: Promise<void> | null): void {
  written?.catch((error: unknown) => {
    const seen = classify({ surface: "store", error, observedAt: clock.now() });
    suppress(seen, "the call goes on without this line in its journal");
  });
}
