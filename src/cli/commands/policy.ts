// `faultline policy`: checks a file, shows the rows in force, simulates a fault, and replays past decisions.

import { type Command, Option } from "commander";
import { defined } from "../../core/defined.ts";
import {
  describeMatch,
  FAULT_CODES,
  type FaultCode,
  type Locale,
  type Policy,
  type PolicyRow,
  PRESET_NAMES,
  type PresetName,
  PRESETS,
  rowFor,
  schedule,
  SURFACES,
  type Surface,
} from "../../core/index.ts";
import { nearest } from "../../options/nearest.ts";
import { type Cli, cliOf } from "../cli.ts";
import { type CheckedFile, checkFile, readPolicyFile } from "../check-file.ts";
import { findCode } from "../fault-code.ts";
import { type Io, UsageError } from "../io.ts";
import { toCount, toMs } from "../options.ts";
import { commandLine } from "../render/program-name.ts";
import { describeWaits, scheduleLines } from "../render/schedule-lines.ts";
import { CLI_WORDS } from "../render/words/cli-words.ts";
import { POLICY_WORDS } from "../render/words/policy-words.ts";
import type { ReplayCommandOptions } from "../policy/replay-policy.ts";
import { withJournalOption } from "./workflow.ts";

/** Loaded on demand: its validator takes longer to load than everything else together. */
const policyFile = () => import("../../policy-file/index.ts");

interface PolicyOptions {
  readonly policy?: string;
  readonly preset?: PresetName;
}

interface PlaceOptions extends PolicyOptions {
  readonly surface: Surface;
  readonly provider?: string;
  readonly tool?: string;
  readonly stage?: string;
}

export function addPolicy(program: Command, io: Io): void {
  const policy = program
    .command("policy")
    .summary("check, show and try out policies")
    .description("Checks, shows and tries out policies.")
    .addHelpText(
      "after",
      `
Examples:
  $ faultline policy check my.policy.yaml --strict
  $ faultline policy show --preset eager
  $ faultline policy simulate RateLimited --policy my.policy.yaml
  $ faultline policy replay my.policy.yaml --since 7d
  $ faultline policy schema > policy.schema.json`,
    );
  policy
    .command("check")
    .description("Reports every mistake in a policy file, with its place and a hint.")
    .argument("<file>", "a YAML policy file")
    .option("--strict", "warnings count as errors")
    .action(async (file: string, options: { strict?: true }, command: Command) =>
      checkFile(file, parse, options.strict === true, cliOf(command, io)),
    );
  withPolicyOptions(
    policy.command("show").description("Shows the rows in force, first match first, and where each comes from."),
  ).action(async (options: PolicyOptions, command: Command) => show(options, cliOf(command, io)));
  withPolicyOptions(
    policy
      .command("simulate")
      .description("Shows what happens to a fault: each attempt with its wait, and what follows."),
  )
    .argument("<code>", "a fault code, e.g. RateLimited")
    .addOption(new Option("--surface <where>", "where it is seen").choices(SURFACES).default("http"))
    .option("--provider <name>", "the provider it comes from")
    .option("--tool <id>", "the tool it happens in")
    .option("--stage <name>", "the stage it happens in")
    .action(async (code: string, options: PlaceOptions, command: Command) =>
      simulate(code, options, cliOf(command, io)),
    );
  addReplay(policy, io);
  policy
    .command("schema")
    .description("Prints the JSON Schema of policy files, for editors.")
    .action(async () => io.stdout.write(`${JSON.stringify((await policyFile()).policyJsonSchema(), null, 2)}\n`));
}

const DESCRIBED_CHANGES = 10;

function addReplay(policy: Command, io: Io): void {
  withJournalOption(
    policy
      .command("replay")
      .summary("Shows which past decisions another policy would have changed.")
      .description(
        "Decides every past decision of a journal again under another policy, and shows which would have differed. Nothing is written.",
      ),
  )
    .argument("[file]", "a YAML policy file")
    .addOption(new Option("--preset <name>", "a built-in policy instead of a file").choices(PRESET_NAMES))
    .option("--since <time>", "only decisions of the last minutes, hours or days, e.g. 90m, 12h, 7d", toMs)
    .option("--run <id>", "only this run or session: its id, the beginning of a run's id, or `last`")
    .option("--limit <number>", "how many changed decisions to describe", toCount, DESCRIBED_CHANGES)
    .addHelpText(
      "after",
      `
Examples:
  $ faultline policy replay my.policy.yaml --since 7d
  $ faultline policy replay my.policy.yaml --run last
  $ faultline policy replay --preset eager --journal agent.db --json`,
    )
    .action(async (file: string | undefined, options: ReplayCommandOptions & PolicyOptions, command: Command) => {
      const cli = cliOf(command, io);
      const { preset } = options;
      if ((file === undefined) === (preset === undefined)) throw new UsageError(ONE_POLICY);
      const named = defined({ policy: file, preset });
      const loaded = await load(named, cli);
      const { replayPast } = await import("../policy/replay-policy.ts");
      await replayPast(loaded, options, cli);
    });
}

