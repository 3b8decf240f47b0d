// Prompts and answers are kept only where the gateway's file says so: without secrets, and no longer than it says.

import { describe, expect, it } from "vitest";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import { transcriptOf } from "../../src/gateway/ledger/transcripts.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { ANSWER, ask, DIALECTS, PROMPT } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { type GatewayWorld, oneDialect, TARGET_KEY } from "./open-world.ts";

const DAY_MS = 86_400_000;
const SECRET = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyzABCDEF";

async function world(dialect: Protocol, more: string): Promise<GatewayWorld> {
  const env = { MINE: "mine-123", YOURS: "yours-123" };
  return gatewayWorld({ file: (urls) => `${oneDialect(dialect)(urls)}${more}\n`, env });
}

const keptIn = ({ fl }: GatewayWorld): ReturnType<typeof fl.journal.keptByTime> =>
  fl.journal.keptByTime("transcript", { order: "oldest", limit: 10 });

/** What is kept of the last call. */
async function lastOf({ fl, clock }: GatewayWorld): ReturnType<typeof transcriptOf> {
  await clock.advance(1_000);
  const [line] = await ledgerOf(fl.journal, 1);
  return transcriptOf(fl.journal, line?.call ?? "", clock.now());
}

describe.each(DIALECTS)("a gateway in front of %s", (dialect) => {
  it.each([true, false])("keeps nothing unless its file says so (streaming: %s)", async (streaming) => {
    const here = await world(dialect, "");
    await here.run(ask(here.url, dialect, { streaming }));
    expect(await lastOf(here)).toBeNull();
    expect(await keptIn(here)).toEqual([]);
  });

  it.each([true, false])("keeps prompts and answers without secrets (streaming: %s)", async (streaming) => {
    const here = await world(dialect, "keep: { prompts: true, answers: true }");
    await here.run(ask(here.url, dialect, { streaming, prompt: `${PROMPT} ${SECRET} ${TARGET_KEY}` }));
    const kept = await lastOf(here);
    expect(kept?.prompt).toContain(PROMPT);
    expect(kept?.answer).toContain("pieces");
    expect(JSON.stringify(kept)).not.toContain(SECRET);
    expect(JSON.stringify(kept)).not.toContain(TARGET_KEY);
  });
});

it.each(DIALECTS)("keeps no key of a client of %s", async (dialect) => {
  const here = await world(dialect, "keep: { prompts: true, answers: true }\nkeys: { mine: { key_env: MINE } }");
  const headers = { authorization: "Bearer mine-123" };
  await here.run(ask(here.url, dialect, { headers, prompt: `${PROMPT}, and my key is mine-123` }));
  const kept = await lastOf(here);
  expect([kept?.prompt, kept?.answer]).toEqual([
    expect.stringContaining("my key is [redacted]"),
    expect.stringContaining("my key is [redacted]"),
  ]);
});

it.each([
  ["prompts: true", true, false],
  ["answers: true", false, true],
  ["for_days: 3", false, false],
] as const)("with { %s } it keeps just that", async (rule, hasPrompt, hasAnswer) => {
  const here = await world("openai-chat", `keep: { ${rule} }`);
  expect((await here.run(ask(here.url, "openai-chat"))).text).toBe(ANSWER);
  const kept = await lastOf(here);
  expect([(kept?.prompt ?? null) !== null, (kept?.answer ?? null) !== null]).toEqual([hasPrompt, hasAnswer]);
});

it("lets a key decide for itself", async () => {
  const keys = "keys: { mine: { key_env: MINE, keep: { prompts: true } }, yours: { key_env: YOURS } }";
  const here = await world("openai-chat", keys);
  await here.run(ask(here.url, "openai-chat", { headers: { authorization: "Bearer yours-123" } }));
  await here.run(ask(here.url, "openai-chat", { headers: { authorization: "Bearer mine-123" } }));
  expect((await lastOf(here))?.prompt).toContain(PROMPT);
  expect(await keptIn(here)).toHaveLength(1);
});

it("removes what is older than the file says", async () => {
  const here = await world("openai-chat", "keep: { prompts: true, for_days: 2 }");
  await here.run(ask(here.url, "openai-chat"));
  expect(await lastOf(here)).not.toBeNull();
  const [before] = await keptIn(here);
  await here.clock.advance(2 * DAY_MS);
  expect(await transcriptOf(here.fl.journal, before?.key ?? "", here.clock.now())).toBeNull();
  await here.run(ask(here.url, "openai-chat"));
  expect(await lastOf(here)).not.toBeNull();
  const after = await keptIn(here);
  expect(after).toHaveLength(1);
  expect(after[0]?.key).not.toBe(before?.key);
});
