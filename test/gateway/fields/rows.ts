// One row for each key of a gateway file: two values, what a client or an operator sees of each, and a value that is wrong.

import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import { ledgerOf } from "../../../src/gateway/ledger/read-ledger.ts";
import { transcriptOf } from "../../../src/gateway/ledger/transcripts.ts";
import { sha256 } from "../../../src/gateway/key/sha256.ts";
import { FIRST, SECOND } from "../open-world.ts";
import { type At, ENV, type FieldWorld, type Places } from "./field-world.ts";

export interface FieldRow {
  /** As the docs name it. */
  readonly key: string;
  readonly at: At;
  /** Other values that the file needs for it. */
  readonly given?: readonly (readonly [At, unknown])[];
  readonly rules?: readonly ScenarioRule[];
  /** undefined: left out. */
  readonly from?: unknown;
  readonly to?: unknown;
  /** The same, if it depends on where the providers are. */
  readonly toAt?: (places: Places) => unknown;
  /** What is seen with each of the two values. */
  readonly look?: (here: FieldWorld) => Promise<unknown>;
  readonly sees?: readonly [unknown, unknown];
  readonly wrong: unknown;
  readonly says: string;
  /** Where the diagnostic points, if not at the value. */
  readonly pointsAt?: At;
}

const DAY_MS = 86_400_000;
const one = (key: string): At => ["targets", "one", key];
const team = (key: string): At => ["routes", "team", key];
const ci = (key: string): At => ["keys", "ci", key];
const always = (model: string, step: Omit<ScenarioRule, "when" | "sequence">): ScenarioRule => ({
  when: { model },
  ...step,
});

const target = async (here: FieldWorld): Promise<unknown> => (await here.ask()).headers.get("x-faultline-target");
const status = async (here: FieldWorld): Promise<unknown> => (await here.ask()).status;
const statusOf =
  (asking: Parameters<FieldWorld["ask"]>[0]) =>
  async (here: FieldWorld): Promise<unknown> =>
    (await here.ask(asking)).status;
const isWhole = async (here: FieldWorld): Promise<unknown> => (await here.ask({ streaming: true })).isWhole;
/** What a call of the plain server costs, in dollars. */
const cost = async (here: FieldWorld): Promise<unknown> => {
  const heard = await here.ask({ model: "stub/m" }, "anthropic-messages");
  return Number(heard.headers.get("x-faultline-cost-usd"));
};
/** Whether the call goes on to the second target within ten seconds. */
const isQuick = async (here: FieldWorld): Promise<unknown> =>
  (await here.took(() => here.ask({ streaming: true }))) < 10_000;

const kept =
  (part: "prompt" | "answer") =>
  async (here: FieldWorld): Promise<unknown> => {
    const { fl, clock } = here.world;
    await here.ask();
    await clock.advance(1_000);
    const [line] = await ledgerOf(fl.journal, 1);
    return ((await transcriptOf(fl.journal, line?.call ?? "", clock.now()))?.[part] ?? null) !== null;
  };

/** Whether a prompt is still there after three days. */
const isThereLater = async (here: FieldWorld): Promise<unknown> => {
  const { fl, clock } = here.world;
  await here.ask();
  await clock.advance(1_000);
  const [line] = await ledgerOf(fl.journal, 1);
  return (await transcriptOf(fl.journal, line?.call ?? "", clock.now() + 3 * DAY_MS)) !== null;
};

