// The gateway: four dialects in front of chains. It reads a client's request, gives it to the runtime with the chain of its route, and
// writes the outcome in the client's dialect. Retries, fallbacks, breakers, pauses and budgets are the runtime's business.
// G1  A client's key never reaches a target: targets get the gateway's own, and only listed headers pass.
// G2  A running call keeps the settings that were in force when it began.

import type { IncomingMessage, ServerResponse } from "node:http";
import { classify } from "../core/classify/classify.ts";
import { traitsOf } from "../core/fault/catalogue.ts";
import type { Fault } from "../core/fault/fault.ts";
import { countOf, objectOf } from "../core/json-fields.ts";
import { parseJson } from "../core/try-read.ts";
import type { JournalEvent } from "../core/record/event.ts";
import type { Faultline } from "../faultline.ts";
import type { NewEntry } from "../journal/journal.ts";
import type { Clock } from "../host/clock.ts";
import { guarded, type Suppress } from "../host/foreign-code.ts";
import type { OwnAddresses } from "../host/own-addresses.ts";
import type { Address } from "../provider/wire/protocol.ts";
import { factsAt } from "../provider/wire/request-facts.ts";
import { hasValue, type Outcome } from "../runtime/call/outcome.ts";
import { Scope } from "../runtime/scope.ts";
import { ClientAnswer } from "./answer/client-answer.ts";
import type { ClientKey, GatewaySettings, KeepRule, SpendLimits } from "./config/settings.ts";
import { dialectFor } from "./dialect/dialect.ts";
import { errorHeaders, errorWords } from "./dialect/error-words.ts";
import { Affinity, type Conversation, conversationOf, storedConversation, storedState } from "./route/affinity.ts";
import { STOPPING } from "./ledger/call-ending.ts";
import { plainFault } from "./ledger/failed-calls.ts";
import { type KeptCall, Ledger } from "./ledger/ledger.ts";
import { operatorWords } from "./ledger/operator-words.ts";
import type { JournalNews } from "./ledger/write-trouble.ts";
import { decisionId, decisionIn, type LedgerDecision, type LedgerLine } from "./ledger/ledger-line.ts";
import { ClientKeys, secretOf } from "./key/client-keys.ts";
import { type BreakerAlert, breakerAlert } from "./ledger/breaker-alert.ts";
import { type BudgetAlert, recordAlert } from "./ledger/budget-alert.ts";
import { CallPurse, KeyAccount, type WindowName } from "./key/key-account.ts";
import { type Endpoint, endpointOf } from "./request/endpoints.ts";
import { type AskedModel, GatewayRequest } from "./request/gateway-request.ts";
import { headersForTarget, headerText } from "./request/header-lists.ts";
import { queryOfCall } from "./request/query.ts";
import { readBody, readObject } from "./request/read-body.ts";
import { Chains } from "./route/chains.ts";
import { gatewayPolicy } from "./route/gateway-policy.ts";
import { idOf, Routing, type TakenRoute, takenRoute } from "./route/routing.ts";
import { homeOf, StoredPlaces, stepOfStored } from "./route/stored-places.ts";
import { passOther } from "./other-path.ts";
import { countTokens, showModels } from "./other-requests.ts";
import { type GatewayReport, reportGateway } from "./gateway-report.ts";
import {
  type InForce,
  noRouteWords,
  refuse,
  refuseBroken,
  type ClientExchange,
  scopeOf,
  strangerAt,
} from "./client-exchange.ts";
import { dialectOnly } from "./target/byte-member.ts";
import { isUnpriced, targetPrice } from "./target/target-price.ts";
import { createTransport, type Transport } from "./target/transport.ts";

const ANYONE = "anyone";
const MOST_NAMED = 20;
/** The longest part of a message that may quote the client. */
const MOST_REASON = 300;
const NO_LIMITS = { hour: null, day: null, month: null };

export interface GatewayListener {
  /** Called when a client has used up most of a budget: once for each window of time. */
  readonly onBudgetLow?: (alert: BudgetAlert) => void;
  /**
   * A target failed, or was silent for long: what was decided. Called for each attempt. `detail` is for operators: what this machine saw of a
   * broken connection, with the address, or which limit of time or speed an answer missed; null when only the target's words say more, because
   * these may repeat a prompt.
   */
  readonly onDecided?: (decision: LedgerDecision, detail: string | null) => void;
  /** The breaker of a target opened, so that calls pass it over for a while. */
  readonly onBreakerOpened?: (alert: BreakerAlert) => void;
  /** The journal cannot be written: called with each attempt, and when it can be written again. */
  readonly onJournal?: (news: JournalNews) => void;
}

