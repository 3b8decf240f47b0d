// Retry, breaker and timeout written by hand for this one use: the least they can cost. It uses every trick that makes them cheap:
// values instead of exceptions for refusals, an abort signal created only on demand, one timer for all deadlines, counters as numbers.
// It classifies with one lookup in a set, records nothing and explains nothing.

import type { Ending, Guarded, Settings, Settled, Work } from "./subject.ts";

type Outcome =
  | { readonly status: "done"; readonly value: number }
  | { readonly status: "failed"; readonly error: unknown }
  | { readonly status: "refused" };

const REFUSED: Outcome = { status: "refused" };
const TIMED_OUT = new Error("timed out");
const LATE: Outcome = { status: "failed", error: TIMED_OUT };
const LIFTS = new Set<unknown>(["ECONNRESET", "ECONNREFUSED", "ETIMEDOUT", "EPIPE"]);
const TICK_MS = 20;

export function guardByHand(work: Work, { maxAttempts, timeoutMs, failuresToOpen, openMs }: Settings): Guarded {
  const deadlines = new Deadlines(timeoutMs);
  let failures = 0;
  let openUntil = 0;
  let generation = 0;

  /** After the open time one call may go. The others are refused for the same time again, so a probe that hangs blocks no call forever. */
  function admit(): boolean {
    if (openUntil === 0) return true;
    const now = Date.now();
    if (now < openUntil) return false;
    openUntil = now + openMs;
    return true;
  }

  function count(ok: boolean, admittedIn: number): void {
    if (admittedIn !== generation) return;
    if (ok) {
      failures = 0;
      openUntil = 0;
    } else if (++failures >= failuresToOpen && openUntil === 0) {
      openUntil = Date.now() + openMs;
      generation++;
    }
  }

  async function call(): Promise<Outcome> {
    if (!admit()) return REFUSED;
    const admittedIn = generation;
    for (let attempt = 1; ; attempt++) {
      const outcome = await runWithin(deadlines, work);
      const ok = outcome.status === "done";
      if (!ok && attempt < maxAttempts && liftsByItself(outcome)) continue;
      count(ok, admittedIn);
      return outcome;
    }
  }

  return { call, endingOf };
}

function liftsByItself(outcome: Outcome): boolean {
  if (outcome.status !== "failed") return false;
  const { error } = outcome;
  return error instanceof Error && "code" in error && LIFTS.has(error.code);
}

/** Always resolves: passing on a value costs less than rethrowing an exception. */
function runWithin(deadlines: Deadlines, work: Work): Promise<Outcome> {
  return new Promise((resolve) => {
    const attempt = deadlines.start(resolve);
    work(attempt).then(
      (value) => {
        attempt.leave();
        resolve({ status: "done", value });
      },
      (error: unknown) => {
        attempt.leave();
        resolve({ status: "failed", error });
      },
    );
  });
}

/** A ring of attempts in the order they will time out, since all have the same time; one timer looks at its head. */
class Deadlines {
  readonly #timeoutMs: number;
  readonly #ring = new Attempt(0, null);
  #ticking = false;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  start(tell: (outcome: Outcome) => void): Attempt {
    const attempt = new Attempt(Date.now() + this.#timeoutMs, tell);
    attempt.enterBefore(this.#ring);
    if (!this.#ticking) this.#tickLater();
    return attempt;
  }

  #tickLater(): void {
    this.#ticking = true;
    setTimeout(() => {
      const now = Date.now();
      while (this.#ring.next !== this.#ring && this.#ring.next.endsAt <= now) this.#ring.next.expire();
      if (this.#ring.next === this.#ring) this.#ticking = false;
      else this.#tickLater();
    }, TICK_MS);
  }
}

class Attempt {
  readonly endsAt: number;
  next: Attempt = this;
  #previous: Attempt = this;
  #controller: AbortController | null = null;
  readonly #tell: ((outcome: Outcome) => void) | null;

  constructor(endsAt: number, tell: ((outcome: Outcome) => void) | null) {
    this.endsAt = endsAt;
    this.#tell = tell;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  enterBefore(other: Attempt): void {
    this.next = other;
    this.#previous = other.#previous;
    this.#previous.next = this;
    other.#previous = this;
  }

  /** Leaving twice does no harm. */
  leave(): void {
    this.#previous.next = this.next;
    this.next.#previous = this.#previous;
    this.next = this;
    this.#previous = this;
  }

  expire(): void {
    this.leave();
    this.#controller?.abort(TIMED_OUT);
    this.#tell?.(LATE);
  }
}

function endingOf(settled: Settled): Ending {
  if ("error" in settled) return "failed";
  const outcome = settled.value as Outcome;
  return outcome.status === "failed" && outcome.error === TIMED_OUT ? "timed-out" : outcome.status;
}
