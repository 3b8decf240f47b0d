// A gateway's world that closes with its test.

import { onTestFinished } from "vitest";
import { type GatewayWorld, openWorld, type WorldOptions } from "./open-world.ts";

export async function gatewayWorld(options: WorldOptions = {}): Promise<GatewayWorld> {
  const world = await openWorld(options);
  onTestFinished(() => world.close());
  return world;
}
