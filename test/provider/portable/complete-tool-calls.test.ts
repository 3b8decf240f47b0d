// A conversation that was cut off at any point becomes one that `generateText` accepts, and nothing is lost.

import { createOpenAI } from "@ai-sdk/openai";
import { convertToModelMessages, generateText, type ModelMessage } from "ai";
import fc from "fast-check";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { completeToolCalls } from "../../../src/index.ts";
import { OUTCOME_UNKNOWN } from "../../../src/provider/portable/tools.ts";

const answer = {
  id: "c1",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "well" }, finish_reason: "stop" }],
};
const model = createOpenAI({ apiKey: "k", fetch: () => Promise.resolve(Response.json(answer)) }).chat("gpt-4o");

const call = (toolCallId: string, more: object = {}) =>
  ({ type: "tool-call", toolCallId, toolName: "pay", input: {}, ...more }) as const;
const result = (toolCallId: string, value = "paid") =>
  ({ type: "tool-result", toolCallId, toolName: "pay", output: { type: "text", value } }) as const;
const unknown = (toolCallId: string) =>
  ({ ...result(toolCallId), output: { type: "error-text", value: OUTCOME_UNKNOWN } }) as const;

const HI: ModelMessage = { role: "user", content: "hi" };

async function isTaken(messages: ModelMessage[]): Promise<boolean> {
  return generateText({ model, messages, maxRetries: 0 }).then(
    ({ text }) => text === "well",
    () => false,
  );
}

const id = fc.constantFrom("a", "b", "c");
const message: fc.Arbitrary<ModelMessage> = fc.oneof(
  fc.constantFrom<ModelMessage>(HI, { role: "user", content: [{ type: "text", text: "and?" }] }),
  fc.constant<ModelMessage>({ role: "assistant", content: "hm" }),
  fc
    .array(id, { minLength: 1, maxLength: 3 })
    .map((ids): ModelMessage => ({ role: "assistant", content: ids.map((each) => call(each)) })),
  fc
    .array(id, { minLength: 1, maxLength: 3 })
    .map((ids): ModelMessage => ({ role: "tool", content: ids.map((each) => result(each)) })),
);

describe("completeToolCalls", () => {
  it.each<[string, ModelMessage[], number]>([
    ["at the end", [], 2],
    ["before a user speaks", [HI], 2],
    ["before a system message", [{ role: "system", content: "be brief" }, HI], 2],
    [
      "before two system messages",
      [
        { role: "system", content: "a" },
        { role: "system", content: "b" },
      ],
      2,
    ],
  ])("puts a missing result right behind its call: %s", (_where, rest, at) => {
    const completed = completeToolCalls([HI, { role: "assistant", content: [call("a")] }, ...rest]);
    expect(completed[at]).toMatchObject({ role: "tool", content: [{ toolCallId: "a" }] });
    expect(completed.toSpliced(at, 1)).toEqual([HI, { role: "assistant", content: [call("a")] }, ...rest]);
  });

  it("makes any conversation acceptable to generateText, and changes nothing the second time", async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 7 }), async (messages) => {
        const given = [HI, ...messages];
        const before = structuredClone(given);
        if (!(await isTaken(given))) refused += 1;
        const completed = completeToolCalls(given);
        expect(given).toEqual(before);
        expect(await isTaken(completed)).toBe(true);
        expect(completeToolCalls(completed)).toEqual(completed);
        // Everything that is not a result is still there, in order.
        const rest = (all: readonly ModelMessage[]) => all.filter(({ role }) => role !== "tool");
        expect(rest(completed)).toEqual(rest(given));
      }),
      { numRuns: 150 },
    );
    expect(refused).toBeGreaterThan(10);
  });

  it("works as docs/PROVIDERS.md shows", async () => {
    const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");
    const example = /import \{ completeToolCalls \} from "faultline";\n\n(.*)\n```/.exec(
      read("../../../docs/PROVIDERS.md"),
    );
    const messages: ModelMessage[] = [HI, { role: "assistant", content: [call("a")] }, HI];
    const { text } = await generateText({ model, messages: completeToolCalls(messages) });
    expect(text).toBe("well");
    expect(read("./complete-tool-calls.test.ts")).toContain(example?.[1] ?? "no example");
  });

  it("answers a call whose outcome is unknown, and says so", () => {
    const messages: ModelMessage[] = [HI, { role: "assistant", content: [call("a"), call("b")] }];
    expect(completeToolCalls([...messages, { role: "tool", content: [result("b")] }, HI])).toEqual([
      ...messages,
      { role: "tool", content: [result("b"), unknown("a")] },
      HI,
    ]);
  });

  it("moves a late result to its call, and removes one without a call", () => {
    const asked: ModelMessage = { role: "assistant", content: [call("a")] };
    expect(completeToolCalls([HI, asked, HI, { role: "tool", content: [result("a"), result("x")] }])).toEqual([
      HI,
      asked,
      { role: "tool", content: [result("a")] },
      HI,
    ]);
  });

  it("leaves alone complete calls, provider-executed tools, and what the last message approves", () => {
    const approved: ModelMessage[] = [
      HI,
      { role: "assistant", content: [call("a"), { type: "tool-approval-request", approvalId: "p", toolCallId: "a" }] },
      { role: "tool", content: [{ type: "tool-approval-response", approvalId: "p", approved: true }] },
    ];
    const complete: ModelMessage[] = [
      { role: "system", content: "be brief" },
      HI,
      { role: "assistant", content: [call("a"), call("s", { providerExecuted: true })] },
      { role: "tool", content: [result("a")] },
    ];
    for (const messages of [approved, complete]) {
      const completed = completeToolCalls(messages);
      expect(completed.every((each, at) => each === messages[at])).toBe(true);
      expect(completed).toHaveLength(messages.length);
    }
    const later = completeToolCalls([...approved, HI]);
    expect(later[2]).toEqual({
      role: "tool",
      content: [{ type: "tool-approval-response", approvalId: "p", approved: true }, unknown("a")],
    });
  });

  it("accepts what a chat kept of an interrupted turn", async () => {
    const parts = [{ type: "tool-pay" as const, toolCallId: "a", state: "input-available" as const, input: {} }];
    const messages = await convertToModelMessages([
      { role: "user", parts: [{ type: "text", text: "pay" }] },
      { role: "assistant", parts },
      { role: "user", parts: [{ type: "text", text: "well?" }] },
    ]);
    expect(await isTaken(messages)).toBe(false);
    expect(await isTaken(completeToolCalls(messages))).toBe(true);
  });
});
