// Which runs are being advanced right now: those whose key is held by a process that lives.

import { systemChance } from "../../host/chance.ts";
import { createWorker } from "../../host/worker.ts";
import type { RunCommandDeps } from "./run-home.ts";

export async function heldRuns({ workflows, io }: RunCommandDeps): Promise<ReadonlySet<string>> {
  const worker = createWorker(systemChance);
  const now = io.clock.now();
  const holds = await workflows.journal.holds();
  return new Set(holds.flatMap(({ key, owner, until }) => (until > now && !worker.isGone(owner) ? [key] : [])));
}
