// Each rule by example: what it changes, and what it leaves alone.

import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { factsFor } from "../../../src/provider/model-facts/facts-for.ts";
import {
  makePortable,
  repairHistory,
  summarizeChanges,
  CONTINUE_PROMPT,
  PORTABLE_RULES,
} from "../../../src/provider/portable/rules.ts";
import { noteAbout } from "../../../src/provider/portable/repeated-calls.ts";
import { isForeignKind, type PortableFacts } from "../../../src/provider/portable/target-facts.ts";
import { OUTCOME_UNKNOWN } from "../../../src/provider/portable/tools.ts";
import {
  assistant,
  call,
  ITEM,
  REDACTED,
  result,
  SIGNED,
  text,
  thought,
  THOUGHT_SIGNATURE,
  TO,
  tool,
  user,
} from "./requests.ts";

describe("a tool or part of a provider", () => {
  // prettier-ignore
  it.each([
    ["openai.web_search",         { vendor: "openai", namespaces: ["openai"] },  false],
    ["openai.web_search",         { vendor: "openai", namespaces: ["azure"] },   false],
    ["azure.web_search",          { vendor: "openai", namespaces: ["openai"] },  false],
    ["azure.web_search",          { vendor: "openai", namespaces: ["azure"] },   false],
    ["openai.web_search",         { vendor: "house",  namespaces: ["openai"] },  false],
    ["house.web_search",          { vendor: "house",  namespaces: [] },          false],
    ["openai.web_search",         { vendor: "google", namespaces: ["google"] },  true],
    ["unheard_of.web_search",     { vendor: "google", namespaces: ["google"] },  true],
    ["web_search",                { vendor: "google", namespaces: ["google"] },  true],
  ])("%s, for %j, is of another vendor: %s", (kind, who, isOthers) => {
    expect(isForeignKind(kind, { ...TO.gpt, ...who })).toBe(isOthers);
  });
});

const HI = user(text("hi"));
const BYE = user(text("bye"));
const UNKNOWN = { ...result("a"), output: { type: "error-text", value: OUTCOME_UNKNOWN } };

interface Case {
  readonly title: string;
  readonly given: LanguageModelV4CallOptions;
  readonly to: PortableFacts;
  readonly from?: PortableFacts;
  readonly wheres: readonly string[];
  readonly becomes: LanguageModelV4CallOptions;
}

const failed = (id: string, value = "not yours") => [
  assistant(call(id)),
  tool({ ...result(id), output: { type: "error-text" as const, value } }),
];

const LONG_ID = "x".repeat(41);

