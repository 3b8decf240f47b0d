// Whether a chain continues depends on the scope of the fault: the key, the model, the provider or the request.

import { generateText } from "ai";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { type FaultCode, FaultError, type ModelTarget, type Policy } from "../../../src/index.ts";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { always, CLAUDE, chainWorld, type ChainWorld, GEMINI, GPT, only } from "./chain-world.ts";

const MINI = "gpt-4o-mini";

function opting(code: FaultCode): Policy {
  return withRows(DEFAULT_POLICY, [
    { match: { code: [code] }, retry: null, then: ["fallback", "fail"], origin: { layer: "file", at: "test" } },
  ]);
}

interface Row {
  readonly name: string;
  readonly rules: readonly ScenarioRule[];
  readonly policy?: Policy;
  readonly targets: (world: ChainWorld) => readonly ModelTarget[];
  readonly asked: readonly string[];
  /** null: it is answered. */
  readonly fails: FaultCode | null;
}

const twoVendors: Row["targets"] = ({ gpt, claude }) => [gpt(), claude()];
const twoModels: Row["targets"] = ({ gpt, claude }) => [gpt(), gpt(MINI), claude()];
const twoKeys: Row["targets"] = ({ gpt }) => [
  { model: gpt(GPT, "key-a"), credential: "a" },
  { model: gpt(GPT, "key-b"), credential: "b" },
];

// prettier-ignore
const ROWS: readonly Row[] = [
  { name: "a refused key stops the chain",                            rules: [always(GPT, { fault: "unauthorized" })],     targets: twoVendors, asked: [GPT],              fails: "AuthFailed" },
  { name: "a refused key goes over when the policy says so",          rules: [always(GPT, { fault: "unauthorized" })],     targets: twoVendors, asked: [GPT, CLAUDE],      fails: null, policy: opting("AuthFailed") },
  { name: "a refused prompt goes over when the policy says so",       rules: [always(GPT, { fault: "content-filter" })],   targets: twoVendors, asked: [GPT, CLAUDE],      fails: null, policy: opting("ContentFiltered") },
  { name: "a filtered answer goes over when the policy says so",      rules: [always(GPT, { fault: "content-filtered-output" })], targets: twoVendors, asked: [GPT, CLAUDE], fails: null, policy: opting("ContentFiltered") },
  { name: "what the key may not do goes to another key",              rules: [always(GPT, { fault: "forbidden" })],        targets: twoVendors, asked: [GPT, CLAUDE],      fails: null },
  { name: "a used up quota goes to another key",                      rules: [always(GPT, { fault: "quota" })],            targets: twoVendors, asked: [GPT, CLAUDE],      fails: null },
  { name: "a rate limit goes to another model of the same key",       rules: [always(GPT, { fault: "rate-limit-bare" })],  targets: twoModels,  asked: [GPT, GPT, MINI],   fails: null },
  { name: "a rate limit goes to the same model with another key",     rules: [{ when: { key: "key-a" }, fault: "rate-limit-bare" }], targets: twoKeys, asked: [GPT, GPT, GPT], fails: null },
  { name: "an overloaded model goes to another one of the provider",  rules: [always(GPT, { fault: "unavailable" })],      targets: twoModels,  asked: [GPT, GPT, MINI],   fails: null },
  { name: "a model that is not there goes to another one",            rules: [always(GPT, { fault: "not-found" })],        targets: twoModels,  asked: [GPT, MINI],        fails: null },
  { name: "a server error passes over the whole provider",            rules: [always(GPT, { fault: "server-error" })],     targets: twoModels,  asked: [GPT, GPT, CLAUDE], fails: null },
  { name: "a lost connection passes over the whole provider",         rules: [always(GPT, { fault: "reset" })],            targets: twoModels,  asked: [GPT, GPT, CLAUDE], fails: null },
  { name: "a bad request stops the chain",                            rules: [always(GPT, { fault: "bad-request" })],      targets: twoVendors, asked: [GPT],              fails: "RequestInvalid" },
  { name: "a filtered prompt stops the chain",                        rules: [always(GPT, { fault: "content-filter" })],   targets: twoVendors, asked: [GPT],              fails: "ContentFiltered" },
  { name: "the last one is tried as retryWhileBusy as the policy says",    rules: [always("*", { fault: "unavailable" })],      targets: twoVendors, asked: [GPT, GPT, CLAUDE, CLAUDE, CLAUDE], fails: "Overloaded" },
];

it.each(ROWS)("$name", async ({ rules, targets, asked, fails, policy = DEFAULT_POLICY }) => {
  const world = await chainWorld(rules, { policy });
  const asking = generateText({ model: world.fl.model(targets(world)), prompt: "hello" });
  const got = await world.run(
    asking.then(
      () => null,
      (error: unknown) => error,
    ),
  );
  if (fails === null) expect(got).toBeNull();
  else expect(got).toMatchObject({ name: "FaultError", fault: { code: fails } });
  expect(world.asked()).toEqual(asked);
});

describe("a chain", () => {
  it("reports which target answered, after how many attempts, and under which name the call is found", async () => {
    const world = await chainWorld([always(GPT, { fault: "not-found" })]);
    const { finalStep } = await world.run(
      generateText({ model: world.fl.model([world.gpt(), world.gemini()]), prompt: "hello" }),
    );
    const [started] = only(world.events(), "call-started");
    expect(finalStep.providerMetadata?.["faultline"]).toEqual({
      call: started?.call,
      attempts: 2,
      target: `google/${GEMINI}`,
    });
  });

  it("keeps two targets of one model apart", async () => {
    const world = await chainWorld();
    expect(world.fl.model([world.gpt(), world.gpt(), world.claude()]).modelId).toBe(
      `openai/${GPT} > openai/${GPT}#2 > anthropic/${CLAUDE}`,
    );
  });

  it.each([
    { name: "none", targets: [], says: /must be a list of models/ },
    {
      name: "a name",
      targets: ["gpt-4o" as never],
      says: /"gpt-4o" is not a model; it must be a language model of the AI SDK/,
    },
    {
      name: "a model of an unknown SDK",
      targets: [{ specificationVersion: "v1", modelId: "m", doGenerate: 1 } as never],
      says: /m implements v1 .*; chains accept v2, v3 and v4 \(AI SDK 5, 6 and 7\)/,
    },
  ])("is refused with an explanation when it consists of $name", async ({ targets, says }) => {
    const world = await chainWorld();
    expect(() => world.fl.model(targets)).toThrow(says);
    expect(() => world.fl.model(targets)).toThrow(FaultError);
  });
});
