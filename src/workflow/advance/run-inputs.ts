// The inputs of a run, as the journal keeps them for its later lives. Secret ones are kept apart, where no view, event or export looks:
// a run that is taken up again needs them exactly.

import type { Journal, Keep } from "../../journal/journal.ts";
import { deepFreeze } from "../definition/deep-freeze.ts";
import type { Workflow, WorkflowInputs } from "../../workflow-model/stage.ts";

type Values = Readonly<Record<string, unknown>>;

export function keepInputs(
  run: string,
  { values, secret }: Pick<WorkflowInputs, "values" | "secret">,
): readonly Keep[] {
  const open = Object.fromEntries(Object.entries(values).filter(([name]) => !Object.hasOwn(secret, name)));
  const input: Keep = { kind: "input", key: inputsKey(run), value: open };
  return Object.keys(secret).length === 0 ? [input] : [input, { kind: "secret", key: run, value: secret }];
}

export async function readInputs(journal: Journal, run: string): Promise<Values> {
  const kept = await journal.kept("input", inputsKey(run));
  return deepFreeze({ ...((kept ?? {}) as Values), ...(await secretInputs(journal, run)) });
}

/** All that must not get out of a run; without its workflow, its inputs only. */
export async function secretsOf(journal: Journal, run: string, workflow: Workflow | null): Promise<readonly unknown[]> {
  return [...Object.values(await secretInputs(journal, run)), ...(workflow?.secrets ?? [])];
}

async function secretInputs(journal: Journal, run: string): Promise<Values> {
  return ((await journal.kept("secret", run)) ?? {}) as Values;
}

function inputsKey(run: string): string {
  return `${run}/inputs`;
}
