// A refused key is refreshed once, and keys never leak.

import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { generateText, streamText } from "ai";
import { describe, expect, it } from "vitest";
import { createMemoryJournal, type FaultError, type JournalEvent, viewFor } from "../../../src/index.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { fingerprintOf } from "../../../src/chaos/received.ts";
import { always, CLAUDE, chainWorld, type ChainWorld, GPT, only } from "./chain-world.ts";

const OLD = "sk-proj-0ldK3yThatWasRevoked1234567890abcdEFGH";
const NEW = "sk-proj-n3wK3yThatWorksFine0987654321zyxwVUTS";

async function withKeys(): Promise<{ readonly world: ChainWorld; readonly keys: { inUse: string; fetched: number } }> {
  const keys = { inUse: OLD, fetched: 0 };
  const world = await chainWorld([{ when: { key: OLD }, fault: "unauthorized" }], {}, () => keys.inUse);
  return { world, keys };
}

describe("a refused key", () => {
  it("is refreshed once, and the call is sent with the new one", async () => {
    const { world, keys } = await withKeys();
    const model = world.fl.model([world.gpt(), world.claude()], {
      refreshCredential: ({ fault }) => {
        expect(fault.code).toBe("AuthFailed");
        keys.fetched++;
        keys.inUse = NEW;
      },
    });
    const { text } = await world.run(generateText({ model, prompt: "hello" }));
    expect(text).toContain("You said: hello");
    expect(keys.fetched).toBe(1);
    expect(world.received().map(({ key }) => key)).toEqual([fingerprintOf(OLD), fingerprintOf(NEW)]);
    expect(only(world.events(), "call-adapted")).toMatchObject([
      { changes: [{ rule: "credential-refreshed" }], kept: false },
    ]);
  });

  it("that is refused again fails: the hook is not called twice", async () => {
    const { world, keys } = await withKeys();
    const model = world.fl.model([world.gpt(), world.claude()], { refreshCredential: () => void keys.fetched++ });
    const error = await world.failure(generateText({ model, prompt: "hello" }));
    expect(error).toMatchObject({ fault: { code: "AuthFailed" } });
    expect(keys.fetched).toBe(1);
    expect(world.asked()).toEqual([GPT, GPT]);
  });

  it("stays refused when the hook fails, and the hook's message is not part of the error", async () => {
    const { world } = await withKeys();
    const model = world.fl.model([world.gpt()], {
      refreshCredential: () => Promise.reject(new Error(`no vault for ${NEW}`)),
    });
    const error = (await world.failure(generateText({ model, prompt: "hello" }))) as FaultError;
    expect(error.fault.code).toBe("AuthFailed");
    expect(world.asked()).toEqual([GPT]);
    expect(JSON.stringify(world.events())).not.toContain(NEW);
  });

  it("is not waited for forever when the hook hangs", async () => {
    const { world } = await withKeys();
    const model = world.fl.model([world.gpt()], {
      timeouts: { totalMs: 5_000 },
      refreshCredential: () => new Promise<void>(() => undefined),
    });
    expect(await world.failure(generateText({ model, prompt: "hello" }))).toMatchObject({
      fault: { code: "AuthFailed" },
    });
  });
});

const PLANTED = [
  "sk-proj-Pl4ntedInTh3Prompt0000000000000000000000",
  "sk-ant-api03-Pl4ntedInTheHeader-111111111111111111111",
  "ghp_Pl4ntedInTheAnswer222222222222222222",
];

describe("planted keys", () => {
  const [inPrompt = "", inHeader = "", inAnswer = ""] = PLANTED;

  function expectClean(...shown: readonly unknown[]): void {
    for (const each of shown) {
      const text = typeof each === "string" ? each : JSON.stringify(each);
      for (const secret of [...PLANTED, OLD]) expect(text).not.toContain(secret);
    }
  }

  /** A provider that quotes the key and the prompt in its errors, as some do. */
  function quoting(world: ChainWorld, status: number, streamed: boolean): LanguageModelV4 {
    const message = `Incorrect API key provided: ${inHeader} for "${inPrompt}" (Authorization: Bearer ${inAnswer})`;
    const fails = Object.assign(new Error(message), {
      statusCode: status,
      responseBody: JSON.stringify({ error: { message } }),
    });
    const stream = new ReadableStream<LanguageModelV4StreamPart>({
      start: (parts) => {
        parts.enqueue({ type: "error", error: fails });
        parts.close();
      },
    });
    const { provider, modelId } = world.gpt();
    return {
      specificationVersion: "v4",
      provider,
      modelId,
      supportedUrls: {},
      doGenerate: () => Promise.reject(fails),
      doStream: () => (streamed ? Promise.resolve({ stream }) : Promise.reject(fails)),
    };
  }

  it.each([401, 400, 429, 500])("in an error %i leak neither into events nor views nor messages", async (status) => {
    const world = await chainWorld();
    const model = world.fl.model([quoting(world, status, false)]);
    const error = (await world.failure(
      generateText({ model, prompt: inPrompt, headers: { "x-custom-key": inHeader } }),
    )) as FaultError;
    expect(error.name).toBe("FaultError");
    expectClean(world.events(), error.message, String(error.stack), JSON.parse(JSON.stringify(error)));
    for (const audience of ["user", "model", "operator", "audit"] as const)
      expectClean(viewFor(audience, error.fault, { correlationId: "c" }));
  });

  it("in a stream's error leak neither into events nor into the part", async () => {
    const world = await chainWorld();
    const seen: unknown[] = [];
    const { stream } = streamText({
      model: world.fl.model([quoting(world, 500, true)]),
      prompt: inPrompt,
      onError: () => undefined,
    });
    await world.run(
      (async () => {
        for await (const part of stream) if (part.type === "error") seen.push((part.error as Error).message);
      })(),
    );
    expect(seen).toHaveLength(1);
    expectClean(world.events(), seen);
  });

  it("in headers, prompts and answers do not leak into a session's events", async () => {
    const world = await chainWorld([
      always(GPT, { fault: "not-found" }),
      always(CLAUDE, { answer: `use ${inAnswer}` }),
    ]);
    const journal = createMemoryJournal({ clock: world.clock, chance: createSeededChance(5) });
    const fl = world.createLife({ journal });
    const session = await world.run(fl.session("s"));
    const model = fl.model([world.gpt(GPT, OLD), world.claude()], { within: session });
    const { text } = await world.run(
      generateText({ model, prompt: `my key is ${inPrompt}`, headers: { "x-custom-key": inHeader } }),
    );
    expect(text).toContain(inAnswer);
    const events: JournalEvent[] = (await world.run(session.entries())).map(({ event }) => event);
    expect(events.some(({ type }) => type === "call-succeeded")).toBe(true);
    expectClean(events, await world.run(session.trace()));
  });
});
