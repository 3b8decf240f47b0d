// `faultline explain`: what a fault means, what Faultline does about it, and what a person can do.

import type { Command } from "commander";
import {
  classify,
  describeMatch,
  fault,
  FAULT_CODES,
  type Fault,
  type FaultCode,
  matrixOutcome,
  PRESETS,
  rowFor,
  traitsOf,
  VOCABULARY,
  wordsFor,
} from "../../core/index.ts";
import { nearest } from "../../options/nearest.ts";
import { findCode } from "../fault-code.ts";
import { faultCore } from "../fault-json.ts";
import { type Io, UsageError } from "../io.ts";
import { paintFor } from "../render/paint.ts";
import { knownCode } from "../../core/record/fault-index.ts";
import { findFaults, foundJson, foundLines, looksLikeId } from "../explain-id.ts";
import { shown } from "../render/values.ts";
import { globalOptions, type GlobalOptions } from "../options.ts";
import type { JournalOption } from "../runs/run-deps.ts";
import { withProgram } from "../render/program-name.ts";
import { safeJson } from "../render/safe-text.ts";
import { scheduleLines } from "../render/schedule-lines.ts";
import { readInput } from "../read-input.ts";
import { commandLine } from "../render/program-name.ts";
import { CLI_WORDS, type CliWords } from "../render/words/cli-words.ts";

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
      const shared = globalOptions(command, io);
      if (options.list === true) return listCodes(io, shared);
      const given = await readInput(text, io, false);
      if (options.journal !== undefined || looksLikeId(given)) return explainId(given.trim(), options, io, shared);
      const explained = faultFrom(given, io, CLI_WORDS[shared.locale]);
      await io.stdout.write(
        shared.json ? `${JSON.stringify(explainJson(explained, shared))}\n` : explainText(explained, io, shared),
      );
    });
}

type ExplainOptions = JournalOption & { readonly list?: true };

/** Prints the failures under an id with their causes, then explains the last one. */
async function explainId(id: string, options: JournalOption, io: Io, shared: GlobalOptions): Promise<void> {
  const { locale, color, json } = shared;
  const words = CLI_WORDS[locale];
  // Loaded on demand: explaining a code needs no store.
  const { journalOf } = await import("../runs/run-deps.ts");
  const { lookAtJournal } = await import("../journal/with-journal.ts");
  const file = await journalOf(options, io);
  const found = await lookAtJournal({ file, io, locale }, (journal) => findFaults(journal, id));
  const last = found?.at(-1)?.fault;
  if (found === null || last === undefined) throw new UsageError(words.noSuchId(shown(id), shown(file, 2_000)));
  const explained = { ...last, code: knownCode(last) };
  if (json) {
    const faults = found.map((one) => foundJson(one, locale));
    return io.stdout.write(`${safeJson({ id, faults, ...explainJson(explained, shared) })}\n`);
  }
  const paint = paintFor(io.stdout, io.env, color);
  const lines = found.flatMap((one) => foundLines(one, words, locale, paint));
  await io.stdout.write(`${lines.join("\n")}\n${explainText(explained, io, shared)}`);
}

/** A code, or the fault behind a text. A single word close to a code is treated as a typo. */
function faultFrom(text: string, io: Io, words: CliWords): Fault {
  const code = findCode(text);
  if (code !== undefined) return fault(code);
  const near = /^[A-Z][A-Za-z0-9]{3,}$/.test(text.trim()) ? nearest(text.trim(), FAULT_CODES) : null;
  if (near !== null) throw new UsageError(words.noSuchCode(text.trim(), near, commandLine("explain", "--list")));
  return classify({ surface: "cli", message: text, observedAt: io.clock.now() });
}

async function listCodes(io: Io, { json, locale, color }: GlobalOptions): Promise<void> {
  if (json)
    return io.stdout.write(
      `${JSON.stringify(FAULT_CODES.map((code) => ({ code, ...traitsOf(code), title: wordsFor(code, locale).title })))}\n`,
    );
  const paint = paintFor(io.stdout, io.env, color);
  let shownClass = "";
  for (const code of FAULT_CODES) {
    const { class: faultClass } = traitsOf(code);
    if (faultClass !== shownClass)
      await io.stdout.write(`${shownClass === "" ? "" : "\n"}${paint("bold", faultClass)}\n`);
    shownClass = faultClass;
    await io.stdout.write(`  ${code.padEnd(24)} ${paint("dim", wordsFor(code, locale).title)}\n`);
  }
}

function explainJson(explained: Fault, { locale }: GlobalOptions): object {
  const { code } = explained;
  const row = rowFor(PRESETS.default, explained, PLACE);
  return {
    fault: faultCore(explained),
    words: wordsFor(code, locale),
    traits: traitsOf(code),
    vocabulary: { ...VOCABULARY[code], outcome: matrixOutcome(code) },
    policy: { match: describeMatch(row.match), retry: row.retry, then: row.then },
  };
}

const PLACE = { surface: "cli", provider: "", tool: "", stage: "" } as const;

function explainText(explained: Fault, io: Io, { locale, color }: GlobalOptions): string {
  const paint = paintFor(io.stdout, io.env, color);
  const labels = CLI_WORDS[locale];
  const { code, evidence } = explained;
  const words = wordsFor(code, locale);
  const traits = traitsOf(code);
  const row = rowFor(PRESETS.default, explained, PLACE);
  const section = (title: string, lines: readonly string[]): string[] => [
    paint("bold", title),
    ...lines.map((line) => `  ${line}`),
    "",
  ];
  return [
    `${paint(["bold", traits.retryable ? "yellow" : "red"], code)}  ${words.title}  ${paint("dim", `${traits.class} · ${traits.retryable ? labels.retryable : labels.notRetryable}`)}`,
    ...(evidence.source === "raised" ? [] : [paint("dim", `${labels.rule} ${evidence.rule}`)]),
    "",
    ...section(labels.means, [words.user]),
    ...section(labels.does, [
      ...scheduleLines(row, locale),
      ...(traits.mayHaveHappened && row.retry !== null ? [labels.repeatUnsafe] : []),
    ]),
    ...section(labels.youCan, [words.next]),
    ...section(labels.operator, [withProgram(words.operator)]),
    ...section(labels.model, [words.model]),
    ...section(labels.alsoKnown, [otherNames(code)]),
  ].join("\n");
}

function otherNames(code: FaultCode): string {
  const { stud, llmKind, runCode, si, cli } = VOCABULARY[code];
  return [`${stud.class}/${stud.code}`, llmKind, runCode, matrixOutcome(code), si ?? "–", cli].join(" · ");
}
