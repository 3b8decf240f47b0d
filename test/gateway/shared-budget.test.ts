// A client's limit holds for all gateways of a journal together: three real processes use it up, slowly or within a second, and pass it by
// one call at most.

import { writeFileSync } from "node:fs";
import { expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { openJournal } from "../../src/index.ts";
import { tempFolder } from "../journal/temp-folder.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { ask } from "./dialect-clients.ts";
import { startGatewayProcess } from "./gateway-process.ts";

const GATEWAYS = 3;
const LIMIT_USD = 0.025;
const LIMIT_MICROCENTS = LIMIT_USD * 1e8;
const KEY = "alice-key-0123456789";

/** How the limit is used up: by one caller of each gateway in about four seconds, or by many within one. */
const PACES = {
  slowly: { latencyMs: 150, callers: 1, leastShare: 0.95 },
  // What running calls may cost is set aside, and they cost less: a caller that is refused meanwhile could have been served.
  quickly: { latencyMs: 0, callers: 8, leastShare: 0.7 },
} as const;
const GRID = ["SQLite", "PostgreSQL"].flatMap((store) =>
  (Object.keys(PACES) as (keyof typeof PACES)[]).map((pace) => [pace, store] as const),
);

it.each(GRID)(
  "three gateways spend %s what a client may spend in a day, and pass it by one call at most, on a journal in %s",
  { timeout: 120_000 },
  async (pace, store) => {
    const { latencyMs, callers, leastShare } = PACES[pace];
    const folder = tempFolder();
    onTestFinished(() => folder.remove());
    const chaos = await startChaos({ latencyMs });
    onTestFinished(() => chaos.close());
    const config = folder.file("gateway.faultline.yaml");
    writeFileSync(
      config,
      `version: 1
targets: { us: { dialect: openai-chat, base_url: "${chaos.openaiUrl}", api_key_env: TARGET_KEY } }
routes: { team: { chain: [us/gpt-4o] } }
keys: { alice: { key_env: ALICE, budget: { per_day_usd: ${LIMIT_USD} } } }
`,
    );
    const place = store === "SQLite" ? folder.file("journal.db") : await freshJournalUrl();
    const process = { journal: place, config, env: { ALICE: KEY } };
    const urls = await Promise.all(Array.from({ length: GATEWAYS }, () => startGatewayProcess(process)));
    const client = async (url: string): Promise<number> => {
      for (let answered = 0; ; answered++) {
        const headers = { authorization: `Bearer ${KEY}` };
        const { status } = await ask(url, "openai-chat", { headers, body: { model: "team", max_tokens: 20 } });
        if (status === 402) return answered;
        expect(status).toBe(200);
      }
    };
    const answered = await Promise.all(urls.flatMap((url) => Array.from({ length: callers }, () => client(url))));
    const calls = answered.reduce((sum, count) => sum + count, 0);
    const journal = await openJournal(place);
    onTestFinished(() => journal.close());
    const spentOf = async (): Promise<number> => {
      const all = await journal.keptAll("spend", "alice");
      const day = all.find(({ key }) => key.startsWith("alice/day/"));
      return (day?.value as { readonly microcents: number } | undefined)?.microcents ?? 0;
    };
    // A gateway writes a few times a second what its callers have spent.
    let spent = await spentOf();
    while (spent < leastShare * LIMIT_MICROCENTS) spent = await spentOf();
    expect(spent).toBeLessThanOrEqual(LIMIT_MICROCENTS + spent / calls);
    expect(Math.min(...answered)).toBeGreaterThan(0);
  },
);
