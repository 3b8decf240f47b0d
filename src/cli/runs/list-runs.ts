// `faultline runs list`: lists the runs of a journal, newest first, each with the next step.

import { defined } from "../../core/defined.ts";
import { dollars } from "../../core/flow/money.ts";
import { remediesFor } from "../../core/flow/action.ts";
import { actionWords } from "../../core/flow/action-words.ts";
import { type FaultCode, isFaultCode, type Locale } from "../../core/index.ts";
import { pillOf } from "../../core/fault/words/pills.ts";
import { isEnded, type RunStatus } from "../../core/flow/run-state.ts";
import { type RunStanding, STANDING_WORDS, standingOf } from "../../core/flow/run-standing.ts";
import type { RunSummary } from "../../workflow/runs-api.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import type { Style } from "../render/paint.ts";
import { minuteOf, shown } from "../render/values.ts";
import { safeJson } from "../render/safe-text.ts";
import { tableLines } from "../render/table.ts";
import { type JournalOption, type RunCommandDeps, withRuns } from "./run-deps.ts";
import { SHOWN_STATUSES, type ShownStatus } from "./shown-status.ts";
import { RUNS_WORDS } from "../render/words/runs-words.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface ListOptions extends JournalOption {
  readonly status?: RunStatus | ShownStatus;
  readonly workflow?: string;
  readonly limit: number;
}

export async function listRuns(options: ListOptions, cli: Cli): Promise<void> {
  await withRuns({ ...options, look: true }, cli, async (deps) => {
    const { status, workflow, limit } = options;
    const words = RUNS_WORDS[cli.locale];
    // Reads one more than it shows, to know whether there are more.
    const held = await deps.workflows.runs.held();
    const found = await readRuns(options, held, deps);
    const runs = found.slice(0, limit);
    if (cli.json)
      await cli.stdout.write(
        `${safeJson(runs.map((one) => ({ ...one, target: one.target ?? null, held: held.has(one.run) })))}\n`,
      );
    else if (runs.length > 0) await printRuns(runs, held, await remediesOf(runs, deps), cli);
    else await cli.stderr.write(`${status === undefined && workflow === undefined ? words.noRuns : words.noneFits}\n`);
    if (found.length > limit) await cli.stderr.write(`${words.moreRuns(limit)}\n`);
  });
}

/** One more than are shown, if there are more. */
async function readRuns(
  { status, workflow, limit }: ListOptions,
  held: ReadonlySet<string>,
  { workflows, clock }: RunCommandDeps,
): Promise<readonly RunSummary[]> {
  const most = limit + 1;
  if (!isShownStatus(status)) return workflows.runs.list({ ...defined({ status, workflow }), limit: most });
  // How a run stands depends on who holds it now, so no filter of the journal knows it.
  const open = await workflows.runs.list({ ...defined({ workflow }), isOpen: true });
  const standing = SHOWN_STATUSES[status];
  return open.filter((one) => standingHere(one, held.has(one.run), clock.now()) === standing).slice(0, most);
}

function isShownStatus(status: RunStatus | ShownStatus | undefined): status is ShownStatus {
  return status !== undefined && Object.hasOwn(SHOWN_STATUSES, status);
}

/** What each failed run offers first, by its id. A run that cannot be read shows what helps against such a fault in general. */
async function remediesOf(runs: readonly RunSummary[], deps: RunCommandDeps): Promise<ReadonlyMap<string, string>> {
  const failed = runs.filter(({ status, successor }) => status === "failed" && successor === null);
  const reports = await Promise.allSettled(failed.map(({ run }) => deps.workflows.runs.show(run)));
  const labelOf = (code: string | null, at: number): string => {
    const report = reports[at];
    if (report?.status === "fulfilled" && report.value !== null) return report.value.actions[0]?.label ?? "";
    const [general] = remediesFor({ code: knownCode(code) });
    return general === undefined ? "" : actionWords(general, deps.locale).label;
  };
  return new Map(failed.map(({ run, code }, at) => [run, labelOf(code, at)]));
}

export const RUN_STATUS_STYLES: Readonly<Record<RunStatus, Style>> = {
  running: "cyan",
  paused: "yellow",
  completed: "green",
  failed: "red",
  cancelled: "dim",
};

