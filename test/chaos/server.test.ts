// Proves what holds for the server whatever the fault: who may connect, what it remembers, how it ends, and that its time is given.

import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { parseRequest } from "../../src/chaos/parse-request.ts";
import { replyTo } from "../../src/chaos/good-model.ts";
import type { ReceivedRequest } from "../../src/chaos/received.ts";
import { type Chaos, type ChaosOptions, startChaos } from "../../src/chaos/start-chaos.ts";
import { PROTOCOLS } from "../../src/chaos/wire.ts";
import { classify, isFaultError } from "../../src/core/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/index.ts";
import { thrownBy } from "../support/thrown.ts";
import { ask, impatientClock } from "./asking.ts";

const NOW = Date.UTC(2026, 10, 15, 12, 0, 0);
const KEY = "sk-live-very-secret-0123456789";

const open: Chaos[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((chaos) => chaos.close()));
});

async function start(options: ChaosOptions = {}): Promise<Chaos> {
  const chaos = await startChaos(options);
  open.push(chaos);
  return chaos;
}

/** A clock that stands still, and a promise that resolves when a wait has started. */
function stillClock(): { readonly clock: FakeClock; readonly waiting: Promise<number> } {
  const fake = createFakeClock(NOW, (next) => systemClock.soon(next));
  const { promise: waiting, resolve: tell } = Promise.withResolvers<number>();
  const after: FakeClock["after"] = (delayMs, wake) => {
    const takeBack = fake.after(delayMs, wake);
    tell(delayMs);
    return takeBack;
  };
  const clock = {
    ...fake,
    after,
    get pending() {
      return fake.pending;
    },
  };
  return { clock, waiting };
}

function getJson(chaos: Chaos, path: string, init: RequestInit = {}): Promise<unknown> {
  return fetch(`${chaos.url}${path}`, init).then((response) => response.json());
}

describe("time", () => {
  it("passes only on the clock that was given", async () => {
    const { clock, waiting } = stillClock();
    const chaos = await start({ clock });
    const answer = ask(chaos, "anthropic", { model: "slow-first-token", streaming: true });
    expect(await waiting).toBe(30_000);
    expect(chaos.received()[0]).toMatchObject({ status: 200, ended: "open", at: NOW });
    await clock.runAll();
    expect((await answer).text).toContain("message_stop");
    expect(chaos.received()[0]).toMatchObject({ ended: "answered", endedAt: NOW + 30_000 });
  });

  it("is waited before every answer when there is latency", async () => {
    const { clock, waiting } = stillClock();
    const chaos = await start({ clock, latencyMs: 250 });
    const answer = ask(chaos, "google");
    expect(await waiting).toBe(250);
    await clock.runAll();
    expect((await answer).status).toBe(200);
  });
});

describe("a connection", () => {
  it("that the client closes is remembered with its time, and its wait ends", async () => {
    const { clock, waiting } = stillClock();
    const { promise: ended, resolve: tell } = Promise.withResolvers<ReceivedRequest>();
    const chaos = await start({ clock, onEnd: (request) => tell(request) });
    const leaving = new AbortController();
    const answer = ask(chaos, "openai-responses", { model: "stall", streaming: true, signal: leaving.signal });
    await waiting;
    leaving.abort();
    expect(await ended).toMatchObject({ ended: "client-left", clientLeftAt: NOW, fault: "stall" });
    expect((await answer).error).not.toBeNull();
    expect(clock.pending).toBe(0);
  });

  it("is ended at once by close, whatever it waits for", async () => {
    const { clock, waiting } = stillClock();
    const chaos = await start({ clock });
    const answer = ask(chaos, "openai-chat", { model: "hang" });
    await waiting;
    await chaos.close();
    expect((await answer).error).not.toBeNull();
    const { error } = await ask(chaos, "openai-chat");
    expect(classify({ surface: "node", error }).code).toBe("NetworkDisconnect");
    await chaos.close();
  });

  it("is refused for the requested time, and accepted again on the same port", async () => {
    const { clock } = stillClock();
    const chaos = await start({ clock });
    const { error: reset } = await ask(chaos, "openai-chat", { headers: { "x-chaos": "refuse; for-ms=5000" } });
    expect(JSON.stringify(causeOf(reset))).toMatch(/ECONNRESET|UND_ERR_SOCKET/);
    const { error } = await ask(chaos, "openai-chat");
    expect(causeOf(error)).toMatchObject({ code: "ECONNREFUSED" });
    await clock.advance(5000);
    expect((await ask(chaos, "openai-chat")).status).toBe(200);
    chaos.refuse(1000);
    expect(causeOf((await ask(chaos, "openai-chat")).error)).toMatchObject({ code: "ECONNREFUSED" });
  });

  it("to a port that is taken gives a fault that says so", async () => {
    const chaos = await start();
    const error = await thrownBy(startChaos({ port: Number(new URL(chaos.url).port) }));
    if (!isFaultError(error)) throw error;
    expect(error.message).toMatch(/Cannot listen on 127\.0\.0\.1, port \d+\. Choose another port/);
  });
});

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : error;
}

