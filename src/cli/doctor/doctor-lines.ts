// Formats the findings of `faultline doctor`: a table for a screen, plain lines for a log.

import type { CliHealth } from "../../agent/doctor/cli-health.ts";
import type { ExaminedKind } from "../../agent/doctor/login-evidence.ts";
import type { MachineCheck } from "../../agent/doctor/machine.ts";
import type { Locale } from "../../core/index.ts";
import type { Cli } from "../cli.ts";
import type { Style } from "../render/paint.ts";
import { oneLine } from "../render/safe-text.ts";
import { tableLines, wrapped } from "../render/table.ts";
import { DOCTOR_WORDS, type DoctorWords } from "../render/words/doctor-words.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface WorkflowNeeds {
  readonly file: string;
  readonly clis: readonly ExaminedKind[];
  /** One sentence for each key that is not set. */
  readonly unset: readonly string[];
}

/** The findings of `faultline doctor`, before formatting. */
export interface Findings {
  readonly clis: readonly CliHealth[];
  readonly machine: readonly MachineCheck[];
  /** The user named the CLIs. */
  readonly areAsked: boolean;
  /** What the named workflow needs; null without a workflow that can be read. */
  readonly needs: WorkflowNeeds | null;
}

export function screenLines({ clis, machine }: Findings, { stdout, locale, paint }: Cli): readonly string[] {
  const words = DOCTOR_WORDS[locale];
  const [head = "", ...lines] = tableLines(
    [{ title: words.cli }, { title: words.version }, { title: words.login }],
    [
      ...clis.map((cli) => [cli.kind, versionText(cli, words), loginText(cli, locale)]),
      ...machine.map((check) => [words.machine[check.check], check.value, okText(check, words)]),
    ],
  );
  const rows = [
    ...clis.map((cli) => ({ tone: toneOf(cli), detail: cli.detail })),
    ...machine.map(({ ok, detail }) => ({ tone: ok ? "green" : "red", detail }) as const),
  ].map(({ tone, detail }, index) => [
    paint(tone, lines[index] ?? ""),
    ...detailLines(detail, stdout.columns).map((text) => paint("dim", text)),
  ]);
  // The CLIs first, then this machine.
  return [paint("bold", head), ...rows.slice(0, clis.length).flat(), "", ...rows.slice(clis.length).flat(), ""];
}

const INDENT = "  ";

function detailLines(detail: string | null, columns: number): readonly string[] {
  return detail === null ? [] : wrapped(oneLine(detail), columns - INDENT.length).map((line) => `${INDENT}${line}`);
}

function toneOf({ status, remedy }: CliHealth): Style {
  if (remedy === null) return "green";
  if (status === "missing") return "dim";
  return remedy === "ask-it" ? "yellow" : "red";
}

/** One line per finding, with the subject first. */
export function plainLines({ clis, machine }: Findings, locale: Locale): readonly string[] {
  const words = DOCTOR_WORDS[locale];
  const { colon, semicolon, bracketed } = PUNCTUATION[locale];
  const detailOf = (detail: string | null): string => (detail === null ? "" : bracketed("", oneLine(detail)));
  return [
    ...clis.map(
      (cli) =>
        `${cli.kind}${colon}${versionText(cli, words)}${detailOf(cli.detail)}${semicolon}${words.login}${colon}${loginText(cli, locale)}`,
    ),
    ...machine.map(
      (check) =>
        `${words.machine[check.check]}${colon}${check.value}${semicolon}${okText(check, words)}${detailOf(check.detail)}`,
    ),
  ];
}

function versionText({ status, version }: CliHealth, words: DoctorWords): string {
  return version ?? words.statuses[status];
}

/** Names the login file only if it proves the login. */
function loginText({ login }: CliHealth, locale: Locale): string {
  const words = DOCTOR_WORDS[locale];
  const { comma, bracketed } = PUNCTUATION[locale];
  const by = [...login.variables, ...(login.byFile && login.state === "yes" ? [words.file] : [])];
  return by.length === 0 ? words.states[login.state] : bracketed(words.states[login.state], by.join(comma));
}

function okText({ ok }: MachineCheck, words: DoctorWords): string {
  return ok ? words.ok : words.notOk;
}
