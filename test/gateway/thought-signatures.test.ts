// Google's signatures of tool calls: they reach the clients that can send them back, and a conversation that another vendor answered can go
// back to Google.

import { describe, expect, it } from "vitest";
import type { AboutAnswer, AnswerCall, AnswerFinish } from "../../src/gateway/translate/answer-writing.ts";
import { readRequest } from "../../src/gateway/translate/read-request.ts";
import { WRITERS } from "../../src/gateway/translate/write-answer.ts";

const about: AboutAnswer = {
  ...{ id: "1", model: "gemini-3-pro-preview", createdAt: 0, inputTokens: 1 },
  ...{ textTools: new Set<string>(), wantsUsage: false, asList: false, sent: null },
};
const call: AnswerCall = { type: "tool-call", toolCallId: "c1", toolName: "search", input: `{"q":"north"}` };
const signedCall: AnswerCall = { ...call, providerMetadata: { google: { thoughtSignature: "sig-1" } } };
const finish: AnswerFinish = {
  type: "finish",
  finishReason: { unified: "tool-calls", raw: undefined },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
};

function written(
  dialect: "openai-chat" | "google-generate",
  made: AnswerCall,
  streaming: boolean,
  model: string,
): string {
  const to = { ...about, model };
  if (!streaming) return JSON.stringify(WRITERS[dialect].body({ ...finish, content: [made] }, to));
  const writer = WRITERS[dialect].stream(to);
  return writer.part(made) + writer.finish(finish);
}

describe.each([false, true])("streaming: %s", (streaming) => {
  it("a signature reaches clients of Google and of chat completions", () => {
    expect(written("google-generate", signedCall, streaming, about.model)).toContain(`"thoughtSignature":"sig-1"`);
    const chat = written("openai-chat", signedCall, streaming, about.model);
    expect(chat).toContain(`"extra_content":{"google":{"thought_signature":"sig-1"}}`);
    expect(written("openai-chat", call, streaming, about.model)).not.toContain("extra_content");
  });

  it.each([
    { model: "gemini-3-pro-preview", has: true },
    { model: "gemini-4-argon", has: true },
    { model: "gemini-2.5-pro", has: false },
    { model: "team", has: false },
  ])("a call of another vendor can go back to $model", ({ model, has }) => {
    const sent = written("google-generate", call, streaming, model);
    expect(sent.includes(`"thoughtSignature":"skip_thought_signature_validator"`)).toBe(has);
  });
});

it("a client of chat completions sends it back to Google", () => {
  const extra_content = { google: { thought_signature: "sig-1" } };
  const tool_calls = [{ id: "c1", type: "function", function: { name: "search", arguments: "{}" }, extra_content }];
  const { options } = readRequest("openai-chat", { messages: [{ role: "assistant", content: null, tool_calls }] });
  expect(options.prompt[0]).toMatchObject({
    content: [{ type: "tool-call", providerOptions: { google: { thoughtSignature: "sig-1" } } }],
  });
});
