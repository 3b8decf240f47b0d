// An operator's instruction to a node, unredacted: events are scrubbed, but the model must get the words exactly as the person typed
// them, so they come from the actions that the journal keeps. Grants and raised limits also hold for later visits of the run.

import type { Instruction } from "../../core/flow/node.ts";
import type { RunState } from "../../core/flow/run-state.ts";
import type { Visit } from "../../core/flow/visit.ts";
import type { Journal, Keep } from "../../journal/journal.ts";
import { type Granted, GRANT, grantedIn } from "./grants.ts";
import { readOutput } from "../advance/run-values.ts";
import type { PostedAction } from "./posted-actions.ts";

/** Actions that hold for the rest of the run, not only for one attempt. */
const LASTING: ReadonlySet<string> = new Set([GRANT, "raise-limit"]);

/** The instruction of a visit, together with the grants and raised limits of earlier ones. */
export async function instructionFor(
  journal: Journal,
  run: string,
  state: RunState,
  visit: Visit,
): Promise<Instruction | null> {
  if (visit.instruction === null && state.actions.length === 0 && state.predecessor === null) return null;
  const taken = await takenActions(journal, run, state);
  const instruction = await unredacted(journal, run, visit, taken);
  const lasting = taken.filter((one) => LASTING.has(one.action) && one.node === visit.node);
  const last = instruction ?? lasting.at(-1);
  if (last === undefined || lasting.length === 0) return instruction;
  const limits = Object.assign({}, ...[...lasting, last].map(({ params }) => params["limits"])) as object;
  const granted: Granted = {
    commands: lasting.flatMap((one) => grantedIn(one, "commands")),
    tools: lasting.flatMap((one) => grantedIn(one, "tools")),
  };
  return { action: last.action, params: { ...last.params, granted, limits }, by: last.by };
}

/** Passes grants and raised limits on to the successor: to the operator the two runs are one piece of work. */
export async function inheritInstructions(
  journal: Journal,
  from: string,
  state: RunState,
  to: string,
): Promise<Keep[]> {
  const lasting = (await takenActions(journal, from, state)).filter(({ action }) => LASTING.has(action));
  return lasting.map((one, index) => {
    const key = `lasting/${index}`;
    return { kind: "action", key: `${to}/${key}`, value: { ...one, key, isDone: true } };
  });
}

/** Oldest first: the actions taken in this run, those it inherited, and the one that started it as a successor. */
async function takenActions(journal: Journal, run: string, state: RunState): Promise<readonly PostedAction[]> {
  const own = (await journal.keptAll("action", run)).map(({ value }) => value as PostedAction);
  const taken = own.filter(({ key, isDone }) => isDone === true || state.actions.includes(key));
  const { predecessor } = state;
  const starter = predecessor === null ? null : await journal.kept("action", `${predecessor}/successor`);
  const all = starter === null || starter === undefined ? taken : [starter as PostedAction, ...taken];
  return all.toSorted((a, b) => a.at - b.at);
}

/** A visit's own instruction, as the operator typed it. */
async function unredacted(
  journal: Journal,
  run: string,
  visit: Visit,
  taken: readonly PostedAction[],
): Promise<Instruction | null> {
  const { instruction, node } = visit;
  if (instruction === null) return null;
  const typed = taken.findLast(
    (one) => one.action === instruction.action && (one.node === node || instruction.params["to"] === node),
  );
  const params = { ...instruction.params, ...typed?.params };
  if (instruction.action !== "accept-partial") return { ...instruction, params };
  return { ...instruction, params: { ...params, output: await readOutput(journal, run, visit) } };
}