const embeds = async (here: FieldWorld): Promise<unknown> =>
  (
    await here.get("/v1/embeddings", {
      method: "POST",
      headers: { "authorization": `Bearer ${ENV.CI_KEY}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "m", input: "north" }),
    })
  ).status;

const SESSION = { session_id: "a-conversation" };
const SILENT = [always(FIRST, { fault: "hang" })];
const price = (key: string): At => ["targets", "stub", "prices", "*", key];
const timeout = (key: string): At => ["targets", "one", "timeouts", key];
const keep = (way: At): readonly FieldRow[] => {
  const name = way.length === 0 ? "keep" : "keys.*.keep";
  const all = [...way, "keep"];
  return [
    {
      key: name,
      at: all,
      to: { prompts: true },
      look: kept("prompt"),
      sees: [false, true],
      wrong: "all",
      says: "GW003",
    },
    {
      key: `${name}.prompts`,
      at: [...all, "prompts"],
      from: false,
      to: true,
      look: kept("prompt"),
      sees: [false, true],
      wrong: "yes",
      says: "GW003",
    },
    {
      key: `${name}.answers`,
      at: [...all, "answers"],
      from: false,
      to: true,
      look: kept("answer"),
      sees: [false, true],
      wrong: 1,
      says: "GW003",
    },
    {
      ...{ key: `${name}.for_days`, at: [...all, "for_days"], given: [[[...all, "prompts"], true]], from: 1, to: 5 },
      ...{ look: isThereLater, sees: [false, true], wrong: 0, says: "GW005" },
    },
  ];
};
const budget = (key: string): FieldRow => ({
  ...{ key: `keys.*.budget.${key}`, at: ["keys", "ci", "budget", key], from: 100, to: 0.0001 },
  ...{ look: status, sees: [200, 402], wrong: -1, says: "GW005" },
});

// prettier-ignore
export const ROWS: readonly FieldRow[] = [
  { key: "version", at: ["version"], wrong: 2, says: "GW004" },
  { key: "targets", at: ["targets", "three"], toAt: ({ url }) => ({ dialect: "openai-chat", base_url: `${url}/v1` }), look: statusOf({ model: "three/any" }), sees: [404, 200], wrong: "x", says: "GW003" },
  { key: "targets.*.dialect", at: one("dialect"), to: ["anthropic-messages", "openai-chat"], from: ["openai-chat"], look: async (here) => { await here.ask({}, "anthropic-messages"); return here.world.received().at(-1)?.protocol; }, sees: ["openai-chat", "anthropic"], wrong: "openai", says: "GW004" },
  { key: "targets.*.base_url", at: one("base_url"), toAt: ({ url }) => `${url}////v1`, look: async (here) => { await here.ask(); return here.world.received().at(-1)?.path; }, wrong: "api.openai.com", says: "GW005" },
  { key: "targets.*.api_key_env", at: one("api_key_env"), from: "TARGET_KEY", to: "OTHER_TARGET_KEY", look: async (here) => { await here.ask(); return here.world.received().at(-1)?.key; }, wrong: "NOT_SET", says: "GW101" },
  { key: "targets.*.provider", at: one("provider"), given: [[one("prices"), undefined]], to: "unknown-vendor", look: async (here) => (await here.ask({ model: "one/gpt-4o" })).headers.has("x-faultline-cost-usd"), sees: [true, false], wrong: "a b", says: "GW005" },
  { key: "targets.*.models", at: one("models"), to: ["shown-model"], look: async (here) => (await (await here.get("/v1/models")).text()).includes("shown-model"), sees: [false, true], wrong: [], says: "GW005" },
  { key: "targets.*.region", at: one("region"), given: [[ci("regions"), ["eu"]]], from: "eu", to: "us", look: target, sees: [`one/${FIRST}`, `two/${SECOND}`], wrong: "e u", says: "GW005" },
  { key: "targets.*.continues", at: ["targets", "two", "continues"], given: [[team("mid_stream"), "continue"]], from: false, to: true, rules: [always(FIRST, { fault: "cut-stream", after: 2 })], look: isWhole, sees: [false, true], wrong: "yes", says: "GW003" },
  { key: "targets.*.max_concurrent", at: one("max_concurrent"), to: 1, rules: [always(FIRST, { "fault": "slow-first-token", "wait-ms": 2_000 })], look: async (here) => { await here.world.run(Promise.all([here.begin(), here.begin()])); const [a, b] = here.world.received().slice(-2); return (b?.at ?? 0) - (a?.at ?? 0) >= 1_000; }, sees: [false, true], wrong: 0, says: "GW005" },
  { key: "targets.*.requests_per_minute", at: one("requests_per_minute"), to: 6, look: async (here) => { await here.world.run(Promise.all([here.begin(), here.begin()])); const [a, b] = here.world.received().slice(-2); return (b?.at ?? 0) - (a?.at ?? 0) >= 9_000; }, sees: [false, true], wrong: 0, says: "GW005" },
  { key: "targets.*.prices", at: ["targets", "stub", "prices"], from: { "*": { input: 1, output: 10 } }, to: { m: { input: 2, output: 20 } }, look: cost, sees: [13, 26], wrong: { m: 5 }, says: "GW003", pointsAt: ["targets", "stub", "prices", "m"] },
  { key: "targets.*.prices.*.input", at: price("input"), from: 1, to: 3, look: cost, sees: [13, 19], wrong: "1 dollar", says: "GW003" },
  { key: "targets.*.prices.*.output", at: price("output"), from: 10, to: 20, look: cost, sees: [13, 23], wrong: -1, says: "GW005" },
  { key: "targets.*.prices.*.cached_input", at: price("cached_input"), to: 0.1, look: cost, sees: [13, 12.1], wrong: -1, says: "GW005" },
  { key: "targets.*.prices.*.cache_write", at: price("cache_write"), to: 1.25, look: cost, sees: [13, 13.25], wrong: 1e9, says: "GW005" },
  { key: "targets.*.timeouts", at: one("timeouts"), to: { headers_ms: 800 }, rules: SILENT, look: isQuick, sees: [false, true], wrong: 5, says: "GW003" },
  { key: "targets.*.timeouts.headers_ms", at: timeout("headers_ms"), from: 30_000, to: 800, rules: SILENT, look: isQuick, sees: [false, true], wrong: "5s", says: "GW003" },
  { key: "targets.*.timeouts.first_token_ms", at: timeout("first_token_ms"), from: 60_000, to: 800, rules: [always(FIRST, { "fault": "slow-first-token", "wait-ms": 30_000 })], look: isQuick, sees: [false, true], wrong: 0, says: "GW005" },
  { key: "targets.*.timeouts.idle_ms", at: timeout("idle_ms"), given: [[team("mid_stream"), "restart"]], from: 60_000, to: 800, rules: [always(FIRST, { fault: "stall", after: 2 })], look: isQuick, sees: [false, true], wrong: 1.5, says: "GW003" },
  { key: "targets.*.timeouts.thinking_ms", at: ["targets", "stub", "timeouts", "thinking_ms"], given: [[team("mid_stream"), "restart"], [team("chain"), ["stub/thinker", `two/${SECOND}`]]], from: 60_000, to: 800, look: isQuick, sees: [false, true], wrong: 99_999_999, says: "GW005" },
  { key: "targets.*.timeouts.total_ms", at: timeout("total_ms"), given: [[team("mid_stream"), "restart"]], from: 80_000, to: 2_000, rules: [always(FIRST, { "fault": "slow-drip", "wait-ms": 5_000 })], look: isQuick, sees: [false, true], wrong: "long", says: "GW003" },
  { key: "routes", at: ["routes", "new"], to: { chain: ["two/any"] }, look: statusOf({ model: "new" }), sees: [404, 200], wrong: [], says: "GW003" },
  { key: "routes.*.chain", at: team("chain"), from: [`one/${FIRST}`, `two/${SECOND}`], to: [`two/${SECOND}`], look: target, sees: [`one/${FIRST}`, `two/${SECOND}`], wrong: ["nowhere/x"], says: "GW103", pointsAt: [...team("chain"), 0] },
  { key: "routes.*.mid_stream", at: team("mid_stream"), from: "fail", to: "restart", rules: [always(FIRST, { fault: "cut-stream", after: 2 })], look: isWhole, sees: [false, true], wrong: "repeat", says: "GW004" },
  { key: "routes.*.min_characters_per_second", at: team("min_characters_per_second"), given: [[team("mid_stream"), "restart"]], to: 20, rules: [always(FIRST, { "fault": "slow-drip", "wait-ms": 6_000 })], look: async (here) => { await here.ask({ streaming: true }); return here.world.asked().at(-1); }, sees: [FIRST, SECOND], wrong: 0, says: "GW005" },
  { key: "routes.*.hedge", at: team("hedge"), to: { after: 500 }, rules: SILENT, look: isQuick, sees: [false, true], wrong: true, says: "GW003" },
  { key: "routes.*.hedge.after", at: ["routes", "team", "hedge", "after"], from: 20_000, to: 500, rules: [always(FIRST, { "fault": "slow-first-token", "wait-ms": 30_000 })], look: isQuick, sees: [false, true], wrong: "p99", says: "GW004" },
  { key: "routes.*.affinity", at: team("affinity"), from: true, to: false, look: async (here) => { await here.rule([always(FIRST, { fault: "unavailable" })]); await here.ask({ headers: SESSION }); await here.rule([]); await here.world.clock.advance(60_000); return (await here.ask({ headers: SESSION })).headers.get("x-faultline-target"); }, sees: [`two/${SECOND}`, `one/${FIRST}`], wrong: "no", says: "GW003" },
  { key: "keys", at: ["keys", "new"], to: { key_env: "NEW_KEY" }, look: statusOf({ headers: { authorization: `Bearer ${ENV.NEW_KEY}` } }), sees: [401, 200], wrong: [], says: "GW003" },
  { key: "keys.*.key_env", at: ci("key_env"), from: "CI_KEY", to: "NEW_KEY", look: status, sees: [200, 401], wrong: "NOT-A-NAME", says: "GW005" },
  { key: "keys.*.key_sha256", at: ci("key_sha256"), given: [[ci("key_env"), undefined]], from: sha256(ENV.CI_KEY), to: sha256(ENV.NEW_KEY), look: status, sees: [200, 401], wrong: "abc", says: "GW005" },
  { key: "keys.*.routes", at: ci("routes"), from: ["team"], to: ["quiet"], look: status, sees: [200, 403], wrong: ["nowhere"], says: "GW104", pointsAt: [...ci("routes"), 0] },
  { key: "keys.*.regions", at: ci("regions"), given: [[["targets", "state", "region"], "us"]], from: ["eu"], to: ["us"], look: status, sees: [200, 403], wrong: [], says: "GW005" },
  { key: "keys.*.budget", at: ci("budget"), to: { per_day_usd: 0.0001 }, look: status, sees: [200, 402], wrong: 5, says: "GW003" },
  budget("per_hour_usd"),
  budget("per_day_usd"),
  budget("per_month_usd"),
  ...keep(["keys", "ci"]),
  { key: "keys.*.unpriced", at: ci("unpriced"), given: [[ci("budget"), { per_day_usd: 5 }], [one("prices"), undefined], [["targets", "two", "prices"], undefined]], from: "allow", to: "refuse", look: status, sees: [200, 403], wrong: "maybe", says: "GW004" },
  { key: "keys.*.other_paths", at: ci("other_paths"), given: [[["other_paths"], "stub"]], from: true, to: false, look: embeds, sees: [200, 403], wrong: "files", says: "GW003" },
  ...keep([]),
  { key: "keep_alive_ms", at: ["keep_alive_ms"], given: [[one("timeouts"), { headers_ms: 3_000 }]], to: 1_000, rules: SILENT, look: async (here) => (await here.ask({ streaming: true })).raw.startsWith(":"), sees: [false, true], wrong: 0, says: "GW005" },
  { key: "max_body_mb", at: ["max_body_mb"], to: 1, look: statusOf({ prompt: "x".repeat(1_100_000) }), sees: [200, 413], wrong: 0, says: "GW005" },
  { key: "other_paths", at: ["other_paths"], to: "stub", look: embeds, sees: [404, 200], wrong: "nowhere", says: "GW103" },
];
