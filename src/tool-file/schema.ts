// The format of tool manifests, with the field names of the tool error handling specification. One zod schema checks files and
// generates the JSON Schema for editors.

import * as z from "zod";
import { FAULT_CODES, MODEL_DETAILS } from "../core/index.ts";

const DAY_MS = 24 * 3_600_000;
const MONTH_MS = 30 * DAY_MS;

const ms = (least: number, most: number, about: string) =>
  z.int().min(least).max(most).describe(`${about} Milliseconds.`);

const toolId = z
  .string()
  .regex(/^[^\s\u0000-\u001f\u007f-\u009f]{1,128}$/, "must be 1 to 128 characters without spaces")
  .describe("The tool's id.");

const retryPolicy = z
  .strictObject({
    strategy: z
      .enum(["exponential_backoff", "linear_backoff", "fixed_delay"])
      .describe("How waits grow from one attempt to the next. Default: `exponential_backoff`."),
    initial_delay_ms: ms(0, DAY_MS, "The wait before the second attempt. Default: 100."),
    max_delay_ms: ms(0, DAY_MS, "No computed wait is longer. Default: 800."),
    multiplier: z.number().min(1).max(100).describe("Growth per attempt, for `exponential_backoff`. Default: 2."),
    jitter_percent: z.number().min(0).max(100).describe("15 spreads a computed wait by ±15 %. Default: 10."),
    max_attempts: z.int().min(1).max(100).describe("The most attempts, including the first. Default: 5."),
    max_total_time_ms: ms(0, MONTH_MS, "All waits of one call together. Default: 2000."),
  })
  .partial()
  .describe("How often, and how long apart, to retry transient failures.");

const circuitBreaker = z
  .strictObject({
    failure_threshold: z.int().min(1).max(1000).describe("Consecutive failures that open it."),
    success_threshold: z.int().min(1).max(1000).describe("Consecutive successful probes that close it."),
    timeout_ms: ms(1, DAY_MS, "How long it stays open before a probe."),
  })
  .partial()
  .describe("When to stop calling the tool for a while.");

/** One of the specification's two classes, or a fault code. */
export const MEANINGS = ["transient", "permanent"] as const;

const classificationRow = z
  .strictObject({
    status: z.int().min(400).max(599).describe("The HTTP status, anywhere in the failure."),
    error_code: z
      .union([z.string().min(1).max(80), z.int()])
      .describe("An error code such as E_BUSY, in any letter case; as a number, a JSON-RPC code such as -32001."),
    text: z.string().min(3).max(200).describe("Words of the error text; case does not matter."),
    as: z
      .enum([...MEANINGS, ...FAULT_CODES])
      .describe(
        "`transient`: retry helps. `permanent`: it does not. Either way, a failure that may have done its work is still treated as such. Or a fault code.",
      ),
  })
  .partial({ status: true, error_code: true, text: true })
  .meta({ anyOf: [{ required: ["status"] }, { required: ["error_code"] }, { required: ["text"] }] })
  .describe("All conditions must hold. The first matching row wins, before all built-in rules.");

const settings = z
  .strictObject({
    timeout_ms: ms(1, MONTH_MS, "Time limit of each attempt. Default: 30000."),
    idempotent: z.boolean().describe("It can run twice without harm. Default: false."),
    optional: z.boolean().describe("The caller can continue without it. Default: false."),
    model_detail: z
      .enum(MODEL_DETAILS)
      .describe(
        "What a model may read of a failure, redacted: nothing (`none`), the end of the tool's output, or its message too. Default: `none`.",
      ),
    default: z.unknown().describe("The value to use when everything else failed. null is a value too."),
    alternatives: z.array(toolId).max(50).describe("Other tools that can do this with the same input, best first."),
    max_concurrent: z.int().min(1).max(100_000).describe("Calls running at the same time."),
    max_queued: z.int().min(0).max(1_000_000).describe("Calls waiting for their turn; one more is refused."),
    retry_policy: retryPolicy,
    circuit_breaker: circuitBreaker,
    classification: z.array(classificationRow).max(100).describe("What failures of this tool mean, first match wins."),
  })
  .partial();

const tool = z.strictObject({ id: toolId, ...settings.shape });

export const toolFileSchema = z
  .strictObject({
    tool: tool.describe("One tool."),
    tools: z.array(tool).min(1).describe("Several tools."),
  })
  .partial();

export type ToolFileTool = z.infer<typeof tool>;
export type ToolFileRow = z.infer<typeof classificationRow>;

/** For editors: put `# yaml-language-server: $schema=…/tool-manifest.schema.json` on the first line of a manifest. */
export function toolManifestJsonSchema(): object {
  return {
    title: "Faultline tool manifest",
    ...z.toJSONSchema(toolFileSchema, { target: "draft-2020-12" }),
    anyOf: [{ required: ["tool"] }, { required: ["tools"] }],
  };
}
