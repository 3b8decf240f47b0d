// The three time limits of a running process: until its first byte, without a byte, and in all.
// W1  a limit is judged only after everything that waits to be read was read: a busy parent is not a silent child.
// W2  while a tool runs there is no idleness, and it counts anew from when a tool was last seen running.
// W3  one limit at most is told, and none after `stop`.

import { type Clock, steadyNow } from "../../host/clock.ts";
import type { ProcessTimeLimit } from "./process-spec.ts";

export interface Watchdog {
  sawOutput(): void;
  readonly firstOutputAt: number | null;
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
  let firstOutputAt: number | null = null;
  let lastSignAt = steadyNow(clock);
  let isOver = false;

  function arm(delayMs: number, judge: () => void): () => void {
    if (delayMs === Infinity) return () => undefined;
    // The turn in between is for what lies in the pipes while this process was busy with something else.
    return clock.after(delayMs, () => clock.soon(() => void (isOver || judge())));
  }

  function tell(limit: ProcessTimeLimit): void {
    stop();
    options.onLimit(limit);
  }

  function judgeIdleness(): void {
    if (options.isToolRunning()) lastSignAt = steadyNow(clock);
    // Asking may have ended everything.
    if (isOver) return;
    const leftMs = lastSignAt + options.idleMs - steadyNow(clock);
    if (leftMs > 0) disarmIdle = arm(leftMs, judgeIdleness);
    else tell("idle");
  }

  function stop(): void {
    isOver = true;
    disarmTotal();
    disarmStartup();
    disarmIdle();
  }

  const disarmTotal = arm(options.totalMs, () => tell("total"));
  const disarmStartup = arm(options.startupMs, () => void (firstOutputAt === null && tell("startup")));
  let disarmIdle = (): void => undefined;

  return {
    get firstOutputAt() {
      return firstOutputAt;
    },
    sawOutput() {
      lastSignAt = steadyNow(clock);
      if (firstOutputAt !== null) return;
      firstOutputAt = lastSignAt;
      if (isOver) return;
      disarmStartup();
      // Set once and not at every byte: a flood would spend its time on timers. Judging sets it again for what is left.
      disarmIdle = arm(options.idleMs, judgeIdleness);
    },
    stop,
  };
}
