// Sessions, traces and questions as the API shows them.

import { z } from "zod";
import { VISIT_STANDINGS } from "../core/flow/visit-words.ts";
import { cloudEnvelope, decisionView, faultView, instant, questionView } from "./shapes.ts";

export const sessionStatus = z.enum(["open", "waiting", "done", "failed", "cancelled"]);

/** A state with its label; the ids are those of a run's stages. */
const statePill = z.object({ id: z.enum(VISIT_STANDINGS), label: z.string() });

export const sessionLine = z
  .object({
    session: z.string(),
    status: sessionStatus,
    state: statePill,
    startedAt: instant,
    updatedAt: instant,
    lastSeq: z.number(),
    isRun: z.boolean().describe("A run of a workflow has this name."),
  })
  .meta({ id: "SessionLine" });

const turnView = z.object({
  turn: z.string(),
  status: z.string(),
  state: statePill,
  startedAt: instant,
  endedAt: instant.nullable(),
  deadlineAt: instant.nullable(),
  calls: z.number(),
  attempts: z.number(),
  fault: faultView.nullable(),
});

export const sessionView = z
  .object({
    ...sessionLine.shape,
    mode: z.string().nullable(),
    labels: z.record(z.string(), z.string()),
    spending: z.object({
      microcents: z.number(),
      estimatedMicrocents: z.number(),
      unpricedAttempts: z.number(),
    }),
    turns: z.array(turnView).describe("The newest 500."),
    questions: z.array(questionView),
  })
  .meta({ id: "Session" });

export const entryEventView = z
  .object({
    ...cloudEnvelope,
    data: z.object({
      session: z.string(),
      seq: z.number(),
      at: instant,
      event: z.record(z.string(), z.unknown()),
    }),
  })
  .meta({ id: "EntryEvent" });

const spanView = z
  .object({
    id: z.string(),
    parent: z.string().nullable(),
    kind: z.enum(["turn", "call", "attempt", "wait"]),
    name: z.string(),
    node: z.string().describe("Of a run; empty elsewhere."),
    execution: z.number(),
    startAt: instant,
    endAt: instant.nullable().describe("null while it lasts."),
    status: z.string(),
    state: statePill,
    phase: z.enum(["queue", "wait", "work"]).describe("Waits for a slot, waits for something else, or works."),
    says: z.string().describe("How it ended and why, or what it waits for."),
    why: z.string().nullable().describe("What a wait waits for."),
    until: instant.nullable().describe("When a wait is meant to end."),
    deadlineAt: instant.nullable(),
    tool: z.string(),
    attempt: z.number(),
    attempted: z.boolean(),
    fault: faultView.nullable(),
    group: z.string().nullable().describe("The fingerprint of the fault group that counts the failure."),
    decision: decisionView.nullable(),
    costMicrocents: z.number().nullable(),
  })
  .meta({ id: "Span" });

export const traceView = z
  .object({
    session: z.string(),
    startAt: instant.nullable(),
    endAt: instant.nullable().describe("null while something lasts."),
    deadlineAt: instant.nullable().describe("The line that the newest turn must not cross."),
    graph: z.object({
      nodes: z.array(
        z.object({
          id: z.string(),
          turn: z.string(),
          round: z.number(),
          node: z.string(),
          tool: z.string(),
          label: z.string(),
          status: z.string(),
          state: statePill,
          says: z.string().describe("How it ended and why; names the step that it could not do without."),
          because: z.string().nullable().describe("The id of that step."),
          span: z.string().nullable().describe("The span of its call; null when it was never called."),
          fault: faultView.nullable(),
        }),
      ),
      edges: z.array(
        z.object({
          from: z.string(),
          to: z.string(),
          kind: z.enum(["need", "cascade"]).describe("cascade: the one ended because of the other."),
        }),
      ),
    }),
    spans: z.array(spanView).describe("The waterfall, in the order in which the spans began."),
    left: z.number().describe("How many older spans were left out."),
  })
  .meta({ id: "Trace" });

export const alsoLooking = z
  .array(z.string())
  .describe("The tokens, besides yours, whose owners have looked at the question in the last 20 seconds.");

export const openQuestionView = z
  .object({
    ...questionView.shape,
    isRun: z.boolean().describe("Its session is a run of a workflow."),
    by: z.string().nullable().describe("Who answered it; null while it is open."),
    canAnswer: z.boolean().describe("False for a secret: it is answered where it was asked, never over HTTP."),
    wants: z.enum(["json", "yes-no", "option", "text"]).describe("What an accepted answer must be."),
    alsoLooking,
  })
  .meta({ id: "OpenQuestion" });

export const answerBody = z
  .union([
    z.strictObject({ status: z.literal("accepted"), value: z.unknown() }),
    z.strictObject({ status: z.literal("rejected"), reason: z.string().max(2_000) }),
  ])
  .meta({ id: "Answer" });

export const answered = z
  .object({ question: z.string(), session: z.string(), isRun: z.boolean() })
  .meta({ id: "Answered" });