describe("a reset", () => {
  it("parts what was from what comes: a request that ends late changes nothing", async () => {
    const { clock, waiting } = stillClock();
    const chaos = await start({ clock });
    const late = ask(chaos, "openai-chat", { model: "hang" });
    await waiting;
    chaos.reset();
    await ask(chaos, "openai-chat", { model: "quota" });
    await clock.runAll();
    await late;
    expect(chaos.received()).toMatchObject([{ number: 1, model: "quota", ended: "answered" }]);
  });
});

describe("a key", () => {
  const carriers = [{ authorization: `Bearer ${KEY}` }, { "x-api-key": KEY }, { "x-goog-api-key": KEY }];

  it("is shown as the same fingerprint wherever it came in, and never itself", async () => {
    const chaos = await start({ scenario: { rules: [{ when: { key: KEY, model: "nobody" }, fault: "quota" }] } });
    for (const headers of carriers) await ask(chaos, "openai-chat", { headers });
    await fetch(`${chaos.googleUrl}/models/x:generateContent?key=${KEY}`, { method: "POST", body: "{}" });
    const keys = chaos.received().map(({ key }) => key);
    expect(keys).toHaveLength(4);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^key_[0-9a-f]{8}$/);
    const shown = JSON.stringify([chaos.received(), await getJson(chaos, "/__chaos")]);
    expect(shown).not.toContain(KEY);
  });
});

describe("the control endpoint", () => {
  it("shows what was received and when", async () => {
    const chaos = await start({ clock: { ...impatientClock, now: () => NOW }, seed: 42 });
    await ask(chaos, "openai-chat", { model: "gpt-x" });
    await ask(chaos, "anthropic", { model: "quota", streaming: true });
    expect(await getJson(chaos, "/__chaos")).toMatchObject({
      seed: 42,
      perModel: { "gpt-x": 1, "quota": 1 },
      requests: [
        {
          number: 1,
          at: NOW,
          protocol: "openai-chat",
          model: "gpt-x",
          path: "/v1/chat/completions",
          status: 200,
          fault: null,
          ended: "answered",
          body: { model: "gpt-x" },
        },
        { number: 2, protocol: "anthropic", streaming: true, status: 429, fault: "quota", chosenBy: "model" },
      ],
    });
  });

  it("takes a scenario, a script and a reset", async () => {
    const chaos = await start();
    const post = (path: string, body = ""): Promise<unknown> => getJson(chaos, path, { method: "POST", body });
    expect(await post("/__chaos/scenario", "rules:\n  - fault: quota\n")).toEqual({ rules: 1 });
    expect((await ask(chaos, "openai-chat")).status).toBe(429);
    expect(await post("/__chaos/script", '["overloaded"]')).toEqual({ scripted: true });
    expect((await ask(chaos, "openai-chat")).status).toBe(529);
    expect(await post("/__chaos/reset")).toEqual({ reset: true });
    expect(chaos.received()).toEqual([]);
  });

  it("says what is wrong with a scenario or a script, and keeps the old one", async () => {
    const chaos = await start();
    const bad = await fetch(`${chaos.url}/__chaos/scenario`, { method: "POST", body: "rules:\n  - fault: nope\n" });
    expect(bad.status).toBe(422);
    expect(await bad.json()).toMatchObject({ diagnostics: [{ code: "CHAOS004", line: 2, column: 12 }] });
    for (const body of ["{", '["nope"]', "7"]) {
      expect((await fetch(`${chaos.url}/__chaos/script`, { method: "POST", body })).status).toBe(422);
    }
    expect((await ask(chaos, "openai-chat")).status).toBe(200);
  });

  it("shows the fault table, and what else there is", async () => {
    const chaos = await start();
    expect(await getJson(chaos, "/__chaos/faults")).toContainEqual(
      expect.objectContaining({ id: "overloaded", means: "Overloaded", params: { as: "json" } }),
    );
    expect(await getJson(chaos, "/__chaos/nothing")).toEqual({
      error:
        "There is: GET /__chaos, GET /__chaos/faults, POST /__chaos/reset, POST /__chaos/scenario, POST /__chaos/script.",
    });
  });
});

