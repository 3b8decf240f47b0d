// What nodes of one journal in PostgreSQL know of each other: how soon an opened breaker is known everywhere, and how often one shared row
// can change when many nodes change it at once. Each node has a runtime and connections of its own.

import { DEFAULT_POLICY } from "../../src/core/index.ts";
import {
  createFaultline,
  fault,
  FaultError,
  type Faultline,
  type Journal,
  openJournal,
  tool,
} from "../../src/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { print } from "../measure.ts";
import { printAligned } from "../runtime/table.ts";

const NODES = 8;
const BREAKS = 50;
const HOT_MS = 4_000;

export async function sharedState(): Promise<void> {
  const server = await startPostgres();
  try {
    await breakerKnown(server.url);
    await hotKey(server.url);
  } finally {
    await server.stop();
  }
}

async function breakerKnown(url: string): Promise<void> {
  print(`\n5. A breaker that one node opened, until all ${NODES} nodes refuse calls: ${BREAKS} times`);
  const policy = {
    ...DEFAULT_POLICY,
    breaker: { ...DEFAULT_POLICY.breaker, failures: 1, openMs: 3_600_000 },
  };
  const nodes = Array.from({ length: NODES }, () => createFaultline({ journal: url, policy }));
  await Promise.all(nodes.map((node) => node.ready()));
  const times: number[] = [];
  for (let round = 0; round < BREAKS; round++) {
    const api = tool<null, string>({
      id: `api-${round}`,
      retry: { maxAttempts: 1 },
      run: () => {
        throw new FaultError(fault("ToolUnavailable", { message: "down" }));
      },
    });
    const startedAt = performance.now();
    await nodes[round % NODES]?.protect(api, null);
    await Promise.all(nodes.map((node) => opened(node, api.id)));
    times.push(performance.now() - startedAt);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(0)} ms`;
  print(`  median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}, with the call that opened it`);
  await Promise.all(nodes.map((node) => node.close()));
}

async function opened(node: Faultline, target: string): Promise<void> {
  while (node.targets().find((report) => report.target === target)?.breaker !== "open")
    await new Promise((resolve) => setTimeout(resolve, 1));
}

async function hotKey(url: string): Promise<void> {
  print(`\n6. One shared row, changed by all nodes at once for ${HOT_MS / 1_000} s`);
  const rows: string[][] = [];
  for (const nodes of [1, 8, 32]) {
    const one = await hammer(url, nodes, () => "hot");
    const apart = await hammer(url, nodes, (node) => `own-${node}`);
    rows.push([`${nodes} nodes`, one.speed, one.p50, one.p99, apart.speed, ""]);
  }
  printAligned(["", "changes a second", "p50, ms", "p99, ms", "a row for each node, a second", ""], rows);
}

async function hammer(
  url: string,
  count: number,
  keyOf: (node: number) => string,
): Promise<{ readonly speed: string; readonly p50: string; readonly p99: string }> {
  const nodes = await Promise.all(Array.from({ length: count }, () => openJournal(`${url}?connections=4`)));
  const times: number[] = [];
  const startedAt = performance.now();
  const work = async (journal: Journal, node: number): Promise<void> => {
    while (performance.now() - startedAt < HOT_MS) {
      const askedAt = performance.now();
      await journal.changeKept("pace", keyOf(node), (there) => ({ at: numberIn(there) + 1 }));
      times.push(performance.now() - askedAt);
    }
  };
  await Promise.all(nodes.map(work));
  const tookMs = performance.now() - startedAt;
  await Promise.all(nodes.map((journal) => journal.close()));
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(1);
  const speed = Math.round((times.length / tookMs) * 1_000).toLocaleString("en");
  return { speed, p50: at(0.5), p99: at(0.99) };
}

function numberIn(value: unknown): number {
  return typeof value === "object" && value !== null && "at" in value ? Number(value.at) : 0;
}
