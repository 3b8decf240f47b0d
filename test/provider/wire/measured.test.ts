// What a request counts as input, as data and as references, and what it asks for, as a file that was reviewed says.

import { expect, it } from "vitest";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { type RequestFacts, requestFacts } from "../../../src/provider/wire/request-facts.ts";

const URLS: Readonly<Record<Protocol, string>> = {
  "openai-chat": "https://api.openai.com/v1/chat/completions",
  "openai-responses": "https://api.openai.com/v1/responses",
  "anthropic-messages": "https://api.anthropic.com/v1/messages",
  "google-generate": "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
};
const INPUT: Readonly<Record<Protocol, string>> = {
  "openai-chat": "messages",
  "openai-responses": "input",
  "anthropic-messages": "messages",
  "google-generate": "contents",
};

/** Parts of an input, which mean the same in every dialect. */
const PARTS: readonly unknown[] = [
  "text",
  ["two", "texts"],
  { role: "user", content: "text" },
  { type: "text", data: "plain text" },
  { type: "text/plain", data: "not plain" },
  { data: "base64", mimeType: "image/png" },
  { data: "base64", mime_type: "image/png" },
  { data: "base64", mimeType: "audio/wav" },
  { inlineData: { data: "base64", mimeType: "image/jpeg" } },
  { type: "image", source: { type: "base64", data: "base64" } },
  { type: "image", source: { type: "url", url: "https://x/y.png" } },
  { type: "image", source: { type: "file", file_id: "f1" } },
  { type: "image", source: ["in", "a list"] },
  { type: "image_url", image_url: { url: "data:image/png;base64,AA", detail: "high" } },
  { type: "image_url", image_url: "data:image/png;base64,AA" },
  { type: "input_image", image_url: "https://x/y.png" },
  { type: "input_image", file_id: "f1" },
  { type: "other", image_url: "data:image/png;base64,AA" },
  { type: "other", url: "data:text/plain,AA" },
  { type: "file", file_url: "https://x/y.pdf" },
  { type: "file", file_data: "base64" },
  { fileData: { fileUri: "gs://x" } },
  { file_data: { file_uri: "gs://x" } },
  { type: "file", file_id: "f1" },
  { type: "code", container_id: "c1" },
  { type: "file_citation", file_id: "f1" },
  { type: "url_citation", url: "https://x" },
  { type: "web_search_result", url: "https://x" },
  { type: "char_location", file_id: "f1" },
  { type: "char_location_of", file_id: "f1" },
  { type: "item_reference", id: "i1" },
  { type: "message", id: "i1" },
  { id: "i1" },
  { id: "i1", type: null },
  { id: "i1", role: "user" },
  { signature: "signed", thoughtSignature: "signed", thought_signature: "signed", encrypted_content: "secret" },
  { arguments: { url: "https://x", file_id: "f1", data: "text" } },
  { args: { inner: { deep: ["list", 7, null] } } },
  { response: "text" },
  { input: { url: "https://x" }, name: "tool" },
  { input: { url: "https://x" } },
  { schema: { type: "image", description: "text" } },
  { input_examples: [{ file_id: "f1" }] },
  { cache: true, count: 7, none: null },
];

/** Whole requests of one dialect. */
const REQUESTS: readonly (readonly [Protocol, object])[] = [
  ...["previous_response_id", "conversation", "cachedContent", "cached_content"].flatMap((field) =>
    [{ [field]: "x" }, { [field]: "" }, { [field]: { id: "x" } }].map((body) => ["openai-responses", body] as const),
  ),
  ["openai-responses", { prompt: { id: "p" } }],
  ["openai-responses", { prompt: "text" }],
  [
    "openai-responses",
    { instructions: "text", input: "text", tools: [{ name: "t" }], text: { format: { type: "json_object" } } },
  ],
  ["openai-chat", { functions: [{ name: "f" }], tools: [{ name: "t" }], response_format: { type: "json_schema" } }],
  ["openai-chat", { n: 3, best_of: 5, max_tokens: 10, max_completion_tokens: 20 }],
  ["openai-chat", { n: 0, max_tokens: 0 }],
  ["openai-chat", { n: -1, max_tokens: -1 }],
  ["openai-chat", { stream: true, model: "m" }],
  ["openai-chat", { stream: "true", model: "" }],
  ["openai-chat", { tools: [], functions: {} }],
  ["openai-chat", { speed: "fast", service_tier: "Flex" }],
  ["openai-chat", { speed: "slow", service_tier: "Flex" }],
  ["openai-chat", { service_tier: "", serviceTier: "Priority" }],
  ["anthropic-messages", { system: "text", output_config: { format: { type: "json_schema" } } }],
  ["anthropic-messages", { output_format: { type: "json_schema" } }],
  ["anthropic-messages", { output_format: { type: "text" } }],
  [
    "google-generate",
    {
      systemInstruction: "text",
      system_instruction: "text",
      generationConfig: { responseMimeType: "application/json", x: "text" },
    },
  ],
  ["google-generate", { generation_config: { response_mime_type: "application/json", candidate_count: 2 } }],
];

function line(what: unknown, facts: RequestFacts): string {
  const { inputCharacters, dataCharacters, dataTokens, hasImages, hasTools, ...rest } = facts;
  const tokens = dataTokens === Number.MAX_SAFE_INTEGER ? "any" : dataTokens;
  const flags = [hasImages && "images", hasTools && "tools", rest.wantsJson && "json", rest.streaming && "streams"];
  const { model, maxOutputTokens, answers, serviceTier } = rest;
  const asked = JSON.stringify([model, maxOutputTokens, answers, serviceTier]);
  const counted = `${inputCharacters} characters, ${dataCharacters} of data, ${tokens} tokens`;
  return `${JSON.stringify(what)}\n  ${counted} ${flags.filter(Boolean).join(" ")} ${asked}`;
}

it("a request counts as the file says", async () => {
  const parts = PARTS.map((part) => {
    const [first, ...others] = (Object.keys(URLS) as Protocol[]).map((protocol) =>
      requestFacts(protocol, URLS[protocol], { model: "m", [INPUT[protocol]]: [part] }),
    );
    for (const other of others) expect(other).toEqual(first);
    if (first === undefined) throw new Error("there is a dialect");
    return line(part, first);
  });
  const requests = REQUESTS.map(([protocol, body]) =>
    line([protocol, body], requestFacts(protocol, URLS[protocol], body)),
  );
  await expect(`${[...parts, ...requests].join("\n")}\n`).toMatchFileSnapshot("reviewed/request-facts.txt");
});
