// Conversations with tools through a gateway, with the official SDKs as clients: parallel calls, their ids, and their results.

import { describe, expect, it } from "vitest";
import { always } from "../provider/chain/chain-world.ts";
import { shareOf } from "../support/grid.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, TARGET_KEY, twoDialects } from "./open-world.ts";
import { KEY_OF_CLIENT, SDK_CLIENTS } from "./sdk-clients.ts";

const PAIRS = DIALECTS.flatMap((client, row) =>
  DIALECTS.map((target, column) => ({ client, target, turn: row + column })),
);
const CALLS = [
  { tool: "weather", input: { city: "Oslo" } },
  { tool: "weather", input: { city: "Lima" } },
];

// Each pair has one test with streams and the other without.
describe.each(PAIRS)("$client → $target", ({ client, target, turn }) => {
  it.each(shareOf([false, true], 2, turn))(
    "calls two tools at once and reads their results (streaming: %s)",
    async (streaming) => {
      const rules = [{ when: { model: FIRST }, sequence: [{ calls: CALLS }] }];
      const world = await gatewayWorld({ rules, file: twoDialects(target, target) });
      const resultOf = ({ input }: { readonly input: unknown }): string =>
        `rain in ${(input as { city: string }).city}`;
      const { calls, text } = await SDK_CLIENTS[client](world.url, { streaming, resultOf });
      expect(calls.map(({ name, input }) => ({ name, input }))).toEqual(
        CALLS.map(({ tool: name, input }) => ({ name, input })),
      );
      expect(new Set(calls.map(({ id }) => id)).size).toBe(client === "google-generate" && target === client ? 1 : 2);
      expect(text).toMatch(/The tool said: .*rain in Oslo.*rain in Lima/);
      expect(JSON.stringify(world.received()[1]?.body)).toContain("You are a clerk.");
    },
  );

  it.each(shareOf([false, true], 2, turn + 1))(
    "lets a fallback read calls of the first target, and no target sees the client's key (streaming: %s)",
    async (streaming) => {
      const rules = [
        { when: { model: FIRST, request: 1 }, calls: CALLS },
        { "when": { model: FIRST, request: "2-" }, "fault": "rate-limit" as const, "retry-after": 60 },
      ];
      const world = await gatewayWorld({ rules, file: twoDialects(client, target) });
      const { text } = await SDK_CLIENTS[client](world.url, { streaming, resultOf: () => "sun" });
      expect(text).toMatch(/The tool said: .*sun.*sun/);
      expect(world.asked()).toEqual([FIRST, FIRST, SECOND]);
      const keys = new Set(world.received().map(({ key }) => key));
      expect(keys.size).toBe(1);
      expect(JSON.stringify(world.received())).not.toContain(KEY_OF_CLIENT);
      expect(JSON.stringify(world.events())).not.toContain(TARGET_KEY);
    },
  );
});

const WEATHER = {
  name: "weather",
  input_schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

it.each(DIALECTS.filter((dialect) => dialect === "openai-chat" || dialect === "openai-responses"))(
  "never closes the block of a call with broken arguments, so that no client of Anthropic's runs it: from %s",
  async (target) => {
    const world = await gatewayWorld({
      file: twoDialects(target, target),
      rules: [always("*", { fault: "invalid-tool-call", calls: CALLS.slice(0, 1) } as never)],
    });
    const body = { tools: [WEATHER] };
    const heard = await world.run(ask(world.url, "anthropic-messages", { streaming: true, body }));
    const events = [...heard.raw.matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
    expect(heard.raw).toContain('"type":"tool_use"');
    expect(events.at(-1)).toBe("error");
    expect(events).not.toContain("message_stop");
    expect(events).not.toContain("content_block_stop");
  },
);
