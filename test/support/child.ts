// Runs a real child process to its end and tells how it ended.

import { spawn, type ChildProcess } from "node:child_process";

export interface Ending {
  /** The `error` event: it never started. */
  readonly error?: Error;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

export function runChild(
  command: string,
  args: readonly string[],
  onSpawn: (child: ChildProcess) => void = () => undefined,
): Promise<Ending> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
    let stderr = "";
    let error: Error | undefined;
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => void (stderr += chunk));
    child.on("spawn", () => onSpawn(child));
    child.on("error", (failed) => void (error = failed));
    child.on("close", (exitCode, signal) =>
      resolve({ ...(error === undefined ? {} : { error }), exitCode, signal, stderr }),
    );
  });
}
