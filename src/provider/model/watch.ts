// The timeouts of one attempt at a model: headers, first token, and silence between parts. Each has its own limit and message, because
// each needs a different reaction. There is one timer, and it is moved only when it fires: a stream has thousands of parts.

import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import { group, positive, shape } from "../../options/check-options.ts";
import type { ModelFacts } from "../model-facts/facts-for.ts";

type Phase = "headers" | "firstToken" | "idle" | "thinking";

const LIMIT_OF = { headers: "headersMs", firstToken: "firstTokenMs", idle: "idleMs", thinking: "thinkingMs" } as const;
const SAYS: Readonly<Record<Phase, (limitMs: number) => string>> = {
  headers: (limitMs) => `no response began within ${limitMs} ms`,
  firstToken: (limitMs) => `no content arrived within ${limitMs} ms`,
  idle: (limitMs) => `the stream was silent for ${limitMs} ms`,
  thinking: (limitMs) => `the stream was silent for ${limitMs} ms while the model was thinking`,
};

/** Timers are set early by this fraction of their delay (1/100), because they may fire late by a smaller one. */
const EARLY_SHARE = 100;

export class Watch {
  private readonly clock: Clock;
  private readonly timeouts: Timeouts;
  private readonly setAlarm: RunContext["alarm"];
  private readonly expired: (fault: Fault) => void;
  private readonly startedAt: number;
  private phase: Phase;
  /** The deadline; Infinity while the reader is not waiting. */
  private dueAt: number;
  /** The time left when the reader waits again. */
  private leftMs = Infinity;
  /** When the timer fires; Infinity if none is set. */
  private armedFor = Infinity;

  constructor(clock: Clock, timeouts: Timeouts, { alarm }: RunContext, expired: (fault: Fault) => void) {
    this.clock = clock;
    this.timeouts = timeouts;
    this.setAlarm = alarm;
    this.expired = expired;
    this.startedAt = steadyNow(clock);
    // Some SDKs report a response only with its first event, so the first-token limit applies from the start.
    this.phase = timeouts.firstTokenMs < timeouts.headersMs ? "firstToken" : "headers";
    this.dueAt = this.startedAt + this.timeouts[LIMIT_OF[this.phase]];
    this.arm(this.startedAt);
  }

  /** The first token is never due before the headers were, so the timer that is set fires in time and checks again. */
  headers(): void {
    this.phase = "firstToken";
    this.dueAt = this.startedAt + this.timeouts.firstTokenMs;
  }

  /** Content arrived. The limit for the next part starts when the reader waits for it. */
  progress(isThinking: boolean): void {
    this.phase = isThinking ? "thinking" : "idle";
    this.leftMs = isThinking ? this.timeouts.thinkingMs : this.timeouts.idleMs;
    this.dueAt = Infinity;
  }

  /** Pauses the clock: the caller does not want more yet, so the upstream is not at fault. */
  hold(): void {
    if (this.dueAt === Infinity) return;
    this.leftMs = this.dueAt - steadyNow(this.clock);
    this.dueAt = Infinity;
  }

  /** The reader waits for more. */
  wait(): void {
    if (this.dueAt !== Infinity) return;
    const now = steadyNow(this.clock);
    this.dueAt = now + this.leftMs;
    this.arm(now);
  }

  /** A timer that fires early checks again. Only one that would fire too late is reset. */
  private arm(now: number): void {
    if (this.dueAt >= this.armedFor) return;
    this.armedFor = this.dueAt - Math.floor((this.dueAt - now) / EARLY_SHARE);
    this.setAlarm(this.armedFor - now, () => this.look());
  }

  private look(): void {
    this.armedFor = Infinity;
    const now = steadyNow(this.clock);
    if (now < this.dueAt) this.arm(now);
    else this.expired(this.late());
  }

