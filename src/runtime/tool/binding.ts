// A tool within one runtime: with the policy rows, classifier rules and shared state that apply to it here. Sessions may have policies of
// their own; targets, counters and rules are the runtime's, so that all of them share its breakers, pauses and queues.

import { toolKind } from "../option-shapes.ts";
import { classify, DEFAULT_RULES, rulesWith } from "../../core/classify/classify.ts";
import type { Evidence } from "../../core/classify/evidence.ts";
import type { RuleBook } from "../../core/classify/rule-book.ts";
import type { Rule } from "../../core/classify/rule.ts";
import { isFaultCode } from "../../core/fault/catalogue.ts";
import { type Fault, fault, FaultError, isWholeFault, withOrigin } from "../../core/fault/fault.ts";
import type { Place, Policy, Recourse } from "../../core/policy/policy.ts";
import { type EffectivePolicy, effectivePolicy, type PolicyChanges } from "../../core/decide/situation.ts";
import { fingerprint } from "../../core/record/fault-index.ts";
import type { CountedApart } from "../../core/flow/call.ts";
import { createCounters, type ToolCounters } from "../../core/record/metrics.ts";
import { answerAtOnce } from "../../host/foreign-code.ts";
import type { JournalEvent } from "../../core/record/event.ts";
import { accountKey, type SharedRetryBudget, type Targets } from "../target/targets.ts";
import type { LiveTarget, TargetKind } from "../target/target.ts";
import { withOverride, type AnyTool } from "./tool.ts";
import type { ToolOverride } from "../../core/policy/layer.ts";
import { isA, tryRead } from "../../core/try-read.ts";

/** What a runtime's tools share, whatever the policy. */
interface BindingDeps {
  readonly rules: readonly Rule[];
  readonly targets: Targets;
  /** Finds a registered tool. */
  readonly find: (id: string) => AnyTool | undefined;
  readonly counters: BoundedCounters;
  readonly overrides: ReadonlyMap<string, ToolOverride>;
}

/** The tools of one runtime under one policy, each bound once. */
export class Bindings {
  readonly policy: Policy;
  readonly deps: BindingDeps;
  private readonly byTool = new WeakMap<AnyTool, Binding>();
  private last: Binding | null = null;

  constructor(policy: Policy, deps: BindingDeps) {
    this.policy = policy;
    this.deps = deps;
  }

  /** Throws a FaultError when the tool cannot be used. */
  bind(tool: AnyTool): Binding {
    // Most programs use the same tool again and again.
    this.last = (this.last?.tool === tool ? this.last : null) ?? this.byTool.get(tool) ?? this.make(tool);
    return this.last;
  }

  private make(tool: AnyTool): Binding {
    requireTool(tool);
    const override = this.deps.overrides.get(tool.id);
    const binding = new Binding(override === undefined ? tool : withOverride(tool, override), this);
    this.byTool.set(tool, binding);
    this.byTool.set(binding.tool, binding);
    return binding;
  }
}

export class Binding {
  readonly tool: AnyTool;
  readonly place: Place;
  readonly policy: Policy;
  readonly effective: EffectivePolicy;
  readonly changes: PolicyChanges;
  readonly counters: ToolCounters;
  /** Added to its events, where its row in the metrics does not have its name. */
  readonly #apart: CountedApart | null;
  readonly alternatives: readonly AnyTool[];
  /** Nothing has to be read, checked or paid for. */
  isPlain: boolean;
  /** It has a price, or has once reported one. */
  costs: boolean;
  /** What can always be done about a fault of this tool. */
  readonly offers: ReadonlySet<Recourse>;
  readonly #rules: RuleBook;
  /** The tools beside this one, under the same policy. */
  readonly bindings: Bindings;
  readonly #lastFailure = new LastFailure();
  #lastSeen: Fault | null = null;
  #lastName = "";
  #target: LiveTarget;
  #retryBudget: SharedRetryBudget;

