// Assembles the shared parts of a runtime.

import { type Fault, suppressed } from "../core/fault/fault.ts";
import type { Rule } from "../core/classify/rule.ts";
import type { Policy } from "../core/policy/policy.ts";
import { BoundedCounters, Bindings } from "./tool/binding.ts";
import type { Engine } from "./engine.ts";
import { Incidents } from "./target/incidents.ts";
import type { Interactors } from "./person/interactors.ts";
import type { ResolvedOptions } from "./options.ts";
import { RetryingStore, type RingRecorder } from "./recorder.ts";
import { SharedState } from "./target/shared-state.ts";
import { Targets } from "./target/targets.ts";
import { type AnyTool, DEFAULT_QUEUE } from "./tool/tool.ts";
import { Wheel } from "./wheel.ts";
import type { Clock } from "../host/clock.ts";

/** What extensions may have added to the options. */
export interface Contributions {
  readonly tools: readonly AnyTool[];
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  /** A policy with the rows that extensions bring, each in its layer. */
  readonly extend: (policy: Policy) => Policy;
}

export interface LiveEngine extends Engine {
  readonly counters: BoundedCounters;
  readonly targets: Targets;
  /** What the targets share with other processes. */
  readonly shared: SharedState;
}

/** Reports an ignored error on the ring, where subscribers see it. */
export function createSuppress(ring: RingRecorder, options: ResolvedOptions): Engine["suppress"] {
  return (seen: Fault, reason: string) => {
    const { type, fault, at } = suppressed(seen, reason, options.clock.now());
    ring.record([{ type, reason, fault }], [], at);
  };
}

export function createEngine(
  options: ResolvedOptions,
  { tools, rules, policy: own, extend }: Contributions,
  interactors: Interactors,
  suppress: Engine["suppress"],
): LiveEngine {
  const { chance, journal, redactor, locale } = options;
  const clock = new RuntimeClock(options.clock, (byMs) => targets.move(byMs));
  const policy = extend(own);
  const shared = new SharedState({ journal, clock, redactor, suppress });
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const overrides = new Map(options.manifests.map((override) => [override.id, override]));
  const counters = new BoundedCounters(options.maxTargets, (id) => byId.has(id));
  const targets = new Targets({
    defaults: { rule: policy.breaker, maxConcurrent: Infinity, maxQueued: DEFAULT_QUEUE, maxPerMinute: Infinity },
    retryBudget: policy.retryBudget,
    maxTargets: options.maxTargets,
    clock,
    changed: (target) => shared.noteBreaker(target),
    paused: (pause) => shared.notePause(pause),
    spent: (provider) => shared.noteSpent(provider),
    evicted: (target) => shared.forgetBreaker(target),
  });
  const incidents = new Incidents((name, noted) => shared.noteIncident(name, noted));
  const find = (id: string): AnyTool | undefined => byId.get(id);
  const run = chance.newId("call");
  let calls = 0;
  const deps = { rules, targets, find, counters, overrides };
  const bindings = new Bindings(policy, deps);
  const ofSessions = new WeakMap<Policy, Bindings>();

  function bindingsFor(given: Policy): Bindings {
    const known = ofSessions.get(given) ?? new Bindings(extend(given), deps);
    ofSessions.set(given, known);
    return known;
  }

  return {
    clock,
    chance,
    journal,
    store: new RetryingStore(journal, { clock, policy, roll: () => chance.roll() }),
    redactor,
    locale,
    interactors,
    suppress,
    incidents,
    counters,
    targets,
    shared,
    wheel: new Wheel(clock),
    bindings,
    bindingsFor,
    find,
    openQuestions: new Map(),
    reserveStart: (target) => shared.reserveStart(target),
    releaseStart: (target, startAt) => shared.releaseStart(target, startAt),
    newCall: () => `${run}.${++calls}`,
  };
}

// The clock of one runtime. When the wall clock was set, it first moves the times that the runtime holds (pauses, breakers,
// outages) and then returns the new time. Code that asks for the time before it looks at one of them compares like
// with like, and pays nothing for it.

class RuntimeClock implements Clock {
  /** How far the wall clock had been set when the times were last moved. */
  shiftMs: number;
  readonly tickMs: number;
  private readonly host: Clock;
  private readonly moveTimes: (byMs: number) => void;

  constructor(host: Clock, moveTimes: (byMs: number) => void) {
    this.host = host;
    this.shiftMs = host.shiftMs;
    this.tickMs = host.tickMs;
    this.moveTimes = moveTimes;
  }

  now(): number {
    const now = this.host.now();
    if (this.host.shiftMs !== this.shiftMs) this.follow();
    return now;
  }

  after(delayMs: number, wake: () => void): () => void {
    return this.host.after(delayMs, wake);
  }

  soon(next: () => void): void {
    this.host.soon(next);
  }

  private follow(): void {
    const byMs = this.host.shiftMs - this.shiftMs;
    this.shiftMs += byMs;
    this.moveTimes(byMs);
  }
}
