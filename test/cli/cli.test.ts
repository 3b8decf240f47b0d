// What all commands share: exit codes, version, help, wrong calls, colour, and the tour.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { FAULT_CODES, SHAPE_REDACTOR } from "../../src/core/index.ts";
import { runCli } from "../support/run-cli.ts";

const COMMANDS = [
  "classify",
  "explain",
  "policy",
  "policy check",
  "policy show",
  "policy simulate",
  "policy schema",
  "tools",
  "tools check",
  "tools schema",
  "journal",
  "journal sessions",
  "journal show",
  "journal verify",
  "journal export",
  "journal import",
  "journal prune",
  "journal questions",
  "journal answer",
  "chaos",
  "doctor",
  "run",
  "workflow",
  "workflow check",
  "workflow run",
  "workflow resume",
  "workflow schema",
  "runs",
  "runs list",
  "runs show",
  "runs watch",
  "runs export",
  "runs retry",
  "runs switch",
  "runs continue",
  "runs cancel",
  "runs answer",
  "runs output",
  "runs do",
  "init",
  "start",
  "tour",
];
const ESCAPE = "\u001b[";

describe("an argument", () => {
  it.each([
    ["a status that is none", ["classify", "--status", "99999"], /from 100 to 599/],
    ["options beside --jsonl that it would ignore", ["classify", "--jsonl", "--status", "404"], /cannot be used with/],
    ["a code that is almost one", ["explain", "RateLimit"], /Did you mean `RateLimited`\?/],
  ])("%s is refused with a reason", async (_what, args, reason) => {
    const { stdout, stderr, exit } = await runCli(args);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toMatch(reason);
  });

  it("cannot move the terminal's cursor or set its title", async () => {
    const { stdout } = await runCli(["classify", "-"], {
      stdin: "\u001b]0;evil\u0007\u001b[2J 429 rate limit exceeded\n",
    });
    expect(stdout).toContain("RateLimited");
    expect(stdout).not.toMatch(/[\u0007\u001b]/);
  });
});