  constructor(tool: AnyTool, bindings: Bindings) {
    const { policy, deps } = bindings;
    this.tool = tool;
    this.bindings = bindings;
    this.place = { surface: tool.surface, provider: tool.provider, tool: tool.id, stage: "" };
    const breaker = tool.breaker === null ? policy.breaker : { ...policy.breaker, ...tool.breaker };
    const { retry, learns, member } = tool;
    this.changes = { retry, learns, retryBeforeFallback: member?.retryBeforeFallback ?? null };
    this.effective = effectivePolicy({ ...policy, breaker }, this.place, this.changes);
    this.policy = this.effective.own;
    const rules = [...tool.rules, ...deps.rules];
    this.#rules = rules.length === 0 ? DEFAULT_RULES : rulesWith(rules);
    this.#retryBudget = this.#lookUpRetryBudget();
    const countedAs = deps.counters.rowApart(tool);
    this.#apart = countedAs === null ? null : { countedAs };
    this.counters = deps.counters.get(countedAs ?? tool.id) ?? createCounters();
    deps.counters.set(countedAs ?? tool.id, this.counters);
    this.alternatives = tool.alternatives.map((named) =>
      typeof named === "string" ? known(named, tool.id, deps) : named,
    );
    this.offers = offersOf(tool);
    this.costs = tool.estimate !== null;
    this.isPlain =
      tool.checkInput === null && tool.checkOutput === null && tool.estimate === null && tool.member === null;
    this.#target = this.#lookUp();
  }

  get target(): LiveTarget {
    if (this.#target.evicted) this.#target = this.#lookUp();
    return this.#target;
  }

  get retryBudget(): SharedRetryBudget {
    if (this.#retryBudget.evicted) this.#retryBudget = this.#lookUpRetryBudget();
    return this.#retryBudget;
  }

  #lookUpRetryBudget(): SharedRetryBudget {
    return this.bindings.deps.targets.retryBudget(this.tool.member?.facts.endpoint ?? this.tool.provider);
  }

  #lookUp(): LiveTarget {
    const { target, maxConcurrent, maxQueued, maxPerMinute, member } = this.tool;
    const settings = { rule: this.policy.breaker, maxConcurrent, maxQueued, maxPerMinute };
    return this.bindings.deps.targets.get(
      target,
      settings,
      member === null ? "" : accountKey(member.facts),
      kindOf(this.tool),
    );
  }

  /** The event as it is counted and written. */
  counted<E extends JournalEvent>(event: E): E {
    return this.#apart === null || !("tool" in event) ? event : { ...event, ...this.#apart };
  }

  /** From now on its calls are checked against the budget. */
  noteCost(): void {
    this.costs = true;
    this.isPlain = false;
  }

  /** The most an attempt will cost; null when unknown. */
  estimate(input: unknown, suppress: (fault: Fault, reason: string) => void): number | null {
    return this.#priced(this.tool.estimate, input, suppress);
  }

  /** The cost of an attempt that was sent and reported none; null when unknown. */
  estimateSent(input: unknown, suppress: (fault: Fault, reason: string) => void): number | null {
    return this.#priced(this.tool.estimateSent ?? this.tool.estimate, input, suppress);
  }

  #priced(
    priceOf: AnyTool["estimate"],
    input: unknown,
    suppress: (fault: Fault, reason: string) => void,
  ): number | null {
    if (priceOf === null) return null;
    const microcents = answerAtOnce(
      () => priceOf(input),
      (error) =>
        suppress(classify({ surface: "node", error }), `the cost of a call of tool ${this.tool.id} counts as unknown`),
    );
    return typeof microcents === "number" && microcents >= 0 && Number.isFinite(microcents)
      ? Math.round(microcents)
      : null;
  }

  /** A model is remembered by its failure domains: what helped at one endpoint says nothing about another of the same vendor. */
  get #incidentPlace(): Place {
    return this.tool.member === null ? this.place : { ...this.place, tool: this.tool.target };
  }

  /** The name under which incidents of this kind are remembered. */
  fingerprint(seen: Fault): string {
    const last = this.#lastSeen;
    // A tool in trouble meets the same fault again and again.
    const isSame =
      last !== null &&
      last.code === seen.code &&
      last.evidence.rule === seen.evidence.rule &&
      last.context["status"] === seen.context["status"];
    if (!isSame) {
      this.#lastSeen = seen;
      this.#lastName = fingerprint(seen, this.#incidentPlace);
    }
    return this.#lastName;
  }

  /** Classifies a failure that was seen elsewhere. */
  classifySeen(evidence: Omit<Evidence, "surface" | "provider">, now: number): Fault {
    const { surface, provider } = this.tool;
    return classify({ observedAt: now, ...evidence, surface, provider }, this.#rules);
  }

  /** Classifies the failure. The tool's own `classify` overrides the classifier. */
  classify(error: unknown, now: number, suppress: (fault: Fault, reason: string) => void): Fault {
    const { surface, provider } = this.tool;
    const known = this.#lastFailure.faultOf(error);
    const seen = known ?? classify({ surface, provider, error, aborted: false, observedAt: now }, this.#rules);
    if (known === null) this.#lastFailure.note(error, seen);
    if (this.tool.classify === null) return seen;
    const own = answerAtOnce(
      () => this.#runHook(error, seen),
      (thrown) =>
        suppress(
          classify({ surface: "node", error: thrown }),
          `the classify hook of tool ${this.tool.id} failed; the fault stays as seen`,
        ),
    );
    return own ?? seen;
  }

  /** Throws when the tool's `classify` returns something else than a fault or a code. */
  #runHook(error: unknown, seen: Fault): Fault | undefined {
    const own: unknown = this.tool.classify?.(error, seen);
    // A promise is refused by the caller.
    if (own === undefined || own instanceof Promise) return own as undefined;
    if (isWholeFault(own)) return withOrigin(own, own.evidence.origin ?? seen.evidence.origin);
    if (!isFaultCode(own)) throw new TypeError("it returned neither a fault code nor a fault");
    const { message, context, retryAfterMs, resetAt } = seen;
    const evidence = { ...seen.evidence, rule: `tool/${this.tool.id}` };
    return fault(own, { message, context, retryAfterMs, resetAt, evidence });
  }
}

