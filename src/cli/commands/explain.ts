// `faultline explain`: what a fault means, what Faultline does about it, and what a person can do.

import type { Command } from "commander";
import {
  classify,
  describeMatch,
  fault,
  FAULT_CODES,
  type Fault,
  type FaultCode,
  type Locale,
  matrixOutcome,
  PRESETS,
  rowFor,
  traitsOf,
  VOCABULARY,
  wordsFor,
} from "../../core/index.ts";
import { wordsOf } from "../../core/fault/words/words.ts";
import { nearest } from "../../options/nearest.ts";
import { type Cli, cliOf } from "../cli.ts";
import { findCode } from "../fault-code.ts";
import { faultCore } from "../fault-json.ts";
import { type Io, UsageError } from "../io.ts";
import type { Paint } from "../render/paint.ts";
import { knownCode } from "../../core/record/fault-index.ts";
import { callJson, callLines, decisionLines, type FoundCall } from "../explain-call.ts";
import { findUnder, foundJson, foundLines, looksLikeId } from "../explain-id.ts";
import { shown } from "../render/values.ts";
import type { JournalOption } from "../runs/run-deps.ts";
import { withProgram } from "../render/program-name.ts";
import { safeJson } from "../render/safe-text.ts";
import { scheduleLines } from "../render/schedule-lines.ts";
import { readInput } from "../read-input.ts";
import { commandLine } from "../render/program-name.ts";
import { CALL_LINE_WORDS } from "../render/words/call-line-words.ts";
import { CLI_WORDS } from "../render/words/cli-words.ts";

export function addExplain(program: Command, io: Io): void {
  program
    .command("explain")
    .summary("show what a fault means, what Faultline does and what you can do")
    .description(
      "Explains a fault code, the fault behind an error text, or what failed under a correlation id, with its causes.",
    )
    .argument("[code|text|id]", "a fault code, an error text, a correlation id, or `-` for stdin")
    .option("--journal <file|url>", "the journal to look the correlation id up in")
    .option("--list", "list all fault codes")
    .addHelpText(
      "after",
      `
Examples:
  $ faultline explain RateLimited
  $ faultline explain "API Error: 529 Overloaded" --locale zh-CN
  $ faultline explain run_5f2c1b/coder#1.1
  $ faultline explain --list`,
    )
    .action(async (text: string | undefined, options: ExplainOptions, command: Command) => {
      const cli = cliOf(command, io);
      if (options.list === true) return listCodes(cli);
      const given = await readInput(text, io, false);
      if (options.journal !== undefined || looksLikeId(given)) return explainId(given.trim(), options, cli);
      const explained = faultFrom(given, cli);
      await cli.stdout.write(
        cli.json ? `${JSON.stringify(explainJson(explained, cli))}\n` : explainText(explained, cli),
      );
    });
}

type ExplainOptions = JournalOption & { readonly list?: true };

/** Prints the failures under an id with their causes, then explains the last one. A call of a gateway has a line of the ledger, too. */
async function explainId(id: string, options: JournalOption, cli: Cli): Promise<void> {
  const { locale, paint, json } = cli;
  const words = CLI_WORDS[locale];
  // Loaded on demand: explaining a code needs no store.
  const { journalOf } = await import("../runs/run-deps.ts");
  const { lookAtJournal } = await import("../journal/with-journal.ts");
  const file = await journalOf(options, cli);
  const found = await lookAtJournal(file, cli, (journal) => findUnder(journal, id));
  if (found === null) throw new UsageError(words.noSuchId(shown(id), shown(file, 2_000)));
  const { call, faults } = found;
  const last = faults.at(-1)?.fault;
  const explained = last === undefined ? null : { ...last, code: knownCode(last) };
  if (json) {
    const about = explained === null ? {} : explainJson(explained, cli, call === null);
    const called = call === null ? {} : { call: callJson(call) };
    const each = faults.map((one) => foundJson(one, locale));
    return cli.stdout.write(`${safeJson({ id, ...called, faults: each, ...about })}\n`);
  }
  const lines = [...(call === null ? [] : callLines(call, cli)), ...faults.flatMap((one) => foundLines(one, cli))];
  const about =
    explained !== null
      ? explainText(explained, cli, call)
      : call === null
        ? ""
        : sectionOf(paint, CALL_LINE_WORDS[locale].did, didLines(call, locale)).join("\n");
  await cli.stdout.write(`${lines.join("\n")}\n${about}`);
}

