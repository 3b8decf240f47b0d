// Ctrl-C, SIGTERM and a closed terminal ask a command to stop. The first signal stops it in order: it ends its child processes,
// flushes its output, and says how to continue. A second signal ends the process at once.
// S1  The listeners stay until they are released. execa's exit hook re-raises a signal when no other listener is left, so
//     removing ours on the first signal would kill this process before it has printed anything.
// S2  Ending at once still kills the child processes: the same hook runs on `process.exit`.
// S3  Wrappers such as npm pass a signal on that the terminal has sent to this process, too. So a signal right behind the first one is
//     the same request.
// S4  A command that has stopped in order keeps its exit code: signals that come while its process ends are ignored. `main.ts` then ends
//     the process itself, because Node removes the listeners when it ends by itself, a moment before it is gone.

import { systemClock } from "../host/clock.ts";
import type { Cli } from "./cli.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { safeJson } from "./render/safe-text.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
/** How long after the first signal another one is the same request. */
const SAME_REQUEST_MS = 250;

let isStopped = false;

/** A signal has stopped the command of this process. */
export function wasStopped(): boolean {
  return isStopped;
}

/** Returns a function that removes the listeners of a command that was not stopped. */
export function onStopSignal(stop: () => void): () => void {
  let stoppedAt: number | null = null;
  let hasEnded = false;
  const onSignal = (): void => {
    if (stoppedAt === null) {
      stoppedAt = systemClock.now();
      isStopped = true;
      stop();
    } else if (!hasEnded && systemClock.now() - stoppedAt > SAME_REQUEST_MS) process.exit(EXIT_CODES.cancelled.code);
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    hasEnded = true;
    if (stoppedAt === null) for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
}

/** For a command that works until a signal comes: `stopped` resolves with the first one. A command that fails to start leaves no listener behind. */
export async function untilStopped(work: (stopped: Promise<undefined>) => Promise<void>): Promise<void> {
  const stopped = Promise.withResolvers<undefined>();
  const release = onStopSignal(() => stopped.resolve(undefined));
  try {
    await work(stopped.promise);
  } finally {
    release();
  }
}

/** A server that stops gives its clients a moment, in which it would otherwise be silent. */
export function tellStopping(sentence: string, { stderr, clock, json }: Cli): Promise<void> {
  return stderr.write(`${json ? safeJson({ stopping: { at: clock.now() } }) : sentence}\n`);
}
