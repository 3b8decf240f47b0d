// Targets: whether they are in service, how they did, and what a person can do about them.

import { z } from "zod";
import { LIMITED } from "../core/classify/limits.ts";
import { route } from "./route.ts";
import { instant, name, pageOf } from "./shapes.ts";

export const targetView = z
  .object({
    target: z.string(),
    name: z.string().describe("As people call it."),
    kind: z
      .enum(["model", "cli", "mcp", "http", "tool"])
      .nullable()
      .describe("What is called; null when only the journal knows the target."),
    tools: z.array(z.string()).describe("Under these names this server has called it."),
    breaker: z.enum(["closed", "open", "half-open", "isolated"]),
    state: z
      .object({ id: z.enum(["in-service", "paused", "out-of-service", "tried", "isolated"]), label: z.string() })
      .describe("Where it stands."),
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
    queued: z.number().describe("Calls of this server that wait for a slot."),
    usedAt: instant.nullable().describe("When this server last called it; null when it has not."),
    limits: z
      .array(
        z
          .object({
            of: z.enum(LIMITED),
            remaining: z.number().nullable(),
            limit: z.number().nullable(),
            resetAt: instant.nullable(),
          })
          .meta({ id: "LimitLeft" }),
      )
      .describe("What is left of its quota, as its last response headers said; empty when they said nothing."),
    recent: z
      .object({
        attempts: z.number().describe("How many of the last attempts this is about; 128 at most."),
        errorRate: z.number().describe("The share that failed, from 0 to 1."),
        p50Ms: z.number().nullable().describe("Half of the attempts took no longer; null when no duration is known."),
        p95Ms: z.number().nullable().describe("95 of 100 attempts took no longer."),
      })
      .nullable()
      .describe("How its last attempts went, as far as this server made them; null without any."),
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
    actions: z
      .array(
        z.object({
          id: z.enum(["probe", "reset", "isolate"]),
          label: z.string(),
          effect: z.string().describe("What it does, in a sentence."),
        }),
      )
      .describe("What operators can do to it now, the gentlest first."),
  })
  .meta({ id: "Target" });

const isolateBody = z
  .strictObject({ reason: z.string().min(1).max(500).describe("Why, for those who meet it.") })
  .meta({ id: "IsolateTarget" });

export const TARGET_ROUTES = {
  listTargets: route({
    summary: "Every target with its breaker, pause, quota, latency and figures; those out of service first.",
    role: "viewer",
    answer: pageOf(targetView),
  }),
  isolateTarget: route({
    summary: "Takes a target out of service, in every process of the journal, until it is reset.",
    role: "operator",
    acts: true,
    params: z.object({ target: name }),
    body: isolateBody,
    answer: targetView,
  }),
  resetTarget: route({
    summary: "Puts a target back into service: closes its breaker and ends its pause.",
    role: "operator",
    acts: true,
    params: z.object({ target: name }),
    answer: targetView,
    errors: [404],
  }),
  probeTarget: route({
    summary: "Lets the next call to a target through as a probe, now.",
    role: "operator",
    acts: true,
    params: z.object({ target: name }),
    answer: targetView,
    errors: [404],
  }),
};
