// A program that runs sessions on a journal is killed with SIGKILL, again and again. `npm run test:crash` does the same for longer.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { sharedPostgres } from "../postgres/shared-server.ts";
import { type Report, runCampaign } from "./campaign.ts";

/** On a disk: in memory, a write is over too soon to be killed in its middle. */
const ON_DISK = fileURLToPath(new URL("../../node_modules/.cache", import.meta.url));
mkdirSync(ON_DISK, { recursive: true });

/** The moments come in turn, so these are of every kind that is not random, in one store or the other. */
const STORES = [
  { store: "SQLite", kills: 8 },
  { store: "PostgreSQL", kills: 6 },
] as const;

describe.each(STORES)("a program that is killed at any moment, on a journal in $store", ({ store, kills: planned }) => {
  const folder = mkdtempSync(join(ON_DISK, "faultline-crash-"));
  let report: Report;

  beforeAll(async () => {
    // Another seed each day: over time all moments are hit, and a failure names the seed it can be run again with.
    const seed = Math.floor(Date.now() / 86_400_000);
    const postgres = store === "PostgreSQL" ? await sharedPostgres() : null;
    report = await runCampaign({ kills: planned, seed, folder, workers: 2, postgres, tell: () => undefined });
  }, 600_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("loses nothing that was acknowledged, runs nothing finished again, and ends every run as if it had never died", () => {
    expect(report.problems).toEqual([]);
  });

  it("was really killed: in the middle of calls, and in the middle of writing", () => {
    const { kills, sessions, hits } = report;
    expect(kills).toBeGreaterThanOrEqual(planned);
    expect(sessions).toBeGreaterThan(0);
    expect(hits["a call was at work"] + hits["a call had done its work, and that was not written"]).toBeGreaterThan(0);
    expect(
      hits["an append was asked for: not on disk"] +
        hits["an append was asked for: on disk, not acknowledged"] +
        hits["a COMMIT was under way"],
    ).toBeGreaterThan(0);
  });

  it("is fenced off when another process has resumed its session", () => {
    expect(report.meetings).toBeGreaterThan(0);
    expect(report.fenced).toBeGreaterThan(0);
  });
});
