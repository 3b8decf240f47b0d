// Workers, Restate and PostgreSQL are killed, stopped and cut off while runs with effects on the outside world are under way.
// `npm run test:scale` does it with three workers, three nodes of Restate and a thousand runs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { type PostgresServer, startPostgres } from "../../postgres/server.ts";
import { restartPostgres } from "./scale/restart-postgres.ts";
import { runScale } from "./scale/campaign.ts";

const RUNS = 24;
/** Longer than a hold of the journal, which other workers wait for. */
const STOPPED_MS = 16_000;

describe("runs on two workers and PostgreSQL", () => {
  let postgres: PostgresServer;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.stop());

  it.each([
    ["restate", ["stop worker", "kill worker", "kill restate", "kill store"]],
    ["plain", ["kill worker", "kill store"]],
  ] as const)(
    "driven by %s survive %j: no effect twice, nothing lost",
    async (driver, deeds) => {
      const folder = mkdtempSync(join(tmpdir(), "faultline-scale-"));
      onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
      const journal = new URL(postgres.url);
      journal.searchParams.set("schema", driver);
      const { counts, problems } = await runScale({
        ...{ folder, driver, deeds, workers: 2, nodes: 1, runs: RUNS, workMs: 60, stoppedMs: STOPPED_MS },
        journal: journal.href,
        store: { restart: () => restartPostgres(postgres) },
        tell: () => undefined,
      });
      expect(problems).toEqual([]);
      expect(counts).toMatchObject({ runs: RUNS, effectsTwice: 0, runsLost: 0, acknowledgedLost: 0, done: deeds });
      expect(counts.effects + counts.interrupted).toBeGreaterThanOrEqual(3 * RUNS);
      expect(counts.acknowledged).toBeGreaterThan(0);
    },
    120_000,
  );
});