export class Gateway {
  readonly #faultline: Faultline;
  readonly #transport: Transport;
  readonly #ledger: Ledger;
  readonly #affinity = new Affinity();
  readonly #stored: StoredPlaces;
  readonly #accounts = new Map<string, KeyAccount>();
  readonly #listener: Required<GatewayListener>;
  readonly #calls = new Scope("session", null);
  /** Requests whose bodies are not read yet. */
  readonly #uploads = new Scope("session", null);
  /** The number of requests that are not answered and booked yet. */
  #running = 0;
  #tellIdle: () => void = nothing;
  #telling: Promise<void> = Promise.resolve();
  #inForce: InForce;

  private constructor(faultline: Faultline, settings: GatewaySettings, listener: GatewayListener) {
    const { deps, journal } = faultline;
    this.#faultline = faultline;
    this.#listener = guardedListener(listener, (error) =>
      deps.suppress(
        classify({ surface: "node", error, observedAt: deps.clock.now() }),
        "the gateway continues although a listener failed",
      ),
    );
    this.#stored = new StoredPlaces({ journal, clock: deps.clock, suppress: deps.suppress });
    this.#transport = createTransport();
    this.#ledger = new Ledger({
      journal,
      clock: deps.clock,
      owner: deps.newId("gw"),
      suppress: deps.suppress,
      scrub: deps.scrub,
      onJournal: (news) => this.#listener.onJournal(news),
    });
    this.#inForce = this.#follow(settings);
  }

  /** Resolves when it knows what its clients have spent. */
  static async open(faultline: Faultline, settings: GatewaySettings, listener: GatewayListener = {}): Promise<Gateway> {
    const gateway = new Gateway(faultline, settings, listener);
    await gateway.#loadAccounts(settings);
    return gateway;
  }

  /** Calls that begin from now on use these settings. Breakers, pauses and budgets stay as they are. */
  async use(settings: GatewaySettings): Promise<void> {
    await this.#loadAccounts(settings);
    this.#inForce = this.#follow(settings);
  }

  async #loadAccounts(settings: GatewaySettings): Promise<void> {
    for (const { name, limits } of settings.keys) {
      const known = this.#accounts.get(name);
      const account = known ?? this.#newAccount(name, limits);
      account.limits = limits;
      if (known === undefined) await this.#ledger.load(account);
      this.#accounts.set(name, account);
    }
  }

  /** What each client has spent. */
  get accounts(): Iterable<KeyAccount> {
    return this.#accounts.values();
  }

  report(): GatewayReport {
    return { ...reportGateway(this.#inForce.settings, this.#accounts), unwritten: this.#ledger.unwritten };
  }

  /** Ends the running calls, and every later one, with an error in the client's dialect. */
  endCalls(): void {
    this.#calls.cancel(STOPPING);
    this.#uploads.cancel(STOPPING);
  }

  /** Resolves when calls whose clients are gone have ended and are booked. Rejects if the journal could not be written until this moment. */
  async close(until = this.#faultline.deps.clock.now()): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => void (this.#tellIdle = resolve));
    try {
      await this.#ledger.close(until);
    } finally {
      await this.#telling;
      await this.#transport.close();
    }
  }

  /** Answers a request, whatever it is. */
  handle(request: IncomingMessage, response: ServerResponse, own: OwnAddresses): void {
    const url = request.url ?? "/";
    const queryAt = url.indexOf("?");
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const query = queryAt === -1 ? "" : url.slice(queryAt);
    const endpoint = endpointOf(request.method ?? "GET", path, query, request.headers);
    const inForce = this.#inForce;
    const { sent, key } = inForce.keys.find(request.headers, query, request.socket);
    const exchange = { request, response, path, query, key, secret: secretOf(sent, key), inForce };
    const stranger = key === null ? strangerAt(request, sent !== null, inForce.keys.isOpen, own) : null;
    if (stranger !== null) return void refuse(exchange, endpoint.dialect, ...stranger);
    void this.#serve(exchange, endpoint);
  }

  async #serve(exchange: ClientExchange, endpoint: Endpoint): Promise<void> {
    this.#running += 1;
    try {
      if (endpoint.kind === "models") showModels(exchange, endpoint.dialect, endpoint.model);
      else await this.#answer(exchange, endpoint, await this.#bodyOf(exchange));
    } catch (error) {
      const { response } = exchange;
      const seen = classify({ surface: "node", error });
      if (!response.headersSent) refuseBroken(exchange, endpoint.dialect, seen, this.#faultline.deps.clock.now());
      else if (!response.writableEnded) response.destroy();
    }
    this.#running -= 1;
    if (this.#running === 0) this.#tellIdle();
  }

  #follow(settings: GatewaySettings): InForce {
    const { deps } = this.#faultline;
    deps.learnKeys([...settings.targets.values()].flatMap(({ key }) => (key === null ? [] : [key])));
    return {
      settings,
      routing: new Routing(settings, (target, model) => targetPrice(deps.prices, target, model) !== null),
      chains: new Chains({ ...deps, isKept: false, transport: this.#transport }),
      keys: new ClientKeys(settings.keys),
      home: homeOf(settings),
    };
  }

  #accountOf(key: ClientKey | null): KeyAccount {
    const name = key?.name ?? ANYONE;
    const known = this.#accounts.get(name) ?? this.#newAccount(name, NO_LIMITS);
    this.#accounts.set(name, known);
    return known;
  }

  #newAccount(name: string, limits: SpendLimits): KeyAccount {
    return new KeyAccount(name, limits, this.#faultline.deps.clock, (account, window) => {
      this.#telling = this.#telling.then(() => this.#tellLow(account, window));
    });
  }

  #bodyOf({ request, inForce }: ClientExchange): Promise<Buffer | null> {
    return readBody(request, inForce.settings.maxBodyBytes, this.#uploads);
  }

  /** null: the request is answered already. The functions on the way to `#run` are not async: each would cost a call a promise and a wait. */
  #answer(
    exchange: ClientExchange,
    endpoint: Exclude<Endpoint, { readonly kind: "models" }>,
    bytes: Buffer | null,
  ): Promise<void> | null {
    const { kind, dialect } = endpoint;
    if (bytes === null) {
      const mebibytes = exchange.inForce.settings.maxBodyBytes / 1_048_576;
      const message = `the request is larger than ${mebibytes} MiB; max_body_mb of the gateway's file sets this limit`;
      refuse(exchange, dialect, "too-large", message);
      return null;
    }
    if (kind === "model") return this.#callModel(exchange, endpoint.address, bytes);
    if (kind === "count")
      return countTokens(exchange, endpoint, bytes.toString("utf8"), {
        transport: this.#transport,
        calls: this.#calls,
        scrub: this.#faultline.deps.scrub,
      });
    const account = this.#accountOf(exchange.key);
    const record = (line: LedgerLine): void => this.#ledger.add(line, account);
    const purse = new CallPurse(account, this.#ledger.cover);
    const deps = { ...this.#faultline.deps, transport: this.#transport, account, purse, record, calls: this.#calls };
    return passOther(exchange, dialect, bytes, deps);
  }

  #callModel(exchange: ClientExchange, address: Address, bytes: Buffer): Promise<void> | null {
    const { protocol: dialect } = address;
    const { headers } = exchange.request;
    const body = readObject(bytes.toString("utf8"), headers);
    if (typeof body === "string") {
      refuse(exchange, dialect, "bad-request", body);
      return null;
    }
    const facts = factsAt(dialect, address, body);
    const taken = exchange.inForce.routing.take(facts.model ?? "", exchange.key);
    if (typeof taken === "string") {
      refuse(exchange, dialect, taken, noRouteWords(taken, facts.model ?? "", exchange));
      return null;
    }
    const { secret } = exchange;
    const query = queryOfCall(dialect, exchange.query, secret);
    const asked: AskedModel = { dialect, bytes, body, facts, headers: headersForTarget(headers, secret), query };
    const stored = storedState(body);
    const run = (storedAt: string | null): Promise<void> =>
      this.#run(exchange, asked, this.#placed(taken, asked, exchange, stored, storedAt));
    if (stored === null || taken.steps.length === 1) return run(null);
    const known = this.#affinity.place(storedConversation(stored));
    return known === null ? this.#stored.find(stored).then(run) : run(known);
  }

  /** Where the call starts: a conversation stays at its target, and only one target has the state that a request continues. */
  #placed(
    taken: TakenRoute,
    { body, facts }: AskedModel,
    { request, key }: ClientExchange,
    stored: string | null,
    storedAt: string | null,
  ): PlacedRoute {
    const { steps, route } = taken;
    const model = facts.model ?? "";
    const placeOf = (target: string | null): number =>
      target === null ? 0 : Math.max(0, stepOf(steps, target, model));
    if (stored !== null) {
      const tried = takenRoute(route, [stepOfStored(steps, storedAt, model)], taken.unpriced);
      return { taken: tried, start: 0, conversation: () => storedConversation(stored), all: steps };
    }
    const hasPlace = steps.length > 1 && route.affinity;
    const conversation = hasPlace ? () => conversationOf(body, request.headers, key?.name ?? ANYONE) : null;
    const known = this.#affinity.isEmpty ? null : (conversation?.() ?? null);
    const start = known === null ? 0 : placeOf(this.#affinity.place(known));
    return { taken, start, conversation, all: steps };
  }

  async #run(exchange: ClientExchange, asked: AskedModel, placed: PlacedRoute): Promise<void> {
    const { key, inForce } = exchange;
    const { settings, chains } = inForce;
    const { facts, dialect } = asked;
    const { clock, scrub } = this.#faultline.deps;
    const startedAt = clock.now();
    const account = this.#accountOf(key);
    const purse = new CallPurse(account, this.#ledger.cover);
    const request = this.#requestFor(exchange, asked, placed.taken, account);
    const call: ClientCall = { request, placed, account, purse, startedAt, decisions: [], entries: [] };
    const chain = chains.get(placed.taken, dialect, facts.model ?? "", placed.start);
    const stopKeepAlive = facts.streaming ? startKeepAlive(request.answer, clock, settings.keepAliveMs) : nothing;
    const scope = scopeOf(exchange, this.#calls);
    const party = { purse, heard: this.#listenTo(call), scope, shareable: plainFault, policyOf: gatewayPolicy };
    let outcome: Outcome<unknown>;
    try {
      // What this process has set aside of the budget lasts for a few seconds. Renewed once here, it covers all calls that begin together.
      if (!account.isCurrent) await purse.cover(0);
      outcome = await this.#faultline.protectFor(party, chain, request);
    } finally {
      stopKeepAlive();
      scope.leave();
    }
    const endedAt = clock.now();
    const target = "from" in outcome ? outcome.from : null;
    const fallback = target === null || isStep(placed.all[0], target, facts.model ?? "") ? null : target;
    const { stored } = request.memory;
    // The client may continue it on a route that begins with another target.
    const isAway = stored !== null && asked.body["store"] !== false && target?.startsWith(`${inForce.home}/`) !== true;
    if (isAway && target !== null) await this.#stored.note(stored, target);
    conclude(call, outcome, endedAt, scrub);
    if (target !== null) this.#noteConversation(placed.conversation, stored, fallback);
    const kept = keptOf(exchange, request);
    const line = this.#lineOf(call, outcome, endedAt);
    this.#ledger.add(kept === null ? line : { ...line, isKept: true }, account, call.entries, kept);
  }

  /** The request as the targets of its chain get it, with the answer that its client gets. */
  #requestFor(
    exchange: ClientExchange,
    asked: AskedModel,
    { route, steps, unpriced }: TakenRoute,
    account: KeyAccount,
  ): GatewayRequest {
    const { facts } = asked;
    const own = dialectFor(asked.dialect, asked.query, facts.streaming);
    const canContinue = route.midStream === "continue" && steps.some(({ target }) => target.continues);
    const isContinued = canContinue && facts.streaming && own.streamAs === "events" && !facts.wantsJson;
    const holdsAll = facts.streaming && route.midStream === "restart";
    const keepsText = isContinued || keepRuleOf(exchange)?.answers === true;
    const answer = new ClientAnswer(exchange.response, own, holdsAll, this.#faultline.deps.clock, keepsText);
    if (unpriced.length > 0) answer.skipped = headerText(`${unpriced.join(", ")} (no price)`);
    return new GatewayRequest(asked, answer, { isMetered: account.isBounded, isContinued });
  }

  /** Collects the events of a call for the journal, and its decisions for the ledger, the client and the listeners. */
  #listenTo({ request: { answer }, entries, decisions }: ClientCall): (event: JournalEvent, at: number) => void {
    const { scrub } = this.#faultline.deps;
    let hedged: string | null = null;
    return (event, at) => {
      entries.push({ at, event });
      const opened = breakerAlert(event, at, () => this.#faultline.targets());
      if (opened !== null) this.#listener.onBreakerOpened(opened);
      const decision = decisionIn(event, hedged);
      if (event.type === "call-admitted" && event.hedge !== undefined) hedged = event.tool;
      if (decision === null) return;
      decisions.push(decision);
      const seen = "fault" in event ? event.fault : null;
      // A target that was not asked has nothing to report.
      if (decision.attempt > 0) this.#listener.onDecided(decision, seen === null ? null : operatorWords(seen, scrub));
      // A header has room for the first ones.
      if (decisions.length <= MOST_NAMED && "call" in event)
        answer.decided.push(`${decisionId(event.call, decisions.length - 1)}=${decision.recourse}`);
    };
  }

  #lineOf(
    { request: { asked, memory }, placed, account, purse, startedAt, decisions }: ClientCall,
    outcome: Outcome<unknown>,
    endedAt: number,
  ): LedgerLine {
    const { call, attempts, status } = outcome;
    const { microcents, isExact } = purse;
    const { omitted, continued } = memory;
    const model = asked.facts.model ?? "";
    const target = "from" in outcome ? outcome.from : null;
    const code = "fault" in outcome ? outcome.fault.code : null;
    const { prices } = this.#faultline.deps;
    const hasNoPrice = !isExact && microcents === 0 && isUnpriced(prices, placed.all, model, { target, decisions });
    // prettier-ignore
    const line = {
      call, at: startedAt, tookMs: endedAt - startedAt, key: account.name, route: placed.taken.route.name,
      dialect: asked.dialect, model, target, attempts, status, code, microcents, isExact, omitted, decisions, continued,
    };
    return hasNoPrice ? { ...line, isUnpriced: true } : line;
  }

  async #tellLow(account: KeyAccount, window: WindowName): Promise<void> {
    const { deps, journal } = this.#faultline;
    const now = deps.clock.now();
    try {
      const alert = await recordAlert(journal, account, window, now);
      if (alert !== null) this.#listener.onBudgetLow(alert);
    } catch (error) {
      const seen = classify({ surface: "store", error, observedAt: now });
      deps.suppress(seen, `the journal has no entry about the budget of ${account.name}, which runs low`);
    }
  }

  /** Remembers where a conversation was answered, if that was not its first choice. */
  #noteConversation(conversation: PlacedRoute["conversation"], stored: string | null, fallback: string | null): void {
    if (fallback === null && this.#affinity.isEmpty) return;
    if (conversation !== null) this.#affinity.note(conversation(), fallback);
    if (stored !== null) this.#affinity.note(storedConversation(stored), fallback);
  }
}

