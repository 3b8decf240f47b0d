// Tools are sent under names that the provider accepts, and the model's calls come back under the caller's names and with unique
// ids: every dialect, whole and streamed, through a real AI SDK loop, against a server that rejects what the vendor rejects.

import { generateText, jsonSchema, type LanguageModel, type ModelMessage, stepCountIs, streamText, tool } from "ai";
import { afterEach, describe, expect, it } from "vitest";
import { createFaultline, FaultError } from "../../../src/index.ts";
import { factsFor } from "../../../src/provider/model-facts/facts-for.ts";
import {
  type DialectName,
  DIALECTS,
  type DialectStub,
  startDialectStub,
  type StubCall,
} from "../../support/dialect-stub.ts";

const LONG = `${"long_".repeat(17)}name`;
/** Dots, a length of 89, two names that collide when they are cut, two that collide without their dots, a leading digit. */
const NAMES = ["math.add", "math_add", LONG, `${LONG}_too`, "3d/render", "suche-größe", "plain"];

type Form = "whole" | "streamed";
const CASES = (Object.keys(DIALECTS) as DialectName[]).flatMap((dialect) =>
  (["whole", "streamed"] as const).map((form): { dialect: DialectName; form: Form } => ({ dialect, form })),
);

let stub: DialectStub | null = null;
afterEach(async () => {
  await stub?.close();
  stub = null;
});

function tools(ran: string[]) {
  return Object.fromEntries(
    NAMES.map((name) => [
      name,
      tool({
        inputSchema: jsonSchema<{ n: number }>({ type: "object", properties: { n: { type: "number" } } }),
        execute: ({ n }, { toolCallId }) => {
          ran.push(`${name}(${n}) ${toolCallId}`);
          return `${name} gave ${n}`;
        },
      }),
    ]),
  );
}

interface Loop {
  readonly text: string;
  /** Names in the calls of all steps. */
  readonly called: readonly string[];
  /** Names in the parts of a stream. */
  readonly streamed: readonly string[];
}

async function loop(model: LanguageModel, form: Form, options: Parameters<typeof generateText>[0]): Promise<Loop> {
  const asked = { ...options, model, stopWhen: stepCountIs(4), maxRetries: 0 };
  if (form === "whole") {
    const { text, steps } = await generateText(asked);
    return { text, called: steps.flatMap(({ toolCalls }) => toolCalls.map((call) => call.toolName)), streamed: [] };
  }
  const errors: unknown[] = [];
  const answer = streamText({ ...asked, onError: ({ error }) => void errors.push(error) });
  const streamed: string[] = [];
  for await (const part of answer.stream) {
    if (part.type === "tool-input-start" || part.type === "tool-call") streamed.push(part.toolName);
  }
  expect(errors).toEqual([]);
  const called = (await answer.steps).flatMap(({ toolCalls }) => toolCalls.map((call) => call.toolName));
  return { text: await answer.text, called, streamed };
}

/** The patterns by which the vendors reject names, as their errors quote them. */
const TAKES: Readonly<Record<DialectName, RegExp>> = {
  chat: /^[a-zA-Z0-9_-]{1,64}$/,
  responses: /^[a-zA-Z0-9_-]{1,64}$/,
  anthropic: /^[a-zA-Z0-9_-]{1,128}$/,
  google: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/,
};

