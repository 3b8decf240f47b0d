// Policies: the one in force, texts to check, past decisions under another one, and failures to try out.

import { z } from "zod";
import { LOCALES } from "../core/fault/words/words.ts";
import { PRESET_NAMES } from "../core/policy/presets.ts";
import { evidence } from "./failures.ts";
import { route } from "./route.ts";
import { decisionView, faultView, instant, name, surface } from "./shapes.ts";

const MAX_POLICY_CHARS = 500_000;
const MAX_EXAMPLES = 200;

const presetName = z.enum(PRESET_NAMES);
const policyText = z.string().max(MAX_POLICY_CHARS).describe("A policy in YAML.");
const wait = z.object({
  attempt: z.number(),
  baseMs: z.number(),
  minMs: z.number(),
  maxMs: z.number(),
  totalMaxMs: z.number(),
  reachable: z.boolean(),
});
const names = z.array(z.string());

export const policyRow = z
  .object({
    match: z.object({
      class: names.optional(),
      code: names.optional(),
      surface: names.optional(),
      provider: names.optional(),
      tool: names.optional(),
      stage: names.optional(),
    }),
    matches: z.string().describe("What it matches, in words."),
    maxAttempts: z.number().describe("All attempts, the first included."),
    waits: z.array(wait).describe("The waits between its attempts."),
    then: z.array(z.object({ recourse: z.string(), says: z.string() })).describe("What follows, in this order."),
    origin: z.object({ layer: z.string(), at: z.string() }).describe("Who wrote the row."),
  })
  .meta({ id: "PolicyRow" });

export const policyView = z
  .object({
    name: z.string(),
    presets: z.array(presetName).describe("The policies that come with Faultline."),
    rows: z.array(policyRow).describe("The first row that matches decides."),
    breaker: z.record(z.string(), z.union([z.number(), z.string()])),
    retryBudget: z.object({ capacity: z.number(), perCall: z.number(), perSecond: z.number() }),
    learnsAfter: z.number(),
  })
  .meta({ id: "Policy" });

const diagnostic = z
  .object({
    severity: z.enum(["error", "warning"]),
    code: z.string(),
    message: z.string(),
    line: z.number(),
    column: z.number(),
    length: z.number(),
    label: z.string(),
    help: z.string(),
    shown: z.string().describe("The line of the text with a caret under the mistake."),
  })
  .meta({ id: "Diagnostic" });

const policyCheck = z.strictObject({ text: policyText });
const policyChecked = z
  .object({
    usable: z.boolean().describe("False when there is an error."),
    diagnostics: z.array(diagnostic),
    policy: policyView.nullable(),
  })
  .meta({ id: "CheckedPolicy" });

const onePolicy = { text: policyText.optional(), preset: presetName.optional() } as const;

const policyReplay = z
  .strictObject({
    ...onePolicy,
    sinceAt: instant.optional().describe("Only decisions made at or after this time. Default: all."),
    session: name.optional().describe("Only decisions of this session or run."),
    last: z.number().int().min(1).max(10_000_000).optional().describe("Only the newest so many decisions."),
    progress: name.optional().describe("A name under which `replayProgress` tells how far it is."),
    limit: z.number().int().min(0).max(MAX_EXAMPLES).default(20).describe("How many changed decisions to describe."),
  })
  .refine(({ text, preset }) => (text === undefined) !== (preset === undefined), {
    error: "give one policy: text or preset",
    path: ["text"],
  })
  .meta({ id: "PolicyReplay" });

const replayProgress = z
  .object({
    isRunning: z.boolean().describe("False before it begins, and after it has ended."),
    read: z.number(),
    of: z.number().describe("Entries of the journal to read."),
  })
  .meta({ id: "ReplayProgress" });

const money = z.number();

