// Failures of the same kind, as groups: shapes and routes.

import { z } from "zod";
import { route } from "./route.ts";
import { instant, name, page, pageOf } from "./shapes.ts";

/** A year of hours, the most that one trend shows. */
const MAX_BUCKETS = 1_000;
const MIN_BUCKET_MS = 60_000;

const trendQuery = {
  trendMs: z.coerce
    .number()
    .int()
    .min(MIN_BUCKET_MS)
    .max(366 * 86_400_000)
    .default(7 * 86_400_000)
    .describe("How far back the trend goes."),
  bucketMs: z.coerce.number().int().min(MIN_BUCKET_MS).default(3_600_000).describe("How long each of its buckets is."),
} as const;

function hasFewBuckets({ trendMs, bucketMs }: { readonly trendMs: number; readonly bucketMs: number }): boolean {
  return trendMs / bucketMs < MAX_BUCKETS;
}

export const faultBucket = z
  .object({
    at: instant,
    count: z.number(),
    recoveredByRetry: z.number().describe("How many of them an automatic retry recovered."),
  })
  .meta({ id: "FaultBucket" });
const trend = z.array(faultBucket).describe("How many failures each bucket has.");

export const faultGroup = z
  .object({
    fingerprint: z.string(),
    class: z.string(),
    code: z.string(),
    follows: z
      .boolean()
      .describe("Refused calls: a consequence of other failures, which the overview does not count again."),
    title: z.string(),
    message: z.string().describe("What happened, for a user."),
    next: z.string().describe("What to do next, for a user."),
    tool: z.string().describe("The tool, target or node that failed."),
    count: z.number(),
    sessions: z.number().describe("In how many sessions and runs it occurred."),
    firstAt: instant,
    lastAt: instant,
    trend,
    example: z.string().optional().describe("The newest failure in its own words; for operators."),
  })
  .meta({ id: "FaultGroup" });

export const faultGroupReport = z
  .object({
    ...faultGroup.shape,
    helped: z
      .array(z.object({ recourse: z.string(), says: z.string(), worked: z.number(), failed: z.number() }))
      .describe(
        "What was tried, by the program and by people (`person:…`, of the newest 50 runs); what worked most often first.",
      ),
    cost: z.object({
      microcents: z.number().describe("What the failed attempts cost."),
      estimatedMicrocents: z.number().describe("How much of it is estimated."),
      unpricedAttempts: z.number().describe("Attempts without a price: their cost is missing from the sum."),
      failures: z.number().describe("How many failures this covers: the newest ones."),
    }),
    shared: z
      .object({
        code: z.string(),
        surface: z.string(),
        provider: z.string(),
        tool: z.string(),
        rule: z.string().describe("The row that named the fault."),
        status: z.number().nullable().describe("The HTTP status."),
      })
      .describe(
        "What the failures of the group have in common, which is why they are one group; empty parts are unknown.",
      ),
    operator: z.string().optional().describe("What operators should know about this code."),
  })
  .meta({ id: "FaultGroupReport" });

export const faultOccurrence = z
  .object({
    at: instant,
    session: z.string(),
    seq: z.number(),
    call: z.string().describe("Empty for a failed node of a run."),
    isRun: z.boolean().describe("The session is a run of a workflow."),
    recourse: z.string().describe("What was decided."),
    says: z.string().describe("The recourse in words."),
    worked: z.boolean().nullable().describe("null: not known, or not yet."),
    message: z.string().optional().describe("For operators."),
  })
  .meta({ id: "FaultOccurrence" });

export const FAULT_GROUP_ROUTES = {
  listFaultGroups: route({
    summary: "Failures of the same kind, as groups; the one with the newest failure first.",
    role: "viewer",
    query: z.object({
      ...page,
      code: name.optional().describe("Only groups of this fault code."),
      q: z
        .string()
        .min(1)
        .max(400)
        .optional()
        .describe("Only groups whose title, code, tool or, for operators, newest failure contain every word."),
      tool: name.optional().describe("Only failures of this tool, target or node."),
    }),
    answer: pageOf(faultGroup),
  }),
  showFaultGroup: route({
    summary: "One group: how often it happens, what helped, what it cost.",
    role: "viewer",
    params: z.object({ fingerprint: name }),
    query: z.object(trendQuery).refine(hasFewBuckets, { error: "at most 1,000 buckets", path: ["bucketMs"] }),
    answer: faultGroupReport,
    errors: [404],
  }),
  listFaults: route({
    summary: "The failures of a group, newest first.",
    role: "viewer",
    params: z.object({ fingerprint: name }),
    query: z.object(page),
    answer: pageOf(faultOccurrence),
    errors: [404],
  }),
};
