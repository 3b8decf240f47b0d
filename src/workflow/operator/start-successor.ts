// Starts the successor that continues a failed run, at most one per run, and records it in the old run. `successor.ts` computes what the
// successor takes over.

import { isFault } from "../../core/fault/fault.ts";
import { createRedactor } from "../../core/fault/redact.ts";
import type { OfferedAction } from "../../core/flow/action.ts";
import type { RunState } from "../../core/flow/run-state.ts";
import type { SessionState } from "../../core/record/replay.ts";
import { readField } from "../../core/try-read.ts";
import { beginRun } from "../advance/begin-run.ts";
import { failureFeedback } from "../advance/failure-feedback.ts";
import { inheritInstructions } from "./standing-instructions.ts";
import { readInputs, readOutput, secretsOf } from "../advance/run-values.ts";
import { summaryFor } from "../report/run-reports.ts";
import type { Acted } from "../runs-api.ts";
import type { RunsDeps } from "../runs-options.ts";
import { inheritOutputs, successionOf } from "./successor.ts";
import { summaryOf } from "../advance/summary.ts";

type Params = Readonly<Record<string, unknown>>;

export async function startSuccessor(
  home: RunsDeps,
  run: string,
  state: RunState,
  offered: OfferedAction,
  params: Params,
  by: string,
): Promise<Acted> {
  const { journal, clock, chance, library } = home;
  const { id, node, execution, key } = offered;
  const chosen = { action: id, node, execution, key, params, by, at: clock.now(), successor: chance.newId("run") };
  // A run has at most one successor, however often an action was clicked.
  const isFirst = await journal.keepFirst({ kind: "action", key: `${run}/successor`, value: chosen });
  const successor = successorIn(isFirst ? chosen : await journal.kept("action", `${run}/successor`)) ?? run;
  const isThere = (await summaryFor(home, successor)) !== null;
  if (!isThere) {
    // A process that crashed after it kept the choice has not started the run: this one does.
    const workflow = await library.get(state);
    const given = await withFeedback(home, run, state, offered, params);
    // Events show the redacted form. The exact words stay with the action, where the new run reads them.
    const shown = createRedactor(await secretsOf(journal, run, workflow), home.redactor).value(given) as Params;
    const succession = successionOf(state, offered, shown, by, clock.now());
    const inputs = await readInputs(journal, run);
    const read = workflow.readInputs(inputs);
    const passedOn = isFault(read) ? { values: inputs, shown: {}, secret: {} } : read;
    const keeps = await inheritOutputs(journal, run, successor, succession.inherited);
    const beginning = { ...succession, start: [], inputs: passedOn.shown, predecessor: run };
    await beginUnlessThere(home, successor, workflow, beginning, passedOn, [
      ...keeps,
      ...(await inheritInstructions(journal, run, state, successor)),
      { kind: "action", key: `${run}/${key}`, value: { ...chosen, successor } },
    ]);
  }
  await supersede(home, run, successor);
  return { run: successor, did: isFirst };
}

/** Another process may have started the run at the same moment. */
async function beginUnlessThere(home: RunsDeps, run: string, ...rest: BeginRest): Promise<void> {
  try {
    await beginRun(home, run, ...rest);
  } catch (error) {
    if ((await home.journal.kept("run", run)) === null) throw error;
  }
}

type BeginRest = Parameters<typeof beginRun> extends [unknown, unknown, ...infer Rest] ? Rest : never;

/** The run that an earlier click led to. Records it in the old run if a crash prevented that. */
export async function successorOf(home: RunsDeps, run: string, taken: unknown): Promise<string> {
  const successor = successorIn(taken);
  if (successor !== null) await supersede(home, run, successor);
  return successor ?? run;
}

/** The run an action led to; null when it stayed in the same run. */
function successorIn(kept: unknown): string | null {
  const successor = typeof kept === "object" && kept !== null ? readField(kept, "successor") : undefined;
  return typeof successor === "string" ? successor : null;
}

/** Adds the failure's feedback for the actions that use it, and for `send-back` the node that gets the work. */
async function withFeedback(
  { journal, library }: RunsDeps,
  run: string,
  state: RunState,
  { id, node }: OfferedAction,
  params: Params,
): Promise<Params> {
  const failed = state.visits.findLast((visit) => visit.node === node);
  if (id !== "send-back" && id !== "regenerate-once") return params;
  // The new run has not seen the failure.
  const output = failed === undefined || id === "regenerate-once" ? undefined : await readOutput(journal, run, failed);
  const found = failureFeedback(failed?.fault ?? state.fault, output);
  return id === "send-back"
    ? { ...params, found, to: (await library.get(state)).sendBackTo(node) }
    : { ...params, found };
}

/** Records the successor in the old run, once. */
async function supersede({ faultline, reader, clock }: RunsDeps, run: string, successor: string): Promise<void> {
  const read = (): Promise<SessionState> => reader.read(run);
  await faultline.amendSession(read, ({ run: state, spending }) => {
    if (state?.successor !== null) return null;
    const summary = { ...summaryOf(run, state, spending.microcents, clock.now()), successor };
    return {
      events: [{ type: "run-superseded", successor }],
      keeps: [{ kind: "run", key: run, value: summary }],
    };
  });
}
