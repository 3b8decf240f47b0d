// Names of models that no header can hold: those that a model may have are answered, all others are refused before anything is sent.

import { describe, expect, it } from "vitest";
import { ask } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import type { Urls } from "./open-world.ts";

const file = ({ of }: Urls): string => `
version: 1
targets: { one: { dialect: openai-chat, base_url: "${of("openai-chat")}", api_key_env: TARGET_KEY } }
routes: { "*": { chain: [one] } }`;

const WAYS = (["openai-chat", "anthropic-messages"] as const).flatMap((dialect) =>
  [false, true].map((streaming) => ({ dialect, streaming })),
);

describe.each(WAYS)("in $dialect, streamed: $streaming", ({ dialect, streaming }) => {
  it.each(["模型-1", "größe", "🦊", "a b", "50%"])("answers %j, and names the target in ASCII", async (model) => {
    const world = await gatewayWorld({ file });
    const heard = await world.run(ask(world.url, dialect, { model, streaming }));
    expect([heard.status, heard.isWhole]).toEqual([200, true]);
    const said = heard.headers.get("x-faultline-target") ?? "";
    expect(said).toMatch(/^one\/[\x20-\x7e]+$/);
    expect(model.includes("%") ? said : decodeURIComponent(said)).toBe(`one/${model}`);
    expect(world.asked()).toEqual([model]);
  });

  it.each(["a\r\nx-evil: 1", "a\nb", "a\0b", "\u{d800}", "a\u007f", "a\u2028b", "m".repeat(20_000)])(
    "refuses %j",
    async (model) => {
      const world = await gatewayWorld({ file });
      const heard = await world.run(ask(world.url, dialect, { model, streaming }));
      expect([heard.status, world.asked()]).toEqual([400, []]);
    },
  );
});
