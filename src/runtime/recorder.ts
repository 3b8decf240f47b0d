// Where the events of calls go. Outside a session: a ring of the last ones in memory, so that a call costs next to
// nothing and a person can still see what went wrong. Inside: the journal (see `session-recorder.ts`).

import { classify } from "../core/classify/classify.ts";
import type { LearningRedactor, Redactor } from "../core/fault/redact.ts";
import { FaultError, type ItemFault, suppressed, withContext } from "../core/fault/fault.ts";
import type { Entry, JournalEvent } from "../core/record/event.ts";
import { guarded } from "../host/foreign-code.ts";
import type { Journal, Keep, KeepKind } from "../journal/journal.ts";
import type { Cost } from "../core/flow/money.ts";
import type { Binding } from "./tool/binding.ts";
import { decide } from "../core/decide/decide.ts";
import { situation } from "../core/decide/situation.ts";
import { NOWHERE, type Policy } from "../core/policy/policy.ts";
import type { Clock } from "../host/clock.ts";

export interface Recorder {
  /** Empty outside a session. */
  readonly session: string;
  /** Whether it writes to a session's journal. Outside sessions there is only the ring of the last events, and values are not kept. */
  readonly isSession: boolean;
  /** Knows the program's secrets and, in a session, the session's. Everything shown of a call passes through it. */
  readonly redactor: LearningRedactor;
  /** Keeps calls that ended before any listener got an event of them; null while listeners get each event as it happens. */
  readonly quiet: QuietKeeper | null;
  /** Writes events that belong together and happened at `at`. null: nothing to wait for. Rejects when the session cannot continue. */
  record(events: readonly JournalEvent[], keeps: readonly Keep[], at: number): Promise<void> | null;
}

interface QuietKeeper {
  keepCompact(call: CompactCall): void;
}

/** The first event of a call that was kept quietly has the number that is kept with it. */
type Slot = Entry | { readonly seq: number; readonly quiet: CompactCall };

/** Keeps the last events unscrubbed; readers get them scrubbed. */
export class RingRecorder implements Recorder, QuietKeeper {
  readonly session = "";
  readonly isSession = false;
  private readonly size: number;
  readonly redactor: LearningRedactor;
  private readonly slots: Slot[] = [];
  private next = 0;
  private readonly listeners = new Set<(entry: Entry) => unknown>();
  private seq = 0;
  /** When the last event happened that was sent to listeners. */
  private lastAt = 0;
  quiet: QuietKeeper | null = this;

  constructor(size: number, redactor: LearningRedactor) {
    this.size = size;
    this.redactor = redactor;
  }

  keepCompact(quiet: CompactCall): void {
    this.keep({ seq: this.seq + 1, quiet });
    this.seq += COMPACT_EVENTS;
  }

  record(events: readonly JournalEvent[], _keeps: readonly Keep[], at: number): null {
    for (const event of events) {
      const entry: Entry = { session: "", seq: ++this.seq, at, event };
      this.keep(entry);
      if (this.listeners.size > 0) this.tell(entry);
    }
    return null;
  }

  /** The last events, oldest first. */
  recent(): readonly Entry[] {
    const entries = this.slots
      .toSorted((a, b) => a.seq - b.seq)
      .flatMap((slot) => ("quiet" in slot ? expanded(slot) : slot));
    return entries.slice(Math.max(0, entries.length - this.size)).map((entry) => scrubbed(entry, this.redactor));
  }

  /** The listener with its failures suppressed: they must not fail a call. The first one is recorded here. */
  guard(listener: (entry: Entry) => void): (entry: Entry) => void {
    const safe = guarded(listener, (error) => this.recordSuppressed(error));
    return (entry) => void safe(entry);
  }

  /** `listener` must not throw: pass it through `guard` first. */
  subscribe(listener: (entry: Entry) => void): () => void {
    this.listeners.add(listener);
    this.quiet = null;
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size === 0) this.quiet = this;
    };
  }

  private tell(entry: Entry): void {
    const shown = scrubbed(entry, this.redactor);
    this.lastAt = entry.at;
    for (const listener of this.listeners) void listener(shown);
  }

  /** Not sent to listeners: one of them is the one that failed. */
  private recordSuppressed(error: unknown): void {
    const at = this.lastAt;
    const seen = classify({ surface: "node", error, observedAt: at });
    const why =
      "a listener threw; the other listeners and the call continue. Later failures of this listener are not reported";
    const { type, fault, reason } = suppressed(seen, why, at);
    this.keep({ session: "", seq: ++this.seq, at, event: { type, fault, reason } });
  }

  private keep(slot: Slot): void {
    if (this.size === 0) return;
    this.slots[this.next] = slot;
    this.next = (this.next + 1) % this.size;
  }
}

