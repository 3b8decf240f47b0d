// Detects whether this command runs inside a run: started, directly or indirectly, by a command, a tool, an MCP server or an agent CLI
// of a workflow. A run's own processes must not decide about the run, so operator commands are refused there.
// This guards against accidents, not attacks: a process can detach from its ancestors, or write to the journal itself.

import { readFileSync } from "node:fs";
import { INSIDE_RUN } from "../agent/process/child-env.ts";
import { tryRead } from "../core/try-read.ts";
import type { Cli } from "./cli.ts";
import { variableOf } from "./config/settings.ts";
import { UsageError } from "./io.ts";
import { RUNS_WORDS } from "./render/words/runs-words.ts";

export function refuseInsideRun({ env, locale }: Pick<Cli, "env" | "locale">): void {
  if (variableOf("insideRun", env) !== "" || hasMarkedAncestor(process.ppid)) {
    throw new UsageError(RUNS_WORDS[locale].insideRun, "failed");
  }
}

/** A process can clear its own environment, but not that of its ancestors. Works on Linux only, where `/proc` shows it. */
function hasMarkedAncestor(from: number): boolean {
  for (let id = from, steps = 0; id > 1 && steps < MAX_ANCESTORS; id = parentOf(id), steps++) {
    const environment = tryRead(() => readFileSync(`/proc/${id}/environ`, "utf8"), "");
    if (environment.split("\0").some((entry) => entry.startsWith(`${INSIDE_RUN}=`))) return true;
  }
  return false;
}

const MAX_ANCESTORS = 64;

/** 0 when unknown. The program name is in brackets and may itself contain brackets, so the last one counts. */
function parentOf(id: number): number {
  const stat = tryRead(() => readFileSync(`/proc/${id}/stat`, "utf8"), "");
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1] ?? 0);
}
