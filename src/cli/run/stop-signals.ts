// Ctrl-C, a polite kill, a closed terminal: the run is cancelled. Later ones change nothing, because the end is bounded already and
// leaving early would leave the command behind.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Returns what takes the listeners away again. */
export function onStopSignal(stop: () => void): () => void {
  for (const signal of SIGNALS) process.on(signal, stop);
  return () => {
    for (const signal of SIGNALS) process.removeListener(signal, stop);
  };
}