/** A model call of a client, while it runs. */
interface ClientCall {
  readonly request: GatewayRequest;
  readonly placed: PlacedRoute;
  readonly account: KeyAccount;
  readonly purse: CallPurse;
  readonly startedAt: number;
  readonly decisions: LedgerDecision[];
  /** Its events, oldest first; empty if it succeeded at once. */
  readonly entries: NewEntry[];
}

function keepRuleOf({ key, inForce }: ClientExchange): KeepRule | null {
  return key?.keep ?? inForce.settings.keep;
}

/** What is kept of a call, without its client's key; null when its owner keeps nothing. */
function keptOf(exchange: ClientExchange, { asked, answer, memory }: GatewayRequest): KeptCall | null {
  const rule = keepRuleOf(exchange);
  if (rule === null || !(rule.prompts || rule.answers)) return null;
  const { secret } = exchange;
  const hidden = <Text extends string | null>(text: Text): Text | string =>
    text === null || secret === null ? text : text.replaceAll(secret, "[redacted]");
  const body = memory.whole?.body ?? null;
  const whole = typeof body === "string" || body === null ? body : new TextDecoder().decode(body);
  return { rule, transcript: { prompt: hidden(asked.bytes.toString("utf8")), answer: hidden(whole ?? answer.text) } };
}

