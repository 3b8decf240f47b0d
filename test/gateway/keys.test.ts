// Clients of a gateway: their keys, what they may use, and what they may spend.

import { describe, expect, it } from "vitest";
import { createMemoryJournal, type Entry } from "../../src/index.ts";
import { ClientKeys } from "../../src/gateway/key/client-keys.ts";
import { sha256 } from "../../src/gateway/key/sha256.ts";
import { ledgerOf } from "../../src/gateway/ledger/read-ledger.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { always } from "../provider/chain/chain-world.ts";
import { shareOf } from "../support/grid.ts";
import { ANSWER, ask, bodyOf, DIALECTS, pathOf } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, type GatewayWorld, SECOND, START_AT, twoDialects, type Urls } from "./open-world.ts";

const GPT = "gpt-4o";
const env = { ALICE: "alice-key-0123456789", BOB: "bob-key-0123456789" };
const alice = { authorization: `Bearer ${env.ALICE}` };
const bob = { "x-api-key": env.BOB };

/** Few enough tokens for any budget of these tests. */
function limitOf(dialect: Protocol): Readonly<Record<string, unknown>> {
  if (dialect === "google-generate") return { generationConfig: { maxOutputTokens: 60 } };
  return dialect === "openai-responses" ? { max_output_tokens: 60 } : { max_tokens: 60 };
}

const file =
  (budget: string, extra = "") =>
  ({ of }: Urls): string =>
    `
version: 1
targets:
  us: { dialect: openai-chat, base_url: "${of("openai-chat")}", api_key_env: TARGET_KEY, region: us }
  eu: { dialect: anthropic-messages, base_url: "${of("anthropic-messages")}", api_key_env: TARGET_KEY, region: eu }
routes:
  team: { chain: [us/${GPT}, eu/claude-sonnet-4-5] }
  other: { chain: [us/${GPT}] }
keys:
  alice: { key_env: ALICE, routes: [team], budget: { ${budget} } }
  bob: { key_env: BOB, regions: [eu] }
${extra}`;