/** The ring, with a listener for the events of one call. */
export class ObservedRecorder implements Recorder {
  readonly session = "";
  readonly isSession = false;
  private readonly ring: RingRecorder;
  private readonly observe: (event: JournalEvent, at: number) => void;

  constructor(ring: RingRecorder, observe: (event: JournalEvent, at: number) => void) {
    this.ring = ring;
    this.observe = observe;
  }

  get redactor(): LearningRedactor {
    return this.ring.redactor;
  }

  get quiet(): QuietKeeper | null {
    return this.ring.quiet;
  }

  record(events: readonly JournalEvent[], keeps: readonly Keep[], at: number): null {
    for (const event of events) this.observe(event, at);
    return this.ring.record(events, keeps, at);
  }
}

function expanded({ seq, quiet }: Exclude<Slot, Entry>): readonly Entry[] {
  return eventsOf(quiet).map(({ at, event }, index) => ({ session: "", seq: seq + index, at, event }));
}

/** The one way out for an event: secrets are taken out of everything that is not a name of ours. */
function scrubbed(entry: Entry, redactor: Redactor): Entry {
  return { ...entry, event: scrubEvent(entry.event, redactor) };
}

/** The fields of events that hold what came from outside; all others are names, numbers and times of our own. */
const FOREIGN_FIELDS = new Set([
  "fault",
  "input",
  "inputs",
  "instruction",
  "params",
  "plan",
  "questions",
  "output",
  "errors",
  "answer",
  "question",
  "labels",
  "manifest",
  "reason",
]);

export function scrubEvent<E extends JournalEvent>(event: E, redactor: Redactor): E {
  let out: Record<string, unknown> | null = null;
  for (const [key, value] of Object.entries(event)) {
    if (!FOREIGN_FIELDS.has(key) || value === null) continue;
    out ??= { ...event };
    out[key] = redactor.value(value);
  }
  return (out as E | null) ?? event;
}

interface CompactCall {
  readonly call: string;
  readonly by: Pick<Binding, "tool" | "counted">;
  /** Infinity for never. */
  readonly deadlineAt: number;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly cost: Cost;
  readonly errors: readonly ItemFault[];
}

interface Happened {
  readonly at: number;
  readonly event: JournalEvent;
}

/** How many events a compact call represents. */
const COMPACT_EVENTS = 3;

function eventsOf({ call, by, deadlineAt, startedAt, endedAt, cost, errors }: CompactCall): readonly Happened[] {
  const attempt = 1;
  const { id: tool } = by.tool;
  const durationMs = endedAt - startedAt;
  const until = Number.isFinite(deadlineAt) ? deadlineAt : null;
  return [
    {
      at: startedAt,
      event: by.counted({ type: "call-started", call, turn: "", tool, digest: "", input: null, deadlineAt: until }),
    },
    { at: startedAt, event: by.counted({ type: "call-admitted", call, tool, attempt }) },
    {
      at: endedAt,
      event: by.counted({ type: "call-succeeded", call, tool, attempt, durationMs, cost, errors, output: null }),
    },
  ];
}

// The store with the policy's retries: an operation that fails is repeated as often and after such waits as the
// table says. Reading is safe to repeat; so is a value that is kept only if there is none.

interface StoreRetryDeps {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly roll: () => number;
}

const STORE = { ...NOWHERE, surface: "store" } as const;

/** Rejects with a FaultError that says how often it was tried. */
export async function withRetries<T>(deps: StoreRetryDeps, ask: (attempt: number) => Promise<T>): Promise<T> {
  const { clock, policy, roll } = deps;
  let waitedMs = 0;
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask(attempt);
    } catch (error) {
      const seen = classify({ surface: "store", error, observedAt: clock.now() });
      const details = { place: STORE, attempt, waitedMs, now: clock.now(), idempotent: true, roll: roll() };
      const decision = decide(situation(seen, details), policy);
      if (decision.recourse !== "retry") throw new FaultError(withContext(seen, { attempt }));
      waitedMs += decision.delayMs;
      await new Promise<void>((resolve) => void clock.after(decision.delayMs, resolve));
    }
  }
}

export class RetryingStore {
  readonly #journal: Journal;
  readonly #deps: StoreRetryDeps;

  constructor(journal: Journal, deps: StoreRetryDeps) {
    this.#journal = journal;
    this.#deps = deps;
  }

  kept(kind: KeepKind, key: string): Promise<unknown> {
    return withRetries(this.#deps, () => this.#journal.kept(kind, key));
  }

  keepFirst(keep: Keep): Promise<boolean> {
    return withRetries(this.#deps, () => this.#journal.keepFirst(keep));
  }

  /** Each entry once, however often the reading had to begin again. */
  async each(session: string, after: number, take: (entry: Entry) => void): Promise<void> {
    let seq = after;
    await withRetries(this.#deps, async () => {
      for await (const entry of this.#journal.read(session, seq)) {
        take(entry);
        seq = entry.seq;
      }
    });
  }
}
