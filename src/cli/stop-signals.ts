// Ctrl-C, SIGTERM and a closed terminal ask a command to stop. The first signal stops it in order: it ends its child processes,
// flushes its output, and says how to continue. A second signal ends the process at once.
// S1  The listeners stay until they are released. execa's exit hook re-raises a signal when no other listener is left, so
//     removing ours on the first signal would kill this process before it has printed anything.
// S2  Ending at once still kills the child processes: the same hook runs on `process.exit`.

import { EXIT_CODES } from "./exit-codes.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Returns a function that removes the listeners. */
export function onStopSignal(stop: () => void): () => void {
  let isStopping = false;
  const onSignal = (): void => {
    if (isStopping) process.exit(EXIT_CODES.cancelled.code);
    isStopping = true;
    stop();
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, onSignal);
  };
}
