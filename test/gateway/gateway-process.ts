// `faultline gateway` as a process of its own, which ends with its test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

export interface GatewayProcess {
  readonly journal: string;
  /** Its file. */
  readonly config: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns its address. `atEnd` gets how it ends. */
export async function startGatewayProcess(
  { journal, config, env = {} }: GatewayProcess,
  atEnd: (end: () => void) => void = onTestFinished,
): Promise<string> {
  const args = [MAIN, "gateway", "--journal", journal, "--config", config, "--port", "0", "--json"];
  const gateway = spawn(process.execPath, args, {
    env: { ...process.env, TARGET_KEY: "sk-of-the-test", NODE_NO_WARNINGS: "1", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  atEnd(() => void gateway.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: gateway.stdout }), "line")) as [string];
  return (JSON.parse(line) as { readonly listening: { readonly url: string } }).listening.url;
}