const CASES: Readonly<Record<string, readonly Case[]>> = {
  "tool-call-id": [
    {
      title: "gives a call and its result an id with the characters Anthropic takes",
      given: {
        prompt: [
          HI,
          assistant(call("functions.find:0"), call("call00001")),
          tool(result("functions.find:0"), result("call00001")),
        ],
      },
      to: TO.opus,
      wheres: ["messages[1].content[0]", "messages[2].content[0]"],
      becomes: {
        prompt: [HI, assistant(call("call00002"), call("call00001")), tool(result("call00002"), result("call00001"))],
      },
    },
    {
      title: "gives them an id of a length OpenAI takes",
      given: { prompt: [HI, assistant(call(LONG_ID)), tool(result(LONG_ID))] },
      to: TO.gpt4o,
      wheres: ["messages[1].content[0]", "messages[2].content[0]"],
      becomes: { prompt: [HI, assistant(call("call00001")), tool(result("call00001"))] },
    },
    {
      title: "gives them nine letters and digits for Mistral",
      given: { prompt: [HI, assistant(call("toolu_1")), tool(result("toolu_1"))] },
      to: factsFor("mistral.chat", "mistral-large-latest"),
      wheres: ["messages[1].content[0]", "messages[2].content[0]"],
      becomes: { prompt: [HI, assistant(call("call00001")), tool(result("call00001"))] },
    },
  ],
  "duplicate-tool-call-id": [
    {
      title: "gives the second call with an id, and its result, another one",
      given: {
        prompt: [
          HI,
          assistant(call("a"), call("a")),
          tool(result("a", "one"), result("a", "two")),
          assistant(call("a")),
          tool(result("a", "three")),
        ],
      },
      to: TO.opus,
      wheres: ["messages[1].content[1]", "messages[2].content[1]", "messages[3].content[0]", "messages[4].content[0]"],
      becomes: {
        prompt: [
          HI,
          assistant(call("a"), call("call00001")),
          tool(result("a", "one"), result("call00001", "two")),
          assistant(call("call00002")),
          tool(result("call00002", "three")),
        ],
      },
    },
  ],
  "repeated-failure": [
    {
      title: "tells the model after the third failure of one call, and changes nothing else",
      given: { prompt: [HI, ...failed("a"), ...failed("b"), ...failed("c"), ...failed("d")] },
      to: TO.opus,
      wheres: ["messages[6].content[0]"],
      becomes: {
        prompt: [HI, ...failed("a"), ...failed("b"), ...failed("c", `not yours\n${noteAbout(3)}`), ...failed("d")],
      },
    },
  ],
  "tool-name": [
    {
      title: "gives tools names with the characters and the length that the target takes, each its own",
      given: {
        prompt: [HI, assistant(call("a", { toolName: "x.y" })), tool({ ...result("a"), toolName: "x.y" })],
        tools: [
          { type: "function", name: "x_y", inputSchema: {} },
          { type: "function", name: "x.y", inputSchema: {} },
          { type: "function", name: "n".repeat(65), inputSchema: {} },
        ],
        toolChoice: { type: "tool", toolName: "x.y" },
      },
      to: TO.gpt4o,
      wheres: ["tools[1]", "tools[2]", "messages[1].content[0]", "messages[2].content[0]"],
      becomes: {
        prompt: [HI, assistant(call("a", { toolName: "x_y_2" })), tool({ ...result("a"), toolName: "x_y_2" })],
        tools: [
          { type: "function", name: "x_y", inputSchema: {} },
          { type: "function", name: "x_y_2", inputSchema: {} },
          { type: "function", name: "n".repeat(64), inputSchema: {} },
        ],
        toolChoice: { type: "tool", toolName: "x_y_2" },
      },
    },
  ],
  "foreign-reasoning": [
    {
      title: "takes Anthropic's signed and redacted thinking out of a request to OpenAI",
      given: { prompt: [HI, assistant(thought(SIGNED), thought(REDACTED), text("yes")), BYE] },
      to: TO.gpt4o,
      wheres: ["messages[1].content[0]", "messages[1].content[1]"],
      becomes: { prompt: [HI, assistant(text("yes")), BYE] },
    },
    {
      title:
        "takes OpenAI's encrypted reasoning out of a request to Anthropic, and the message with it when nothing is left",
      given: { prompt: [HI, assistant(thought(ITEM)), BYE] },
      to: TO.opus,
      wheres: ["messages[1].content[0]"],
      becomes: { prompt: [HI, BYE] },
    },
    {
      title: "takes Gemini's thoughts and another vendor's custom parts out of a request to OpenAI",
      given: {
        prompt: [
          HI,
          assistant(thought(THOUGHT_SIGNATURE), { type: "custom", kind: "anthropic.compaction" }, text("yes")),
          BYE,
        ],
      },
      to: TO.gpt,
      wheres: ["messages[1].content[0]", "messages[1].content[1]"],
      becomes: { prompt: [HI, assistant(text("yes")), BYE] },
    },
  ],
  "unsigned-reasoning": [
    {
      title: "takes reasoning without a mark out of a request to a vendor that signs",
      given: { prompt: [HI, assistant(thought(), text("yes")), BYE] },
      to: TO.opus,
      wheres: ["messages[1].content[0]"],
      becomes: { prompt: [HI, assistant(text("yes")), BYE] },
    },
  ],
  "bound-reasoning": [
    {
      title: "takes out what a sibling thought, when thoughts are tied to the model",
      given: { prompt: [HI, assistant(thought(SIGNED), text("yes")), BYE] },
      from: TO.opus,
      to: TO.sonnet,
      wheres: ["messages[1].content[0]"],
      becomes: { prompt: [HI, assistant(text("yes")), BYE] },
    },
    {
      title: "takes out what is encrypted for another account",
      given: { prompt: [HI, assistant(thought(ITEM), text("yes")), BYE] },
      to: { ...TO.gpt, keepsState: false },
      wheres: ["messages[1].content[0]"],
      becomes: { prompt: [HI, assistant(text("yes")), BYE] },
    },
  ],
  "foreign-server-call": [
    {
      title: "takes out calls that Anthropic ran itself, with their results",
      given: {
        prompt: [
          HI,
          assistant(call("srvtoolu_1", { providerExecuted: true }), result("srvtoolu_1"), text("I read")),
          BYE,
        ],
      },
      to: TO.gpt,
      wheres: ["messages[1].content[0]", "messages[1].content[1]"],
      becomes: { prompt: [HI, assistant(text("I read")), BYE] },
    },
  ],
  "empty-text": [
    {
      title: "takes out text and messages that are empty",
      given: { prompt: [user(text(""), text("hi")), assistant(text(" \n"), text("yes")), user(), BYE] },
      to: TO.opus,
      wheres: ["messages[0].content[0]", "messages[1].content[0]", "messages[2]"],
      becomes: { prompt: [HI, assistant(text("yes")), BYE] },
    },
  ],
  "late-tool-result": [
    {
      title: "moves a result that came after the next message to its call",
      given: { prompt: [HI, assistant(call("a")), BYE, tool(result("a"))] },
      to: TO.opus,
      wheres: ["messages[3].content[0]"],
      becomes: { prompt: [HI, assistant(call("a")), tool(result("a")), BYE] },
    },
  ],
  "orphan-tool-call": [
    {
      title: "answers a call at the end of the history",
      given: { prompt: [HI, assistant(text("let me look"), call("a"))] },
      to: TO.opus,
      wheres: ["messages[1].content[1]"],
      becomes: { prompt: [HI, assistant(text("let me look"), call("a")), tool(UNKNOWN as never)] },
    },
    {
      title: "answers the one of two calls that has no result, in the same tool message",
      given: { prompt: [HI, assistant(call("b"), call("a")), tool(result("b")), BYE] },
      to: TO.gemini,
      wheres: ["messages[1].content[1]"],
      becomes: { prompt: [HI, assistant(call("b"), call("a")), tool(result("b"), UNKNOWN as never), BYE] },
    },
    {
      title: "answers a call before the next message of the assistant",
      given: { prompt: [HI, assistant(call("a")), assistant(text("well")), BYE] },
      to: TO.gpt4o,
      wheres: ["messages[1].content[0]"],
      becomes: { prompt: [HI, assistant(call("a")), tool(UNKNOWN as never), assistant(text("well")), BYE] },
    },
  ],
  "orphan-tool-result": [
    {
      title: "takes out results without a call and second results",
      given: { prompt: [tool(result("x")), HI, assistant(call("a")), tool(result("a"), result("a", "again"))] },
      to: TO.opus,
      wheres: ["messages[0].content[0]", "messages[3].content[1]"],
      becomes: { prompt: [HI, assistant(call("a")), tool(result("a"))] },
    },
  ],
  "foreign-tool": [
    {
      title: "takes out tools of another vendor, and the choice of one",
      given: {
        prompt: [HI],
        tools: [
          { type: "provider", id: "openai.web_search", name: "web", args: {} },
          { type: "function", name: "find", inputSchema: {} },
        ],
        toolChoice: { type: "tool", toolName: "web" },
      },
      to: TO.opus,
      wheres: ["tools[0]", "toolChoice"],
      becomes: { prompt: [HI], tools: [{ type: "function", name: "find", inputSchema: {} }] },
    },
  ],
  "server-state": [
    {
      title: "takes out what OpenAI keeps, also for Azure, which keeps its own",
      given: { prompt: [HI], providerOptions: { openai: { previousResponseId: "resp_1", user: "u" } } },
      to: TO.azure,
      wheres: ["providerOptions.openai.previousResponseId"],
      becomes: { prompt: [HI], providerOptions: { openai: { user: "u" } } },
    },
    {
      title: "takes item ids out of parts for another account",
      given: { prompt: [HI, assistant(text("yes", { openai: { itemId: "msg_1" } })), BYE] },
      to: { ...TO.gpt, keepsState: false },
      wheres: ["messages[1].content[0].providerOptions.openai.itemId"],
      becomes: { prompt: [HI, assistant(text("yes")), BYE] },
    },
  ],
  "cache-mark": [
    {
      title: "takes marks for Anthropic's cache out of messages, parts and tools",
      given: {
        prompt: [
          {
            role: "system",
            content: "be kind",
            providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
          },
          user(text("hi", { anthropic: { cacheControl: { type: "ephemeral" } } })),
        ],
        tools: [
          {
            type: "function",
            name: "f",
            inputSchema: {},
            providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
          },
        ],
      },
      to: TO.gpt,
      wheres: [
        "tools[0].providerOptions.anthropic.cacheControl",
        "messages[0].providerOptions.anthropic.cacheControl",
        "messages[1].content[0].providerOptions.anthropic.cacheControl",
      ],
      becomes: {
        prompt: [{ role: "system", content: "be kind" }, HI],
        tools: [{ type: "function", name: "f", inputSchema: {} }],
      },
    },
    {
      title: "takes OpenAI's cache key out of a request to Google",
      given: { prompt: [HI], providerOptions: { openai: { promptCacheKey: "k" }, google: { labels: {} } } },
      to: TO.gemini,
      wheres: ["providerOptions.openai.promptCacheKey"],
      becomes: { prompt: [HI], providerOptions: { google: { labels: {} } } },
    },
  ],
  "foreign-options": [
    {
      title: "takes out other vendors' namespaces, and leaves the target's and unknown ones",
      given: {
        prompt: [HI],
        providerOptions: { openai: { user: "u" }, anthropic: { effort: "low" }, acme: { x: 1 } },
      },
      to: TO.opus,
      wheres: ["providerOptions.openai"],
      becomes: { prompt: [HI], providerOptions: { anthropic: { effort: "low" }, acme: { x: 1 } } },
    },
    {
      title: "looks into the outputs of tools",
      given: {
        prompt: [
          HI,
          assistant(call("a")),
          tool({ ...result("a"), output: { type: "content", value: [text("t", { openai: { imageDetail: "low" } })] } }),
        ],
      },
      to: TO.opus,
      wheres: ["messages[2].content[0].providerOptions.openai"],
      becomes: {
        prompt: [
          HI,
          assistant(call("a")),
          tool({ ...result("a"), output: { type: "content", value: [{ type: "text", text: "t" }] } }),
        ],
      },
    },
  ],
  "refused-parameter": [
    {
      title: "takes sampling out of a request to a model that refuses it",
      given: { prompt: [HI], temperature: 0.2, topP: 0.9, topK: 5, seed: 1, stopSequences: ["."] },
      to: TO.opus,
      wheres: ["temperature", "topP", "topK", "seed"],
      becomes: { prompt: [HI], stopSequences: ["."] },
    },
    {
      title: "takes the reasoning effort out of a request to a model that does not reason",
      given: { prompt: [HI], reasoning: "high", temperature: 0.2 },
      to: TO.gpt4o,
      wheres: ["reasoning"],
      becomes: { prompt: [HI], temperature: 0.2 },
    },
    {
      title: "takes temperature out while the model reasons",
      given: { prompt: [HI], reasoning: "high", temperature: 0.2 },
      to: TO.gpt,
      wheres: ["temperature"],
      becomes: { prompt: [HI], reasoning: "high" },
    },
  ],
  "output-limit": [
    {
      title: "asks for no more than the target can write",
      given: { prompt: [HI], maxOutputTokens: 100_000 },
      to: TO.gpt4o,
      wheres: ["maxOutputTokens"],
      becomes: { prompt: [HI], maxOutputTokens: 16_384 },
    },
  ],
  "prefill": [
    {
      title: "asks a target that cannot be prefilled to continue",
      given: { prompt: [HI, assistant(text("The answer is"))] },
      to: TO.opus,
      wheres: ["messages"],
      becomes: { prompt: [HI, assistant(text("The answer is")), user(text(CONTINUE_PROMPT))] },
    },
  ],
};

