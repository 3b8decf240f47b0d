// How a process comes to its end, whoever wanted it: asked first, then killed, with everything it started, and never waited for
// without limit.
// E1  SIGTERM goes once to everything it started; SIGKILL follows killAfterMs later unless all of it has ended before.
// E2  a process that has exited while others hold its pipes has drainMs for them to be closed; then the group gets SIGKILL. What its
//     own listeners have yet to take is waited for. What left the group is spared: nobody asked it to end, and it may be a daemon.
// E3  after SIGKILL no more than killAfterMs is waited; then pipes and process are let go.
// E4  `onEnd` is called once, and then no timer is left.

import type { Clock } from "../../host/clock.ts";
import type { Launched } from "./launch.ts";

export interface ProcessEnding {
  /** Somebody wants it to end. */
  stop(): void;
  /** It has exited; its pipes may still be open. */
  exited(): void;
  /** It has exited and its pipes are closed, or it never started. */
  closed(): void;
}

export interface EndingOptions {
  readonly child: Pick<Launched, "signalGroup" | "signalAll" | "isAnyRunning" | "abandon">;
  readonly clock: Clock;
  readonly killAfterMs: number;
  readonly drainMs: number;
  /** A listener has asked for time, and what the process printed is not read. */
  readonly isHeldBack: () => boolean;
  readonly onEnd: (drained: boolean) => void;
}

/** No event tells that the last process is gone, so it looks again and again. */
const CHECK_MS = 50;

export function createEnding({ child, clock, killAfterMs, drainMs, isHeldBack, onEnd }: EndingOptions): ProcessEnding {
  const timers = new Set<() => void>();
  let isStopping = false;
  let isKilled = false;
  let isClosed = false;
  let isOver = false;
  let drained = true;

  function arm(delayMs: number, wake: () => void): void {
    const disarm = clock.after(delayMs, () => {
      timers.delete(disarm);
      // As in the watchdog: what happened while this program was busy is seen first.
      clock.soon(() => void (isOver || wake()));
    });
    timers.add(disarm);
  }

  function end(): void {
    isOver = true;
    for (const disarm of timers) disarm();
    timers.clear();
    onEnd(drained);
  }

  function kill(): void {
    if (isKilled) return;
    isKilled = true;
    if (isStopping) child.signalAll("SIGKILL");
    else child.signalGroup("SIGKILL");
    if (isClosed) end();
    else arm(killAfterMs, letGo);
  }

  function letGo(): void {
    drained = false;
    child.abandon();
    end();
  }

  function awaitPipes(): void {
    if (isClosed) return;
    if (isHeldBack() && !isStopping) {
      arm(drainMs, awaitPipes);
      return;
    }
    drained = false;
    kill();
  }

  /** What it started may need a moment longer than the process itself, and gets it, up to the SIGKILL that is under way. */
  function awaitOthers(): void {
    if (child.isAnyRunning()) arm(CHECK_MS, awaitOthers);
    else end();
  }

  return {
    stop() {
      if (isOver || isStopping) return;
      isStopping = true;
      if (isKilled) return void child.signalAll("SIGKILL");
      child.signalAll("SIGTERM");
      arm(killAfterMs, kill);
    },
    exited() {
      if (isOver || isKilled) return;
      arm(drainMs, awaitPipes);
    },
    closed() {
      if (isOver) return;
      isClosed = true;
      if (isStopping && !isKilled) awaitOthers();
      else end();
    },
  };
}
