// The tools of a real MCP server in the hands of the real AI SDK: the model calls them, and reads what became of it.

import { generateText, isStepCount } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, it } from "vitest";
import { toAiTools } from "../../src/mcp/index.ts";
import { connected } from "./connected.ts";
import { stdioServer } from "./stdio-server.ts";

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls one tool and then says "ok". */
function modelThatCalls(toolName: string, input: unknown): MockLanguageModelV4 {
  const asks = { type: "tool-call" as const, toolCallId: "1", toolName, input: JSON.stringify(input) };
  const says = { type: "text" as const, text: "ok" };
  return new MockLanguageModelV4({
    doGenerate: [
      { content: [asks], finishReason: { unified: "tool-calls", raw: undefined }, usage, warnings: [] },
      { content: [says], finishReason: { unified: "stop", raw: undefined }, usage, warnings: [] },
    ],
  });
}

it.each([
  ["an answer", "echo", { text: "hello" }, "hello"],
  ["the tool's own error", "refuse", {}, "HTTP 429 rate limit: no seats left on KL1001"],
  ["safe words about wrong input", "echo", { text: 7 }, /^ToolTerminal\/InputInvalid: /],
  ["safe words about a server that dies", "crash", {}, /^ProviderTransient\/NetworkDisconnect: (?!.*seats)/],
])("gives the model %s", async (_what, tool, input, text) => {
  const server = stdioServer();
  const { mcp } = await connected({ transport: server.transport });
  const model = modelThatCalls(tool, input);
  const result = await generateText({ model, tools: toAiTools(mcp), prompt: "go", stopWhen: isStepCount(2) });
  expect(result.text).toBe("ok");
  expect(model.doGenerateCalls[0]?.tools?.find(({ name }) => name === "echo")).toMatchObject({
    description: "says it again",
    inputSchema: { required: ["text"] },
  });
  const told = model.doGenerateCalls[1]?.prompt.at(-1);
  const value = expect.stringMatching(text) as string;
  expect(told).toMatchObject({ role: "tool", content: [{ type: "tool-result", output: { type: "text", value } }] });
});
