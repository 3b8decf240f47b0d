// Runs of workflows written in TypeScript: in at the door, out at the journal.

import { describe, expect, it } from "vitest";
import { FaultError } from "../../src/core/fault/fault-error.ts";
import { fault } from "../../src/core/fault/fault.ts";
import { createMemoryJournal } from "../../src/journal/memory.ts";
import { tool } from "../../src/runtime/tool/tool.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import { capped, defineWorkflow, stage, type WorkflowOptions } from "../../src/workflow/define.ts";
import { createRuns } from "../../src/workflow/runs.ts";

function world(options: WorkflowOptions) {
  const clock = createFakeClock();
  const chance = createSeededChance(7);
  const journal = createMemoryJournal({ clock, chance });
  const workflow = defineWorkflow(options);
  const runs = createRuns({ journal, clock, chance, workflows: [workflow] });
  const advance = (run: string) => clock.runUntil(runs.advance(run));
  const types = async (run: string) => {
    const all: string[] = [];
    for await (const { event } of journal.read(run)) all.push(event.type);
    return all;
  };
  return { clock, chance, journal, workflow, runs, advance, types };
}

describe("a run", () => {
  it("goes through its stages in order and hands outputs on", async () => {
    const { runs, workflow, advance, types } = world({
      id: "two",
      stages: {
        first: stage({ act: async () => ({ n: 1 }) }),
        second: stage({ act: async (_request, _tools, { nodes }) => nodes["first"]?.output }),
      },
    });
    const run = await runs.start(workflow, { inputs: { task: "x" } });
    const end = await advance(run);
    expect(end).toMatchObject({ status: "completed", outcome: "completed", fault: null });
    expect(await types(run)).toEqual([]);
  });
});
