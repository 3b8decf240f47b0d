// The server of `server.ts` for a test: its processes, what they did and what they said; all gone when the test is.

import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { bundledProgram } from "../support/bundled-program.ts";

const SERVER = bundledProgram(new URL("server.ts", import.meta.url));

export interface StdioServer {
  readonly transport: () => StdioClientTransport;
  /** The tools that really ran, in order. */
  runs(): readonly string[];
  starts(): number;
  /** Resolves when any of its processes has written this to stderr. */
  said(words: string): Promise<void>;
  /** Kills the process that runs now. */
  kill(): void;
  readonly pid: number | null;
}

export function stdioServer({ mode = "", badStarts = "0-0" } = {}): StdioServer {
  const folder = mkdtempSync(join(tmpdir(), "faultline-mcp-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runs = join(folder, "runs");
  const starts = join(folder, "starts");
  writeFileSync(runs, "");
  writeFileSync(starts, "");
  const linesOf = (path: string): readonly string[] => readFileSync(path, "utf8").split("\n").slice(0, -1);
  const listeners = new Set<() => void>();
  let heard = "";
  let last: StdioClientTransport | null = null;

  return {
    transport() {
      last = new StdioClientTransport({
        command: process.execPath,
        args: [SERVER],
        stderr: "pipe",
        env: {
          ...{ MCP_RUNS: runs, MCP_STARTS: starts, MCP_BAD_STARTS: badStarts, MCP_MODE: mode },
          NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] ?? "",
        },
      });
      last.stderr?.on("data", (chunk: Uint8Array) => {
        heard += String(chunk);
        for (const listener of listeners) listener();
      });
      return last;
    },
    runs: () => linesOf(runs),
    starts: () => linesOf(starts).length,
    said: (words) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (heard.includes(words)) resolve();
        };
        listeners.add(look);
        look();
      }),
    kill() {
      const pid = last?.pid ?? null;
      if (pid !== null) process.kill(pid, "SIGKILL");
    },
    get pid() {
      return last?.pid ?? null;
    },
  };
}
