// The sixteen failover scenarios, each with a whole and a streamed answer: what the caller gets, which targets were asked, and
// how long it took.

import { generateText, streamText, type LanguageModel } from "ai";
import { describe, expect, it } from "vitest";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { FaultError, type FaultCode } from "../../../src/index.ts";
import { always, CLAUDE, chainWorld, type ChainWorld, GPT, only, START_AT, steps } from "./chain-world.ts";

const PROMPT = "which way is north";
const ANSWER = `You said: ${PROMPT} (This answer comes from a test server, in several pieces.)`;

interface Expected {
  /** The whole answer, or the code of the error. */
  readonly gets: "answer" | FaultCode;
  readonly asked: readonly string[];
  /** At most this long. */
  readonly withinMs: number;
  /** A stream that broke after the caller had seen some of it. */
  readonly broken?: boolean;
}

interface Row {
  readonly name: string;
  readonly rules: readonly ScenarioRule[];
  readonly whole: Expected | null;
  readonly streamed: Expected | null;
}

const SOON_MS = 1_000;
const TIMEOUTS = { headersMs: 10_000, firstTokenMs: 20_000, idleMs: 15_000, totalMs: 60_000 };

const first: Expected = { gets: "answer", asked: [GPT], withinMs: 0 };
const again: Expected = { gets: "answer", asked: [GPT, GPT], withinMs: SOON_MS };
const over: Expected = { gets: "answer", asked: [GPT, GPT, CLAUDE], withinMs: SOON_MS };
const overAtOnce: Expected = { gets: "answer", asked: [GPT, CLAUDE], withinMs: 0 };
const broken = (gets: FaultCode, withinMs = 100): Expected => ({ gets, asked: [GPT], withinMs, broken: true });
const same = (expected: Expected): Pick<Row, "whole" | "streamed"> => ({ whole: expected, streamed: expected });

// prettier-ignore
const ROWS: readonly Row[] = [
  { name: "S01 429 with a short Retry-After: waits",        rules: [steps(GPT, { "fault": "rate-limit", "retry-after": 1 })], ...same(again) },
  { name: "S01 429 with a long Retry-After: falls back",      rules: [steps(GPT, { "fault": "rate-limit", "retry-after": 7 })], ...same(overAtOnce) },
  { name: "S02 429 that stays goes over",                       rules: [always(GPT, { fault: "rate-limit-bare" })], ...same(over) },
  { name: "S03 500 once is tried again",                        rules: [steps(GPT, "server-error")], ...same(again) },
  { name: "S04 503 that stays goes over",                       rules: [always(GPT, { fault: "unavailable" })], ...same(over) },
  { name: "S05 a connection that is reset goes over",           rules: [always(GPT, { fault: "reset" })], ...same(over) },
  { name: "S06 silence goes over",                              rules: [always(GPT, { fault: "hang" })],
    whole: { ...overAtOnce, withinMs: 61_000 }, streamed: { ...overAtOnce, withinMs: 10_000 } },
  { name: "S07 a slow first token goes over",                   rules: [always(GPT, { "fault": "slow-first-token", "wait-ms": 90_000 })],
    whole: { ...overAtOnce, withinMs: 61_000 }, streamed: { ...overAtOnce, withinMs: 20_000 } },
  { name: "S08 a cut after two thirds",                         rules: [always(GPT, { fault: "cut-stream", after: 6 })],
    whole: over, streamed: broken("NetworkDisconnect") },
  { name: "S09 a stall after two thirds",                       rules: [always(GPT, { fault: "stall", after: 6 })],
    whole: { ...overAtOnce, withinMs: 61_000 }, streamed: broken("NetworkTimeout", 15_000) },
  { name: "S10 a chunk that is not JSON",                        rules: [always(GPT, { fault: "malformed-chunk", after: 6 })],
    whole: null, streamed: broken("AnswerUnreadable") },
  { name: "S11 a stream without [DONE]",                        rules: [always(GPT, { fault: "no-end-mark" })],
    whole: null, streamed: broken("NetworkDisconnect") },
  { name: "S12 a prompt that is too long goes to a larger one", rules: [always(GPT, { fault: "context-overflow" })], ...same(overAtOnce) },
  { name: "S13 a filtered prompt is a clean error",             rules: [always(GPT, { fault: "content-filter" })], ...same({ gets: "ContentFiltered", asked: [GPT], withinMs: 0 }) },
  { name: "S13 a filtered answer is a clean error",             rules: [always(GPT, { fault: "content-filtered-output" })],
    whole: { gets: "ContentFiltered", asked: [GPT], withinMs: 0 }, streamed: broken("ContentFiltered") },
  { name: "nothing fails",                                      rules: [], ...same(first) },
];

const CASES = ROWS.flatMap(({ name, rules, whole, streamed }) => [
  ...(whole === null ? [] : [{ name: `${name}, as a whole`, rules, expected: whole, streaming: false }]),
  ...(streamed === null ? [] : [{ name: `${name}, as a stream`, rules, expected: streamed, streaming: true }]),
]);

it.each(CASES)("$name", async ({ rules, expected, streaming }) => {
  const world = await chainWorld(rules);
  const { text, error, ends } = await (streaming ? readStream : readWhole)(world, chainIn(world));
  if (expected.broken === true) expect(text !== "" && ANSWER.startsWith(text)).toBe(true);
  if (expected.gets === "answer") expect({ text, error, ends }).toEqual({ text: ANSWER, error: null, ends: ["stop"] });
  else {
    expect(error).toMatchObject({ fault: { code: expected.gets } });
    expect(ends).not.toContain("stop");
  }
  expect(world.asked()).toEqual(expected.asked);
  expect(world.clock.now() - START_AT).toBeLessThanOrEqual(expected.withinMs);
});

