// The gateway: four dialects in front of chains. It reads a client's request, gives it to the runtime with the chain of its route, and
// writes the outcome in the client's dialect. Retries, fallbacks, breakers, pauses and budgets are the runtime's business.
// G1  A client's key never reaches a target: targets get the gateway's own, and only listed headers pass.
// G2  A call that has begun keeps the settings it began with.

import type { IncomingMessage, ServerResponse } from "node:http";
import { classify } from "../core/classify/classify.ts";
import { objectOf } from "../core/json-fields.ts";
import { parseJson } from "../core/try-read.ts";
import type { JournalEvent } from "../core/record/event.ts";
import type { Faultline } from "../faultline.ts";
import type { Clock } from "../host/clock.ts";
import type { Address } from "../provider/wire/protocol.ts";
import { factsAt } from "../provider/wire/request-facts.ts";
import { hasValue, type Outcome } from "../runtime/call/outcome.ts";
import { ClientAnswer } from "./answer/client-answer.ts";
import type { ClientKey, GatewaySettings } from "./config/settings.ts";
import { dialectFor } from "./dialect/dialect.ts";
import { errorHeaders, errorWords } from "./dialect/error-words.ts";
import { Affinity, conversationOf, storedState } from "./route/affinity.ts";
import { decisionIn, Ledger, type LedgerDecision } from "./ledger/ledger.ts";
import { ClientKeys, presentedKey } from "./key/client-keys.ts";
import { CallPurse, KeyAccount } from "./key/key-account.ts";
import { type Endpoint, endpointOf } from "./request/endpoints.ts";
import { type AskedModel, GatewayRequest } from "./request/gateway-request.ts";
import { headersForTarget, queryForTarget } from "./request/header-lists.ts";
import { readBody } from "./request/read-body.ts";
import { Chains } from "./route/chains.ts";
import { Routing, type TakenRoute } from "./route/routing.ts";
import { countTokens, passOther, showModels } from "./other-requests.ts";
import { type InForce, noRouteWords, refuse, type ClientExchange, scopeOf } from "./client-exchange.ts";
import { createTransport, type Transport } from "./target/transport.ts";

const ANYONE = "anyone";
const NO_LIMITS = { hour: null, day: null, month: null };

export class Gateway {
  readonly #faultline: Faultline;
  readonly #transport: Transport;
  readonly #ledger: Ledger;
  readonly #affinity = new Affinity();
  readonly #accounts = new Map<string, KeyAccount>();
  #inForce: InForce;

  private constructor(faultline: Faultline, settings: GatewaySettings) {
    const { home, journal } = faultline;
    this.#faultline = faultline;
    this.#transport = createTransport();
    this.#ledger = new Ledger({ journal, clock: home.clock, owner: home.newId("gw"), suppress: home.suppress });
    this.#inForce = this.#follow(settings);
  }

  /** Resolves when it knows what its clients have spent. */
  static async open(faultline: Faultline, settings: GatewaySettings): Promise<Gateway> {
    const gateway = new Gateway(faultline, settings);
    await gateway.use(settings);
    return gateway;
  }

  /** Calls that begin from now on use these settings. Breakers, pauses and budgets stay as they are. */
  async use(settings: GatewaySettings): Promise<void> {
    const { clock } = this.#faultline.home;
    for (const { name, limits } of settings.keys) {
      const known = this.#accounts.get(name);
      const account = known ?? new KeyAccount(name, limits, clock);
      account.limits = limits;
      if (known === undefined) await this.#ledger.load(account);
      this.#accounts.set(name, account);
    }
    this.#inForce = this.#follow(settings);
  }

  /** What each client has spent. */
  get accounts(): Iterable<KeyAccount> {
    return this.#accounts.values();
  }

  async close(): Promise<void> {
    await this.#ledger.flush();
    await this.#transport.close();
  }

