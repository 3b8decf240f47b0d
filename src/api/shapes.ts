// Shapes that several routes share.

import { z } from "zod";
import { SURFACES } from "../core/classify/evidence.ts";
import { FAULT_CAUSES, FAULT_CODES, type FaultCause } from "../core/fault/catalogue.ts";

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
const MAX_NAME = 200;

/** A name in a path or a query: never empty, never endless. */
export const name = z.string().min(1).max(MAX_NAME);
/** Epoch milliseconds. */
export const instant = z.number().min(0).max(8.64e15);
export const faultCode = z.enum(FAULT_CODES as readonly [string, ...string[]]);
export const faultCause = z.enum(FAULT_CAUSES as readonly [FaultCause, ...FaultCause[]]);
export const surface = z.enum(SURFACES);

/** The part of a query that pages a list. */
export const page = {
  limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe("How many at most."),
  cursor: z.string().max(2_000).optional().describe("From the page before: `next`."),
} as const;

/** One page of a list. */
export function pageOf<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ items: z.ZodArray<Item>; next: z.ZodNullable<z.ZodString> }> {
  return z.object({
    items: z.array(item),
    next: z.string().nullable().describe("The cursor of the next page; null at the end."),
  });
}

const thrownView = z.object({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  stack: z.string().optional().describe("The top frames, one per line."),
});

/** A fault as its reader may see it. The last group of fields is for operators. */
export const faultView = z
  .object({
    class: z.string(),
    code: z.string(),
    title: z.string(),
    message: z.string().describe("What happened, for a user."),
    next: z.string().describe("What to do next, for a user."),
    retryable: z.boolean(),
    correlationId: z.string(),
    retryAfterMs: z.number().optional(),
    resetAt: z.number().optional(),
    detail: z.string().optional().describe("What happened, for operators."),
    hint: z.string().optional(),
    rule: z.string().optional(),
    source: z.string().optional(),
    nearly: z.array(z.string()).optional(),
    excerpt: z.string().optional(),
    context: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
    causes: z
      .array(z.object({ class: z.string(), code: z.string(), message: z.string() }))
      .optional()
      .describe("What caused it, nearest first."),
    thrown: z.array(thrownView).optional().describe("The thrown error, then what caused it."),
    requestIds: z
      .record(z.string(), z.string())
      .optional()
      .describe("Under which ids the other side has logged the request, by the name of their header or field."),
  })
  .meta({ id: "Fault" });

export const decisionView = z
  .object({
    recourse: z.string(),
    says: z.string().describe("The decision in a sentence."),
    why: z.array(z.string()).describe("Why nothing else was done, one sentence each."),
    row: z.object({ layer: z.string(), at: z.string() }).describe("The policy row in charge."),
    delayMs: z.number().optional(),
    serverWait: z.boolean().optional().describe("The other side named the wait."),
    attempt: z.number().optional(),
    maxAttempts: z.number().optional(),
    target: z.string().optional(),
    tool: z.string().optional(),
    wakeAt: z.number().optional(),
    question: z.string().optional(),
    left: z.array(z.string()).describe("What the policy would try after this."),
    leftSays: z.array(z.string()).describe("The same in words."),
  })
  .meta({ id: "Decision" });

export const questionView = z
  .object({
    id: z.string(),
    session: z.string(),
    call: z.string(),
    turn: z.string(),
    code: z.string().nullable(),
    title: z.string().nullable().describe("The fault behind it in a few words; null when no fault is."),
    kind: z.string(),
    prompt: z.string(),
    askedAt: instant,
    expiresAt: instant.nullable().describe("Until when it can be answered; null: without an end."),
    atTimeout: z.string().describe("What happens without an answer, in a sentence."),
    options: z.array(z.object({ id: z.string(), label: z.string() })).optional(),
    schema: z.record(z.string(), z.unknown()).optional().describe("JSON Schema of the answer, for a form."),
    issues: z.array(z.object({ path: z.string(), expected: z.string(), got: z.string() })).optional(),
    url: z.string().optional(),
    userCode: z.string().optional(),
    tool: z.string().optional(),
    field: z.string().optional(),
  })
  .meta({ id: "Question" });

export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.number(),
    detail: z.string(),
    code: z.string(),
    next: z.string().describe("What to do about it."),
    correlation_id: z.string(),
    class: z.string().optional(),
    retryable: z.boolean().optional(),
    retry_after_ms: z.number().optional(),
    reset_at: z.string().optional(),
    instance: z.string().optional(),
    reason: z.string().optional().describe("More about the cause, for operators."),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: "Problem" });

export const spendingView = z.object({
  microcents: z.number(),
  estimatedMicrocents: z.number(),
  unpricedAttempts: z.number(),
});

/** The envelope of CloudEvents 1.0. */
export const cloudEnvelope = {
  specversion: z.literal("1.0"),
  id: z.string(),
  source: z.string(),
  type: z.string(),
  subject: z.string().optional(),
  time: z.string(),
  datacontenttype: z.literal("application/json"),
  dataschema: z.string(),
} as const;

/** A short label with its stable name. */
export function labelled<const Ids extends readonly [string, ...string[]]>(
  ids: Ids,
): z.ZodObject<{ id: z.ZodEnum<{ [Id in Ids[number]]: Id }>; label: z.ZodString }> {
  return z.object({ id: z.enum(ids), label: z.string() });
}
