// `faultline gateway` and `faultline serve --gateway` as processes that are stopped while many calls run.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { openJournal } from "../../src/index.ts";
import { ask, DIALECTS, type Heard } from "../gateway/dialect-clients.ts";
import { shareOf } from "../support/grid.ts";

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));
/** On a busy machine, too. */
const PATIENT = { timeout: 60_000, interval: 50 };

const COMMANDS = [
  { row: 1, name: "faultline gateway", words: (file: string) => ["gateway", "--config", file] },
  { row: 0, name: "faultline serve --gateway", words: (file: string) => ["serve", "--gateway", file] },
];

const file = (url: string): string => `version: 1
targets:
  one: { dialect: [openai-chat, openai-responses, anthropic-messages, google-generate], base_url: "${url}/v1", timeouts: { first_token_ms: 60000, headers_ms: 60000, idle_ms: 60000 } }
routes:
  hangs: { chain: [one/hangs] }
  stalls: { chain: [one/stalls] }
`;

/** Whole answers that hang, streams before and after their first content. */
const KINDS = [
  { model: "hangs", streaming: false },
  { model: "hangs", streaming: true },
  { model: "stalls", streaming: true },
];

interface Started {
  readonly url: string;
  /** All that it writes to stderr. */
  readonly said: Promise<string>;
  stop(): Promise<unknown>;
}

async function started(words: readonly string[]): Promise<Started> {
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said = text(child.stderr);
  const ended = once(child, "close");
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { listening } = JSON.parse(line) as { readonly listening: { readonly url: string } };
  return {
    url: listening.url,
    said,
    async stop() {
      child.kill("SIGTERM");
      const [exitCode] = (await ended) as [number | null];
      return exitCode;
    },
  };
}

describe.each(COMMANDS)("$name", ({ row, words }) => {
  it.each(shareOf([20, 500], 2, row))(
    "stops with %i calls under way: each gets an answer and a line in the ledger, and the exit code is 0",
    { timeout: 180_000 },
    async (calls) => {
      const folder = mkdtempSync(join(tmpdir(), "faultline-stop-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const chaos = await startChaos({
        scenario: {
          rules: [
            { when: { model: "hangs" }, fault: "hang" },
            { when: { model: "stalls" }, fault: "stall", after: 2 },
          ],
        },
      });
      onTestFinished(() => chaos.close());
      const config = join(folder, "gateway.faultline.yaml");
      writeFileSync(config, file(chaos.url));
      const journalFile = join(folder, "journal.db");
      const gateway = await started([...words(config), "--json", "--port", "0", "--journal", journalFile]);
      const asking = Array.from({ length: calls }, (_none, index) => {
        const dialect = DIALECTS[index % DIALECTS.length] ?? "openai-chat";
        return ask(gateway.url, dialect, KINDS[index % KINDS.length]);
      });
      const all = Promise.allSettled(asking);
      await vi.waitFor(() => expect(chaos.received()).toHaveLength(calls), PATIENT);
      expect(await gateway.stop()).toBe(0);
      const heard = (await all).map((one) =>
        one.status === "fulfilled" ? describeEnd(one.value) : String(one.reason),
      );
      expect(new Set(heard)).toEqual(new Set(["503 told", "200 told"]));
      const journal = await openJournal(journalFile);
      const lines = await ledgerOf(journal, calls + 1);
      await journal.close();
      expect(lines).toHaveLength(calls);
      expect(new Set(lines.map(({ status, attempts }) => `${status} ${attempts}`))).toEqual(new Set(["cancelled 1"]));
    },
  );
});

const NOT_WRITTEN = [
  {
    locale: "en",
    sentence:
      "the gateway has stopped before the journal had everything. Missing lines of the ledger: 3; clients' spending: 0; failed calls: 0; kept prompts and answers: 0",
  },
  {
    locale: "zh-CN",
    sentence:
      "网关已停止，但日志尚不完整。缺少的账目行数：3；缺少花费记录的客户端数：0；缺少的失败调用数：0；缺少提示和回答的调用数：0",
  },
];

describe.each(COMMANDS)("$name", ({ row, words }) => {
  it.each(shareOf(NOT_WRITTEN, 2, row))(
    "ends with exit code 1 and says what is not written while another process holds the journal's lock ($locale)",
    { timeout: 60_000 },
    async ({ locale, sentence }) => {
      const folder = mkdtempSync(join(tmpdir(), "faultline-stop-"));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const chaos = await startChaos({ scenario: { rules: [] } });
      onTestFinished(() => chaos.close());
      const config = join(folder, "gateway.faultline.yaml");
      writeFileSync(config, file(chaos.url));
      const journal = join(folder, "journal.db");
      const options = ["--json", "--locale", locale, "--port", "0", "--journal", journal];
      const gateway = await started([...words(config), ...options]);
      const other = new DatabaseSync(journal, { timeout: 10_000 });
      onTestFinished(() => other.close());
      other.exec("BEGIN IMMEDIATE");
      for (let call = 0; call < 3; call++)
        expect((await ask(gateway.url, "openai-chat", { model: "hangs" })).status).toBe(200);
      expect(await gateway.stop()).toBe(1);
      const said = await gateway.said;
      expect(said).toContain(`faultline: ${sentence}`);
      expect(said).toMatch(/^\{"stopping":\{"at":\d+\}\}$/m);
    },
  );
});

function describeEnd({ status, isWhole, error, raw }: Heard): string {
  const isTold = !isWhole && error !== null && raw.includes("the gateway is stopping");
  return `${status} ${isTold ? "told" : raw.slice(0, 200)}`;
}
