// The entry point of the provider that fails on demand. The server and the scenario parser load when it starts.

import type { Chaos, ChaosOptions } from "./chaos-server.ts";

export type { Chaos, ChaosOptions };

/**
 * Starts a loopback server that speaks four model protocols and fails on demand.
 *
 * @example
 * ```ts
 * import { startChaos } from "faultline/testing";
 *
 * const chaos = await startChaos();
 * chaos.script(["rate-limit", "ok"]);
 * await chaos.close();
 * ```
 */
export async function startChaos(options: ChaosOptions = {}): Promise<Chaos> {
  const { startServer } = await import("./chaos-server.ts");
  return startServer(options);
}
