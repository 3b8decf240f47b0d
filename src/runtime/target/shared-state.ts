// Shares what a runtime knows of its targets with the other processes of its journal.
// S1  A change is merged with what the journal has, in one step, so nothing that another process wrote is lost.
// S2  All changes of one value within a turn of the event loop are one write. Calls that succeed at a healthy target write nothing.
// S3  While the runtime lives, it takes over what other processes write. This does not keep a process alive.
// S4  When the store fails, sharing stops; calls continue.
// S5  Calls that wait for their turn at a paced target take it in the journal: all processes together keep the pace. A call waits two seconds
//     for a journal that is away. Then this process keeps the pace for itself, and no other call waits until the journal gives turns again.

import {
  type Breaker,
  mergeBreakers,
  mergePauses,
  NO_PAUSE,
  type Pause,
  type RetryBudget,
} from "../../core/decide/breaker.ts";
import type { Incident } from "../../core/decide/situation.ts";
import { classify } from "../../core/classify/classify.ts";
import { isFaultCode } from "../../core/fault/catalogue.ts";
import { fault, type Fault, type FaultContext } from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import { readField } from "../../core/try-read.ts";
import type { Clock } from "../../host/clock.ts";
import type { Journal, KeepKind } from "../../journal/journal.ts";
import { type Incidents, MAX_FINGERPRINTS } from "./incidents.ts";
import type { LiveTarget, SharedPause } from "./target.ts";
import type { SharedRetryBudget, Targets } from "./targets.ts";

export interface SharedStateOptions {
  readonly journal: Journal;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly suppress: (seen: Fault, reason: string) => void;
}

type Write = () => Promise<unknown>;
type Shared = "breaker" | "pause" | "retries";

/** A breaker that has been closed without failures for this long is removed: every process has read it by then. */
const FORGET_AFTER_MS = 3_600_000;
/** How long a call waits for its turn from the journal. */
const MAX_TURN_WAIT_MS = 2_000;
const LATE = Symbol("the journal has not given a turn in time");

export class SharedState {
  readonly #options: SharedStateOptions;
  readonly #changed = new Map<string, Write>();
  /** The writes that have begun. */
  #writing: Promise<unknown> = Promise.resolve();
  #unwatch: () => void = () => undefined;
  /** Whether the journal failed to give a turn, or has not given it yet. */
  #givesNoTurns = false;
  /** One call asks a journal that gives no turns. */
  #isAsking = false;

  constructor(options: SharedStateOptions) {
    this.#options = options;
  }

  noteIncident(fingerprint: string, noted: readonly Incident[] | null): void {
    const { journal } = this.#options;
    this.#note("incident", fingerprint, () => journal.keep([{ kind: "incident", key: fingerprint, value: noted }]));
  }

