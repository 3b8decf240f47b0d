// The sixteen failover scenarios at a gateway, for a client and a first target of any two dialects. The second target speaks the client's
// own dialect. Used by the test, and by the command that writes the scorecard.

import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { ANSWER, ask, type Asking, type Heard, PROMPT } from "../dialect-clients.ts";
import {
  FIRST,
  type GatewayWorld,
  openWorld,
  SECOND,
  START_AT,
  twoDialects,
  type WorldOptions,
} from "../open-world.ts";

export interface Pair {
  readonly client: Protocol;
  readonly target: Protocol;
  readonly streaming: boolean;
}

/** `rescued`: the client got a whole answer. `clean`: it got an error that says what happened, where that is all one can do. */
export type Verdict = "rescued" | "clean" | `failed: ${string}`;

export interface Scenario {
  readonly id: string;
  readonly name: string;
  /** Whether it exists for whole answers, too. */
  readonly streamsOnly?: true;
  readonly run: (pair: Pair) => Promise<Verdict>;
  /** What another gateway is tried with; null where the scenario is about our own configuration or records. */
  readonly elsewhere: Elsewhere | null;
}

/** A scenario without what only our gateway has: a clock that can be moved, and a list of the targets that were asked. */
export interface Elsewhere {
  readonly rules: readonly ScenarioRule[];
  readonly verdict: "rescued" | "clean";
}

const SOON_MS = 1_000;

interface Expected {
  readonly asked: readonly string[];
  readonly withinMs: number;
  readonly verdict: "rescued" | "clean";
}

const again: Expected = { asked: [FIRST, FIRST], withinMs: SOON_MS, verdict: "rescued" };
const over: Expected = { asked: [FIRST, FIRST, SECOND], withinMs: SOON_MS, verdict: "rescued" };
const overAtOnce: Expected = { asked: [FIRST, SECOND], withinMs: 0, verdict: "rescued" };
const clean: Expected = { asked: [FIRST], withinMs: 0, verdict: "clean" };

type Step = Omit<ScenarioRule, "when">;

function scenario(id: string, name: string, first: Step, expected: Expected, restart = false): Scenario {
  const rules = [{ when: { model: FIRST }, ...first }];
  return {
    id,
    name,
    elsewhere: { rules, verdict: expected.verdict },
    run: (pair) =>
      inWorld(pair, { rules, restart }, async (world) => {
        const heard = await world.run(ask(world.url, pair.client, { streaming: pair.streaming }));
        return judged(world, heard, expected);
      }),
  };
}

function streamed(given: Scenario): Scenario {
  return { ...given, streamsOnly: true };
}

// prettier-ignore
export const SCENARIOS: readonly Scenario[] = [
  scenario("S01", "429 with a short Retry-After: waits", { sequence: [{ "fault": "rate-limit", "retry-after": 1 }] }, again),
  scenario("S01", "429 with a long Retry-After: falls back", { sequence: [{ "fault": "rate-limit", "retry-after": 7 }] }, overAtOnce),
  scenario("S02", "429 that stays", { fault: "rate-limit-bare" }, over),
  scenario("S03", "500 once", { sequence: ["server-error"] }, again),
  scenario("S04", "503 that stays", { fault: "unavailable" }, over),
  scenario("S05", "connection reset", { fault: "reset" }, over),
  scenario("S06", "silence", { fault: "hang" }, { ...overAtOnce, withinMs: 10_000 }),
  scenario("S07", "slow first token", { "fault": "slow-first-token", "wait-ms": 90_000 }, { ...overAtOnce, withinMs: 20_000 }),
  scenario("S08", "cut after two thirds, started over", { fault: "cut-stream", after: 6 }, over, true),
  streamed(scenario("S08", "cut after two thirds, told", { fault: "cut-stream", after: 6 }, { ...clean, withinMs: 100 })),
  scenario("S09", "stall after two thirds, started over", { fault: "stall", after: 6 }, { ...overAtOnce, withinMs: 60_000 }, true),
  streamed(scenario("S09", "stall after two thirds, told", { fault: "stall", after: 6 }, { ...clean, withinMs: 15_000 })),
  streamed(scenario("S10", "a chunk that is not JSON, started over", { fault: "malformed-chunk", after: 6 }, over, true)),
  streamed(scenario("S10", "a chunk that is not JSON, told", { fault: "malformed-chunk", after: 6 }, clean)),
  streamed(scenario("S11", "a stream without its end mark, started over", { fault: "no-end-mark" }, over, true)),
  streamed(scenario("S11", "a stream without its end mark, told", { fault: "no-end-mark" }, clean)),
  scenario("S12", "a prompt that is too long goes to another model", { fault: "context-overflow" }, overAtOnce),
  scenario("S13", "a filtered prompt is a clean error", { fault: "content-filter" }, clean),
  { id: "S14", name: "a fallback that rejects prefill", run: prefillRejected, elsewhere: null },
  { id: "S15", name: "a first choice that is gone for a minute", run: goneForAMinute, elsewhere: null },
  { id: "S16", name: "every attempt is counted and priced", run: accounted, elsewhere: null },
];

const RESTART = ", mid_stream: restart";

