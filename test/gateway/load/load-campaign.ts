// Many clients of all four dialects at one gateway, while its upstreams fail, cut their streams, fall silent and die. Some routes hedge.
// Everything follows from a seed.
// C1  No truncated answer looks complete.
// C2  No tool call is seen twice.
// C3  No client's key reaches an upstream.
// C4  No budget is passed by more than one call.

import type { ScenarioRule, ScenarioStep } from "../../../src/chaos/scenario-schema.ts";
import { parseGateway } from "../../../src/gateway/config/parse-gateway.ts";
import { ledgerOf } from "../../../src/gateway/ledger/read-ledger.ts";
import { startGateway, type StartedGateway } from "../../../src/gateway/start-gateway.ts";
import { createFaultline, createMemoryJournal, type Faultline } from "../../../src/index.ts";
import type { Chance } from "../../../src/host/chance.ts";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import "@ai-sdk/anthropic";
import "@ai-sdk/google";
import "@ai-sdk/openai";
import { createSocketClock } from "../../support/socket-clock.ts";
import { ask, DIALECTS, type Heard } from "../dialect-clients.ts";
import { START_AT, TARGET_KEY } from "../open-world.ts";
import { calledTools } from "./called-tools.ts";
import { MortalUpstream } from "./mortal-upstream.ts";

export interface LoadOptions {
  readonly seed: number;
  readonly calls: number;
  /** How many are under way at once. */
  readonly side: number;
  readonly tell?: (line: string) => void;
}

export interface LoadReport {
  readonly whole: number;
  readonly told: number;
  readonly overBudget: number;
  /** Requests that reached an upstream. */
  readonly attempts: number;
  readonly deaths: number;
  readonly truncated: readonly string[];
  readonly doubled: readonly string[];
  readonly leaks: readonly string[];
  /** Keys that spent more than their budget and one call. */
  readonly overspent: readonly string[];
  readonly spentMicrocents: Readonly<Record<string, number>>;
  /** Calls without a line in the ledger, or the other way round. */
  readonly unledgered: number;
  /** Second attempts beside a silent one. */
  readonly hedges: number;
}

type Task = "text" | "tools";

const CALLS = [
  { tool: "weather", input: { city: "Oslo" } },
  { tool: "weather", input: { city: "Lima" } },
];

/** Models with a price, so that budgets count. Those of `tools` call tools. */
const MODELS: Readonly<Record<Protocol, Readonly<Record<Task, string>>>> = {
  "openai-chat": { text: "gpt-4o", tools: "gpt-4o-mini" },
  "openai-responses": { text: "gpt-4o", tools: "gpt-4o-mini" },
  "anthropic-messages": { text: "claude-sonnet-4-5", tools: "claude-haiku-4-5" },
  "google-generate": { text: "gemini-2.5-pro", tools: "gemini-2.5-flash" },
};
const TOOL_MODELS = ["gpt-4o-mini", "claude-haiku-4-5", "gemini-2.5-flash"];
const TEXT_MODELS = ["gpt-4o", "claude-sonnet-4-5", "gemini-2.5-pro"];

/** Each with the share of requests that it befalls. */
const FAULTS: readonly (readonly [number, ScenarioStep])[] = [
  [0.03, { fault: "server-error" }],
  [0.03, { fault: "overloaded" }],
  [0.02, { "fault": "rate-limit", "retry-after": 1 }],
  [0.03, { fault: "reset" }],
  [0.05, { fault: "cut-stream", after: 1 }],
  [0.05, { fault: "cut-stream", after: 4 }],
  [0.03, { fault: "malformed-chunk", after: 2 }],
  [0.03, { fault: "no-end-mark" }],
  [0.02, { fault: "error-mid-stream", after: 2 }],
  [0.02, { fault: "stall", after: 3 }],
  [0.03, { fault: "hang" }],
  [0.2, { "fault": "slow-first-token", "wait-ms": 600 }],
  [0.02, { fault: "empty" }],
];

const RULES: readonly ScenarioRule[] = [
  ...FAULTS.flatMap(([probability, step]): readonly ScenarioRule[] => [
    ...TOOL_MODELS.map((model) => ({ when: { model }, probability, calls: CALLS, ...step })),
    ...TEXT_MODELS.map((model) => ({ when: { model }, probability, ...step })),
  ]),
  ...TOOL_MODELS.map((model) => ({ when: { model }, calls: CALLS })),
];

