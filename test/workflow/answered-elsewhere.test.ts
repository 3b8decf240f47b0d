// A program that knows nothing of workflows answers a gate, and the answer still wakes the run.

import { expect, it } from "vitest";
import { createFaultline } from "../../src/faultline.ts";
import { createMemoryJournal } from "../../src/journal/memory/memory-journal.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import { createDriver } from "../../src/workflow/driver.ts";
import { createRuns } from "../../src/workflow/runs.ts";

it("wakes the run, and a driver continues it at once", async () => {
  const clock = createFakeClock(1_000_000);
  const chance = createSeededChance(3);
  const journal = createMemoryJournal({ clock, chance });
  const workflow = defineWorkflow({
    id: "asking",
    stages: {
      gate: stage({
        act: (_request, { ask }) => ask({ payload: { kind: "Confirm", prompt: "Go on?" }, timeoutMs: null }),
      }),
    },
  });
  const runs = createRuns({ journal, clock, chance, workflows: [workflow] });
  const run = await runs.start(workflow);
  const { questions } = await clock.runUntil(runs.advance(run));
  const answers = createFaultline({ journal, clock, chance });
  await clock.advance(5_000);
  await clock.runUntil(answers.answer(questions[0]?.id ?? "", { status: "accepted", value: true }, "ann"));
  expect(await journal.kept("wake", run)).toBe(clock.now());
  const ended: string[] = [];
  const driver = createDriver(runs, { journal, clock }, { onAdvanced: ({ status }) => void ended.push(status) });
  driver.start();
  await clock.advance(1_000);
  await driver.stop();
  expect(ended).toEqual(["completed"]);
  // A session that is not a run, and a run that is over, are not woken.
  expect(await journal.kept("wake", run)).toBeNull();
});
