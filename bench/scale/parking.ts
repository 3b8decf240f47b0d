// A workflow whose only stage fails and is tried again a day later: its runs are parked.

import { fault, FaultError } from "../../src/index.ts";
import { defineWorkflow, stage } from "../../src/workflow/index.ts";

const DAY_MS = 24 * 3_600_000;

export const parking = defineWorkflow({
  id: "parking",
  stages: {
    a: stage({
      retryPolicy: {
        maxAttempts: 2,
        backoff: { kind: "fixed", initialMs: DAY_MS, maxMs: DAY_MS },
        jitter: 0,
        maxWaitMs: DAY_MS,
      },
      act: (_request, _tools, { attempt }) => {
        if (attempt > 1) return;
        throw new FaultError(fault("RateLimited", { message: "until tomorrow" }));
      },
    }),
  },
});
