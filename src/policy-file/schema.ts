// The format of policy files. One zod schema checks files and generates the JSON Schema for editors.

import * as z from "zod";
import { FAULT_CLASSES, FAULT_CODES, PRESET_NAMES, RECOURSES, SURFACES } from "../core/index.ts";

const ms = (most: number, about: string) => z.int().min(0).max(most).describe(`${about} Milliseconds.`);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const oneOrMore = <T extends z.ZodType>(item: T, about: string) =>
  z.union([item, z.array(item).min(1)]).describe(about);

const backoff = z
  .strictObject({
    kind: z.enum(["fixed", "linear", "exponential"]).describe("How waits grow from one attempt to the next."),
    initialMs: ms(DAY_MS, "The wait before the second attempt."),
    maxMs: ms(DAY_MS, "No computed wait is longer."),
    multiplier: z.number().min(1).max(100).describe("Growth per attempt, for `exponential`. Default: 2."),
  })
  .partial({ maxMs: true, multiplier: true })
  .describe("How long to wait between attempts.");

const retry = z
  .strictObject({
    maxAttempts: z.int().min(1).max(100).describe("The most attempts, including the first."),
    backoff,
    jitter: z.number().min(0).max(1).describe("0.2 spreads a computed wait by ±20 %. Default: 0.2."),
    maxWaitMs: ms(30 * DAY_MS, "The longest single wait; a longer one is not waited for. Default: 10 minutes."),
    maxTotalWaitMs: ms(30 * DAY_MS, "All waits of one call together. Default: one hour."),
  })
  .partial({ jitter: true, maxWaitMs: true, maxTotalWaitMs: true });

const match = z
  .strictObject({
    class: oneOrMore(z.enum(FAULT_CLASSES), "The fault's class."),
    code: oneOrMore(z.enum(FAULT_CODES), "The fault's code."),
    surface: oneOrMore(z.enum(SURFACES), "Where it was seen."),
    provider: oneOrMore(z.string().min(1), "The provider's name."),
    tool: oneOrMore(z.string().min(1), "The tool's id."),
    stage: oneOrMore(z.string().min(1), "The stage's name."),
  })
  .partial()
  .describe("All fields must match; an empty match matches everything.");

const row = z
  .strictObject({
    match,
    retry: z.union([z.literal("none"), retry]).describe("`none`, or how often, and how long apart, to retry."),
    then: z.array(z.enum(RECOURSES)).min(1).describe("What to do when retries are used up or not allowed, in order."),
  })
  .partial({ retry: true })
  .describe("First match wins.");

const breaker = z
  .strictObject({
    failures: z.int().min(1).max(1000).describe("Consecutive failures that open it."),
    successes: z.int().min(1).max(1000).describe("Consecutive successful probes that close it."),
    openMs: ms(DAY_MS, "How long it stays open the first time."),
    growth: z.number().min(1).max(10).describe("Each opening in a row lasts this many times longer."),
    maxOpenMs: ms(DAY_MS, "The longest it stays open."),
    probeTimeoutMs: ms(DAY_MS, "A probe without an answer by then makes room for the next."),
    counts: z
      .enum(["calls", "attempts"])
      .describe("What counts as a failure: a call with all its attempts, or each attempt."),
  })
  .partial();

const retryBudget = z
  .strictObject({
    capacity: z.number().min(0).max(1e6).describe("The most retries that can be saved up."),
    perCall: z.number().min(0).max(10).describe("What each first attempt earns."),
    perSecond: z.number().min(0).max(1e4).describe("What each second earns."),
  })
  .partial();

/** The zod schema of a policy file. */
export const policyFileSchema = z
  .strictObject({
    version: z.literal(1).describe("The version of this format."),
    preset: z
      .enum(PRESET_NAMES)
      .describe("The policy that these rows extend; they come before its rows. Default: `default`."),
    rows: z.array(row).describe("Rows, first match wins, in front of the preset's."),
    breaker,
    retryBudget,
    learnsAfter: z
      .int()
      .min(0)
      .max(1000)
      .describe(
        "After this many failures in a row a recourse is skipped, after this many successes it is preferred; 0 for never.",
      ),
  })
  .partial({ preset: true, rows: true, breaker: true, retryBudget: true, learnsAfter: true });

/** A policy file as it is written. */
export type PolicyFile = z.infer<typeof policyFileSchema>;
export type PolicyFileRow = z.infer<typeof row>;
export type PolicyFileRetry = z.infer<typeof retry>;

/** For editors: put `# yaml-language-server: $schema=…/policy.schema.json` on the first line of a policy file. */
export function policyJsonSchema(): object {
  return { title: "Faultline policy", ...z.toJSONSchema(policyFileSchema, { target: "draft-2020-12" }) };
}
