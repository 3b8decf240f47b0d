// `faultline runs show`: shows a run stage by stage, with its open questions and the possible actions.

import { dollars } from "../../core/flow/money.ts";
import { failedName } from "../../core/fault/fault.ts";
import {
  type Fault,
  formatMs,
  type Locale,
  type OperatorView,
  type Question,
  SHAPE_REDACTOR,
  viewFor,
} from "../../core/index.ts";
import { endOf } from "../../core/flow/interaction.ts";
import { turnOf, type Visit } from "../../core/flow/visit.ts";
import { describeRun } from "../../core/flow/run-words.ts";
import { questionTitle } from "../../core/flow/question-title.ts";
import { asItStands } from "../../workflow/report/export-run.ts";
import { filesOfVisit } from "../../workflow/report/run-files.ts";
import type { RunReport } from "../../workflow/runs-api.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import { formLines } from "../render/form-lines.ts";
import { said } from "../fault-sentences/sentence.ts";
import { minuteOf, shown } from "../render/values.ts";
import { safeJson } from "../render/safe-text.ts";
import { factLines, wrapped } from "../render/table.ts";
import { FOLLOW_WORDS } from "../render/words/follow-words.ts";
import { attemptFacts, costFacts, markOf, nameOf, nextAtOf, waitFacts } from "../render/picture-lines.ts";
import { actionsJson, questionJson } from "../workflow/run-result.ts";
import { answerWords, commandFor } from "./action-commands.ts";
import { findReport } from "./find-run.ts";
import { statusOf, RUN_STATUS_STYLES } from "./list-runs.ts";
import { type JournalOption, type RunCommandDeps, withRuns } from "./run-deps.ts";
import { RUNS_WORDS, type RunsWords } from "../render/words/runs-words.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export async function showRun(given: string, options: JournalOption, cli: Cli): Promise<void> {
  await withRuns({ ...options, look: true }, cli, async (deps) => {
    const found = await findReport(deps, given);
    const isHeld = (await deps.workflows.runs.held()).has(found.summary.run);
    const report = asItStands(found, isHeld);
    if (cli.json) return cli.stdout.write(`${safeJson(reportJson(deps, report, isHeld))}\n`);
    for (const line of reportLines(deps, report, isHeld)) await cli.stdout.write(`${line}\n`);
  });
}

export function reportJson(deps: RunCommandDeps, report: RunReport, isHeld: boolean): object {
  const { summary, state, spending, questions, files, folder } = report;
  return {
    ...summary,
    message: describeRun(state, deps.locale),
    held: isHeld,
    spending,
    visits: state.visits.map((visit) => visitJson(visit, report, deps.locale)),
    questions: questions.map(questionJson),
    actions: actionsJson(deps, report),
    folder,
    files,
  };
}

function visitJson(visit: Visit, { summary, files }: RunReport, locale: Locale): object {
  const { node, execution, kind, state, attempt, of, phase, callAttempts, spentMicrocents, startedAt, endedAt } = visit;
  const { skipped, inherited, fault, target = null } = visit;
  const seen =
    fault === null ? null : viewFor("operator", fault, { correlationId: `${summary.run}/${turnOf(visit)}`, locale });
  return {
    node,
    execution,
    kind,
    state,
    attempt,
    of,
    phase,
    callAttempts,
    spentMicrocents,
    startedAt,
    endedAt,
    nextAt: nextAtOf(visit),
    skipped,
    inherited,
    target,
    fault:
      seen === null
        ? null
        : {
            class: seen.class,
            code: seen.code,
            title: seen.title,
            target: fault === null || failedName(fault) === "" ? null : failedName(fault),
            message: seen.detail,
            said: seen.excerpt,
            next: seen.next,
            correlationId: seen.correlationId,
          },
    files: filesOfVisit(visit, files),
  };
}

function reportLines(deps: RunCommandDeps, report: RunReport, isHeld: boolean): readonly string[] {
  const { locale, paint } = deps;
  const words = RUNS_WORDS[locale];
  const { sentence, gap } = PUNCTUATION[locale];
  const { summary, state, questions, actions, files, folder } = report;
  const { columns } = deps.stdout;
  const widest = Math.max(0, ...state.visits.map((visit) => columnsOf(nameOf(visit, locale))));
  const own = new Set(state.visits.flatMap((visit) => filesOfVisit(visit, files)));
  const others = files.filter((file) => !own.has(file)).map((file) => `  ${shown(file)}`);
  return [
    `${words.run} ${paint("bold", shown(summary.run))}  ${paint(RUN_STATUS_STYLES[summary.status], statusOf(summary, isHeld, deps.clock.now(), locale))}`,
    ...factLines(factsOf(deps, report, isHeld), columns).map((line) => paint("dim", line)),
    ...wrapped(describeRun(state, locale), columns),
    "",
    paint("bold", words.stages),
    ...state.visits.flatMap((visit) => visitLines(deps, visit, report, widest)),
    ...(files.length === 0
      ? []
      : ["", paint("bold", folder === null ? words.files : words.filesIn(shown(folder, 2_000))), ...others]),
    ...(questions.length === 0 ? [] : ["", paint("bold", words.questions)]),
    ...questions.flatMap((question) => questionLines(deps, question, questions, summary.run)),
    ...(actions.length === 0 ? [] : ["", paint("bold", words.actions)]),
    ...actions.flatMap((action) => [
      `  ${commandFor(deps, summary.run, action, actions, questions)}`,
      ...wrapped(`${sentence(action.label)}${gap}${action.explains}${gap}${action.keeps}`, columns - 4).map(
        (line) => `    ${paint("dim", line)}`,
      ),
    ]),
  ];
}

