// Agents against a provider that fails: which of them survive, and what the helpers say about the others. Vitest, node:test and every
// other runner use the same judgement.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { CHAOS_FAULT_IDS, type ChaosFaultId, faultRow } from "../../src/chaos/faults.ts";
import type { Chaos } from "../../src/chaos/start-chaos.ts";
import { assertSurvived, chaosMatchers, survivalOf, withChaos } from "../../src/testing/chaos-run.ts";
import "../../src/testing/vitest.ts";
import { thrownBy } from "../support/thrown.ts";

type Agent = (chaos: Chaos) => Promise<string>;

const clientOf = (chaos: Chaos, maxRetries: number) =>
  new OpenAI({ baseURL: chaos.openaiUrl, apiKey: "none", maxRetries });

/** Asks again when it sees an error, at once. */
const patient: Agent = async (chaos) => {
  for (let left = 3; ; left--) {
    try {
      return (await clientOf(chaos, 0).responses.create({ model: "gpt-5", input: "hi" })).output_text;
    } catch (error) {
      if (left === 0) throw error;
    }
  }
};

/** Takes whatever has arrived for the answer, as naive readers of streams do. */
const gullible: Agent = async (chaos) => {
  const response = await fetch(`${chaos.openaiUrl}/chat/completions`, {
    method: "POST",
    body: JSON.stringify({ model: "gpt-5", messages: [], stream: true }),
  });
  let text = "";
  const decoder = new TextDecoder();
  const reading = async () => {
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array);
  };
  await Promise.allSettled([reading()]);
  return text;
};

const once: Agent = async (chaos) =>
  (await clientOf(chaos, 0).responses.create({ model: "gpt-5", input: "hi" })).output_text;

describe("an agent that asks again", () => {
  it.each(["server-error", "overloaded", "rate-limit", "reset", "malformed-json"] as const)(
    "survives %s",
    async (fault) => {
      const run = await withChaos([fault], patient);
      expect(run.value).toMatch(/^You said: hi/);
      expect(run).toHaveSurvived(fault);
      expect(run).toHaveSurvived();
      assertSurvived(run, fault);
    },
  );

  it("survives several faults in a row", async () => {
    const run = await withChaos(["server-error", "reset", "overloaded"], patient);
    for (const fault of ["server-error", "reset", "overloaded"] as const) expect(run).toHaveSurvived(fault);
    expect(run).not.toHaveSurvived("quota");
  });
});

describe("does not count as survived", () => {
  // prettier-ignore
  const CASES: readonly (readonly [name: string, faults: readonly ChaosFaultId[], agent: Agent, fault: ChaosFaultId | undefined, why: RegExp])[] = [
    ["a cut stream taken for the answer", ["cut-stream"], gullible, "cut-stream",
      /^no good answer came after request 1, which met cut-stream; the agent's requests got cut-stream$/],
    ["a fault that no request met", [], once, "rate-limit", /^no request met rate-limit; the agent's requests got ok\.$/],
    ["a run without any fault", [], once, undefined, /^no request met a fault; /],
    ["an agent that asked nothing", ["rate-limit"], () => Promise.resolve("made up"), "rate-limit",
      /^no request met rate-limit; the agent sent no request\.$/],
    ["an agent that asked a wrong address", ["rate-limit"], async ({ url }) => (await fetch(`${url}/v7/talk`)).text(), "rate-limit",
      /A request went to \/v7\/talk, which is not a path of any vendor; check the base URL\.$/],
    ["a fault that the request cannot have", ["cut-stream", "no-end-mark"], async (chaos) => { await gullible(chaos); return patient(chaos); }, "cut-stream",
      /^request 2 was wrong: /],
  ];
  it.each(CASES)("%s", async (_name, faults, agent, fault, why) => {
    const run = await withChaos(faults, agent);
    expect(survivalOf(run, fault)).toEqual({ survived: false, why: expect.stringMatching(why) as string });
    expect(() => assertSurvived(run, fault)).toThrow(why);
    const { pass, message } = chaosMatchers.toHaveSurvived(run, fault);
    expect([pass, message()]).toEqual([false, expect.stringMatching(why)]);
    expect(() => expect(run).toHaveSurvived(fault)).toThrow(why);
  });
});

it("faults that only take time or change the words are survived by the answer itself", async () => {
  const harmless = CHAOS_FAULT_IDS.filter((id) => faultRow(id)?.means === null);
  expect(harmless).toContain("slow-drip");
  const run = await withChaos([{ "fault": "slow-drip", "wait-ms": 1 }], once);
  expect(run).toHaveSurvived("slow-drip");
});

it("what the agent throws is thrown, and the provider is closed", async () => {
  let url = "";
  const error = await thrownBy(
    withChaos(["unauthorized"], (chaos) => {
      url = chaos.url;
      return once(chaos);
    }),
  );
  expect(error).toBeInstanceOf(OpenAI.AuthenticationError);
  await expect(fetch(url)).rejects.toThrow();
});

it("takes the options of startChaos, and gives a program its environment", async () => {
  const agent = `import OpenAI from "openai"; console.log((await new OpenAI().responses.create({ model: "gpt-5", input: "hi" })).output_text);`;
  const run = await withChaos({ scenario: { rules: [{ sequence: ["server-error"] }] } }, async ({ env }) => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { spawn } = await import("node:child_process");
    const child = spawn(process.execPath, ["--input-type=module", "-e", agent], {
      cwd: fileURLToPath(new URL("../..", import.meta.url)),
      env: { ...process.env, ...env },
    });
    child.stdout.once("data", (data: Buffer) => resolve(String(data)));
    return promise;
  });
  expect(run.value).toMatch(/^You said: hi/);
  expect(run).toHaveSurvived("server-error");
});

it("works with node:test", () => {
  const test = `
    import { test } from "node:test";
    import OpenAI from "openai";
    import { assertSurvived, withChaos } from "faultline/testing";
    const ask = (maxRetries) => async ({ openaiUrl }) =>
      new OpenAI({ baseURL: openaiUrl, apiKey: "none", maxRetries }).responses.create({ model: "gpt-5", input: "hi" });
    test("survives", async () => assertSurvived(await withChaos(["server-error"], ask(2)), "server-error"));
    test("fails", async () => assertSurvived(await withChaos([], ask(2)), "server-error"));
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", test], {
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    encoding: "utf8",
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
  });
  expect(stdout).toMatch(/^✔ survives/m);
  expect(stdout).toMatch(/^✖ fails/m);
  expect(stdout).toContain("no request met server-error");
});