async function printRuns(
  runs: readonly RunSummary[],
  held: ReadonlySet<string>,
  remedies: ReadonlyMap<string, string>,
  cli: Cli,
): Promise<void> {
  const { locale, paint } = cli;
  const words = RUNS_WORDS[locale];
  const now = cli.clock.now();
  // Workflows without agents ask no target, and a narrow terminal has no room for an empty column.
  const hasTargets = runs.some(({ target = null }) => target !== null);
  const isShown = (_cell: unknown, index: number): boolean => hasTargets || index !== TARGET_COLUMN;
  const columns = words.heads
    .map((title, index) => (index === COST_COLUMN ? { title, right: true as const } : { title }))
    .filter(isShown);
  const cellsOf = (short: (run: string) => string, time: (at: number) => string): readonly (readonly string[])[] =>
    runs.map((one) =>
      [
        short(one.run),
        shown(one.workflow, 40),
        statusOf(one, held.has(one.run), now, locale),
        one.nodes.map((node) => shown(node, 30)).join(PUNCTUATION[locale].comma),
        shown(one.target ?? "", 40),
        time(one.startedAt),
        dollars(one.spentMicrocents),
        nextOf(one, held.has(one.run), remedies, short, locale),
      ].filter(isShown),
    );
  const whole = tableLines(
    columns,
    cellsOf((run) => shown(run), minuteOf),
  );
  const fits = whole.every((line) => columnsOf(line) <= cli.stdout.columns);
  const [head = "", ...lines] = fits
    ? whole
    : tableLines(columns, cellsOf(shortener(runs.map(({ run }) => run)), withoutYear));
  await cli.stdout.write(`${paint("dim", head)}\n`);
  for (const [index, line] of lines.entries()) {
    const status = runs[index]?.status ?? "running";
    const one = runs[index];
    const pill = one === undefined ? "" : statusOf(one, held.has(one.run), now, locale);
    // Coloured after alignment, because colour codes have no width on screen.
    await cli.stdout.write(`${line.replace(pill, () => paint(RUN_STATUS_STYLES[status], pill))}\n`);
  }
}

const TARGET_COLUMN = 4;
const COST_COLUMN = 6;
const SHORTEST_ID = 12;

const withoutYear = (at: number): string => minuteOf(at).replace(/^\d+-/, "");

/** Shortens ids to the shortest prefix that is still unique. */
function shortener(runs: readonly string[]): (run: string) => string {
  const isClear = (chars: number): boolean =>
    new Set(runs.map((run) => run.slice(0, chars))).size === new Set(runs).size;
  let chars = SHORTEST_ID;
  while (chars < 100 && !isClear(chars)) chars += 1;
  return (run) => shown(run.slice(0, chars));
}

/** As this command sees it: it drives no runs itself. */
function standingHere(summary: RunSummary, isHeld: boolean, now: number): RunStanding {
  return standingOf(summary, { now, isHeld, isDriven: false });
}

/** Where it stands, plus why it failed, or the outcome if it says more. A run is "running" only while a process advances it. */
export function statusOf(summary: RunSummary, isHeld: boolean, now: number, locale: Locale): string {
  const { status, code } = summary;
  const outcome = status === "failed" && code !== null ? pillOf(knownCode(code), locale) : summary.outcome;
  const label = STANDING_WORDS[locale][standingHere(summary, isHeld, now)];
  // A cancelled run's outcome only repeats the status.
  const saysMore = outcome !== "" && outcome !== status && status !== "cancelled";
  return saysMore ? `${label}${PUNCTUATION[locale].colon}${shown(outcome, 40)}` : label;
}

function nextOf(
  summary: RunSummary,
  isHeld: boolean,
  remedies: ReadonlyMap<string, string>,
  short: (run: string) => string,
  locale: Locale,
): string {
  const words = RUNS_WORDS[locale];
  const { run, status, successor, questions, wakeAt } = summary;
  if (successor !== null) return `→ ${short(successor)}`;
  if (status === "failed") return remedies.get(run) ?? "";
  if (isEnded(summary)) return "";
  if (isHeld) return words.watch;
  if (questions.length > 0) return words.answer;
  return wakeAt === null ? words.resume : words.until(minuteOf(wakeAt));
}

function knownCode(code: string | null): FaultCode {
  return code !== null && isFaultCode(code) ? code : "Unclassified";
}
