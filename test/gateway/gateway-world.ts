// A gateway in front of the fault-injecting provider, on a clock that the test controls, and plain clients of the four dialects.

import { onTestFinished } from "vitest";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import type { ReceivedRequest } from "../../src/chaos/received.ts";
import type { ScenarioRule } from "../../src/chaos/scenario-schema.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import type { GatewaySettings } from "../../src/gateway/config/settings.ts";
import { startGateway, type StartedGateway } from "../../src/gateway/start-gateway.ts";
import { createFaultline, type Faultline, type FaultlineOptions, type JournalEvent } from "../../src/index.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import type { FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
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
}

export interface WorldOptions {
  readonly rules?: readonly ScenarioRule[];
  /** The gateway file, with the addresses of the provider. */
  readonly file?: (urls: Urls) => string;
  readonly env?: Readonly<Record<string, string>>;
  readonly faultline?: FaultlineOptions;
}

export interface Urls {
  readonly of: (dialect: Protocol) => string;
}

export async function gatewayWorld({
  rules = [],
  file = oneDialect("openai-chat"),
  env,
  faultline,
}: WorldOptions = {}): Promise<GatewayWorld> {
  const clock = createSocketClock(START_AT);
  const chaos = await startChaos({ clock, scenario: { rules: [...rules] } });
  onTestFinished(() => chaos.close());
  const fl = createFaultline({ clock, chance: createSeededChance(1), ...faultline });
  const settings = (yaml: string): GatewaySettings => settingsOf(yaml, { TARGET_KEY, ...env });
  const started = await startGateway(fl, settings(file({ of: (dialect) => urlOf(chaos, dialect) })), {
    port: 0,
    host: "127.0.0.1",
  });
  onTestFinished(() => clock.runUntil(started.close()));
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
  };
}

export function settingsOf(yaml: string, env: Readonly<Record<string, string>>): GatewaySettings {
  const { settings, diagnostics } = parseGateway(yaml, "gateway.faultline.yaml", env);
  if (settings === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return settings;
}

export function urlOf({ openaiUrl, anthropicUrl, googleUrl }: Chaos, dialect: Protocol): string {
  if (dialect === "anthropic-messages") return anthropicUrl;
  return dialect === "google-generate" ? googleUrl : openaiUrl;
}

/** Two targets of one dialect, and a route `team` through both. */
export function oneDialect(dialect: Protocol): (urls: Urls) => string {
  return twoDialects(dialect, dialect);
}

export function twoDialects(first: Protocol, second: Protocol, route = ""): (urls: Urls) => string {
  return ({ of }) => `
version: 1
targets:
  one: { dialect: ${first}, base_url: "${of(first)}", api_key_env: TARGET_KEY, timeouts: ${TIMEOUTS} }
  two: { dialect: ${second}, base_url: "${of(second)}", api_key_env: TARGET_KEY, timeouts: ${TIMEOUTS} }
routes:
  team: { chain: [one/${FIRST}, two/${SECOND}]${route} }
`;
}

const TIMEOUTS = "{ headers_ms: 10000, first_token_ms: 20000, idle_ms: 15000, total_ms: 60000 }";
