// `faultline policy replay`: says what another policy would have changed about the past decisions of a journal.

import { dollars } from "../../core/flow/money.ts";
import {
  type ChangedDecision,
  formatMs,
  type Policy,
  type ReplayRow,
  type ReplaySummary,
  SHAPE_REDACTOR,
  type Locale,
} from "../../core/index.ts";
import { describeReplayLimit, UNKNOWN_REASONS } from "../../core/record/replay-tally.ts";
import { replayPolicy } from "../../journal/replay-policy.ts";
import type { Cli } from "../cli.ts";
import type { Paint } from "../render/paint.ts";
import { safeJson } from "../render/safe-text.ts";
import { tableLines, wrapped } from "../render/table.ts";
import { minuteOf, shown } from "../render/values.ts";
import { REPLAY_WORDS, type ReplayWords } from "../render/words/replay-words.ts";
import { findSession } from "../runs/find-run.ts";
import { type JournalOption, type RunCommandDeps, withRuns } from "../runs/run-deps.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface ReplayCommandOptions extends JournalOption {
  /** How far back, in milliseconds. */
  readonly since?: number;
  readonly run?: string;
  readonly limit: number;
}

export async function replayPast(policy: Policy, options: ReplayCommandOptions, cli: Cli): Promise<void> {
  const { since, run, limit: examples } = options;
  const { locale, json } = cli;
  await withRuns({ ...options, look: true }, cli, async (deps) => {
    const summary = await replayPolicy(deps.workflows.journal, policy, {
      examples,
      locale,
      ...(since === undefined ? {} : { sinceAt: cli.clock.now() - since }),
      ...(run === undefined ? {} : { session: await findSession(deps, run) }),
    });
    if (json) return cli.stdout.write(`${safeJson(summaryJson(summary, cli))}\n`);
    for (const line of summaryLines(deps, summary)) await cli.stdout.write(`${line}\n`);
  });
}

function summaryJson(summary: ReplaySummary, { locale }: Cli): object {
  const { examples, limits, ...figures } = summary;
  return {
    ...figures,
    // The redactor would take a session's name for a web session's secret.
    examples: examples.map((one) => ({ ...(SHAPE_REDACTOR.value(one) as ChangedDecision), session: one.session })),
    limits: limits.map((limit) => ({ id: limit, text: describeReplayLimit(limit, locale) })),
  };
}

function summaryLines(deps: RunCommandDeps, summary: ReplaySummary): readonly string[] {
  const { locale, paint } = deps;
  const words = REPLAY_WORDS[locale];
  const { policy, decisions, stageDecisions, sessions, firstAt, lastAt, table, limits, changed } = summary;
  const title = `${words.policy} ${paint("bold", shown(policy))}`;
  if (decisions === 0 || firstAt === null || lastAt === null) return [title, words.nothing];
  const { columns } = deps.stdout;
  return [
    `${title}  ${words.read(grouped(decisions), sessions)}`,
    paint("dim", `${minuteOf(firstAt)} – ${minuteOf(lastAt)} UTC`),
    "",
    ...countLines(summary, locale, paint),
    ...(stageDecisions === 0 ? [] : [paint("dim", `  ${words.stages(grouped(stageDecisions))}`)]),
    ...(table.length === 0 ? [] : ["", ...changeTable(table, words, deps), "", ...effectLines(summary, deps)]),
    ...exampleLines(deps, summary),
    ...(limits.length === 0 || changed === 0 ? [] : ["", paint("bold", words.cannotKnow)]),
    ...(changed === 0 ? [] : limits).flatMap((limit) =>
      wrapped(describeReplayLimit(limit, locale), columns - 4).map(
        (line, index) => `  ${index === 0 ? "·" : " "} ${line}`,
      ),
    ),
  ];
}

/** `12,345`. */
function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

