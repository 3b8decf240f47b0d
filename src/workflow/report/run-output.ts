// What the nodes of a run have left, for people.

import type { RunState } from "../../core/flow/run-state.ts";
import type { Visit } from "../../core/flow/visit.ts";
import { readOutput } from "../advance/run-values.ts";
import type { RunsDeps } from "../runs-options.ts";
import { redactorOf } from "./run-reports.ts";

/** The newest visit of a node; without a node, the visit that completed last. undefined when there is none. */
export function visitWithOutput({ visits }: Pick<RunState, "visits">, node: string | null): Visit | undefined {
  if (node !== null) return visits.findLast((visit) => visit.node === node);
  const completed = visits.filter((visit) => visit.state === "completed");
  return completed.toSorted((a, b) => a.endedAt - b.endedAt).at(-1);
}

export async function keptOutput(
  home: RunsDeps,
  run: string,
  visit: Pick<Visit, "node" | "execution">,
): Promise<unknown> {
  const kept = await readOutput(home.journal, run, visit);
  return kept === undefined ? undefined : (await redactorOf(home, run)).value(kept);
}
