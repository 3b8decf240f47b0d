// Workflows with different policies run on one runtime: what one of them learns about a target, the other knows.

import { expect, it } from "vitest";
import { PRESETS, withRows } from "../../src/core/index.ts";
import { fault, FaultError, type Tool, tool } from "../../src/index.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import type { Workflow } from "../../src/workflow-model/stage.ts";
import { engineWorld, eventsIn, only, STORES } from "../support/engine-world.ts";

it.each(STORES)("share the breaker of a dead target, on a journal in %s", async (store) => {
  let requests = 0;
  const dead: Tool<null, never> = tool({
    id: "dead",
    idempotent: true,
    run: (): never => {
      requests += 1;
      throw new FaultError(fault("ToolUnavailable", { message: "503 Service Unavailable" }));
    },
  });
  const asking = (id: string, maxAttempts: number): Workflow =>
    defineWorkflow({
      id,
      policy: withRows(PRESETS.default, [
        {
          match: { code: ["ToolUnavailable"] },
          retry: {
            maxAttempts,
            backoff: { kind: "fixed", initialMs: 10, maxMs: 10, multiplier: 1 },
            jitter: 0,
            maxWaitMs: 1_000,
            maxTotalWaitMs: 1_000,
          },
          then: ["fail"],
          origin: { layer: "file", at: `${id}.policy.yaml:1` },
        },
      ]),
      stages: {
        ask: stage({
          act: async (_request, { turn }) => {
            const { status } = await turn.protect(dead, null);
            throw new Error(`the tool ended as ${status}`);
          },
        }),
      },
    });
  const [patient, curt] = [asking("patient", 3), asking("curt", 1)];
  const { runs, clock, journal } = await engineWorld(
    { id: "unused", stages: { a: stage({ act: () => 1 }) } },
    { store, workflows: [patient, curt] },
  );
  const go = async (workflow: Workflow): Promise<string> => {
    const run = await clock.runUntil(runs.start(workflow));
    await clock.runUntil(runs.advance(run));
    return run;
  };
  const first = await go(patient);
  expect(only(await eventsIn(journal, first), "call-admitted")).toHaveLength(3);
  for (let run = 0; run < 4; run++) await go(curt);
  expect(requests).toBe(3 + 4);
  for (const workflow of [patient, curt]) {
    const events = await eventsIn(journal, await go(workflow));
    expect(only(events, "call-decided").map(({ fault: { code } }) => code)).toEqual(["CircuitOpen"]);
  }
  expect(requests).toBe(7);
});
