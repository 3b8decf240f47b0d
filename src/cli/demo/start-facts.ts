// The demo's results as one document, including what was promised but did not happen. Every fact is read from the journal, the
// files and the processes.

import type { Spending } from "../../core/index.ts";
import type { DemoFolder } from "./demo-folder.ts";
import type { DemoEnd } from "./drive-demo.ts";
import { countSurvived, SURVIVED, type SurvivedId } from "./survived.ts";
import type { FileChange } from "./text-diff.ts";

export type Promised = SurvivedId | "redone" | "outcome";

export interface StartFacts {
  readonly outcome: string;
  /** Promised results that did not happen; empty when all is well. */
  readonly missing: readonly Promised[];
  readonly run: string;
  readonly durationMs: number;
  readonly survived: Readonly<Record<SurvivedId, number>>;
  /** Finished work that was repeated, by name; empty when all is well. */
  readonly redone: readonly string[];
  readonly workers: { readonly started: number; readonly killed: number };
  readonly cost: Spending & { readonly basis: "list prices" };
  readonly changes: readonly { readonly file: string; readonly added: number; readonly removed: number }[];
  readonly files: {
    readonly folder: string;
    readonly repository: string;
    readonly journal: string;
    readonly stages: string | null;
    readonly diff: string;
  };
}

const APPROVED = "approved";

export function factsOf(
  { run, report, entries, workers, killed }: DemoEnd,
  { folder, repository, journal, diff }: DemoFolder,
  changes: readonly FileChange[],
): StartFacts {
  const { outcome, startedAt, endedAt } = report.summary;
  const { counts, redone } = countSurvived(entries);
  const kept: Readonly<Record<Promised, boolean>> = {
    ...(Object.fromEntries(SURVIVED.map((id) => [id, counts[id] > 0])) as Record<SurvivedId, boolean>),
    crashes: counts.crashes > 0 && killed > 0,
    redone: redone.length === 0,
    outcome: outcome === APPROVED,
  };
  return {
    outcome,
    missing: ([...SURVIVED, "redone", "outcome"] as const).filter((promised) => !kept[promised]),
    run,
    durationMs: endedAt - startedAt,
    survived: counts,
    redone,
    workers: { started: workers, killed },
    cost: { ...report.spending, basis: "list prices" },
    changes: changes.map(({ name, added, removed }) => ({ file: name, added, removed })),
    files: { folder, repository, journal, stages: report.files.length === 0 ? null : report.folder, diff },
  };
}
