// The format of a scenario. One zod schema checks files and objects.

import * as z from "zod";
import { CHAOS_FAULT_IDS } from "./faults.ts";
import { ERROR_IDS } from "./errors/error-ids.ts";
import { PARAMETER_LIMITS } from "./faults/fault-row.ts";
import { OK } from "./notation.ts";
import { PROTOCOLS } from "./wire.ts";

const ms = z.number().min(0).max(PARAMETER_LIMITS["for-ms"].most);

const faultName = z.enum([OK, ...CHAOS_FAULT_IDS]).describe("The id of a fault, or `ok` for a good answer.");

const call = z.strictObject({
  tool: z.string().min(1).describe("The tool's name; the tool is called even if it was not offered."),
  input: z.unknown().optional().describe("Its input. Default: a sample of the tool's schema."),
});

/** What happens to one request. */
const stepShape = {
  "fault": faultName.optional(),
  "answer": z.string().optional().describe("What the model says."),
  "call": call.optional().describe("The tool it calls."),
  "calls": z.array(call).min(1).max(100).optional().describe("Several tools, called at once."),
  "json": z.unknown().optional().describe("The value it answers with, as JSON."),
  "retry-after": z
    .number()
    .min(0)
    .max(PARAMETER_LIMITS["retry-after"].most)
    .optional()
    .describe("Seconds until a limit lifts."),
  "after": z.int().min(0).max(PARAMETER_LIMITS.after.most).optional().describe("Pieces of content before the fault."),
  "for-ms": ms.optional().describe("How long a stall, a hang or a refusal lasts."),
  "wait-ms": ms.optional().describe("The length of each pause in a slow answer."),
  "as": z.enum(["json", "html"]).optional().describe("The vendor's JSON, or a proxy's page."),
  "error": z.enum(ERROR_IDS).optional().describe("The error inside a 200 response or a stream."),
} as const;

const step = z.strictObject(stepShape);

const when = z
  .strictObject({
    model: z.string().min(1).describe("The name of the model; `*` stands for anything."),
    protocol: z.enum(PROTOCOLS),
    request: z
      .union([
        z.int().min(1),
        z.string().regex(/^[1-9]\d{0,8}-(?:[1-9]\d{0,8})?$/, "must be a number or a range such as 2-4 or 3-"),
      ])
      .describe("Which of the matching requests, counted from 1."),
    every: z.int().min(1).describe("Every n-th matching request."),
    key: z.string().min(1).describe("The API key, or its fingerprint."),
    streaming: z.boolean(),
  })
  .partial();

const rule = z.strictObject({
  when: when.optional().describe("All conditions must hold; without conditions the rule matches every request."),
  ...stepShape,
  sequence: z
    .array(z.union([faultName, step]))
    .min(1)
    .max(10_000)
    .optional()
    .describe("One step per request and model."),
  repeat: z.boolean().optional().describe("Restart the sequence at its end."),
  times: z.int().min(1).optional().describe("The most times the rule is used."),
  probability: z.number().min(0).max(1).optional().describe("The probability that a matching request gets it."),
});

export const scenarioSchema = z
  .strictObject({
    "seed": z.int().min(0).describe("The seed for probabilities."),
    "latency-ms": ms.describe("A wait before every answer."),
    "rules": z
      .array(rule)
      .max(10_000)
      .describe("The first matching rule is used; a request that matches none gets a good answer."),
  })
  .partial();

/** A scenario, as YAML or as an object. */
export type Scenario = z.input<typeof scenarioSchema>;
/** What happens to one request of a scenario. */
export type ScenarioStep = z.input<typeof step>;
/** What one request gets: a fault id, `ok`, or a full step. */
export type ChaosStep = z.input<typeof faultName> | ScenarioStep;
/** Which requests of a scenario fail, and how. */
export type ScenarioRule = z.input<typeof rule>;
