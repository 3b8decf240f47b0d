// A stream of the Responses dialect that breaks, as OpenAI's SDK reads it.

import OpenAI from "openai";
import { expect, it } from "vitest";
import { always } from "../provider/chain/chain-world.ts";
import { DIALECTS, PROMPT } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, twoDialects } from "./open-world.ts";

const BREAKS = ["cut-stream", "error-mid-stream", "stall"] as const;
const GRID = DIALECTS.flatMap((target) =>
  BREAKS.flatMap((broken) => ["fail", "continue"].map((midStream) => ({ target, broken, midStream }))),
);

it.each(GRID)(
  "from a target of $target ($broken, mid_stream: $midStream) ends with the SDK's own error",
  async (row) => {
    const { target, broken, midStream } = row;
    const rules = [FIRST, SECOND].map((model) => always(model, { fault: broken, after: 2 }));
    const file: typeof twoDialects = (first, second) => (urls) =>
      twoDialects(
        first,
        second,
        `, mid_stream: ${midStream}`,
      )(urls).replaceAll(", timeouts", ", continues: true, timeouts");
    const world = await gatewayWorld({ file: file(target, target), rules });
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: "any", maxRetries: 0 });
    const read = async (): Promise<unknown> => {
      try {
        return await client.responses.stream({ model: "team", input: PROMPT }).finalResponse();
      } catch (error) {
        return error;
      }
    };
    const ended = await world.run(read());
    expect(ended).toBeInstanceOf(OpenAI.APIError);
  expect(String(ended)).toMatch(/broke|silent|overloaded/i);
});
  },
);
