// A loop that has used up its rounds: the run fails by its own rules, and an operator may give it one more.

import { expect, it } from "vitest";
import { createMemoryJournal } from "../../../src/journal/memory/memory-journal.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { defineWorkflow, stage } from "../../../src/workflow/define.ts";
import { createRuns } from "../../../src/workflow/runs.ts";

it("offers to send the work back instead of raising a limit; the coder starts again, and the findings are checked again", async () => {
  const clock = createFakeClock(1_000_000);
  const chance = createSeededChance(5);
  const journal = createMemoryJournal({ clock, chance });
  const seen: string[] = [];
  const workflow = defineWorkflow({
    id: "rounds",
    stages: {
      coder: stage({
        role: "coder",
        act: (_request, _tools, { execution, instruction }) => {
          seen.push(`coder ${execution}${instruction === null ? "" : `: ${String(instruction.params["text"])}`}`);
          return execution;
        },
      }),
      reviewer: stage({
        act: (_request, _tools, { nodes }) => nodes["coder"]?.output,
        next: ({ output }, { executionsOf }) => {
          if (Number(output) >= 3) return { kind: "end", outcome: "approved" };
          if (executionsOf("coder") < 2) return "coder";
          return { kind: "end", outcome: "max_iterations_reached" };
        },
      }),
    },
  });
  const runs = createRuns({ journal, clock, chance, workflows: [workflow] });
  const first = await runs.start(workflow);
  const end = await clock.runUntil(runs.advance(first));
  expect(end).toMatchObject({ status: "failed", outcome: "max_iterations_reached", fault: { code: "TurnLimit" } });
  const report = await runs.show(first);
  expect(report?.actions.map(({ id }) => id)).toEqual(["send-back", "retry-stage"]);
  const { run } = await runs.act(first, "send-back", { params: { text: "use cents" }, by: "ann" });
  expect(await clock.runUntil(runs.advance(run))).toMatchObject({ status: "completed", outcome: "approved" });
  expect(seen).toEqual(["coder 1", "coder 2", "coder 3: use cents"]);
});
