// What processes of one journal in PostgreSQL know of each other: how soon an opened breaker is known everywhere, how many calls a shared limit
// admits, and how often one shared row can change when many nodes change it at once.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Journal, openJournal } from "../../src/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { startMember } from "../../test/runtime/target/start-member.ts";
import { print } from "../measure.ts";
import { printAligned } from "../runtime/table.ts";

const PROCESSES = 3;
const BREAKS = 50;
/** Failures in a row that open a breaker of these processes. */
const FAILURES = 3;
const LIMITS = [60, 600, 3_000, 6_000, 18_000];
const MINUTE_MS = 60_000;
/** Until all callers are busy. */
const WARM_UP_MS = 3_000;
const HOT_MS = 4_000;

export async function sharedState(): Promise<void> {
  const server = await startPostgres();
  try {
    await breakerKnown(server.url);
    await limitsKept(server.url);
    await hotKey(server.url);
  } finally {
    await server.stop();
  }
}

async function breakerKnown(url: string): Promise<void> {
  print(`\n5. A breaker that one of ${PROCESSES} processes opened, until all of them refuse calls: ${BREAKS} times`);
  const members = Array.from({ length: PROCESSES }, () => startMember(url));
  const times: number[] = [];
  for (let round = 0; round < BREAKS; round++) {
    const target = `api-${round}`;
    const breaking = members[round % PROCESSES];
    for (let failure = 1; failure < FAILURES; failure++)
      await breaking?.call(target, { input: { fails: "ToolUnavailable" } });
    const startedAt = performance.now();
    await breaking?.call(target, { input: { fails: "ToolUnavailable" } });
    await Promise.all(members.map((member) => member.until(target, { breaker: "open" })));
    times.push(performance.now() - startedAt);
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number): string => `${(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN).toFixed(0)} ms`;
  print(`  median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}, with the call that opened it`);
  await Promise.all(members.map((member) => member.end()));
}

/** Calls of all processes want to begin at once, all the time. */
async function limitsKept(url: string): Promise<void> {
  print(`\n6. Calls that ${PROCESSES} processes began in one minute, under limits that they share`);
  const script = fileURLToPath(new URL("../../test/runtime/target/limited-process.ts", import.meta.url));
  const callers = Array.from({ length: PROCESSES }, () => {
    const child = spawn(process.execPath, [script, url, ...LIMITS.map(String)], {
      env: { ...process.env, NODE_NO_WARNINGS: "1" },
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: child.stdout });
    return { child, ready: once(lines, "line"), lines };
  });
  await Promise.all(callers.map(({ ready }) => ready));
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
  const from = Date.now();
  await new Promise((resolve) => setTimeout(resolve, MINUTE_MS));
  const started = await Promise.all(
    callers.map(async ({ child, lines }) => {
      const printed = once(lines, "line");
      child.stdin.end();
      const [line] = (await printed) as [string];
      return JSON.parse(line) as readonly (readonly number[])[];
    }),
  );
  const rows = LIMITS.map((limit, index) => {
    const each = started.map((times) => countIn(times[index] ?? [], from, from + MINUTE_MS));
    const total = each.reduce((sum, count) => sum + count, 0);
    return [
      ...[`${limit.toLocaleString("en")} a minute`, total.toLocaleString("en")],
      ...[`${((total / limit - 1) * 100).toFixed(1)} %`, each.join(" + "), ""],
    ];
  });
  printAligned(["", "began", "off by", "by each process", ""], rows);
}

function countIn(times: readonly number[], from: number, to: number): number {
  return times.filter((at) => at >= from && at < to).length;
}

async function hotKey(url: string): Promise<void> {
  print(`\n7. One shared row, changed by all nodes at once for ${HOT_MS / 1_000} s`);
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
