// The command line on a journal in PostgreSQL: the same commands, and nothing printed ever holds the password of its address.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freshJournalUrl } from "../postgres/shared-server.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PASSWORD = "planted-store-password";
const WORKFLOW = `faultline: 1
workflow: { id: hello, version: "1", name: Hello }
nodes:
  works: { type: command, run: echo fine, next: fails }
  fails: { type: command, run: ls no-such-file }
start: works
`;

const folder = mkdtempSync(join(tmpdir(), "faultline-cli-postgres-"));
const env = { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1" };
let url = "";
let run = "";
let printed = "";

function faultline(...args: readonly string[]): {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
} {
  const ran = spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: "utf8", env });
  printed += ran.stdout + ran.stderr;
  return ran;
}

const json = (...args: readonly string[]): unknown => JSON.parse(faultline(...args, "--json").stdout);

beforeAll(async () => {
  url = await freshJournalUrl();
  writeFileSync(join(folder, "hello.faultline.yaml"), WORKFLOW);
  faultline("workflow", "run", "hello.faultline.yaml", "--journal", url);
  const [first] = json("runs", "list", "--journal", url) as readonly { readonly run: string }[];
  run = first?.run ?? "";
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("runs a workflow, and lists, shows and verifies what it left behind", { timeout: 120_000 }, () => {
  expect(run).not.toBe("");
  expect(faultline("runs", "show", run, "--journal", url).stdout).toContain("fails");
  const { stdout: told } = faultline("runs", "show", run, "--journal", url);
  expect(told).toContain("files, kept with the journal");
  expect(told).not.toContain("null");
  const { username, host } = new URL(url);
  expect(username).not.toBe("");
  expect(told).toContain(`--journal 'postgres://${username}@${host}/`);
  expect(json("journal", "verify", url)).toMatchObject({ ok: true, sessions: 1 });
  expect(faultline("journal", "sessions", url).stdout).toContain(run);
  expect(faultline("runs", "list", "--journal", `${url}_other`).stderr).toContain(
    "There is no journal at postgres://127.0.0.1",
  );
});

it("moves the journal to a file, and no output of any command holds the password", { timeout: 120_000 }, () => {
  expect(json("journal", "copy", url, "copy.db")).toMatchObject({ to: "copy.db" });
  expect(json("journal", "verify", "copy.db")).toMatchObject({ ok: true, sessions: 1 });
  faultline("doctor", "--journal", url);
  faultline("runs", "list", "--journal", url.replace(PASSWORD, `${PASSWORD}-wrong`));
  expect(printed).toContain("password authentication failed");
  expect(printed).not.toContain(PASSWORD);
});

it("serves it: runs, and the files of a failed stage, from the database", { timeout: 120_000 }, async () => {
  const server = spawn(process.execPath, [MAIN, "serve", "--journal", url, "--port", "0", "--json"], {
    cwd: folder,
    env,
  });
  try {
    server.stderr.setEncoding("utf8").on("data", (text: string) => void (printed += text));
    const line = await new Promise<string>(
      (resolve) => void createInterface({ input: server.stdout }).once("line", resolve),
    );
    printed += line;
    const { listening } = JSON.parse(line) as {
      readonly listening: { readonly url: string; readonly journal: string };
    };
    expect(listening.journal).toMatch(/^postgres:\/\/127\.0\.0\.1/);
    const authorization = `Bearer ${readFileSync(join(folder, ".faultline", "operator.token"), "utf8").trim()}`;
    const get = async (path: string): Promise<unknown> =>
      (await fetch(new URL(path, listening.url), { headers: { authorization } })).json();
    const shown = (await get(`/v1/runs/${run}`)) as { readonly files?: readonly string[] };
    expect(JSON.stringify(shown)).toContain("fails_raw.md");
    expect(JSON.stringify(await get("/v1/settings"))).toContain("postgres://");
    expect(printed + JSON.stringify(shown)).not.toContain(PASSWORD);
  } finally {
    server.kill("SIGKILL");
  }
});
