// The scenarios at Portkey's open gateway, in real time: it is a process of its own. It gets what its documentation offers against them:
// fallbacks on any error, retries that obey Retry-After, and a time limit.

import { startPortkey, type Subject } from "../../../bench/gateway/subjects.ts";
import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { ask, type Heard } from "../dialect-clients.ts";
import { FIRST, SECOND } from "../open-world.ts";
import { type Elsewhere, type Pair, type Verdict, verdictOn } from "./scenarios.ts";

/** The time limit that Portkey is given, and the time after which its client has waited in vain. */
const TIMEOUT_MS = 3_000;
const PATIENCE_MS = 12_000;

const PROVIDERS: Readonly<Record<Protocol, { readonly provider: string; readonly path: string }>> = {
  "openai-chat": { provider: "openai", path: "/v1" },
  "openai-responses": { provider: "openai", path: "/v1" },
  "anthropic-messages": { provider: "anthropic", path: "/v1" },
  "google-generate": { provider: "google", path: "/v1beta" },
};

export class Portkey {
  readonly #process: Subject;

  private constructor(process: Subject) {
    this.#process = process;
  }

  static async start(tell: (line: string) => void): Promise<Portkey> {
    return new Portkey(await startPortkey("", tell));
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  /** Whether this pair of dialects works at all when nothing fails. */
  async serves(pair: Pair): Promise<boolean> {
    return (await this.run(pair, { rules: [], verdict: "rescued" })) === "rescued";
  }

  async run(pair: Pair, { rules, verdict }: Elsewhere): Promise<Verdict> {
    const chaos = await startChaos({ scenario: { rules: [...rules] as ScenarioRule[] } });
    try {
      const asked = this.#ask(chaos, pair);
      const [ended] = await Promise.allSettled([asked]);
      return ended.status === "fulfilled" ? verdictOn(ended.value, verdict) : `failed: ${String(ended.reason)}`;
    } finally {
      await chaos.close();
    }
  }

  #ask({ url }: Chaos, { client, target, streaming }: Pair): Promise<Heard> {
    const config = {
      strategy: { mode: "fallback" },
      retry: { attempts: 1, on_status_codes: [429, 500, 502, 503, 504, 529], use_retry_after_header: true },
      request_timeout: TIMEOUT_MS,
      targets: [targetAt(url, target, FIRST), targetAt(url, client, SECOND)],
    };
    const headers = { "authorization": "Bearer client-key", "x-portkey-config": JSON.stringify(config) };
    return ask(this.#process.url, client, { streaming, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  }
}

function targetAt(url: string, dialect: Protocol, model: string): unknown {
  const { provider, path } = PROVIDERS[dialect];
  // It refuses addresses of loopback, but not the name of it.
  const custom_host = `${url.replace("127.0.0.1", "localhost")}${path}`;
  return { provider, custom_host, api_key: "target-key", override_params: { model } };
}