function chainIn({ fl, gpt, claude }: ChainWorld): LanguageModel {
  return fl.model([gpt(), claude()], { timeouts: TIMEOUTS });
}

interface Read {
  readonly text: string;
  readonly error: unknown;
  readonly ends: readonly string[];
}

async function readWhole(world: ChainWorld, model: LanguageModel): Promise<Read> {
  const asking = generateText({ model, prompt: PROMPT });
  return world.run(
    asking.then(
      ({ text, finishReason }) => ({ text, error: null, ends: [finishReason] }),
      (error: unknown) => ({ text: "", error, ends: [] }),
    ),
  );
}

async function readStream(world: ChainWorld, model: LanguageModel): Promise<Read> {
  const { stream } = streamText({ model, prompt: PROMPT, onError: () => undefined });
  const read = { text: "", error: null as unknown, ends: [] as string[] };
  await world.run(
    (async () => {
      for await (const part of stream) {
        if (part.type === "text-delta") read.text += part.text;
        if (part.type === "error") read.error = part.error;
        if (part.type === "finish") read.ends.push(part.finishReason);
      }
    })(),
  );
  return read;
}

describe("S14 a fallback that rejects prefill", () => {
  it("is asked without the caller's prefill, and the change is reported", async () => {
    const newer = "claude-opus-4-7";
    const world = await chainWorld([
      always(CLAUDE, { fault: "unavailable" }),
      always(newer, { fault: "prefill-rejected" }),
    ]);
    const model = world.fl.model([world.claude(), world.claude(newer)]);
    const messages = [
      { role: "user", content: PROMPT },
      { role: "assistant", content: "The way" },
    ] as const;
    const { text } = await world.run(generateText({ model, messages: [...messages] }));
    expect(text).toContain("You said:");
    expect(world.asked()).toEqual([CLAUDE, CLAUDE, newer]);
    const [adapted] = only(world.events(), "call-adapted");
    expect(adapted?.tool).toBe(`anthropic/${newer}`);
    expect(JSON.stringify(world.received().at(-1)?.body)).toContain(PROMPT);
  });
});

describe("S15 a first choice that is gone for a minute", () => {
  const EVERY_MS = 6_000;
  const GONE_MS = 60_000;

  it("costs no answer, is skipped in the meantime, and is back within thirty seconds of its recovery", async () => {
    const world = await chainWorld();
    const model = world.fl.model([world.gpt(), world.claude()]);
    const answers: string[] = [];
    let backAt: number | null = null;
    for (let request = 0; request < 20; request++) {
      const before = world.received().length;
      const isGone = world.clock.now() - START_AT < GONE_MS;
      world.afflict(GPT, isGone ? "unavailable" : null);
      const asking = generateText({ model, prompt: PROMPT }).then(({ text }) => text);
      answers.push(await world.run(asking));
      const asked = world.asked().slice(before);
      if (!isGone && backAt === null && asked.at(-1) === GPT) backAt = world.clock.now();
      await world.clock.advance(EVERY_MS);
    }
    expect(answers).toEqual(Array.from({ length: 20 }, () => ANSWER));
    expect(backAt ?? Infinity).toBeLessThanOrEqual(START_AT + GONE_MS + 30_000 + EVERY_MS);
    expect(world.asked().at(-1)).toBe(GPT);
    const whileGone = world.received().filter(({ at, model }) => model === GPT && at < START_AT + GONE_MS);
    expect(whileGone.length).toBeLessThanOrEqual(12);
  });
});

describe("S16 accounting", () => {
  it("counts and prices every request that was sent, including failed ones", async () => {
    const world = await chainWorld([steps(GPT, "server-error", "cut-stream"), steps(CLAUDE, "overloaded")]);
    const model = world.fl.model([world.gpt(), world.claude()]);
    const { text, finalStep } = await world.run(generateText({ model, prompt: PROMPT }));
    expect(text).toBe(ANSWER);
    const events = world.events();
    const ended = [only(events, "call-failed"), only(events, "call-succeeded")].flat();
    expect(only(events, "call-admitted")).toHaveLength(world.received().length);
    expect(ended).toHaveLength(world.received().length);
    expect(ended.map(({ cost }) => cost?.basis)).toEqual(["reported", "estimated", "reported", "reported"]);
    const sum = ended.reduce((total, { cost }) => total + (cost?.microcents ?? NaN), 0);
    expect(sum).toBeGreaterThan(0);
    expect(world.fl.spending.microcents).toBe(sum);
    expect(finalStep.providerMetadata?.["faultline"]).toMatchObject({ attempts: 4, target: `anthropic/${CLAUDE}` });
  });

  it("lets no SDK multiply the attempts: a fault is not retried by generateText", async () => {
    const world = await chainWorld([always("*", { fault: "server-error" })]);
    const error = await world.failure(
      generateText({ model: world.fl.model([world.gpt()]), prompt: PROMPT, maxRetries: 5 }),
    );
    expect(error).toBeInstanceOf(FaultError);
    expect(world.received()).toHaveLength(3);
  });
});