const KEYS = { rich: "client-key-rich-0123456789", poor: "client-key-poor-0123456789" } as const;
type KeyName = keyof typeof KEYS;
const POOR_USD = 0.01;
const MICROCENTS_PER_USD = 100_000_000;
const DEATH_SHARE = 0.01;

/** Without a limit to the answer, a call reserves so much that what was spent never comes near the budget. */
const SHORT: Readonly<Record<Protocol, Readonly<Record<string, unknown>>>> = {
  "openai-chat": { max_tokens: 64 },
  "openai-responses": { max_output_tokens: 64 },
  "anthropic-messages": { max_tokens: 64 },
  "google-generate": { generationConfig: { maxOutputTokens: 64 } },
};

const TIMEOUTS = "{ headers_ms: 10000, first_token_ms: 20000, idle_ms: 15000, total_ms: 60000 }";

function gatewayFile(urls: readonly ((dialect: Protocol) => string)[]): string {
  const targets = urls.flatMap((url, server) =>
    DIALECTS.map(
      (dialect) =>
        `  up${server}-${dialect}: { dialect: ${dialect}, base_url: "${url(dialect)}", api_key_env: TARGET_KEY, timeouts: ${TIMEOUTS} }`,
    ),
  );
  const routes = (["text", "tools"] as const).flatMap((task) =>
    DIALECTS.flatMap((one) =>
      DIALECTS.flatMap((two) => {
        const chain = `chain: [up0-${one}/${MODELS[one][task]}, up1-${two}/${MODELS[two][task]}]`;
        return MODES.map((mode) => `  ${routeName(task, one, two, mode)}: { ${chain}${OPTIONS_OF[mode]} }`);
      }),
    ),
  );
  const keys = ["  rich: { key_env: RICH }", `  poor: { key_env: POOR, budget: { per_day_usd: ${POOR_USD} } }`];
  return ["version: 1", "targets:", ...targets, "routes:", ...routes, "keys:", ...keys, ""].join("\n");
}

/** What a route does about breaks and silence. */
const OPTIONS_OF = { told: "", over: ", mid_stream: restart", hedged: ", hedge: { after: 400 }" } as const;
type Mode = keyof typeof OPTIONS_OF;
const MODES: readonly Mode[] = ["told", "over", "hedged"];

function routeName(task: Task, one: Protocol, two: Protocol, mode: Mode): string {
  return [task, one, two, mode].join(".");
}

class Campaign {
  readonly #options: LoadOptions;
  readonly #chance: Chance;
  readonly #upstreams: readonly MortalUpstream[];
  readonly #gateway: StartedGateway;
  #next = 0;
  #ended = 0;
  readonly #dying = new Set<Promise<void>>();
  whole = 0;
  told = 0;
  overBudget = 0;
  readonly truncated: string[] = [];
  readonly doubled: string[] = [];

  constructor(options: LoadOptions, upstreams: readonly MortalUpstream[], gateway: StartedGateway) {
    this.#options = options;
    this.#chance = createSeededChance(options.seed);
    this.#upstreams = upstreams;
    this.#gateway = gateway;
  }

