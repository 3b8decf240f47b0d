// What a target of another dialect gets of requests that its dialect writes otherwise, or cannot write. What it does not get has a name.

import { expect, it } from "vitest";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { ask } from "./dialect-clients.ts";
import { bodyOfAnswer, stubWorld } from "./stub-upstream.ts";

const CHAT = "openai-chat";
const RESPONSES = "openai-responses";
const ANTHROPIC = "anthropic-messages";
const GOOGLE = "google-generate";
const PIXEL = "iVBORw0KGgo=";
const TOOL = { name: "look", input_schema: { type: "object", properties: {} } };

interface Row {
  readonly what: string;
  readonly client: Protocol;
  readonly targets: readonly Protocol[];
  readonly body: Readonly<Record<string, unknown>>;
  /** What the target's request has in it, as JSON. */
  readonly sent: readonly string[];
  readonly lacks?: readonly string[];
  readonly omitted?: string;
}

const ROWS: readonly Row[] = [
  {
    what: "each parameter that it refuses is named",
    client: ANTHROPIC,
    targets: [RESPONSES],
    body: { top_k: 5, stop_sequences: ["end"] },
    sent: [],
    lacks: ["top_k", "end"],
    omitted: "refused-parameter=topK, refused-parameter=stopSequences",
  },
  {
    what: "JSON without a schema is named where only a schema can ask for it",
    client: CHAT,
    targets: [ANTHROPIC],
    body: { response_format: { type: "json_object" } },
    sent: [],
    omitted: "other-dialect=response_format",
  },
  {
    what: "the same for responses",
    client: RESPONSES,
    targets: [ANTHROPIC],
    body: { text: { format: { type: "json_object" } } },
    sent: [],
    omitted: "other-dialect=text.format",
  },
  {
    what: "the same for Google",
    client: GOOGLE,
    targets: [ANTHROPIC],
    body: { generationConfig: { responseMimeType: "application/json" } },
    sent: [],
    omitted: "other-dialect=generationConfig.responseMimeType",
  },
  {
    what: "JSON without a schema is asked for where the dialect can",
    client: CHAT,
    targets: [RESPONSES, GOOGLE],
    body: { response_format: { type: "json_object" } },
    sent: ["json"],
  },
  {
    what: "a system message in the middle",
    client: CHAT,
    targets: [RESPONSES, ANTHROPIC, GOOGLE],
    body: {
      messages: [
        { role: "system", content: "be kind" },
        { role: "user", content: "one" },
        { role: "system", content: "be brief" },
        { role: "user", content: "two" },
      ],
    },
    sent: ["be kind", "one", "be brief", "two"],
  },
  {
    what: "a tool's result without content",
    client: ANTHROPIC,
    targets: [CHAT, RESPONSES, GOOGLE],
    body: {
      tools: [TOOL],
      messages: [
        { role: "user", content: "look" },
        { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "look", input: {} }] },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "t1" }] },
      ],
    },
    sent: ["look"],
    lacks: [String.raw`"\"\""`],
  },
  {
    what: "a picture in a tool's result of Google's dialect",
    client: GOOGLE,
    targets: [CHAT, RESPONSES, ANTHROPIC],
    body: {
      tools: [{ functionDeclarations: [{ name: "look", parameters: { type: "OBJECT", properties: {} } }] }],
      contents: [
        { role: "user", parts: [{ text: "look" }] },
        { role: "model", parts: [{ functionCall: { name: "look", args: {} } }] },
        {
          role: "user",
          parts: [
            {
              functionResponse: {
                name: "look",
                response: { output: "a picture" },
                parts: [{ inlineData: { mimeType: "image/png", data: PIXEL } }],
              },
            },
          ],
        },
      ],
    },
    sent: ["a picture", PIXEL],
  },
];

it.each(ROWS.flatMap(({ targets, ...row }) => targets.map((target) => ({ ...row, target }))))(
  "$what: from a client of $client to $target",
  async ({ client, target, body, sent, lacks = [], omitted = null }) => {
    const world = await stubWorld(
      (_request, response) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end(bodyOfAnswer(target, `{"north":true}`)),
      (base) => `
version: 1
targets: { one: { dialect: ${target}, base_url: "${base}/one/v1" } }
routes: { m: { chain: [one/gpt-4.1] } }
`,
    );
    const heard = await world.run(ask(world.url, client, { model: "m", body }));
    expect(heard.status).toBe(200);
    const got = JSON.stringify(world.asked[0]?.body);
    for (const part of sent) expect(got).toContain(part);
    for (const part of lacks) expect(got).not.toContain(part);
    expect(heard.headers.get("x-faultline-omitted")).toBe(omitted);
  },
);
