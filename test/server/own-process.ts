// A server as a process of its own, for tests that kill it.

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";
import { type Client, createClient } from "../../src/client/index.ts";
import { bundledProgram } from "../support/bundled-program.ts";

const SCRIPT = new URL("../support/server-process.ts", import.meta.url);

export interface OwnProcess {
  readonly client: Client;
  readonly kill: () => Promise<void>;
}

export async function startProcess(journal: string): Promise<OwnProcess> {
  const program = bundledProgram(SCRIPT);
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [program, journal], { stdio: "pipe" });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const token = readFileSync(join(dirname(journal), "operator.token"), "utf8").trim();
  return {
    client: createClient({ baseUrl: url, token }),
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
