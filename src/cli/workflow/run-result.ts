// Reports how a run stands when this command is done with it: the exit code, the result, and the next commands to type.

import { dollars } from "../../core/flow/money.ts";
import { type Fault, failedName } from "../../core/fault/fault.ts";
import { formatMs, type Locale, type OperatorView, type Question, SHAPE_REDACTOR, viewFor } from "../../core/index.ts";
import { endOf, formFacts } from "../../core/flow/interaction.ts";
import { turnOf } from "../../core/flow/visit.ts";
import type { RunStatus } from "../../core/flow/run-state.ts";
import { describeRun } from "../../core/flow/run-words.ts";
import { questionTitle } from "../../core/flow/question-title.ts";
import { visitWithOutput } from "../../workflow/report/export-run.ts";
import type { RunReport } from "../../workflow/runs-api.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import type { ExitName } from "../exit-codes.ts";
import type { Style } from "../render/paint.ts";
import { said } from "../fault-sentences/sentence.ts";
import { minuteOf, shown } from "../render/values.ts";
import { answerWords, commandFor } from "../runs/action-commands.ts";
import type { RunCommandDeps } from "../runs/run-deps.ts";
import { safeJson } from "../render/safe-text.ts";
import type { Followed, Standing } from "./follow-run.ts";
import { FOLLOW_WORDS, type FollowWords } from "../render/words/follow-words.ts";
import { titleOf } from "../render/picture-lines.ts";
import type { Survived } from "./run-picture.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

const EXIT_OF_STATUS: Readonly<Record<RunStatus, ExitName>> = {
  completed: "ok",
  failed: "failed",
  cancelled: "cancelled",
  running: "waiting",
  paused: "waiting",
};
const EXIT_OF_STANDING: Readonly<Record<Exclude<Standing, "over">, ExitName>> = {
  waiting: "waiting",
  parked: "parked",
  left: "cancelled",
};