  noteBreaker(target: LiveTarget): void {
    const { journal } = this.#options;
    this.#note("breaker", target.id, async () => {
      const { breaker } = target;
      const merge = (there: unknown): unknown => (there === null ? breaker : mergeBreakers(there as Breaker, breaker));
      target.learn((await journal.changeKept("breaker", target.id, merge)) as Breaker);
    });
  }

  /** The runtime evicts a healthy target. The breaker stays in the journal if another process has newer news of it. */
  forgetBreaker({ id, breaker }: LiveTarget): void {
    this.#note("breaker", id, () =>
      this.#options.journal.changeKept("breaker", id, (there) =>
        there === null || mergeBreakers(breaker, there as Breaker) === breaker ? null : there,
      ),
    );
  }

  notePause(pause: SharedPause): void {
    const { journal, redactor } = this.#options;
    this.#note("pause", pause.key, async () => {
      const own = writtenPause(pause.state, redactor);
      const merge = (there: unknown): unknown => (there === null ? own : mergePauses(there as Pause, own));
      pause.learn(readPause(await journal.changeKept("pause", pause.key, merge)));
    });
  }

  noteSpent(budget: SharedRetryBudget): void {
    const { journal } = this.#options;
    this.#note("retries", budget.provider, async () => {
      const used = budget.takeUnshared();
      try {
        const use = (there: unknown): unknown => budget.use(there as RetryBudget | null, used);
        budget.learn((await journal.changeKept("retries", budget.provider, use)) as RetryBudget);
      } catch (error) {
        budget.putBack(used);
        throw error;
      }
    });
  }

  /** When the next call may start. While a limit is nearly reached, all processes of a journal take turns. */
  async reserveStart(target: LiveTarget): Promise<number> {
    const { journal, clock } = this.#options;
    if (target.intervalMs === 0 || !journal.durable) return target.reserveStart(clock.now());
    if (this.#givesNoTurns) {
      const startAt = target.reserveStart(clock.now());
      this.#askAgain(target);
      return startAt;
    }
    const turn = this.#takeTurn(target);
    const late = Promise.withResolvers<typeof LATE>();
    const disarm = clock.after(MAX_TURN_WAIT_MS, () => late.resolve(LATE));
    try {
      const startAt = await Promise.race([turn, late.promise]);
      if (startAt !== LATE) return target.noteStart(startAt);
      this.#givesNoTurns = true;
      this.#giveBack(target, turn);
    } catch (error) {
      this.#givesNoTurns = true;
      this.#suppress(error, "calls are spaced in this process alone");
    } finally {
      disarm();
    }
    return target.reserveStart(clock.now());
  }

  async #takeTurn(target: LiveTarget): Promise<number> {
    const { journal, clock } = this.#options;
    const reserved = await journal.changeKept("pace", target.id, (there) => ({
      at: target.startAfter(Math.max(instantIn(there), target.lastStart), clock.now()),
    }));
    return instantIn(reserved);
  }

  /** Finds out whether the journal gives turns again. No call waits for that. */
  #askAgain(target: LiveTarget): void {
    if (!this.#isAsking) this.#giveBack(target, this.#takeTurn(target));
  }

  /** Gives a turn back that comes too late. It also says that the journal gives turns again. */
  #giveBack(target: LiveTarget, turn: Promise<number>): void {
    this.#isAsking = true;
    void turn
      .then((startAt) => {
        this.#givesNoTurns = false;
        return this.#leaveTurn(target, startAt);
      })
      .catch((error: unknown) => this.#suppress(error, "calls are spaced in this process alone"))
      .finally(() => (this.#isAsking = false));
  }

  /** Gives back a start that is not used. If another call has reserved the one after it, it stays empty. */
  releaseStart(target: LiveTarget, startAt: number): void {
    const { journal } = this.#options;
    target.releaseStart(startAt);
    if (!journal.durable) return;
    const released = this.#leaveTurn(target, startAt).catch((error: unknown) =>
      this.#suppress(error, "a start at a paced target stays unused"),
    );
    this.#writing = Promise.all([this.#writing, released]);
  }

  #leaveTurn(target: LiveTarget, startAt: number): Promise<unknown> {
    return this.#options.journal.changeKept("pace", target.id, (there) =>
      instantIn(there) === startAt ? { at: target.startBefore(startAt) } : there,
    );
  }

  /** Takes over what the journal has, and from now on what other processes write. */
  async begin(targets: Targets, incidents: Incidents): Promise<void> {
    const { journal, clock } = this.#options;
    // A memory journal has no other processes, and nothing in it is older than the runtime.
    if (!journal.durable) return;
    const takeOver = (kind: KeepKind, key: string, value: unknown): void => {
      if (Object.hasOwn(LEARN, kind)) LEARN[kind as Shared](targets, key, value);
    };
    try {
      this.#unwatch = journal.watchKept(SHARED, takeOver);
      for (const kind of SHARED) {
        for (const { key, value } of await journal.keptAll(kind)) {
          if (isOver(kind, value, clock.now())) this.#forget(kind, key);
          else takeOver(kind, key, value);
        }
      }
      const noted = await journal.keptByTime("incident", { order: "newest", limit: MAX_FINGERPRINTS });
      for (const { key, value } of noted.toReversed()) incidents.restore(key, value as readonly Incident[]);
    } catch (error) {
      this.#suppress(error, "calls continue without what other processes know of breakers, pauses and incidents");
    }
  }

  end(): void {
    this.#unwatch();
  }

  /** Writes all pending changes. Resolves when they and those before them are in the journal. */
  async flush(): Promise<void> {
    const writes = Array.from(this.#changed.values(), (write) =>
      write().catch((error: unknown) =>
        this.#suppress(error, "breakers, pauses, retry budgets and incidents stay in memory until they change again"),
      ),
    );
    this.#changed.clear();
    this.#writing = Promise.all([this.#writing, ...writes]);
    await this.#writing;
  }

  #note(kind: KeepKind, key: string, write: Write): void {
    const { journal, clock } = this.#options;
    if (!journal.durable) return;
    if (this.#changed.size === 0) clock.soon(() => void this.flush());
    this.#changed.set(`${kind} ${key}`, write);
  }

  #forget(kind: Shared, key: string): void {
    const { journal, clock } = this.#options;
    this.#note(kind, key, () =>
      journal.changeKept(kind, key, (there) => (isOver(kind, there, clock.now()) ? null : there)),
    );
  }

  #suppress(error: unknown, reason: string): void {
    const { clock, suppress } = this.#options;
    suppress(classify({ surface: "store", error, observedAt: clock.now() }), reason);
  }
}

const LEARN: Readonly<Record<Shared, (targets: Targets, key: string, value: unknown) => void>> = {
  breaker: (targets, key, value) => targets.learnBreaker(key, value as Breaker),
  pause: (targets, key, value) => targets.learnPause(key, readPause(value)),
  retries: (targets, key, value) => targets.learnBudget(key, value as RetryBudget),
};

const SHARED = Object.freeze(Object.keys(LEARN)) as readonly Shared[];

/** No process needs the value any more. */
function isOver(kind: Shared, value: unknown, now: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  const at = readField(value, TIME_FIELD[kind]);
  const isWell = kind !== "breaker" || (readField(value, "state") === "closed" && readField(value, "failures") === 0);
  return isWell && now - (typeof at === "number" ? at : 0) > FORGET_AFTER_MS;
}

/** The field that holds the time of a value. */
const TIME_FIELD: Readonly<Record<Shared, string>> = { breaker: "settledAt", pause: "until", retries: "at" };

function instantIn(value: unknown): number {
  const at = typeof value === "object" && value !== null ? readField(value, "at") : 0;
  return typeof at === "number" ? at : 0;
}

const MAX_MESSAGE = 200;

/** A pause as it is kept: without secrets, stacks and raw answers. */
function writtenPause(pause: Pause, redactor: Redactor): Pause {
  if (pause.fault === null) return pause;
  const { code, message, context } = pause.fault;
  const shown = {
    message: redactor.text(message).slice(0, MAX_MESSAGE),
    context: redactor.value(context) as FaultContext,
  };
  return { ...pause, fault: fault(code, shown) };
}

function readPause(value: unknown): Pause {
  const { until, liftedAt, fault: shown } = { ...NO_PAUSE, ...(value as Partial<Pause>) };
  // A newer version of this program may know more codes.
  return { until, liftedAt, fault: shown === null || isFaultCode(shown.code) ? shown : null };
}
