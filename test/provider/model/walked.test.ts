// What one walk finds in requests that differ in one fact each, compared with a file. A change that is meant shows as a difference of that file
// (`npx vitest run test/provider/model/walked.test.ts -u` writes it again).

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import { factsFor } from "../../../src/provider/model-facts/facts-for.ts";
import { estimateTokens, needsOf, passesThrough, walkRequest } from "../../../src/provider/model/model-request.ts";

type Options = Partial<LanguageModelV4CallOptions>;
type Prompt = LanguageModelV4CallOptions["prompt"];

const call = (toolCallId: string, input: unknown = {}): object => ({
  type: "tool-call",
  toolCallId,
  toolName: "look",
  input,
});
const result = (toolCallId: string, output: object = { type: "text", value: "ok" }): object => ({
  ...{ type: "tool-result", toolCallId, toolName: "look", output },
});
const file = (mediaType: string, data: object = { type: "data", data: "AAAA" }): object => ({
  type: "file",
  mediaType,
  data,
});
const user = (...content: readonly object[]): object => ({ role: "user", content });
const assistant = (...content: readonly object[]): object => ({ role: "assistant", content });
const tool = (...content: readonly object[]): object => ({ role: "tool", content });
const asked = (...prompt: readonly object[]): Options => ({ prompt: prompt as unknown as Prompt });
const text = (words: string): object => ({ type: "text", text: words });
const failed = { type: "error-text", value: "no" };
const circle: Record<string, unknown> = { a: "12" };
circle["self"] = circle;
const twice = { b: "1" };
const schema = { type: "object", properties: { a: { type: "string" } } };
const offered = (fields: object): Options =>
  ({ prompt: [], tools: [{ type: "function", name: "look", inputSchema: {}, ...fields }] }) as unknown as Options;
const said = (output: object): Options => asked(assistant(call("1")), tool(result("1", output)));

const REQUESTS: Readonly<Record<string, Options>> = {
  "nothing": asked(),
  "a system prompt": asked({ role: "system", content: "be brief" }),
  "text": asked(user(text("hello"), text("you"))),
  "no tools": { ...asked(), tools: [] },
  "a tool": offered({}),
  "a tool with words": offered({ description: "looks", inputSchema: schema }),
  "the same schema again": offered({ description: "looks", inputSchema: schema }),
  "a tool of the provider": {
    prompt: [],
    tools: [{ type: "provider", id: "openai.search", name: "search", args: { a: 1 } }],
  },
  "a schema for the answer": { prompt: [], responseFormat: { type: "json", schema: { type: "object" } } },
  "an answer in JSON": { prompt: [], responseFormat: { type: "json" } },
  "a schema that is true": { prompt: [], responseFormat: { type: "json", schema: true as never } },
  "an answer in text": { prompt: [], responseFormat: { type: "text" } },
  "reasoning": asked(assistant({ type: "reasoning", text: "hm" })),
  "a call and its result": said({ type: "text", value: "fine" }),
  "a call without its result": asked(assistant(call("1"))),
  "a call whose result comes late": asked(assistant(call("1")), user(text("well?")), tool(result("1"))),
  "a result without its call": asked(tool(result("1"))),
  "a result in another message": asked(assistant(call("1"), result("1"))),
  "two calls with one id": asked(assistant(call("1")), tool(result("1")), assistant(call("1")), tool(result("1"))),
  "two calls and their results": asked(assistant(call("1"), call("2")), tool(result("2"), result("1"))),
  "two results of one call": asked(assistant(call("1")), tool(result("1"), result("1"))),
  "an unknown part": asked(user({ type: "custom", kind: "x" })),
  "arguments as text": asked(assistant(call("1", "{}x")), tool(result("1"))),
  "arguments of each type": asked(
    assistant(call("1", { n: 12, b: true, z: null, u: undefined, s: "abc", l: ["d", 4, ["ef"]], o: { p: "q" } })),
    tool(result("1")),
  ),
  "arguments in a circle": asked(assistant(call("1", circle)), tool(result("1"))),
  "arguments with one object twice": asked(assistant(call("1", { x: twice, y: twice })), tool(result("1"))),
  "a number as arguments": asked(assistant(call("1", 7)), tool(result("1"))),
  "no arguments": asked(assistant(call("1", undefined)), tool(result("1"))),
  "null as arguments": asked(assistant(call("1", null)), tool(result("1"))),
  "a result as JSON": said({ type: "json", value: { a: ["bc"] } }),
  "a result that was denied": said({ type: "execution-denied", reason: "never" }),
  "a result of parts": said({ type: "content", value: [text("four"), file("image/png"), { type: "custom" }] }),
  "one failure": said(failed),
  "two failures": asked(assistant(call("1"), call("2")), tool(result("1", failed), result("2", failed))),
  "two failures around a success": asked(
    assistant(call("1"), call("2"), call("3")),
    tool(result("1", failed), result("2"), result("3", failed)),
  ),
  "two failures, a success and one failure": asked(
    assistant(call("1"), call("2"), call("3"), call("4")),
    tool(result("1", failed), result("2", failed), result("3"), result("4", failed)),
  ),
  ...Object.fromEntries(
    ["image/png", "IMAGE/*", "audio/wav", "video/mp4", "application/pdf", "text/plain", "constructor/x"].map((type) => [
      type,
      asked(user(file(type))),
    ]),
  ),
  "a file of text": asked(user(file("text/plain", { type: "text", text: "words" }))),
  "a file at one vendor": asked(user(file("image/png", { type: "reference", reference: { openai: "f1" } }))),
  "a file at two vendors": asked(
    user(file("image/png", { type: "reference", reference: { openai: "f1", google: "f2" } })),
  ),
  "two files": asked(user(file("image/png"), file("image/png"), file("audio/wav"))),
  "what just fits": asked(user(text("x".repeat(6_000)))),
  "what does not": asked(user(text("x".repeat(6_001)))),
  "a long name": asked(assistant({ ...call("1"), toolName: "x".repeat(65) }), tool(result("1"))),
};

it("each request is walked as the file says that was reviewed", async () => {
  const known = factsFor("openai.chat", "gpt-4o");
  const small = { ...known, contextWindowTokens: 1_000 };
  const plain = { ...known, capabilities: [] };
  const rows = Object.entries(REQUESTS).map(([title, options]) => {
    const walk = walkRequest(options as LanguageModelV4CallOptions);
    const { files, calls, thoughts, ...found } = walk;
    const counts = [files.length, calls.length, thoughts.length];
    const fits = [known, small, plain].flatMap((facts) => [
      passesThrough(walk, true, facts),
      passesThrough(walk, false, facts),
    ]);
    const told = [
      found,
      counts,
      needsOf(walk, true),
      needsOf(walk, false).needs,
      estimateTokens(walk),
      estimateTokens(walk, 6),
      fits,
    ];
    return `${title}\n${told.map((one) => `  ${JSON.stringify(one)}`).join("\n")}`;
  });
  await expect(`${rows.join("\n")}\n`).toMatchFileSnapshot("walked/requests.txt");
});
