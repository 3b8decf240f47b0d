// Whether this command runs inside a run: started, at any distance, by a command, a tool, an MCP server or an agent CLI of a workflow.
// What works for a run must not decide about it, so commands of an operator are refused there.
// This is a guard, not a wall: a process with the rights of its user can leave its ancestors behind, or write to the journal itself.

import { readFileSync } from "node:fs";
import { INSIDE_RUN } from "../agent/process/child-env.ts";
import { tryRead } from "../core/try-read.ts";
import { type Io, UsageError } from "./io.ts";
import type { GlobalOptions } from "./options.ts";
import { RUNS_WORDS } from "./render/words/runs-words.ts";

export function refuseInsideRun({ env }: Pick<Io, "env">, { locale }: Pick<GlobalOptions, "locale">): void {
  if ((env[INSIDE_RUN] ?? "") !== "" || hasMarkedAncestor(process.ppid)) {
    throw new UsageError(RUNS_WORDS[locale].insideRun, "failed");
  }
}

/** A process can clear its own environment, but not that of those it comes from. On Linux only, where it can be read. */
function hasMarkedAncestor(from: number): boolean {
  for (let id = from, steps = 0; id > 1 && steps < MOST_ANCESTORS; id = parentOf(id), steps++) {
    const environment = tryRead(() => readFileSync(`/proc/${id}/environ`, "utf8"), "");
    if (environment.split("\0").some((entry) => entry.startsWith(`${INSIDE_RUN}=`))) return true;
  }
  return false;
}

const MOST_ANCESTORS = 64;

/** 0 when nobody knows. The name of a program stands in brackets and may hold anything, brackets too. */
function parentOf(id: number): number {
  const stat = tryRead(() => readFileSync(`/proc/${id}/stat`, "utf8"), "");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}
