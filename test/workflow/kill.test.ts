// The template's team with its worker killed by SIGKILL and resumed each time. `npm run test:kill` does it at every entry.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Report, runCampaign } from "../../scripts/team-kill/campaign.ts";
import type { Story } from "../../scripts/team-kill/story.ts";
import { SPECIAL_NAMES } from "../../scripts/team-kill/special-plans.ts";
import { sharedPostgres } from "../postgres/shared-server.ts";
import { type RestateServers, startRestate } from "../support/restate-server.ts";

interface Combination {
  readonly on: string;
  readonly postgres: boolean;
  readonly drivenByRestate: boolean;
  readonly special: readonly string[];
  /** The one in which the worker is also killed at an entry. */
  readonly andAtEntry: string;
}

/** The plain driver on PostgreSQL is killed in `restate/scale.test.ts` and in `../server/kill.test.ts`. */
const COMBINATIONS: readonly Combination[] = [
  {
    ...{ on: "SQLite", postgres: false, drivenByRestate: false, andAtEntry: SPECIAL_NAMES.at(-1) ?? "gate" },
    special: SPECIAL_NAMES.filter((name) => name !== "parked"),
  },
  // Behind its gate.
  { on: "PostgreSQL with Restate", postgres: true, drivenByRestate: true, special: ["gate"], andAtEntry: "gate" },
];

/** Without a kill, on the first combination: on the other one, a run is to end like this, too. */
let undisturbed: Story | null = null;

describe.each(COMBINATIONS)("a team run whose worker is killed, on $on", (on) => {
  const { postgres, drivenByRestate, special, andAtEntry } = on;
  const folder = mkdtempSync(join(tmpdir(), "faultline-kill-"));
  let restate: RestateServers | null = null;
  let report: Report;

  beforeAll(async () => {
    if (drivenByRestate) restate = await startRestate();
    report = await runCampaign({
      folder,
      points: () => [],
      again: () => [],
      // Different entries each day: over time all of them are covered, and a problem names the entry to repeat it with.
      special: (entries) => {
        const entry = 1 + (Math.floor(Date.now() / 86_400_000) % entries);
        return special.map((name) => (name === andAtEntry ? `${name},${entry}` : name));
      },
      sideBySide: 3,
      postgres: postgres ? await sharedPostgres() : null,
      restate: restate?.url ?? null,
      undisturbed,
      tell: () => undefined,
    });
    ({ undisturbed } = report);
  }, 600_000);

  afterAll(async () => {
    await restate?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it("ends as if no kill had happened: nothing is repeated, lost or paid twice, and nothing is left running", () => {
    expect(report.problems).toEqual([]);
  });

  it("was really killed, also in the middle of a command where that can be detected", () => {
    expect(report.stories).toBe(special.length);
    expect(report.killsAtEntries).toBe(1);
    // Each once, and at the gate twice. The entry may be one at which a command begins.
    expect(report.kills).toBeGreaterThanOrEqual(1 + special.length);
    expect(report.cutOff).toBeGreaterThanOrEqual(special.includes("command") ? 1 : 0);
  });
});
