// Real children for the tests of processes: small programs, ears for what they say, and a witness who notices when they die.

import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProcessHooks, ProcessSpec, ProcessTimeouts } from "../../../src/agent/process/process-spec.ts";
import { tryRead } from "../../../src/core/try-read.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { until } from "../../support/look-again.ts";

/** Longer than any test may take: what ends earlier did not end by a time limit. */
export const PATIENT: Required<ProcessTimeouts> = {
  startupMs: Infinity,
  idleMs: Infinity,
  totalMs: Infinity,
  killAfterMs: 600_000,
  drainMs: 600_000,
};

export function specOf(command: string, args: readonly string[], over: Partial<ProcessSpec> = {}): ProcessSpec {
  return {
    command,
    args,
    cwd: tmpdir(),
    env: process.env,
    stdin: null,
    clock: systemClock,
    timeouts: PATIENT,
    signal: null,
    maxLineBytes: 64 * 1024,
    maxTailBytes: 4096,
    ...over,
  };
}

export function nodeSpec(source: string, over: Partial<ProcessSpec> = {}): ProcessSpec {
  return specOf(process.execPath, ["-e", source], over);
}

export function shellSpec(source: string, over: Partial<ProcessSpec> = {}): ProcessSpec {
  return specOf("sh", ["-c", `ulimit -c 0; ${source}`], over);
}

/** A clock for real children: between two timers, what they have sent is read. */
export function processClock(): FakeClock {
  return createFakeClock(0, (next) => systemClock.soon(next));
}

export interface Ears extends ProcessHooks {
  readonly out: string[];
  readonly err: string[];
  heard(line: string): Promise<void>;
}

export function ears(isToolRunning: () => boolean = () => false): Ears {
  const out: string[] = [];
  const err: string[] = [];
  return {
    out,
    err,
    stdout: (line) => void out.push(line),
    stderr: (line) => void err.push(line),
    isToolRunning,
    heard: (line) => until(() => out.includes(line) || err.includes(line)),
  };
}

export interface Witness {
  /** In a child: `witness("name")` makes it known under that name until it dies. */
  readonly code: string;
  /** Its process id. */
  arrived(name: string): Promise<number>;
  left(name: string): Promise<void>;
  isThere(name: string): boolean;
  close(): Promise<void>;
}

/** A connection closes when its process dies, however it dies: no asking again and again whether a process id is alive. */
export async function startWitness(): Promise<Witness> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-witness-"));
  const path = join(folder, "socket");
  const known = new Map<string, { readonly pid: number; isThere: boolean }>();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let words = "";
    socket.on("data", (chunk) => {
      words += String(chunk);
      const [name, pid] = words.trim().split(" ");
      if (!words.endsWith("\n") || name === undefined) return;
      const entry = { pid: Number(pid), isThere: true };
      known.set(name, entry);
      socket.on("close", () => void (entry.isThere = false));
    });
    // A killed process may reset the connection instead of closing it; both mean that it is gone.
    socket.on("error", () => socket.destroy());
  });
  await new Promise<void>((ready) => server.listen(path, ready));
  return {
    code: `const witness = (name) => require("node:net").connect(${JSON.stringify(path)}).write(name + " " + process.pid + "\\n");`,
    async arrived(name) {
      await until(() => known.has(name));
      return known.get(name)?.pid ?? NaN;
    },
    left: (name) => until(() => known.get(name)?.isThere === false),
    isThere: (name) => known.get(name)?.isThere === true,
    async close() {
      // Processes that a failed test has left behind.
      for (const { pid, isThere } of known.values()) if (isThere) tryRead(() => process.kill(pid, "SIGKILL"), false);
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((closed) => server.close(() => closed()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
