// A journal that cannot be written under a running gateway: the operator sees it at once and sees its end, and nothing is lost.

import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { openJournal } from "../../src/index.ts";
import { ask } from "../gateway/dialect-clients.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** On a busy machine, too. */
const PATIENT = { timeout: 60_000, interval: 50 };

interface Trouble {
  readonly name: string;
  /** What the store says. */
  readonly why: string;
  /** Returns how to end it. */
  begin(folder: string, pid: number): () => void;
}

const TROUBLES: readonly Trouble[] = [
  {
    name: "no room on the disk",
    why: "disk",
    begin(_folder, pid) {
      // The process may not write beyond the first kilobyte of a file: SQLite sees what it sees on a full disk.
      const limit = (size: string): void => void execFileSync("prlimit", ["--pid", String(pid), `--fsize=${size}:`]);
      limit("1024");
      return () => limit("unlimited");
    },
  },
  {
    name: "its files were moved away",
    why: "was deleted, moved or replaced",
    begin(folder) {
      const files = ["journal.db", "journal.db-wal"];
      for (const name of files) renameSync(join(folder, "data", name), join(folder, name));
      return () => files.forEach((name) => renameSync(join(folder, name), join(folder, "data", name)));
    },
  },
  {
    name: "another program holds its lock",
    why: "locked",
    begin(folder) {
      const other = new DatabaseSync(join(folder, "data", "journal.db"));
      other.exec("BEGIN IMMEDIATE");
      return () => other.close();
    },
  },
];

const COMMANDS = [
  { command: "gateway", option: "--config" },
  { command: "serve", option: "--gateway" },
];

const file = (url: string): string => `version: 1
targets: { one: { dialect: openai-chat, base_url: "${url}" } }
routes: { team: { chain: [one/gpt-4o] } }
`;

describe.each(COMMANDS)("faultline $command", ({ command, option }) => {
  it.each(TROUBLES)(
    "tells at once that the journal cannot be written, and when it can again: $name",
    { timeout: 120_000 },
    async ({ why, ...trouble }) => {
      const folder = mkdtempSync(join(tmpdir(), "faultline-unwritten-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      mkdirSync(join(folder, "data"));
      const chaos = await startChaos();
      onTestFinished(() => chaos.close());
      const config = join(folder, "gateway.faultline.yaml");
      writeFileSync(config, file(chaos.openaiUrl));
      const journalFile = join(folder, "data", "journal.db");
      const words = [command, option, config, "--json", "--port", "0", "--journal", journalFile];
      const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
      onTestFinished(() => void child.kill("SIGKILL"));
      let said = "";
      child.stderr.on("data", (chunk) => (said += String(chunk)));
      const ended = once(child, "close");
      const [line] = (await once(createInterface(child.stdout), "line")) as [string];
      const { url, tokenFile = null } = (JSON.parse(line) as { readonly listening: Listening }).listening;
      const call = async (): Promise<void> => expect((await ask(url, "openai-chat")).status).toBe(200);
      const token = tokenFile === null ? null : readFileSync(tokenFile, "utf8").trim();
      await call();
      const end = trouble.begin(folder, child.pid ?? 0);
      await call();
      await vi.waitFor(() => expect(newsIn(said, "journalUnwritten")).toHaveLength(1), PATIENT);
      expect(JSON.stringify(newsIn(said, "journalUnwritten"))).toContain(why);
      await call();
      if (token !== null) expect(await shownBy(url, token)).toMatchObject({ says: expect.any(String) as string });
      end();
      await vi.waitFor(() => expect(newsIn(said, "journalWritten")).toMatchObject([{ lostLines: 0 }]), PATIENT);
      if (token !== null) expect(await shownBy(url, token)).toBeNull();
      child.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      const journal = await openJournal(journalFile);
      onTestFinished(() => journal.close());
      expect(await ledgerOf(journal, 10)).toHaveLength(3);
    },
  );
});

interface Listening {
  readonly url: string;
  /** Only a server has tokens. */
  readonly tokenFile?: string;
}

/** What the dashboard shows of the trouble. */
async function shownBy(url: string, token: string): Promise<unknown> {
  const answer = await fetch(`${url}/v1/gateway`, {
    headers: { authorization: `Bearer ${token}` },
  });
  return ((await answer.json()) as { readonly unwritten: unknown }).unwritten;
}

function newsIn(said: string, name: string): readonly unknown[] {
  const lines = said.split("\n").filter((line) => line.startsWith(`{"${name}":`));
  return lines.map((line) => (JSON.parse(line) as Readonly<Record<string, unknown>>)[name]);
}
