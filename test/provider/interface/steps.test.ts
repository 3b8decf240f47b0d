// Every kind of word of one interface, in the words of the next one: as a file says that was reviewed. A change that is meant shows as a
// difference of that file (`npx vitest run test/provider/interface/steps.test.ts -u` writes it again).

import { inspect } from "node:util";
import { expect, it } from "vitest";
import { type Step, V2_AS_V3, V3_AS_V2 } from "../../../src/provider/interface/between-v2-and-v3.ts";
import { V3_AS_V4, V4_AS_V3 } from "../../../src/provider/interface/between-v3-and-v4.ts";

const BYTES = "aGVsbG8=";
const URL_A = new URL("https://a.example/b.png");
const mediaType = "image/png";
const providerOptions = { openai: { detail: "low" } };

const FILES_V3 = [BYTES, new Uint8Array([1, 2]), URL_A];
const FILES_V4 = [
  { type: "data", data: BYTES },
  { type: "data", data: new Uint8Array([1, 2]) },
  { type: "url", url: URL_A },
  { type: "text", text: "hello" },
  { type: "reference", reference: { openai: "f1" } },
];
const OUTPUTS = [
  { type: "text", value: "fine" },
  { type: "json", value: { a: 1 } },
  { type: "error-text", value: "broken" },
  { type: "error-json", value: { b: 2 } },
];
const DENIALS = [{ type: "execution-denied" }, { type: "execution-denied", reason: "not today" }];
const content = (...value: readonly object[]): object => ({ type: "content", value });
const OUTPUTS_V2 = [...OUTPUTS, content({ type: "text", text: "see" }, { type: "media", data: BYTES, mediaType })];
const OUTPUTS_V3 = [
  ...OUTPUTS,
  ...DENIALS,
  content({ type: "text", text: "see" }, { type: "custom", providerOptions }),
  content({ type: "file-data", data: BYTES, mediaType }, { type: "file-data", data: BYTES, mediaType, filename: "f" }),
  content({ type: "image-data", data: BYTES, mediaType, providerOptions }),
  content({ type: "file-url", url: URL_A.href }, { type: "image-url", url: URL_A.href, providerOptions }),
  content({ type: "file-id", fileId: "f1" }, { type: "file-id", fileId: { openai: "f1" } }),
  content(
    { type: "image-file-id", fileId: "f1", providerOptions },
    { type: "image-file-id", fileId: { openai: "f1" } },
  ),
];
const OUTPUTS_V4 = [
  ...OUTPUTS,
  ...DENIALS,
  content({ type: "text", text: "see" }, { type: "custom", providerOptions }),
  ...FILES_V4.map((data) => content({ type: "file", data, mediaType })),
  content({ type: "file", data: FILES_V4[0] ?? {}, mediaType, filename: "f", providerOptions }),
  content({ type: "file", data: FILES_V4[1] ?? {}, mediaType, filename: "f" }),
  content({ type: "file", data: FILES_V4[2] ?? {}, mediaType, providerOptions }),
];

const TOOLS = [{ type: "function", name: "look", inputSchema: {} }];
const call = { toolCallId: "c1", toolName: "look" };
const asked = (
  outputs: readonly object[],
  files: readonly unknown[],
  parts: readonly object[],
  tool: string,
): readonly object[] => [
  { prompt: [] },
  {
    prompt: [],
    temperature: 0,
    tools: [...TOOLS, { type: tool, id: "openai.web_search", name: "web_search", args: {} }],
  },
  { prompt: [{ role: "system", content: "Be brief.", providerOptions }] },
  ...files.map((data) => ({
    prompt: [
      {
        role: "user",
        content: [
          { type: "text", text: "?" },
          { type: "file", data, mediaType },
        ],
      },
    ],
  })),
  ...files.map((data) => ({
    prompt: [{ role: "assistant", content: [{ type: "file", data, mediaType, providerOptions }] }],
  })),
  { prompt: [{ role: "assistant", content: [{ type: "tool-call", ...call, input: { at: 1 } }, ...parts] }] },
  ...outputs.map((output) => ({
    prompt: [{ role: "tool", content: [{ type: "tool-result", ...call, output }, ...parts] }],
  })),
];