/** A tool that stands alone is what its surface says; the members of chains that speak HTTP are models. */
function kindOf({ surface, member }: AnyTool): TargetKind {
  if (surface === "cli" || surface === "mcp") return surface;
  if (surface !== "http" && surface !== "sse") return "tool";
  return member === null ? "http" : "model";
}

function known(id: string, tool: string, { find }: BindingDeps): AnyTool {
  const found = find(id);
  if (found !== undefined) return found;
  throw new FaultError(
    fault("ConfigSchemaViolation", {
      message: `tool ${tool} names the alternative ${id}, which is not registered: pass it to createFaultline({ tools })`,
      context: { tool, field: "alternatives", expected: id },
    }),
  );
}

function offersOf(tool: AnyTool): ReadonlySet<Recourse> {
  const offers = new Set<Recourse>(["surface", "fail"]);
  if (tool.fallbackValue !== null) offers.add("default");
  if (tool.optional) offers.add("skip");
  if (tool.member === null) return offers;
  const { members, repairs } = tool.member.chain;
  if (members.length > 1) offers.add("fallback");
  if (repairs.compact !== null) offers.add("compact");
  if (repairs.regenerate !== null) offers.add("regenerate");
  if (repairs.refresh !== null) offers.add("refresh-credential");
  return offers;
}

/** A function is not a tool: without an id nothing could be said about its failures. */
function requireTool(given: unknown): void {
  if (toolKind.fits(given)) return;
  const kind = typeof given;
  const got = given === undefined ? "nothing" : given === null ? "null" : `${kind === "object" ? "an" : "a"} ${kind}`;
  const message = `protect needs a tool, and got ${got}: wrap it, as in tool({ id: "search", run: search })`;
  throw new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "tool" } }));
}

// The last error a tool threw and its fault: a failing tool throws the same error again and again, and classifying it again
// costs more than the rest of a retry. Only errors whose every part can be compared are remembered, and only if their
// fault does not depend on when it was seen. An error that carries its fault, or hides parts of itself, is classified each time.

type Fields = Readonly<Record<string, unknown>>;

const MAX_FIELDS = 6;

export class LastFailure {
  #fault: Fault | null = null;
  #prototype: object | null = null;
  #message = "";
  #keys: readonly string[] = [];
  #values: readonly unknown[] = [];

