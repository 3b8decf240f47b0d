// `faultline serve` as a real process: started on a journal and a port, and ended by a signal.

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

/** `port` 0 takes a free one. Resolves when the server listens. */
export async function startServe(journal: string, port: number, more: readonly string[] = []): Promise<ServeProcess> {
  const args = [MAIN, "serve", "--json", "--journal", journal, "--port", String(port), ...more];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (stderr += chunk));
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const [line] = await Promise.race([
    once(createInterface(child.stdout), "line") as Promise<[string]>,
    ended.then(([code, signal]) => {
      throw new Error(`the server did not start (${code ?? signal ?? ""}): ${stderr}`);
    }),
  ]);
  const { listening } = JSON.parse(line) as { listening: { url: string; port: number; tokenFile: string } };
  return {
    ...listening,
    async end(signal) {
      child.kill(signal);
      const [exitCode, by] = await ended;
      return { exitCode, signal: by, stderr };
    },
  };
}
