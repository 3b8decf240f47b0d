// Every combination of filters on the list of runs gives what a look at all runs would give, page by page.

import { describe, expect, it } from "vitest";
import type { Client, Input } from "../../src/client/index.ts";
import { FAULT_CAUSES } from "../../src/core/fault/catalogue.ts";
import { RUN_STANDINGS } from "../../src/core/flow/run-standing.ts";
import type { RunSummary } from "../../src/workflow/runs-api.ts";
import { runWorld } from "./run-world.ts";

type Query = NonNullable<Input<"listRuns">["query"]>;
type Line = Awaited<ReturnType<Client["listRuns"]>>["items"][number];

const COUNT = 90;
const START = 1_700_000_000_000;
const CODES = ["RateLimited", "Overloaded", "Provider5xx", "NetworkDisconnect"];
const STATUSES = ["running", "paused", "completed", "failed", "cancelled"] as const;

/** Runs of every kind, several of them begun in the same millisecond. */
function runAt(index: number): RunSummary {
  const status = STATUSES[index % STATUSES.length] ?? "running";
  const isOpen = status === "running" || status === "paused";
  const startedAt = START + Math.floor(index / 3) * 1_000;
  return {
    run: `run-${index}`,
    workflow: index % 4 === 0 ? "team" : "docs",
    ...{ version: "1", digest: "none", file: null, status, outcome: isOpen ? "" : status },
    nodes: ["write"],
    target: index % 3 === 0 ? "east/llama" : "west/llama",
    code: status === "failed" || status === "paused" ? (CODES[Math.floor(index / 5) % CODES.length] ?? null) : null,
    questions: [],
    // Far in the future, in the past, or never.
    wakeAt: status === "paused" ? ([8e12, 1, null][index % 3] ?? null) : null,
    ...{ startedAt, updatedAt: startedAt, endedAt: isOpen ? 0 : startedAt + 1, spentMicrocents: 0 },
    limits: { maxParallel: 1, maxNodes: 100, timeoutMs: null, maxCostMicrocents: 0 },
    predecessor: null,
    successor: status === "failed" && index % 2 === 0 ? `run-${index + 1}` : null,
  };
}

const CAUSES: Readonly<Record<string, string>> = {
  RateLimited: "rate-limited",
  Overloaded: "overloaded",
  Provider5xx: "overloaded",
  NetworkDisconnect: "network-error",
};

function fits(line: Line, query: Query): boolean {
  return (
    (query.status === undefined || line.status === query.status) &&
    (query.state === undefined || (query.state === "open" ? line.endedAt === null : line.state.id === query.state)) &&
    (query.cause === undefined || CAUSES[line.code ?? ""] === query.cause) &&
    (query.code === undefined || line.code === query.code) &&
    (query.workflow === undefined || line.workflow === query.workflow) &&
    (query.target === undefined || line.target === query.target) &&
    (query.since === undefined || line.startedAt >= Number(query.since)) &&
    (query.until === undefined || line.startedAt <= Number(query.until)) &&
    (query.superseded !== "hide" || line.successor === null)
  );
}

async function everyPage(client: Client, query: Query): Promise<readonly Line[]> {
  const found: Line[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: Awaited<ReturnType<Client["listRuns"]>> = await client.listRuns({
      query: { ...query, limit: 7, ...(cursor === "" ? {} : { cursor }) },
    });
    expect(page.items.length).toBeLessThanOrEqual(7);
    found.push(...page.items);
    cursor = page.next;
  }
  return found;
}

const MIDDLE = START + 12_000;
const QUERIES: readonly Query[] = [
  ...[...RUN_STANDINGS, "open" as const].map((state) => ({ state })),
  ...FAULT_CAUSES.map((cause) => ({ cause })),
  { superseded: "hide" },
  { superseded: "hide", state: "failed" },
  { superseded: "hide", state: "failed", cause: "overloaded", workflow: "docs" },
  { cause: "overloaded", code: "Overloaded" },
  { cause: "overloaded", code: "RateLimited" },
  { cause: "rate-limited", state: "open", target: "west/llama" },
  { state: "failed", status: "failed" },
  { state: "failed", status: "completed" },
  { since: MIDDLE },
  { until: MIDDLE },
  { since: MIDDLE, until: MIDDLE },
  { since: START + 5_000, until: START + 20_000, cause: "overloaded", superseded: "hide" },
];

describe("the filters of the list of runs", () => {
  it("give what a look at all runs gives, in the same order, over pages", async () => {
    const world = await runWorld([]);
    await world.journal.keep(
      Array.from({ length: COUNT }, (_none, index) => ({ kind: "run", key: `run-${index}`, value: runAt(index) })),
    );
    const all = await everyPage(world.viewer, {});
    expect(all).toHaveLength(COUNT);
    for (const query of QUERIES) {
      const found = await everyPage(world.viewer, query);
      const expected = all.filter((line) => fits(line, query));
      expect([query, found.map(({ run }) => run)]).toEqual([query, expected.map(({ run }) => run)]);
    }
  });

  it("are offered with labels in the reader's language", async () => {
    const world = await runWorld([]);
    const { states, causes, codes } = await world.viewer.showRunFilters();
    expect(states.map(({ id }) => id)).toEqual(RUN_STANDINGS);
    expect(causes.map(({ id }) => id)).toEqual(FAULT_CAUSES);
    expect(codes.find(({ id }) => id === "RateLimited")).toEqual({
      ...{ id: "RateLimited", label: "Too many requests", cause: "rate-limited" },
    });
  });
});