function didLines(call: FoundCall, locale: Locale): readonly string[] {
  const lines = decisionLines(call, locale);
  return lines.length === 0 ? [CALL_LINE_WORDS[locale].nothingDecided] : lines;
}

/** A code, or the fault behind a text. A single word close to a code is treated as a typo. */
function faultFrom(text: string, { clock, locale }: Cli): Fault {
  const code = findCode(text);
  if (code !== undefined) return fault(code);
  const near = /^[A-Z][A-Za-z0-9]{3,}$/.test(text.trim()) ? nearest(text.trim(), FAULT_CODES) : null;
  if (near !== null)
    throw new UsageError(CLI_WORDS[locale].noSuchCode(text.trim(), near, commandLine("explain", "--list")));
  return classify({ surface: "cli", message: text, observedAt: clock.now() });
}

async function listCodes(cli: Cli): Promise<void> {
  const { json, locale, paint } = cli;
  if (json)
    return cli.stdout.write(
      `${JSON.stringify(FAULT_CODES.map((code) => ({ code, ...traitsOf(code), title: wordsFor(code, locale).title })))}\n`,
    );
  let shownClass = "";
  for (const code of FAULT_CODES) {
    const { class: faultClass } = traitsOf(code);
    if (faultClass !== shownClass)
      await cli.stdout.write(`${shownClass === "" ? "" : "\n"}${paint("bold", faultClass)}\n`);
    shownClass = faultClass;
    await cli.stdout.write(`  ${code.padEnd(24)} ${paint("dim", wordsFor(code, locale).title)}\n`);
  }
}

/** `withPolicy`: false for a call of a gateway, whose route decides, and whose decisions are known. */
function explainJson(explained: Fault, { locale }: Cli, withPolicy = true): object {
  const { code } = explained;
  const row = rowFor(PRESETS.default, explained, PLACE);
  return {
    fault: faultCore(explained),
    words: wordsOf(explained, locale),
    traits: traitsOf(code),
    vocabulary: { ...VOCABULARY[code], outcome: matrixOutcome(code) },
    ...(withPolicy ? { policy: { match: describeMatch(row.match), retry: row.retry, then: row.then } } : {}),
  };
}

const PLACE = { surface: "cli", provider: "", tool: "", stage: "" } as const;

function explainText(explained: Fault, cli: Cli, call: FoundCall | null = null): string {
  const { locale, paint } = cli;
  const labels = CLI_WORDS[locale];
  const { code, evidence } = explained;
  const words = wordsOf(explained, locale);
  const traits = traitsOf(code);
  const row = rowFor(PRESETS.default, explained, PLACE);
  const section = (title: string, lines: readonly string[]): string[] => sectionOf(paint, title, lines);
  const does = [
    ...scheduleLines(row, locale),
    ...(traits.mayHaveHappened && row.retry !== null ? [labels.repeatUnsafe] : []),
  ];
  return [
    `${paint(["bold", traits.retryable ? "yellow" : "red"], code)}  ${words.title}  ${paint("dim", `${traits.class} · ${traits.retryable ? labels.retryable : labels.notRetryable}`)}`,
    ...(evidence.source === "raised" ? [] : [paint("dim", `${labels.rule} ${evidence.rule}`)]),
    "",
    ...section(labels.means, [words.user]),
    ...(call === null ? section(labels.does, does) : section(CALL_LINE_WORDS[locale].did, didLines(call, locale))),
    ...section(labels.youCan, [words.next]),
    ...section(labels.operator, [withProgram(words.operator)]),
    ...section(labels.model, [words.model]),
    ...section(labels.alsoKnown, [otherNames(code)]),
  ].join("\n");
}

function sectionOf(paint: Paint, title: string, lines: readonly string[]): string[] {
  return [paint("bold", title), ...lines.map((line) => `  ${line}`), ""];
}

function otherNames(code: FaultCode): string {
  const { stud, llmKind, runCode, si, cli } = VOCABULARY[code];
  return [`${stud.class}/${stud.code}`, llmKind, runCode, matrixOutcome(code), si ?? "–", cli].join(" · ");
}
