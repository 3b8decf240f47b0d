// What a run keeps in the journal beside its events, exact: its inputs and the output of each visit. Secret inputs are kept apart,
// where no view, event or export looks.

import { keyOf } from "../../core/flow/run-state.ts";
import type { Visit } from "../../core/flow/visit.ts";
import type { Journal, Keep } from "../../journal/journal.ts";
import { deepFreeze } from "../definition/deep-freeze.ts";
import type { Workflow, WorkflowInputs } from "../../workflow-model/stage.ts";

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
