// The guarantees P1–P5 over random conversations, and portable requests sent through the vendors' real adapters.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV4CallOptions, LanguageModelV4Message, SharedV4ProviderOptions } from "@ai-sdk/provider";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { factsFor } from "../../../src/provider/model-facts/facts-for.ts";
import { walkRequest } from "../../../src/provider/model/model-request.ts";
import { makePortable, repairHistory, CONTINUE_PROMPT } from "../../../src/provider/portable/rules.ts";
import type { PortableFacts } from "../../../src/provider/portable/target-facts.ts";
import { samples } from "../../support/grid.ts";
import { assistant, call, ITEM, requests, result, SIGNED, targets, text, thought, TO, tool, user } from "./requests.ts";

const from = fc.option(targets);

const MANY = 20_000;
/** Characters of Chinese in one block. */
const NAMES = 20_000;
const many = <T>(make: (at: number) => T): T[] => Array.from({ length: MANY }, (_none, at) => make(at));

/** Each is made when its test runs: that many objects would slow down every collection of the tests behind them. */
const LONG: readonly { readonly what: string; readonly promptOf: () => LanguageModelV4Message[] }[] = [
  {
    what: "calls without results",
    promptOf: () => many((at) => [assistant(call(`c${at}`)), user(text("go on"))]).flat(),
  },
  {
    what: "results that came late",
    promptOf: () => [
      ...many((at) => [assistant(call(`c${at}`)), user(text("go on"))]).flat(),
      ...many((at) => tool(result(`c${at}`))),
    ],
  },
  {
    what: "results in the order from last to first",
    promptOf: () => [assistant(...many((at) => call(`c${at}`))), ...many((at) => tool(result(`c${MANY - at}`)))],
  },
  {
    what: "names that are alike once they are plain",
    promptOf: () =>
      many((at) => [
        assistant(call(`c${at}`, { toolName: String.fromCodePoint(0x2_0000 + (at % NAMES)) })),
        tool(result(`c${at}`)),
      ]).flat(),
  },
  {
    what: "calls with one id",
    promptOf: () => [assistant(...many(() => call("c"))), tool(...many(() => result("c")))],
  },
];

describe("making a request portable", () => {
  // Work that grows with the square of the conversation takes minutes here.
  it.each(LONG)("takes time in proportion to a conversation of 20,000 $what", { timeout: 15_000 }, ({ promptOf }) => {
    const given = { prompt: [user(text("hi")), ...promptOf()] };
    walkRequest(given);
    expect(makePortable(given, TO.opus).changes.length).toBeGreaterThan(0);
  });

  it("changes nothing a second time", () => {
    fc.assert(
      fc.property(requests, targets, from, (given, to, made) => {
        const once = makePortable(given, to, made).options;
        const twice = makePortable(once, to, made);
        expect(twice.changes).toEqual([]);
        expect(twice.options).toBe(once);
        const repaired = repairHistory(given, to).options;
        expect(repairHistory(repaired, to).options).toBe(repaired);
      }),
      { numRuns: samples(250, 1_000) },
    );
  });

  it("never touches a user's text", () => {
    fc.assert(
      fc.property(requests, targets, (given, to) => {
        const after = userText(makePortable(given, to).options);
        const before = userText(given);
        expect([before, [...before, CONTINUE_PROMPT]]).toContainEqual(after);
      }),
    );
  });

  it("does not change its input", () => {
    fc.assert(
      fc.property(requests, targets, (given, to) => {
        const before = structuredClone(given);
        makePortable(given, to);
        expect(given).toEqual(before);
      }),
    );
  });

  it("leaves every call answered right after it, and no answer without a call", () => {
    fc.assert(
      fc.property(requests, targets, fc.boolean(), (given, to, isSwitch) => {
        const { prompt } = (isSwitch ? makePortable : repairHistory)(given, to).options;
        expect(unanswered(prompt, to)).toEqual([]);
      }),
      { numRuns: samples(250, 1_000) },
    );
  });

  it("leaves no signature of another vendor anywhere", () => {
    fc.assert(
      fc.property(requests, targets, (given, to) => {
        const { options } = makePortable(given, to);
        const known = ["openai", "azure", "anthropic", "google"];
        const own = to.vendor === "openai" ? ["openai", "azure"] : to.namespaces;
        for (const mark of marksIn(options)) if (known.includes(mark)) expect(own).toContain(mark);
      }),
    );
  });

  it("has no word of the conversation in its list of changes", () => {
    const secret = "s3cret";
    const given: LanguageModelV4CallOptions = {
      prompt: [
        user(text(secret), text("")),
        assistant({ ...thought(ITEM), text: secret }, call(secret, { toolName: secret, input: { secret } })),
        user(text(secret)),
        tool(result(`other-${secret}`, secret)),
        assistant(text(secret, { openai: { itemId: secret } })),
      ],
      stopSequences: [secret],
      providerOptions: { openai: { previousResponseId: secret } },
    };
    for (const to of Object.values(TO)) {
      const { changes } = makePortable(given, to);
      expect(changes.length).toBeGreaterThan(0);
      expect(JSON.stringify(changes)).not.toContain(secret);
    }
  });
});