  private late(): Fault {
    const limitMs = this.timeouts[LIMIT_OF[this.phase]];
    return fault("NetworkTimeout", {
      message: SAYS[this.phase](limitMs),
      context: { phase: this.phase, limit: limitMs },
    });
  }
}

const WINDOW_MS = 10_000;

/** Enforces the minimum speed of a stream. Only the time spent waiting for content counts, not a slow reader or a reasoning model. */
export class Speed {
  private readonly clock: Clock;
  private readonly leastPerSecond: number;
  private waitsSince = 0;
  private waitedMs = 0;
  private countedFrom = 0;

  constructor(clock: Clock, leastPerSecond: number) {
    this.clock = clock;
    this.leastPerSecond = leastPerSecond;
  }

  waits(): void {
    this.waitsSince = steadyNow(this.clock);
  }

  /** Called with the number of characters since the stream began. */
  came(characters: number, isThinking: boolean): void {
    // The time to the first content has its own limit.
    if (isThinking || this.countedFrom === 0) return this.countFrom(characters);
    this.waitedMs += steadyNow(this.clock) - this.waitsSince;
    if (this.waitedMs < WINDOW_MS) return;
    const perSecond = ((characters - this.countedFrom) * 1_000) / this.waitedMs;
    if (perSecond < this.leastPerSecond) throw new FaultError(this.tooSlow(perSecond));
    this.countFrom(characters);
  }

  private countFrom(characters: number): void {
    this.countedFrom = characters;
    this.waitedMs = 0;
  }

  private tooSlow(perSecond: number): ReturnType<typeof fault> {
    return fault("NetworkTimeout", {
      message: `the stream sent ${perSecond.toFixed(1)} characters per second; the minimum is ${this.leastPerSecond}`,
      context: { phase: "speed", limit: this.leastPerSecond },
    });
  }
}

// How long a model may take. The program's settings win. The other limits depend on the model: a reasoning model may be silent for
// minutes, while any other model is broken long before that.

/** How long to wait for a model, in milliseconds. */
export interface Timeouts {
  /** Until the response begins. Without streaming, that is when the whole answer is ready. */
  readonly headersMs: number;
  /** From the start until the first content. */
  readonly firstTokenMs: number;
  /** Between two pieces of content; keep-alives do not count. */
  readonly idleMs: number;
  /** The same while the model is reasoning. */
  readonly thinkingMs: number;
  /** The whole attempt. */
  readonly totalMs: number;
}

export interface ModelTimeouts {
  readonly stream: Timeouts;
  /** For an answer that is not streamed: nothing is visible before all of it has arrived. */
  readonly whole: Timeouts;
}

const IDLE_MS = 60_000;
const TOTAL_MS = 600_000;
/** The time Node's `fetch` itself waits for headers. */
const WHOLE_MS = 300_000;

export function modelTimeouts(given: Partial<Timeouts>, { quietMs }: Pick<ModelFacts, "quietMs">): ModelTimeouts {
  const { headersMs = quietMs, firstTokenMs = quietMs, idleMs = IDLE_MS } = given;
  const thinkingMs = given.thinkingMs ?? given.idleMs ?? quietMs;
  const totalMs = given.totalMs ?? Math.max(TOTAL_MS, 2 * quietMs);
  const isSet = given.headersMs !== undefined || given.firstTokenMs !== undefined;
  const wholeMs = isSet
    ? Math.min(given.headersMs ?? Infinity, given.firstTokenMs ?? Infinity)
    : Math.max(WHOLE_MS, quietMs);
  return {
    stream: { headersMs, firstTokenMs, idleMs, thinkingMs, totalMs },
    whole: { headersMs: wholeMs, firstTokenMs: wholeMs, idleMs, thinkingMs, totalMs },
  };
}

export const timeoutsKind = group(
  shape<Timeouts>({
    headersMs: positive,
    firstTokenMs: positive,
    idleMs: positive,
    thinkingMs: positive,
    totalMs: positive,
  }),
);
