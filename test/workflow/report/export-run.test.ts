// What the nodes of a run have left, and how a run stands that no process works on.

import { expect, it } from "vitest";
import type { Visit } from "../../../src/core/flow/visit.ts";
import { asItStands, visitWithOutput } from "../../../src/workflow/report/export-run.ts";
import type { RunReport } from "../../../src/workflow/runs-api.ts";

const visit = (node: string, state: Visit["state"], endedAt = 0, pause: Visit["pause"] = null): Visit =>
  ({ node, state, endedAt, pause }) as Visit;
const PAUSED = { why: "question", wakeAt: null, questions: ["q1"] } as unknown as NonNullable<Visit["pause"]>;

it("a visit that runs in no process was stopped, and every other one stays", () => {
  const visits = [
    visit("a", "completed"),
    visit("b", "running"),
    visit("c", "running", 0, PAUSED),
    visit("d", "ready"),
  ];
  const report = { summary: {}, state: { visits } } as unknown as RunReport;
  expect(asItStands(report, true)).toBe(report);
  expect(asItStands(report, false).state.visits).toEqual([
    visits[0],
    { ...visits[1], state: "paused", pause: { why: "stopped", wakeAt: null, questions: [] } },
    visits[2],
    visits[3],
  ]);
});

it.each<[string | null, readonly Visit[], number | null]>([
  [null, [], null],
  [null, [visit("a", "failed", 9)], null],
  [null, [visit("a", "completed", 5), visit("b", "completed", 7), visit("c", "failed", 9)], 1],
  [null, [visit("a", "completed", 7), visit("b", "completed", 5)], 0],
  ["a", [visit("a", "completed", 5), visit("a", "failed", 7), visit("b", "completed", 9)], 1],
  ["c", [visit("a", "completed", 5)], null],
])("the visit of %j with an output", (node, visits, expected) => {
  expect(visitWithOutput({ visits: [...visits] }, node)).toBe(expected === null ? undefined : visits[expected]);
});