describe.each(CASES)("$dialect, $form:", ({ dialect, form }) => {
  const { toolNames, callIds, resultIds, make } = DIALECTS[dialect];

  it("runs each tool under its own name, and the provider sees only names it accepts", async () => {
    stub = await startDialectStub(({ body }) => {
      const names = [...new Set(toolNames(body))];
      const bad = names.find((name) => !TAKES[dialect].test(name));
      if (bad !== undefined) return { status: 400, bytes: JSON.stringify({ error: { message: `bad name ${bad}` } }) };
      if (callIds(body).length > 0) return { text: "done" };
      return { calls: names.map((name, n): StubCall => ({ id: `call_${n}`, name, input: { n } })) };
    });
    const ran: string[] = [];
    const model = createFaultline().model([make(stub.url, "first")]);
    const answer = await loop(model, form, { prompt: "go", tools: tools(ran) } as never);
    expect(answer.text).toBe("done");
    expect(ran.map((each) => each.replace(/\).*/, ")"))).toEqual(NAMES.map((name, n) => `${name}(${n})`));
    if (form === "streamed") expect(new Set(answer.streamed)).toEqual(new Set(NAMES));
    expect(answer.called).toEqual(NAMES);
    // Definitions, calls and results of one tool agree on the wire.
    const [first, second] = stub.requests;
    expect(new Set(toolNames(first?.body ?? {})).size).toBe(NAMES.length);
    expect(new Set(toolNames(second?.body ?? {}))).toEqual(new Set(toolNames(first?.body ?? {})));
  });

  it("keeps a chosen tool the one that is called", async () => {
    stub = await startDialectStub(({ body }) => {
      const chosen = JSON.stringify(body["tool_choice"] ?? body["toolConfig"]);
      const [name = ""] = toolNames(body).filter((each) => chosen.includes(`"${each}"`));
      return { calls: [{ id: "call_1", name, input: { n: 1 } }] };
    });
    const model = createFaultline().model([make(stub.url, "first")]);
    const toolChoice = { type: "tool", toolName: "math.add" };
    const ran: string[] = [];
    const all = { prompt: "go", tools: tools(ran), toolChoice } as never;
    if (form === "whole") await generateText({ ...(all as object), model } as never);
    else await streamText({ ...(all as object), model } as never).consumeStream();
    expect(ran).toEqual(["math.add(1) call_1"]);
  });

  it("gives calls that share an id unique ids, in one answer and over several", async () => {
    const step = [
      { id: "call_0", name: "plain", input: { n: 1 } },
      { id: "call_0", name: "plain", input: { n: 2 } },
    ];
    stub = await startDialectStub(({ body }) => (callIds(body).length < 4 ? { calls: step } : { text: "done" }));
    const ran: string[] = [];
    const model = createFaultline().model([make(stub.url, "first")]);
    const answer = await loop(model, form, { prompt: "go", tools: tools(ran) } as never);
    expect(answer.text).toBe("done");
    expect(ran).toHaveLength(4);
    expect(new Set(ran.map((each) => each.split(" ")[1])).size).toBe(4);
    expect(ran.map((each) => each.split(" ")[0])).toEqual(["plain(1)", "plain(2)", "plain(1)", "plain(2)"]);
    const last = stub.requests.at(-1)?.body ?? {};
    expect(resultIds(last)).toEqual(callIds(last));
    if (callIds(last)[0] !== undefined) expect(new Set(callIds(last)).size).toBe(4);
  });

  it("sends a history with one id for several calls such that each result still belongs to its call", async () => {
    stub = await startDialectStub(() => ({ text: "done" }));
    const call = (n: number) => ({
      type: "tool-call" as const,
      toolCallId: "same",
      toolName: "math.add",
      input: { n },
    });
    const result = (n: number) => ({
      type: "tool-result" as const,
      toolCallId: "same",
      toolName: "math.add",
      output: { type: "text" as const, value: `gave ${n}` },
    });
    const messages: ModelMessage[] = [
      { role: "user", content: "go" },
      { role: "assistant", content: [call(1), call(2)] },
      { role: "tool", content: [result(1), result(2)] },
      { role: "assistant", content: [call(3)] },
      { role: "tool", content: [result(3)] },
    ];
    const model = createFaultline().model([make(stub.url, "first")]);
    await loop(model, form, { messages, tools: tools([]) } as never);
    const body = stub.requests[0]?.body ?? {};
    expect(callIds(body)).toHaveLength(3);
    expect(resultIds(body)).toEqual(callIds(body));
    if (callIds(body)[0] !== undefined) expect(new Set(callIds(body)).size).toBe(3);
    const sent = JSON.stringify(body);
    expect([1, 2, 3].map((n) => sent.indexOf(`gave ${n}`))).toEqual(
      [1, 2, 3].map((n) => sent.indexOf(`gave ${n}`)).sort((a, b) => a - b),
    );
    expect(sent).toContain("gave 3");
  });

  it("falls back to a target with stricter names, and the call still comes back under the caller's name", async () => {
    stub = await startDialectStub(({ target, body }) =>
      target === "first"
        ? { status: 503, bytes: '{"error":{"message":"down"}}' }
        : { calls: [{ id: "call_1", name: toolNames(body)[0] ?? "", input: { n: 7 } }] },
    );
    const ran: string[] = [];
    const first = DIALECTS.google.make(stub.url, "first");
    const retryBeforeFallback = { maxAttempts: 1 };
    const model = createFaultline().model([first, make(stub.url, "second")], { retryBeforeFallback });
    const all = { prompt: "go", tools: tools(ran), model, maxRetries: 0 } as never;
    if (form === "whole") await generateText(all);
    else await streamText(all).consumeStream();
    expect(ran).toEqual(["math.add(7) call_1"]);
  });
});

it("every pattern accepts the name that no vendor could reject", () => {
  const strict = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
  for (const provider of [
    "openai.chat",
    "openai.responses",
    "azure.responses",
    "anthropic.messages",
    "mistral.chat",
    "google.vertex.chat",
  ]) {
    const { toolNames } = factsFor(provider, "m");
    for (const name of ["a", "_", "a-b_c", "x".repeat(64)]) {
      expect(strict.test(name)).toBe(true);
      expect(toolNames.test(name), provider).toBe(true);
    }
  }
});

it("the caller's setting for a target wins: a name that matches its pattern is sent unchanged", async () => {
  stub = await startDialectStub(({ body }) => ({ text: DIALECTS.chat.toolNames(body).join() }));
  const model = createFaultline().model([{ model: DIALECTS.chat.make(stub.url, "first"), facts: { toolNames: /./ } }]);
  const answer = await generateText({ model, prompt: "go", tools: tools([]) });
  expect(answer.text).toBe(NAMES.join());
  expect(answer).not.toBeInstanceOf(FaultError);
});