describe("keys", () => {
  it.each(DIALECTS)("an unknown key is refused in %s", async (dialect) => {
    const world = await gatewayWorld({ file: file("per_day_usd: 1"), env });
    const heard = await world.run(ask(world.url, dialect, { headers: { authorization: "Bearer nobody" } }));
    expect(heard.status).toBe(401);
    expect(heard.error).toMatchObject({
      message: "the gateway does not know this key; send one of the gateway's keys",
    });
    const keyless = await world.run(ask(world.url, dialect, { headers: { authorization: "" } }));
    expect(keyless.status).toBe(401);
    expect(keyless.error).toMatchObject({ message: "the request has no key; send one of the gateway's keys" });
    expect(world.received()).toEqual([]);
  });

  it("each request of a connection is known by the key that it sends itself", () => {
    const limits = { hour: null, day: null, month: null };
    const rest = { limits, routes: null, regions: null, mayUseUnpriced: false, mayUseOtherPaths: false, keep: null };
    const keys = new ClientKeys(["alice", "bob"].map((name) => ({ ...rest, name, sha256: sha256(`key of ${name}`) })));
    const ways = [
      (key: string) => ({ authorization: `Bearer ${key}` }),
      (key: string) => ({ "x-api-key": key }),
      // Not a key, so the one beside it counts.
      (key: string) => ({ "authorization": "Basic bm9ib2R5", "x-api-key": key }),
    ];
    const sent = ["alice", "alice", "nobody", "alice", "bob", "bob", "nobody", null, "bob"].flatMap((name) =>
      ways.map((way) => ({ name, headers: name === null ? {} : way(`key of ${name}`) })),
    );
    const connection = {};
    const found = sent.map(({ headers }) => {
      const { sent: key, key: known } = keys.find(headers, "", connection);
      return [key, known?.name ?? null];
    });
    const expected = sent.map(({ name }) => [name === null ? null : `key of ${name}`, name === "nobody" ? null : name]);
    expect(found).toEqual(expected);
    expect(keys.find(ways[0]?.("key of nobody") ?? {}, "", {}).key).toBeNull();
  });

  it("a key uses only its routes, and only targets in its regions", async () => {
    const world = await gatewayWorld({ file: file("per_day_usd: 1"), env });
    const other = await world.run(ask(world.url, "openai-chat", { model: "other", headers: alice }));
    expect(other.status).toBe(403);
    const far = await world.run(ask(world.url, "openai-chat", { model: "other", headers: bob }));
    expect(far.status).toBe(403);
    const near = await world.run(ask(world.url, "openai-chat", { headers: bob }));
    expect(near).toMatchObject({ status: 200, text: ANSWER });
    expect(near.headers.get("x-faultline-target")).toBe("eu/claude-sonnet-4-5");
  });

  it("a key reaches other paths only in its regions, and with an allow-list only if that says so", async () => {
    const world = await gatewayWorld({ file: file("per_day_usd: 1", "other_paths: us"), env });
    const near = await world.run(fetch(`${world.url}/v1/embeddings`, { method: "POST", headers: alice, body: "{}" }));
    expect([near.status, await near.text()]).toEqual([403, expect.stringContaining("its routes only")]);
    const far = await world.run(fetch(`${world.url}/v1/embeddings`, { method: "POST", headers: bob, body: "{}" }));
    expect([far.status, await far.text()]).toEqual([403, expect.stringContaining("us is in no region of this key")]);
  });

  it("a key sees the models it may use", async () => {
    const world = await gatewayWorld({ file: file("per_day_usd: 1"), env });
    const listed = await world.run(fetch(`${world.url}/v1/models`, { headers: alice }));
    expect(await listed.json()).toMatchObject({ object: "list", data: [{ id: "team", object: "model" }] });
    const anthropic = await world.run(
      fetch(`${world.url}/v1/models`, { headers: { ...bob, "anthropic-version": "2023-06-01" } }),
    );
    expect(await anthropic.json()).toMatchObject({
      // The only target of the other route is in another region.
      data: [{ type: "model", id: "team" }],
      has_more: false,
    });
    const google = await world.run(fetch(`${world.url}/v1beta/models?key=${env.BOB}`));
    expect(await google.json()).toMatchObject({ models: [{ name: "models/team" }] });
    const other = await world.run(fetch(`${world.url}/v1/models/gpt-9`, { headers: bob }));
    expect([other.status, await other.text()]).toEqual([
      404,
      expect.stringContaining('this key has no model \\"gpt-9\\"; it has team'),
    ]);
  });

  it("a target's refusal of the gateway's own key is no 401 for the client, and shows nothing of it", async () => {
    const world = await gatewayWorld({
      file: file("per_day_usd: 1"),
      env,
      rules: [always("*", { fault: "unauthorized" })],
    });
    const heard = await world.run(ask(world.url, "openai-chat", { headers: alice }));
    expect(heard.status).toBe(424);
    expect(heard.raw).not.toContain("sk-");
  });
});

describe.each(DIALECTS)("a target whose key is refused: a client of %s", (dialect) => {
  const row = DIALECTS.indexOf(dialect);
  it.each(
    DIALECTS.flatMap((other, at) => shareOf([false, true], 2, row + at).map((streaming) => ({ other, streaming }))),
  )("is answered by the next target, of $other, streaming $streaming", async ({ other, streaming }) => {
    const world = await gatewayWorld({
      file: twoDialects(dialect, other),
      rules: [always(FIRST, { fault: "invalid-key" })],
    });
    const heard = await world.run(ask(world.url, dialect, { streaming }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true });
    expect(world.asked()).toEqual([FIRST, SECOND]);
  });
});

