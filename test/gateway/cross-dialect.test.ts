// A gateway in front of targets that speak another dialect than the client: sixteen pairs, and each has one test with streams and the other
// without.

import { GoogleGenAI } from "@google/genai";
import { describe, expect, it } from "vitest";
import { always } from "../provider/chain/chain-world.ts";
import { shareOf } from "../support/grid.ts";
import { ANSWER, ask, DIALECTS, PROMPT } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, twoDialects, type Urls } from "./open-world.ts";

const PAIRS = DIALECTS.flatMap((client, row) =>
  DIALECTS.map((target, column) => ({ client, target, turn: row + column })),
);

describe.each(PAIRS)("$client → $target", ({ client, target, turn }) => {
  it.each(shareOf([false, true], 2, turn))("answers in the client's dialect (streaming: %s)", async (streaming) => {
    const world = await gatewayWorld({ file: twoDialects(target, target) });
    const heard = await world.run(ask(world.url, client, { streaming }));
    expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
    expect(world.received().map(({ model, protocol }) => ({ model, protocol }))).toEqual([
      { model: FIRST, protocol: expect.any(String) as string },
    ]);
    expect(heard.headers.get("x-faultline-target")).toBe(`one/${FIRST}`);
  });

  it.each(shareOf([false, true], 2, turn + 1))(
    "falls back from the client's own dialect, and nothing of the failed attempts is seen (streaming: %s)",
    async (streaming) => {
      const world = await gatewayWorld({
        file: twoDialects(client, target),
        rules: [always(FIRST, { fault: "unavailable" })],
      });
      const heard = await world.run(ask(world.url, client, { streaming }));
      expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true, error: null });
      expect(world.asked()).toEqual([FIRST, FIRST, SECOND]);
    },
  );
});

it.each(DIALECTS)("every piece of a stream has a text for Google's SDK, from a target of %s", async (target) => {
  const world = await gatewayWorld({ file: twoDialects(target, target) });
  const client = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: world.url } });
  const pieces: (string | undefined)[] = [];
  const read = async (): Promise<void> => {
    const stream = await client.models.generateContentStream({ model: "team", contents: PROMPT });
    for await (const { text } of stream) pieces.push(text);
  };
  await world.run(read());
  expect(pieces).not.toContain(undefined);
  expect(pieces.join("")).toBe(ANSWER);
});

describe.each(DIALECTS)("a client of %s", (dialect) => {
  it.each(DIALECTS)("sends no key to a target of %s that has none, neither its own nor another one", async (target) => {
    const file = (urls: Urls): string => twoDialects(target, target)(urls).replaceAll(", api_key_env: TARGET_KEY", "");
    const headers = { "authorization": "Bearer key-of-the-client", "x-goog-api-key": "key-of-the-client" };
    const world = await gatewayWorld({ file });
    for (const streaming of [true, false]) {
      const heard = await world.run(ask(world.url, dialect, { streaming, headers }));
      expect(heard).toMatchObject({ status: 200, text: ANSWER, isWhole: true });
    }
    expect(world.received().map(({ key }) => key)).toEqual([null, null]);
  });
});

// The call has no result, so the request is changed for a target that it was not written for.
const UNANSWERED = [
  { role: "user", content: PROMPT },
  { type: "function_call", call_id: "call_1", name: "compass", arguments: "{}" },
  { role: "user", content: PROMPT },
];

it.each(DIALECTS)(
  "a target of %s that also speaks the client's dialect gets a changed request with its options",
  async (other) => {
    const file = (urls: Urls): string =>
      twoDialects(
        "openai-responses",
        "openai-responses",
      )(urls).replace(
        /(two: \{ dialect: )openai-responses/,
        `$1[${other === "openai-responses" ? other : `${other}, openai-responses`}]`,
      );
    const world = await gatewayWorld({ file, rules: [always(FIRST, { fault: "unavailable" })] });
    const body = { input: UNANSWERED, parallel_tool_calls: false, prompt_cache_key: "ours" };
    const heard = await world.run(ask(world.url, "openai-responses", { body }));
    expect(heard).toMatchObject({ status: 200, isWhole: true });
    expect(world.received().at(-1)).toMatchObject({
      model: SECOND,
      body: { store: false, parallel_tool_calls: false, prompt_cache_key: "ours" },
    });
  },
);
