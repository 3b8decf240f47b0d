// The output of a visit as it is kept in the journal: exact, and under a name of its own.

import { keyOf, type Visit } from "../../core/flow/run.ts";
import type { Journal, Keep } from "../../journal/journal.ts";

function outputKey(run: string, visit: Pick<Visit, "node" | "execution">): string {
  return `${run}/node/${keyOf(visit)}`;
}

export function keepOutput(run: string, visit: Pick<Visit, "node" | "execution">, output: unknown): Keep {
  return { kind: "result", key: outputKey(run, visit), value: output === undefined ? null : { value: output } };
}

/** undefined when it has none. */
export async function readOutput(
  journal: Journal,
  run: string,
  visit: Pick<Visit, "node" | "execution">,
): Promise<unknown> {
  const kept = await journal.kept("result", outputKey(run, visit));
  return typeof kept === "object" && kept !== null && "value" in kept ? kept.value : undefined;
}
