// A gateway whose file changes while a call is under way, in front of the fault-injecting provider and a plain server that reports what the
// provider cannot: cached tokens, embeddings, a model that thinks and stalls.

import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { stringify } from "yaml";
import type { ScenarioRule } from "../../../src/chaos/scenario-schema.ts";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { ask, type Asking, type Heard } from "../dialect-clients.ts";
import { FIRST, type GatewayWorld, openWorld, SECOND } from "../open-world.ts";

/** A gateway file as data. */
export type File = Readonly<Record<string, unknown>>;
export type At = readonly (string | number)[];

const CLIENT_KEYS = {
  CI_KEY: "key-of-ci-0123456789",
  NEW_KEY: "key-of-new-0123456789",
  STATE_KEY: "key-of-state-012345",
};
export const ENV = { ...CLIENT_KEYS, TARGET_KEY: "sk-of-the-gateway", OTHER_TARGET_KEY: "sk-of-another-account" };
const PAUSED = "paused-model";
const ISOLATED = "isolated-model";

/** `url`: of the provider; `stub`: of the plain server. */
export interface Places {
  readonly url: string;
  readonly stub: string;
}

const PRICED = { "*": { input: 1, output: 10 } };

/** The file that every row changes. */
export function baseFile({ url, stub }: Places): File {
  const target = (path: string): File => ({
    ...{ dialect: ["openai-chat"], base_url: `${url}${path}`, api_key_env: "TARGET_KEY", prices: PRICED },
  });
  return {
    version: 1,
    targets: {
      one: { ...target("/v1"), region: "eu" },
      two: { ...target("//v1"), region: "eu" },
      state: target("///v1"),
      other: { ...target("/////v1"), api_key_env: "OTHER_TARGET_KEY" },
      stub: { dialect: ["anthropic-messages", "openai-chat"], base_url: `${stub}/v1`, prices: PRICED, region: "eu" },
    },
    routes: {
      team: { chain: [`one/${FIRST}`, `two/${SECOND}`] },
      quiet: { chain: [`two/${SECOND}`] },
      paused: { chain: [`state/${PAUSED}`] },
      isolated: { chain: [`other/${ISOLATED}`] },
    },
    keys: { ci: { key_env: "CI_KEY" }, state: { key_env: "STATE_KEY", budget: { per_day_usd: 5 } } },
  };
}

/** The file with this value at that place; undefined removes it. */
export function withValue(file: File, [step, ...rest]: At, value: unknown): File {
  if (step === undefined) return value as File;
  const inner = withValue((file[step] ?? {}) as File, rest, value);
  const changed = { ...file, [step]: inner };
  return Object.fromEntries(Object.entries(changed).filter(([, each]) => each !== undefined));
}

export function withValues(file: File, values: readonly (readonly [At, unknown])[]): File {
  return values.reduce((held, [at, value]) => withValue(held, at, value), file);
}

export class FieldWorld {
  readonly world: GatewayWorld;
  readonly places: Places;
  /** Requests to other paths at the plain server. */
  readonly others: string[];
  #rules: readonly ScenarioRule[] = [];
  #conversations = 0;

  private constructor(world: GatewayWorld, places: Places, others: string[]) {
    this.world = world;
    this.places = places;
    this.others = others;
  }

  static async open(file: (places: Places) => File, rules: readonly ScenarioRule[]): Promise<FieldWorld> {
    const others: string[] = [];
    const stub = await startStub(others);
    let places: Places = { url: "", stub };
    const world = await openWorld({
      file: ({ of }) => {
        places = { url: new URL(of("openai-chat")).origin, stub };
        return stringify(file(places));
      },
      env: ENV,
    });
    onTestFinished(() => world.close());
    const here = new FieldWorld(world, places, others);
    await here.rule(rules);
    return here;
  }

  /** From now on the provider follows these rules, and those about what the state of the gateway is made from. */
  async rule(rules: readonly ScenarioRule[]): Promise<void> {
    this.#rules = rules;
    await this.#tell(rules);
  }

