// Runs the command, in memory or in a journal's session, then prints how it ended.

import { createFaultline, type Faultline, type FaultlineOptions } from "../../index.ts";
import type { Session } from "../../runtime/session/session.ts";
import { isOpen } from "../../runtime/call/outcome.ts";
import { secretsIn } from "../../workflow/define.ts";
import type { Cli } from "../cli.ts";
import { messageIn } from "../fault-sentences/sentence.ts";
import { UsageError } from "../io.ts";
import { withNewJournal } from "../journal/with-journal.ts";
import { readInput } from "../read-input.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { causesLine, exitOf, jsonOf, lastLine, ownExitCode, type RunCommandEnding } from "./run-ending.ts";
import { lineOf } from "../render/program-name.ts";
import type { RunCommandOptions } from "./run-options.ts";
import { RunStory } from "./run-story.ts";
import { targetsOf } from "./run-targets.ts";
import { RUN_WORDS } from "../render/words/run-words.ts";
import { onStopSignal } from "../stop-signals.ts";
import {
  FAULT_CODES,
  type Policy,
  type PolicyRow,
  PRESETS,
  type Retry,
  rowFor,
  type Surface,
  toolRetry,
  traitsOf,
  withRows,
} from "../../core/index.ts";
import { readPolicyFile } from "../check-file.ts";

interface Run {
  readonly words: readonly string[];
  readonly options: RunCommandOptions;
  readonly cli: Cli;
  readonly targets: ReturnType<typeof targetsOf>;
}

export async function runCommand(words: readonly string[], options: RunCommandOptions, cli: Cli): Promise<void> {
  const { journal: file, session: id } = options;
  const { locale } = cli;
  if (file === undefined && id !== undefined) throw new UsageError(RUN_WORDS[locale].sessionNeedsJournal);
  const stdin = options.stdin === true ? await readInput("-", cli, true) : null;
  const targets = targetsOf(words, options, stdin);
  const policy = await policyOf(options, targets[0].kind !== "generic", cli);
  const settings: FaultlineOptions = { policy, locale, clock: cli.clock, secrets: secretsIn(cli.env) };
  const run: Run = { words, options, cli, targets };
  const ending =
    file === undefined
      ? await perform(createFaultline(settings), null, run)
      : await withNewJournal(file, cli, async (journal) => {
          const fl = createFaultline({ ...settings, journal });
          const session = await fl.session(id, { mode: "headless", labels: { command: lineOf(words) } });
          const ended = await perform(fl, session, run);
          await endSession(session, ended);
          await fl.close();
          return ended;
        });
  await tell(ending, cli);
}

async function perform(fl: Faultline, session: Session | null, run: Run): Promise<RunCommandEnding> {
  const { words, options, cli, targets } = run;
  const text = RUN_WORDS[cli.locale];
  const mayRepeat = targets.length > 1 || targets.some(({ idempotent, hidesTools }) => idempotent || !hidesTools);
  const story = new RunStory(cli, mayRepeat);
  if (options.retry !== undefined && !mayRepeat) story.say(text.retryHasNoEffect(lineOf([words[0] ?? ""])));
  if (session !== null) story.say(text.session(session.id, oneLine(options.journal ?? "")));
  const own = session?.id ?? "";
  const unsubscribe = fl.subscribe((entry) => {
    if (entry.session === own) story.onEntry(entry);
  });
  const stopper = new AbortController();
  const release = onStopSignal(() => stopper.abort(new Error(text.stopped)));
  const startedAt = cli.clock.now();
  try {
    const agent = fl.agent(targets, session === null ? {} : { within: session });
    const outcome = await agent.run(lineOf(words), {
      signal: stopper.signal,
      onEvent: (event) => story.onEvent(event),
      onBytes: (stream, chunk) => story.onBytes(stream, chunk),
      onExit: (exit) => story.onExit(exit),
      onResult: (result) => story.onResult(result),
    });
    const durationMs = cli.clock.now() - startedAt;
    const { exit, lastFailure } = story;
    const winner = outcome.status === "done" ? targets.find(({ id }) => id === outcome.from) : undefined;
    // A plain command's answer is its output; an agent's answer is what the parser found in it.
    const printed = story.printed.take();
    const answer = winner?.kind === "generic" ? printed.text : story.answer;
    return {
      words,
      options,
      outcome,
      answer,
      answerProblems: cli.json && outcome.status === "done" ? printed.problems : [],
      lost: story.lost,
      isMidLine: story.isMidLine,
      hasReaderLeft: story.hasReaderLeft,
      exit,
      lastFailure,
      sessionId: session?.id ?? null,
      durationMs,
      locale: cli.locale,
    };
  } finally {
    release();
    unsubscribe();
    await story.end();
  }
}