  /** Answers a request, whatever it is. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    const url = request.url ?? "/";
    const queryAt = url.indexOf("?");
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const query = queryAt === -1 ? "" : url.slice(queryAt);
    const endpoint = endpointOf(request.method ?? "GET", path, query, request.headers);
    const inForce = this.#inForce;
    const key = inForce.keys.find(presentedKey(request.headers, query));
    const exchange = { request, response, path, query, key, inForce };
    if (key === null && !inForce.keys.isOpen) {
      return void refuse(exchange, endpoint.dialect, "unknown-key", "the gateway does not know this key");
    }
    this.#answer(exchange, endpoint).catch((error: unknown) => {
      const seen = classify({ surface: "node", error });
      if (response.headersSent) response.destroy();
      else refuse(exchange, endpoint.dialect, "broken", seen.message);
    });
  }

  #follow(settings: GatewaySettings): InForce {
    const { home } = this.#faultline;
    home.learnKeys([...settings.targets.values()].flatMap(({ key }) => (key === null ? [] : [key])));
    return {
      settings,
      routing: new Routing(settings),
      chains: new Chains({ ...home, isKept: false, transport: this.#transport }),
      keys: new ClientKeys(settings.keys),
    };
  }

  #accountOf(key: ClientKey | null): KeyAccount {
    const name = key?.name ?? ANYONE;
    const known = this.#accounts.get(name) ?? new KeyAccount(name, NO_LIMITS, this.#faultline.home.clock);
    this.#accounts.set(name, known);
    return known;
  }

  async #answer(exchange: ClientExchange, endpoint: Endpoint): Promise<void> {
    const { settings } = exchange.inForce;
    if (endpoint.kind === "models") return void showModels(exchange, endpoint.dialect, endpoint.model);
    const bytes = await readBody(exchange.request, settings.maxBodyBytes);
    if (bytes === null) {
      const message = `the request is larger than ${settings.maxBodyBytes} bytes`;
      return void refuse(exchange, endpoint.dialect, "too-large", message);
    }
    if (endpoint.kind === "model") await this.#callModel(exchange, endpoint.address, bytes.toString("utf8"));
    else if (endpoint.kind === "count")
      await countTokens(exchange, endpoint.dialect, bytes.toString("utf8"), this.#transport);
    else await passOther(exchange, endpoint.dialect, bytes, this.#transport);
  }

  async #callModel(exchange: ClientExchange, address: Address, text: string): Promise<void> {
    const { protocol: dialect } = address;
    const body = objectOf(parseJson(text));
    if (body === null) return void refuse(exchange, dialect, "bad-request", "the body is not a JSON object");
    const facts = factsAt(dialect, address, body);
    const taken = exchange.inForce.routing.take(facts.model ?? "", exchange.key);
    if (typeof taken === "string")
      return void refuse(exchange, dialect, taken, noRouteWords(taken, facts.model ?? "", exchange));
    const { headers } = exchange.request;
    const asked: AskedModel = {
      ...{ dialect, text, body, facts },
      ...{ headers: headersForTarget(headers), query: queryForTarget(exchange.query) },
    };
    await this.#run(exchange, asked, this.#placed(taken, asked, exchange));
  }

  /** The steps in the order in which they are tried: a conversation stays where it is, and stored state has one place only. */
  #placed(taken: TakenRoute, { body, facts }: AskedModel, { request, key }: ClientExchange): PlacedRoute {
    const { steps, route } = taken;
    const stored = storedState(body);
    const client = key?.name ?? ANYONE;
    const isOnly = steps.length === 1 || !(route.affinity || stored !== null);
    const conversation = isOnly
      ? null
      : stored === null
        ? () => conversationOf(body, request.headers, client)
        : () => stored;
    const name = this.#affinity.isEmpty ? null : (conversation?.() ?? null);
    const place = name === null ? null : this.#affinity.place(name);
    const start = place === null ? 0 : Math.max(0, stepOf(steps, place, facts.model ?? ""));
    const first = steps[start] ?? steps[0];
    const tried: TakenRoute = stored === null ? taken : { route, steps: [first] };
    return { taken: tried, start: stored === null ? start : 0, conversation, all: steps };
  }

  async #run(
    exchange: ClientExchange,
    asked: AskedModel,
    { taken, start, conversation, all }: PlacedRoute,
  ): Promise<void> {
    const { response, key, inForce } = exchange;
    const { dialect, facts } = asked;
    const { clock, scrub } = this.#faultline.home;
    const startedAt = clock.now();
    const answer = new ClientAnswer(
      response,
      dialectFor(dialect, asked.query, facts.streaming),
      facts.streaming && taken.route.midStream === "restart",
      clock,
    );
    const chain = inForce.chains.get(taken, dialect, facts.model ?? "", start);
    const account = this.#accountOf(key);
    const purse = new CallPurse(account);
    const request = new GatewayRequest(asked, answer, account.isBounded);
    const decisions: LedgerDecision[] = [];
    const heard = (event: JournalEvent): void => {
      const decision = decisionIn(event);
      if (decision !== null) decisions.push(decision);
    };
    const rest = facts.streaming ? beating(answer, clock, inForce.settings.keepAliveMs) : nothing;
    const party = { purse, heard, scope: scopeOf(exchange) };
    const outcome = await this.#faultline.protectFor(party, chain, request);
    rest();
    const endedAt = clock.now();
    conclude(request, outcome, purse, endedAt, scrub);
    const target = "from" in outcome ? outcome.from : null;
    if (conversation !== null && target !== null) {
      this.#noteConversation(() => [conversation(), request.memory.stored], all, facts.model ?? "", target);
    }
    this.#ledger.add(
      {
        ...{
          call: outcome.call,
          at: startedAt,
          tookMs: endedAt - startedAt,
          key: account.name,
          route: taken.route.name,
        },
        ...{ dialect, model: facts.model ?? "", target, attempts: outcome.attempts, status: outcome.status },
        ...{
          code: "fault" in outcome ? outcome.fault.code : null,
          microcents: purse.microcents,
          isExact: purse.isExact,
        },
        ...{ omitted: request.memory.omitted, decisions },
      },
      account,
    );
  }

  /** Remembers where a conversation was answered, if that was not its first choice. */
  #noteConversation(
    names: () => readonly (string | null)[],
    steps: TakenRoute["steps"],
    model: string,
    target: string,
  ): void {
    const isFallback = !isStep(steps[0], target, model);
    if (!isFallback && this.#affinity.isEmpty) return;
    for (const name of names()) if (name !== null) this.#affinity.note(name, isFallback ? target : null);
  }
}

