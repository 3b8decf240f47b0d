// `faultline workflow run` and `resume`: starts or resumes a run and follows it.

import { defined } from "../../core/defined.ts";
import { FaultError, isFaultError, SHAPE_REDACTOR } from "../../core/index.ts";
import { isEnded } from "../../core/flow/run-state.ts";
import { parseJson } from "../../core/try-read.ts";
import { otherWorkflow } from "../../workflow/operator/run-faults.ts";
import type { ChangedWorkflow } from "../../workflow/runs-api.ts";
import type { Workflow } from "../../workflow-model/stage.ts";
import type { Cli } from "../cli.ts";
import { faultSentence } from "../fault-sentences/sentence.ts";
import { UsageError } from "../io.ts";
import { fieldsOf, shown } from "../render/values.ts";
import { findRun } from "../runs/find-run.ts";
import { type JournalOption, refusalInWords, type RunCommandDeps, withRuns } from "../runs/run-deps.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { sentences } from "../render/words/cli-words.ts";
import { loadWorkflow, refuseWrongWorkflow } from "./check-workflow.ts";
import { type FollowOptions, followRun } from "./follow-run.ts";
import { FOLLOW_WORDS } from "../render/words/follow-words.ts";
import { WatchedRun } from "./watched-run.ts";
import { tellResult } from "./run-result.ts";

/** As parsed from the command line. */
export interface AdvanceOptions extends JournalOption {
  readonly jsonl?: true;
  /** False for `--no-wait`. */
  readonly wait?: boolean;
  readonly detach?: true;
}

export interface WorkflowRunOptions extends AdvanceOptions {
  readonly input?: readonly string[];
  readonly inputs?: string;
  readonly run?: string;
}

export async function runWorkflow(file: string, options: WorkflowRunOptions, cli: Cli): Promise<void> {
  const inputs = await inputsOf(options, cli);
  await refuseWrongWorkflow(file, cli);
  await withRuns({ ...options, make: true }, cli, async (deps) => {
    const workflow = await loadWorkflow(deps, file);
    const run = await deps.workflows.runs.start(workflow, { inputs, ...defined({ run: options.run }) });
    if (options.detach === true) return tellStarted(deps, run, workflow.id);
    await advanceRun(deps, run, options, { after: 0 });
  });
}

async function inputsOf(
  { input = [], inputs: file }: WorkflowRunOptions,
  cli: Cli,
): Promise<Readonly<Record<string, unknown>>> {
  const { locale } = cli;
  const words = RUNS_WORDS[locale];
  const pairs = input.map((given): readonly [string, string] => {
    const at = given.indexOf("=");
    // The value may be a secret, so it is not quoted.
    if (at < 1) throw new UsageError(words.badInput(oneLine(SHAPE_REDACTOR.text(given), 40)));
    return [given.slice(0, at), given.slice(at + 1)];
  });
  const written = file === undefined ? {} : parseJson(await cli.readFile(file));
  const fields = Array.isArray(written) ? null : fieldsOf(written);
  if (fields === null) throw new UsageError(words.badInputs(file ?? ""));
  return { ...fields, ...Object.fromEntries(pairs) };
}

async function tellStarted(deps: RunCommandDeps, run: string, workflow: string): Promise<void> {
  const words = RUNS_WORDS[deps.locale];
  const next = `${FOLLOW_WORDS[deps.locale].next}${deps.command("workflow", "resume", run)}`;
  await deps.stdout.write(deps.json ? `${safeJson({ run, workflow, status: "running" })}\n` : `${run}\n`);
  await deps.stderr.write(`faultline: ${sentences(deps.locale, words.startedRun(shown(run)), next)}\n`);
}

export interface ResumeWorkflowOptions extends AdvanceOptions {
  readonly changed?: ChangedWorkflow;
  readonly file?: string;
}

export async function resumeWorkflow(given: string, options: ResumeWorkflowOptions, cli: Cli): Promise<void> {
  await withRuns(options, cli, async (deps) => {
    const summary = await findRun(deps, given);
    const { run } = summary;
    const watched = new WatchedRun(deps, run);
    if (!isEnded(summary)) {
      if (options.detach !== true) await watched.load();
      const { changed = "refuse" } = options;
      const file = options.file ?? summary.file;
      const workflow = changed === "as-started" || file === null ? null : await stillThere(deps, file, options);
      await wake(deps, run, workflow, changed);
    }
    if (options.detach === true) return tellStarted(deps, run, summary.workflow);
    await advanceRun(deps, run, options, { after: null, watched });
  });
}

/** null: the file no longer exists, and the user named none. */
async function stillThere(
  deps: RunCommandDeps,
  file: string,
  { file: named }: ResumeWorkflowOptions,
): Promise<Workflow | null> {
  if (named === undefined && (await deps.fileBytes(file)) === null) {
    await deps.stderr.write(`faultline: ${RUNS_WORDS[deps.locale].fileGone(shown(file, 2_000))}\n`);
    return null;
  }
  return loadWorkflow(deps, file);
}

/** Refuses to continue a run here if its file has changed, as `workflow resume` does. A run that has ended needs no file. */
export async function refuseChanged(deps: RunCommandDeps, given: string): Promise<void> {
  const summary = await findRun(deps, given);
  const { run, file, digest } = summary;
  if (file === null || isEnded(summary)) return;
  const workflow = await stillThere(deps, file, {});
  if (workflow !== null && workflow.digest !== digest)
    throw withChoices(deps, run, new FaultError(otherWorkflow(run, summary)));
}

async function wake(
  deps: RunCommandDeps,
  run: string,
  workflow: Workflow | null,
  changed: ChangedWorkflow,
): Promise<void> {
  try {
    await deps.workflows.runs.resume(run, workflow, { changed, by: "cli" });
  } catch (error) {
    throw isFaultError(error) ? withChoices(deps, run, error) : error;
  }
}

/** Only a changed definition gets choices. */
function withChoices({ locale, command }: RunCommandDeps, run: string, error: FaultError): Error {
  const refusal = refusalInWords(error);
  if (!(refusal instanceof UsageError) || refusal.exit !== "config") return error;
  const choices = (["accept", "as-started"] as const).map((way) =>
    command("workflow", "resume", run, "--changed", way),
  );
  const next = RUNS_WORDS[locale].mismatch(choices[0] ?? "", choices[1] ?? "");
  return new UsageError(sentences(locale, faultSentence(error.fault, locale), next), refusal.exit, { cause: error });
}

interface AdvanceDetails extends Pick<FollowOptions, "after" | "watched"> {
  /** More fields for the JSON document. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** Follows the run as far as possible from here, then reports how it stands. */
export async function advanceRun(
  deps: RunCommandDeps,
  run: string,
  { jsonl, wait }: AdvanceOptions,
  { after, extra, watched }: AdvanceDetails,
): Promise<void> {
  const isJsonl = jsonl === true;
  const how = { part: "advance", waits: wait !== false, jsonl: isJsonl, after } as const;
  const followed = await followRun(deps, run, { ...how, ...defined({ watched }) });
  await tellResult(deps, followed, { jsonl: isJsonl, ...defined({ extra }) });
}