  async run(): Promise<void> {
    const lanes = Array.from({ length: this.#options.side }, () => this.#lane());
    await Promise.all(lanes);
    await Promise.all(this.#dying);
    for (const upstream of this.#upstreams) upstream.searchBodies();
  }

  async #lane(): Promise<void> {
    while (this.#next < this.#options.calls) {
      await this.#call(++this.#next);
      this.#ended += 1;
      if (this.#ended % 100 === 0) for (const upstream of this.#upstreams) upstream.searchBodies();
      if (this.#chance.roll() < DEATH_SHARE) this.#kill(this.#pick(this.#upstreams));
    }
  }

  #kill(upstream: MortalUpstream): void {
    const dying = upstream.die().finally(() => this.#dying.delete(dying));
    this.#dying.add(dying);
  }

  async #call(number: number): Promise<void> {
    const client = this.#pick(DIALECTS);
    const task = this.#pick(["text", "tools"] as const);
    const model = routeName(task, this.#pick(DIALECTS), this.#pick(DIALECTS), this.#pick(MODES));
    const streaming = this.#chance.roll() < 0.5;
    const prompt = `question ${number} of seed ${this.#options.seed}`;
    const headers = { authorization: `Bearer ${KEYS[this.#pick(["rich", "poor"] satisfies KeyName[])]}` };
    const heard = await ask(this.#gateway.url, client, { prompt, model, streaming, headers, body: SHORT[client] });
    const name = `${number}: ${client} → ${model}, ${streaming ? "stream" : "whole"}`;
    this.#judge(name, client, task, prompt, heard);
  }

  #judge(name: string, client: Protocol, task: Task, prompt: string, heard: Heard): void {
    const calls = calledTools(client, heard.raw).map(({ name: tool, input }) => `${tool} ${input}`);
    const wanted = task === "tools" ? CALLS.map(({ tool, input }) => `${tool} ${JSON.stringify(input)}`) : [];
    const text = task === "tools" ? "" : answerTo(prompt);
    if (calls.length > wanted.length || new Set(calls).size < calls.length)
      this.doubled.push(`${name}: ${calls.join(", ")}`);
    if (heard.isWhole && heard.status === 200) {
      this.whole += 1;
      if (heard.text !== text || calls.join("\n") !== wanted.join("\n"))
        this.truncated.push(`${name}: ${JSON.stringify(heard.text)} ${calls.join(", ")}`);
    } else if (heard.status === 402) this.overBudget += 1;
    else if (heard.error === null) this.truncated.push(`${name}: ended without an error, status ${heard.status}`);
    else this.told += 1;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(this.#chance.roll() * list.length)] as T;
  }
}

function answerTo(prompt: string): string {
  return `You said: ${prompt} (This answer comes from a test server, in several pieces.)`;
}

async function reportOf(
  campaign: Campaign,
  upstreams: readonly MortalUpstream[],
  { gateway }: StartedGateway,
  fl: Faultline,
  calls: number,
): Promise<LoadReport> {
  const lines = await ledgerOf(fl.journal, calls + 1);
  const spentMicrocents = Object.fromEntries(
    [...gateway.accounts].map((account) => [account.name, account.spent("day")]),
  );
  const dearest = Math.max(0, ...lines.filter(({ key }) => key === "poor").map(({ microcents }) => microcents));
  const poor = spentMicrocents["poor"] ?? 0;
  const limit = POOR_USD * MICROCENTS_PER_USD;
  const { whole, told, overBudget, truncated, doubled } = campaign;
  return {
    ...{ whole, told, overBudget, truncated, doubled, spentMicrocents },
    attempts: upstreams.reduce((sum, { received }) => sum + received, 0),
    deaths: upstreams.reduce((sum, { deaths }) => sum + deaths, 0),
    leaks: upstreams.flatMap(({ leaks }) => leaks),
    overspent: poor > limit + dearest ? [`poor spent ${poor} of ${limit} micro-cents`] : [],
    unledgered: Math.abs(lines.length - calls),
    hedges: lines.flatMap(({ decisions }) => decisions).filter(({ recourse }) => recourse === "hedge").length,
  };
}

export async function runLoad(options: LoadOptions): Promise<LoadReport> {
  const clock = createSocketClock(START_AT);
  const secrets = Object.values(KEYS);
  const start = (seed: number): Promise<MortalUpstream> => MortalUpstream.start({ clock, seed, rules: RULES, secrets });
  const upstreams = await Promise.all([start(options.seed), start(options.seed + 1)]);
  const fl = createFaultline({
    clock,
    chance: createSeededChance(options.seed),
    journal: createMemoryJournal({ clock }),
  });
  const yaml = gatewayFile(
    upstreams.map(
      ({ chaos }) =>
        (dialect) =>
          urlOf(chaos, dialect),
    ),
  );
  const env = { TARGET_KEY, RICH: KEYS.rich, POOR: KEYS.poor };
  const { settings, diagnostics } = parseGateway(yaml, "gateway.faultline.yaml", env);
  if (settings === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const gateway = await startGateway(fl, settings, { port: 0, host: "127.0.0.1" });
  try {
    const campaign = new Campaign(options, upstreams, gateway);
    await clock.runUntil(campaign.run());
    await clock.runUntil(gateway.close());
    return await reportOf(campaign, upstreams, gateway, fl, options.calls);
  } finally {
    await Promise.all(upstreams.map((upstream) => upstream.close()));
  }
}

function urlOf({ openaiUrl, anthropicUrl, googleUrl }: MortalUpstream["chaos"], dialect: Protocol): string {
  if (dialect === "anthropic-messages") return anthropicUrl;
  return dialect === "google-generate" ? googleUrl : openaiUrl;
}
