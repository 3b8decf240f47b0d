// Runs the command line with a folder, a stdin and an environment of its own: as a child process, the way a shell does, or in this process.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";
import { fileAccess } from "../../src/cli/file-access.ts";
import type { Io, Sink } from "../../src/cli/io.ts";
import { runCli as runProgram } from "../../src/cli/program.ts";
import { NO_STDIN } from "../../src/cli/read-input.ts";
import { systemClock } from "../../src/host/clock.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../../package.json", import.meta.url));
const { version: VERSION } = JSON.parse(readFileSync(PACKAGE, "utf8")) as { readonly version: string };

export interface RunOptions {
  /** What is piped in; without it stdin is empty, as in a cron job. */
  readonly stdin?: string | Buffer | Iterable<string>;
  readonly env?: Readonly<Record<string, string>>;
  /** The program's working folder; without it, a new one. */
  readonly folder?: string;
  /** Files in the new working folder. */
  readonly files?: Readonly<Record<string, string | Buffer>>;
  /** Options for Node itself. */
  readonly nodeArgs?: readonly string[];
  /** The test is about processes: the command gets one of its own, whatever it does. */
  readonly asProcess?: boolean;
  /** The test is about what a command says that ends by itself: it needs no process, although other commands of its name do. */
  readonly isHere?: boolean;
  /** As a user without rights. Only root can become another user; other users are already without them. */
  readonly asNobody?: boolean;
}

const NOBODY = 65_534;

export interface Run {
  readonly stdout: string;
  readonly stderr: string;
  /** The name of the exit code; a code that `EXIT_CODES` does not have, or a signal, shows as such. */
  readonly exit: string;
}

/**
 * Commands that start servers or children of their own, and those that tests stop from outside. All others print an answer and end, and touch
 * nothing but their `Io` and files. They run in this process, because starting another one takes longer than the command. What `run` starts is
 * a process all the same. `test/cli/json.test.ts` runs each command of the built program.
 */
const NEEDS_PROCESS: ReadonlySet<string> = new Set([
  ...["chaos", "demo", "drill", "gateway", "serve", "start", "worker", "workflow"],
]);

export function runCli(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { nodeArgs = [], asProcess = false, asNobody = false, isHere = false } = options;
  const isHelp = ["--help", "-h"].includes(args.at(-1) ?? "");
  const isCheck = args.includes("workflow") && args.includes("check");
  const needsNone = isHere || (!asNobody && (isHelp || isCheck || !args.some((word) => NEEDS_PROCESS.has(word))));
  return needsNone && nodeArgs.length === 0 && !asProcess
    ? inTurn(() => runHere(args, options))
    : run(process.execPath, [...nodeArgs, MAIN, ...args], options);
}

let turn: Promise<unknown> = Promise.resolve();

/** A process has one working folder, so commands in this process run one after the other. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const next = turn.then(work);
  turn = Promise.allSettled([next]);
  return next;
}

/** A shell line in which `faultline` is the built program. */
export function runShell(line: string, options: RunOptions = {}): Promise<Run> {
  return run("sh", ["-c", `faultline() { "$NODE" "$MAIN" "$@"; }\n${line}`], {
    ...options,
    env: { NODE: process.execPath, MAIN, ...options.env },
  });
}

/** Fails unless stdout is one line with one JSON document. */
export function jsonOf({ stdout }: Run): unknown {
  if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`not exactly one line on stdout: ${JSON.stringify(stdout)}`);
  return JSON.parse(stdout);
}

export function jsonLinesOf({ stdout }: Run): readonly unknown[] {
  return stdout
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}

async function runHere(args: readonly string[], options: RunOptions): Promise<Run> {
  const { stdout, stderr, exit } = await bytesHere(args, options);
  return { stdout: stdout.toString(), stderr: stderr.toString(), exit };
}

interface RunBytes {
  readonly stdout: Buffer;
  readonly stderr: Buffer;
  readonly exit: string;
}

/** In this process, with every byte that the command writes. */
export function runCliBytes(args: readonly string[]): Promise<RunBytes> {
  return inTurn(() => bytesHere(args, {}));
}

