// The processes that `npm run bench:gateway` measures.

import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../test/support/free-ports.ts";
import { installPackages } from "../../test/support/install-packages.ts";
import type { Place } from "./load.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Its streams fail on the newest release of the server that it allows. */
const PORTKEY = {
  name: "portkey",
  dependencies: { "@portkey-ai/gateway": "1.15.2" },
  overrides: { "@hono/node-server": "1.13.8" },
};

export interface Used {
  readonly cpuMs: number;
  readonly residentMb: number;
}

export interface Subject extends Place {
  readonly name: string;
  used(): Promise<Used>;
  stop(): Promise<void>;
}

const CLIENT_KEY = "bench-client-key";
const authorization = { authorization: `Bearer ${CLIENT_KEY}` };

/** With everything on: a client's key with budgets, prices, and a journal on disk. */
export async function startOurs(upstream: string, folder: string): Promise<Subject> {
  const config = join(folder, "gateway.faultline.yaml");
  const sha256 = createHash("sha256").update(CLIENT_KEY).digest("hex");
  writeFileSync(
    config,
    `version: 1
targets:
  first: { dialect: openai-chat, base_url: "${upstream}/v1", api_key_env: BENCH_KEY }
  second: { dialect: openai-chat, base_url: "${upstream}/v1", api_key_env: BENCH_KEY }
routes:
  "*": { chain: [first, second] }
keys:
  bench: { key_sha256: ${sha256}, budget: { per_hour_usd: 1000000, per_day_usd: 1000000, per_month_usd: 1000000 } }
`,
  );
  const journal = join(folder, "journal.db");
  const flags = ["--config", config, "--journal", journal, "--port", "0", "--json"];
  const started = await startProcess(["dist/cli/main.js", "gateway", ...flags]);
  return { name: "ours", headers: authorization, ...started };
}

export async function startMinimal(upstream: string): Promise<Subject> {
  const started = await startProcess(["bench/gateway/minimal-proxy-child.ts", upstream]);
  return { name: "minimal", headers: authorization, ...started };
}

export async function startStub(): Promise<Subject> {
  const started = await startProcess(["bench/gateway/stub-upstream-child.ts"]);
  return { name: "direct", headers: authorization, ...started };
}

export async function startPortkey(upstream: string, tell: (line: string) => void): Promise<Subject> {
  const modules = installPackages(PORTKEY, () => tell("installing Portkey"));
  const [port = 0] = await freePorts(1);
  const script = join(modules, "@portkey-ai/gateway/build/start-server.js");
  const url = `http://127.0.0.1:${port}`;
  const started = await startProcess([script, "--headless", `--port=${port}`], url);
  const headers = {
    ...authorization,
    "x-portkey-provider": "openai",
    "x-portkey-custom-host": `${upstream.replace("127.0.0.1", "localhost")}/v1`,
  };
  return { name: "Portkey", headers, ...started };
}

/** `url`: of a process that does not tell its own. It is ready when it prints something. */
async function startProcess(args: readonly string[], url?: string): Promise<Omit<Subject, "name" | "headers">> {
  const child = spawn(process.execPath, ["--import", join(root, "bench/gateway/usage-probe.mjs"), ...args], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
    cwd: root,
    env: { ...process.env, BENCH_KEY: "bench-target-key", NODE_ENV: "production" },
  });
  const told = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const line = /^(\{.*\})$/m.exec(text)?.[1];
      if (url !== undefined) resolve(url);
      else if (line !== undefined) resolve((JSON.parse(line) as { listening: { url: string } }).listening.url);
    });
    child.once("exit", (code) => reject(new Error(`${args[0] ?? ""} ended with ${code}`)));
  });
  return { url: told, used: () => usedBy(child), stop: () => stop(child) };
}

function usedBy(child: ChildProcess): Promise<Used> {
  return new Promise((resolve) => {
    child.once("message", (used) => resolve(used as Used));
    child.send("");
  });
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => void child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
