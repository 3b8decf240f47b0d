// The three time limits of a running process: until its first byte, between bytes, and in total.
// W1  A limit is checked only after all pending output was read: a busy parent must not make a child look silent.
// W2  While a tool runs the idle limit does not apply. It restarts when a tool was last seen running.
// W3  At most one limit is reported, and none after `stop`.

import { type Clock, steadyNow } from "../../host/clock.ts";
import type { ProcessTimeLimit } from "./process-spec.ts";

export interface Watchdog {
  sawOutput(): void;
  stop(): void;
}

export interface WatchdogOptions {
  readonly startupMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  readonly clock: Clock;
  readonly isToolRunning: () => boolean;
  readonly onLimit: (limit: ProcessTimeLimit) => void;
}

export function startWatchdog(options: WatchdogOptions): Watchdog {
  const { clock } = options;
  let hasOutput = false;
  let lastSignAt = steadyNow(clock);
  let isOver = false;

  function arm(delayMs: number, judge: () => void): () => void {
    if (delayMs === Infinity) return () => undefined;
    // The extra turn lets the output be read that arrived while this process was busy.
    return clock.after(delayMs, () => clock.soon(() => void (isOver || judge())));
  }

  function report(limit: ProcessTimeLimit): void {
    stop();
    options.onLimit(limit);
  }

  function judgeIdleness(): void {
    if (options.isToolRunning()) lastSignAt = steadyNow(clock);
    // The hook may have ended everything.
    if (isOver) return;
    const leftMs = lastSignAt + options.idleMs - steadyNow(clock);
    if (leftMs > 0) disarmIdle = arm(leftMs, judgeIdleness);
    else report("idle");
  }

  function stop(): void {
    isOver = true;
    disarmTotal();
    disarmStartup();
    disarmIdle();
  }

  const disarmTotal = arm(options.totalMs, () => report("total"));
  const disarmStartup = arm(options.startupMs, () => void (hasOutput || report("startup")));
  let disarmIdle = (): void => undefined;

  return {
    sawOutput() {
      lastSignAt = steadyNow(clock);
      if (hasOutput || isOver) return;
      hasOutput = true;
      disarmStartup();
      // Set once, not at every byte, because a flood of output would spend its time on timers. The check sets it again for the remaining time.
      disarmIdle = arm(options.idleMs, judgeIdleness);
    },
    stop,
  };
}
