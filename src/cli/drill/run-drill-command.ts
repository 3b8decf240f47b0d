// `faultline drill`: runs the drills, prints the scorecard, and fails if a fault was not handled.

import { agentEnv } from "../../chaos/agent-env.ts";
import type { Locale } from "../../core/index.ts";
import type { Cli } from "../cli.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import { type Io, UsageError } from "../io.ts";
import { commandLine, lineOf } from "../render/program-name.ts";
import { oneLine, safeJson, safeText } from "../render/safe-text.ts";
import { DRILL_WORDS, type DrillWords } from "../render/words/drill-words.ts";
import { onStopSignal } from "../stop-signals.ts";
import { type Drill, DRILLS, PROMPT } from "./drills.ts";
import { type Baseline, type DrilledAgent, type DrillResult, runDrills } from "./run-drills.ts";
import { dataCard, markdownCard, scoreOf, textCard } from "./scorecard.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

export interface DrillCommandOptions {
  readonly gateway?: true;
  readonly only?: readonly string[];
  readonly timeout: number;
  readonly markdown?: true;
}

export async function runDrillCommand(words: readonly string[], options: DrillCommandOptions, cli: Cli): Promise<void> {
  const said = DRILL_WORDS[cli.locale];
  const drills = chosen(options.only, said);
  const hasGateway = options.gateway === true;
  const command = lineOf(words);
  const stopper = new AbortController();
  const release = onStopSignal(() => stopper.abort(new Error(said.stopped)));
  const results: DrillResult[] = [];
  await cli.stderr.write(`${said.begins(command, drills.length, hasGateway)}\n`);
  const baseline = await runDrills({
    agentAt: (url) => agentAt(url, words, cli),
    drills,
    hasGateway,
    timeoutMs: options.timeout,
    clock: cli.clock,
    signal: stopper.signal,
    onResult: (result) => {
      results.push(result);
      return cli.stderr.write(`  ${result.drill.id}${PUNCTUATION[cli.locale].colon}${said.verdicts[result.verdict]}\n`);
    },
  });
  release();
  if (stopper.signal.aborted) throw new UsageError(said.stopped, "cancelled");
  if (!baseline.works) {
    const why = whyNot(baseline, options.timeout, cli.locale);
    // A program that reads the scorecard learns why there is none.
    if (cli.json) await cli.stdout.write(`${safeJson({ ...dataCard([], command, hasGateway), failed: why })}\n`);
    throw new UsageError(why, baseline.notStarted === null ? "failed" : "missing");
  }
  const { good, met } = scoreOf(results);
  if (good < met) cli.exit("failed");
  await cli.stdout.write(`${card(results, command, options, cli)}\n`);
  if (good === met || hasGateway || cli.json || options.markdown === true) return;
  const again = ["drill", "--gateway", ...(options.only ?? []).flatMap((id) => ["--only", id]), "--", ...words];
  await cli.stderr.write(`${said.behindGateway(commandLine(...again))}\n`);
}

function card(
  results: readonly DrillResult[],
  command: string,
  { gateway, markdown }: DrillCommandOptions,
  { json, locale, paint }: Cli,
): string {
  const words = DRILL_WORDS[locale];
  if (json) return safeJson(dataCard(results, command, gateway === true));
  if (markdown === true) return markdownCard(results, words);
  return textCard(results, words, paint);
}

function chosen(only: readonly string[] | undefined, words: DrillWords): readonly Drill[] {
  if (only === undefined) return DRILLS;
  const ids = DRILLS.map(({ id }) => id);
  const unknown = only.find((name) => !ids.includes(name));
  if (unknown !== undefined) throw new UsageError(words.unknown(oneLine(unknown, 60), ids.join(", ")));
  return DRILLS.filter(({ id }) => only.includes(id));
}

/** The user's own keys are replaced, so that no drill reaches a real provider by them. */
function agentAt(url: string, words: readonly string[], { env }: Io): DrilledAgent {
  const [command = "", ...args] = words.map((word) => word.replaceAll("{url}", url).replaceAll("{prompt}", PROMPT));
  return { command, args, cwd: process.cwd(), env: { ...env, ...agentEnv(url) } };
}

function whyNot({ notStarted, seen, stray, printed }: Baseline, timeoutMs: number, locale: Locale): string {
  const words = DRILL_WORDS[locale];
  if (notStarted !== null) return words.notStarted(messageIn(locale, notStarted));
  const lost = seen.requests.length === 0;
  return [
    lost
      ? words.sentNothing
      : seen.timedOut
        ? words.hung(seen.hasAnswer, timeoutMs / 1_000)
        : words.hasNoAnswer(PROMPT),
    ...(stray === null ? [] : [words.stray(stray)]),
    ...(printed.trim() === "" ? [] : [words.printed, safeText(printed.trim())]),
  ].join("\n");
}
