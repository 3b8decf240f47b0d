// The team of the template with its worker killed by SIGKILL, resumed each time. `npm run test:kill` does it at every entry.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Report, runCampaign } from "../../scripts/team-kill/campaign.ts";

describe("a run of the team whose worker is killed", () => {
  const folder = mkdtempSync(join(tmpdir(), "faultline-kill-"));
  let report: Report;

  beforeAll(async () => {
    report = await runCampaign({
      folder,
      // Other entries each day: over time all of them are met, and a problem names the one it can be run again with.
      points: (entries) => [1 + (Math.floor(Date.now() / 86_400_000) % entries)],
      again: () => [],
      special: ["gate", "command"],
      sideBySide: 3,
      tell: () => undefined,
    });
  }, 600_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it("ends as if nobody had died: nothing is done again, lost or paid twice, and nothing is left running", () => {
    expect(report.problems).toEqual([]);
  });

  it("was really killed, and a command in the middle of its work with it", () => {
    expect(report.stories).toBe(3);
    expect(report.kills).toBeGreaterThanOrEqual(4);
    expect(report.cutOff).toBeGreaterThan(0);
  });
});
