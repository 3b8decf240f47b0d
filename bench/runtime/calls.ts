// Calls one after the other: the success path, two failures before success, and calls that an open breaker refuses.

import { print } from "../measure.ts";
import type { Path } from "./jobs.ts";
import { median } from "./median.ts";
import type { Scale } from "./scale.ts";
import { withProcesses } from "./subject-process.ts";
import { BREAKERS, GUARDS, SUBJECTS, type SubjectId } from "./subjects.ts";
import { printComparison } from "./table.ts";

export async function successPath(scale: Scale): Promise<void> {
  print("\n1. Success path: retry + breaker + timeout together, one call after the other");
  await compare(GUARDS, "success", scale.rounds, scale.calls);
}

export async function failuresThenSuccess(scale: Scale): Promise<void> {
  print("\n2. Two failures, two retries at once, then success; the failure is one Error created beforehand");
  await compare(GUARDS, "same-error", scale.rounds, scale.failingCalls);
  print("\n   the same, but no two failures in a row are alike, so remembering the last one does not help");
  await compare(GUARDS, "unlike-errors", scale.rounds, scale.failingCalls);
  print("\n   the same, each failure a new Error");
  await compare(GUARDS, "fresh-errors", scale.rounds, scale.failingCalls);
}

export async function openBreakerRefusal(scale: Scale): Promise<void> {
  print("\n3. A call refused by an open breaker");
  await compare(BREAKERS, "refused", scale.rounds, scale.calls);
}

/** Subjects take turns, one round each, after a warm-up round. */
async function compare(ids: readonly SubjectId[], path: Path, rounds: number, calls: number): Promise<void> {
  const fails = path.endsWith("-error") || path.endsWith("-errors");
  const micros = new Map<SubjectId, number[]>(ids.map((id) => [id, []]));
  await withProcesses(ids, async (processes) => {
    for (let round = -1; round < rounds; round++) {
      for (const { id, subject, ask } of processes) {
        const share = fails ? Math.min(calls, subject.limits.failing ?? calls) : calls;
        const { cpuMicros } = await ask({ kind: "time", path, calls: share });
        if (round >= 0) micros.get(id)?.push(cpuMicros / share);
      }
    }
  });
  printComparison(
    "CPU µs a call",
    ids.map((id) => ({ subject: SUBJECTS[id], value: median(micros.get(id) ?? []) })),
  );
}
