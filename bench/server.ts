// `npm run bench:server -- [decisions|streams] [--quick]`: how long a decision about a reported failure takes and how many there are in
// a second, journaled with synchronous=FULL, beside a bare Hono route that appends the same bytes to SQLite; then 500 readers of the
// event stream under 200 decisions a second. Server and load are processes of their own, on the same machine.

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { print } from "./measure.ts";
import { Load, percentile, type Target } from "./server/load.ts";
import type { MemoryLeft } from "./server/memory-probe.ts";
import { streams } from "./server/streams.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const { positionals: words, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    seconds: { type: "string" },
    readers: { type: "string" },
    rate: { type: "string" },
  },
});
const isWanted = (section: string): boolean => words.length === 0 || words.includes(section);

print(`Node ${process.version}. Server and load generator share this machine.`);
if (isWanted("decisions")) await decisions(values.quick ? 2_000 : 10_000);
if (isWanted("streams")) {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const server = await startFaultline(folder);
  try {
    await streams(server, {
      readers: Number(values.readers ?? 500),
      seconds: Number(values.seconds ?? (values.quick ? 10 : 60)),
      perSecond: Number(values.rate ?? 200),
      memory: () => memoryOf(server.child),
    });
  } finally {
    await stop(server.child);
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Started extends Target {
  readonly child: ChildProcess;
}

/** Collects the server's garbage first. */
function memoryOf(server: ChildProcess): Promise<MemoryLeft> {
  return new Promise((resolve) => {
    server.once("message", (left) => resolve(left as MemoryLeft));
    server.send("");
  });
}

async function decisions(count: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const ours = await startFaultline(folder);
  const first = await measure(ours, count);
  await stop(ours.child);
  const bare = await startProcess([
    join(root, "bench/server/bare-route.ts"),
    join(folder, "bare.db"),
    String(first.bytes),
  ]);
  const floor = await measure({ ...bare, token: "" }, count);
  await stop(bare.child);
  rmSync(folder, { recursive: true, force: true });
  print("");
  print("Decisions about reported failures (a new call each, four entries)");
  print(
    `  one at a time       p50 ${ms(first.alone.p50)}  p99 ${ms(first.alone.p99)}    bare route ${ms(floor.alone.p50)}  ${ms(floor.alone.p99)}`,
  );
  print(
    `  64 side by side     p50 ${ms(first.many.p50)}  p99 ${ms(first.many.p99)}    bare route ${ms(floor.many.p50)}  ${ms(floor.many.p99)}`,
  );
  print(
    `  a second            ${Math.round(first.perSecond)}    bare route ${Math.round(floor.perSecond)}  (${(first.perSecond / floor.perSecond).toFixed(2)}×)`,
  );
}

interface Measured {
  readonly alone: { readonly p50: number; readonly p99: number };
  readonly many: { readonly p50: number; readonly p99: number };
  readonly perSecond: number;
  /** Of the journal, for one decision. */
  readonly bytes: number;
}

async function measure(target: Target, count: number): Promise<Measured> {
  const load = new Load(target, 64);
  const body = JSON.stringify({
    tool: "search",
    idempotent: true,
    evidence: { status: 503, message: "upstream is down" },
  });
  const send = (): ReturnType<Load["post"]> => load.post("/v1/failures", body);
  await load.run(500, 16, send);
  const { text } = await send();
  const alone = await load.run(Math.ceil(count / 10), 1, send);
  const startedAt = performance.now();
  const many = await load.run(count, 64, send);
  const perSecond = (count * 1000) / (performance.now() - startedAt);
  load.close();
  return { alone: spread(alone), many: spread(many), perSecond, bytes: text.length };
}

function spread(times: readonly number[]): { readonly p50: number; readonly p99: number } {
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99) };
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`.padStart(9);
}

async function startFaultline(folder: string): Promise<Started> {
  const journal = join(folder, "journal.db");
  const started = await startProcess([
    join(root, "dist/cli/main.js"),
    "serve",
    "--json",
    "--port",
    "0",
    "--journal",
    journal,
  ]);
  return { ...started, token: readFileSync(join(folder, "operator.token"), "utf8").trim() };
}

async function startProcess(args: readonly string[]): Promise<Started> {
  const probe = ["--expose-gc", "--import", join(root, "bench/server/memory-probe.ts")];
  const stdio = ["ignore", "pipe", "inherit", "ipc"] as const;
  const child = spawn(process.execPath, [...probe, ...args], { stdio: [...stdio], cwd: root });
  const url = await new Promise<string>((resolve, reject) => {
    let text = "";
    child.stdout?.on("data", (chunk: Buffer) => {
      text += chunk.toString();
      const line = /^(\{.*\})$/m.exec(text)?.[1];
      if (line !== undefined) resolve((JSON.parse(line) as { listening: { url: string } }).listening.url);
    });
    child.once("exit", (code) => reject(new Error(`the process ended with ${code}`)));
  });
  return { child, url, token: "" };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => void child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
