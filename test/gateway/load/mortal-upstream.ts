// A fault-injecting provider that dies and comes back on the same port. Whatever it is sent is searched for keys that belong to clients.

import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { type Chaos, startChaos } from "../../../src/chaos/start-chaos.ts";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { Clock } from "../../../src/host/clock.ts";

const DEAD_MS = 3_000;

export interface UpstreamOptions {
  readonly clock: Clock;
  readonly seed: number;
  readonly rules: readonly ScenarioRule[];
  /** Texts that must not arrive here. */
  readonly secrets: readonly string[];
}

export class MortalUpstream {
  readonly #options: UpstreamOptions;
  #chaos: Chaos;
  #isDead = false;
  #received = 0;
  deaths = 0;
  /** What arrived with one of the secrets. */
  readonly leaks: string[] = [];

  private constructor(options: UpstreamOptions, chaos: Chaos) {
    this.#options = options;
    this.#chaos = chaos;
    subscribe("http.server.request.start", this.#look);
  }

  static async start(options: UpstreamOptions): Promise<MortalUpstream> {
    return new MortalUpstream(options, await startChaos(chaosOptions(options, 0)));
  }

  get chaos(): Chaos {
    return this.#chaos;
  }

  get received(): number {
    return this.#received;
  }

  /** Cuts every connection and refuses new ones for a while. */
  async die(): Promise<void> {
    if (this.#isDead) return;
    this.#isDead = true;
    this.deaths += 1;
    this.searchBodies();
    const { port } = new URL(this.#chaos.url);
    await this.#chaos.close();
    await new Promise<void>((resolve) => void this.#options.clock.after(DEAD_MS, resolve));
    this.#chaos = await startChaos(chaosOptions(this.#options, Number(port), this.deaths));
    this.#isDead = false;
  }

  /** The provider keeps a thousand of them, so this is called before there are more. */
  searchBodies(): void {
    const bodies = this.#chaos.received();
    this.#received += bodies.length;
    this.#search(JSON.stringify(bodies));
    this.#chaos.reset();
  }

  async close(): Promise<void> {
    unsubscribe("http.server.request.start", this.#look);
    await this.#chaos.close();
  }

  readonly #look = (message: unknown): void => {
    const { request } = message as { readonly request: IncomingMessage };
    if (String(request.socket.localPort) !== new URL(this.#chaos.url).port) return;
    this.#search([request.url, ...request.rawHeaders].join("\n"));
  };

  #search(text: string): void {
    for (const secret of this.#options.secrets) if (text.includes(secret)) this.leaks.push(text.slice(0, 500));
  }
}

function chaosOptions(
  { clock, seed, rules }: UpstreamOptions,
  port: number,
  life = 0,
): Parameters<typeof startChaos>[0] {
  return { clock, port, seed: seed * 100 + life, scenario: { rules: [...rules] } };
}
