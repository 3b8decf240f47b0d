// `faultline doctor` for a person and a script: real processes with fake CLIs on the PATH, and a temporary home.

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cliWith } from "../../src/cli/cli.ts";
import { fileAccess } from "../../src/cli/file-access.ts";
import type { Io } from "../../src/cli/io.ts";
import { NO_STDIN } from "../../src/cli/read-input.ts";
import { runDoctor } from "../../src/cli/doctor/run-doctor.ts";
import { systemClock } from "../../src/host/clock.ts";
import { openJournal } from "../../src/journal/open-journal.ts";
import { createFakeMachine, type FakeMachine, NOTHING_SET } from "../agent/doctor/fake-clis.ts";
import { jsonOf, type Run, runCli } from "../support/run-cli.ts";

let machine: FakeMachine;
beforeEach(() => void (machine = createFakeMachine()));
afterEach(() => machine.remove());

function doctor(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return runCli(["doctor", ...args], { env: { ...NOTHING_SET, ...machine.env, ...env } });
}

function lastLine({ stdout }: Run): string {
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}

describe("without a name", () => {
  it("every CLI and this machine have their own line, and missing CLIs are not errors", async () => {
    machine.addCli("claude", 'echo "2.1.325 (Claude Code)"');
    machine.addCli("gemini", "echo 'Error: no room' >&2; exit 3");
    machine.addFile(".gemini/oauth_creds.json");
    const run = await doctor([], { ANTHROPIC_API_KEY: "SECRET-OF-A-VARIABLE" });
    expect(run).toMatchObject({ stderr: "", exit: "ok" });
    expect(run.stdout.split("\n")).toEqual([
      "claude: 2.1.325; logged in: yes (ANTHROPIC_API_KEY)",
      "codex: not found; logged in: no",
      "gemini: does not run (exit code 3: Error: no room); logged in: unknown",
      "opencode: not found; logged in: yes (ANTHROPIC_API_KEY)",
      "qwen: not found; logged in: no",
      "goose: not found; logged in: no",
      `Node: ${process.versions.node}; ok`,
      `SQLite: ${process.versions["sqlite"] ?? ""}; ok`,
      expect.stringMatching(
        /^Next: Gemini CLI is installed, but `gemini --version` does not work.*npm install -g @google/,
      ),
      "",
    ]);
  });

  it("an empty machine gets a hint what to install", async () => {
    const run = await doctor([]);
    expect(run).toMatchObject({ stderr: "", exit: "ok" });
    expect(lastLine(run)).toBe("Next: install Claude Code: npm install -g @anthropic-ai/claude-code");
  });

  it("all is well when one CLI is ready and logged in", async () => {
    machine.addCli("codex", "echo codex-cli 0.155.0");
    machine.addFile(".codex/auth.json");
    const run = await doctor([]);
    expect(run.stdout).toContain("codex: 0.155.0; logged in: yes (file)\n");
    expect(lastLine(run)).toBe("All well.");
  });
});