/** Where a chain has this target; -1 when it does not. */
function stepOf(steps: TakenRoute["steps"], id: string, model: string): number {
  return steps.findIndex((one) => isStep(one, id, model));
}

function isStep(step: TakenRoute["steps"][number], id: string, asked: string): boolean {
  return idOf(step, asked) === id;
}

/** A route with the place where this request starts. */
interface PlacedRoute {
  readonly taken: TakenRoute;
  readonly start: number;
  /** Names the conversation; null when nothing depends on it. */
  readonly conversation: (() => Conversation) | null;
  /** All steps that this client may use. */
  readonly all: TakenRoute["steps"];
}

/** A listener that throws must not fail a call. */
function guardedListener(listener: GatewayListener, report: Suppress): Required<GatewayListener> {
  const onBudgetLow = guarded(listener.onBudgetLow ?? nothing, report);
  const onDecided = guarded(listener.onDecided ?? nothing, report);
  const onBreakerOpened = guarded(listener.onBreakerOpened ?? nothing, report);
  const onJournal = guarded(listener.onJournal ?? nothing, report);
  return {
    onBudgetLow: (alert) => void onBudgetLow(alert),
    onDecided: (decision, detail) => void onDecided(decision, detail),
    onBreakerOpened: (alert) => void onBreakerOpened(alert),
    onJournal: (news) => void onJournal(news),
  };
}