/** Where a chain has this target; -1 when it does not. */
function stepOf(steps: TakenRoute["steps"], id: string, model: string): number {
  return steps.findIndex((one) => isStep(one, id, model));
}

function isStep({ target, model }: TakenRoute["steps"][number], id: string, asked: string): boolean {
  return `${target.name}/${model ?? asked}` === id;
}

/** A route with the place where this request starts. */
interface PlacedRoute {
  readonly taken: TakenRoute;
  readonly start: number;
  /** Names the conversation; null when nothing depends on it. */
  readonly conversation: (() => string | null) | null;
  /** All steps that this client may use. */
  readonly all: TakenRoute["steps"];
}

/** Shows the client that it is being worked for; returns how to stop. */
function beating(answer: ClientAnswer, clock: Clock, everyMs: number): () => void {
  let rest = clock.after(everyMs, beat);
  function beat(): void {
    answer.keepAlive();
    rest = clock.after(everyMs, beat);
  }
  return () => rest();
}

const nothing = (): void => undefined;

/** Writes the end of a call to its client. */
function conclude(
  { answer, memory }: GatewayRequest,
  outcome: Outcome<unknown>,
  purse: CallPurse,
  now: number,
  scrub: (text: string) => string,
): void {
  if (answer.isOver) return;
  if (hasValue(outcome)) {
    const { whole, head } = memory;
    if (whole !== null) {
      const cost = purse.microcents === 0 ? {} : { "x-faultline-cost-usd": (purse.microcents / 1e8).toFixed(8) };
      return answer.send({ status: whole.status, headers: { ...whole.headers, ...cost } }, whole.body);
    }
    return answer.finish(head ?? { status: 200, headers: {} });
  }
  if (outcome.status === "cancelled") return answer.cut();
  const { fault, call, attempts } = outcome;
  const about = { "x-faultline-call": call, "x-faultline-attempts": String(attempts) };
  const headers = { ...errorHeaders(fault, now), ...about };
  const words = errorWords(fault, call);
  const { refused } = memory;
  // The target's own words are the best explanation of a request that it cannot accept.
  if (!answer.isOpen && refused !== null && refused.fault.code === fault.code && words.status === refused.status) {
    // Some targets repeat the request in their refusal, with the gateway's own key.
    return answer.send({ status: refused.status, headers: { ...refused.headers, ...headers } }, scrub(refused.body));
  }
  answer.fail(words, headers);
}