async function bytesHere(
  args: readonly string[],
  { stdin, env, asNobody = false, ...place }: RunOptions,
): Promise<RunBytes> {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  let exit = "ok";
  const io: Io = {
    stdin: stdin === undefined ? NO_STDIN : Readable.from(typeof stdin === "string" ? [stdin] : stdin).map(bytesOf),
    stdout: sinkTo(out),
    stderr: sinkTo(err),
    env: { ...plainEnv(), ...env },
    clock: systemClock,
    ...fileAccess,
    exit: (name) => {
      if (exit === "ok") exit = name;
    },
  };
  await inFolder(place, async (folder) => {
    const before = process.cwd();
    const { PATH: pathBefore } = process.env;
    process.chdir(folder);
    // A command is looked up on the PATH of the process.
    if (env?.["PATH"] !== undefined) process.env["PATH"] = env["PATH"];
    const becomeRoot = asNobody ? becomeNobody() : () => undefined;
    await runProgram(args, VERSION, io).finally(() => {
      becomeRoot();
      process.chdir(before);
      process.env["PATH"] = pathBefore ?? "";
    });
  });
  return { stdout: Buffer.concat(out), stderr: Buffer.concat(err), exit };
}

/**
 * Until the returned function is called, the system refuses this process what it refuses a user without rights. It still answers the question
 * whether a file can be written as for root (`access` asks for the real user): a command that asks needs a process.
 */
function becomeNobody(): () => void {
  const { geteuid, getgroups, setgroups, setegid, seteuid } = process;
  if (geteuid?.() !== 0) return () => undefined;
  const groups = getgroups?.() ?? [];
  setgroups?.([NOBODY]);
  setegid?.(NOBODY);
  seteuid?.(NOBODY);
  return () => {
    seteuid?.(0);
    setegid?.(0);
    setgroups?.(groups);
  };
}

function sinkTo(pieces: Uint8Array[]): Sink {
  return { isTTY: false, columns: Infinity, write: (data) => Promise.resolve(void pieces.push(bytesOf(data))) };
}

function bytesOf(data: string | Uint8Array): Uint8Array {
  return typeof data === "string" ? Buffer.from(data) : data;
}

async function run(
  command: string,
  args: readonly string[],
  { stdin, env, asNobody = false, ...place }: RunOptions,
): Promise<Run> {
  const user = asNobody && process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  return inFolder(place, async (folder) => {
    const child = spawn(command, args, {
      cwd: folder,
      ...user,
      env: { ...plainEnv(), ...env },
      stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    });
    const exit = new Promise<string>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => {
        resolve(exitName(code, signal));
      });
    });
    if (child.stdin !== null && stdin !== undefined) {
      child.stdin.on("error", ignoreClosedPipe);
      Readable.from(stdin).pipe(child.stdin);
    }
    const [out, err, name] = await Promise.all([textOf(child.stdout), textOf(child.stderr), exit]);
    return { stdout: out, stderr: err, exit: name };
  });
}

async function inFolder<T>(
  { folder: given, files = {} }: Pick<RunOptions, "folder" | "files">,
  work: (folder: string) => Promise<T>,
): Promise<T> {
  if (given !== undefined) return work(given);
  const folder = await mkdtemp(join(tmpdir(), "faultline-cli-"));
  try {
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function textOf(stream: Readable | null): Promise<string> {
  return stream === null ? Promise.resolve("") : text(stream);
}

/** A program that refuses its arguments does not read its stdin. */
function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== "EPIPE") throw error;
}

/** Language and colour are what a test says they are, not what this machine has. */
function plainEnv(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:LANG|LANGUAGE|LC_.*|NO_COLOR|FORCE_COLOR)$/.test(name),
  );
  return Object.fromEntries(kept);
}

function exitName(code: number | null, signal: string | null): string {
  const known = Object.entries(EXIT_CODES).find(([, exit]) => exit.code === code);
  return known?.[0] ?? signal ?? `unknown code ${String(code)}`;
}