/** Sends keep-alives until the returned function is called. */
function startKeepAlive(answer: ClientAnswer, clock: Clock, everyMs: number): () => void {
  let disarm = clock.after(everyMs, beat);
  function beat(): void {
    answer.keepAlive();
    disarm = clock.after(everyMs, beat);
  }
  return () => disarm();
}

const nothing = (): void => undefined;

/** Writes the end of a call to its client. */
function conclude(
  { request, purse, decisions }: ClientCall,
  outcome: Outcome<unknown>,
  now: number,
  scrub: (text: string) => string,
): void {
  const { answer, memory } = request;
  if (answer.isOver) return;
  answer.attempts = outcome.attempts;
  if (hasValue(outcome)) {
    const { whole, head } = memory;
    if (whole !== null) {
      const cost = purse.microcents === 0 ? {} : { "x-faultline-cost-usd": (purse.microcents / 1e8).toFixed(8) };
      return answer.send(whole, whole.body, cost);
    }
    return answer.finish(head ?? { status: 200, headers: {} });
  }
  const { call } = outcome;
  const fault = withReading(withWindow(outcome.fault, purse), request);
  const headers = { ...errorHeaders(fault, now), "x-faultline-call": call };
  const words = errorWords(fault, call, decisions);
  const refused = memory.refused?.fault.code === fault.code ? memory.refused : null;
  // The target's own words are the best explanation of a request that it cannot accept. The page of a proxy in front of it is not, nor what it
  // says about itself.
  const isMistake = words.status === refused?.status && !traitsOf(fault.code).lifts;
  const isOwnWords = refused !== null && isMistake && objectOf(parseJson(refused.body)) !== null;
  if (!answer.isOpen && isOwnWords) {
    // Some targets repeat the request in their refusal, with the gateway's own key.
    return answer.send(refused, scrub(refused.body), headers);
  }
  answer.fail(words, headers);
}

/** Adds what the request needs that no target of another dialect can do. Other faults are returned unchanged. */
function withReading(fault: Fault, request: GatewayRequest): Fault {
  const { expected, model } = fault.context;
  // Reading a request takes time, so only such a request is read.
  const refused = expected === dialectOnly(request.asked.dialect) ? request.read.refused : null;
  if (refused === null) return fault;
  return { ...fault, message: `${String(model)} cannot answer this request: ${refused.slice(0, MOST_REASON)}` };
}

/** Adds what the client can do about a budget that refuses it: wait, or ask for less. Other faults are returned unchanged. */
function withWindow(fault: Fault, purse: CallPurse): Fault {
  const refusing = purse.refusing(countOf(fault.context["estimate"]));
  if (traitsOf(fault.code).cause !== "budget-exceeded" || refusing === null) return fault;
  const isTooDear = !purse.isSpent && fault.context["ran"] !== true;
  const hint = isTooDear ? " A lower max_tokens makes the estimate smaller." : "";
  const { words, endsAt } = refusing;
  const message = `${fault.message}. ${words}${hint}`;
  return endsAt === null ? { ...fault, message } : { ...fault, message, resetAt: endsAt };
}