describe("budgets", () => {
  it("a call that could pass the budget is refused, with a status that stops retries", async () => {
    const world = await gatewayWorld({ file: file("per_hour_usd: 0.001"), env });
    const heard = await world.run(ask(world.url, "openai-chat", { headers: alice, body: { max_tokens: 10_000 } }));
    expect(heard.status).toBe(402);
    expect(heard.headers.get("x-should-retry")).toBe("false");
    expect(heard.headers.get("x-faultline-code")).toBe("BudgetExceeded");
    expect(world.received()).toEqual([]);
    const free = await world.run(ask(world.url, "openai-chat", { headers: bob, body: { max_tokens: 10_000 } }));
    expect(free.status).toBe(200);
  });

  it.each([
    {
      budget: "per_hour_usd: 0.03",
      window: "hour",
      next: (at: Date) => at.setUTCHours(at.getUTCHours() + 1, 0, 0, 0),
    },
    { budget: "per_day_usd: 0.03, per_month_usd: 9", window: "day", next: (at: Date) => at.setUTCHours(24, 0, 0, 0) },
    {
      budget: "per_month_usd: 0.03",
      window: "month",
      next: (at: Date) => Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1),
    },
  ])("says in dollars what a call may cost, and when the $window begins again", async ({ budget, window, next }) => {
    const world = await gatewayWorld({ file: file(budget), env });
    for (const account of world.started.gateway.accounts) account.book(2_000_000);
    const heard = await world.run(ask(world.url, "openai-chat", { headers: alice, body: { max_tokens: 10_000 } }));
    const endsAt = next(new Date(START_AT));
    expect(heard.status).toBe(402);
    expect(heard.raw).toMatch(/this attempt may cost \$0\.1\d*; \$0\.02 of \$0\.03 is spent\./);
    expect(heard.raw).toContain(`The key's budget per ${window} starts again at ${new Date(endsAt).toISOString()}.`);
    expect(heard.raw).toContain("A lower max_tokens makes the estimate smaller");
    expect(heard.headers.get("retry-after")).toBe(String(Math.ceil((endsAt - world.clock.now()) / 1_000)));
    expect(heard.headers.get("x-should-retry")).toBe("false");
  });

  it("says that waiting does not help a call that is larger than the whole budget", async () => {
    const world = await gatewayWorld({ file: file("per_hour_usd: 0.001"), env });
    const heard = await world.run(ask(world.url, "openai-chat", { headers: alice, body: { max_tokens: 10_000 } }));
    expect([heard.status, heard.headers.get("retry-after")]).toEqual([402, null]);
    expect(heard.raw).toContain("more than the key's whole budget per hour allows, so waiting does not help.");
  });

  // Twenty cents pay for 20,000 tokens of output. A call that runs alone may cost four times what is left.
  const DEAR: readonly { readonly dialect: Protocol; readonly body: Readonly<Record<string, unknown>> }[] = [
    { dialect: "openai-chat", body: { max_tokens: 1_000, n: 128 } },
    { dialect: "openai-chat", body: { n: 128 } },
    { dialect: "openai-chat", body: { max_completion_tokens: 1, max_tokens: 200_000 } },
    { dialect: "openai-chat", body: { max_tokens: 1, max_completion_tokens: 200_000 } },
    { dialect: "google-generate", body: { generationConfig: { maxOutputTokens: 1_000, candidateCount: 128 } } },
    { dialect: "google-generate", body: { generation_config: { max_output_tokens: 1_000, candidate_count: 128 } } },
  ];

  it.each(DEAR)("counts all answers that $dialect asks for with $body, before it sends anything", async (row) => {
    const { dialect, body } = row;
    const targets = ({ of }: Urls): string => `
version: 1
targets: { us: { dialect: ${dialect}, base_url: "${of(dialect)}", prices: { "*": { input: 1, output: 10 } } } }
routes: { team: { chain: [us/any-model] } }
keys: { alice: { key_env: ALICE, budget: { per_day_usd: 0.2 } } }`;
    const world = await gatewayWorld({ file: targets, env });
    const heard = await world.run(ask(world.url, dialect, { headers: alice, body }));
    expect([heard.status, world.asked()]).toEqual([402, []]);
  });

  it("many calls at once together stay within the budget", async () => {
    const world = await gatewayWorld({ file: file("per_day_usd: 0.002"), env });
    const asking = { headers: alice, body: { max_tokens: 50 } };
    const heard = await world.run(Promise.all(Array.from({ length: 20 }, () => ask(world.url, "openai-chat", asking))));
    const statuses = heard.map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 402]));
    const [account] = [...world.started.gateway.accounts].filter(({ name }) => name === "alice");
    expect(account?.spent("day")).toBeLessThanOrEqual(200_000);
    expect(account?.reservedMicrocents).toBe(0);
  });

  it("what was spent survives the process, and ends with its window", async () => {
    const journal = createMemoryJournal();
    const limits = file("per_hour_usd: 0.0012");
    const asking = { headers: alice, body: { max_tokens: 100 } };
    const first = await gatewayWorld({ file: limits, env, faultline: { journal } });
    expect((await first.run(ask(first.url, "openai-chat", asking))).status).toBe(200);
    await first.run(first.started.gateway.close());
    const second = await gatewayWorld({ file: limits, env, faultline: { journal } });
    const spentOf = (): number =>
      [...second.started.gateway.accounts].find(({ name }) => name === "alice")?.spent("hour") ?? -1;
    expect(spentOf()).toBeGreaterThan(0);
    await second.clock.advance(3_600_000);
    expect(spentOf()).toBe(0);
  });

  it("what other processes have spent is known within a second, also in one that had nothing to do", async () => {
    const journal = createMemoryJournal();
    const limits = file("per_day_usd: 0.0012");
    const asking = { headers: alice, body: { max_tokens: 100 } };
    const [busy, idle] = [
      await gatewayWorld({ file: limits, env, faultline: { journal } }),
      await gatewayWorld({ file: limits, env, faultline: { journal } }),
    ];
    for (let status = 200; status === 200;) ({ status } = await busy.run(ask(busy.url, "openai-chat", asking)));
    await busy.run(busy.started.gateway.close());
    await idle.clock.advance(1_000);
    expect((await idle.run(ask(idle.url, "openai-chat", asking))).status).toBe(402);
  });

  it("keeps budgets when its settings change, and uses the new limits", async () => {
    const world = await gatewayWorld({ file: file("per_day_usd: 1"), env });
    const asking = { headers: alice, body: { max_tokens: 100 } };
    expect((await world.run(ask(world.url, "openai-chat", asking))).status).toBe(200);
    const { chaos } = world;
    const tight = file("per_day_usd: 0.0001")({
      of: (dialect) => (dialect === "openai-chat" ? chaos.openaiUrl : chaos.anthropicUrl),
    });
    await world.run(world.started.gateway.use(world.settings(tight)));
    expect((await world.run(ask(world.url, "openai-chat", asking))).status).toBe(402);
  });
});

