// Ends a process and everything it started: SIGTERM first, then SIGKILL, with a limit on every wait.
// E1  Everything the process started gets SIGTERM once, and SIGKILL killAfterMs later if any of it is still running.
// E2  If a process has exited while others hold its pipes, they have drainMs to close them; then the group gets SIGKILL. Waiting for our
//     own listeners does not count. Processes that left the group are spared: they were not asked to end, and may be daemons.
// E3  After SIGKILL the wait is at most killAfterMs; then the pipes and the process are abandoned.
// E4  `onEnd` is called once, and no timer is left afterwards.

import type { Clock } from "../../host/clock.ts";
import type { Launched } from "./launch.ts";

export interface EndingOptions {
  readonly child: Pick<Launched, "signalGroup" | "signalAll" | "isAnyRunning" | "abandon">;
  readonly clock: Clock;
  readonly killAfterMs: number;
  readonly drainMs: number;
  /** A listener has paused reading, so output of the process is still unread. */
  readonly isHeldBack: () => boolean;
  readonly onEnd: (drained: boolean) => void;
}

/** No event reports that the last process is gone, so it is polled. */
const CHECK_MS = 50;

export function createEnding({ child, clock, killAfterMs, drainMs, isHeldBack, onEnd }: EndingOptions) {
  const timers = new Set<() => void>();
  let isStopping = false;
  let isKilled = false;
  let isClosed = false;
  let isOver = false;
  let drained = true;

  function arm(delayMs: number, wake: () => void): void {
    const disarm = clock.after(delayMs, () => {
      timers.delete(disarm);
      // As in the watchdog, events that arrived while this program was busy are handled first.
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

  /** Its child processes may need a moment longer than the process itself. They get until the pending SIGKILL. */
  function awaitOthers(): void {
    if (child.isAnyRunning()) arm(CHECK_MS, awaitOthers);
    else end();
  }

  return {
    /** Starts ending the process. */
    stop() {
      if (isOver || isStopping) return;
      isStopping = true;
      if (isKilled) return void child.signalAll("SIGKILL");
      child.signalAll("SIGTERM");
      arm(killAfterMs, kill);
    },
    /** The process has exited; its pipes may still be open. */
    exited() {
      if (isOver || isKilled) return;
      arm(drainMs, awaitPipes);
    },
    /** The process has exited and its pipes are closed, or it never started. */
    closed() {
      if (isOver) return;
      isClosed = true;
      if (isStopping && !isKilled) awaitOthers();
      else end();
    },
  };
}
