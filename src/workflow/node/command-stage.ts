// A node that runs commands one after the other until one fails. It checks all of them before it runs the first. Each is a protected
// call, so a finished command is not run again after a crash.

import { traitsOf } from "../../core/fault/catalogue.ts";
import { childEnv } from "../../agent/process/child-env.ts";
import { killMarked, markedEnv } from "../../agent/process/process-mark.ts";
import { resolve } from "node:path";
import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, FaultError, isFaultError, withContext } from "../../core/fault/fault.ts";
import { hasValue, type Outcome } from "../../runtime/call/outcome.ts";
import { type Tool, tool } from "../../runtime/tool/tool.ts";
import type { ActReturn, ActTools, Stage, StageScope } from "../../workflow-model/stage.ts";
import { StageFailure } from "../advance/attempt.ts";
import { type Allowed, isAllowed, notAllowed, readAllowList } from "./allow-list.ts";
import { actionHas } from "../../core/flow/action.ts";
import { grantedIn } from "../operator/instructions.ts";
import { initUnlessSkipped, type NodeDeps, stageBase } from "./base.ts";
import { type CommandWords, lineOf, shownLine, splitLine, splitTemplate } from "../../workflow-model/command-line.ts";
import { expressionScope } from "./expression-scope.ts";
import type { NodeOptions } from "../../workflow-model/node-options.ts";
import { callTimeoutMs, type CommandEnd, runCommand, saidEvidence } from "./run-command.ts";
import { digestOf } from "../../runtime/session/session-core.ts";

type CommandOptions = Extract<NodeOptions, { readonly kind: "command" }>;

export interface CommandResult {
  readonly command: string;
  /** null when a signal ended it, or it timed out. */
  readonly exitCode: number | null;
  /** The end of its output. */
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface CommandOutput {
  /** The results of the commands that ran, including the failed one. */
  readonly results: readonly CommandResult[];
  readonly failed: Omit<CommandResult, "durationMs"> | null;
}

/** How much of a stream later nodes see; the file of a failed stage holds more. */
const TAIL_BYTES = 8 * 1024;
const RAW_BYTES = 64 * 1024;
/** Limits a list that a model wrote. */
const MAX_COMMANDS = 100;

export function commandStage(options: CommandOptions, deps: NodeDeps): Stage {
  const base = stageBase(options, deps);
  const allowed = readAllowList(options.allow);
  return {
    ...base,
    kind: "command",
    refusal: async (scope) => {
      if (typedBy(scope) === null) return null;
      try {
        await allowedWords(options, deps, scope, allowed);
        return null;
      } catch (error) {
        return classify({ surface: "node", error });
      }
    },
    init: initUnlessSkipped(options, deps, async (scope) => {
      try {
        return JSON.stringify(await allowedWords(options, deps, scope, allowed));
      } catch (error) {
        if (!isFaultError(error) || !hasNotRun(error.fault)) throw error;
        throw failing(options, scope, error.fault, [], commandIn(error.fault), null);
      }
    }),
    act: (request, tools, scope) => runAll(options, deps, JSON.parse(request) as readonly CommandWords[], tools, scope),
    next: (ending, scope) => (ending.fault?.context["repeated"] === true ? null : base.next(ending, scope)),
  };
}

/** Throws when one of them is not allowed, whether the file, a model or an operator wrote it. */
async function allowedWords(
  options: CommandOptions,
  deps: NodeDeps,
  scope: StageScope,
  allowed: readonly Allowed[],
): Promise<readonly CommandWords[]> {
  const commands = await wordsOf(options, deps, scope);
  const list = [...allowed, ...readAllowList({ commands: grantedBy(scope) })];
  const refused = commands.find((words) => !isAllowed(words, list));
  if (refused !== undefined) throw notAllowed(options.id, refused, typedBy(scope) !== null);
  return commands;
}

async function wordsOf(
  { id, run }: CommandOptions,
  { sandbox }: NodeDeps,
  scope: StageScope,
): Promise<readonly CommandWords[]> {
  const seen = expressionScope(scope);
  const typed = typedBy(scope);
  if (typed !== null) return typed.map(splitLine);
  if ("lines" in run) return run.lines.map((line) => splitTemplate(line, seen));
  const given = await sandbox.evaluate(run.from, seen, `run.from of node ${id}`);
  const list: readonly unknown[] = Array.isArray(given) ? given : [given];
  if (list.length === 0) throw badList(id, "it gave an empty list, so nothing would be tested");
  if (list.length > MAX_COMMANDS) throw badList(id, `it gave ${list.length} commands; the limit is ${MAX_COMMANDS}`);
  return list.map((line) => readCommand(id, line));
}

function readCommand(node: string, given: unknown): CommandWords {
  if (typeof given === "string") return splitLine(given);
  const isWords = Array.isArray(given) && given.length > 0 && given.every((word) => typeof word === "string");
  if (!isWords) throw badList(node, "one of them is neither a text nor a list of words");
  return given;
}

function badList(node: string, why: string): FaultError {
  const message = `node ${node} got no usable commands from run.from: ${why}. Give a list of command lines, or skip the node with only_if.`;
  return new FaultError(fault("InputInvalid", { message, context: { stage: node, field: "run.from", ran: false } }));
}

function grantedBy({ instruction }: StageScope): readonly string[] {
  return instruction === null ? [] : grantedIn(instruction, "commands");
}

/** The commands an operator typed in place of the node's own, one per line; null when there are none. */
function typedBy({ instruction }: StageScope): readonly string[] | null {
  const isReplaced = actionHas(instruction?.action, "replaces-text");
  const text = isReplaced ? instruction?.params["text"] : undefined;
  if (typeof text !== "string") return null;
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "");
}

