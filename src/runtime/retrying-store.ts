// The store with the policy's retries: an operation that fails is repeated as often and after such waits as the
// table says. Reading is safe to repeat; so is a value that is kept only if there is none.

import { classify } from "../core/classify/classify.ts";
import { decide } from "../core/decide/decide.ts";
import { situation } from "../core/decide/situation.ts";
import { FaultError } from "../core/fault/fault-error.ts";
import { withContext } from "../core/fault/fault.ts";
import { NOWHERE, type Policy } from "../core/policy/policy.ts";
import type { Entry } from "../core/record/event.ts";
import type { Clock } from "../host/clock.ts";
import type { Journal, Keep, KeepKind } from "../journal/journal.ts";

export interface StoreRetryDeps {
  readonly clock: Clock;
  readonly policy: Policy;
  readonly roll: () => number;
}

const STORE = { ...NOWHERE, surface: "store" } as const;

/** Rejects with a FaultError that says how often it was tried. */
export async function withRetries<T>(busyRetry: StoreRetryDeps, ask: (attempt: number) => Promise<T>): Promise<T> {
  const { clock, policy, roll } = busyRetry;
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
  readonly #busyRetry: StoreRetryDeps;

  constructor(journal: Journal, busyRetry: StoreRetryDeps) {
    this.#journal = journal;
    this.#busyRetry = busyRetry;
  }

  kept(kind: KeepKind, key: string): Promise<unknown> {
    return withRetries(this.#busyRetry, () => this.#journal.kept(kind, key));
  }

  keepFirst(keep: Keep): Promise<boolean> {
    return withRetries(this.#busyRetry, () => this.#journal.keepFirst(keep));
  }

  /** Each entry once, however often the reading had to begin again. */
  async each(session: string, after: number, take: (entry: Entry) => void): Promise<void> {
    let seq = after;
    await withRetries(this.#busyRetry, async () => {
      for await (const entry of this.#journal.read(session, seq)) {
        take(entry);
        seq = entry.seq;
      }
    });
  }
}
