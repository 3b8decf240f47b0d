// The clock over one attempt at a model: headers, first token, and silence between parts, each with its own limit and its own
// words, because what to do about them differs. One alarm, moved only when it rings: a stream has thousands of parts.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { type Clock, steadyNow } from "../../host/clock.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { Timeouts } from "./timeouts.ts";

type Phase = "headers" | "firstToken" | "idle" | "thinking";

const LIMIT_OF = { headers: "headersMs", firstToken: "firstTokenMs", idle: "idleMs", thinking: "thinkingMs" } as const;
const SAYS: Readonly<Record<Phase, (limitMs: number) => string>> = {
  headers: (limitMs) => `no response began within ${limitMs} ms`,
  firstToken: (limitMs) => `nothing of the answer came within ${limitMs} ms`,
  idle: (limitMs) => `the stream was silent for ${limitMs} ms`,
  thinking: (limitMs) => `the stream was silent for ${limitMs} ms while the model was thinking`,
};

/** More than alarms are late by. */
const EARLY_SHARE = 100;

export class Watch {
  private readonly clock: Clock;
  private readonly timeouts: Timeouts;
  private readonly setAlarm: RunContext["alarm"];
  private readonly expired: (fault: Fault) => void;
  private readonly startedAt: number;
  private phase: Phase;
  /** When it is too late; Infinity while nobody waits. */
  private dueAt: number;
  /** How long may be waited when somebody waits again. */
  private leftMs = Infinity;
  /** When the alarm rings; Infinity when none is set. */
  private armedFor = Infinity;

  constructor(clock: Clock, timeouts: Timeouts, { alarm }: RunContext, expired: (fault: Fault) => void) {
    this.clock = clock;
    this.timeouts = timeouts;
    this.setAlarm = alarm;
    this.expired = expired;
    this.startedAt = steadyNow(clock);
    // Some SDKs report a response only with its first event, so the limit for the first content holds from the start.
    this.phase = timeouts.firstTokenMs < timeouts.headersMs ? "firstToken" : "headers";
    this.dueAt = this.startedAt + this.timeouts[LIMIT_OF[this.phase]];
    this.arm(this.startedAt);
  }

  headers(): void {
    this.phase = "firstToken";
    this.dueAt = this.startedAt + this.timeouts.firstTokenMs;
    this.arm(steadyNow(this.clock));
  }

  /** Content has come: the next may take its time again, from when it is waited for. */
  progress(isThinking: boolean): void {
    this.phase = isThinking ? "thinking" : "idle";
    this.leftMs = isThinking ? this.timeouts.thinkingMs : this.timeouts.idleMs;
    this.dueAt = Infinity;
  }

  /** The caller does not want more yet: that is not the upstream's silence. */
  hold(): void {
    if (this.dueAt === Infinity) return;
    this.leftMs = this.dueAt - steadyNow(this.clock);
    this.dueAt = Infinity;
  }

  /** More is waited for. */
  wait(): void {
    if (this.dueAt !== Infinity) return;
    const now = steadyNow(this.clock);
    this.dueAt = now + this.leftMs;
    this.arm(now);
  }

  /** An alarm that rings too early looks again; only one that would ring too late is set anew. */
  private arm(now: number): void {
    if (this.dueAt >= this.armedFor) return;
    // Alarms may be late by a share of how far ahead they are set, so one for a long wait is set a little too early.
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

/** The slowest a stream may be. Only time spent waiting for more counts: neither a slow reader nor a model that thinks is slow. */
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

  /** So many characters have come since the stream began. */
  came(characters: number, isThinking: boolean): void {
    // How long the first word takes is another limit's business.
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
      message: `the stream brought ${perSecond.toFixed(1)} characters a second; ${this.leastPerSecond} are the least allowed`,
      context: { phase: "speed", limit: this.leastPerSecond },
    });
  }
}