async function runAll(
  options: CommandOptions,
  deps: NodeDeps,
  commands: readonly CommandWords[],
  tools: ActTools,
  scope: StageScope,
): Promise<ActReturn> {
  const results: CommandResult[] = [];
  for (const [index, words] of commands.entries()) {
    const command = lineOf(words);
    const live: { raw: CommandEnd | null } = { raw: null };
    const called = lineTool(options, deps, scope.run, (end) => (live.raw = end));
    const outcome = await tools.turn.protect(called, words, { id: `command-${index + 1}` });
    const end = hasValue(outcome) ? outcome.value : null;
    tools.raw(rawText(command, live.raw ?? end));
    const failure = failureOf(options, command, outcome);
    if (end !== null) results.push(resultOf(command, end));
    if (failure === null) continue;
    throw failing(options, scope, failure, results, command, end);
  }
  const output: CommandOutput = { results, failed: null };
  return { output };
}

/** Reports why a command could not run in place of its output: the next node may be able to fix it. */
function failing(
  { stopWhenRepeated }: CommandOptions,
  scope: StageScope,
  failure: Fault,
  results: readonly CommandResult[],
  command: string,
  end: CommandEnd | null,
): StageFailure {
  const stderr = hasNotRun(failure) ? failure.message : (end?.stderr ?? "");
  const failed = { command, exitCode: end?.exitCode ?? null, stdout: end?.stdout ?? "", stderr };
  const output: CommandOutput = { results, failed };
  const isRepeated = stopWhenRepeated && failedBefore(scope, command);
  return new StageFailure(isRepeated ? withContext(failure, { repeated: true }) : failure, output);
}

function hasNotRun({ context }: Fault): boolean {
  return context["ran"] === false;
}

/** Empty when there was no output. */
function commandIn({ context }: Fault): string {
  const { command = "" } = context;
  return String(command);
}

/** Commands count as idempotent; the node says how often a hanging command is retried. */
function lineTool(
  { id, cwd, commandTimeoutMs, env, failsAs, rules }: CommandOptions,
  deps: NodeDeps,
  run: string,
  seen: (end: CommandEnd) => void,
): Tool<CommandWords, CommandEnd> {
  const folder = resolve(deps.cwd, cwd);
  const made = tool<CommandWords, CommandEnd>({
    id: `command:${id}`,
    idempotent: !traitsOf(failsAs).mayHaveHappened || rules.idempotent,
    timeoutMs: callTimeoutMs(commandTimeoutMs),
    retry: "none",
    run: async ([command = "", ...args], { signal, partial, call, attempt }) => {
      const mark = commandMark(run, call, folder);
      // A process that was killed may have left the first attempt running.
      if (attempt > 1) killMarked(mark);
      const end = await runCommand(
        {
          command,
          args,
          cwd: folder,
          env: markedEnv(childEnv(deps.env, env), mark),
          stdin: null,
          timeoutMs: commandTimeoutMs,
          clock: deps.clock,
          signal,
          keepBytes: RAW_BYTES,
        },
        (ended) => {
          seen(ended);
          partial(shortened(ended));
        },
      );
      return shortened(end);
    },
  });
  // The stage decides about a command that failed, so its call succeeds: a finished command is not run again after a crash.
  return { ...made, tellsFailure: (end) => (end as CommandEnd).exitCode !== 0 };
}

function shortened(end: CommandEnd): CommandEnd {
  return { ...end, stdout: tailOf(end.stdout), stderr: tailOf(end.stderr) };
}

/** Starts at a whole character. */
function tailOf(text: string): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= TAIL_BYTES) return text;
  let start = bytes.length - TAIL_BYTES;
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString();
}

function resultOf(command: string, { exitCode, stdout, stderr, durationMs }: CommandEnd): CommandResult {
  return { command, exitCode, stdout, stderr, durationMs };
}

/** null when the command succeeded. */
function failureOf({ failsAs }: CommandOptions, command: string, outcome: Outcome<CommandEnd>): Fault | null {
  const shown = shownLine(command);
  if (outcome.status !== "done") return withContext(outcome.fault, { command: shown });
  const { exitCode, signal, stdout, stderr } = outcome.value;
  if (exitCode === 0) return null;
  const how = exitCode === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  return fault(failsAs, {
    message: `${shown} ${how}`,
    context: { command: shown, ran: true, ...(exitCode === null ? { signal: signal ?? "" } : { exitCode }) },
    evidence: saidEvidence("command/exit", stderr === "" ? stdout : stderr),
  });
}

/** In the previous visit. */
function failedBefore({ nodes, node }: StageScope, command: string): boolean {
  const before = Object.hasOwn(nodes, node) ? nodes[node] : undefined;
  if (before?.status !== "failed") return false;
  const output = before.output as Partial<CommandOutput> | null | undefined;
  return output?.failed?.command === command;
}

function rawText(command: string, end: CommandEnd | null): string {
  if (end === null) return `$ ${command}\n`;
  const { exitCode, signal, stdout, stderr } = end;
  const how = exitCode === null ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
  return `$ ${command}\n${stdout}\n--- stderr\n${stderr}\n--- ${how}\n`;
}

// Marks a command so that a later process finds it if its own process was killed. `killMarked` ends the leftover command before the
// call runs again, because two at a time would interfere with each other.

/** The same for every attempt of a call, and unique to the call. It includes the folder, because two journals may use the same run id. */
export function commandMark(run: string, call: string, folder: string): string {
  return digestOf({ run, call, folder });
}