function countLines({ same, changed, unknown }: ReplaySummary, locale: Locale, paint: Paint): readonly string[] {
  const words = REPLAY_WORDS[locale];
  const reasons = UNKNOWN_REASONS.filter((reason) => unknown[reason] > 0);
  const all = reasons.reduce((sum, reason) => sum + unknown[reason], 0);
  const why = reasons
    .map((reason) => `${grouped(unknown[reason])} ${words.reasons[reason]}`)
    .join(PUNCTUATION[locale].comma);
  const lines = tableLines(
    [{ title: "" }, { title: "", right: true }],
    [
      [words.same, grouped(same)],
      [words.changed, grouped(changed)],
      [words.unknown, grouped(all)],
    ],
  ).slice(1);
  return lines.map((line, index) => `  ${line}${index === 2 && all > 0 ? paint("dim", `  ${why}`) : ""}`);
}

const MAX_ROWS = 20;

function changeTable(table: readonly ReplayRow[], words: ReplayWords, { locale }: Cli): readonly string[] {
  const rows = table
    .slice(0, MAX_ROWS)
    .map(({ count, code, tool, from, to, waitMs }) => [
      grouped(count),
      code,
      shown(tool, 40),
      `${from} → ${to}`,
      signedMs(waitMs, locale),
    ]);
  const right = true;
  const lines = tableLines(
    [
      { title: words.count, right },
      { title: words.fault },
      { title: words.tool },
      { title: words.change },
      { title: words.wait, right },
    ],
    rows,
  );
  const more = table.length - MAX_ROWS;
  return [...lines.map((line) => `  ${line}`), ...(more > 0 ? [`  … +${more}`] : [])];
}

function signedMs(ms: number, locale: Locale): string {
  if (ms === 0) return "";
  return `${ms < 0 ? "−" : "+"}${formatMs(Math.abs(ms), locale)}`;
}

function effectLines(summary: ReplaySummary, { locale }: Cli): readonly string[] {
  const words = REPLAY_WORDS[locale];
  const { waits, attempts, money, openEnded } = summary;
  const list = (...facts: readonly string[]): string =>
    facts.filter((fact) => fact !== "").join(" · ") || words.noEffect;
  const some = (amount: number, tell: (what: string) => string, text: (amount: number) => string): string =>
    amount === 0 ? "" : tell(text(amount));
  const ms = (amount: number): string => formatMs(amount, locale);
  const rows = [
    [words.waits, list(some(waits.savedMs, words.saves, ms), some(waits.addedMs, words.adds, ms))],
    [words.attempts, list(some(attempts.saved, words.saves, grouped), some(attempts.added, words.atLeast, grouped))],
    [
      words.money,
      list(
        some(money.savedMicrocents, words.saves, dollars),
        some(money.addedMicrocents, words.about, dollars),
        money.unpricedAttempts === 0 ? "" : words.unpriced(money.unpricedAttempts),
      ),
    ],
  ];
  const lines = tableLines([{ title: "" }, { title: "" }], rows).slice(1);
  return [
    ...lines.map((line) => `  ${line}`),
    ...(openEnded === 0 ? [] : [`  ${words.openEnded(grouped(openEnded))}`]),
  ];
}

function exampleLines({ stdout, locale, paint }: Cli, { examples, changed }: ReplaySummary): readonly string[] {
  const words = REPLAY_WORDS[locale];
  const { colon } = PUNCTUATION[locale];
  if (examples.length === 0) return [];
  const title = examples.length < changed ? words.first(examples.length, grouped(changed)) : words.all;
  const room = stdout.columns - 6;
  return [
    "",
    paint("bold", title),
    ...examples.flatMap(({ session, at, call, tool, code, was, would, why }) => [
      `  ${paint("dim", minuteOf(at))}  ${paint("yellow", code)}  ${shown(tool, 40)}  ${paint("dim", `${shown(session, 60)} ${shown(call, 60)}`)}`,
      ...wrapped(`${words.was}${colon}${shown(was)}`, room).map((line) => `      ${line}`),
      ...wrapped(`${words.would}${colon}${shown(would)}`, room).map((line) => `      ${line}`),
      ...why.flatMap((reason) => wrapped(shown(reason), room - 2).map((line) => `        ${paint("dim", line)}`)),
    ]),
  ];
}
