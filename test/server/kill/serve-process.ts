// `faultline serve`, and a worker on Restate beside it, as real processes: started on a journal and a port, and ended by a signal.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));

export interface ServeProcess {
  readonly url: string;
  readonly port: number;
  readonly tokenFile: string;
  /** Sends the signal and resolves when the process has ended. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<ServeEnd>;
}

export interface ServeEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

/** `port` 0 takes a free one; `cwd` is where a server without a journal file keeps its tokens. Resolves when the server listens. */
export async function startServe(
  journal: string,
  port: number,
  more: readonly string[] = [],
  cwd?: string,
): Promise<ServeProcess> {
  const { line, end } = await start(["serve", "--json", "--journal", journal, "--port", String(port), ...more], cwd);
  const { listening } = JSON.parse(line) as { listening: { url: string; port: number; tokenFile: string } };
  return { ...listening, end };
}

/** A worker that Restate calls on this port. Resolves when Restate knows it. */
export async function startWorker(journal: string, restate: string, port: number): Promise<Pick<ServeProcess, "end">> {
  const listen = `127.0.0.1:${port}`;
  return start(["worker", "--json", "--journal", journal, "--driver", restate, "--listen", listen]);
}

/** Resolves with the first line that the command prints. */
async function start(
  args: readonly string[],
  cwd?: string,
): Promise<{ readonly line: string; readonly end: ServeProcess["end"] }> {
  const child = spawn(process.execPath, [MAIN, ...args], { stdio: ["ignore", "pipe", "pipe"], cwd });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (stderr += chunk));
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line") as Promise<[string]>,
    ended.then(([code, signal]) => {
      throw new Error(`${args[0]} did not start (${code ?? signal ?? ""}): ${stderr}`);
    }),
  ]);
  return {
    line,
    async end(signal) {
      child.kill(signal);
      const [exitCode, by] = await ended;
      return { exitCode, signal: by, stderr };
    },
  };
}