  #tell(rules: readonly ScenarioRule[]): Promise<unknown> {
    const all = [...rules, { "when": { model: PAUSED }, "fault": "rate-limit", "retry-after": 3_000 }];
    const { world } = this;
    return world.run(
      fetch(`${world.chaos.url}/__chaos/scenario`, { method: "POST", body: JSON.stringify({ rules: all }) }),
    );
  }

  use(file: File): Promise<void> {
    return this.world.started.gateway.use(this.world.settings(stringify(file)));
  }

  /** Asks as the client `ci`. */
  ask(asking: Asking = {}, dialect: Protocol = "openai-chat"): Promise<Heard> {
    return this.world.run(this.begin(asking, dialect));
  }

  begin(asking: Asking = {}, dialect: Protocol = "openai-chat", key: string = ENV.CI_KEY): Promise<Heard> {
    const headers = { authorization: `Bearer ${key}`, ...asking.headers };
    // A conversation of its own: otherwise it would stay where the last one was answered.
    const prompt = `question ${++this.#conversations}`;
    const asked = ask(this.world.url, dialect, { prompt, ...asking, headers });
    void Promise.allSettled([asked]);
    return asked;
  }

  get(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${ENV.CI_KEY}` };
    return this.world.run(fetch(`${this.world.url}${path}`, { headers, ...init }));
  }

  /** How long that took. */
  async took(work: () => Promise<unknown>): Promise<number> {
    const began = this.world.clock.now();
    await work();
    return this.world.clock.now() - began;
  }

  /** A call of `ci` that its target answers in a while. It has been sent when this resolves. */
  async beginSlow(): Promise<{ readonly ended: Promise<Heard> }> {
    await this.#tell([{ "when": { model: FIRST }, "fault": "slow-first-token", "wait-ms": 3_000 }]);
    const before = this.world.asked().length;
    const slow = this.begin({ streaming: true });
    await this.world.clock.advance(200);
    if (this.world.asked().length !== before + 1) throw new Error("the slow call was not sent");
    await this.#tell(this.#rules);
    // A promise in a promise would be waited for.
    return { ended: slow };
  }

  /** Pauses one target, isolates another, and spends money. */
  async makeState(): Promise<void> {
    const { world } = this;
    for (const model of ["paused", "isolated"]) await this.#stateCall(model);
    const target = world.fl.targets().find(({ name }) => name.includes(ISOLATED));
    if (target === undefined) throw new Error("no such target");
    await world.fl.isolate(target.target, "test");
  }

  /** What is left of that: each refusal costs no request, and the money is spent. */
  async state(): Promise<object> {
    const { world } = this;
    const before = world.asked().length;
    const [paused, isolated] = [await this.#stateCall("paused"), await this.#stateCall("isolated")];
    const account = [...world.started.gateway.accounts].find(({ name }) => name === "state");
    return { paused, isolated, requests: world.asked().length - before, hasSpent: (account?.spent("day") ?? 0) > 0 };
  }

  async #stateCall(model: string): Promise<string | null> {
    const heard = await this.world.run(this.begin({ model }, "openai-chat", ENV.STATE_KEY));
    return heard.headers.get("x-faultline-code");
  }
}

export const STATE = { paused: "RateLimited", isolated: "CircuitOpen", requests: 0, hasSpent: true };

/** Answers messages with cached tokens, and other paths with a list; the model `thinker` reasons a little and says nothing more. */
async function startStub(others: string[]): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      if (request.url?.endsWith("/chat/completions") === true) return think(response);
      if (request.url?.endsWith("/messages") !== true) {
        others.push(request.url ?? "");
        return void response
          .writeHead(200, { "content-type": "application/json" })
          .end(`{"data":[],"got":${text.length}}`);
      }
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(CACHED));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CACHED = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "m", stop_reason: "end_turn", stop_sequence: null },
  content: [{ type: "text", text: "Hello." }],
  usage: {
    ...{ input_tokens: 1_000_000, output_tokens: 1_000_000 },
    ...{ cache_read_input_tokens: 1_000_000, cache_creation_input_tokens: 1_000_000 },
  },
};

function think(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const delta = { role: "assistant", reasoning_content: "Hm. " };
  response.write(
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m", choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`,
  );
}