describe("a model without a price", () => {
  const unpriced =
    (key: string, prices = "") =>
    ({ of }: Urls): string =>
      `
version: 1
targets:
  one: { dialect: openai-chat, base_url: "${of("openai-chat")}"${prices} }
  two: { dialect: anthropic-messages, base_url: "${of("anthropic-messages")}" }
routes:
  team: { chain: [one/own-model] }
  mixed: { chain: [one/own-model, two/claude-sonnet-4-5] }
keys:
  alice: { key_env: ALICE, budget: { per_day_usd: 1 }${key} }
  bob: { key_env: BOB }
`;
  const spentBy = (world: GatewayWorld): number =>
    [...world.started.gateway.accounts].find(({ name }) => name === "alice")?.spent("day") ?? -1;

  it.each(DIALECTS)("is refused under a budget, in words of %s, and runs without one", async (dialect) => {
    const world = await gatewayWorld({ file: unpriced(""), env });
    const refused = await world.run(ask(world.url, dialect, { headers: alice }));
    expect([refused.status, refused.raw]).toEqual([
      403,
      expect.stringContaining("no target of team has a known price"),
    ]);
    expect(world.received()).toEqual([]);
    expect((await world.run(ask(world.url, dialect, { headers: bob }))).text).toBe(ANSWER);
  });

  it.each(DIALECTS)("is passed over in a chain that has one with a price: %s", async (dialect) => {
    const world = await gatewayWorld({ file: unpriced(""), env });
    const heard = await world.run(ask(world.url, dialect, { model: "mixed", headers: alice }));
    expect(heard.headers.get("x-faultline-target")).toBe("two/claude-sonnet-4-5");
    expect(heard.headers.get("x-faultline-skipped")).toMatch(/^one\/.+ \(no price\)$/);
  });

  it.each(DIALECTS.flatMap((dialect) => [false, true].map((streaming) => ({ dialect, streaming }))))(
    "runs outside the budget if the key may use it, also when nothing is left: $dialect, streaming $streaming",
    async ({ dialect, streaming }) => {
      const world = await gatewayWorld({ file: unpriced(", unpriced: allow"), env });
      const [account] = world.started.gateway.accounts;
      account?.book(100_000_000);
      const heard = await world.run(ask(world.url, dialect, { headers: alice, streaming }));
      expect(heard).toMatchObject({ status: 200, text: ANSWER });
      expect(spentBy(world)).toBe(100_000_000);
    },
  );

  it.each(DIALECTS.flatMap((dialect) => [false, true].map((streaming) => ({ dialect, streaming }))))(
    "is booked at the price that its target states: $dialect, streaming $streaming",
    async ({ dialect, streaming }) => {
      const prices = ", prices: { own-*: { input: 1000, output: 5000 } }";
      const world = await gatewayWorld({ file: unpriced("", prices), env });
      const heard = await world.run(ask(world.url, dialect, { headers: alice, streaming, body: limitOf(dialect) }));
      expect(heard).toMatchObject({ status: 200, text: ANSWER });
      expect(spentBy(world)).toBeGreaterThan(1_000_000);
    },
  );
});

