// A request that is not a model call, such as embeddings or files: it goes to one target, once, unchanged.
// P1  If the answer says how many tokens it took, their cost is booked; otherwise, the most that the request may have cost.
// P2  A key with a budget can use nothing without a price, unless its owner allows that: then it runs outside the budget. Once the budget is
//     used up, the key can use nothing that has a price.

import { classify } from "../core/classify/classify.ts";
import { type FaultCode, traitsOf } from "../core/fault/catalogue.ts";
import { type Cost, dollars } from "../core/flow/money.ts";
import { type JsonObject, listOf, objectOf, textOf } from "../core/json-fields.ts";
import { parseJson } from "../core/try-read.ts";
import type { FaultlineDeps } from "../faultline.ts";
import { costOfUsage, estimateCost, tokensIn } from "../provider/price/cost.ts";
import type { Price } from "../provider/price/price-table.ts";
import { whenCovered } from "../runtime/budget.ts";
import type { Scope } from "../runtime/scope.ts";
import type { Protocol } from "../provider/wire/protocol.ts";
import { factsAt } from "../provider/wire/request-facts.ts";
import { type ClientExchange, noRouteWords, OTHER_METHODS, refuse, whenLeft } from "./client-exchange.ts";
import type { ClientKey, GatewayTarget } from "./config/settings.ts";
import { DIALECT_NAMES, DIALECTS } from "./dialect/dialect.ts";
import { errorWords } from "./dialect/error-words.ts";
import type { CallPurse, KeyAccount } from "./key/key-account.ts";
import type { LedgerLine } from "./ledger/ledger-line.ts";
import { endpointOf } from "./request/endpoints.ts";
import { headersForTarget, headerText } from "./request/header-lists.ts";
import { holdsKey, methodParameter, queryOfOther } from "./request/query.ts";
import { whyUnread } from "./request/read-body.ts";
import { unclearField } from "./request/repeated-field.ts";
import { isInRegion } from "./route/routing.ts";
import { forward, passOn } from "./target/forward.ts";
import { LONGEST_ANSWER_TOKENS, needsPrice, targetPrice } from "./target/target-price.ts";
import type { Transport } from "./target/transport.ts";

export interface OtherPathDeps extends Pick<FaultlineDeps, "prices" | "clock" | "newId" | "scrub"> {
  readonly transport: Transport;
  readonly account: KeyAccount;
  readonly purse: CallPurse;
  readonly record: (line: LedgerLine) => void;
  /** Cancelled when the gateway stops. */
  readonly calls: Scope;
}

/** The version in a path, which a target's address has, too. */
const VERSION = /^\/v1(?:beta\d*|alpha\d*)?(?=\/)/;
/** For a mistyped path, a wrong base URL and a look with a browser. */
const WHAT_IT_HAS =
  "it answers POST /v1/chat/completions, /v1/responses, /v1/messages and /v1beta/models/{model}:generateContent, and GET /v1/models. For other paths, its file names a target under other_paths";
/** The name of such calls in the ledger. */
const ROUTE = "other_paths";

export async function passOther(
  exchange: ClientExchange,
  dialect: Protocol,
  bytes: Buffer,
  deps: OtherPathDeps,
): Promise<void> {
  const { otherPaths: target } = exchange.inForce.settings;
  const { request, path, key } = exchange;
  const method = request.method ?? "GET";
  if (target === null && takesPost(exchange)) {
    const message = `the gateway has no ${method} ${path}; use POST`;
    return void refuse(exchange, dialect, "wrong-method", message);
  }
  if (target === null) {
    const message = `the gateway has no ${method} ${path}; ${WHAT_IT_HAS}`;
    return void refuse(exchange, dialect, "unknown-path", message);
  }
  if (!OTHER_METHODS.includes(method)) {
    const message = `the gateway does not pass on ${method}; use one of ${OTHER_METHODS.join(", ")}`;
    return void refuse(exchange, dialect, "unknown-method", message);
  }
  const unclear = unclearAddress(exchange);
  if (unclear !== null) return void refuse(exchange, dialect, "bad-request", unclear);
  const place = placeRefusal(target, key);
  if (place !== null) return void refuse(exchange, dialect, ...place);
  const priced = pricedRequest(method, path, bytes, target, deps);
  if (priced.unclear !== null) return void refuse(exchange, dialect, "bad-request", priced.unclear);
  const route = routeRefusal(exchange, priced, bytes);
  if (route !== null) return void refuse(exchange, dialect, ...route);
  const { purse } = deps;
  const take = (): Refused | null => {
    const refused = moneyRefusal(priced, key, purse, `${method} ${path}`);
    if (refused === null) purse.reserve(priced.mostMicrocents);
    return refused;
  };
  const money = priced.isFree ? take() : await whenCovered(purse, priced.mostMicrocents, take);
  if (money !== null) return void refuse(exchange, dialect, ...money);
  await new OtherCall(exchange, dialect, target, priced, deps).run(bytes);
}

