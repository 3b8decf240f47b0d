// A run is folded from its last snapshot on. Snapshots cost as much as the run is long, so each one comes when the run has doubled.

import { expect, it } from "vitest";
import { stage } from "../../../src/workflow/define.ts";
import { engineWorld } from "../../support/engine-world.ts";

it("a run of many visits writes ever fewer snapshots", async () => {
  const snapshotsAt: number[] = [];
  let visits = 0;
  const { go } = await engineWorld(
    {
      id: "loop",
      limits: { maxNodes: 1_000 },
      stages: { a: stage({ act: () => ++visits, next: () => (visits < 400 ? "a" : null) }) },
    },
    {
      wrap: (journal) => ({
        ...journal,
        keep: (keeps) => {
          if (keeps.some(({ kind }) => kind === "snapshot")) snapshotsAt.push(visits);
          return journal.keep(keeps);
        },
      }),
    },
  );
  expect(await go()).toMatchObject({ status: "completed" });
  const gaps = snapshotsAt.slice(1, -1).map((at, index) => at / (snapshotsAt[index] ?? 1));
  expect(snapshotsAt.length).toBeGreaterThan(1);
  expect(snapshotsAt.length).toBeLessThan(12);
  for (const gap of gaps) expect(gap).toBeGreaterThan(1.5);
});
