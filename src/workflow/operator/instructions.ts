// What operators tell a node: the actions they post, the events that carry those out, and what a node reads of them. Events are scrubbed,
// but the model must get the words exactly as the person typed them, so instructions come from the actions that the journal keeps.
// Grants and raised limits also hold for later visits of the run.

import { writeAndWake } from "../../runtime/person/post-answer.ts";
import { actionHas } from "../../core/flow/action.ts";
import type { Instruction, Visit } from "../../core/flow/visit.ts";
import { executionsOf, type RunState, visitOf } from "../../core/flow/run-state.ts";
import type { Journal, Keep } from "../../journal/journal.ts";
import { readOutput } from "../advance/summary.ts";
import { matrixOutcome } from "../../core/fault/vocabulary.ts";
import type { RunEvent } from "../../core/flow/run-event.ts";
import type { Workflow, NodeResult } from "../../workflow-model/stage.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { fieldOf } from "../../core/try-read.ts";
import { viewFor } from "../../core/fault/view.ts";

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
  const lasting = taken.filter((one) => actionHas(one.action, "lasts") && one.node === visit.node);
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
  const lasting = (await takenActions(journal, from, state)).filter(({ action }) => actionHas(action, "lasts"));
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
  if (!actionHas(instruction.action, "accepts-output")) return { ...instruction, params };
  return { ...instruction, params: { ...params, output: await readOutput(journal, run, visit) } };
}

// Limits of a node that an operator raised above those of the workflow: rounds, money, time. They hold for later visits of the run.

/** By the names of `src/core/flow/action.ts`. */
type NodeLimit = "turnCap" | "agentCostMicrocents" | "attemptMs";

/** null when it was not raised. */
export function overrideFor(
  { instruction }: { readonly instruction: Instruction | null },
  name: NodeLimit,
): number | null {
  const limits = instruction?.params["limits"];
  const limit = typeof limits === "object" && limits !== null ? (limits as Record<string, unknown>)[name] : undefined;
  return typeof limit === "number" ? limit : null;
}

// What an operator has allowed a node to use in this run: by the instruction of this visit, or by an earlier grant that still holds.

type Granted = Readonly<Partial<Record<"commands" | "tools", readonly string[]>>>;

/** Grants of earlier visits are under `granted`, a key that `checkActionParams` never accepts. */
export function grantedIn({ action, params }: Instruction, kind: keyof Granted): readonly string[] {
  const earlier = params["granted"] as Granted | undefined;
  const given = actionHas(action, "allows") ? namesIn(params[kind]) : [];
  return [...new Set([...given, ...namesIn(earlier?.[kind])])];
}

function namesIn(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
}

// Turns a posted action into the events that carry it out. Most actions give the node another attempt. `send-back` ends the
// waiting node as failed and starts another node with the feedback about that failure.

export function eventsOf(
  posted: PostedAction,
  state: RunState,
  workflow: Pick<Workflow, "stages">,
  output: unknown,
): readonly RunEvent[] {
  const { action, node, execution, key, params, by } = posted;
  const instructed = { type: "run-instructed", action, node, execution, key, params, by } as const;
  if (actionHas(action, "resumes")) return [instructed, ...stoppedVisits(state).map((visit) => resumed(visit, by))];
  const visit = visitOf(state, posted);
  const { to } = params;
  if (typeof to !== "string" || visit === undefined || !isWaiting(visit) || visit.fault === null) return [instructed];
  const stage = workflow.stages.get(node);
  const failed: RunEvent = {
    type: "node-failed",
    node,
    execution,
    // A ready visit has its next attempt ahead: the attempt before it is the one that failed.
    attempt: Math.max(1, visit.state === "ready" ? visit.attempt - 1 : visit.attempt),
    fault: visit.fault,
    outcome: matrixOutcome(visit.fault.code, stage?.role ?? "coder"),
    resolution: stage?.rules.resolution ?? "abort-workflow",
    route: { kind: "to", nodes: [to] },
  };
  const found = failureFeedback(visit.fault, output);
  const next = { node: to, execution: executionsOf(state, to) + 1, params: { ...params, found } };
  return [failed, { ...instructed, ...next }];
}

/** Visits that were running when a person stopped their process. */
export function stoppedVisits({ visits }: Pick<RunState, "visits">): readonly Visit[] {
  return visits.filter(({ pause }) => pause?.why === "stopped");
}

function resumed({ node, execution, attempt }: Visit, by: string): RunEvent {
  return { type: "node-resumed", node, execution, attempt, why: "stopped", answer: null, by };
}

function isWaiting({ state }: Visit): boolean {
  return state === "paused" || state === "ready";
}

// What was wrong with the work of a node, in words for the model or person that does it again: the fault without secrets, and
// what the command that failed has said.

export function failureFeedback(seen: Fault | null, output: unknown): string {
  const message = seen === null ? "" : SHAPE_REDACTOR.text(seen.message);
  return [message, ...saidByCommand(output)].filter((part) => part !== "").join("\n\n");
}

/** What a model may see of a fault, because nodes write it into prompts. */
export function shownFault(fault: Fault | null): NodeResult["fault"] {
  if (fault === null) return null;
  const { class: faultClass, code, message } = viewFor("model", fault, { correlationId: "" });
  return { class: faultClass, code, message };
}

/** A command node names the command that failed under `failed`. */
function saidByCommand(output: unknown): readonly string[] {
  const failed = fieldOf(output, "failed");
  return ["command", "stdout", "stderr"].flatMap((name) => {
    const text = fieldOf(failed, name);
    return typeof text === "string" && text.trim() !== "" ? [`${name}: ${text.trim()}`] : [];
  });
}

// Actions that people post for a run. A run has one writer, so they wait in the journal for the process that advances it.

export interface PostedAction extends Omit<Extract<RunEvent, { type: "run-instructed" }>, "type"> {
  readonly at: number;
  /** It was carried out at once: it is kept only so that a second click does nothing. */
  readonly isDone?: true;
}

/** True when it is the first of its key; a second click only wakes the run. */
export async function postAction(journal: Journal, run: string, posted: PostedAction): Promise<boolean> {
  const keep = { kind: "action", key: `${run}/${posted.key}`, value: posted } as const;
  return writeAndWake(journal, run, posted.at, () => journal.keepFirst(keep));
}

/** An action that was carried out at once is kept under its key, too, so that a second click does nothing. */
export async function noteAction(journal: Journal, run: string, done: Omit<PostedAction, "isDone">): Promise<void> {
  await journal.keepFirst({ kind: "action", key: `${run}/${done.key}`, value: { ...done, isDone: true } });
}

/** Actions that were posted and not yet carried out, oldest first. */
export async function openActions(journal: Journal, run: string, state: RunState): Promise<readonly PostedAction[]> {
  const kept = await journal.keptAll("action", run);
  return kept
    .map(({ value }) => value as PostedAction)
    .filter(({ key, isDone }) => isDone !== true && !state.actions.includes(key))
    .toSorted((a, b) => a.at - b.at);
}