interface ScenarioWorld extends Pick<WorldOptions, "rules" | "file"> {
  readonly restart?: boolean;
}

async function inWorld(
  { client, target }: Pair,
  { restart = false, ...options }: ScenarioWorld,
  use: (world: GatewayWorld) => Promise<Verdict>,
): Promise<Verdict> {
  const world = await openWorld({ file: twoDialects(target, client, restart ? RESTART : ""), ...options });
  try {
    return await use(world);
  } finally {
    await world.close();
  }
}

function judged(world: GatewayWorld, heard: Heard, { asked, withinMs, verdict }: Expected): Verdict {
  const tookMs = world.clock.now() - START_AT;
  const got = world.asked().join(" ");
  if (got !== asked.join(" ")) return `failed: asked ${got}`;
  if (tookMs > withinMs) return `failed: took ${tookMs} ms`;
  return verdictOn(heard, verdict);
}

/** What a client can tell from its answer alone. */
export function verdictOn(heard: Heard, wanted: "rescued" | "clean"): Verdict {
  return wanted === "rescued" ? rescued(heard) : cleanly(heard);
}

function rescued({ text, isWhole, status, error }: Heard): Verdict {
  if (status !== 200 || error !== null) return `failed: ${status} ${JSON.stringify(error)}`;
  if (!isWhole) return "failed: the end is missing";
  return text === ANSWER ? "rescued" : `failed: got ${JSON.stringify(text)}`;
}

/** Part of an answer is no answer: it must not look whole, and there must be an error in the client's dialect. */
function cleanly({ text, isWhole, error, headers, status, raw }: Heard): Verdict {
  // Google's own way to say it.
  if (raw.includes('"blockReason"')) return "clean";
  if (isWhole || error === null) return "failed: a broken answer looks whole";
  if (!ANSWER.startsWith(text)) return `failed: got ${JSON.stringify(text)}`;
  return status === 200 || headers.get("x-should-retry") === "false" ? "clean" : "failed: the client may retry";
}

const OPUS = "claude-opus-4-7";

async function prefillRejected(pair: Pair): Promise<Verdict> {
  const rules: readonly ScenarioRule[] = [
    { when: { model: FIRST }, fault: "unavailable" },
    { when: { model: OPUS }, fault: "prefill-rejected" },
  ];
  const file = twoDialects(pair.target, "anthropic-messages", "", [FIRST, OPUS]);
  return inWorld(pair, { rules, file }, async (world) => {
    const asking: Asking = { streaming: pair.streaming, body: PREFILLED[pair.client] };
    const { status, isWhole, text } = await world.run(ask(world.url, pair.client, asking));
    // The prefill became a message that asks to go on.
    return status === 200 && isWhole && text.startsWith("You said: Continue") ? "rescued" : `failed: ${status} ${text}`;
  });
}

const turns = [
  { role: "user", content: PROMPT },
  { role: "assistant", content: "The way" },
];

const PREFILLED: Readonly<Record<Protocol, Readonly<Record<string, unknown>>>> = {
  "openai-chat": { messages: turns },
  "openai-responses": { input: turns },
  "anthropic-messages": { messages: turns },
  "google-generate": {
    contents: [
      { role: "user", parts: [{ text: PROMPT }] },
      { role: "model", parts: [{ text: "The way" }] },
    ],
  },
};

const EVERY_MS = 6_000;
const GONE_MS = 60_000;
const REQUESTS = 20;

async function goneForAMinute(pair: Pair): Promise<Verdict> {
  return inWorld(pair, {}, async (world) => {
    let backAt = Infinity;
    for (let request = 0; request < REQUESTS; request++) {
      const isGone = world.clock.now() - START_AT < GONE_MS;
      await world.afflict(FIRST, isGone ? "unavailable" : null);
      const heard = await world.run(ask(world.url, pair.client, { streaming: pair.streaming }));
      const verdict = rescued(heard);
      if (verdict !== "rescued") return verdict;
      if (!isGone && world.asked().at(-1) === FIRST) backAt = Math.min(backAt, world.clock.now());
      await world.clock.advance(EVERY_MS);
    }
    const lateMs = backAt - START_AT - GONE_MS;
    return lateMs <= 30_000 + EVERY_MS ? "rescued" : `failed: back after ${lateMs} ms`;
  });
}

async function accounted(pair: Pair): Promise<Verdict> {
  const rules: readonly ScenarioRule[] = [
    { when: { model: FIRST }, sequence: ["server-error", "cut-stream"] },
    { when: { model: SECOND }, sequence: ["overloaded"] },
  ];
  return inWorld(pair, { rules, restart: true }, async (world) => {
    const heard = await world.run(ask(world.url, pair.client, { streaming: pair.streaming }));
    const ended = world.events().flatMap((event) => ("cost" in event ? [event.cost] : []));
    const sent = world.received().length;
    const told = Number(heard.headers.get("x-faultline-attempts"));
    if (sent !== 4 || ended.length !== sent || told !== sent)
      return `failed: ${sent} sent, ${ended.length} booked, ${told} told`;
    return ended.every((cost) => cost !== null) ? rescued(heard) : "failed: an attempt has no cost";
  });
}
