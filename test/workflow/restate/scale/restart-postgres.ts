// PostgreSQL killed and started again. Its processes outlive the main one for a moment, and it refuses to start while they do.

import { systemClock } from "../../../../src/host/clock.ts";
import type { PostgresServer } from "../../../postgres/server.ts";

const STILL_THERE = /shared memory block|lock file/;
const TRIES = 100;
const AGAIN_MS = 50;

export async function restartPostgres(postgres: PostgresServer): Promise<void> {
  await postgres.kill();
  for (let tries = 1; ; tries++) {
    try {
      await postgres.start();
      return;
    } catch (error) {
      if (tries === TRIES || !STILL_THERE.test(String(error))) throw error;
    }
    await new Promise<void>((resolve) => void systemClock.after(AGAIN_MS, resolve));
  }
}
