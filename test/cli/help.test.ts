// Every command: examples first and right, in both languages, and completed by shells.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { describe, expect, it } from "vitest";
import { candidatesFor } from "../../src/cli/completion/candidates.ts";
import { createProgram } from "../../src/cli/program.ts";
import { HelpfulCommand, pathOf } from "../../src/cli/render/help.ts";
import { hasHelpWords } from "../../src/cli/render/words/help-words.ts";
import { ROOT } from "../package/stranger.ts";
import { runCli } from "../support/run-cli.ts";

const io = { stdout: { write: () => Promise.resolve() }, stderr: { write: () => Promise.resolve() }, env: {} } as never;
const PROGRAM = createProgram([], "0.0.0", io);

function commandsUnder(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(commandsUnder)];
}

const ROWS = commandsUnder(PROGRAM).map((command) => [pathOf(command), command] as const);
const COMMAND_LINE_PAGE = readFileSync(join(ROOT, "docs", "CLI.md"), "utf8");
const OPERATORS = /[|<>;&]|"\$\(|\)"/;

/** The command and the options that an example uses. */
function usedIn(line: string): { readonly command: Command; readonly options: readonly string[] } {
  const [, rest = ""] = /(?:^|\s|\()faultline ?(.*)$/.exec(line) ?? [];
  const mine = rest.split(OPERATORS)[0] ?? "";
  const words = mine.split(/\s+/).filter(Boolean);
  let command: Command = PROGRAM;
  let isOver = false;
  const options: string[] = [];
  for (const word of words) {
    if (word === "--") break;
    if (word.startsWith("--")) {
      options.push(word.replace(/=.*/, ""));
      isOver = true;
      continue;
    }
    const inner = isOver ? undefined : command.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (inner === undefined) isOver = true;
    else command = inner;
  }
  return { command, options };
}

describe.each(ROWS)("%s", (path, command) => {
  it("shows its examples before anything else, and they use commands and options that exist", () => {
    if (!(command instanceof HelpfulCommand)) throw new Error(`${path} has no place for examples`);
    const { examples } = command;
    expect(examples.length, "examples").toBeGreaterThan(0);
    for (const line of examples.filter((one) => /\bfaultline\b/.test(one))) {
      const used = usedIn(line);
      const known = used.command.createHelp();
      const options = [...known.visibleOptions(used.command), ...known.visibleGlobalOptions(used.command)];
      const flags = [...options, ...PROGRAM.options].map(({ long }) => long);
      for (const option of used.options) expect(flags, `${line}: ${option}`).toContain(option);
    }
    const help = command.createHelp().formatHelp(command, command.createHelp());
    expect(help.indexOf("Examples:")).toBeGreaterThan(0);
    expect(help.indexOf("Examples:")).toBeLessThan(help.indexOf("Usage:"));
  });

  it("has its help in Chinese", () => {
    if (!(command instanceof HelpfulCommand)) throw new Error(`${path} has no help`);
    const texts = [
      ...[command.description(), command.summary(), command.notes],
      ...command.options.filter(({ hidden }) => !hidden).map(({ description }) => description),
      ...command.registeredArguments.map(({ description }) => description),
    ].filter((text) => text !== "");
    expect(texts.filter((text) => !hasHelpWords(text, "zh-CN"))).toEqual([]);
  });

  it("has a row in docs/CLI.md", () => {
    if (command.commands.length > 0) return;
    expect(COMMAND_LINE_PAGE).toMatch(new RegExp(`^\\| \`${path}[ \`]`, "m"));
  });

  it("is found by completion, with its options and their values", () => {
    const words = path.split(" ").slice(1);
    if (words.length > 0) expect(candidatesFor(PROGRAM, words).map(({ value }) => value)).toContain(words.at(-1));
    for (const { long, hidden, argChoices, required } of command.options) {
      if (long === undefined || hidden) continue;
      expect(candidatesFor(PROGRAM, [...words, long]).map(({ value }) => value)).toContain(long);
      if (required && argChoices !== undefined)
        expect(candidatesFor(PROGRAM, [...words, long, ""]).map(({ value }) => value)).toEqual(argChoices);
    }
  });
});

describe("a slip of the fingers", () => {
  it.each([
    [["runs", "lst"], "Did you mean list?"],
    [["runs", "list", "--statu", "failed"], "Did you mean --status?"],
    [["runs", "list", "--status", "faild"], "Did you mean failed?"],
    [["completion", "bsh"], "'bsh' is not a known shell. Choose one of bash, zsh, fish.\n(Did you mean bash?)"],
  ])("%j gets the word that was meant", async (args, hint) => {
    const { exit, stderr, stdout } = await runCli([...args, "--locale", "en"]);
    expect([exit, stdout]).toEqual(["usage", ""]);
    expect(stderr).toContain(hint);
    const chinese = await runCli([...args, "--locale", "zh-CN"]);
    expect(chinese.stderr).toMatch(/是否想用 .+？/);
  });

  it("gets no guess when nothing is near", async () => {
    for (const args of [
      ["runs", "list", "--status", "zzzzzz"],
      ["completion", "tcsh"],
    ]) {
      const { stderr } = await runCli([...args, "--locale", "en"]);
      expect(stderr).not.toContain("Did you mean");
      expect(stderr).toMatch(/Allowed choices are|Choose one of/);
    }
  });
});
