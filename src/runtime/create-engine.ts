// Assembles the shared parts of a runtime and keeps in the journal what must outlive the process.

import type { Breaker } from "../core/decide/breaker.ts";
import type { Incident } from "../core/decide/situation.ts";
import type { Fault } from "../core/fault/fault.ts";
import { suppressed } from "../core/fault/suppressed.ts";
import { classify } from "../core/classify/classify.ts";
import type { Rule } from "../core/classify/rule.ts";
import type { Policy } from "../core/policy/policy.ts";
import type { Keep } from "../journal/journal.ts";
import { BoundedCounters } from "./bounded-counters.ts";
import { Bindings } from "./tool/binding.ts";
import type { Engine } from "./engine.ts";
import { Incidents, MAX_FINGERPRINTS } from "./target/incidents.ts";
import type { Interactors } from "./person/interactors.ts";
import type { ResolvedOptions } from "./options.ts";
import { RetryingStore } from "./retrying-store.ts";
import { RingRecorder } from "./recorder.ts";
import { RuntimeClock } from "./runtime-clock.ts";
import { Targets } from "./target/targets.ts";
import { type AnyTool, DEFAULT_QUEUE } from "./tool/tool.ts";
import { Wheel } from "./wheel.ts";

/** What extensions may have added to the options. */
export interface Contributions {
  readonly tools: readonly AnyTool[];
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  /** A policy with the rows that extensions bring, each in its layer. */
  readonly extend: (policy: Policy) => Policy;
}

export interface LiveEngine extends Engine {
  /** Writes all pending changes. */
  readonly flush: () => Promise<void>;
  readonly targets: Targets;
}

export function createRing({ maxRecent, redactor }: ResolvedOptions): RingRecorder {
  return new RingRecorder(maxRecent, redactor);
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
  ring: RingRecorder,
  interactors: Interactors,
  suppress: Engine["suppress"],
): LiveEngine {
  const { chance, journal, redactor, locale } = options;
  const clock = new RuntimeClock(options.clock, (byMs) => targets.move(byMs));
  const policy = extend(own);
  const keeper = new Keeper(options, suppress);
  const byId = new Map(tools.map((tool) => [tool.id, tool]));
  const overrides = new Map(options.manifests.map((override) => [override.id, override]));
  const counters = new BoundedCounters(options.maxTargets, (id) => byId.has(id));
  const targets = new Targets({
    defaults: { rule: policy.breaker, maxConcurrent: Infinity, maxQueued: DEFAULT_QUEUE },
    retryBudget: policy.retryBudget,
    maxTargets: options.maxTargets,
    clock,
    // A healthy target need not be remembered.
    changed: ({ id, breaker, hasFailures }) =>
      keeper.keep("breaker", id, breaker.state === "closed" && !hasFailures ? null : breaker),
    evicted: (id) => keeper.keep("breaker", id, null),
  });
  const incidents = new Incidents((name, noted) => keeper.keep("incident", name, noted));
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
    ring,
    interactors,
    suppress,
    incidents,
    counters,
    targets,
    flush: () => keeper.flush(),
    wheel: new Wheel(clock),
    bindings,
    bindingsFor,
    find,
    openQuestions: new Map(),
    newCall: () => `${run}.${++calls}`,
  };
}

/** What the journal kept from an earlier life of the program. */
export async function restore({ journal, targets, incidents, clock, suppress }: LiveEngine): Promise<void> {
  try {
    for (const { key, value } of await journal.keptAll("breaker")) targets.restore(key, value as Breaker);
    const noted = await journal.keptByTime("incident", { order: "newest", limit: MAX_FINGERPRINTS });
    for (const { key, value } of noted.toReversed()) incidents.restore(key, value as readonly Incident[]);
  } catch (error) {
    const seen = classify({ surface: "store", error, observedAt: clock.now() });
    suppress(seen, "calls continue without the memory of breakers and incidents");
  }
}

/** Writes changes once per turn of the event loop, the last value only; a memory journal needs none of it. */
class Keeper {
  readonly #options: ResolvedOptions;
  readonly #suppress: Engine["suppress"];
  readonly #changed = new Map<string, Keep>();

  constructor(options: ResolvedOptions, suppress: Engine["suppress"]) {
    this.#options = options;
    this.#suppress = suppress;
  }

  keep(kind: "breaker" | "incident", key: string, value: unknown): void {
    const { journal, clock } = this.#options;
    if (!journal.durable) return;
    if (this.#changed.size === 0) clock.soon(() => void this.flush());
    this.#changed.set(`${kind} ${key}`, { kind, key, value });
  }

  async flush(): Promise<void> {
    const { journal, clock } = this.#options;
    const keeps = [...this.#changed.values()];
    this.#changed.clear();
    if (keeps.length === 0) return;
    await journal.keep(keeps).catch((error: unknown) => {
      const seen = classify({ surface: "store", error, observedAt: clock.now() });
      this.#suppress(seen, "breakers and incidents are kept in memory until they change again");
    });
  }
}
