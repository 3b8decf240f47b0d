// What executors send about failures, and what they get: shapes and routes.

import { z } from "zod";
import { EXECUTOR_RECOURSES } from "../runtime/report/failure-report.ts";
import { route } from "./route.ts";
import { decisionView, faultCode, faultView, instant, name, questionView, surface } from "./shapes.ts";

const MAX_TOOLS = 50;
/** Becomes part of the failure's id. */
const reportName = z.string().regex(/^(?!\.+$)[\w.:@-]{1,100}$/);
const toolName = z.string().min(1).max(200);

export const evidence = z
  .strictObject({
    status: z.number().int().min(100).max(599).describe("An HTTP status.").optional(),
    headers: z.record(z.string(), z.unknown()).describe("The headers of the response.").optional(),
    body: z.unknown().describe("The body of the response, as text or parsed JSON.").optional(),
    message: z.string().describe("Error text: an exception's message, stderr. Never a model's prose.").optional(),
    error: z.unknown().describe("An exception as JSON, with name, message and code.").optional(),
    code: z.string().describe("An errno such as ECONNRESET.").optional(),
    exitCode: z.number().int().nullable().optional(),
    signal: z.string().nullable().describe("The signal that ended a process.").optional(),
    stopReason: z.string().describe("Why a model stopped.").optional(),
    aborted: z.boolean().describe("The caller cancelled the work.").optional(),
    observedAt: z.number().min(0).max(4e12).describe("When it was seen.").optional(),
  })
  .meta({ id: "Evidence" });

const retry = z.union([
  z.literal("none"),
  z.strictObject({
    maxAttempts: z.number().int().min(1).max(1_000).optional(),
    backoff: z
      .strictObject({
        kind: z.enum(["fixed", "linear", "exponential"]).optional(),
        initialMs: z.number().min(0).optional(),
        maxMs: z.number().min(0).optional(),
        multiplier: z.number().min(1).max(100).optional(),
      })
      .optional(),
    jitter: z.number().min(0).max(1).optional(),
    maxWaitMs: z.number().min(0).optional(),
    maxTotalWaitMs: z.number().min(0).optional(),
  }),
]);

const failureReport = z
  .strictObject({
    tool: toolName.describe("The tool that failed."),
    evidence: evidence.optional(),
    code: faultCode.describe("The fault's code, if the executor knows it.").optional(),
    failure: z.string().max(300).describe("From an earlier answer: the same call has failed again.").optional(),
    session: reportName.describe("Groups the calls of one conversation or job.").optional(),
    call: reportName.describe("Names the call within its session.").optional(),
    attempt: z.number().int().min(1).describe("The attempt that failed. Default: the next one.").optional(),
    idempotent: z.boolean().describe("The work may be done twice without harm.").optional(),
    ran: z.boolean().describe("Whether the work may have been done, if the executor knows.").optional(),
    deadlineAt: z.number().min(0).max(4e12).describe("When the executor must be done.").optional(),
    alternatives: z.array(toolName).max(MAX_TOOLS).describe("Other tools for the same work, best first.").optional(),
    optional: z.boolean().describe("The executor can do without the result.").optional(),
    hasDefault: z.boolean().describe("The executor has a value to use instead.").optional(),
    hasPartial: z.boolean().describe("The executor has part of the result.").optional(),
    committed: z.boolean().describe("Part of the answer has reached the user.").optional(),
    can: z.array(z.enum(EXECUTOR_RECOURSES)).describe("What else the executor can do.").optional(),
    target: toolName.describe("Calls to one target share a breaker.").optional(),
    provider: toolName.describe("Calls to one provider share a retry budget.").optional(),
    surface: surface.optional(),
    retry: retry.describe("Differences from the policy's retries.").optional(),
    durationMs: z.number().min(0).describe("How long the attempt took.").optional(),
    costUsd: z.number().min(0).max(1e6).describe("What the attempt cost.").optional(),
    input: z.unknown().describe("The input of the call, for people; shortened, without secrets.").optional(),
  })
  .meta({ id: "FailureReport" });