describe("with a name", () => {
  it("only the named CLIs are shown, once each", async () => {
    machine.addCli("qwen", "echo 0.24.4");
    const run = await doctor(["qwen", "QWEN"], { OPENAI_API_KEY: "sk-example" });
    expect(run).toMatchObject({ stderr: "", exit: "ok" });
    expect(run.stdout).toMatch(
      /^qwen: 0\.24\.4; logged in: yes \(OPENAI_API_KEY\)\nNode: .*\nSQLite: .*\nAll well\.\n$/,
    );
  });

  it.each([
    ["missing", "", "Next: install Codex: npm install -g @openai/codex"],
    ["not logged in", "echo 0.155.0", "Next: log in to Codex: run `codex login`"],
    ["broken", "exit 1", "Next: Codex is installed, but `codex --version`"],
    ["talking nonsense", "echo hello", "Next: Codex is installed, but `codex --version`"],
  ])("a CLI that is %s is a failure with a remedy", async (_what, script, next) => {
    machine.addCli("claude", "echo 2.1.325");
    if (script !== "") machine.addCli("codex", script);
    const run = await doctor(["claude", "codex"], { CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-example" });
    expect(run).toMatchObject({ stderr: "", exit: "failed" });
    expect(lastLine(run)).toContain(next);
  });

  it("a hanging CLI is reported when its time is over", async () => {
    machine.addCli("goose", "while :; do :; done");
    const run = await doctor(["goose", "--timeout", "0.2"]);
    expect(run).toMatchObject({ stderr: "", exit: "failed" });
    expect(run.stdout).toMatch(/^goose: hangs; logged in: no\n/);
  });

  it("an unknown login state is not an error, and comes with a way to find out", async () => {
    machine.addCli("claude", "echo 2.1.325");
    machine.addFile(".claude.json");
    const run = await doctor(["claude"]);
    expect(run).toMatchObject({ exit: "ok" });
    expect(run.stdout).toContain("logged in: unknown\n");
    expect(lastLine(run)).toMatch(/^Next: only Claude Code can tell .* run `claude` once/);
  });

  it("an unknown CLI gets a hint", async () => {
    const { stdout, stderr, exit } = await doctor(["claud"]);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toContain("Did you mean `claude`?");
  });

  it.each(["0", "-1", "soon"])("a time limit of %s is refused", async (seconds) => {
    expect(await doctor(["claude", `--timeout=${seconds}`])).toMatchObject({ stdout: "", exit: "usage" });
  });
});

describe("a script", () => {
  it("gets one JSON document without secrets", async () => {
    machine.addCli("codex", "echo codex-cli 0.155.0");
    machine.addFile(".codex/auth.json");
    const run = await doctor(["codex", "gemini", "--json"], { GEMINI_API_KEY: "SECRET-OF-A-VARIABLE" });
    expect(run).toMatchObject({ stderr: "", exit: "failed" });
    expect(run.stdout).not.toContain("SECRET");
    expect(jsonOf(run)).toEqual({
      ok: false,
      clis: [
        {
          cli: "codex",
          name: "Codex",
          status: "ready",
          version: "0.155.0",
          detail: null,
          login: "yes",
          evidence: ["file"],
          usable: true,
        },
        {
          cli: "gemini",
          name: "Gemini CLI",
          status: "missing",
          version: null,
          detail: null,
          login: "yes",
          evidence: ["GEMINI_API_KEY"],
          usable: false,
        },
      ],
      machine: [
        { check: "node", value: process.versions.node, ok: true, detail: null },
        { check: "sqlite", value: process.versions["sqlite"], ok: true, detail: null },
      ],
      next: { do: "install", cli: "gemini", text: "install Gemini CLI: npm install -g @google/gemini-cli" },
    });
  });
});

describe("a named workflow", () => {
  const workflowWith = (agent: string): string => {
    const file = join(machine.root, "team.faultline.yaml");
    const node = "nodes: { n: { type: agent, agent: a, prompt: Hi } }";
    writeFileSync(file, `faultline: 1\nworkflow: { id: w, version: "1" }\nagents: { a: ${agent} }\n${node}\n`);
    return file;
  };

  it("is fine when its targets have different failure domains", async () => {
    const file = workflowWith("{ model: openai/x, fallback: [anthropic/y] }");
    const run = await doctor(["--workflow", file]);
    expect(run).toMatchObject({ exit: "ok" });
    expect(run.stdout).toContain(`workflow: ${file}; ok\n`);
  });

  it("is usable with targets that fail together, and doctor warns about it", async () => {
    const file = workflowWith("{ model: openai/x, fallback: [openai/y] }");
    const run = await doctor(["--workflow", file]);
    expect(run).toMatchObject({ exit: "ok" });
    expect(run.stdout).toContain(
      `workflow: ${file}; ok (${file}:3: all targets of agents.a are reached at https://api`,
    );
  });

  it.each([
    ["en", "Next: the environment variable A_KEY is not set; the environment variable B_KEY is not set. Set what"],
    ["zh-CN", "下一步：环境变量 A_KEY 未设置；环境变量 B_KEY 未设置。请先设置"],
  ])("without its keys names them, and asks for no CLI that it does not use: %s", async (locale, next) => {
    const file = workflowWith("{ model: a/x, fallback: [b/y] }");
    const providers =
      "providers: { a: { type: openai, api_key_env: A_KEY }, b: { type: anthropic, api_key_env: B_KEY } }";
    writeFileSync(file, `${readFileSync(file, "utf8")}${providers}\n`);
    const without = await doctor(["--workflow", file, "--locale", locale]);
    expect(without.stdout).toContain(next);
    expect(without.stdout.match(/A_KEY/g)).toHaveLength(2);
    const run = await doctor(["--workflow", file, "--locale", locale], { A_KEY: "x", B_KEY: "y" });
    expect(run.stdout).toMatch(/(?:All well\.|一切正常。)\n$/);
  });

  it("suggests the CLI that it uses, and no other", async () => {
    machine.addCli("codex", "echo 'codex-cli 1.0.0'");
    const run = await doctor(["--workflow", workflowWith("{ cli: gemini, fallback: [openai/x] }")]);
    expect(run.stdout).toContain("Next: install Gemini CLI: npm install -g @google/gemini-cli");
  });

  it.each([
    ["that is wrong", () => workflowWith("{ model: openai/x, fallback: 3 }"), /faultline workflow check/],
    ["that is not there", () => join(machine.root, "nothing.yaml"), /nothing\.yaml: there is no such file/],
    ["that is a folder", () => machine.root, /it is a folder/],
  ])("%s is refused with what to do next", async (_what, make, said) => {
    const run = await doctor(["--workflow", make()]);
    expect(run).toMatchObject({ exit: "failed", stderr: "" });
    expect(run.stdout).toMatch(said);
  });
});

describe("a named journal", () => {
  it("is opened when it exists", async () => {
    const file = join(machine.root, "agent.db");
    await (await openJournal(file)).close();
    const run = await doctor(["--journal", file]);
    expect(run).toMatchObject({ stderr: "", exit: "ok" });
    expect(run.stdout).toContain(`journal: ${file}; ok\n`);
  });

  it("is not created when it does not exist", async () => {
    const file = join(machine.root, "later/agent.db");
    const run = await doctor(["--journal", file]);
    expect(run).toMatchObject({ stderr: "", exit: "ok" });
    expect(run.stdout).toContain("; ok (does not exist yet; it is created on first use)\n");
    expect(existsSync(join(machine.root, "later"))).toBe(false);
  });

  it.each([
    ["no journal", "home/notes.txt", /not ok \(.*notes\.txt.*\)\n/],
    ["a folder", "home", /not ok \(Cannot read .*: it is a folder\.\)\n/],
    ["below a file", "home/notes.txt/agent.db", /not ok \(.*a part of its path is a file\.\)\n/],
  ])("is a failure when it is %s, and comes first", async (_what, path, told) => {
    machine.addFile("notes.txt", "buy milk\n");
    const run = await doctor(["--journal", join(machine.root, path)]);
    expect(run).toMatchObject({ stderr: "", exit: "failed" });
    expect(run.stdout).toMatch(told);
    expect(lastLine(run)).toMatch(/^Next: journal: \S/);
  });
});

describe("a person at a terminal", () => {
  async function onTerminal(
    env: Readonly<Record<string, string>>,
    locale: "en" | "zh-CN",
    color: "never" | "auto",
  ): Promise<string> {
    let out = "";
    const sink = { isTTY: true, columns: 60, write: (text: string) => Promise.resolve(void (out += text)) };
    const io: Io = {
      ...fileAccess,
      stdin: NO_STDIN,
      stdout: sink,
      stderr: sink,
      env: { ...machine.env, ...env },
      clock: systemClock,
      exit: () => undefined,
    };
    await runDoctor(
      { names: ["claude", "gemini"], journal: null, workflow: null, timeoutMs: 600_000 },
      cliWith({ locale, color }, io),
    );
    return out;
  }

  beforeEach(() => {
    machine.addCli("claude", "echo 2.1.325");
    machine.addCli("gemini", `echo "Error: ${"a long story ".repeat(8)}" >&2; exit 3`);
  });

  it("gets a table that fits the terminal", async () => {
    const lines = (await onTerminal({ ANTHROPIC_API_KEY: "x" }, "en", "never")).split("\n");
    expect(lines.slice(0, 3)).toEqual([
      "CLI     version       logged in",
      "claude  2.1.325       yes (ANTHROPIC_API_KEY)",
      "gemini  does not run  no",
    ]);
    const told = lines.slice(3, lines.indexOf(""));
    expect(told.length).toBeGreaterThan(1);
    for (const line of told) expect(line).toMatch(/^ {2}\S.{1,57}$/);
    expect(lines.slice(lines.indexOf("") + 1, -2)).toEqual([
      `Node    ${process.versions.node.padEnd(12)}  ok`,
      `SQLite  ${(process.versions["sqlite"] ?? "").padEnd(12)}  ok`,
      "",
    ]);
    expect(lines.at(-2)).toMatch(/^Next: Gemini CLI is installed/);
  });

  it("gets colours, except in a CI system, where lines are plain", async () => {
    expect(await onTerminal({}, "en", "auto")).toContain("\u001b[31mgemini");
    expect(await onTerminal({ CI: "true" }, "en", "never")).toMatch(/^claude: 2\.1\.325; logged in: no\n/);
  });

  it("gets the table in Chinese", async () => {
    const out = await onTerminal({}, "zh-CN", "never");
    expect(out).toContain("claude  2.1.325   否\n");
    expect(out).toMatch(/\n下一步：登录 Claude Code：运行 `claude` 后输入 \/login，或设置 ANTHROPIC_API_KEY\n$/);
    expect(out).not.toMatch(/Next|logged|not found/);
  });
});
