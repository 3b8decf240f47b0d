// The demo's last lines: what the run survived, its cost, where its files are, and what to type next.

import { dollars } from "../../core/flow/money.ts";
import { formatMs, type Locale } from "../../core/index.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import { shown } from "../render/values.ts";
import { demoLine } from "../render/program-name.ts";
import type { DemoDashboard } from "./demo-dashboard.ts";
import type { DemoEnd } from "./drive-demo.ts";
import type { StartFacts } from "./start-facts.ts";
import { START_WORDS } from "./start-words.ts";
import { SURVIVED } from "./survived.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export function endingLines(facts: StartFacts, { report }: DemoEnd, cli: Cli): readonly string[] {
  const { locale, paint } = cli;
  const words = START_WORDS[locale];
  const { survived, cost, files, missing, run } = facts;
  const isGood = missing.length === 0;
  const rows = SURVIVED.filter((id) => survived[id] > 0).map((id) => words.survived[id](survived[id]));
  const width = Math.max(0, ...rows.map(([what]) => columnsOf(what)));
  const labels = [words.cost, words.change, words.journal, words.stages, words.repository];
  const labelWidth = Math.max(...labels.map(columnsOf));
  const labelled = (label: string, text: string): string => `${paint("dim", padded(label, labelWidth))}  ${text}`;
  const changes = facts.changes.map(({ file, added, removed }) => `${shown(file)} +${added} −${removed}`);
  return [
    "",
    `${paint(isGood ? "green" : "red", isGood ? "✓" : "✗")} ${paint("bold", words.ended(report.summary.outcome, formatMs(facts.durationMs, locale)))}`,
    ...rows.map(([what, how]) => `  ${padded(what, width)}  ${paint("dim", how)}`),
    ...(facts.redone.length === 0 ? [`  ${paint("dim", words.notRedone)}`] : []),
    ...(isGood ? [] : [paint("red", reasonOf(facts, locale))]),
    "",
    labelled(
      words.cost,
      words.costIs(rounded(cost.microcents), cost.estimatedMicrocents === 0 ? "" : rounded(cost.estimatedMicrocents)),
    ),
    labelled(words.change, `${changes.join(", ")}  ${files.diff}`),
    labelled(words.repository, files.repository),
    labelled(words.journal, files.journal),
    ...(files.stages === null ? [] : [labelled(words.stages, files.stages)]),
    "",
    words.next,
    ...nextCommands(files.journal, run).map((command) => `  ${command}`),
  ];
}

/** The template's outcome for a run that a person ended at the gate. */
const STOPPED = "stopped";

function reasonOf({ outcome, missing }: StartFacts, locale: Locale): string {
  const words = START_WORDS[locale];
  if (outcome === STOPPED) return words.youStopped;
  return words.incomplete(missing.map((one) => words.missing[one]).join(PUNCTUATION[locale].semicolon));
}

export function nextCommands(journal: string, run: string): readonly string[] {
  return [
    demoLine("runs", "show", run, "--journal", journal),
    demoLine("serve", "--journal", journal),
    demoLine("start", "--ask"),
    demoLine("init", "team"),
  ];
}

/** The last lines on a terminal, under which the dashboard stays up. */
export function stayingLines(dashboard: DemoDashboard, cli: Cli): readonly string[] {
  const { locale, paint } = cli;
  const { dashboard: label, linkWorksOnce, waitsThere, leave } = START_WORDS[locale];
  return ["", `${paint("bold", label)}  ${dashboard.link()}`, paint("dim", linkWorksOnce), waitsThere, leave];
}

export function resumeCommand(journal: string, run: string): string {
  return demoLine("workflow", "resume", run, "--journal", journal);
}

const MICROCENTS_SHOWN = 10_000;

/** Rounded to a hundredth of a cent. */
function rounded(microcents: number): string {
  return dollars(Math.round(microcents / MICROCENTS_SHOWN) * MICROCENTS_SHOWN);
}

export function padded(text: string, columns: number): string {
  return text + " ".repeat(Math.max(0, columns - columnsOf(text)));
}