/** Why the target may read the path or the query otherwise than the gateway; null: it cannot. */
function unclearAddress({ path, query, secret }: ClientExchange): string | null {
  if (isHidden(path))
    return "the path has encoded characters that need no encoding, or others by which it may mean another one; send it plainly";
  if (holdsKey(path, secret)) return "the path has the client's key in it";
  const parameter = methodParameter(query);
  if (parameter === null) return null;
  return `the query has ${JSON.stringify(parameter)}, which changes the method; send the request with that method instead`;
}

/** The same path with POST asks for an answer of a model, or for its tokens. */
function takesPost({ path, query, request }: ClientExchange): boolean {
  return endpointOf("POST", path, query, request.headers).kind !== "other";
}

interface PricedRequest {
  readonly method: string;
  /** Empty: the request names none. */
  readonly model: string;
  /** What it leaves open; null: nothing. */
  readonly unclear: string | null;
  readonly price: Price | null;
  /** It costs nothing by itself. */
  readonly isFree: boolean;
  /** What its request costs. */
  readonly inputMicrocents: number | null;
  /** The most it may cost; null: unknown. */
  readonly mostMicrocents: number | null;
}

/** What a target may read as another path, which is not free or not allowed. Some servers cut off what stands behind a semicolon. */
const OTHER_MEANING = /^(?!\/)|[\\;#]|\/\.{1,2}(?:\/|$)|\/\//;
/** Characters that need no encoding, and those that mean something in a path. */
const PLAIN_IN_PATH = /[\w.~:?#;/\\%-]/;
const [FIRST_PRINTED, DELETE] = [0x20, 0x7f];

function isHidden(path: string): boolean {
  if (OTHER_MEANING.test(path)) return true;
  for (const [, hex = ""] of path.matchAll(/%([0-9a-f]{2})?/gi)) {
    const code = Number.parseInt(hex, 16);
    const isPrinted = code >= FIRST_PRINTED && code !== DELETE;
    if (!isPrinted || PLAIN_IN_PATH.test(String.fromCharCode(code))) return true;
  }
  return false;
}

const FREE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "DELETE", "OPTIONS"]);
const FREE_PATHS = /\/(?:files|uploads|moderations)(?:\/|$)/;
const MODEL_IN_PATH = /\/(?:models|tunedModels|endpoints)\/([^/:]+):/i;
/** Paths whose answers have no tokens of their own. */
const WITHOUT_OUTPUT = /\/(?:embeddings|rerank)$|:(?:batchEmbed|embed)Contents?$/;

