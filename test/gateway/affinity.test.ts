// A conversation stays with the fallback that answered it, and a new one begins with the first choice.

import { describe, expect, it } from "vitest";
import { type JsonObject, listOf } from "../../src/core/json-fields.ts";
import { Affinity, conversationOf } from "../../src/gateway/route/affinity.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { ask, bodyOf, DIALECTS, PROMPT } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { FIRST, SECOND, twoDialects } from "./open-world.ts";

/** A conversation after one answer, in the words of each dialect. */
const SECOND_TURN: Readonly<Record<Protocol, (said: string, answer: string) => JsonObject>> = {
  "openai-chat": (said, answer) => ({
    messages: [
      { role: "user", content: said },
      { role: "assistant", content: answer },
      { role: "user", content: "and then?" },
    ],
  }),
  "openai-responses": (said, answer) => ({
    input: [
      { role: "user", content: said },
      { role: "assistant", content: answer },
      { role: "user", content: "and then?" },
    ],
  }),
  "anthropic-messages": (said, answer) => ({
    messages: [
      { role: "user", content: said },
      { role: "assistant", content: answer },
      { role: "user", content: "and then?" },
    ],
  }),
  "google-generate": (said, answer) => ({
    contents: [
      { role: "user", parts: [{ text: said }] },
      { role: "model", parts: [{ text: answer }] },
      { role: "user", parts: [{ text: "and then?" }] },
    ],
  }),
};

describe.each(DIALECTS)("a conversation in %s", (dialect) => {
  const opening = (said: string): JsonObject => bodyOf(dialect, { prompt: said }) as JsonObject;
  const next = (said: string, answer = "north"): JsonObject => ({
    ...opening(said),
    ...SECOND_TURN[dialect](said, answer),
  });
  const named = (body: JsonObject) => conversationOf(body, {}, "alice");

  it("stays with its fallback from the second request on, and another one with the same beginning does not", async () => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect, "") });
    const answeredBy = async (body: JsonObject): Promise<string | null> => {
      const heard = await world.run(ask(world.url, dialect, { body }));
      return heard.headers.get("x-faultline-target");
    };
    await world.afflict(FIRST, "unavailable");
    expect(await answeredBy({})).toBe(`two/${SECOND}`);
    await world.afflict(FIRST, null);
    await world.clock.advance(120_000);
    expect(await answeredBy(SECOND_TURN[dialect](PROMPT, "north"))).toBe(`two/${SECOND}`);
    expect(await answeredBy(SECOND_TURN[dialect](PROMPT, "north"))).toBe(`two/${SECOND}`);
    // The first one has its own name by now.
    expect(await answeredBy(SECOND_TURN[dialect](PROMPT, "south"))).toBe(`one/${FIRST}`);
    expect(await answeredBy({})).toBe(`one/${FIRST}`);
  });

  it("is the same with each further request, and another one after another answer, beginning or client", () => {
    const later = next("hi");
    const [list] = Object.keys(SECOND_TURN[dialect]("", "")) as [string];
    const longer = { ...later, [list]: [...listOf(later[list]), { role: "user", content: "why?" }] };
    expect(named(longer)).toEqual(named(later));
    const others = [next("hi", "other"), next("hello")].map((body) => named(body).name);
    expect(new Set([named(later).name, conversationOf(later, {}, "bob").name, ...others]).size).toBe(4);
    expect(named(later).opening).toBe(named(opening("hi")).name);
  });

  it("is told from others with the same long beginning by its last message, and then by its answer", () => {
    const long = "x".repeat(40_000);
    const system = { system: long, instructions: long, systemInstruction: long };
    const [one, other] = [opening("hi"), opening("hello")].map((body) => named({ ...body, ...system }).name);
    expect(one).not.toBe(other);
    const [north, south] = ["north", "south"].map((answer) => named(next(long, answer)).name);
    expect(north).not.toBe(south);
  });
});

describe("the memory of places", () => {
  const conversation = { name: "b", opening: "a", isNew: false };

  it("finds a place by the opening until the conversation has its own", () => {
    const affinity = new Affinity();
    affinity.note({ name: "a", opening: null, isNew: true }, "two");
    expect(affinity.place({ name: "a", opening: null, isNew: true })).toBeNull();
    expect(affinity.place(conversation)).toBe("two");
    affinity.note(conversation, "three");
    expect(affinity.place(conversation)).toBe("three");
    expect(affinity.place({ name: "c", opening: "a", isNew: false })).toBeNull();
  });

  it("is empty again when the first choice answers", () => {
    const affinity = new Affinity();
    affinity.note(conversation, "two");
    affinity.note({ ...conversation, name: "a", opening: null }, "two");
    affinity.note(conversation, null);
    expect(affinity.isEmpty).toBe(true);
  });
});
