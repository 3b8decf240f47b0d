// A runtime whose time the test owns, connected to an MCP server; waits between tries pass by themselves, time limits do not.

import { onTestFinished } from "vitest";
import { systemClock } from "../../src/host/clock.ts";
import { createFaultline, type Fault, type Faultline, type FaultlineOptions } from "../../src/index.ts";
import { connectMcp, type McpConnection, type McpOptions, type McpStatus } from "../../src/mcp/index.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

export interface Runtime {
  readonly fl: Faultline;
  readonly clock: FakeClock;
  /** The waits that were decided, in order. */
  readonly waits: readonly { readonly tool: string; readonly delayMs: number }[];
  /** Moves time, after the waits that are under way. */
  readonly advance: (ms: number) => Promise<void>;
}

export function runtime(options: FaultlineOptions = {}): Runtime {
  const clock = createFakeClock(1_000_000, (next) => systemClock.soon(next));
  const fl = createFaultline({ clock, chance: createSeededChance(7), ...options });
  const waits: { tool: string; delayMs: number }[] = [];
  let moving: Promise<void> = Promise.resolve();
  const advance = (ms: number): Promise<void> => (moving = moving.then(() => clock.advance(ms)));
  fl.subscribe(({ event }) => {
    if (event.type !== "call-failed" || event.decision.recourse !== "retry") return;
    const { delayMs } = event.decision;
    waits.push({ tool: event.tool, delayMs });
    void advance(delayMs);
  });
  return { fl, clock, waits, advance };
}

export interface Connected extends Runtime {
  readonly mcp: McpConnection;
  /** Resolves when the connection has this status, now or later. */
  readonly becomes: (status: McpStatus) => Promise<Fault | null>;
  readonly suppressed: readonly { readonly fault: Fault; readonly reason: string }[];
}

export async function connected(options: Omit<McpOptions, "name">, home: Runtime = runtime()): Promise<Connected> {
  const suppressed: { fault: Fault; reason: string }[] = [];
  const told: { status: McpStatus; fault: Fault | null }[] = [];
  const listeners = new Set<() => void>();
  const mcp = await connectMcp(home.fl, {
    name: "travel",
    onSuppressed: (fault, reason) => void suppressed.push({ fault, reason }),
    onStatus: (status, fault) => {
      told.push({ status, fault });
      for (const listener of listeners) listener();
    },
    ...options,
  });
  onTestFinished(() => mcp.close());
  const becomes = (status: McpStatus): Promise<Fault | null> =>
    new Promise((resolve) => {
      const look = (): void => {
        const last = told.at(-1);
        if (last?.status === status) resolve(last.fault);
      };
      listeners.add(look);
      look();
    });
  return { ...home, mcp, becomes, suppressed };
}
