// Prompts and answers that a gateway keeps are in the store of its journal, for every process that opens it: without secrets, and not longer
// than the file says.

import { writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { transcriptOf } from "../../src/gateway/ledger/transcripts.ts";
import { type Journal, openJournal } from "../../src/index.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { tempFolder } from "../journal/temp-folder.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { ask, DIALECTS, PROMPT } from "./dialect-clients.ts";
import { startGatewayProcess } from "./gateway-process.ts";

const SECRET = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEF";
const CALLS = DIALECTS.flatMap((dialect) => [true, false].map((streaming) => ({ dialect, streaming })));

async function linesIn(journal: Journal, count: number): ReturnType<typeof ledgerOf> {
  await expect.poll(async () => (await ledgerOf(journal, count)).length).toBe(count);
  return ledgerOf(journal, count);
}

/** The gateway writes what it keeps of a call beside its line in the ledger. */
async function keptOf(journal: Journal, call: string): ReturnType<typeof transcriptOf> {
  await expect.poll(() => transcriptOf(journal, call, Date.now())).not.toBeNull();
  return transcriptOf(journal, call, Date.now());
}

it.each(["SQLite", "PostgreSQL"])("are kept in %s and removed from it", { timeout: 60_000 }, async (store) => {
  const folder = tempFolder();
  onTestFinished(() => folder.remove());
  const chaos = await startChaos();
  onTestFinished(() => chaos.close());
  const urls: Readonly<Record<Protocol, string>> = {
    "openai-chat": chaos.openaiUrl,
    "openai-responses": chaos.openaiUrl,
    "anthropic-messages": chaos.anthropicUrl,
    "google-generate": chaos.googleUrl,
  };
  const targets = DIALECTS.map((it) => `${it}: { dialect: ${it}, base_url: "${urls[it]}", api_key_env: TARGET_KEY }`);
  const routes = DIALECTS.map((it) => `to-${it}: { chain: [${it}/a-model] }`);
  const config = folder.file("gateway.faultline.yaml");
  writeFileSync(
    config,
    `version: 1
targets: { ${targets.join(", ")} }
routes: { ${routes.join(", ")} }
keep: { prompts: true, answers: true, for_days: 2 }
`,
  );
  const place = store === "SQLite" ? folder.file("journal.db") : await freshJournalUrl();
  const journal = await openJournal(place);
  onTestFinished(() => journal.close());
  // Of an earlier gateway, a moment after its two days.
  await journal.keep([
    { kind: "transcript", key: "old", value: { at: 1, until: Date.now(), prompt: "old", answer: "old" } },
  ]);
  const url = await startGatewayProcess({ journal: place, config });
  for (const { dialect, streaming } of CALLS) {
    const prompt = `${PROMPT} ${SECRET} ${dialect} ${streaming}`;
    expect((await ask(url, dialect, { model: `to-${dialect}`, streaming, prompt })).isWhole).toBe(true);
  }
  const lines = (await linesIn(journal, CALLS.length)).toReversed();
  for (const [index, { dialect, streaming }] of CALLS.entries()) {
    const kept = await keptOf(journal, lines[index]?.call ?? "");
    expect(kept?.prompt).toContain(PROMPT);
    expect(kept?.prompt).toContain(`${dialect} ${streaming}`);
    expect(kept?.answer).toContain("pieces");
  }
  const readAll = () => journal.keptByTime("transcript", { order: "oldest", limit: 100 });
  // The old one is removed beside the calls.
  await expect.poll(async () => (await readAll()).length).toBe(CALLS.length);
  const all = await readAll();
  expect(JSON.stringify(all)).not.toContain(SECRET);
});
