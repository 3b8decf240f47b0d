// The files about failed stages of a run: when they are written, and which there are.

import { readdir } from "node:fs/promises";
import { classify } from "../core/classify/classify.ts";
import type { Visit } from "../core/flow/run.ts";
import type { Journal } from "../journal/journal.ts";
import type { Session } from "../runtime/session/session.ts";
import type { VisitEnd } from "./run-visit.ts";
import type { RunsHome } from "./runs-options.ts";
import type { Workflow } from "./stage.ts";

export async function keepStageFiles(
  _home: RunsHome,
  _session: Session,
  _workflow: Workflow,
  _visit: Visit,
  _end: VisitEnd,
): Promise<void> {
  // Filled in when stage-files.ts is there.
}

export async function filesOf(
  journal: Journal,
  run: string,
): Promise<{ files: readonly string[]; folder: string | null }> {
  if (journal.path === null) return { files: [], folder: null };
  const folder = `${journal.path}.runs/${run}`;
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => `${parentPath}/${name}`.slice(folder.length + 1));
    return { files: files.toSorted(), folder };
  } catch (error) {
    // A run of which nothing failed has no folder.
    classify({ surface: "store", error });
    return { files: [], folder };
  }
}