const STREAM = ["stream-start", "text-delta", "tool-call", "ping", "custom", "reasoning-file", "tool-approval-request"];
const named = (...types: readonly string[]): readonly object[] => types.map((type) => ({ type, id: "1" }));
const REASONS = ["stop", "length", "content-filter", "tool-calls", "error", "other"];
const both = (unified: string): object => ({ unified, raw: "end_turn" });
const tokens = (total?: number): object => ({ total, noCache: 8, cacheRead: 4, cacheWrite: 1, text: 3, reasoning: 2 });
const usages = [[12, 5], [12], [undefined, 5], []].map(([input, output]) => ({
  inputTokens: tokens(input),
  outputTokens: tokens(output),
}));

interface Words {
  readonly step: Step;
  readonly requests: readonly object[];
  readonly parts: readonly object[];
  readonly reasons: readonly unknown[];
  readonly usages: readonly object[];
  readonly warnings: readonly object[];
}

const APPROVAL = { type: "tool-approval-response", approvalId: "a1", approved: true };
const WORDS: Readonly<Record<string, Words>> = {
  "a model of v2, as one of v3": {
    step: V2_AS_V3,
    requests: asked(OUTPUTS_V3, FILES_V3, [APPROVAL], "provider"),
    parts: [...named(...STREAM), { type: "file", data: BYTES, mediaType }],
    reasons: [...REASONS, "unknown"],
    usages: [{ inputTokens: 12, outputTokens: 5, totalTokens: 17, reasoningTokens: 2, cachedInputTokens: 4 }, {}],
    warnings: [
      { type: "other", message: "careful" },
      { type: "unsupported-setting", setting: "seed" },
      { type: "unsupported-setting", setting: "seed", details: "ignored" },
      { type: "unsupported-tool", tool: { type: "function", name: "look" }, details: "ignored" },
    ],
  },
  "a model of v3, as one of v2": {
    step: V3_AS_V2,
    requests: asked(OUTPUTS_V2, FILES_V3, [], "provider-defined"),
    parts: [...named(...STREAM), { type: "file", data: BYTES, mediaType }],
    reasons: REASONS.map(both),
    usages,
    warnings: [
      { type: "other", message: "careful" },
      { type: "unsupported", feature: "seed" },
      { type: "compatibility", feature: "seed", details: "ignored" },
    ],
  },
  "a model of v3, as one of v4": {
    step: V3_AS_V4,
    requests: asked(OUTPUTS_V4, FILES_V4, named("custom", "reasoning-file"), "provider"),
    parts: [...named(...STREAM), { type: "file", data: BYTES, mediaType }],
    reasons: REASONS.map(both),
    usages,
    warnings: [{ type: "unsupported", feature: "seed" }],
  },
  "a model of v4, as one of v3": {
    step: V4_AS_V3,
    requests: asked(OUTPUTS_V3, FILES_V3, [APPROVAL], "provider"),
    parts: [...named(...STREAM), ...FILES_V4.slice(0, 3).map((data) => ({ type: "file", data, mediaType }))],
    reasons: [...REASONS, "interrupted"].map(both),
    usages,
    warnings: [
      { type: "other", message: "careful" },
      { type: "deprecated", setting: "seed", message: "gone soon" },
    ],
  },
};

it.each(Object.entries(WORDS))("%s, has the words of the reviewed file", async (title, words) => {
  const { step, requests, parts, reasons } = words;
  const pairs: readonly (readonly [unknown, unknown])[] = [
    ...requests.map((one) => [one, step.request(one as never)] as const),
    ...parts.map((one) => [one, step.part(one as never)] as const),
    ...reasons.map((one) => [one, step.finishReason(one as never)] as const),
    ...words.usages.map((one) => [one, step.usage(one as never)] as const),
    ...words.warnings.map((one) => [one, step.warning(one as never)] as const),
  ];
  const lines = [
    step.version,
    ...pairs.map(([one, other]) => `${shown(one)}\n  ${shown(one) === shown(other) ? "the same" : shown(other)}`),
  ];
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`reviewed/${title.replaceAll(/\W+/g, "-")}.txt`);
});

function shown(words: unknown): string {
  const told = inspect(words, { depth: Infinity, breakLength: Infinity, compact: true });
  return told.replaceAll(/URL \{ href: '([^']*)'.*?hash: '' \}/g, "URL $1");
}
