// Ctrl-C, a polite kill, a closed terminal: the run is left as it is. A second one ends the process the usual way, because the
// handlers are gone by then; the journal has everything either way.

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Returns what takes the listeners away again. */
export function onInterrupt(stop: () => void): () => void {
  const release = (): void => {
    for (const signal of SIGNALS) process.removeListener(signal, interrupted);
  };
  const interrupted = (): void => {
    release();
    stop();
  };
  for (const signal of SIGNALS) process.on(signal, interrupted);
  return release;
}
