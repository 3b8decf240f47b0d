// A database that does not answer. A command that starts meanwhile says so in a sentence and exits; one that runs goes on when the database is back.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { openJournal } from "../../src/index.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import { ask } from "../gateway/dialect-clients.ts";
import { type CutProxy, startCutProxy } from "../postgres/cut-proxy.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { freePorts } from "../support/free-ports.ts";
import { EXIT_CODES } from "../../src/cli/exit-codes.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
const PASSWORD = "planted-store-password";
const HELLO = `faultline: 1
workflow: { id: hello, version: "1" }
nodes:
  works: { type: command, run: echo fine }
`;

interface Home {
  readonly folder: string;
  /** The arguments of each command. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
}

async function home(): Promise<Home> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-away-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const chaos = await startChaos();
  onTestFinished(() => chaos.close());
  writeFileSync(
    join(folder, "gateway.faultline.yaml"),
    `version: 1
targets: { us: { dialect: openai-chat, base_url: "${chaos.openaiUrl}", api_key_env: TARGET_KEY } }
routes: { team: { chain: [us/gpt-4o] } }
`,
  );
  writeFileSync(join(folder, "hello.faultline.yaml"), HELLO);
  const commands = { serve: ["serve", "--port", "0"], gateway: ["gateway", "--port", "0"], worker: ["worker"] };
  return { folder, commands };
}

interface Started {
  /** Its first line on stdout; null when it ends without one. */
  readonly line: Promise<string | null>;
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

function start(args: readonly string[], cwd: string): Started {
  const env = { ...process.env, NO_COLOR: "1", NODE_NO_WARNINGS: "1", TARGET_KEY: "sk-of-the-test" };
  const child = spawn(process.execPath, [MAIN, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => void (stderr += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stderr }));
  const line = Promise.race([
    once(createInterface({ input: child.stdout }), "line").then(([said]) => said as string),
    ended.then(() => null),
  ]);
  return { line, ended };
}

describe("a database that does not answer when a command starts", () => {
  it.each(["en", "zh-CN"])(
    "is reported in a sentence, with exit code 1 and without its password (%s)",
    { timeout: 60_000 },
    async (locale) => {
      const { folder, commands } = await home();
      const [port] = await freePorts(1);
      const address = `postgres://ada:${PASSWORD}@127.0.0.1:${port}/agents`;
      const ends = await Promise.all(
        Object.values(commands).map(async (args) => {
          const { line, ended } = start([...args, "--journal", address, "--locale", locale], folder);
          return { line: await line, ...(await ended) };
        }),
      );
      for (const { line, code, stderr } of ends) {
        expect({ line, code }).toEqual({ line: null, code: EXIT_CODES.failed.code });
        const refused = `connect ECONNREFUSED 127.0.0.1:${port}`;
        expect(stderr).toContain(
          locale === "en"
            ? `The journal's database does not answer: ${refused}. Check host and port`
            : `日志的数据库没有响应：${refused}。请检查地址或 PGHOST、PGPORT 中的主机和端口`,
        );
        expect(stderr).not.toContain(PASSWORD);
      }
    },
  );
});

describe("a database that goes away while a command runs", () => {
  async function running(command: string): Promise<{
    readonly proxy: CutProxy;
    readonly near: string;
    readonly folder: string;
    readonly listening: { readonly url: string };
  }> {
    const { folder, commands } = await home();
    const near = await freshJournalUrl();
    const proxy = await startCutProxy(near);
    onTestFinished(() => proxy.close());
    const { line } = start([...(commands[command] ?? []), "--journal", proxy.url, "--json"], folder);
    const said = JSON.parse((await line) ?? "{}") as { readonly listening?: { readonly url: string } };
    return { proxy, near, folder, listening: said.listening ?? { url: "" } };
  }

  it("and comes back: the server answers again", { timeout: 60_000 }, async () => {
    const { proxy, folder, listening } = await running("serve");
    const authorization = `Bearer ${readFileSync(join(folder, ".faultline", "operator.token"), "utf8").trim()}`;
    const runs = (): Promise<Response> => fetch(new URL("/v1/runs", listening.url), { headers: { authorization } });
    expect((await runs()).status).toBe(200);
    proxy.shut();
    const meanwhile = runs();
    // It is alive without its store.
    expect((await fetch(new URL("/v1/health", listening.url))).status).toBe(200);
    proxy.open();
    expect((await meanwhile).status).toBe(200);
  });

  it("and comes back: a worker advances a run that was started meanwhile", { timeout: 60_000 }, async () => {
    const { proxy, near, folder } = await running("worker");
    proxy.shut();
    const workflows = createWorkflows({ journal: await openJournal(near), env: {} });
    onTestFinished(() => workflows.close());
    const { workflow } = await workflows.file(join(folder, "hello.faultline.yaml"));
    if (workflow === null) throw new Error("the workflow has mistakes");
    const run = await workflows.runs.start(workflow);
    proxy.open();
    const over = Promise.withResolvers<undefined>();
    onTestFinished(
      workflows.journal.subscribe(
        ({ event }) => {
          if (event.type === "run-ended") over.resolve(undefined);
        },
        { session: run, after: 0 },
      ),
    );
    await over.promise;
    expect((await workflows.runs.show(run))?.summary).toMatchObject({ status: "completed" });
  });

  it(
    "does not stop a gateway: it answers, and its ledger has the call when the database is back",
    { timeout: 60_000 },
    async () => {
      const { proxy, near, listening } = await running("gateway");
      proxy.shut();
      const { status, isWhole } = await ask(listening.url, "openai-chat");
      expect({ status, isWhole }).toEqual({ status: 200, isWhole: true });
      proxy.open();
      const journal = await openJournal(near);
      onTestFinished(() => journal.close());
      for (;;) {
        const [line] = await ledgerOf(journal, 1);
        if (line === undefined) continue;
        expect(line).toMatchObject({ route: "team" });
        return;
      }
    },
  );
});