export interface TellOptions {
  /** Events go to stdout, so the result does not. */
  readonly jsonl: boolean;
  /** More fields for the JSON document. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

export async function tellResult(
  deps: RunCommandDeps,
  followed: Followed,
  { jsonl, extra = {} }: TellOptions,
): Promise<void> {
  const { standing, report } = followed;
  const exit = standing === "over" ? EXIT_OF_STATUS[report.summary.status] : EXIT_OF_STANDING[standing];
  if (exit !== "ok") deps.exit(exit);
  for (const line of summaryLines(deps, followed)) await deps.stderr.write(`${line}\n`);
  if (jsonl) return;
  if (deps.json) return deps.stdout.write(`${safeJson({ ...(await resultJson(deps, followed)), ...extra })}\n`);
  if (standing === "over") await deps.stdout.write(`${shown(report.summary.outcome)}\n`);
}

async function resultJson(deps: RunCommandDeps, { standing, report, picture }: Followed): Promise<object> {
  const { summary, state, questions, files, folder } = report;
  const { run, workflow, status, outcome, code, wakeAt, startedAt, endedAt, spentMicrocents, successor } = summary;
  const ended = visitWithOutput(state, null);
  const output = ended === undefined ? undefined : await deps.workflows.runs.output(run, ended);
  const message = describeRun(state, deps.locale);
  return {
    run,
    workflow,
    status,
    outcome,
    standing,
    node: state.failedNode || null,
    code,
    message,
    output: output ?? null,
    wakeAt: standing === "over" ? null : wakeAt,
    questions: questions.map(questionJson),
    spentMicrocents,
    durationMs: (endedAt === 0 ? deps.clock.now() : endedAt) - startedAt,
    survived: picture.survived,
    folder: files.length > 0 ? folder : null,
    files,
    successor,
    correlationIds: failedIds(report),
    actions: actionsJson(deps, report),
    next: nextCommand(deps, standing, report),
  };
}

export function questionJson(question: Question): object {
  const { id, payload, askedAt } = question;
  const { kind, prompt } = payload;
  const options = payload.kind === "Select" ? payload.options : [];
  const expiresAt = endOf(question);
  const safe = SHAPE_REDACTOR.value({ prompt, options, ...formFacts(payload) }) as object;
  return { id, kind, ...safe, askedAt, expiresAt };
}

export function actionsJson(deps: RunCommandDeps, { summary, actions, questions }: RunReport): readonly object[] {
  return actions.map((action) => {
    const { id, label, explains, redoes, keeps, node, execution, needs, choices, limits, effect, key } = action;
    const command = commandFor(deps, summary.run, action, actions, questions);
    return { id, label, explains, redoes, keeps, node, execution, needs, choices, limits, effect, key, command };
  });
}

/** `runs show` lists the rest. */
const MAX_IDS = 5;

/** The correlation ids of the nodes stopped by a failure, or the run's own id when no node failed. */
function failedIds({ summary: { run }, state }: RunReport): readonly string[] {
  const failed = state.visits.filter(({ fault, state: stands }) => fault !== null && stands !== "completed");
  const ids = failed.slice(-MAX_IDS).map((visit) => `${run}/${turnOf(visit)}`);
  return ids.length === 0 && state.fault !== null ? [run] : ids;
}

const STYLES: Readonly<Record<Standing | RunStatus, Style>> = {
  over: "bold",
  waiting: "magenta",
  parked: "yellow",
  left: "yellow",
  running: "cyan",
  paused: "yellow",
  completed: "green",
  failed: "red",
  cancelled: "dim",
};

function summaryLines(deps: RunCommandDeps, { standing, report, picture }: Followed): readonly string[] {
  const { clock, locale, paintError: paint } = deps;
  const words = FOLLOW_WORDS[locale];
  const { summary, state, spending, files, folder } = report;
  const headline = sentenceOf(standing, report, deps);
  const durationMs = (summary.endedAt === 0 ? clock.now() : summary.endedAt) - summary.startedAt;
  const survived = survivedText(picture.survived, words);
  const facts = [
    // A run that failed after three retries has not survived what they were for.
    ...(survived === "" ? [] : [words[summary.status === "failed" ? "failedAfter" : "survived"](survived)]),
    words.cost(dollars(spending.microcents), spending.unpricedAttempts),
    formatMs(Math.max(0, durationMs), locale),
  ];
  const next = nextCommand(deps, standing, report);
  const silent = standing === "waiting" ? everyAgentFailed(deps, report) : null;
  return [
    `${paint("dim", "faultline:")} ${paint(STYLES[standing === "over" ? summary.status : standing], headline)}`,
    `  ${describeRun(state, locale)}`,
    `  ${paint("dim", facts.join(" · "))}`,
    ...(files.length > 0 && folder !== null ? [`  ${words.files(shown(folder, 2_000), files.length)}`] : []),
    ...(silent === null ? [] : [`  ${words.allFailed(silent.title, said(silent.detail, locale))}`]),
    ...choiceLines(deps, standing, report),
    ...failedIds(report).map((id) => `  ${words.causes}${deps.command("explain", id)}`),
    ...(next === null ? [] : [`${paint("dim", "faultline:")} ${words.next}${next}`]),
  ];
}

function sentenceOf(standing: Standing, { summary, state, questions }: RunReport, { clock, locale }: Cli): string {
  const words = FOLLOW_WORDS[locale];
  const now = clock.now();
  const { status, outcome, wakeAt } = summary;
  if (standing === "left") {
    const stopped = state.visits.filter(({ pause }) => pause?.why === "stopped").map(({ node }) => shown(node, 60));
    return stopped.length === 0 ? words.left : words.stopped(stopped.join(PUNCTUATION[locale].comma));
  }
  if (standing === "waiting") return words.waitsForPerson(questions.length);
  if (standing === "parked") {
    const left = formatMs(Math.max(0, Math.ceil(((wakeAt ?? now) - now) / 1_000) * 1_000), locale);
    return words.parkedUntil(`${minuteOf(wakeAt ?? now)} UTC`, left);
  }
  const name = shown(outcome, 100);
  if (status === "completed") return words.ended(name);
  if (status === "cancelled") return words.cancelled;
  return words.failedWith(name, shown(state.failedNode, 60), failureOf(state.fault, locale));
}

/** A command that ended with an error is named with its exit code; any other failure by its title and its target. */
function failureOf(fault: Fault | null, locale: Locale): string {
  if (fault?.context["ran"] === true) return said(fault.message, locale, 200);
  const [title = ""] = titleOf(fault?.code ?? null, locale);
  const target = fault === null ? "" : failedName(fault);
  return target === "" ? title : `${title} · ${shown(target, 60)}`;
}

function survivedText(survived: Survived, words: FollowWords): string {
  return (["retries", "switches", "waits", "regenerations"] as const)
    .flatMap((what) => (survived[what] > 0 ? [words[what](survived[what])] : []))
    .join(words.comma);
}

/** The open questions and, for a paused or failed run, the offered actions. */
function choiceLines(
  deps: RunCommandDeps,
  standing: Standing,
  { summary, actions, questions }: RunReport,
): readonly string[] {
  const words = FOLLOW_WORDS[deps.locale];
  const asked =
    standing !== "waiting"
      ? []
      : questions.map(({ payload }) => `  ${words.asks(shown(questionTitle(payload.prompt)))}`);
  const isOfUse = summary.status === "paused" || summary.status === "failed";
  if (!isOfUse || actions.length === 0) return asked;
  const rows = actions.map(
    (action) => [commandFor(deps, summary.run, action, actions, questions), action.label] as const,
  );
  return [...asked, `  ${words.youCan}`, ...commandLines(rows, deps)];
}

/** Each command with its label beside it, or below it if the line gets too wide. Commands are never cut, so they can be copied. */
function commandLines(
  rows: readonly (readonly [string, string])[],
  { stderr, paintError: paint }: Cli,
): readonly string[] {
  const widest = Math.max(...rows.map(([command]) => columnsOf(command)));
  const isWide = rows.some(([, label]) => widest + columnsOf(label) + 6 > stderr.columns);
  return rows.flatMap(([command, label]) =>
    isWide
      ? [`    ${command}`, `      ${paint("dim", label)}`]
      : [`    ${command}${" ".repeat(widest - columnsOf(command))}  ${paint("dim", label)}`],
  );
}

/** The next command to type; null when there is nothing to do. */
function nextCommand(deps: RunCommandDeps, standing: Standing, report: RunReport): string | null {
  const { summary, actions, questions } = report;
  const { run, status, wakeAt, successor } = summary;
  const words = FOLLOW_WORDS[deps.locale];
  const resume = deps.command("workflow", "resume", run);
  if (successor !== null) return deps.command("runs", "show", successor);
  // A run that asks something needs the answer, also after its watcher has stopped.
  if (standing === "left" && questions.length === 0) return resume;
  if (standing === "parked") return words.afterTime(`${minuteOf(wakeAt ?? 0)} UTC`, resume);
  if (standing === "waiting" || standing === "left") {
    const [question] = questions;
    const named = questions.length === 1 ? run : (question?.id ?? run);
    if (question === undefined) return firstOf(deps, report) ?? resume;
    const answer = deps.command("runs", "answer", named, ...answerWords(question));
    const seen = everyAgentFailed(deps, report);
    const another = actions.find(({ effect, needs }) => effect === "answer" && needs === "text");
    if (seen === null) return answer;
    return words.mendThen(
      seen.next,
      another === undefined ? answer : commandFor(deps, run, another, actions, questions),
    );
  }
  return status === "failed" && actions.length > 0 ? firstOf(deps, report) : null;
}

/** The first failure if every agent failed the last time it was asked, so there is nothing to decide about; otherwise null. */
function everyAgentFailed({ locale }: Cli, { state, summary }: RunReport): OperatorView | null {
  const latest = new Map(state.visits.filter(({ kind }) => kind === "agent").map((visit) => [visit.node, visit]));
  const faults = [...latest.values()].flatMap(({ skipped, fault }) =>
    skipped === "resolution" && fault !== null ? [fault] : [],
  );
  const [first] = faults;
  if (first === undefined || faults.length < latest.size) return null;
  return viewFor("operator", first, { correlationId: summary.run, locale });
}

function firstOf(deps: RunCommandDeps, { summary, actions, questions }: RunReport): string | null {
  const [first] = actions;
  return first === undefined ? null : commandFor(deps, summary.run, first, actions, questions);
}
