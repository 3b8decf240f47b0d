// The cancel tree: session > turn > call. Cancelling a scope cancels its members, never its parent.
// S1  Members of a scope are cancelled once, in the order in which they joined.
// S2  One listener per caller's signal, whatever the number of calls, because listeners on one signal make each launch slower.
// S3  Members are in a list, not in a Set: V8 links each table that a Set outgrows to the next one. Once one of them is in the old space,
//     all that follow survive until a full collection, with the calls in them.
// S4  A scope that was cancelled stays cancelled, and cancels new members at once.

import type { CancelScope } from "../core/classify/evidence.ts";
import { fault, type Fault, FaultError } from "../core/fault/fault.ts";
import type { FaultCode } from "../core/fault/catalogue.ts";
import { isA, tryRead } from "../core/try-read.ts";
import { type Clock, Moment } from "../host/clock.ts";

/** Something that can be cancelled: a call, a wait, another scope. */
interface Cancellable {
  cancel(why: Fault): void;
}

const CODE_OF_SCOPE: Readonly<Record<CancelScope, FaultCode>> = {
  session: "SessionCancelled",
  turn: "TurnCancelled",
  tool: "ToolCancelled",
};

export class Scope implements Cancellable {
  readonly kind: CancelScope;
  readonly #parent: Scope | null;
  readonly #members: Cancellable[] = [];
  #cancelled: Fault | null = null;

  constructor(kind: CancelScope, parent: Scope | null) {
    this.kind = kind;
    this.#parent = parent;
    if (parent !== null) parent.add(this);
  }

  get cancelled(): Fault | null {
    return this.#cancelled;
  }

  get size(): number {
    return this.#members.length;
  }

  add(member: Cancellable): void {
    if (this.#cancelled !== null) member.cancel(this.#cancelled);
    else this.#members.push(member);
  }

  remove(member: Cancellable): void {
    const at = this.#members.indexOf(member);
    if (at !== -1) this.#members.splice(at, 1);
  }

  /** The scope is over without having been cancelled. */
  leave(): void {
    this.#parent?.remove(this);
  }

  cancel(why: Fault): void {
    if (this.#cancelled !== null) return;
    this.#cancelled = why;
    this.leave();
    for (let member = this.#members.shift(); member !== undefined; member = this.#members.shift()) member.cancel(why);
  }
}

/** The fault of a cancelled scope. The reason comes from the caller, and operators read it. */
export function cancellation(kind: CancelScope, reason: string): Fault {
  return fault(CODE_OF_SCOPE[kind], { message: reason === "" ? "cancelled by the caller" : reason });
}

/** A scope within another that a caller's signal can also cancel. It is removed once its members have ended. */
export function scopeWithin(parent: Scope, signal: AbortSignal): { readonly scope: Scope; readonly leave: () => void } {
  const scope = new Scope("tool", parent);
  const bySignal = scopeOfSignal(signal);
  bySignal.add(scope);
  return {
    scope,
    leave: () => {
      scope.leave();
      bySignal.remove(scope);
    },
  };
}

/** One scope per caller's signal, kept as long as the signal is reachable. */
const SCOPE_OF_SIGNAL = new WeakMap<AbortSignal, Scope>();

export function scopeOfSignal(signal: AbortSignal): Scope {
  if (!(signal instanceof AbortSignal)) {
    const message = "signal is not an AbortSignal; pass `controller.signal`, not the controller";
    throw new FaultError(fault("ShapeInvalid", { message, context: { field: "signal" } }));
  }
  let scope = SCOPE_OF_SIGNAL.get(signal);
  if (scope === undefined) {
    const made = new Scope("tool", null);
    scope = made;
    SCOPE_OF_SIGNAL.set(signal, made);
    const fire = (): void => made.cancel(cancellation("tool", reasonOf(signal)));
    if (signal.aborted) fire();
    else signal.addEventListener("abort", fire, { once: true });
  }
  return scope;
}

/** The caller's own reason; empty for Node's default reason. */
function reasonOf(signal: AbortSignal): string {
  const reason: unknown = signal.reason;
  if (typeof reason === "string") return reason;
  const isPlainAbort = isA(reason, DOMException) && reason.name === "AbortError";
  return isA(reason, Error) && !isPlainAbort ? tryRead(() => reason.message, "") : "";
}

// Something that waits and can be cancelled while it does: the wait then ends at once.

export class Interruptible implements Cancellable {
  cancelled: Fault | null = null;
  /** Ends the wait it is in; null when it is in none. */
  wake: (() => void) | null = null;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** For code that reads it twice: the compiler assumes that `cancelled` keeps the value it was read with. */
  get isCancelled(): boolean {
    return this.cancelled !== null;
  }

  cancel(why: Fault): void {
    this.cancelled ??= why;
    this.wake?.();
  }

  /** Waits; false when it was cancelled meanwhile. */
  async waitUntil(at: number): Promise<boolean> {
    const { clock } = this;
    const until = new Moment(clock, at);
    while (clock.now() < until.at && this.cancelled === null) await this.waitOnce(until.at);
    return this.cancelled === null;
  }

  /** Waits until then, or until `wake` is called. Cancelled, it does not wait. */
  async waitOnce(at: number): Promise<void> {
    await this.within(new Promise<never>(() => undefined), at);
  }

  /** Waits for `work`. null: the time is up, `wake` was called, or it was cancelled before the work was done. */
  async within<T>(work: Promise<T>, at: number): Promise<T | null> {
    const { clock } = this;
    let disarm: () => void = () => undefined;
    const left = new Promise<null>((resolve) => {
      if (this.cancelled !== null) return resolve(null);
      if (Number.isFinite(at)) disarm = clock.after(at - clock.now(), () => resolve(null));
      this.wake = () => resolve(null);
    });
    try {
      return await Promise.race([work, left]);
    } finally {
      disarm();
      this.wake = null;
    }
  }
}
