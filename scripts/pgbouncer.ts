// `npm run test:pgbouncer -- [files …]`: the tests of the journal through PgBouncer in transaction mode, where every transaction may get another
// connection of the server. Needs `pgbouncer` on this machine (Debian: `apt-get install pgbouncer`); without it, it says so and ends.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { startPostgres } from "../test/postgres/server.ts";
import { freePorts } from "../test/support/free-ports.ts";

/** What every journal promises. The other tests of PostgreSQL start servers of their own or cut connections to it. */
const SUITES = [
  "test/journal/journal.test.ts",
  "test/journal/copy/copy-journal.test.ts",
  "test/journal/same-content.test.ts",
];
const NOBODY = 65_534;
const root = fileURLToPath(new URL("..", import.meta.url));

/** Debian installs it where only root looks for programs. */
const env = { ...process.env, PATH: [process.env["PATH"] ?? "", "/usr/sbin"].join(delimiter) };

interface Pooler {
  readonly url: string;
  stop(): Promise<void>;
}

function versionHere(): string | null {
  const { status, stdout } = spawnSync("pgbouncer", ["--version"], { env, encoding: "utf8" });
  return status === 0 ? (stdout.split("\n")[0] ?? "").trim() : null;
}

/** Two connections to the server for everything, so that transactions of one client change places. */
async function startPooler(postgres: string): Promise<Pooler> {
  const { username, password, port, pathname } = new URL(postgres);
  const folder = mkdtempSync(join(tmpdir(), "faultline-pgbouncer-"));
  const [listenPort = 0] = await freePorts(1);
  const [users, settings] = [join(folder, "users.txt"), join(folder, "pgbouncer.ini")];
  writeFileSync(users, `"${username}" "${password}"\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=127.0.0.1 port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${users}
pool_mode = transaction
default_pool_size = 2
max_client_conn = 1000
`,
  );
  for (const path of [folder, users, settings]) chmodSync(path, 0o755);
  const account = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const pooler = spawn("pgbouncer", [settings], { ...account, env, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
  const said: string[] = [];
  const ended = once(pooler, "exit");
  await new Promise<void>((resolve, reject) => {
    createInterface({ input: pooler.stderr }).on("line", (line) => {
      said.push(line);
      if (line.includes("process up")) resolve();
    });
    void ended.then(() => reject(new Error(`pgbouncer has ended: ${said.join("\n")}`)));
  });
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${listenPort}${pathname}?pooler=transaction`,
    async stop() {
      pooler.kill("SIGTERM");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runSuites(files: readonly string[]): Promise<number> {
  const postgres = await startPostgres();
  const pooler = await startPooler(postgres.url);
  try {
    const suite = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...files], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, FAULTLINE_TEST_POSTGRES: pooler.url, FAULTLINE_TEST_RESTATE: "" },
    });
    const [status] = (await once(suite, "close")) as [number | null];
    return status ?? 1;
  } finally {
    await pooler.stop();
    await postgres.stop();
  }
}

const { positionals } = parseArgs({ options: {}, allowPositionals: true });
const version = versionHere();
if (version === null) {
  console.log("Skipped: pgbouncer is not installed here. On Debian, `apt-get install pgbouncer` brings it.");
} else {
  const status = await runSuites(positionals.length > 0 ? positionals : SUITES);
  console.log(`${version}, transaction mode: ${status === 0 ? "all tests passed" : "some tests failed"}.`);
  process.exitCode = status;
}
