// `--json` over every command of the built program: stdout is what is documented and nothing else, the exit code is one that is
// documented, and nothing keeps the process from ending. A new command has no row here, so it fails until it has one. The commands that
// answer and end share a process; servers, and one command of each kind, have their own.

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Command } from "commander";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createProgram } from "../../src/cli/program.ts";
import { EXIT_CODES, type ExitName } from "../../src/cli/exit-codes.ts";
import { pathOf } from "../../src/cli/render/help.ts";
import { ROOT } from "../package/stranger.ts";
import { type Run, runCli } from "../support/run-cli.ts";
import { GATED, QUICK, WorkflowWorld } from "./workflow-world.ts";

const MAIN = join(ROOT, "dist", "cli", "main.js");
const BUILT_COMMANDS = join(ROOT, "test", "fixtures", "built-commands.mjs");

interface JsonRow {
  readonly args: readonly string[];
  /** `lines`: JSON Lines. `server`: runs until a signal, and prints JSON Lines. Otherwise one document. */
  readonly prints?: "lines" | "server" | "nothing";
  readonly exit?: ExitName;
  /** It gets a process of its own, as every server does. */
  readonly asProcess?: boolean;
  /** The test that has it, because it takes long. */
  readonly elsewhere?: string;
}

const FAILING = `faultline: 1
workflow: { id: failing, version: "1" }
nodes:
  a: { type: command, run: ["ls /nowhere"], allow: ["ls *"] }
`;

const POLICY = "version: 1\nrows: []\n";
const TOOLS = "tool: { id: search, timeout_ms: 1000 }\n";
const GATEWAY = `version: 1
targets: { a: { dialect: openai-chat, base_url: "http://127.0.0.1:9" } }
routes: { m: { chain: [a/m] } }
`;

const J = ["--journal", "runs.db"];

/** Every command, and the words that follow it. */
const ROWS: Readonly<Record<string, JsonRow>> = {
  "classify": { args: ["429 Too Many Requests"] },
  "explain": { args: ["RateLimited"] },
  "policy check": { args: ["policy.yaml"] },
  "policy show": { args: [] },
  "policy simulate": { args: ["RateLimited"] },
  "policy replay": { args: ["policy.yaml", ...J] },
  "policy schema": { args: [] },
  "tools check": { args: ["tools.yaml"] },
  "tools schema": { args: [] },
  "journal sessions": { args: ["runs.db"] },
  "journal show": { args: ["runs.db", "done"] },
  "journal verify": { args: ["runs.db"] },
  "journal export": { args: ["runs.db", "done"], prints: "lines" },
  "journal import": { args: ["imported.db", "done.jsonl", "--adopt"] },
  "journal copy": { args: ["runs.db", "copied.db"] },
  "journal prune": { args: ["runs.db", "--older-than", "30d", "--dry-run"] },
  "journal questions": { args: ["runs.db"] },
  "journal answer": { args: ["runs.db", "QUESTION", "yes"] },
  "chaos": { args: ["--port", "0"], prints: "server" },
  "drill": { args: [], elsewhere: "test/cli/drill/drill.test.ts" },
  "doctor": { args: [] },
  "run": { args: ["--", "echo", "hello"] },
  "workflow check": { args: ["gated.yaml"] },
  "workflow run": { args: ["quick.yaml", ...J] },
  "workflow resume": { args: ["asks-1", ...J], exit: "waiting" },
  "workflow schema": { args: [] },
  "runs list": { args: J },
  "runs show": { args: ["done", ...J], asProcess: true },
  "runs output": { args: ["done", ...J] },
  "runs watch": { args: ["done", ...J] },
  "runs export": { args: ["done", ...J], prints: "lines", asProcess: true },
  "runs retry": { args: ["failed-1", ...J], exit: "failed", asProcess: true },
  // Not offered for this run: a sentence on stderr.
  "runs switch": { args: ["failed-2", ...J], exit: "failed", prints: "nothing" },
  "runs continue": { args: ["failed-2", "--text", "go on", ...J], exit: "failed", prints: "nothing" },
  "runs do": { args: ["failed-2", "accept-partial", ...J] },
  "runs cancel": { args: ["asks-2", ...J] },
  "runs answer": { args: ["asks-3", "yes", ...J] },
  "report": { args: ["done", ...J] },
  "init": { args: ["team", "made"] },
  "serve": { args: [...J, "--port", "0"], prints: "server" },
  "token add": { args: ["grafana", ...J] },
  "token list": { args: J },
  "token remove": { args: ["grafana", ...J] },
  "worker": { args: J, prints: "server" },
  "gateway": { args: ["--config", "gateway.yaml", "--port", "0", ...J], prints: "server" },
  "start": { args: [], elsewhere: "test/package/published.test.ts" },
  "tour": { args: [] },
  "config": { args: [] },
  "completion": { args: ["bash"] },
};

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: string;
}

const wordsOf = (path: string, args: readonly string[]): readonly string[] => [...path.split(" "), "--json", ...args];