describe.each(PORTABLE_RULES.map((rule) => [rule.name, rule] as const))("the rule %s", (name, rule) => {
  it("has an example, a reason and a case here", () => {
    expect(rule.example).not.toBe("");
    expect(rule.why).not.toBe("");
    expect(CASES[name]?.length).toBeGreaterThan(0);
  });

  it.each(CASES[name] ?? [])("$title", ({ given, to, from, wheres, becomes }) => {
    const { options, changes } = makePortable(given, to, from);
    expect(changes).toEqual(wheres.map((where) => ({ rule: name, where, why: rule.why })));
    expect(options).toEqual(becomes);
  });

  it.each(CASES[name] ?? [])("says `when` truly: $title", ({ given, to }) => {
    expect(repairHistory(given, to).changes.length > 0).toBe(rule.when === "always");
  });
});

describe("a request", () => {
  it.each([
    [
      "Anthropic's own thinking and cache marks",
      TO.opus,
      [HI, assistant(thought(SIGNED), text("yes", { anthropic: { cacheControl: { type: "ephemeral" } } })), BYE],
    ],
    ["OpenAI's own items", TO.gpt, [HI, assistant(thought(ITEM), text("yes", { openai: { itemId: "msg_1" } })), BYE]],
    [
      "a call that OpenAI ran itself",
      TO.gpt,
      [HI, assistant(call("ws_1", { providerExecuted: true }), result("ws_1"), text("yes")), BYE],
    ],
    [
      "a call that OpenAI ran itself, whose id looks like another vendor's",
      TO.gpt,
      [
        HI,
        assistant(
          call("srvtoolu_1", { providerExecuted: true, providerOptions: { openai: {} } }),
          result("srvtoolu_1"),
        ),
        BYE,
      ],
    ],
    [
      "an asynchronous call of OpenAI, answered later",
      TO.gpt,
      [
        HI,
        assistant(call("a", { providerOptions: { openai: { async: true } } })),
        BYE,
        assistant(text("ok")),
        tool(result("a")),
      ],
    ],
    ["a prefill that the target takes", TO.sonnet45, [HI, assistant(text("The answer is"))]],
    ["an image", TO.gpt, [user({ type: "file", mediaType: "image/png", data: { type: "data", data: "AAAA" } })]],
  ] as const)("with %s stays the same object", (_what, to, prompt) => {
    const given: LanguageModelV4CallOptions = { prompt: [...prompt] };
    expect(makePortable(given, to)).toEqual({ options: given, changes: [], toolNames: new Map() });
    expect(makePortable(given, to).options).toBe(given);
  });

  it("keeps files that the target cannot read: that matters for choosing a target, not for changing the request", () => {
    const sound = user({ type: "file", mediaType: "audio/wav", data: { type: "data", data: "AAAA" } });
    expect(makePortable({ prompt: [sound] }, TO.opus).changes).toEqual([]);
  });

  it("keeps temperature for a model that accepts it when reasoning is off, in either place", () => {
    expect(makePortable({ prompt: [HI], temperature: 1, reasoning: "none" }, TO.gpt).changes).toEqual([]);
    const providerOptions = { openai: { reasoningEffort: "none" } };
    expect(makePortable({ prompt: [HI], temperature: 1, providerOptions }, TO.gpt).changes).toEqual([]);
  });

  it("keeps reasoning of the same model, and of siblings that read each other's", () => {
    const given = { prompt: [HI, assistant(thought(SIGNED), text("yes")), BYE] };
    expect(makePortable(given, TO.opus, TO.opus).changes).toEqual([]);
    expect(makePortable(given, TO.sonnet45, factsFor("anthropic.messages", "claude-opus-4-5")).changes).toEqual([]);
  });

  it("keeps reasoning that the target signed, without others' signatures", () => {
    const given = { prompt: [HI, assistant(thought({ ...SIGNED, ...THOUGHT_SIGNATURE }), text("yes")), BYE] };
    const { options, changes } = makePortable(given, TO.opus);
    expect(changes.map(({ rule }) => rule)).toEqual(["foreign-options"]);
    expect(options.prompt).toEqual([HI, assistant(thought(SIGNED), text("yes")), BYE]);
  });

  it("gives a result to the later of two calls with one id, and tells the two apart", () => {
    const given = { prompt: [HI, assistant(call("a")), BYE, assistant(call("a")), tool(result("a"))] };
    expect(makePortable(given, TO.gpt4o).options.prompt).toEqual([
      HI,
      assistant(call("a")),
      tool(UNKNOWN as never),
      BYE,
      assistant(call("call00001")),
      tool(result("call00001")),
    ]);
  });

  it("keeps the positions of the original request when several rules apply", () => {
    const given = {
      prompt: [
        tool(result("x")),
        HI,
        assistant(thought(ITEM), text("yes", { openai: { itemId: "msg_1" } }), call("a")),
        BYE,
      ],
    };
    expect(makePortable(given, TO.opus).changes.map(({ rule, where }) => `${rule} ${where}`)).toEqual([
      "foreign-reasoning messages[2].content[0]",
      "orphan-tool-call messages[2].content[2]",
      "orphan-tool-result messages[0].content[0]",
      "server-state messages[2].content[1].providerOptions.openai.itemId",
    ]);
  });

  it("tells positions apart when one object appears twice", () => {
    const twice = assistant(thought(ITEM), text("yes"));
    const { changes } = makePortable({ prompt: [HI, twice, BYE, twice, BYE] }, TO.opus);
    expect(changes.map(({ where }) => where)).toEqual(["messages[1].content[0]", "messages[3].content[0]"]);
  });

  it("has changes that fit in one line per rule", () => {
    const { changes } = makePortable(
      { prompt: [HI, assistant(thought(ITEM), thought(ITEM), text("yes")), BYE] },
      TO.opus,
    );
    expect(summarizeChanges(changes)).toEqual([
      { rule: "foreign-reasoning", where: "messages[1].content[0] and 1 more", why: changes[0]?.why },
    ]);
  });

  it("has a line for each parameter that is left out", () => {
    const named = ["topK", "seed"].map((where) => ({ rule: "refused-parameter", where, why: "the target rejects it" }));
    expect(summarizeChanges(named)).toEqual(named);
  });
});

