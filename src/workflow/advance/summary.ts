// What the journal keeps of a run beside its events, and writes together with them: its summary, its next wake-up time and the outputs
// of its nodes. Lists and drivers read these instead of folding events.

import { isEnded, keyOf, openVisits, type RunState } from "../../core/flow/run-state.ts";
import { copyRun, needsOf } from "../../core/flow/run.ts";
import { callWaitOf, type Visit } from "../../core/flow/visit.ts";
import type { RunWait } from "../../core/flow/run-standing.ts";
import { visitStanding } from "../../core/flow/run-words.ts";
import { foldIntoRun } from "../../core/record/replay.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal, Keep } from "../../journal/journal.ts";
import type { DerivedKeep } from "../../runtime/session/session-recorder.ts";
import type { Session } from "../../runtime/session/session.ts";
import type { RunSummary } from "../runs-api.ts";
import { deepFreeze } from "../define.ts";
import type { Workflow, WorkflowInputs } from "../../workflow-model/stage.ts";

export function summaryOf(run: string, state: RunState, spentMicrocents: number, now: number): RunSummary {
  const live = isEnded(state) ? [] : openVisits(state);
  const questions = live.flatMap(({ pause }) => pause?.questions.map(({ id }) => id) ?? []);
  const troubled = isEnded(state)
    ? state.visits.findLast(({ node }) => node === state.failedNode)
    : live.find(({ fault }) => fault !== null);
  const wait = isEnded(state) ? null : waitOf(live, now);
  const { workflow, version, digest, file, status, outcome, startedAt, endedAt, limits, predecessor, successor } =
    state;
  return {
    run,
    workflow,
    version,
    digest,
    file,
    status,
    outcome,
    nodes: isEnded(state) ? stoppedAt(state) : live.map(({ node }) => node),
    target: targetAt(state, live),
    code: state.fault?.code ?? wait?.code ?? troubled?.fault?.code ?? null,
    questions,
    attempt: troubled?.attempt ?? 0,
    of: troubled?.of ?? 0,
    wakeAt: isEnded(state) ? null : needsOf(state, now, NONE_BUSY).wakeAt,
    wait,
    startedAt,
    updatedAt: now,
    endedAt,
    spentMicrocents,
    limits,
    predecessor,
    successor,
  };
}

/** The node that failed, or those at which a cancelled run was. */
function stoppedAt({ failedNode, visits }: RunState): readonly string[] {
  const stopped = visits.filter(({ state }) => state === "cancelled").map(({ node }) => node);
  return failedNode === "" ? stopped : [failedNode];
}

/**
 * The target of the nodes it is at, or of the one that failed: a command that fails does not blame the model that an earlier node asked.
 * Of a run that has completed, the target that answered last.
 */
function targetAt(state: RunState, live: readonly Visit[]): string | null {
  const last = state.target ?? null;
  if (state.status === "completed") return last;
  const at = isEnded(state) ? state.visits.filter((visit) => isStoppedVisit(state, visit)) : live;
  const targets = at.flatMap(({ target = null }) => (target === null ? [] : [target]));
  return targets.find((target) => target === last) ?? targets.at(-1) ?? null;
}

function isStoppedVisit({ failedNode }: RunState, { node, state }: Visit): boolean {
  return failedNode === "" ? state === "cancelled" : node === failedNode;
}

/** The wait that ends first; null while a visit is running or queued. */
function waitOf(live: readonly Visit[], now: number): RunWait | null {
  if (live.some((visit) => visitStanding(visit, now) === "running" || visitStanding(visit, now) === "queued"))
    return null;
  const waits = live.flatMap((visit): readonly RunWait[] => {
    const call = callWaitOf(visit, now);
    const { state, attempt, of, notBefore: nextAt, fault } = visit;
    if (call !== null) return [{ ...call, of: call.of ?? 0 }];
    return state === "ready" ? [{ target: "", attempt, of, code: fault?.code ?? null, held: null, nextAt }] : [];
  });
  return waits.toSorted((one, other) => one.nextAt - other.nextAt)[0] ?? null;
}

const NONE_BUSY: ReadonlySet<string> = new Set();

/** The summary, and when the run is due. A running run is always due, so that another process takes it up if this one dies. */
export function keepsOf(summary: RunSummary): readonly [DerivedKeep, DerivedKeep] {
  const { run, status, wakeAt, updatedAt } = summary;
  const next = status === "running" ? updatedAt : status === "paused" ? wakeAt : null;
  return [
    { kind: "run", key: run, value: summary, says: JSON.stringify({ ...summary, updatedAt: 0 }) },
    // While the run is running, this value is not written again.
    { kind: "wake", key: run, value: next, says: status === "running" ? "at once" : String(next) },
  ];
}

/** Whether a run was running when it was last written. Its wake-up time may be wrong: the clock of its process may have been ahead. */
export async function isUnderWay(journal: Pick<Journal, "kept">, run: string): Promise<boolean> {
  return ((await journal.kept("run", run)) as RunSummary | null)?.status === "running";
}

/** Keeps the summary and the next wake-up time up to date: they are written with every append that changes them. */
export function keepSummary(session: Session, clock: Clock): void {
  session.deriveKeeps((entries) => {
    const { run, id, spending } = session;
    if (run === null || !entries.some(({ event }) => changesSummary(event))) return [];
    const after = copyRun(run);
    for (const entry of entries) foldIntoRun(after, entry);
    return keepsOf(summaryOf(id, after, spending.microcents, clock.now()));
  });
}

/** Events about calls count, because a summary shows the target, the wait and the cost of calls. */
function changesSummary(event: JournalEvent): boolean {
  const { type } = event;
  return "call" in event || type.startsWith("node-") || type.startsWith("run-") || type === "workflow-changed";
}

/** What all visits of a node have spent together. */
export function spentBy({ visits }: Pick<RunState, "visits">, node: string): number {
  return visits.reduce((sum, visit) => (visit.node === node ? sum + visit.spentMicrocents : sum), 0);
}

// The exact inputs of a run and the exact output of each visit. Secret inputs are kept apart: views, events and exports do not read them.

function outputKey(run: string, visit: Pick<Visit, "node" | "execution">): string {
  return `${run}/node/${keyOf(visit)}`;
}

export function keepOutput(run: string, visit: Pick<Visit, "node" | "execution">, output: unknown): Keep {
  return { kind: "result", key: outputKey(run, visit), value: output === undefined ? null : { value: output } };
}

/** undefined when the visit has no output. */
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

/** All values that must not leave a run; without its workflow, only those of its inputs. */
export async function secretsOf(journal: Journal, run: string, workflow: Workflow | null): Promise<readonly unknown[]> {
  return [...Object.values(await secretInputs(journal, run)), ...(workflow?.secrets ?? [])];
}

async function secretInputs(journal: Journal, run: string): Promise<Values> {
  return ((await journal.kept("secret", run)) ?? {}) as Values;
}

function inputsKey(run: string): string {
  return `${run}/inputs`;
}
