// The workflow of the campaign: three nodes, each with an effect on the outside world that must not happen twice.

import { appendFileSync } from "node:fs";
import { PRESETS, withRows } from "../../../../src/core/index.ts";
import { defineWorkflow, stage } from "../../../../src/workflow/define.ts";
import { systemClock } from "../../../../src/host/clock.ts";
import { fault, FaultError, tool } from "../../../../src/index.ts";

/** Longer than a slice waits by itself, so that the run is put away and woken by a timer. */
const LONG_WAIT_MS = 6_000;

const wait = (ms: number): Promise<void> => new Promise((resolve) => void systemClock.after(ms, resolve));

const effect = tool<string, null>({
  id: "effect",
  // In the middle of it, so that a kill finds the effect begun, done or neither.
  run: async (line) => {
    await wait(workMs());
    appendFileSync(process.env["EFFECTS"] ?? "", `${line}\n`);
    await wait(workMs());
    return null;
  },
});

const workMs = (): number => Number(process.env["WORK_MS"] ?? "5");

export const effectsWorkflow = defineWorkflow({
  id: "effects",
  // An effect that was cut off is neither repeated nor asked about: the run goes on without it.
  policy: withRows(PRESETS.default, [
    { match: { code: ["Interrupted"] }, retry: null, then: ["surface"], origin: { layer: "file", at: "campaign:1" } },
  ]),
  stages: {
    a: stage({ act: async (_request, { turn }, { run }) => void (await turn.protect(effect, `${run} a`)) }),
    b: stage({
      retryPolicy: {
        maxAttempts: 2,
        backoff: { kind: "fixed", initialMs: LONG_WAIT_MS, maxMs: LONG_WAIT_MS },
        jitter: 0,
        maxWaitMs: 1e7,
      },
      act: async (_request, { turn }, { run, attempt, inputs }) => {
        if (attempt === 1 && inputs["waits"] === true)
          throw new FaultError(fault("RateLimited", { message: "as the campaign wants it" }));
        await turn.protect(effect, `${run} b`);
      },
    }),
    c: stage({ act: async (_request, { turn }, { run }) => void (await turn.protect(effect, `${run} c`)) }),
  },
});