describe("tool names that a target does not accept", () => {
  it("get names of at most 64 characters that differ from all others, in the request and in its history", () => {
    const long = "é".repeat(5) + "n".repeat(70);
    const names = [`${long}a`, `${long}b`, "a b", "a_b", "9lives", "fine"];
    const given: LanguageModelV4CallOptions = {
      prompt: [
        user(text("go")),
        assistant({ type: "tool-call", toolCallId: "c1", toolName: "a b", input: {} }),
        tool({ type: "tool-result", toolCallId: "c1", toolName: "a b", output: { type: "text", value: "ok" } }),
      ],
      tools: names.map((name) => ({ type: "function", name, inputSchema: { type: "object" } })),
      toolChoice: { type: "tool", toolName: "9lives" },
    };
    const { options, toolNames } = makePortable(given, { ...TO.gpt, toolNames: /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/ });
    const sent = (options.tools ?? []).map(({ name }) => name);
    expect(sent).toEqual([`_${"n".repeat(63)}`, `_${"n".repeat(61)}_2`, "a_b_2", "a_b", "_9lives", "fine"]);
    expect([...toolNames]).toEqual(
      sent.flatMap((name, index) => (name === names[index] ? [] : [[name, names[index]]])),
    );
    expect(options.toolChoice).toEqual({ type: "tool", toolName: "_9lives" });
    expect(JSON.stringify(options.prompt)).toContain('"toolName":"a_b_2"');
    expect(JSON.stringify(options.prompt)).not.toContain('"toolName":"a b"');
  });
});
