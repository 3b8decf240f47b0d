// Pictures that tools return, and strict schemas, on their way to targets of another dialect.

import { describe, expect, it } from "vitest";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { ask, DIALECTS } from "../dialect-clients.ts";
import { bodyOfAnswer, stubWorld } from "../stub-upstream.ts";

const PIXEL = "iVBORw0KGgo=".repeat(50);
const JSON_TYPE = { "content-type": "application/json" };

/** What the target was sent. */
async function sentTo(target: Protocol, client: Protocol, body: Readonly<Record<string, unknown>>): Promise<string> {
  const sent: string[] = [];
  const world = await stubWorld(
    (request, response) => {
      sent.push(JSON.stringify(request.body));
      response.writeHead(200, JSON_TYPE).end(bodyOfAnswer(target, `{"a":1}`));
    },
    (base) => `version: 1
targets: { one: { dialect: ${target}, base_url: "${base}/one/v1" } }
routes: { "*": { chain: [one] } }
`,
  );
  await world.run(ask(world.url, client, { model: "m", body }));
  return sent.at(-1) ?? "";
}

const WITH_PICTURE: Readonly<Partial<Record<Protocol, Readonly<Record<string, unknown>>>>> = {
  "anthropic-messages": {
    messages: [
      { role: "user", content: "Look." },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "camera", input: {} }] },
      {
        role: "user",
        content: [
          {
            type: "tool_result",
            tool_use_id: "toolu_1",
            content: [
              { type: "text", text: "The garden:" },
              { type: "image", source: { type: "base64", media_type: "image/png", data: PIXEL } },
            ],
          },
        ],
      },
    ],
  },
  "openai-responses": {
    input: [
      { role: "user", content: "Look." },
      { type: "function_call", call_id: "call_1", name: "camera", arguments: "{}" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [
          { type: "input_text", text: "The garden:" },
          { type: "input_image", image_url: `data:image/png;base64,${PIXEL}` },
        ],
      },
    ],
  },
};

describe.each(Object.keys(WITH_PICTURE) as Protocol[])(
  "a picture in the result of a tool, from a client of %s",
  (client) => {
    it("follows the result for a target of openai-chat, and is no text there", async () => {
      const sent = await sentTo("openai-chat", client, WITH_PICTURE[client] ?? {});
      const { messages } = JSON.parse(sent) as { readonly messages: readonly { role: string; content: unknown }[] };
      const [result, picture] = messages.slice(-2);
      expect(result?.role).toBe("tool");
      expect(JSON.stringify(result?.content)).toContain("The garden:");
      expect(JSON.stringify(result?.content)).not.toContain(PIXEL);
      expect(picture).toMatchObject({
        role: "user",
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }],
      });
    });

    it.each(DIALECTS)("reaches a target of %s once", async (target) => {
      const sent = await sentTo(target, client, WITH_PICTURE[client] ?? {});
      expect(sent.split(PIXEL)).toHaveLength(2);
    });
  },
);

const SCHEMA = { type: "object", properties: { a: { type: "integer" } } };
const OPENAI: readonly Protocol[] = ["openai-chat", "openai-responses"];
const FORMATS: readonly {
  readonly client: Protocol;
  readonly strict: unknown;
  readonly body: Record<string, unknown>;
}[] = [true, false, undefined].flatMap((strict) => [
  {
    client: "openai-chat" as const,
    strict,
    body: { response_format: { type: "json_schema", json_schema: { name: "x", schema: SCHEMA, strict } } },
  },
  {
    client: "openai-responses" as const,
    strict,
    body: { text: { format: { type: "json_schema", name: "x", schema: SCHEMA, strict } } },
  },
]);
const GOOGLE = {
  client: "google-generate" as const,
  strict: undefined,
  body: { generationConfig: { responseMimeType: "application/json", responseSchema: SCHEMA } },
};

it.each([...FORMATS, GOOGLE].flatMap((row) => OPENAI.map((target) => ({ ...row, target }))))(
  "a schema of $client with strict: $strict is strict at $target only if its client says so",
  async ({ client, strict, body, target }) => {
    const sent = await sentTo(target, client, body);
    if (strict === true) expect(sent).toContain(`"strict":true`);
    else expect(sent).not.toContain(`"strict":true`);
  },
);
