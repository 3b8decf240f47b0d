// The server behind `startChaos`: it listens on loopback, speaks four model protocols and fails on demand.
// S1  The same seed, scenario and order of requests give the same answers.
// S2  The server listens on 127.0.0.1 unless `host` says otherwise, and keeps no keys.

import type { IncomingMessage, ServerResponse } from "node:http";
import { classify } from "../core/classify/classify.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import {
  anyNumber,
  anyText,
  anything,
  callable,
  checkOptions,
  clockKind,
  described,
  either,
  mapOf,
  number,
  shape,
  text,
  whole,
} from "../options/check-options.ts";
import { agentEnv } from "./agent-env.ts";
import { parseRequest, type ChaosRoute, routeOf } from "./parse-request.ts";
import { type ChaosChoice, createChooser, UNCHOSEN } from "./choose.ts";
import { control, CONTROL_PATH, type Controlled } from "./control.ts";
import { bodyPlan, errorOf, errorPlan, goodPlan } from "./faults/plans.ts";
import { CHAOS_FAULT_IDS, withDefaults } from "./faults.ts";
import type { Scene } from "./faults/fault-row.ts";
import { replyTo } from "./good-model.ts";
import { listen } from "./listener.ts";
import { perform } from "./perform.ts";
import { createRequestLog, fingerprintOf, keyIn, type ReceivedRequest, type StrayRequest } from "./received.ts";
import { resolveScenario } from "./scenario.ts";
import type { ChaosStep, Scenario } from "./scenario-schema.ts";
import type { ConnectionAct, ChaosRequest } from "./wire.ts";
import { parseJson } from "../core/try-read.ts";

/** Options of `startChaos`. */
export interface ChaosOptions {
  /** Default: 0, a free port. */
  readonly port?: number;
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** YAML text, or the same as an object. */
  readonly scenario?: string | Scenario;
  /** The seed for probabilities. Default: the scenario's seed, else 1. */
  readonly seed?: number;
  /** Where time comes from. Default: the system's clock. */
  readonly clock?: Clock;
  /** A wait before every answer. Default: the scenario's latency, else none. */
  readonly latencyMs?: number;
  /** Called when a request has ended. */
  readonly onEnd?: (request: ReceivedRequest) => void;
  /** Called for a request to an address that no vendor has. */
  readonly onStray?: (request: StrayRequest) => void;
}

/** A running chaos provider. */
export interface Chaos {
  readonly url: string;
  /** For OpenAI's SDK and compatible clients. */
  readonly openaiUrl: string;
  readonly anthropicUrl: string;
  readonly googleUrl: string;
  /** Environment variables that point the vendors' SDKs and CLIs here, with a fake key. For a program that you start in a test. */
  readonly env: Readonly<Record<string, string>>;
  readonly seed: number;
  /** The requests so far, at most the last thousand. */
  received(): readonly ReceivedRequest[];
  /** Requests to addresses that no vendor has, at most the last thousand. They usually mean a wrong base URL. */
  strays(): readonly StrayRequest[];
  /** Clears the received requests and restarts the scenario and the script. */
  reset(): void;
  /** Sets what the next requests get, one step each. Takes precedence over the scenario. */
  script(steps: readonly ChaosStep[]): void;
  /** Refuses connections for this long. */
  refuse(forMs: number): void;
  /** Closes every connection at once. */
  close(): Promise<void>;
}