const exitOf = (code: number | null): string =>
  Object.entries(EXIT_CODES).find(([, row]) => row.code === code)?.[0] ?? `code ${String(code)}`;

/** A server is stopped once it has printed its first line. */
async function ran(args: readonly string[], cwd: string, isServer = false): Promise<Ended> {
  const env = { ...process.env, LANG: "en", FAULTLINE_JOURNAL: "" };
  const child = spawn(process.execPath, args, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  if (isServer) child.stdout.once("data", () => child.kill("SIGTERM"));
  const code = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr, ended] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  return { stdout, stderr, exit: exitOf(ended) };
}

/** In one process, which ends by itself. */
async function ranTogether(commands: readonly (readonly string[])[], cwd: string): Promise<readonly Ended[]> {
  const { stdout, stderr, exit } = await ran([BUILT_COMMANDS, JSON.stringify(commands)], cwd);
  const ended = stdout.split("\n").filter(Boolean);
  expect([ended.length, exit], `after ${commands[ended.length - 1]?.join(" ")}: ${stderr}`).toEqual([
    commands.length,
    "ok",
  ]);
  return ended.map((line) => {
    const { code, ...said } = JSON.parse(line) as {
      readonly stdout: string;
      readonly stderr: string;
      readonly code: number;
    };
    return { ...said, exit: exitOf(code) };
  });
}

const silent = { stdout: { write: () => Promise.resolve() }, stderr: { write: () => Promise.resolve() }, env: {} };
const leaves = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
const COMMANDS = leaves(createProgram([], "0.0.0", silent as never)).map((command) => pathOf(command).slice(10));

describe("--json", () => {
  let folder = "";
  let together: ReadonlyMap<string, Ended> = new Map();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "faultline-json-"));
    const files = { "gated.yaml": GATED, "quick.yaml": QUICK, "failing.yaml": FAILING };
    const more = { "policy.yaml": POLICY, "tools.yaml": TOOLS, "gateway.yaml": GATEWAY };
    for (const [name, content] of Object.entries({ ...files, ...more })) writeFileSync(join(folder, name), content);
    // The rows below are about the built program; what they find is not.
    const here = (...args: readonly string[]): Promise<Run> =>
      runCli(args, { folder, env: { LANG: "en" }, isHere: true });
    const start = (file: string, run: string): Promise<Run> => here("workflow", "run", file, "--run", run, ...J);
    await start("quick.yaml", "done");
    for (const run of ["asks-0", "asks-1", "asks-2", "asks-3"]) await start("gated.yaml", run);
    for (const run of ["failed-1", "failed-2"]) await start("failing.yaml", run);
    const shown = await here("runs", "show", "asks-0", "--json", ...J);
    const { questions } = JSON.parse(shown.stdout) as { readonly questions: readonly { readonly id: string }[] };
    await here("journal", "export", "runs.db", "done", "--with-results", "-o", "done.jsonl");
    const shared = Object.entries(ROWS).filter(
      ([, { prints, asProcess = false, elsewhere }]) => prints !== "server" && !asProcess && elsewhere === undefined,
    );
    const ended = await ranTogether(
      shared.map(([path, { args }]) =>
        wordsOf(path, args).map((word) => (word === "QUESTION" ? (questions[0]?.id ?? "") : word)),
      ),
      folder,
    );
    together = new Map(shared.map(([path], index) => [path, ended[index] ?? expect.fail(path)]));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("has a row for every command", () => {
    expect(Object.keys(ROWS).toSorted()).toEqual(COMMANDS.toSorted());
  });

  it.each(Object.entries(ROWS))("%s", async (path, { args, prints, exit = "ok", elsewhere }) => {
    if (elsewhere !== undefined)
      return expect(readFileSync(join(ROOT, elsewhere), "utf8")).toMatch(
        new RegExp(`"${path}".*"--json"|"--json".*"${path}"`),
      );
    const alone = (): Promise<Ended> => ran([MAIN, ...wordsOf(path, args)], folder, prints === "server");
    const { stdout, stderr, exit: ended } = together.get(path) ?? (await alone());
    expect(ended, stderr).toBe(exit);
    if (prints === "nothing") return void expect([stdout, stderr]).toEqual(["", expect.stringMatching(/^faultline: /)]);
    expect(stdout).toMatch(/\n$/);
    if (prints === undefined) return void expect(() => JSON.parse(stdout) as unknown).not.toThrow();
    for (const line of stdout.trimEnd().split("\n")) expect(JSON.parse(line)).toBeTypeOf("object");
  });

  it.each(COMMANDS)("%s refuses an unknown option with a sentence on stderr and nothing on stdout", async (path) => {
    const { stdout, stderr, exit } = await new WorkflowWorld().call([...path.split(" "), "--json", "--no-such-option"]);
    expect([stdout, exit]).toEqual(["", "usage"]);
    expect(stderr).toMatch(/^faultline: /);
  });
});
