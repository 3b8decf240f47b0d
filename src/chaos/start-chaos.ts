// The door to the provider that fails on demand. Its server, and the reader of scenarios, load when it is started.

import type { Chaos, ChaosOptions } from "./chaos-server.ts";

export type { Chaos, ChaosOptions };

/** Starts a loopback server that speaks four model protocols and fails on demand. */
export async function startChaos(options: ChaosOptions = {}): Promise<Chaos> {
  const { startServer } = await import("./chaos-server.ts");
  return startServer(options);
}
