// Targets: whether they are in service, and how they did.

import { z } from "zod";
import { instant } from "./shapes.ts";

export const targetView = z
  .object({
    target: z.string(),
    tools: z.array(z.string()).describe("Under these names this server has called it."),
    breaker: z.enum(["closed", "open", "half-open", "isolated"]),
    says: z.string().describe("Its state in a sentence."),
    since: instant.nullable().describe("When its breaker opened, or a person isolated it."),
    retryAt: instant.nullable().describe("When its breaker lets a probe through."),
    cause: z
      .object({ code: z.string(), title: z.string(), message: z.string().optional().describe("For operators.") })
      .nullable()
      .describe("The failure that opened its breaker."),
    reason: z.string().nullable().describe("Why a person isolated it; for operators."),
    pausedUntil: instant.nullable().describe("Until when it asked callers to wait."),
    running: z.number().describe("Attempts of this server that run now."),
    queued: z.number().describe("Calls of this server that wait for a place."),
    figures: z
      .object({
        calls: z.number(),
        errors: z.number(),
        errorRate: z.number().nullable().describe("From 0 to 1; null without calls."),
        retries: z.number(),
        timeouts: z.number(),
        breakerOpens: z.number(),
        spentMicrocents: z.number(),
        unpricedAttempts: z.number().describe("Attempts without a price: their cost is missing from the sum."),
      })
      .nullable()
      .describe("Since this server started; null when it has not called the target."),
  })
  .meta({ id: "Target" });

export const isolateBody = z
  .strictObject({ reason: z.string().min(1).max(500).describe("Why, for those who meet it.") })
  .meta({ id: "IsolateTarget" });