  /** The fault of the last failure if this error equals it; null otherwise. */
  faultOf(error: unknown): Fault | null {
    if (this.#fault === null || !isA(error, Error)) return null;
    return tryRead(() => this.#matches(error), false) ? this.#fault : null;
  }

  note(error: unknown, seen: Fault): void {
    this.#fault = null;
    if (!isA(error, Error) || seen.retryAfterMs !== undefined || seen.resetAt !== undefined) return;
    tryRead(() => this.#take(error, seen), undefined);
  }

  #take(error: Error, seen: Fault): void {
    const keys = Object.keys(error);
    const values = keys.map((key) => (error as unknown as Fields)[key]);
    const prototype = Object.getPrototypeOf(error) as object;
    // What lies deeper, or behind a getter, may differ without showing here.
    if (keys.length > MAX_FIELDS || error.cause !== undefined || !values.every(isPlain)) return;
    if (hidesParts(error, keys) || hasGetters(prototype)) return;
    this.#fault = seen;
    this.#prototype = prototype;
    this.#message = error.message;
    this.#keys = keys;
    this.#values = values;
  }

  #matches(error: Error): boolean {
    if (error.message !== this.#message || Object.getPrototypeOf(error) !== this.#prototype) return false;
    const keys = Object.keys(error);
    return (
      keys.length === this.#keys.length &&
      !hidesParts(error, keys) &&
      keys.every((key, index) => key === this.#keys[index] && (error as unknown as Fields)[key] === this.#values[index])
    );
  }
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === undefined;
}

/** Such as the fault of a FaultError or the errors of an AggregateError. */
function hidesParts(error: Error, shown: readonly string[]): boolean {
  const own = Object.getOwnPropertyNames(error);
  return own.filter((name) => name !== "stack" && name !== "message").length > shown.length;
}

/** Such as the name of a DOMException. */
function hasGetters(prototype: object): boolean {
  if (prototype === Error.prototype) return false;
  const own = Object.values(Object.getOwnPropertyDescriptors(prototype));
  return own.some((part) => part.get !== undefined) || hasGetters(Object.getPrototypeOf(prototype) as object);
}

// The counters of all tools, bounded in number: tool names may come from a model, so there may be any number of them.
// B1  A tool the program has registered always has counters of its own; of the others, the first ones have.
// B2  Two targets are never counted in one row of their own, even if their names are equal.
// B3  What all further tools do is counted in one row of its own: no number is lost, only whose it was.

/** The row of the tools that have none of their own. */
export const OTHER_TOOLS = "(other tools)";

const MAX_ROWS_OF_TARGET = 20;

export class BoundedCounters extends Map<string, ToolCounters> {
  readonly #most: number;
  readonly #isRegistered: (id: string) => boolean;
  #others: ToolCounters | null = null;
  /** The target that was counted first under each name. */
  readonly #firstOf = new Map<string, string>();
  /** The rows in which calls to each target are counted. */
  readonly #rowsOf = new Map<string, Set<string>>();
  /** How many rows unregistered tools have. */
  #given = 0;

  constructor(most: number, isRegistered: (id: string) => boolean) {
    super();
    this.#most = most;
    this.#isRegistered = isRegistered;
  }

  /**
   * The row of a model, an agent CLI or a client that is not the first target of its name: its name and its failure domains. null: the row
   * has the tool's own name. Programs often leave names out, and then `openai/gpt-5` at two addresses has one.
   */
  rowApart(tool: AnyTool): string | null {
    const apart = this.#rowApart(tool);
    this.#note(tool.target, apart ?? tool.id);
    return apart;
  }

  #rowApart({ id, target, member }: AnyTool): string | null {
    if (member === null) return null;
    const first = this.#firstOf.get(id) ?? target;
    if (this.#firstOf.size < this.#most) this.#firstOf.set(id, first);
    return first === target ? null : `${id} (${target})`;
  }

  #note(target: string, row: string): void {
    const rows = this.#rowsOf.get(target);
    if (rows === undefined) {
      if (this.#rowsOf.size < this.#most) this.#rowsOf.set(target, new Set([row]));
    } else if (rows.size < MAX_ROWS_OF_TARGET) rows.add(row);
  }

  /** The names of the rows in which calls to a target are counted, the first ones. */
  rowsOf(target: string): readonly string[] {
    return [...(this.#rowsOf.get(target) ?? [])];
  }

  /** Once all rows are given, a tool without one has that of the others. */
  override get(id: string): ToolCounters | undefined {
    const own = super.get(id);
    if (own !== undefined || this.#given < this.#most || this.#isRegistered(id)) return own;
    if (this.#others === null) {
      this.#others = super.get(OTHER_TOOLS) ?? createCounters();
      super.set(OTHER_TOOLS, this.#others);
    }
    return this.#others;
  }

  override set(id: string, counters: ToolCounters): this {
    // `get` has already decided which row counts it.
    if (counters === this.#others) return this;
    if (!this.has(id) && !this.#isRegistered(id)) this.#given += 1;
    return super.set(id, counters);
  }
}
