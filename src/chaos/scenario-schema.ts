// What a scenario file may say. One zod schema checks files and objects alike.

import * as z from "zod";
import { CHAOS_FAULT_IDS } from "./faults.ts";
import { ERROR_IDS } from "./errors/error-ids.ts";
import { PARAMETER_LIMITS } from "./faults/fault-row.ts";
import { OK } from "./notation.ts";
import { PROTOCOLS } from "./wire.ts";

const ms = z.number().min(0).max(PARAMETER_LIMITS["for-ms"].most);

const faultName = z.enum([OK, ...CHAOS_FAULT_IDS]).describe("The id of a fault, or `ok` for a good answer.");

const call = z.strictObject({
  tool: z.string().min(1).describe("The tool's name; one that was not offered is called all the same."),
  input: z.unknown().optional().describe("Its input; made from the tool's schema when left out."),
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
  "wait-ms": ms.optional().describe("How long each wait of a slow answer is."),
  "as": z.enum(["json", "html"]).optional().describe("The vendor's JSON, or a proxy's page."),
  "error": z.enum(ERROR_IDS).optional().describe("The error that is put into a 200 or a stream."),
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
      .describe("Which of the requests that fit, counted from 1."),
    every: z.int().min(1).describe("Every so many of the requests that fit."),
    key: z.string().min(1).describe("The API key, or its fingerprint as it is shown."),
    streaming: z.boolean(),
  })
  .partial();

const rule = z.strictObject({
  when: when.optional().describe("Every condition given must hold; without any the rule fits all."),
  ...stepShape,
  sequence: z
    .array(z.union([faultName, step]))
    .min(1)
    .max(10_000)
    .optional()
    .describe("One step per request and model."),
  repeat: z.boolean().optional().describe("Begin the sequence again at its end."),
  times: z.int().min(1).optional().describe("How often the rule is used at most."),
  probability: z.number().min(0).max(1).optional().describe("How likely it is used when it fits."),
});

export const scenarioSchema = z
  .strictObject({
    "seed": z.int().min(0).describe("What probabilities are rolled from."),
    "latency-ms": ms.describe("A wait before every answer."),
    "rules": z
      .array(rule)
      .max(10_000)
      .describe("The first that fits is used; a request that fits none gets a good answer."),
  })
  .partial();

/** What a scenario says, as YAML or as an object. */
export type Scenario = z.input<typeof scenarioSchema>;
export type ScenarioStep = z.input<typeof step>;
/** What one request gets: the id of a fault, `ok`, or the whole of it. */
export type ChaosStep = z.input<typeof faultName> | ScenarioStep;
export type ScenarioRule = z.input<typeof rule>;
