// A gateway in front of the fault-injecting provider, on a clock that its user controls.

import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import type { ReceivedRequest } from "../../src/chaos/received.ts";
import type { ScenarioRule } from "../../src/chaos/scenario-schema.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import type { GatewaySettings } from "../../src/gateway/config/settings.ts";
import type { GatewayListener } from "../../src/gateway/gateway.ts";
import { startGateway, type StartedGateway } from "../../src/gateway/start-gateway.ts";
import { createFaultline, type Faultline, type FaultlineOptions, type JournalEvent } from "../../src/index.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import type { FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
// Loaded before the clock moves: the test's own loader is no socket that it could wait for.
import "@ai-sdk/anthropic";
import "@ai-sdk/google";
import "@ai-sdk/openai";
import { createSocketClock } from "../support/socket-clock.ts";

export const START_AT = 1_800_000_000_000;
export const FIRST = "first-model";
export const SECOND = "second-model";
export const TARGET_KEY = "sk-key-of-the-gateway-itself";

export interface GatewayWorld {
  readonly fl: Faultline;
  readonly chaos: Chaos;
  readonly clock: FakeClock;
  readonly started: StartedGateway;
  readonly url: string;
  /** Advances time until the work is over. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  readonly asked: () => readonly string[];
  readonly received: () => readonly ReceivedRequest[];
  readonly events: () => readonly JournalEvent[];
  readonly settings: (yaml: string) => GatewaySettings;
  /** From now on requests to this model fail in this way; null stops it. */
  readonly afflict: (model: string, fault: string | null) => Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions {
  readonly rules?: readonly ScenarioRule[];
  /** The gateway file, with the addresses of the provider. */
  readonly file?: (urls: Urls) => string;
  readonly env?: Readonly<Record<string, string>>;
  readonly faultline?: FaultlineOptions;
  readonly listener?: GatewayListener;
}

export interface Urls {
  readonly of: (dialect: Protocol) => string;
}

/** A world that its maker closes. */
export async function openWorld({
  rules = [],
  file = oneDialect("openai-chat"),
  env,
  faultline,
  listener,
}: WorldOptions = {}): Promise<GatewayWorld> {
  const clock = createSocketClock(START_AT);
  const chaos = await startChaos({ clock, scenario: { rules: [...rules] } });
  const fl = createFaultline({ clock, chance: createSeededChance(1), ...faultline });
  const settings = (yaml: string): GatewaySettings => settingsOf(yaml, { TARGET_KEY, ...env });
  const first = settings(file({ of: (dialect) => urlOf(chaos, dialect) }));
  const started = await startGateway(fl, first, { port: 0, host: "127.0.0.1" }, listener);
  return {
    fl,
    chaos,
    clock,
    started,
    url: started.url,
    run: (work) => {
      // The clock looks at it only when all is quiet; until then it must not count as unhandled.
      void Promise.allSettled([work]);
      return clock.runUntil(work);
    },
    asked: () => chaos.received().map(({ model }) => model),
    received: () => chaos.received(),
    events: () => fl.recent().map(({ event }) => event),
    settings,
    afflict: async (model, fault) => {
      const rule = fault === null ? [] : [`  - { when: { model: ${model} }, fault: ${fault} }`];
      const body = fault === null ? "rules: []" : ["rules:", ...rule].join("\n");
      await clock.runUntil(fetch(`${chaos.url}/__chaos/scenario`, { method: "POST", body }));
    },
    close: async () => {
      await clock.runUntil(started.close());
      await chaos.close();
    },
  };
}

function settingsOf(yaml: string, env: Readonly<Record<string, string>>): GatewaySettings {
  const { settings, diagnostics } = parseGateway(yaml, "gateway.faultline.yaml", env);
  if (settings === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return settings;
}

function urlOf({ openaiUrl, anthropicUrl, googleUrl }: Chaos, dialect: Protocol): string {
  if (dialect === "anthropic-messages") return anthropicUrl;
  return dialect === "google-generate" ? googleUrl : openaiUrl;
}

/** Two targets of one dialect, and a route `team` through both. */
export function oneDialect(dialect: Protocol): (urls: Urls) => string {
  return twoDialects(dialect, dialect);
}

export function twoDialects(
  first: Protocol,
  second: Protocol,
  route = "",
  models: readonly [string, string] = [FIRST, SECOND],
): (urls: Urls) => string {
  return ({ of }) => `
version: 1
targets:
  one: { dialect: ${first}, base_url: "${of(first)}", api_key_env: TARGET_KEY, timeouts: ${TIMEOUTS} }
  two: { dialect: ${second}, base_url: "${elsewhere(of(second))}", api_key_env: TARGET_KEY, timeouts: ${TIMEOUTS} }
routes:
  team: { chain: [one/${models[0]}, two/${models[1]}]${route} }
`;
}

/** The same server under another address, which has one slash more: targets at one address would fail together. */
function elsewhere(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}/${pathname === "/" ? "/v1" : pathname}`;
}

const TIMEOUTS = "{ headers_ms: 10000, first_token_ms: 20000, idle_ms: 15000, total_ms: 60000 }";