function pricedRequest(
  method: string,
  path: string,
  bytes: Buffer,
  target: GatewayTarget,
  deps: OtherPathDeps,
): PricedRequest {
  const isFree = FREE_METHODS.has(method) || FREE_PATHS.test(path);
  const text = isFree ? "" : bytes.toString("utf8");
  const body = objectOf(parseJson(text));
  const inBody = textOf(body?.["model"]);
  const inPath = MODEL_IN_PATH.exec(path)?.[1] ?? "";
  const model = inBody || inPath;
  // Google's requests name the model of their path again, as `models/<name>`.
  const isTwo = inPath !== "" && inBody !== "" && inBody.replace(/^models\//, "") !== inPath;
  const price = isFree || model === "" ? null : targetPrice(deps.prices, target, model);
  const output = WITHOUT_OUTPUT.test(path) ? 0 : mostOutput(body ?? {});
  return {
    method,
    model,
    unclear: isTwo ? "the path and the body name different models" : body === null ? null : unclearField(text, body),
    price,
    isFree,
    inputMicrocents: price === null ? null : estimateCost(tokensIn(bytes.length), 0, price),
    mostMicrocents: price === null ? null : estimateCost(bytes.length, output, price),
  };
}

/** The most tokens that the answers may have, in any dialect: a batch of prompts gets an answer, or several, for each. */
function mostOutput(body: JsonObject): number {
  const facts = DIALECT_NAMES.map((dialect) => factsAt(dialect, null, body));
  const limit = Math.max(...facts.map(({ maxOutputTokens }) => maxOutputTokens ?? 0)) || LONGEST_ANSWER_TOKENS;
  return limit * Math.max(...facts.map(({ answers }) => answers)) * Math.max(1, promptsIn(body["prompt"]));
}

/** A list of numbers is one prompt, in tokens. */
function promptsIn(prompt: unknown): number {
  return listOf(prompt).filter((one) => typeof one !== "number").length;
}

type Refused = readonly [why: Parameters<typeof refuse>[2], message: string, retryAfterMs?: number | null];

function placeRefusal({ name, region }: GatewayTarget, key: ClientKey | null): Refused | null {
  if (key?.mayUseOtherPaths === false) return ["not-allowed", "this key may use its routes only, and no other paths"];
  return isInRegion(region, key) ? null : ["no-region", `${name} is in no region of this key`];
}

/** A key cannot get around its routes by asking for completions on another path. Embeddings fall under `other_paths` itself. */
function routeRefusal(exchange: ClientExchange, { model, isFree }: PricedRequest, bytes: Buffer): Refused | null {
  const { key, inForce, path, request } = exchange;
  if ((key?.routes ?? null) === null || isFree || WITHOUT_OUTPUT.test(path)) return null;
  const hidden = whyUnread(bytes.toString("utf8", 0, 3), request.headers);
  if (hidden !== "") return ["bad-request", `the body may hide the name of a model${hidden}`];
  if (model === "") {
    const message = "this key may use its routes only, and the gateway can read no name of a model in this request";
    return ["not-allowed", message];
  }
  const taken = inForce.routing.take(model, key);
  return typeof taken === "string" ? [taken, noRouteWords(taken, model, exchange)] : null;
}

function moneyRefusal(
  { isFree, price, mostMicrocents, model }: PricedRequest,
  key: ClientKey | null,
  purse: CallPurse,
  what: string,
): Refused | null {
  if (isFree || !purse.isBounded) return null;
  if (price === null && !needsPrice(key)) return null;
  if (price === null) {
    const about = model === "" ? what : `${what} with the model ${model}`;
    const message = `this key has a budget, and the price of ${about} is unknown; the gateway's file can state one under prices, or allow it with unpriced: allow`;
    return ["no-price", message];
  }
  if (!purse.isSpent && !purse.exceeds(mostMicrocents)) return null;
  const most = mostMicrocents ?? 0;
  const refusing = purse.refusing(most);
  const spent = `${dollars(purse.spentMicrocents)} of ${dollars(purse.rule.maxCostMicrocents)} is spent`;
  const message = `${what} may cost ${dollars(most)}; ${spent}. ${refusing?.words ?? ""}`.trimEnd();
  const endsAt = refusing?.endsAt ?? null;
  return ["spent", message, endsAt === null ? null : endsAt - purse.now];
}

class OtherCall {
  readonly #exchange: ClientExchange;
  readonly #dialect: Protocol;
  readonly #target: GatewayTarget;
  readonly #priced: PricedRequest;
  readonly #deps: OtherPathDeps;

  constructor(
    exchange: ClientExchange,
    dialect: Protocol,
    target: GatewayTarget,
    priced: PricedRequest,
    deps: OtherPathDeps,
  ) {
    this.#exchange = exchange;
    this.#dialect = dialect;
    this.#target = target;
    this.#priced = priced;
    this.#deps = deps;
  }

  /** Its cost is reserved. */
  async run(bytes: Buffer): Promise<void> {
    const { clock, newId, purse } = this.#deps;
    const { mostMicrocents } = this.#priced;
    const call = newId("call");
    const at = clock.now();
    try {
      const { cost, status } = await this.#send(bytes, call);
      purse.settle(mostMicrocents, cost);
      this.#record(call, at, status < BAD ? null : classify({ surface: "http", status }).code);
    } catch (error) {
      const seen = classify({ surface: "http", error, observedAt: clock.now() });
      purse.settle(mostMicrocents, seen.context["sent"] === false ? null : this.#unseen());
      this.#record(call, at, seen.code);
      throw error;
    }
  }

  async #send(bytes: Buffer, call: string): Promise<{ readonly cost: Cost | null; readonly status: number }> {
    const { request, path, query, response, secret } = this.#exchange;
    const { method, isFree } = this.#priced;
    const own = path.replace(VERSION, "") + queryOfOther(query, secret, isFree);
    const answer = await forward(this.#deps.transport.agent, this.#target, {
      method,
      path: own,
      headers: headersForTarget(request.headers, secret),
      // Only its method makes such a request free.
      body: FREE_METHODS.has(method) ? "" : bytes,
      dialect: this.#dialect,
      signal: whenLeft(this.#exchange, this.#deps.calls),
    });
    const { statusCode: status } = answer;
    const tail = new Tail();
    const about = { "x-faultline-target": headerText(this.#target.name), "x-faultline-call": call };
    await passOn(answer, response, about, {
      seen: (chunk) => tail.push(chunk),
      scrub: this.#deps.scrub,
      ownKey: this.#target.key,
      errorEvents: (error) =>
        DIALECTS[this.#dialect].errorEvents(errorWords(classify({ surface: "http", error }), call), {
          hasElement: true,
          responseId: null,
        }),
    });
    return { status, cost: status < BAD ? this.#costOf(tail.text) : null };
  }

  #costOf(end: string): Cost | null {
    const { price } = this.#priced;
    const used = price === null ? null : usedIn(end);
    if (price === null || used === null) return this.#unseen();
    const usage = {
      inputTokens: { total: used.input, noCache: used.input, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: used.output, text: used.output, reasoning: 0 },
    };
    return { microcents: costOfUsage(usage, price), basis: "reported" };
  }

  /** The answer does not say what it took. */
  #unseen(): Cost | null {
    const { isFree, inputMicrocents: microcents } = this.#priced;
    if (isFree) return null;
    return microcents === null ? { microcents, basis: "unpriced" } : { microcents, basis: "estimated" };
  }

  #record(call: string, at: number, code: FaultCode | null): void {
    const { clock, account, record } = this.#deps;
    const { microcents, isExact } = this.#deps.purse;
    const { isFree, inputMicrocents } = this.#priced;
    const answered = code === null;
    record({
      call,
      at,
      tookMs: clock.now() - at,
      key: account.name,
      route: ROUTE,
      dialect: this.#dialect,
      model: this.#priced.model,
      target: answered ? this.#target.name : null,
      attempts: 1,
      status: answered ? "done" : traitsOf(code).cancels ? "cancelled" : "failed",
      code,
      microcents,
      isExact,
      ...(isExact || isFree || inputMicrocents !== null ? {} : { isUnpriced: true }),
      omitted: [],
      decisions: [],
    });
  }
}

