// The providers a workflow may name: how a model of each is made from the table, and what is said when something for it is missing.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { fingerprintOf } from "../../src/chaos/received.ts";
import { type Fault, isFaultError } from "../../src/index.ts";
import {
  createModel,
  knownProviders,
  type ModelAgentTarget,
  WORKFLOW_PROVIDERS,
} from "../../src/workflow-model/providers.ts";
import type { Environment } from "../../src/agent/process/child-env.ts";

const target = (provider: string, more: Partial<ModelAgentTarget> = {}): ModelAgentTarget => ({
  kind: "model",
  name: "",
  provider,
  model: "some-model",
  baseUrl: "",
  apiKeyEnv: "",
  ...more,
});

async function failure(given: ModelAgentTarget, env: Environment, table = WORKFLOW_PROVIDERS): Promise<Fault> {
  const thrown = await createModel(given, env, table).then(
    () => null,
    (error: unknown) => error,
  );
  if (!isFaultError(thrown)) throw new Error("no fault was thrown", { cause: thrown });
  return thrown.fault;
}

describe("the table", () => {
  it.each(WORKFLOW_PROVIDERS)(
    "$id names a package and a factory that are there, and an example of its own",
    async (row) => {
      const loaded = (await import(row.npmPackage)) as Readonly<Record<string, unknown>>;
      expect(typeof loaded[row.factory]).toBe("function");
      expect(row.example).toMatch(new RegExp(`^${row.id}/.+`));
    },
  );

  it("is written with literal imports, so that the import rules see them", () => {
    const text = readFileSync(new URL("../../src/workflow-model/providers.ts", import.meta.url), "utf8");
    for (const { npmPackage } of WORKFLOW_PROVIDERS) expect(text).toContain(`import("${npmPackage}")`);
  });

  it("lists its names", () => {
    expect(knownProviders()).toEqual(["openai", "openai-chat", "anthropic", "google", "openai-compatible"]);
  });
});

describe("a model", () => {
  it.each([
    ["openai", "/v1", "/v1/responses"],
    ["openai-chat", "/v1", "/v1/chat/completions"],
    ["anthropic", "", "/v1/messages"],
    ["anthropic", "/v1", "/v1/messages"],
    ["google", "", "/v1beta/models/some-model:generateContent"],
    ["openai-compatible", "/v1", "/v1/chat/completions"],
  ])(
    "of %s at an address that ends in %j asks %s, with the key of the variable that was named",
    async (provider, path, asked) => {
      await using chaos = await chaosHere();
      const model = await createModel(target(provider, { baseUrl: `${chaos.url}${path}`, apiKeyEnv: "MY_KEY" }), {
        MY_KEY: "key-of-mine",
      });
      const { content } = await model.doGenerate({
        prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      });
      expect(JSON.stringify(content)).toContain("You said: hi");
      expect(chaos.received()).toMatchObject([{ path: asked, model: "some-model", key: fingerprintOf("key-of-mine") }]);
    },
  );

  it.each(["openai", "anthropic", "google", "openai-compatible"])(
    "of %s on this machine needs no key",
    async (provider) => {
      await using chaos = await chaosHere();
      const model = await createModel(target(provider, { baseUrl: `${chaos.url}/v1` }), {});
      await model.doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] });
      expect(chaos.received()).toHaveLength(1);
    },
  );

  it("finds its address in the vendor's own variable", async () => {
    await using chaos = await chaosHere();
    const model = await createModel(target("openai"), { OPENAI_BASE_URL: chaos.openaiUrl });
    await model.doGenerate({ prompt: [{ role: "user", content: [{ type: "text", text: "hi" }] }] });
    expect(chaos.received()).toHaveLength(1);
  });

  it("of google takes either of the two variables people use", async () => {
    expect(await createModel(target("google"), { GEMINI_API_KEY: "k" })).toMatchObject({ modelId: "some-model" });
    expect(await createModel(target("google"), { GOOGLE_GENERATIVE_AI_API_KEY: "k" })).toMatchObject({
      modelId: "some-model",
    });
  });
});

describe("what is missing", () => {
  it("is a key: KeyMissing names the variable, and nothing of the environment", async () => {
    const seen = await failure(target("openai"), { OTHER: "sk-secret-value", OPENAI_API_KEY: "" });
    expect(seen).toMatchObject({ code: "KeyMissing", context: { provider: "openai", variable: "OPENAI_API_KEY" } });
    expect(seen.message).toContain("OPENAI_API_KEY");
    expect(JSON.stringify(seen)).not.toContain("sk-secret-value");
  });

  it.each(["https://api.example.com/v1", "http://127.0.0.1.example.com/v1", "http://192.168.0.4:11434/v1"])(
    "is a key too at %s, which is another machine",
    async (baseUrl) => {
      expect((await failure(target("anthropic", { baseUrl }), {})).code).toBe("KeyMissing");
    },
  );

  it("is the key that the workflow named, whatever the vendor's own variable holds", async () => {
    const seen = await failure(target("openai", { apiKeyEnv: "TEAM_KEY" }), { OPENAI_API_KEY: "sk-x" });
    expect(seen.context["variable"]).toBe("TEAM_KEY");
  });

  it("is a package: the message says how to get it", async () => {
    const table = WORKFLOW_PROVIDERS.map((row) => ({
      ...row,
      make: () => import(`@faultline-test/${row.id}-is-not-there`) as Promise<never>,
    }));
    const seen = await failure(target("openai"), { OPENAI_API_KEY: "k" }, table);
    expect(seen).toMatchObject({ code: "HostCapabilityMissing", context: { package: "@ai-sdk/openai" } });
    expect(seen.message).toContain("npm i @ai-sdk/openai");
  });

  it("is an unknown provider: the message lists how models are written", async () => {
    const seen = await failure(target("opena1"), {});
    expect(seen.code).toBe("ConfigSchemaViolation");
    expect(seen.message).toContain("openai/gpt-5.5");
  });

  it.each(["", "not a url", "ftp://host/v1"])("is an address: %j is none", async (baseUrl) => {
    const seen = await failure(target("openai-compatible", { baseUrl }), {});
    expect(seen.code).toBe("ConfigSchemaViolation");
    expect(seen.message).toContain("base_url");
  });
});

async function chaosHere(): Promise<Awaited<ReturnType<typeof startChaos>> & AsyncDisposable> {
  const chaos = await startChaos();
  return { ...chaos, [Symbol.asyncDispose]: () => chaos.close() };
}
