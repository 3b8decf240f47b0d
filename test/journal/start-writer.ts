// Starts `writer-process.ts` as a real child process.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { createInterface } from "node:readline";
import { bundledProgram } from "../support/bundled-program.ts";

export interface Writer {
  readonly child: ChildProcessWithoutNullStreams;
  /** Lines it has written so far. */
  readonly lines: readonly string[];
  /** Resolves when it has written this many lines. */
  readonly said: (count: number) => Promise<void>;
  /** Resolves when it has ended, with its stderr. */
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly stderr: string;
  }>;
}

export function startWriter(
  action: "hammer" | "acknowledge" | "hold" | "claim" | "forget",
  path: string,
  session: string,
  count = 0,
): Writer {
  const script = bundledProgram(new URL("writer-process.ts", import.meta.url));
  // Node 22 still warns about its SQLite; only the process's own output counts here.
  const env = { ...process.env, NODE_NO_WARNINGS: "1" };
  const child = spawn(process.execPath, [script, action, path, session, String(count)], { stdio: "pipe", env });
  const lines: string[] = [];
  let onLine: () => void = () => undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(line);
    onLine();
  });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (stderr += chunk));
  return {
    child,
    lines,
    said: (wanted) =>
      new Promise((resolve) => {
        onLine = () => {
          if (lines.length >= wanted) resolve();
        };
        onLine();
      }),
    ended: new Promise((resolve) => {
      child.on("close", (code, signal) => resolve({ code, signal, stderr }));
    }),
  };
}
