// A client's limit holds for all gateways of a journal together: real processes use it up, slowly or within a second, and pass it by
// one call at most.

import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { type Journal, openJournal } from "../../src/index.ts";
import { tempFolder } from "../journal/temp-folder.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { samples } from "../support/grid.ts";
import { ask } from "./dialect-clients.ts";
import { startGatewayProcess } from "./gateway-process.ts";

const GATEWAYS = samples(2, 3);
const LIMIT_USD = 0.025;
const LIMIT_MICROCENTS = LIMIT_USD * 1e8;

/** How each client's limit is used up: by one caller of each gateway in about four seconds, or by many within one. */
const PACES = {
  slow: { latencyMs: 150, callers: 1, leastShare: 0.95 },
  // What running calls may cost is set aside, and they cost less: a caller that is refused meanwhile could have been served.
  quick: { latencyMs: 0, callers: 8, leastShare: 0.7 },
} as const;
type Client = keyof typeof PACES;
const CLIENTS = Object.keys(PACES) as readonly Client[];
const KEYS = { slow: "slow-key-0123456789", quick: "quick-key-0123456789" } satisfies Record<Client, string>;

describe.each(["SQLite", "PostgreSQL"])(`${GATEWAYS} gateways on a journal in %s`, (store) => {
  let urls: readonly string[];
  let journal: Journal;
  const ends: (() => unknown)[] = [];

  beforeAll(async () => {
    const folder = tempFolder();
    ends.unshift(() => folder.remove());
    const targets = await Promise.all(CLIENTS.map((client) => targetOf(client)));
    const config = folder.file("gateway.faultline.yaml");
    writeFileSync(
      config,
      `version: 1
targets: { ${targets.join(", ")} }
routes: { ${CLIENTS.map((client) => `for-${client}: { chain: [${client}/gpt-4o] }`).join(", ")} }
keys: { ${CLIENTS.map((client) => `${client}: { key_env: ${client}, budget: { per_day_usd: ${LIMIT_USD} } }`).join(", ")} }
`,
    );
    const place = store === "SQLite" ? folder.file("journal.db") : await freshJournalUrl();
    const process = { journal: place, config, env: KEYS };
    urls = await Promise.all(
      Array.from({ length: GATEWAYS }, () => startGatewayProcess(process, (end) => ends.unshift(end))),
    );
    journal = await openJournal(place);
    ends.unshift(() => journal.close());
  });

  afterAll(async () => {
    for (const end of ends) await end();
  });

  async function targetOf(client: Client): Promise<string> {
    const chaos = await startChaos({ latencyMs: PACES[client].latencyMs });
    ends.unshift(() => chaos.close());
    return `${client}: { dialect: openai-chat, base_url: "${chaos.openaiUrl}", api_key_env: TARGET_KEY }`;
  }

  it.each(CLIENTS)(
    "spend what a %s client may spend in a day, and pass it by one call at most",
    { timeout: 120_000 },
    async (client) => {
      const { callers, leastShare } = PACES[client];
      const call = async (url: string): Promise<number> => {
        for (let answered = 0; ; answered++) {
          const headers = { authorization: `Bearer ${KEYS[client]}` };
          const body = { model: `for-${client}`, max_tokens: 20 };
          const { status } = await ask(url, "openai-chat", { headers, body });
          if (status === 402) return answered;
          expect(status).toBe(200);
        }
      };
      const answered = await Promise.all(urls.flatMap((url) => Array.from({ length: callers }, () => call(url))));
      const calls = answered.reduce((sum, count) => sum + count, 0);
      const spentOf = async (): Promise<number> => {
        const all = await journal.keptAll("spend", client);
        const day = all.find(({ key }) => key.startsWith(`${client}/day/`));
        return (day?.value as { readonly microcents: number } | undefined)?.microcents ?? 0;
      };
      // A gateway writes a few times a second what its callers have spent.
      await expect.poll(spentOf).toBeGreaterThanOrEqual(leastShare * LIMIT_MICROCENTS);
      const spent = await spentOf();
      expect(spent).toBeLessThanOrEqual(LIMIT_MICROCENTS + spent / calls);
      expect(Math.min(...answered)).toBeGreaterThan(0);
    },
  );
});
