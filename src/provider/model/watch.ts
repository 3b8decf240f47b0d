// The clock over one attempt at a model: headers, first token, and silence between parts, each with its own limit and its own
// words, because what to do about them differs. One timer, moved only when it fires: a stream has thousands of parts.

import { fault, type Fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";

export interface Timeouts {
  /** Until the response begins. */
  readonly headersMs: number;
  /** From the start until the first content. */
  readonly firstTokenMs: number;
  /** Between two parts that bring the answer forward; keep-alives do not count. */
  readonly idleMs: number;
  /** The whole attempt. */
  readonly totalMs: number;
}

type Phase = "headers" | "firstToken" | "idle";

const LIMIT_OF = { headers: "headersMs", firstToken: "firstTokenMs", idle: "idleMs" } as const;
const SAYS: Readonly<Record<Phase, (limitMs: number) => string>> = {
  headers: (limitMs) => `no response began within ${limitMs} ms`,
  firstToken: (limitMs) => `nothing of the answer came within ${limitMs} ms`,
  idle: (limitMs) => `the stream was silent for ${limitMs} ms`,
};

export class Watch {
  readonly #clock: Clock;
  readonly #timeouts: Timeouts;
  readonly #expired: (fault: Fault) => void;
  readonly #startedAt: number;
  #phase: Phase = "headers";
  /** When it is too late; Infinity while nobody waits. */
  #dueAt: number;
  /** How long may be waited when somebody waits again. */
  #leftMs = Infinity;
  /** When the timer goes off; Infinity when there is none. */
  #armedFor = Infinity;
  #disarm: () => void = () => undefined;

  constructor(clock: Clock, timeouts: Timeouts, expired: (fault: Fault) => void) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#expired = expired;
    this.#startedAt = clock.now();
    this.#dueAt = this.#startedAt + timeouts.headersMs;
    this.#arm();
  }

  headers(): void {
    this.#phase = "firstToken";
    this.#dueAt = this.#startedAt + this.#timeouts.firstTokenMs;
    this.#arm();
  }

  /** Content has come: the next may take its time again, from when it is waited for. */
  progress(): void {
    this.#phase = "idle";
    this.#leftMs = this.#timeouts.idleMs;
    this.#dueAt = Infinity;
  }

  /** The caller does not want more yet: that is not the upstream's silence. */
  hold(): void {
    if (this.#dueAt === Infinity) return;
    this.#leftMs = this.#dueAt - this.#clock.now();
    this.#dueAt = Infinity;
  }

  /** More is waited for. */
  wait(): void {
    if (this.#dueAt !== Infinity) return;
    this.#dueAt = this.#clock.now() + this.#leftMs;
    this.#arm();
  }

  stop(): void {
    this.#disarm();
  }

  /** A timer that goes off too early looks again; only one that would go off too late is moved. */
  #arm(): void {
    if (this.#dueAt >= this.#armedFor) return;
    this.#disarm();
    this.#armedFor = this.#dueAt;
    this.#disarm = this.#clock.after(this.#dueAt - this.#clock.now(), () => {
      this.#armedFor = Infinity;
      if (this.#clock.now() < this.#dueAt) this.#arm();
      else this.#expired(this.#late());
    });
  }

  #late(): Fault {
    const limitMs = this.#timeouts[LIMIT_OF[this.#phase]];
    return fault("NetworkTimeout", {
      message: SAYS[this.#phase](limitMs),
      context: { phase: this.#phase, limit: limitMs },
    });
  }
}
