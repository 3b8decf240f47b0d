// A stream of the Responses dialect that breaks, as OpenAI's SDK reads it.

import OpenAI from "openai";
import { expect, it } from "vitest";
import { always } from "../provider/chain/chain-world.ts";
import { ask, DIALECTS, PROMPT } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, twoDialects, type Urls } from "./open-world.ts";

const BREAKS = ["cut-stream", "error-mid-stream", "stall"] as const;
const GRID = DIALECTS.flatMap((target) =>
  BREAKS.flatMap((broken) => ["fail", "continue"].map((midStream) => ({ target, broken, midStream }))),
);

/** What the SDK makes of this stream: a response, or an error. */
async function readBySdk(raw: string): Promise<unknown> {
  const fetch = (): Promise<Response> =>
    Promise.resolve(new Response(raw, { headers: { "content-type": "text/event-stream" } }));
  const client = new OpenAI({ apiKey: "any", maxRetries: 0, fetch });
  const [read] = await Promise.allSettled([client.responses.stream({ model: "team", input: PROMPT }).finalResponse()]);
  return read.status === "fulfilled" ? read.value : read.reason;
}

it.each(GRID)("from $target ($broken, mid_stream: $midStream) ends with the SDK's own error", async (row) => {
  const { target, broken, midStream } = row;
  const rules = [FIRST, SECOND].map((model) => always(model, { fault: broken, after: 2 }));
  const file = (urls: Urls): string =>
    twoDialects(
      target,
      target,
      `, mid_stream: ${midStream}`,
    )(urls).replaceAll(", timeouts", ", continues: true, timeouts");
  const world = await gatewayWorld({ file, rules });
  const { raw } = await world.run(ask(world.url, "openai-responses", { streaming: true }));
  const ended = await readBySdk(raw);
  expect(ended).toBeInstanceOf(OpenAI.APIError);
  expect(String(ended)).toMatch(/broke|silent|overloaded/i);
  const begun = raw.match(/"type":"response\.created"/g);
  expect(begun, "how often a response begins").toHaveLength(1);
});
