// What a target takes as it is needs none of the rules that always hold and asks for nothing the target lacks; and an ordinary
// request is taken as it is.

import type { LanguageModelV4CallOptions, LanguageModelV4Message } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsFor, type ModelFacts } from "../../../src/provider/model-facts/facts-for.ts";
import { needsOf, passesThrough, walkRequest } from "../../../src/provider/model/model-request.ts";
import type { Pass } from "../../../src/provider/portable/pass.ts";
import { PORTABLE_RULES } from "../../../src/provider/portable/rules.ts";
import {
  assistant,
  call,
  requests,
  result,
  SIGNED,
  targets,
  text,
  thought,
  TO,
  tool,
  user,
} from "../portable/requests.ts";

const passThroughTo = (to: ModelFacts) => (given: LanguageModelV4CallOptions, isStreaming: boolean) =>
  passesThrough(walkRequest(given), isStreaming, to);

function isLeftAlone(given: LanguageModelV4CallOptions, to: ModelFacts): boolean {
  const pass: Pass = {
    to,
    from: null,
    note: () => undefined,
    toolNames: new Map(),
    tellAfter: 2,
    whereOf: () => "",
    replace: (_before, next) => next,
  };
  return PORTABLE_RULES.filter(({ when }) => when === "always").every(({ apply }) => apply(given, pass) === given);
}

function isServed(given: LanguageModelV4CallOptions, to: ModelFacts, isStreaming: boolean): boolean {
  const { needs, inputTokensAtLeast } = needsOf(walkRequest(given), isStreaming);
  return needs.every((need) => to.capabilities.includes(need)) && inputTokensAtLeast <= to.contextWindowTokens;
}

const image = { type: "file", mediaType: "image/png", data: { type: "url", url: new URL("https://x.org/i") } } as const;
const seen = (output: unknown, toolCallId = "a"): LanguageModelV4Message =>
  ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId, toolName: "find", output }],
  }) as LanguageModelV4Message;

const HISTORY = [
  { role: "system" as const, content: "be brief" },
  user(text("look"), image),
  assistant(thought(SIGNED), text("both"), call("a"), call("b")),
  tool(result("b")),
  tool(result("a")),
  assistant(call("c"), call("d"), call("e")),
  tool(result("d"), result("c"), result("e")),
  assistant(text("found")),
  assistant(call("f")),
  seen({ type: "content", value: [{ type: "text", text: "and an image" }, image] }, "f"),
  user(text("thanks")),
];

describe("a request that is taken as it is", () => {
  it("is one that no rule would change, and that the target can serve", () => {
    let found = 0;
    const few = { capabilities: ["streaming"], contextWindowTokens: 1 };
    const most = fc.constantFrom({}, few, { ...few, capabilities: ["tools"] });
    fc.assert(
      fc.property(requests, targets, most, fc.boolean(), (given, target, less, isStreaming) => {
        const to = { ...target, ...less };
        if (!passThroughTo(to)(given, isStreaming)) return;
        found += 1;
        expect([isLeftAlone(given, to), isServed(given, to, isStreaming)]).toEqual([true, true]);
      }),
      { numRuns: 3000 },
    );
    expect(found).toBeGreaterThan(20);
  });

  it("may have calls with their answers, several at once and in any order, files, and thoughts of the target's own", () => {
    expect(passThroughTo(TO.opus)({ prompt: HISTORY }, true)).toBe(true);
    expect(passThroughTo(TO.gpt)({ prompt: HISTORY }, true)).toBe(false);
  });

  it.each([
    ["a call without an answer", [assistant(call("a"))]],
    ["an answer without a call", [tool(result("a"))]],
    ["an answer behind another message", [assistant(call("a")), user(text("well?")), tool(result("a"))]],
    ["an answer twice", [assistant(call("a")), tool(result("a"), result("a"))]],
    ["the same call twice", [assistant(call("a"), call("a")), tool(result("a"), result("a"))]],
    ["an id again", [assistant(call("a")), tool(result("a")), assistant(call("a")), tool(result("a"))]],
    ["an id in another form", [assistant(call("functions.find:0")), tool(result("functions.find:0"))]],
    ["a name in another form", [assistant(call("a", { toolName: "x.y" })), tool({ ...result("a"), toolName: "x.y" })]],
    ["one of two answers missing", [assistant(call("a"), call("b")), tool(result("b"))]],
    ["a call that its vendor answers", [assistant(call("a", { providerExecuted: true }), text("there"))]],
  ])("has not %s", (_what, prompt) => {
    expect(passThroughTo(TO.opus)({ prompt }, false)).toBe(false);
  });

  it.each([
    ["streaming", { prompt: [user(text("hi"))] }, true],
    ["vision", { prompt: [user(image)] }, false],
    ["vision", { prompt: [assistant(call("a")), seen({ type: "content", value: [image] })] }, false],
    ["tools", { prompt: [assistant(call("a")), tool(result("a"))] }, false],
    ["tools", { prompt: [], tools: [{ type: "function" as const, name: "f", inputSchema: {} }] }, false],
  ])("does not pass the request to a model without %s", (capability, options, isStreaming) => {
    const whole = factsFor("acme.chat", "m");
    const capabilities = whole.capabilities.filter((each) => each !== capability);
    expect(passThroughTo(whole)(options, isStreaming)).toBe(true);
    expect(passThroughTo({ ...whole, capabilities })(options, isStreaming)).toBe(false);
  });

  it.each([
    ["text", { prompt: [user(text("x".repeat(61)))] }],
    ["instructions", { prompt: [{ role: "system" as const, content: "x".repeat(61) }] }],
    ["thoughts", { prompt: [assistant({ type: "reasoning" as const, text: "x".repeat(61) })] }],
    ["arguments", { prompt: [assistant(call("a", { input: { q: "x".repeat(61) } })), tool(result("a"))] }],
    ["results", { prompt: [assistant(call("a")), tool(result("a", "x".repeat(61)))] }],
    ["a schema", { prompt: [], responseFormat: { type: "json" as const, schema: { title: "x".repeat(61) } } }],
    ["a tool", { prompt: [], tools: [{ type: "function" as const, name: "x".repeat(61), inputSchema: {} }] }],
    ["a picture", { prompt: [user(image)] }],
  ])("has no more %s than the window holds", (_what, options) => {
    const whole = factsFor("acme.chat", "m");
    expect(passThroughTo(whole)(options, false)).toBe(true);
    expect(passThroughTo({ ...whole, contextWindowTokens: 10 })(options, false)).toBe(false);
  });
});
