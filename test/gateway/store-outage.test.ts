// A journal that is gone for a while: what clients spend meanwhile is in it afterwards, in all windows, without a further call.

import { expect, it } from "vitest";
import { createMemoryJournal, type Journal } from "../../src/index.ts";
import { ask } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import type { Urls } from "./open-world.ts";

const env = { ALICE: "alice-key-0123456789" };
const headers = { authorization: `Bearer ${env.ALICE}` };
const file = ({ of }: Urls): string => `
version: 1
targets: { us: { dialect: openai-chat, base_url: "${of("openai-chat")}", api_key_env: TARGET_KEY } }
routes: { team: { chain: [us/gpt-4o] } }
keys: { alice: { key_env: ALICE, budget: { per_day_usd: 10 } } }`;

/** A journal whose changes of kept values fail while `isGone` says so for their key. */
function failing(
  journal: Journal,
  isGone: (key: string) => boolean,
  answer = (): Promise<never> => Promise.reject(new Error("the store is gone")),
): Journal {
  return new Proxy(journal, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]) => {
        if (name === "changeKept" && isGone(String(given[1]))) return answer();
        return Reflect.apply(value, target, given) as unknown;
      };
    },
  });
}

it.each([
  { what: "does not answer", isSilent: true },
  { what: "refuses every write", isSilent: false },
])(
  "waits ten seconds for a store that $what: then calls go by what the gateway knows until it writes again",
  async ({ isSilent }) => {
    const silence = Promise.withResolvers<never>();
    let isGone = true;
    const refused = (): Promise<never> => Promise.reject(new Error("the store is gone"));
    const store = failing(createMemoryJournal(), () => isGone, isSilent ? () => silence.promise : refused);
    const world = await gatewayWorld({ file, env, faultline: { journal: store } });
    const call = async (): Promise<number> => {
      const before = world.clock.now();
      const { status } = await world.run(ask(world.url, "openai-chat", { headers, body: { max_tokens: 60 } }));
      expect(status).toBe(200);
      return world.clock.now() - before;
    };
    const [first, ...others] = [await call(), await call(), await world.clock.advance(5_000).then(call), await call()];
    expect(first).toBeLessThanOrEqual(11_000);
    expect(Math.max(...others)).toBeLessThan(1_000);
    isGone = false;
    if (isSilent) silence.reject(new Error("the connection was given up"));
  },
);

async function spentIn(journal: Journal): Promise<readonly number[]> {
  const kept = await journal.keptAll("spend", "alice");
  return kept.map(({ value }) => (value as { readonly microcents: number }).microcents);
}

it.each([
  { what: "all of it", pattern: /./ },
  { what: "one window of three", pattern: /\/day\// },
])("writes what was spent while the store was gone: $what", async ({ pattern }) => {
  const journal = createMemoryJournal();
  let gone = true;
  const store = failing(journal, (key) => gone && pattern.test(key));
  const world = await gatewayWorld({ file, env, faultline: { journal: store } });
  const call = async (): Promise<void> => {
    const { status } = await world.run(ask(world.url, "openai-chat", { headers, body: { max_tokens: 60 } }));
    expect(status).toBe(200);
  };
  await call();
  await world.clock.advance(10_000);
  await call();
  await world.clock.advance(10_000);
  const spent = [...world.started.gateway.accounts].map((account) => account.spent("day"));
  gone = false;
  await world.clock.advance(5_000);
  await world.clock.advance(5_000);
  const [total = 0] = spent;
  expect(total).toBeGreaterThan(0);
  expect(await spentIn(journal)).toEqual([total, total, total]);
});