describe("the program", () => {
  it("promises these exit codes to scripts", () => {
    const codes = Object.entries(EXIT_CODES).map(([name, { code }]) => [name, code]);
    expect(Object.fromEntries(codes)).toEqual({
      ok: 0,
      failed: 1,
      usage: 2,
      config: 3,
      waiting: 4,
      parked: 5,
      partial: 6,
      timeout: 124,
      missing: 127,
      cancelled: 130,
    });
  });

  it.each(["--version", "-V"])("prints the version of package.json for %s", async (flag) => {
    const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    expect(await runCli([flag])).toEqual({ stdout: `${version}\n`, stderr: "", exit: "ok" });
  });

  it("is what `npx faultline` finds in this folder", () => {
    const link = fileURLToPath(new URL("../../node_modules/.bin/faultline", import.meta.url));
    const env = { PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}` };
    expect(execFileSync(link, ["classify", "--status", "503", "--json"], { encoding: "utf8", env })).toContain(
      '"Overloaded"',
    );
  });

  it("prints help when called without arguments", async () => {
    const { stdout, stderr, exit } = await runCli([]);
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    for (const command of ["classify", "explain", "policy", "tools", "journal", "tour"])
      expect(stdout).toContain(`\n  ${command}`);
  });

  it.each(COMMANDS)("has help for %s", async (command) => {
    const { stdout, stderr, exit } = await runCli([...command.split(" "), "--help"]);
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    expect(stdout).toContain(`Usage: faultline ${command}`);
  });

  it.each(COMMANDS)("prints no empty list as a default in the help of %s", async (command) => {
    const { stdout } = await runCli([...command.split(" "), "--help"]);
    expect(stdout).not.toContain("(default: [])");
  });

  it.each(COMMANDS)("keeps the lists in the help of %s within 80 columns", async (command) => {
    const { stdout } = await runCli([...command.split(" "), "--help"]);
    const lists = stdout
      .split(/\n(?=\S)/)
      .filter((part) => /^(?:Arguments|Options|Global Options|Commands):/.test(part));
    const lines = lists.flatMap((part) => part.split("\n"));
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    expect(lines.length).toBeGreaterThan(5);
  });

  it("shows the help of a group without a command whole, with its addresses", async () => {
    const [asked, shown] = [await runCli(["journal", "--help"]), await runCli(["journal"])];
    expect(asked.stdout).toContain("postgres://");
    expect(shown.stderr.trim()).toBe(asked.stdout.trim());
  });

  it.each(["classify", "explain", "journal"])("shows examples in the help of %s", async (command) => {
    const { stdout } = await runCli([command, "--help"]);
    expect(stdout).toMatch(new RegExp(`Examples:\\n(?:.*\\n)*? {2}\\$ faultline ${command} `));
  });
});

describe("what the user typed", () => {
  const KEY = "sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789";
  const SHOUT = "\u001b[31mX\u0007";

  it.each([
    ["an unknown option", [`--${KEY}`], [`--${SHOUT}`]],
    ["an unknown option of run", ["run", `--${KEY}`, "--", "true"], ["run", `--${SHOUT}`, "--", "true"]],
    ["a wrong value", ["serve", "--port", `5${KEY}`], ["serve", "--port", SHOUT]],
    ["a wrong value of run", ["run", "--timeout", KEY, "--", "true"], ["run", "--timeout", SHOUT, "--", "true"]],
    ["a command that does not exist", ["run", "--", KEY], ["run", "--", `${SHOUT}nope`]],
  ])("is printed without secrets and control characters: %s", async (_what, secret, loud) => {
    const said = await runCli(secret);
    expect(said.stderr).toContain("[redacted]");
    expect(said.stderr + said.stdout).not.toContain("AbCdEfGh");
    const heard = await runCli(loud);
    expect(heard.stderr).toMatch(/^faultline: /);
    expect(Array.from(heard.stderr).filter((one) => one < " " && one !== "\n")).toEqual([]);
  });
});

describe("a wrong call", () => {
  it.each([
    ["an unknown command", ["clasify", "x"], "Did you mean classify?"],
    ["an unknown subcommand", ["policy", "chek", "x"], "Did you mean check?"],
    ["an unknown option", ["explain", "--lst"], "Did you mean --list?"],
    ["an unknown language", ["explain", "RateLimited", "--locale", "xx"], "en, zh-CN"],
    ["a missing argument", ["policy", "check"], "file"],
    ["a wrong call of an inner command", ["policy", "check"], "Run `faultline policy check --help`"],
    ["a wrong call of anything", ["policy", "check"], "faultline: missing required argument"],
    ["a group without a command", ["policy"], "Usage: faultline policy"],
    ["a mistyped command of a group", ["journal", "sesions", "x"], "Did you mean sessions?"],
    ["a limit that is none", ["journal", "sessions", "x", "--limit", "0"], "a whole number from 1 up"],
  ])("%s is refused with a hint", async (_what, args, hint) => {
    const { stdout, stderr, exit } = await runCli(args);
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toContain(hint);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe("a wrong call in Chinese", () => {
  it.each([
    [
      "an unknown command",
      ["clasify", "x"],
      "未知命令 'clasify'\n（是否想用 classify？）\n用法见 `faultline --help`。",
    ],
    ["an unknown option", ["explain", "--lst"], "未知选项 '--lst'\n（是否想用 --list？）"],
    ["a missing argument", ["policy", "check"], "缺少参数 'file'\n用法见 `faultline policy check --help`。"],
    ["an option without its value", ["classify", "--status"], "选项 '--status <number>' 缺少值"],
    ["a needed option", ["journal", "prune", "x"], "必须给出选项 '--older-than <time>'"],
    ["a value that is not offered", ["policy", "show", "--preset", "x"], "的值 'x' 无效。可选："],
    ["two options that exclude each other", ["policy", "show", "--policy", "x", "--preset", "default"], "不能与"],
    ["too many arguments", ["tour", "a", "b"], "参数过多：应为 0 个，给了 2 个：a, b"],
    ["a file that is not there", ["workflow", "check", "none.yaml"], "无法读取 none.yaml：没有这个文件。"],
    ["a file that is a folder", ["policy", "check", "."], "无法读取 .：这是一个文件夹。"],
  ])("%s is refused in Chinese", async (_what, args, told) => {
    const { stderr, exit } = await runCli(args, { env: { LANG: "zh_CN.UTF-8" } });
    expect(exit).toBe("usage");
    expect(stderr).toContain(told);
    expect(stderr).not.toMatch(/error|unknown|missing|argument|Cannot|Run `/);
    expect((await runCli(["--locale", "zh-CN", ...args])).stderr).toBe(stderr);
  });
});

describe("colour", () => {
  it.each([
    ["is off without a terminal", [], {}, false],
    ["is on when asked for", ["--color", "always"], {}, true],
    ["is on with FORCE_COLOR", [], { FORCE_COLOR: "1" }, true],
    ["is off with --color never even then", ["--color", "never"], { FORCE_COLOR: "1" }, false],
  ] as const)("%s", async (_what, args, env, colored) => {
    const { stdout } = await runCli(["explain", "RateLimited", ...args], { env });
    expect(stdout.includes(ESCAPE)).toBe(colored);
  });
});

describe("tour", () => {
  it("shows at least eight faults and no secret", async () => {
    const { stdout, stderr, exit } = await runCli(["tour"]);
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    const codes = [...stdout.matchAll(/^ {2}fault +(\w+)/gm)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThanOrEqual(8);
    expect(FAULT_CODES).toEqual(expect.arrayContaining(codes));
    expect(SHAPE_REDACTOR.text(stdout)).toBe(stdout);
    expect(stdout).toMatch(/RateLimited → .+\n.+Overloaded → .+\n.+streamed the whole answer/);
    expect(stdout).toContain("You said: Where is Lisbon?");
  });

  it("speaks Chinese and JSON", async () => {
    const chinese = await runCli(["tour", "--locale", "zh-CN"]);
    expect(chinese.stdout).toContain("伪装成 500 的上下文超长");
    expect(chinese.stdout).not.toMatch(/^ {2}(?:saw|fault|does|says) /m);
    const json = await runCli(["tour", "--json"]);
    expect(JSON.parse(json.stdout)).toHaveLength(8);
  });
});
