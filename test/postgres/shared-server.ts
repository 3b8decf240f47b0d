// One PostgreSQL server for all tests of a run. The first test that needs it starts it; it ends with the run.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { systemClock } from "../../src/host/clock.ts";
import { TEST_SERVERS } from "../support/test-servers.ts";

/** `vitest.config.ts` names the process that owns the run. */
const owner = process.env["FAULTLINE_TEST_OWNER"] ?? String(process.pid);
const folder = join(tmpdir(), `faultline-postgres-of-${owner}`);
const LOOK_MS = 20;

let found: Promise<string> | null = null;

/** The address of the server's first database. */
export function sharedPostgres(): Promise<string> {
  return (found ??= TEST_SERVERS.postgres === null ? find() : Promise.resolve(TEST_SERVERS.postgres));
}

let schemas = 0;

/** The address of a journal that is not there yet, in a schema of its own. */
export async function freshJournalUrl(): Promise<string> {
  const url = new URL(await sharedPostgres());
  url.searchParams.set("schema", `t${process.pid}_${Date.now().toString(36)}_${++schemas}`);
  return url.href;
}

async function find(): Promise<string> {
  const address = join(folder, "url");
  if (mkdirSync(folder, { recursive: true }) === undefined) {
    // Another process of this run starts it.
    while (!existsSync(address)) await new Promise<void>((resolve) => void systemClock.after(LOOK_MS, resolve));
    return readFileSync(address, "utf8");
  }
  const url = await start();
  writeFileSync(`${address}.new`, url);
  renameSync(`${address}.new`, address);
  return url;
}

function start(): Promise<string> {
  const program = fileURLToPath(new URL("server.ts", import.meta.url));
  // It outlives this process, so it must not hold on to what this process writes to.
  const log = openSync(join(folder, "log"), "w");
  const server = spawn(process.execPath, [program, owner, folder], { detached: true, stdio: ["ignore", "pipe", log] });
  const { stdout } = server;
  if (stdout === null) throw new Error("the server's output cannot be read");
  server.unref();
  return new Promise((resolve, reject) => {
    server.once("exit", (code) =>
      reject(new Error(`the PostgreSQL server for tests ended with ${String(code)}; its log is in ${folder}`)),
    );
    createInterface({ input: stdout }).once("line", (line) => {
      stdout.destroy();
      resolve(line);
    });
  });
}