describe("a request", () => {
  it("of more than 32 MB is refused in the vendor's words", async () => {
    const chaos = await start();
    const { status, text } = await ask(chaos, "anthropic", { body: { system: "x".repeat(33 * 1024 * 1024) } });
    expect(status).toBe(413);
    expect(text).toContain("request_too_large");
  });

  it("that is not JSON, or has an unknown address, gets an error", async () => {
    const chaos = await start();
    const broken = await fetch(`${chaos.openaiUrl}/responses`, { method: "POST", body: "{" });
    expect([broken.status, await broken.text()]).toEqual([400, expect.stringContaining("not JSON")]);
    const lost = await fetch(`${chaos.url}/v1/embeddings`, { method: "POST", body: "{}" });
    expect([lost.status, await lost.text()]).toEqual([404, expect.stringContaining("/v1/chat/completions")]);
  });

  it("gets the same bytes from another server at the same time", async () => {
    const clock = { ...impatientClock, now: () => NOW };
    const [one, two] = [await start({ clock }), await start({ clock })];
    for (const protocol of PROTOCOLS) {
      for (const streaming of [false, true]) {
        const [first, second] = [await ask(one, protocol, { streaming }), await ask(two, protocol, { streaming })];
        expect(second).toEqual(first);
      }
    }
  });

  it("may hold anything", () => {
    const route = { model: null, streaming: null, asArray: false };
    fc.assert(
      fc.property(
        fc.constantFrom(...PROTOCOLS),
        fc.jsonValue(),
        fc.jsonValue(),
        fc.jsonValue(),
        (protocol, a, b, c) => {
          const body = {
            messages: a,
            input: a,
            contents: a,
            tools: b,
            tool_choice: c,
            response_format: c,
            text: c,
            generationConfig: b,
          };
          const asked = parseRequest({ ...route, protocol }, body);
          expect(typeof replyTo(asked, null).text).toBe("string");
        },
      ),
    );
  });

  it("to Google without alt=sse streams one JSON array, even when it fails in the middle", async () => {
    const chaos = await start();
    const stream = async (model: string): Promise<unknown> => {
      const url = `${chaos.googleUrl}/models/${model}:streamGenerateContent`;
      return (await fetch(url, { method: "POST", body: "{}" })).json();
    };
    expect(await stream("good")).toHaveLength(8);
    expect(await stream("error-mid-stream")).toMatchObject([{}, {}, { error: { status: "UNAVAILABLE" } }]);
    expect(await stream("error-mid-stream:after=0")).toMatchObject([{ error: { status: "UNAVAILABLE" } }]);
    expect(await stream("error-first-event")).toMatchObject([{ error: { status: "UNAVAILABLE" } }]);
  });
});

describe("a request that ends with the assistant's words", () => {
  const BODIES = {
    "openai-chat": (said: string) => ({
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: said },
      ],
    }),
    "openai-responses": (said: string) => ({
      input: [
        { role: "user", content: "hello" },
        { role: "assistant", content: said },
      ],
    }),
    "anthropic": (said: string) => ({
      messages: [
        { role: "user", content: "hello" },
        { role: "assistant", content: said },
      ],
    }),
    "google": (said: string) => ({
      contents: [
        { role: "user", parts: [{ text: "hello" }] },
        { role: "model", parts: [{ text: said }] },
      ],
    }),
  };

  it.each(PROTOCOLS)("gets the rest of an answer that begins with them: %s", (protocol) => {
    const replied = (said: string, scripted: string | null): string => {
      const asked = parseRequest({ protocol, model: "m", streaming: false, asArray: false }, BODIES[protocol](said));
      return replyTo(asked, scripted === null ? null : { kind: "answer", text: scripted }).text;
    };
    expect(replied("You said: he", null)).toMatch(/^llo \(This answer/);
    expect(replied("one", "one two")).toBe(" two");
    expect(replied("another beginning", "one two")).toBe("one two");
  });
});