const ONE_POLICY: Readonly<Record<Locale, string>> = {
  "en": "Name one policy: a file, or a built-in one with --preset.",
  "zh-CN": "请指定一个策略：策略文件，或用 --preset 指定内置策略。",
};

function withPolicyOptions(command: Command): Command {
  return command
    .option("--policy <file>", "a YAML policy file")
    .addOption(new Option("--preset <name>", "a built-in policy").choices(PRESET_NAMES).conflicts("policy"));
}

async function parse(source: string, file: string, locale: Locale): Promise<CheckedFile> {
  const { parsePolicy } = await policyFile();
  const { policy, diagnostics } = parsePolicy(source, file, locale);
  return { usable: policy !== null, diagnostics };
}

async function load({ policy: file, preset }: PolicyOptions, cli: Cli): Promise<Policy> {
  return file === undefined ? PRESETS[preset ?? "default"] : readPolicyFile(file, cli);
}

async function show(options: PolicyOptions, cli: Cli): Promise<void> {
  const { json, paint, locale } = cli;
  const policy = await load(options, cli);
  if (json) return cli.stdout.write(`${JSON.stringify(policy)}\n`);
  const words = POLICY_WORDS[locale];
  const cells = policy.rows.map(
    (row) =>
      [
        describeMatch(row.match),
        row.retry === null ? words.once : describeWaits(row.retry, locale),
        row.then.join(" → "),
        originCell(row),
      ] as const,
  );
  const widths = [0, 1].map((column) => Math.min(84, Math.max(...cells.map((cell) => cell[column]?.length ?? 0))));
  await cli.stdout.write(`${paint("bold", words.policy(policy.name))}  ${words.firstMatch}\n\n`);
  for (const [match, retry, then, origin] of cells) {
    await cli.stdout.write(
      `${match.padEnd(widths[0] ?? 0)}  ${retry.padEnd(widths[1] ?? 0)}  ${then}  ${paint("dim", `(${origin})`)}\n`,
    );
  }
  await cli.stdout.write(`\n${words.breaker(policy.breaker)}\n${words.retryBudget(policy.retryBudget)}\n`);
}

function originCell({ origin }: PolicyRow): string {
  return origin.layer === "matrix" ? "matrix" : `${origin.layer} ${origin.at}`;
}

async function simulate(name: string, options: PlaceOptions, cli: Cli): Promise<void> {
  const { json, locale, paint } = cli;
  const code = codeNamed(name, locale);
  const policy = await load(options, cli);
  const place = {
    surface: options.surface,
    provider: options.provider ?? "",
    tool: options.tool ?? "",
    stage: options.stage ?? "",
  };
  const row = rowFor(policy, { code }, place);
  if (json) {
    const attempts = row.retry === null ? [] : schedule(row.retry);
    const last = attempts.filter(({ reachable }) => reachable).at(-1);
    const totalMaxMs = last?.totalMaxMs ?? 0;
    return cli.stdout.write(
      `${JSON.stringify({ code, policy: policy.name, row: { match: row.match, origin: row.origin }, waits: attempts, totalMaxMs, then: row.then })}\n`,
    );
  }
  const lines = scheduleLines(row, locale).map((line) => `  ${line}\n`);
  await cli.stdout.write(
    `${paint("bold", code)}  ${paint("dim", `${describeMatch(row.match)} (${originCell(row)})`)}\n${lines.join("")}`,
  );
}

function codeNamed(name: string, locale: Locale): FaultCode {
  const code = findCode(name);
  if (code !== undefined) return code;
  const list = commandLine("explain", "--list");
  throw new UsageError(CLI_WORDS[locale].noSuchCode(name, nearest(name, FAULT_CODES), list));
}