function userText({ prompt }: LanguageModelV4CallOptions): readonly string[] {
  const parts = prompt.flatMap((message) => (message.role === "user" ? message.content : []));
  return parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []));
}

/** A simple model of the vendors' checks, independent of the rules. */
function unanswered(prompt: readonly LanguageModelV4Message[], to: PortableFacts): readonly string[] {
  const wrong: string[] = [];
  const later = new Set<string>();
  let open = new Set<string>();
  const close = (): void => {
    wrong.push(...[...open].map((id) => `call ${id}`));
    open = new Set();
  };
  for (const message of prompt) {
    if (message.role === "system") continue;
    if (message.role !== "tool") close();
    for (const part of message.content) {
      if (part.type === "tool-call") {
        const isAsync = to.namespaces.some((name) => part.providerOptions?.[name]?.["async"] === true);
        if (part.providerExecuted === true || isAsync) later.add(part.toolCallId);
        else open.add(part.toolCallId);
      }
    }
    for (const part of message.content)
      if (part.type === "tool-result" && !open.delete(part.toolCallId) && !later.has(part.toolCallId))
        wrong.push(`result ${part.toolCallId}`);
  }
  close();
  return wrong;
}

interface Carrier {
  readonly providerOptions?: SharedV4ProviderOptions;
}

function marksIn(options: LanguageModelV4CallOptions): readonly string[] {
  const parts = options.prompt.flatMap((message): readonly Carrier[] =>
    message.role === "system" ? [message] : [message, ...message.content],
  );
  const functions = (options.tools ?? []).filter((each) => each.type === "function");
  return [options, ...parts, ...functions].flatMap(({ providerOptions }) => Object.keys(providerOptions ?? {}));
}

describe("a portable request", () => {
  const seen: unknown[] = [];
  const answering = (body: unknown) => (_url: unknown, init?: { body?: unknown }) => {
    seen.push(JSON.parse(String(init?.body)));
    return Promise.resolve(Response.json(body));
  };

  it("from OpenAI with an interrupted call goes through Anthropic's adapter without a warning", async () => {
    const claude = createAnthropic({
      apiKey: "k",
      fetch: answering({
        type: "message",
        id: "m",
        role: "assistant",
        model: "claude-opus-5-5",
        content: [{ type: "text", text: "ok" }],
        stop_reason: "end_turn",
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    })("claude-opus-5-5");
    const given: LanguageModelV4CallOptions = {
      prompt: [
        { role: "system", content: "be kind" },
        user(text("hi")),
        assistant(thought(ITEM), text("looking", { openai: { itemId: "msg_1" } }), call("call_1")),
        user(text("and?")),
        assistant(text("")),
        user(text("well?")),
      ],
      temperature: 0.3,
      seed: 7,
      providerOptions: { openai: { previousResponseId: "resp_1", promptCacheKey: "k" } },
    };
    const before = await claude.doGenerate(given);
    expect(before.warnings).not.toEqual([]);
    const { options } = makePortable(given, factsFor(claude.provider, claude.modelId));
    const after = await claude.doGenerate(options);
    expect(after.warnings).toEqual([]);
    const sent = seen.at(-1) as { messages: { role: string; content: { type: string }[] }[] };
    expect(sent.messages.map(({ role, content }) => `${role}: ${content.map(({ type }) => type).join(" ")}`)).toEqual([
      "user: text",
      "assistant: text tool_use",
      "user: tool_result text text",
    ]);
  });

  it("from Anthropic goes through OpenAI's adapter without a warning", async () => {
    const gpt = createOpenAI({
      apiKey: "k",
      fetch: answering({
        id: "resp",
        created_at: 0,
        model: "gpt-5.4",
        output: [
          {
            type: "message",
            id: "msg",
            role: "assistant",
            content: [{ type: "output_text", text: "ok", annotations: [] }],
          },
        ],
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    })("gpt-5.4");
    const given: LanguageModelV4CallOptions = {
      prompt: [user(text("hi")), assistant(thought(SIGNED), text("yes"), call("toolu_1")), tool(result("toolu_1"))],
      topK: 4,
      temperature: 0.3,
      stopSequences: ["."],
      providerOptions: { anthropic: { thinking: { type: "adaptive" } } },
    };
    expect((await gpt.doGenerate(given)).warnings).not.toEqual([]);
    const { options } = makePortable(given, factsFor(gpt.provider, gpt.modelId));
    expect((await gpt.doGenerate(options)).warnings).toEqual([]);
  });
});