const BAD = 400;
const TAIL_BYTES = 4_096;

/** The end of an answer, where its usage stands. */
class Tail {
  #last = Buffer.alloc(0);

  push(chunk: Buffer): void {
    const all = this.#last.length === 0 ? chunk : Buffer.concat([this.#last, chunk]);
    this.#last = Buffer.from(all.subarray(Math.max(0, all.length - TAIL_BYTES)));
  }

  get text(): string {
    return this.#last.toString("latin1");
  }
}

const INPUT = /"(?:prompt_tokens|input_tokens|promptTokenCount)"\s*:\s*(\d+)/;
const TOTAL = /"(?:total_tokens|totalTokenCount)"\s*:\s*(\d+)/;
const OUTPUT = /"(?:completion_tokens|output_tokens|candidatesTokenCount)"\s*:\s*(\d+)/;

/** The tokens in the last usage of an answer's end; null when there is none. */
function usedIn(end: string): { readonly input: number; readonly output: number } | null {
  const at = end.lastIndexOf('"usage');
  const said = at === -1 ? "" : end.slice(at);
  const input = (INPUT.exec(said) ?? TOTAL.exec(said))?.[1];
  return input === undefined ? null : { input: Number(input), output: Number(OUTPUT.exec(said)?.[1] ?? 0) };
}
