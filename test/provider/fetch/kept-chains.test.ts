// A protected fetch keeps one chain per address, key and model, and as many as are in use: model names may come from anyone.

import { expect, it } from "vitest";
import { createFetch } from "../../../src/provider/fetch/protected-fetch.ts";
import { priceTable } from "../../../src/provider/price/price-table.ts";
import type { ProtectChain } from "../../../src/runtime/call/outcome.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";

function world(): (model: string, more?: { url?: string; key?: string }) => Promise<unknown> {
  const seen: unknown[] = [];
  const protect = ((chain) => {
    seen.push(chain);
    return Promise.reject(new Error("nothing is sent"));
  }) as ProtectChain;
  const deps = { clock: createFakeClock(), prices: priceTable(), isKept: false, learnKeys: () => undefined };
  const asking = createFetch({ provider: "openai" }, protect, deps);
  return async (model, { url = "https://a.example/v1", key = "first-key-0123456789" } = {}) => {
    const body = JSON.stringify({ model, messages: [{ role: "user", content: "hi" }] });
    const headers = { authorization: `Bearer ${key}` };
    await expect(asking(`${url}/chat/completions`, { method: "POST", headers, body })).rejects.toThrow(
      "nothing is sent",
    );
    return seen.at(-1);
  };
}

it("asks for the same by the same chain, and for anything else by another", async () => {
  const chainFor = world();
  const first = await chainFor("m");
  expect(await chainFor("m")).toBe(first);
  const others = [
    await chainFor("n"),
    await chainFor("m", { url: "https://b.example/v1" }),
    await chainFor("m", { key: "second-key-0123456789" }),
  ];
  expect(new Set([first, ...others]).size).toBe(4);
});

it("forgets the chain that was used least recently once there are more than 200", async () => {
  const chainFor = world();
  const [first, second] = [await chainFor("first"), await chainFor("second")];
  for (let at = 0; at < 198; at++) await chainFor(`m${at}`);
  expect(await chainFor("first")).toBe(first);
  await chainFor("one more");
  expect(await chainFor("first")).toBe(first);
  expect(await chainFor("second")).not.toBe(second);
});