const policyReplayed = z
  .object({
    policy: z.string(),
    sessions: z.number(),
    firstAt: instant.nullable(),
    lastAt: instant.nullable(),
    decisions: z.number(),
    stageDecisions: z.number(),
    same: z.number(),
    changed: z.number(),
    unknown: z.record(z.string(), z.number()).describe("By the reason why it is not known."),
    table: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        says: z.object({ from: z.string(), to: z.string(), fault: z.string() }).describe("The same in words."),
        code: z.string(),
        tool: z.string(),
        count: z.number(),
        waitMs: z.number().describe("Negative: waits saved."),
      }),
    ),
    waits: z.object({ savedMs: z.number(), addedMs: z.number() }),
    attempts: z.object({ saved: z.number(), added: z.number() }),
    money: z.object({ savedMicrocents: money, addedMicrocents: money, unpricedAttempts: z.number() }),
    openEnded: z.number(),
    examples: z.array(
      z.object({
        session: z.string(),
        isRun: z.boolean().describe("The session is a run of a workflow."),
        seq: z.number(),
        at: instant,
        call: z.string(),
        tool: z.string(),
        code: z.string(),
        from: z.string(),
        to: z.string(),
        was: z.string(),
        would: z.string(),
        why: z.array(z.string()),
      }),
    ),
    limits: z.array(z.object({ id: z.string(), says: z.string() })).describe("What these figures do not say."),
  })
  .meta({ id: "ReplayedPolicy" });

const MAX_PASTED_CHARS = 500_000;

const failureToTry = z
  .strictObject({
    evidence: evidence.optional(),
    pasted: z
      .string()
      .max(MAX_PASTED_CHARS)
      .optional()
      .describe("In place of evidence: an HTTP answer, JSON, stderr or any text. The server finds out which."),
    surface: surface.optional(),
    provider: name.optional(),
    tool: name.optional(),
    stage: name.optional(),
    attempt: z.number().int().min(1).max(1_000).optional(),
    idempotent: z.boolean().optional(),
    alternatives: z.array(name).max(50).optional(),
    deadlineMs: z.number().min(0).optional().describe("How long the caller can wait."),
    ...onePolicy,
  })
  .refine(({ evidence: seen, pasted }) => (seen === undefined) !== (pasted === undefined), {
    error: "give one failure: evidence or pasted",
    path: ["evidence"],
  })
  .refine(({ text, preset }) => text === undefined || preset === undefined, {
    error: "give one policy at most: text or preset",
    path: ["text"],
  })
  .meta({ id: "FailureToTry" });

const bounds = z.object({ minMs: z.number(), maxMs: z.number() });
const faultWords = z.object({
  language: z.enum(LOCALES),
  title: z.string(),
  model: z.string().describe("What a model sees."),
  user: z.string().describe("What happened, for a user."),
  next: z.string().describe("What a user can do."),
  operator: z.string().describe("What an operator can do."),
});

export const triedFailure = z
  .object({
    read: z
      .object({ kind: z.enum(["http", "json", "process", "text"]), surface })
      .nullable()
      .describe("What the pasted text was read as; null for evidence."),
    fault: faultView,
    cause: z.object({ id: z.string(), label: z.string() }).nullable(),
    words: z.array(faultWords).describe("The words about the fault in each language."),
    policy: z.string(),
    row: policyRow,
    decision: decisionView,
    schedule: z
      .array(
        z.object({
          ...decisionView.shape,
          at: bounds.describe("When it is decided, after the first failure, if the attempts take no time."),
          wait: bounds.describe("How long it waits; jitter lies between the bounds."),
        }),
      )
      .describe("Every decision while the fault comes back, the first one included."),
    total: bounds.describe("All waits together."),
  })
  .meta({ id: "TriedFailure" });

export const POLICY_ROUTES = {
  showPolicy: route({
    summary: "The policy in force, or a preset: every row with its origin.",
    role: "viewer",
    query: z.object({ preset: presetName.optional() }),
    answer: policyView,
  }),
  checkPolicy: route({
    summary: "Finds the mistakes in a policy, each with its place and a hint.",
    role: "viewer",
    body: policyCheck,
    answer: policyChecked,
  }),
  replayPolicy: route({
    summary: "Decides past decisions again under another policy, and says which would have differed.",
    role: "viewer",
    body: policyReplay,
    answer: policyReplayed,
  }),
  replayProgress: route({
    summary: "How far a replay is.",
    role: "viewer",
    query: z.object({ progress: name.describe("The name the replay was started under.") }),
    answer: replayProgress,
  }),
  classify: route({
    summary: "Names the fault behind some evidence, and says what would be decided about it. Nothing is written.",
    role: "viewer",
    body: failureToTry,
    answer: triedFailure,
  }),
};