/** The vendors' limit. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;
const DEFAULT_SEED = 1;
const TOO_LARGE = "The request body is larger than 32 MB.";

const CHAOS_OPTIONS = shape<ChaosOptions>({
  port: whole(0, 65_535),
  host: text,
  scenario: described("YAML text or an object", either(anyText, mapOf(anything))),
  seed: anyNumber,
  clock: clockKind,
  latencyMs: number(0),
  onEnd: callable,
  onStray: callable,
});

export async function startServer(options: ChaosOptions): Promise<Chaos> {
  checkOptions("startChaos", options, CHAOS_OPTIONS);
  const { port = 0, host = "127.0.0.1", clock = systemClock } = options;
  const { onEnd = () => undefined, onStray = () => undefined } = options;
  let scenario = resolveScenario(options.scenario ?? {});
  const seedNow = (): number => options.seed ?? scenario.seed ?? DEFAULT_SEED;
  let chooser = createChooser(scenario, seedNow());
  const log = createRequestLog();
  const running = new Set<Promise<void>>();
  let isClosed = false;

  const controlled: Controlled & Pick<Chaos, "script"> = {
    log,
    seed: seedNow,
    scenario: () => scenario,
    reset() {
      log.clear();
      chooser = createChooser(scenario, seedNow());
    },
    load(next) {
      scenario = next;
      chooser = createChooser(scenario, seedNow());
    },
    script(steps: unknown) {
      const written = { rules: [{ sequence: steps as NonNullable<Scenario["rules"]>[number]["sequence"] }] };
      if (Array.isArray(steps) && steps.length === 0) return;
      chooser.script(resolveScenario(written, "script").rules?.[0]?.sequence ?? []);
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = urlOf(request.url ?? "/");
    const { method = "GET" } = request;
    const body = await readBody(request, MAX_BODY_BYTES);
    if (body.kind === "gone") return;
    const text = body.kind === "text" ? body.text : "";
    if (url.pathname.startsWith(CONTROL_PATH)) {
      if (body.kind === "too-large") return void sendJson(response, 413, { error: TOO_LARGE });
      const answer = control(method, url.pathname, text, controlled);
      return void sendJson(response, answer.status, answer.body);
    }
    if (method === "GET" && url.pathname.endsWith("/models"))
      return void sendJson(response, 200, modelList(CHAOS_FAULT_IDS));
    const route = routeOf(url);
    if (route === null || method !== "POST") {
      const stray = { at: clock.now(), method, path: url.pathname };
      log.stray(stray);
      onStray(stray);
      return void sendJson(response, 404, noSuchAddress(method, url.pathname));
    }
    await answer(request, response, url, route, body.kind === "too-large" ? null : text);
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    url: URL,
    route: ChaosRoute,
    text: string | null,
  ): Promise<void> {
    const at = clock.now();
    const json = text === null ? { value: undefined, complaint: TOO_LARGE } : readJson(text);
    const asked = parseRequest(route, json.value);
    const key = keyIn(request.headers, url);
    const header = request.headers["x-chaos"];
    const isKey = (written: string): boolean => written === key || fingerprintOf(written) === key;
    const choice =
      json.complaint === null ? chooser.choose(asked, typeof header === "string" ? header : null, isKey) : UNCHOSEN;
    const complaint = json.complaint ?? choice.complaint;
    const begun = {
      at,
      protocol: route.protocol,
      model: asked.model,
      path: url.pathname,
      streaming: asked.streaming,
      chosenBy: choice.by,
      fault: complaint === null ? (choice.fault?.id ?? null) : null,
      complaint,
      key,
      body: json.value,
    };
    const entry = log.begin(begun, json.value === undefined ? 0 : (text?.length ?? 0));
    const scene: Scene = {
      asked,
      reply: replyTo(asked, choice.scripted),
      params: choice.params,
      stamp: { number: entry.number, at },
      path: url.pathname,
    };
    const acts = planFor(scene, choice, complaint, text === null);
    const latencyMs = options.latencyMs ?? scenario["latency-ms"] ?? 0;
    const performed = await perform(
      latencyMs > 0 ? [{ do: "wait", ms: latencyMs }, ...acts] : acts,
      request,
      response,
      {
        clock,
        refuse: (ms) => listener.refuse(ms),
        onHead: (status) => void entry.change({ status }),
      },
    );
    const endedAt = clock.now();
    // A client that is still connected when the server closes did not leave.
    const ended = performed === "client-left" && isClosed ? "cut" : performed;
    const over = entry.change({ ended, endedAt, clientLeftAt: ended === "client-left" ? endedAt : null });
    onEnd(over);
  }

  /** An internal error must not look like a requested fault. */
  function onRequest(request: IncomingMessage, response: ServerResponse): void {
    const handled = handle(request, response)
      .catch((error: unknown) => {
        const { message } = classify({ surface: "node", error });
        if (response.headersSent) request.socket.destroy();
        else sendJson(response, 500, { error: { type: "chaos_bug", message: `chaos: ${message}` } });
      })
      .finally(() => void running.delete(handled));
    running.add(handled);
  }

  const listener = await listen(onRequest, port, host, clock);
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${listener.port}`;
  return {
    url,
    openaiUrl: `${url}/v1`,
    anthropicUrl: url,
    googleUrl: `${url}/v1beta`,
    env: agentEnv(url),
    get seed() {
      return seedNow();
    },
    received: () => log.requests,
    strays: () => log.strays,
    reset: () => controlled.reset(),
    script: (steps) => controlled.script(steps),
    refuse: (forMs) => listener.refuse(forMs),
    async close() {
      isClosed = true;
      await listener.close();
      // The caller can see how each request ended once `close` resolves.
      await Promise.all(running);
    },
  };
}

/** An invalid URL matches no route. */
function urlOf(target: string): URL {
  const whole = target.startsWith("/") ? `http://localhost${target}` : target;
  return new URL(URL.canParse(whole) ? whole : "http://localhost/");
}

