// The server's time. Countdowns follow it, because the clock of this machine may be wrong.

import { useSyncExternalStore } from "react";
import type { Client } from "faultline/client";

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let aheadMs = 0;
let shown = Date.now();

/** What the server's clock says now. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}

/** Asks the server for its time; the half of the round trip counts as its way back. */
export async function setClockBy(client: Client): Promise<void> {
  const sentAt = Date.now();
  const { now } = await client.health();
  aheadMs = Math.round(now - (sentAt + Date.now()) / 2);
  tick();
}

/** The server's time, renewed every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => shown);
}

let timer: ReturnType<typeof setInterval> | null = null;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(tick, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

function tick(): void {
  shown = serverNow();
  for (const listener of listeners) listener();
}