/** A first report is found again by its key, a later one by the number of its attempt. */
function namesItsAttempt(body: unknown): boolean {
  const { failure, call, attempt } = body as z.output<typeof failureReport>;
  return (failure === undefined && call === undefined) || attempt !== undefined;
}

const planned = {
  tool: toolName.describe("The tool to call."),
  target: toolName.describe("Calls to one target share a breaker.").optional(),
  provider: toolName.describe("Calls to one provider share a retry budget.").optional(),
};

const plannedCall = z
  .strictObject({
    ...planned,
    alternatives: z.array(toolName).max(MAX_TOOLS).describe("Other tools for the same work, best first.").optional(),
  })
  .meta({ id: "PlannedCall" });

const successReport = z
  .strictObject({ ...planned, durationMs: z.number().min(0).describe("How long the call took.").optional() })
  .meta({ id: "SuccessReport" });

export const admission = z
  .object({
    action: z
      .enum(["attempt", "wait", "stop"])
      .describe("attempt: call `tool` now. wait: ask again at `nextAt`. stop: every tool is out of service."),
    tool: z.string().describe("The tool to call: an alternative if the one that was asked for is out of service."),
    waitMs: z.number().describe("How long to wait before asking again."),
    nextAt: instant.nullable(),
    breaker: z.string().describe("The state of the breaker of the tool's target."),
  })
  .meta({ id: "MayCall" });

export const sessionEnd = z
  .strictObject({ status: z.enum(["done", "failed", "cancelled"]).default("done").describe("How the work ended.") })
  .meta({ id: "SessionEnd" });

const failureOutcome = z
  .strictObject({
    status: z.enum(["succeeded", "cancelled"]),
    attempt: z.number().int().min(1).optional(),
    durationMs: z.number().min(0).optional(),
    costUsd: z.number().min(0).max(1e6).optional(),
    output: z.unknown().optional(),
    reason: z.string().min(1).max(2_000).optional(),
  })
  .meta({ id: "FailureOutcome" });

export const failureAnswer = z
  .object({
    id: z.string().describe("Send it with the next report about this call, and with its outcome."),
    session: z.string(),
    call: z.string(),
    tool: z.string().describe("The tool in charge after the decision."),
    attempt: z.number().describe("The attempt that failed last."),
    fault: faultView,
    decision: decisionView,
    action: z
      .enum(["attempt", "wait", "ask", "stop"])
      .describe(
        "attempt: try `tool` after `waitMs`. wait: ask again at `nextAt`. ask: a person is asked. stop: it is over.",
      ),
    waitMs: z.number().describe("How long to wait before the next attempt."),
    nextAt: instant.nullable(),
    breaker: z.string(),
    question: questionView.nullable(),
    end: z.string().nullable().describe("How the call ended; null while it has not."),
    input: z.unknown().describe("A person replaced the input: use this one.").optional(),
    words: z
      .object({ model: z.string(), user: z.string(), operator: z.string() })
      .describe("The failure in words, by who reads them."),
    repeated: z.boolean().describe("This attempt was reported before; this is the decision on record."),
  })
  .meta({ id: "Failure" });

export const FAILURE_ROUTES = {
  mayCall: route({
    summary:
      "Says whether a call may begin now, and with which tool. Ask before the first attempt; nothing is written.",
    role: "viewer",
    body: plannedCall,
    answer: admission,
  }),
  reportSuccess: route({
    summary: "Tells that a call worked at once: its breaker closes again after an outage.",
    role: "operator",
    acts: true,
    body: successReport,
    answer: admission,
  }),
  reportFailure: route({
    summary: "Decides about a failure of work that runs elsewhere.",
    role: "operator",
    acts: true,
    keyed: namesItsAttempt,
    body: failureReport,
    answer: failureAnswer,
    errors: [404, 409],
  }),
  showFailure: route({
    summary: "A reported call as it stands, with a person's answer taken into account.",
    role: "viewer",
    params: z.object({ id: name }),
    answer: failureAnswer,
    errors: [404],
  }),
  reportOutcome: route({
    summary: "Tells how a reported call ended.",
    role: "operator",
    acts: true,
    params: z.object({ id: name }),
    body: failureOutcome,
    answer: failureAnswer,
    errors: [404],
  }),
};