function planFor(
  scene: Scene,
  choice: ChaosChoice,
  complaint: string | null,
  isTooLarge: boolean,
): readonly ConnectionAct[] {
  if (isTooLarge) return errorPlan(scene, errorOf("too-large", { ...scene, params: withDefaults(null, {}) }));
  if (complaint !== null) return bodyPlan(scene, 400, JSON.stringify(misuse(complaint, scene.asked)));
  return choice.fault === null ? goodPlan(scene) : choice.fault.plan(scene);
}

/** An envelope in which each vendor's SDK finds the message. */
function misuse(complaint: string, { protocol }: ChaosRequest): object {
  const message = `chaos: ${complaint}`;
  if (protocol === "google") return { error: { code: 400, message, status: "INVALID_ARGUMENT" } };
  return { type: "error", error: { type: "invalid_request_error", message, param: null, code: "chaos_misuse" } };
}

function noSuchAddress(method: string, path: string): object {
  const message = `chaos: there is no ${method} ${path}. There is POST /v1/chat/completions, /v1/responses, /v1/messages, /v1beta/models/<model>:generateContent and :streamGenerateContent; GET /v1/models and ${CONTROL_PATH}.`;
  return { type: "error", error: { type: "not_found_error", message, code: 404, status: "NOT_FOUND" } };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(status, { "content-type": "application/json; charset=utf-8" }).end(text);
}

/** The list of models, in one answer that the SDKs of OpenAI, Anthropic and Google can all read. Every fault is listed as a model. */
function modelList(faultIds: readonly string[]): object {
  const ids = ["chaos-ok", ...faultIds];
  return {
    object: "list",
    data: ids.map((id) => ({
      id,
      object: "model",
      created: 1_767_225_600,
      owned_by: "chaos",
      type: "model",
      display_name: id,
      created_at: "2026-01-01T00:00:00Z",
    })),
    has_more: false,
    first_id: ids[0],
    last_id: ids.at(-1),
    models: ids.map((id) => ({
      name: `models/${id}`,
      version: "001",
      displayName: id,
      inputTokenLimit: 1_048_576,
      outputTokenLimit: 65_536,
      supportedGenerationMethods: ["generateContent", "streamGenerateContent"],
    })),
  };
}

// Reads a request body as text, up to a limit, and parses its JSON. An oversized body is drained, so that the client can read the
// refusal.

type ReadBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "too-large" }
  /** The client left before it had sent the whole body. */
  | { readonly kind: "gone" };

function readBody(request: IncomingMessage, mostBytes: number): Promise<ReadBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= mostBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on("end", () =>
      resolve(
        bytes > mostBytes ? { kind: "too-large" } : { kind: "text", text: Buffer.concat(chunks).toString("utf8") },
      ),
    );
    request.on("error", () => resolve({ kind: "gone" }));
    request.on("close", () => resolve({ kind: "gone" }));
  });
}

interface ReadJson {
  readonly value: unknown;
  /** What is wrong with it; null if it is valid. */
  readonly complaint: string | null;
}

/** Deeper JSON can be parsed but not stringified, which would break the list of received requests. */
const DEEPEST = 500;

function readJson(text: string): ReadJson {
  const value = parseJson(text);
  if (value === undefined) return { value, complaint: "The request body is not JSON." };
  if (!isDeeperThan(DEEPEST, value)) return { value, complaint: null };
  return { value: undefined, complaint: `The request body is nested deeper than ${DEEPEST} levels.` };
}

function isDeeperThan(levels: number, value: unknown): boolean {
  let inside: readonly unknown[] = [value];
  for (let level = 0; level <= levels; level++) {
    inside = inside.flatMap((one): unknown[] => (typeof one === "object" && one !== null ? Object.values(one) : []));
    if (inside.length === 0) return false;
  }
  return true;
}
