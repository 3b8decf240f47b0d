// A history from one vendor's model is adapted for another's, as little as necessary; the journal says what changed and why.

import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";
import { expect, it } from "vitest";
import type { RequestChange } from "../../../src/core/index.ts";
import type { ModelTarget } from "../../../src/index.ts";
import { always, CLAUDE, chainWorld, type ChainWorld, GPT, only } from "./chain-world.ts";

const FIRST = "find  the\tthing — exactly “this” ☃";
const SECOND = "and now?   ";
const SIGNATURE = "EqQBCgIYAhIM-signature-of-claude";

const SIGNED: LanguageModelV4Prompt[number] = {
  role: "assistant",
  content: [
    { type: "reasoning", text: "secret thoughts", providerOptions: { anthropic: { signature: SIGNATURE } } },
    { type: "text", text: "found it" },
  ],
};
const CALL: LanguageModelV4Prompt[number] = {
  role: "assistant",
  content: [{ type: "tool-call", toolCallId: "call_1", toolName: "look_up", input: { name: "x" } }],
};

function asking(...middle: readonly LanguageModelV4Prompt[number][]): LanguageModelV4CallOptions {
  return {
    prompt: [
      { role: "user", content: [{ type: "text", text: FIRST }] },
      ...middle,
      { role: "user", content: [{ type: "text", text: SECOND }] },
    ],
    tools: [{ type: "function", name: "look_up", inputSchema: { type: "object" } }],
  };
}

async function changesOf(
  world: ChainWorld,
  targets: readonly ModelTarget[],
  options: LanguageModelV4CallOptions,
): Promise<readonly (RequestChange & { readonly tool: string })[]> {
  await world.run(world.fl.model(targets).doGenerate(options));
  return only(world.events(), "call-adapted").flatMap(({ tool, changes }) =>
    changes.map((each) => ({ tool, ...each })),
  );
}

function sent(world: ChainWorld, index = -1): string {
  return JSON.stringify(world.received().at(index)?.body);
}

it("another vendor's signed reasoning is left out on a switch, and everything a person said is sent unchanged", async () => {
  const world = await chainWorld([always(CLAUDE, { fault: "unavailable" })]);
  const changes = await changesOf(world, [world.claude(), world.gpt()], asking(SIGNED));
  expect(changes).toMatchObject([{ tool: `openai/${GPT}`, rule: "foreign-reasoning" }]);
  expect(sent(world, 0)).toContain(SIGNATURE);
  expect(sent(world)).not.toContain(SIGNATURE);
  expect(sent(world)).not.toContain("secret thoughts");
  for (const said of [FIRST, SECOND, "found it"]) expect(sent(world)).toContain(JSON.stringify(said).slice(1, -1));
});

it("a call without a result is completed for every model, including the first choice", async () => {
  const world = await chainWorld();
  const changes = await changesOf(world, [world.claude(), world.gpt()], asking(CALL));
  expect(changes).toMatchObject([{ tool: `anthropic/${CLAUDE}`, rule: "orphan-tool-call" }]);
  expect(sent(world)).toMatch(/tool_result.*call_1/);
});

it("the changes for a fallback start from the caller's request, not from the one adapted for another target", async () => {
  const world = await chainWorld([always(GPT, { fault: "not-found" })]);
  const changes = await changesOf(world, [world.gpt(), world.claude()], asking(SIGNED, CALL));
  expect(new Set(changes.map(({ tool, rule }) => `${tool} ${rule}`))).toEqual(
    new Set([
      `openai/${GPT} foreign-reasoning`,
      `openai/${GPT} orphan-tool-call`,
      `anthropic/${CLAUDE} orphan-tool-call`,
    ]),
  );
  expect(sent(world)).toContain(SIGNATURE);
});

it("parameters that the fallback rejects are left out, and the first choice gets them", async () => {
  const world = await chainWorld([always(GPT, { fault: "not-found" })]);
  const newer = "claude-opus-4-7";
  const options = { ...asking(), temperature: 0.3 };
  const changes = await changesOf(world, [world.gpt(), world.claude(newer)], options);
  expect(changes).toMatchObject([{ tool: `anthropic/${newer}`, rule: "refused-parameter" }]);
  expect(world.received()[0]?.body).toMatchObject({ temperature: 0.3 });
  expect(world.received()[1]?.body).not.toHaveProperty("temperature");
});

it("the report of a change contains nothing of the conversation", async () => {
  const world = await chainWorld([always(CLAUDE, { fault: "unavailable" })]);
  const changes = await changesOf(world, [world.claude(), world.gpt()], asking(SIGNED, CALL));
  const told = JSON.stringify(changes);
  for (const word of ["secret thoughts", SIGNATURE, "exactly", "found it"]) expect(told).not.toContain(word);
});

it.each([
  { credential: "a", keepsState: true, isKept: true },
  { credential: "a", keepsState: false, isKept: false },
  { credential: "b", keepsState: true, isKept: false },
  { credential: "b", keepsState: false, isKept: false },
])(
  "a fallback on account $credential that keeps state ($keepsState) gets the reference to state of account a: $isKept",
  async (row) => {
    const world = await chainWorld([always(GPT, { fault: "not-found" })]);
    const { credential, keepsState, isKept } = row;
    const targets = [
      { model: world.responses(), credential: "a" },
      { model: world.responses("gpt-5"), credential, facts: { keepsState } },
    ];
    const options = { ...asking(), providerOptions: { openai: { previousResponseId: "resp_1" } } };
    const changes = await changesOf(world, targets, options);
    expect(changes.map(({ rule }) => rule)).toEqual(isKept ? [] : ["server-state"]);
    expect(sent(world).includes("resp_1")).toBe(isKept);
  },
);

it("a request that fits all targets is changed for none", async () => {
  const world = await chainWorld([always(GPT, { fault: "not-found" })]);
  expect(await changesOf(world, [world.gpt(), world.claude()], asking())).toEqual([]);
});
