// Applies an operator's action to a run, then continues the run or its successor.

import { defined } from "../../core/defined.ts";
import { microcentsOf } from "../../core/flow/money.ts";
import { ACTION_IDS, type ActionId, ACTIONS, type OfferedAction } from "../../core/flow/action.ts";
import { actionWords } from "../../core/flow/action-words.ts";
import { isEnded } from "../../core/flow/run-state.ts";
import type { RunReport } from "../../workflow/runs-api.ts";
import { nearest } from "../../options/nearest.ts";
import type { Cli } from "../cli.ts";
import { UsageError } from "../io.ts";
import { shown } from "../render/values.ts";
import { safeJson } from "../render/safe-text.ts";
import { type AdvanceOptions, advanceRun, refuseChanged } from "../workflow/run-workflow.ts";
import { followRun } from "../workflow/follow-run.ts";
import { WatchedRun } from "../workflow/watched-run.ts";
import { findRun, reportOn } from "./find-run.ts";
import { type JournalOption, type RunCommandDeps, withRuns } from "./run-deps.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";

/** As parsed from the command line. */
export interface ActionCommandOptions extends AdvanceOptions {
  readonly text?: string;
  readonly target?: string;
  readonly command?: readonly string[];
  readonly tool?: readonly string[];
  readonly maxCostUsd?: number;
  /** Milliseconds. */
  readonly timeout?: number;
  readonly maxNodes?: number;
  readonly turnCap?: number;
  readonly key?: string;
}

export async function actOnRun(given: string, action: string, options: ActionCommandOptions, cli: Cli): Promise<void> {
  const id = actionNamed(action);
  await withRuns(options, cli, async (deps) => {
    const summary = await findRun(deps, given);
    const { run } = summary;
    const watched = new WatchedRun(deps, run);
    // An action on a run that has ended continues in another run: then nothing of this one is watched.
    if (options.detach !== true && !isEnded(summary)) await watched.load();
    const report = await reportOn(deps, run);
    const params = paramsOf(
      options,
      report.actions.find((one) => one.id === id),
    );
    if (ACTIONS[id].needs === "target" && options.target === undefined) refuseManyTargets(report, cli);
    const acted = await deps.workflows.runs.actOn(report, id, { params, by: "cli", ...defined({ key: options.key }) });
    const { label } = actionWords(id, cli.locale);
    const words = RUNS_WORDS[cli.locale];
    const sentence = acted.did ? words.did(label, shown(acted.run)) : words.didBefore(label, shown(acted.run));
    await cli.stderr.write(`${cli.paintError("green", "✓")} ${sentence}\n`);
    const extra = { action: id, did: acted.did, predecessor: acted.run === run ? null : run };
    const followed = acted.run === run ? { after: null, watched } : { after: 0 };
    if (options.detach !== true) {
      const isHeld = (await deps.workflows.runs.held()).has(acted.run);
      if (!isHeld && ACTIONS[id].effect !== "cancel") await refuseChanged(deps, acted.run);
      return advanceRun(deps, acted.run, options, { ...followed, extra });
    }
    await cli.stdout.write(cli.json ? `${safeJson({ run: acted.run, ...extra })}\n` : `${shown(acted.run)}\n`);
  });
}

function actionNamed(name: string): ActionId {
  const id = ACTION_IDS.find((one) => one === name.trim().toLowerCase());
  if (id !== undefined) return id;
  const near = nearest(name, ACTION_IDS);
  const [written, all] = [shown(name, 60), ACTION_IDS.join(", ")];
  throw new UsageError({
    "en": `There is no action \`${written}\`.${near === null ? "" : ` Did you mean \`${near}\`?`} There are: ${all}.`,
    "zh-CN": `没有操作 \`${written}\`。${near === null ? "" : `是否想用 \`${near}\`？`}可用的操作：${all}。`,
  });
}

/** Only the given options. The engine rejects a parameter that the action does not take, and names those it takes. */
function paramsOf(
  options: ActionCommandOptions,
  offered: OfferedAction | undefined,
): Readonly<Record<string, unknown>> {
  const { text, target, command = [], tool = [], maxCostUsd, timeout, maxNodes, turnCap } = options;
  const maxCostMicrocents = maxCostUsd === undefined ? undefined : microcentsOf(maxCostUsd);
  const limits = defined({ maxCostMicrocents, timeoutMs: timeout, maxNodes, turnCap });
  const [only, ...others] = offered?.choices ?? [];
  const chosen = target ?? (offered?.needs === "target" && others.length === 0 ? only : undefined);
  return {
    ...defined({ text, target: chosen }),
    ...(command.length === 0 ? {} : { commands: command }),
    ...(tool.length === 0 ? {} : { tools: tool }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

function refuseManyTargets({ actions }: RunReport, { locale }: Cli): void {
  const choices = actions.find(({ needs }) => needs === "target")?.choices ?? [];
  if (choices.length > 1)
    throw new UsageError(RUNS_WORDS[locale].needsTarget(choices.map((one) => shown(one)).join("|")));
}

/** Cancels the run here if no process advances it; otherwise asks that process to stop. */
export async function cancelRun(
  given: string,
  options: JournalOption & { readonly detach?: true },
  cli: Cli,
): Promise<void> {
  await withRuns(options, cli, async (deps) => {
    const { run } = await findRun(deps, given);
    await deps.workflows.runs.cancel(run, "cli");
    const isHeld = (await deps.workflows.runs.held()).has(run);
    const isLeft = options.detach === true && isHeld;
    const status = isLeft ? "running" : await untilOver(deps, run);
    const words = RUNS_WORDS[cli.locale];
    const sentence = status === "cancelled" ? words.cancelled(shown(run)) : words.cancelAsked(shown(run));
    if (cli.json) return cli.stdout.write(`${safeJson({ run, status })}\n`);
    await cli.stdout.write(`${cli.paint("green", "✓")} ${sentence}\n`);
  });
}

async function untilOver(deps: RunCommandDeps, run: string): Promise<string> {
  const options = { part: "advance", waits: false, jsonl: false, after: null } as const;
  const { report, standing } = await followRun(deps, run, options);
  if (standing === "left") deps.exit("cancelled");
  return isEnded(report.summary) ? report.summary.status : "running";
}
