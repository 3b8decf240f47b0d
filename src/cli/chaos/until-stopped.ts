// Waits for Ctrl-C or a polite kill. A second one ends the process the usual way, because the handlers are gone by then.

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

export function untilStopped(): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      for (const signal of SIGNALS) process.removeListener(signal, stop);
      resolve();
    };
    for (const signal of SIGNALS) process.on(signal, stop);
  });
}