/** A waiting session stays open, so that it can be continued. */
async function endSession(session: Session, { outcome }: RunCommandEnding): Promise<void> {
  if (isOpen(outcome)) return;
  if (outcome.status === "cancelled") await session.cancel(outcome.fault.message);
  else await session.end(outcome.status === "done" ? "done" : "failed");
}

async function tell(ending: RunCommandEnding, cli: Cli): Promise<void> {
  const { lost } = ending;
  const words = RUN_WORDS[cli.locale];
  const lines: (string | null)[] = [];
  if (lost !== null) {
    cli.exit("failed");
    lines.push(words.outputLost(oneLine(messageIn(cli.locale, lost.message))));
  } else if (ending.answerProblems.includes("truncated")) {
    cli.exit("partial");
    lines.push(words.answerCut);
  }
  const { hasReaderLeft, exit } = ending;
  const isOwnEnd = ending.options.passthrough === true || (hasReaderLeft && exit.signal === "SIGPIPE");
  const own = lost === null && isOwnEnd ? ownExitCode(ending) : null;
  // `--passthrough` ends with the command's own number, which may be any.
  if (own === null) cli.exit(exitOf(ending));
  else process.exitCode = own;
  if (cli.json) await cli.stdout.write(`${safeJson(jsonOf(ending))}\n`);
  // The next command to type comes last, where people see it.
  if (!hasReaderLeft) lines.push(causesLine(ending), lastLine(ending));
  const shown = lines.filter((line) => line !== null).map((line) => `faultline: ${line}\n`);
  if (shown.length > 0) await cli.stderr.write(`${ending.isMidLine ? "\n" : ""}${shown.join("")}`);
}

// The policy of a run: a preset or a file, preceded by the rows that `--retry` adds.

/** `isAgent`: the policy may ask a person. For a plain command, answering a question is no easier than running it again. */
async function policyOf(options: RunCommandOptions, isAgent: boolean, cli: Cli): Promise<Policy> {
  if (options.policy !== undefined) return withRetry(await readPolicyFile(options.policy, cli), options);
  const preset = PRESETS[options.preset ?? (isAgent ? "default" : "headless")];
  // A person who types a command wants it to run, however often it failed before, so the breaker never opens.
  return withRetry({ ...preset, breaker: { ...preset.breaker, failures: Infinity } }, options);
}

/** A person who asks for many attempts wants all of them, not only those that fit into a few seconds. */
const PATIENCE_MS = 3_600_000;

const ORIGIN = { layer: "file", at: "--retry" } as const;

/** Sets the number of attempts for all rows that retry, and keeps the policy's delays. */
function withRetry(policy: Policy, { retry: maxAttempts, idempotent }: RunCommandOptions): Policy {
  if (maxAttempts === undefined) return policy;
  const again = (retry: Retry): Retry => ({
    ...retry,
    maxAttempts,
    maxTotalWaitMs: Math.max(retry.maxTotalWaitMs, PATIENCE_MS),
  });
  // Rows that do not retry keep their place: the first match wins.
  const rows = policy.rows
    .filter(({ match }) => match.surface?.includes("cli") ?? true)
    .map(({ match, retry, then, origin }) => ({
      match: { ...match, surface: ON_CLI },
      retry: retry === null ? null : again(retry),
      then,
      origin: retry === null ? { layer: "file" as const, at: origin.at } : ORIGIN,
    }));
  const more = idempotent === true ? unexplainedRows(policy, again(UNEXPLAINED_RETRY)) : [];
  // Learned outcomes must not override the number of attempts a person asked for.
  return { ...withRows(policy, [...more, ...rows]), learnsAfter: 0 };
}

/** A command that failed for an unknown reason is retried only if repeating it does no harm. */
function unexplainedRows(policy: Policy, retry: Retry): readonly PolicyRow[] {
  const place = { surface: "cli", provider: "", tool: "", stage: "" } as const;
  return FAULT_CODES.filter((code) => UNEXPLAINED.has(traitsOf(code).cause)).flatMap((code) => {
    const row = rowFor(policy, { code }, place);
    return row.retry === null ? [{ ...row, match: { code: [code], surface: ON_CLI }, retry, origin: ORIGIN }] : [];
  });
}

const ON_CLI: readonly Surface[] = ["cli"];
const UNEXPLAINED: ReadonlySet<string> = new Set(["crashed", "unknown"]);
const UNEXPLAINED_RETRY = toolRetry({ strategy: "fixed_delay", initial_delay_ms: 1_000, jitter_percent: 20 });