describe("a budget of which most is spent", () => {
  const low = async (world: GatewayWorld): Promise<readonly Entry[]> => {
    const page = await world.fl.journal.readFrom(0, { limit: 100 });
    return page.map(({ entry }) => entry).filter(({ event }) => event.type === "budget-warned");
  };
  const asking = { headers: alice, body: { max_tokens: 10 } };

  it("is told once for each window: to a listener and in the journal, by all processes together", async () => {
    const journal = createMemoryJournal();
    const alerts: unknown[] = [];
    const options = { file: file("per_hour_usd: 0.0012, per_month_usd: 100"), env, faultline: { journal } };
    const world = await gatewayWorld({ ...options, listener: { onBudgetLow: (alert) => void alerts.push(alert) } });
    const statuses: number[] = [];
    while (!statuses.includes(402)) statuses.push((await world.run(ask(world.url, "openai-chat", asking))).status);
    await world.run(world.started.gateway.close());
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(1);
    expect(alerts).toMatchObject([{ client: "alice", window: "hour", limitMicrocents: 120_000 }]);
    expect((await low(world)).map(({ event }) => event)).toMatchObject([
      { client: "alice", window: "hour", maxCostMicrocents: 120_000 },
    ]);
    const second = await gatewayWorld({ ...options, listener: { onBudgetLow: (alert) => void alerts.push(alert) } });
    const small = { headers: alice, body: { max_tokens: 1 } };
    await second.run(ask(second.url, "openai-chat", small));
    await second.run(second.started.gateway.close());
    expect(alerts).toHaveLength(1);
    expect(await low(second)).toHaveLength(1);
  });

  it("is not told because of what a call might have cost", async () => {
    const world = await gatewayWorld({ file: file("per_hour_usd: 0.05"), env });
    const heard = await world.run(ask(world.url, "openai-chat", { headers: alice, body: { max_tokens: 4_500 } }));
    expect(heard.status).toBe(200);
    await world.run(world.started.gateway.close());
    expect(await low(world)).toEqual([]);
  });
});

describe("the ledger", () => {
  it("has a line for each call with its decisions and its cost, and neither prompt nor answer", async () => {
    const journal = createMemoryJournal();
    const world = await gatewayWorld({
      file: file("per_day_usd: 1"),
      env,
      faultline: { journal },
      rules: [always(GPT, { fault: "unavailable" })],
    });
    const heard = await world.run(ask(world.url, "openai-chat", { headers: alice, body: { logit_bias: { 50: 1 } } }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER });
    expect(heard.headers.get("x-faultline-omitted")).toContain("logit_bias");
    expect(Number(heard.headers.get("x-faultline-cost-usd"))).toBeGreaterThan(0);
    await world.run(world.started.gateway.close());
    const lines = await ledgerOf(journal, 10);
    expect(lines).toMatchObject([
      {
        ...{ call: heard.headers.get("x-faultline-call"), at: START_AT, key: "alice", route: "team", model: "team" },
        ...{ target: "eu/claude-sonnet-4-5", attempts: 3, status: "done", code: null },
        decisions: [
          { target: `us/${GPT}`, attempt: 1, code: "Overloaded", recourse: "retry" },
          { target: `us/${GPT}`, attempt: 2, code: "Overloaded", recourse: "fallback" },
        ],
      },
    ]);
    expect(lines[0]?.microcents).toBeGreaterThan(0);
    expect(JSON.stringify(lines)).not.toMatch(/north|You said/);
  });
});

it("refuses a request that is too large, and one that is not JSON", async () => {
  const world = await gatewayWorld({ file: file("per_day_usd: 1", "max_body_mb: 1"), env });
  const post = (body: string): Promise<Response> =>
    fetch(`${world.url}${pathOf("openai-chat", {})}`, { method: "POST", headers: alice, body });
  const tooLarge = await world.run(post(JSON.stringify(bodyOf("openai-chat", { prompt: "x".repeat(2_000_000) }))));
  expect(tooLarge.status).toBe(413);
  expect(await tooLarge.text()).toContain("larger than 1 MiB; max_body_mb of the gateway's file sets this limit");
  expect((await world.run(post("not json"))).status).toBe(400);
});
