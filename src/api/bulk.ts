// One action on many runs that failed alike: shapes and routes.

import { z } from "zod";
import { ACTION_IDS } from "../core/flow/action-words.ts";
import { actionView } from "./runs.ts";
import { route } from "./route.ts";
import { instant, name, page, pageOf } from "./shapes.ts";

const MAX_WAVE = 1_000;
const MAX_WAVES = 20;

const actionId = z.enum(ACTION_IDS);
const bulkStatus = z.enum(["running", "completed", "stopped", "aborted"]);

const pace = z
  .array(z.number().int().min(1).max(MAX_WAVE))
  .min(1)
  .max(MAX_WAVES)
  .optional()
  .describe("The sizes of the first waves; the last one holds for all that follow. Default: 1, 5, 20.");

const bulkPreviewBody = z.strictObject({
  action: actionId.optional().describe("Default: the one that most runs offer and that needs nothing."),
  pace,
});

export const bulkPreview = z
  .object({
    fingerprint: z.string(),
    action: z.string().nullable().describe("The action previewed; null when no run offers any."),
    choices: z.array(z.object({ ...actionView.shape, runs: z.number().describe("How many runs offer it.") })),
    runs: z.array(
      z.object({
        run: z.string(),
        workflow: z.string(),
        status: z.string(),
        node: z.string().describe("The node that failed or waits."),
        code: z.string().nullable(),
        action: actionView.nullable().describe("What it would get; null when it is passed over."),
        passedOver: z.enum(["succeeded", "running", "cancelled", "other-failure", "not-offered"]).nullable(),
        says: z.string().describe("Why it is passed over; empty when it is not."),
      }),
    ),
    estimate: z
      .object({
        runs: z.number().describe("How many runs would be acted on."),
        microcents: z.number().describe("What the stages that would run again have cost so far."),
        longestMs: z.number().describe("The longest that one of them took."),
        pace: z.array(z.number()).describe("The one asked for, or the usual one."),
        waves: z.array(z.number()).describe("How many runs each wave has at this pace."),
      })
      .describe("What to expect, from how it went before."),
  })
  .meta({ id: "BulkPreview" });

const bulkBody = z
  .strictObject({
    action: actionId,
    params: z.record(z.string(), z.unknown()).optional().describe("What the action needs, the same for every run."),
    pace,
  })
  .meta({ id: "BulkRequest" });

export const bulkView = z
  .object({
    id: z.string(),
    fingerprint: z.string(),
    code: z.string(),
    action: z.string(),
    label: z.string().describe("The action in words."),
    by: z.string(),
    pace: z.array(z.number()),
    runs: z.number(),
    status: bulkStatus,
    statusLabel: z.string(),
    says: z.string().describe("How it stands, in a sentence."),
    startedAt: instant,
    endedAt: instant.nullable(),
    abortedBy: z.string().describe("Empty unless a person aborted it."),
  })
  .meta({ id: "Bulk" });

const stepState = z.enum(["pending", "acting", "running", "completed", "failed", "waiting", "refused"]);

export const bulkReport = z
  .object({
    ...bulkView.shape,
    counts: z.record(stepState, z.number()),
    steps: z.array(
      z.object({
        run: z.string(),
        state: stepState,
        label: z.string().describe("The state in words."),
        now: z.string().describe("The run to look at: the same one, or its successor."),
        code: z.string().nullable(),
        wave: z.number().describe("Which wave it is in, from 1."),
        at: instant.nullable().describe("null while it is pending."),
      }),
    ),
  })
  .meta({ id: "BulkReport" });

export const BULK_ROUTES = {
  previewBulk: route({
    summary: "What an action would do to each run that a group of failures concerns. Nothing is done.",
    role: "viewer",
    params: z.object({ fingerprint: name }),
    body: bulkPreviewBody,
    answer: bulkPreview,
    errors: [404],
  }),
  startBulk: route({
    summary:
      "Takes one action on every run that a group of failures concerns: one run, then five, then more at a time.",
    role: "operator",
    acts: true,
    params: z.object({ fingerprint: name }),
    body: bulkBody,
    answer: bulkView,
    status: 202,
    errors: [404, 409],
  }),
  listBulks: route({
    summary: "Bulk actions, the one that was started last first.",
    role: "viewer",
    query: z.object({
      ...page,
      status: bulkStatus.optional(),
      fingerprint: name.optional().describe("Only those on this group of failures."),
    }),
    answer: pageOf(bulkView),
  }),
  showBulk: route({
    summary: "One bulk action with each of its runs.",
    role: "viewer",
    params: z.object({ bulk: name }),
    answer: bulkReport,
    errors: [404],
  }),
  abortBulk: route({
    summary: "Acts on no further run. Runs that were acted on continue.",
    role: "operator",
    acts: true,
    params: z.object({ bulk: name }),
    answer: bulkReport,
    errors: [404],
  }),
};
