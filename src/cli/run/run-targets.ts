// Turns the commands of a run into targets of a chain: how to read their output, whether they report tools, and their timeouts.

import { AGENT_KINDS, type AgentKind } from "../../agent/parse/agent-state.ts";
import { cli, type CliTarget } from "../../index.ts";
import { UsageError } from "../io.ts";
import type { RunCommandOptions } from "./run-options.ts";

const NO_COMMAND = {
  "en": "An empty command cannot be run: name a program.",
  "zh-CN": "不能运行空命令：请写出一个程序。",
};

export function targetsOf(
  words: readonly string[],
  options: RunCommandOptions,
  stdin: string | null,
): readonly [CliTarget, ...CliTarget[]] {
  const others = (options.fallback ?? []).map(splitCommand);
  const ids = new Set<string>();
  const target = (command: readonly string[], as: AgentKind | undefined): CliTarget => {
    const [name = "", ...args] = command;
    if (name === "") throw new UsageError(NO_COMMAND);
    const kind = as ?? kindOf(name);
    const id = unusedId(baseOf(name), ids);
    ids.add(id);
    return cli(kind, {
      id,
      command: name,
      args: () => args,
      // Always set, so that a long command line is not mistaken for a prompt to pass on stdin.
      stdin: stdin ?? "",
      timeouts: timeoutsOf(kind, options),
      idempotent: options.idempotent === true,
      hidesTools: !showsTools(kind, args),
      exitCodeDecides: kind === "generic",
      forgetsOutput: true,
    });
  };
  return [target(words, options.as), ...others.map((command) => target(command, undefined))];
}

/** Decides by the program's name: `/usr/local/bin/claude` and `claude.cmd` are both claude. */
export function kindOf(command: string): AgentKind {
  const name = baseOf(command);
  return AGENT_KINDS.find((kind) => kind === name) ?? "generic";
}

function baseOf(command: string): string {
  const base = command.slice(Math.max(command.lastIndexOf("/"), command.lastIndexOf("\\")) + 1);
  return base.replace(/\.(?:exe|cmd|bat)$/i, "") || command;
}

/** Target ids must differ, even if both targets are the same program. */
function unusedId(base: string, used: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`;
    if (!used.has(id)) return id;
  }
}

/** The argument that makes each CLI report every tool it uses; null: there is none. */
const EVENTS_WANTED: Readonly<Record<AgentKind, string | null>> = {
  claude: "stream-json",
  codex: "--json",
  gemini: "stream-json",
  opencode: "json",
  qwen: "stream-json",
  goose: "stream-json",
  generic: null,
};

function showsTools(kind: AgentKind, args: readonly string[]): boolean {
  const wanted = EVENTS_WANTED[kind];
  return wanted !== null && args.some((arg) => arg === wanted || arg.endsWith(`=${wanted}`));
}

/** An agent that runs for more than an hour hangs. Other commands have no default limit. */
export const AGENT_TOTAL_MS = 3_600_000;

/** Agents in text mode and many commands print nothing until they finish, so there is no idle limit unless the user sets one. */
function timeoutsOf(kind: AgentKind, { timeout, idle = Infinity }: RunCommandOptions): CliTarget["timeouts"] {
  return {
    startupMs: idle,
    idleMs: idle,
    totalMs: timeout ?? (kind === "generic" ? Infinity : AGENT_TOTAL_MS),
    killAfterMs: 1_500,
    drainMs: 1_000,
  };
}

/** A part of a word: quoted text, an escaped character, plain characters, or the space between words. */
const PART = /'([^']*)'|"((?:[^"\\]|\\[^])*)"|\\([^])|([^\s'"\\]+)|(\s+)/y;

/** Splits a command at spaces. Quotes keep words together; nothing is expanded. */
export function splitCommand(text: string): readonly string[] {
  const words: string[] = [];
  let word: string | null = null;
  let at = 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const part = PART.exec(text);
    if (part === null) {
      throw new UsageError({
        "en": `--fallback: a quote or a \\ at character ${at + 1} has no end: ${JSON.stringify(text)}.`,
        "zh-CN": `--fallback：第 ${at + 1} 个字符处的引号或 \\ 没有结束：${JSON.stringify(text)}。`,
      });
    }
    at = PART.lastIndex;
    const [, single, double, escaped, plain, space] = part;
    if (space === undefined) {
      // Inside double quotes a backslash escapes only a quote or a backslash.
      word = (word ?? "") + (single ?? double?.replace(/\\(["\\])/g, "$1") ?? escaped ?? plain ?? "");
    } else if (word !== null) {
      words.push(word);
      word = null;
    }
  }
  if (word !== null) words.push(word);
  return words;
}