function factsOf({ clock, locale }: Cli, { summary, spending }: RunReport, isHeld: boolean): readonly string[] {
  const words = RUNS_WORDS[locale];
  const { workflow, version, file, status, outcome, startedAt, endedAt, predecessor, successor } = summary;
  const lastedMs = (endedAt === 0 ? clock.now() : endedAt) - startedAt;
  return [
    `${words.workflow} ${shown(workflow)} ${shown(version)}`,
    `${words.started} ${minuteOf(startedAt)} UTC`,
    ...(endedAt === 0 ? [] : [`${words.ended} ${minuteOf(endedAt)} UTC`]),
    formatMs(Math.max(0, lastedMs), locale),
    FOLLOW_WORDS[locale].cost(dollars(spending.microcents), spending.unpricedAttempts),
    // The heading says why it failed; this is the name that scripts and workflows have for it.
    ...(status === "failed" ? [`${words.outcome} ${shown(outcome, 100)}`] : []),
    ...(isHeld ? [words.held] : []),
    ...(predecessor === null ? [] : [words.goesOnFrom(shown(predecessor))]),
    ...(successor === null ? [] : [words.goneOnIn(shown(successor))]),
    ...(file === null ? [] : [`${words.file} ${shown(file, 2_000)}`]),
  ];
}

function stateWord({ state, pause }: Visit, locale: Locale): string {
  if (pause?.why === "stopped") return FOLLOW_WORDS[locale].pauses.stopped;
  return state === "running" && pause !== null ? RUNS_WORDS[locale].hasAnswer : RUNS_WORDS[locale].visitStates[state];
}

function visitLines(
  { stdout, clock, locale, paint, command }: RunCommandDeps,
  visit: Visit,
  { summary, files }: RunReport,
  nameColumns: number,
): readonly string[] {
  const { bracketed, colon } = PUNCTUATION[locale];
  const { columns } = stdout;
  const now = clock.now();
  const follow = FOLLOW_WORDS[locale];
  const words = RUNS_WORDS[locale];
  const { callAttempts, startedAt, endedAt, fault, skipped } = visit;
  const facts = [
    skipped === null ? stateWord(visit, locale) : follow.skipped[skipped],
    ...targetFacts(visit, words),
    ...attemptFacts(visit, locale),
    ...(callAttempts > 0 ? [follow.calls(callAttempts)] : []),
    ...(startedAt > 0 ? [formatMs((endedAt === 0 ? now : endedAt) - startedAt, locale)] : []),
    ...costFacts(visit),
    ...waitFacts(visit, now, locale),
    ...(visit.inherited ? [words.inherited] : []),
  ];
  const id = `${summary.run}/${turnOf(visit)}`;
  const seen = fault === null ? null : viewFor("operator", fault, { correlationId: id, locale });
  const under =
    seen === null
      ? []
      : [
          `${bracketed(seen.title, seen.code)}${atTarget(fault)}${colon}${said(seen.detail, locale)}`,
          ...lastWords(seen),
          `→ ${seen.next}`,
          ...toType(fault),
          command("explain", id),
        ];
  const name = nameOf(visit, locale);
  return [
    `${markOf(visit, paint)} ${name}${" ".repeat(Math.max(0, nameColumns - columnsOf(name)))}  ${paint("dim", facts.join(" · "))}`,
    ...[...under, ...filesOfVisit(visit, files).map((file) => shown(file))].flatMap((text) =>
      wrapped(text, columns - 4).map((line) => `    ${line}`),
    ),
  ];
}

/** Which target a running visit asks, and which one answered a visit that succeeded. A failure names its target itself. */
function targetFacts({ state, target = null }: Visit, words: RunsWords): readonly string[] {
  if (target === null) return [];
  if (state === "completed") return [words.answeredBy(shown(target, 60))];
  return state === "running" ? [words.asks(shown(target, 60))] : [];
}

/** `, west/gpt-5`: the target that failed. */
function atTarget(fault: Fault | null): string {
  const name = fault === null ? "" : failedName(fault);
  return name === "" ? "" : `, ${shown(name, 60)}`;
}

const MAX_LAST_WORDS = 5;

/** The end of a failed process's output; empty if the message says the same. */
function lastWords({ excerpt, detail, source }: OperatorView): readonly string[] {
  if (source !== "process" || excerpt === detail) return [];
  const lines = excerpt.split("\n").filter((line) => line.trim() !== "");
  return lines.slice(-MAX_LAST_WORDS).map((line) => `│ ${shown(line)}`);
}

function questionLines(
  { stdout, paint, command }: RunCommandDeps,
  question: Question,
  all: readonly Question[],
  run: string,
): readonly string[] {
  const { id, payload } = question;
  const endsAt = endOf(question);
  const until = endsAt === null ? "" : `  ${paint("dim", `${minuteOf(endsAt)} UTC`)}`;
  const options = payload.kind === "Select" ? payload.options : [];
  const named = all.length === 1 ? run : id;
  return [
    `  ${paint("bold", shown(id))}  ${shown(payload.kind)}${until}`,
    ...wrapped(shown(questionTitle(SHAPE_REDACTOR.text(payload.prompt)), 2_000), stdout.columns - 4).map(
      (line) => `    ${line}`,
    ),
    ...formLines(payload, paint).map((line) => `      ${line}`),
    ...options.map((option) => `      ${shown(option.id)}  ${paint("dim", shown(option.label))}`),
    `    ${command("runs", "answer", named, ...answerWords(question))}`,
  ];
}

/** The command that fixes the fault, if the adapter knows one: how to install an agent CLI or sign in to it. */
function toType(fault: Fault | null): readonly string[] {
  const next = fault?.context["next"];
  return typeof next === "string" ? [`  ${shown(next)}`] : [];
}
