// `fl.fetch` under the official SDKs: what they see of failures, what is recorded, and what passes through untouched. The whole
// grid of faults is in `test/provider/grid`.

import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import {
  classify,
  createFaultline,
  createMemoryJournal,
  type Faultline,
  type FaultlineFetchOptions,
  type FaultlineOptions,
  isFaultError,
} from "../../../src/index.ts";
import { type Clock, systemClock } from "../../../src/host/clock.ts";
import { thrownBy } from "../../support/thrown.ts";

interface World {
  readonly chaos: Chaos;
  readonly fl: Faultline;
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

/** A second here is a millisecond: waits are short and recorded as they are. */
const STARTED_AT = systemClock.now();
const HASTY: Clock = {
  ...systemClock,
  now: () => STARTED_AT + (systemClock.now() - STARTED_AT) * 1_000,
  after: (delayMs, wake) => systemClock.after(delayMs / 1_000, wake),
};

async function world(options: FaultlineOptions = {}, fetching: Partial<FaultlineFetchOptions> = {}): Promise<World> {
  const chaos = await startChaos();
  onTestFinished(() => chaos.close());
  const fl = createFaultline(options);
  return { chaos, fl, ...clients(fl, chaos, fetching) };
}

function clients(
  fl: Faultline,
  chaos: Chaos,
  fetching: Partial<FaultlineFetchOptions>,
): Pick<World, "openai" | "anthropic"> {
  const common = { apiKey: "sk-planted-key-0123456789abcdef", maxRetries: 0 };
  return {
    openai: new OpenAI({ ...common, baseURL: chaos.openaiUrl, fetch: fl.fetch({ provider: "openai", ...fetching }) }),
    anthropic: new Anthropic({
      ...common,
      baseURL: chaos.anthropicUrl,
      fetch: fl.fetch({ provider: "anthropic", ...fetching }),
    }),
  };
}

const ANSWER = "You said: hi (This answer comes from a test server, in several pieces.)";
const messages = [{ role: "user" as const, content: "hi" }];

async function chat({ openai }: Pick<World, "openai">, model = "gpt-5"): Promise<string | null | undefined> {
  return (await openai.chat.completions.create({ model, messages })).choices[0]?.message.content;
}

async function streamed({ openai }: Pick<World, "openai">, model = "gpt-5"): Promise<string> {
  let text = "";
  const stream = await openai.chat.completions.create({ model, messages, stream: true });
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? "";
  return text;
}

const eventsOf = ({ fl }: World): readonly string[] =>
  fl.recent().flatMap(({ event }) => {
    if (event.type !== "call-failed") return event.type === "call-succeeded" ? [`done ${event.cost?.basis}`] : [];
    return [`${event.fault.code} ${event.decision.recourse} ${event.cost?.basis}`];
  });

describe("an SDK on a protected fetch", () => {
  it("sees only the answer when a failure was recovered", async () => {
    const here = await world({ clock: HASTY });
    here.chaos.script(["server-error", "reset"]);
    expect(await chat(here)).toBe(ANSWER);
    expect(here.chaos.received()).toHaveLength(3);
    expect(eventsOf(here)).toEqual([
      "Provider5xx retry reported",
      "NetworkDisconnect retry estimated",
      "done reported",
    ]);
  });

  it("throws its own error for an unrecoverable refusal, and does not retry by itself", async () => {
    const here = await world();
    const retrying = new OpenAI({
      baseURL: here.chaos.openaiUrl,
      apiKey: "none",
      maxRetries: 5,
      fetch: here.fl.fetch({ provider: "openai" }),
    });
    here.chaos.script(["quota"]);
    const thrown = await thrownBy(chat({ openai: retrying }));
    expect(thrown).toBeInstanceOf(OpenAI.RateLimitError);
    expect((thrown as InstanceType<typeof OpenAI.RateLimitError>).headers.get("x-faultline-code")).toBe(
      "QuotaExhausted",
    );
    expect(here.chaos.received()).toHaveLength(1);
  });

  it("gets an error that carries the fault when there was no answer at all", async () => {
    const here = await world({ clock: HASTY });
    const thrown = await thrownBy(chat(here, "reset"));
    expect(thrown).toBeInstanceOf(OpenAI.InternalServerError);
    expect((thrown as InstanceType<typeof OpenAI.APIError>).code).toBe("NetworkDisconnect");
    expect(classify({ surface: "node", error: thrown }).code).toBe("NetworkDisconnect");
  });

  it("sees nothing of a stream that failed before its first content", async () => {
    const here = await world({ clock: HASTY });
    here.chaos.script(["error-first-event"]);
    expect(await streamed(here)).toBe(ANSWER);
    // Without `include_usage` a stream has no usage.
    expect(eventsOf(here)).toEqual(["Overloaded retry reported", "done estimated"]);
  });

  it("gets an error when a stream breaks after some of it was seen", async () => {
    const here = await world();
    here.chaos.script(["cut-stream"]);
    const seen: string[] = [];
    const reading = async (): Promise<void> => {
      const stream = await here.openai.chat.completions.create({ model: "gpt-5", messages, stream: true });
      for await (const chunk of stream) seen.push(chunk.choices[0]?.delta.content ?? "");
    };
    const thrown = await thrownBy(reading());
    expect(isFaultError(thrown) && thrown.fault.code).toBe("NetworkDisconnect");
    expect(seen.join("").length).toBeGreaterThan(0);
    expect(ANSWER.startsWith(seen.join(""))).toBe(true);
    expect(eventsOf(here)).toEqual(["NetworkDisconnect surface estimated"]);
    expect(here.chaos.received()).toHaveLength(1);
  });

  it("reads a whole stream as one call, although it stops at the end mark", async () => {
    const here = await world();
    expect(await streamed(here)).toBe(ANSWER);
    const message = await here.anthropic.messages
      .stream({ model: "claude-opus-4-5", max_tokens: 100, messages })
      .finalText();
    expect(message).toBe(ANSWER);
    expect(here.fl.recent().filter(({ event }) => event.type === "call-succeeded")).toHaveLength(2);
    expect(here.fl.recent().filter(({ event }) => event.type === "call-cancelled")).toEqual([]);
  });

  it("may list models and the like: that passes through untouched and unrecorded", async () => {
    const here = await world();
    expect((await here.openai.models.list()).data.length).toBeGreaterThan(0);
    expect(here.fl.recent()).toEqual([]);
  });
});

describe("a caller that leaves", () => {
  it("before the answer stops the upstream, counts no failure, and gets its own reason", async () => {
    const here = await world();
    const caller = new AbortController();
    const asked = here.openai.chat.completions.create({ model: "hang", messages }, { signal: caller.signal });
    const thrown = thrownBy(asked);
    while (here.chaos.received().length === 0) await new Promise((next) => systemClock.soon(() => next(undefined)));
    caller.abort();
    expect(await thrown).toBeInstanceOf(OpenAI.APIUserAbortError);
    expect(here.fl.recent().filter(({ event }) => event.type === "call-cancelled")).toHaveLength(1);
    expect(here.fl.targets()).toMatchObject([{ breaker: "closed" }]);
  });

  it("in the middle of a stream stops the upstream too", async () => {
    const here = await world();
    const stream = await here.openai.chat.completions.create({ model: "slow-drip:wait-ms=20", messages, stream: true });
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    while (here.chaos.received()[0]?.clientLeftAt === null)
      await new Promise((next) => systemClock.soon(() => next(undefined)));
    expect(here.chaos.received()[0]?.ended).toBe("client-left");
  });
});

describe("a refused credential", () => {
  it("is refreshed once, and the call is sent again with the new one", async () => {
    const asked: string[] = [];
    const here = await world(
      {},
      {
        refreshCredential: ({ fault }) => {
          asked.push(fault.code);
          return { authorization: "Bearer key-two-0123456789" };
        },
      },
    );
    here.chaos.script(["unauthorized"]);
    expect(await chat(here)).toBe(ANSWER);
    expect(asked).toEqual(["AuthFailed"]);
    const [first, second] = here.chaos.received();
    expect(first?.key).not.toBe(second?.key);
    expect(JSON.stringify(here.fl.recent())).not.toContain("key-two");
  });
});

describe("within a session", () => {
  it("an answer is returned again when the program runs again, and not paid for twice", async () => {
    const chaos = await startChaos();
    onTestFinished(() => chaos.close());
    const journal = createMemoryJournal();
    const live = async (): Promise<readonly unknown[]> => {
      const fl = createFaultline({ journal });
      const session = await fl.session("s");
      const here = clients(fl, chaos, { within: session });
      return [await chat(here), await streamed(here), session.spending.microcents];
    };
    const first = await live();
    expect(first.slice(0, 2)).toEqual([ANSWER, ANSWER]);
    expect(await live()).toEqual(first);
    expect(chaos.received()).toHaveLength(2);
  });

  it("keys in headers and error bodies stay out of the journal", async () => {
    const chaos = await startChaos();
    onTestFinished(() => chaos.close());
    const journal = createMemoryJournal();
    const fl = createFaultline({ journal });
    const session = await fl.session("s");
    const here = clients(fl, chaos, { within: session });
    for (const fault of ["unauthorized", "cut-stream", "invalid-key"] as const) {
      chaos.script([fault]);
      const thrown = await thrownBy(fault === "cut-stream" ? streamed(here) : chat(here));
      expect(thrown, fault).toBeInstanceOf(Error);
    }
    const text = JSON.stringify(await session.entries());
    expect(text).not.toContain("planted-key");
  });
});
