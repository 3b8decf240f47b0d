// `faultline classify`: turns an error text, a status or an exit code into a fault.

import type { Command } from "commander";
import { InvalidArgumentError, Option } from "commander";
import {
  classify,
  type Evidence,
  type Fault,
  formatMs,
  type Locale,
  SHAPE_REDACTOR,
  SURFACES,
  type Surface,
  traitsOf,
  viewFor,
} from "../../core/index.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import { type Cli, cliOf } from "../cli.ts";
import type { Io } from "../io.ts";
import { faultJson } from "../fault-json.ts";
import { readInput } from "../read-input.ts";
import { CLI_WORDS, sentences } from "../render/words/cli-words.ts";

interface ClassifyOptions {
  readonly surface?: Surface;
  readonly provider?: string;
  readonly status?: number;
  readonly header?: readonly (readonly [string, string])[];
  readonly exitCode?: number;
  readonly signal?: string;
  readonly errno?: string;
}

export function addClassify(program: Command, io: Io): void {
  program
    .command("classify")
    .summary("name the fault behind an error text, a status or an exit code")
    .description("Names the fault behind an error text, an HTTP status or an exit code.")
    .argument("[text]", "the error text; `-` reads it from stdin (with --jsonl: a file of lines)")
    .addOption(new Option("--surface <where>", "where it was seen").choices(SURFACES))
    .option("--provider <name>", "the provider it came from, e.g. openai, claude-cli")
    .option("--status <number>", "the HTTP status", toStatus)
    .option("--header <name: value>", "a response header; can be repeated", toHeader)
    .option("--exit-code <number>", "the exit code of the process", toInteger)
    .option("--signal <name>", "the signal that ended it, e.g. SIGKILL")
    .option("--errno <code>", "an error code such as ECONNRESET")
    .addOption(
      new Option(
        "--jsonl",
        "read one object {id, surface, provider, input} per line and answer each with one line, in order",
      ).conflicts(["surface", "provider", "status", "exitCode", "signal", "errno"]),
    )
    .addHelpText(
      "after",
      `
Examples:
  $ faultline classify "stream disconnected before completion"
  $ faultline classify --status 429 --header "retry-after: 30" --provider openai
  $ claude -p "…" 2>&1 | faultline classify - --surface cli --exit-code 1
  $ faultline classify --jsonl < failures.jsonl`,
    )
    .action(async (text: string | undefined, options: ClassifyOptions & { jsonl?: true }, command: Command) => {
      const cli = cliOf(command, io);
      if (options.jsonl === true) {
        // Loaded on demand: its validator takes longer to load than everything else together.
        const { classifyLines } = await import("./classify-lines.ts");
        return classifyLines(text, io);
      }
      const message = await readInput(text, io, hasSignal(options));
      const fault = classify(evidenceOf(message, options, cli));
      await cli.stdout.write(cli.json ? `${JSON.stringify(faultJson(fault))}\n` : describeFault(fault, cli));
    });
}

/** Whether there is something to classify even without text. */
function hasSignal({ status, exitCode, signal, errno, header }: ClassifyOptions): boolean {
  return [status, exitCode, signal, errno, header].some((value) => value !== undefined);
}

function evidenceOf(message: string, options: ClassifyOptions, cli: Cli): Evidence {
  return {
    surface: options.surface ?? (options.status === undefined ? "cli" : "http"),
    provider: options.provider,
    status: options.status,
    headers: options.header,
    message: message === "" ? undefined : message,
    code: options.errno,
    exitCode: options.exitCode,
    signal: options.signal,
    observedAt: cli.clock.now(),
  };
}

function describeFault(fault: Fault, cli: Cli): string {
  const { locale, paint } = cli;
  const words = CLI_WORDS[locale];
  const view = viewFor("operator", fault, { correlationId: "", locale, redactor: SHAPE_REDACTOR });
  const { retryable } = traitsOf(fault.code);
  const facts: [string, string][] = [
    [words.rule, `${view.rule} (${view.source})`],
    ...(view.nearly.length === 0 ? [] : [[words.nearly, view.nearly.join(", ")] as [string, string]]),
    ...timingFacts(fault, locale),
    ...(view.excerpt === "" ? [] : [[words.read, shorten(view.excerpt)] as [string, string]]),
  ];
  const width = Math.max(...facts.map(([label]) => columnsOf(label)));
  return [
    `${paint(["bold", retryable ? "yellow" : "red"], fault.code)}  ${paint("dim", fault.class)}  ${retryable ? words.retryable : words.notRetryable}`,
    `  ${sentences(locale, view.message, view.next)}`,
    ...facts.map(([label, value]) => `  ${paint("dim", label + " ".repeat(width - columnsOf(label)))}  ${value}`),
    "",
  ].join("\n");
}

function timingFacts(fault: Fault, locale: Locale): [string, string][] {
  const words = CLI_WORDS[locale];
  const facts: [string, string][] = [];
  if (fault.retryAfterMs !== undefined) facts.push([words.wait, formatMs(fault.retryAfterMs, locale)]);
  if (fault.resetAt !== undefined) facts.push([words.resets, new Date(fault.resetAt).toISOString()]);
  return facts;
}

const MAX_SHOWN_CHARS = 200;

function shorten(text: string): string {
  return text.length <= MAX_SHOWN_CHARS ? text : `${text.slice(0, MAX_SHOWN_CHARS)}…`;
}

function toInteger(value: string): number {
  if (!/^-?\d{1,10}$/.test(value)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(value);
}

function toStatus(value: string): number {
  const status = toInteger(value);
  if (status < 100 || status > 599) throw new InvalidArgumentError("It must be a status from 100 to 599.");
  return status;
}

function toHeader(
  value: string,
  before: readonly (readonly [string, string])[] = [],
): readonly (readonly [string, string])[] {
  const at = value.indexOf(":");
  if (at < 1) throw new InvalidArgumentError('Write it as "name: value".');
  return [...before, [value.slice(0, at).trim().toLowerCase(), value.slice(at + 1).trim()]];
}
