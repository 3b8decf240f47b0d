// Sessions, traces and questions: shapes and routes.

import { z } from "zod";
import { VISIT_STANDINGS } from "../core/flow/run-words.ts";
import { sessionEnd } from "./failures.ts";
import { route } from "./route.ts";
import {
  cloudEnvelope,
  decisionView,
  faultView,
  instant,
  labelled,
  name,
  page,
  pageOf,
  questionView,
  spendingView,
} from "./shapes.ts";

const sessionStatus = z.enum(["open", "waiting", "done", "failed", "cancelled"]);

/** A state with its label; the ids are those of a run's stages. */
const statePill = labelled(VISIT_STANDINGS);

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
    spending: spendingView,
    turns: z.array(turnView).describe("The newest 500."),
    questions: z.array(questionView),
  })
  .meta({ id: "Session" });

const entryEventView = z
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

const alsoLooking = z
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

const answerBody = z
  .union([
    z.strictObject({ status: z.literal("accepted"), value: z.unknown() }),
    z.strictObject({ status: z.literal("rejected"), reason: z.string().max(2_000) }),
  ])
  .meta({ id: "Answer" });

const answered = z.object({ question: z.string(), session: z.string(), isRun: z.boolean() }).meta({ id: "Answered" });

const ofSession = z.object({ session: name });
const ofQuestion = z.object({ question: name });
const traceQuery = z.object({
  turn: name.optional().describe("Only this turn."),
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000).describe("The newest spans, at most so many."),
});

export const SESSION_ROUTES = {
  listQuestions: route({
    summary: "The questions that wait for a person, oldest first.",
    role: "viewer",
    query: z.object({ ...page, session: name.optional().describe("Only questions of this session or run.") }),
    answer: pageOf(openQuestionView),
  }),
  showQuestion: route({
    summary: "A question, with a form for its answer.",
    role: "viewer",
    params: ofQuestion,
    answer: openQuestionView,
    errors: [404],
  }),
  answerQuestion: route({
    summary: "Answers a question. The first answer counts.",
    role: "operator",
    acts: true,
    params: ofQuestion,
    body: answerBody,
    answer: answered,
    errors: [404],
  }),
  lookAtQuestion: route({
    summary: "Tells the others that you look at a question. Send it again while you do, every eight seconds.",
    role: "viewer",
    params: ofQuestion,
    answer: z.object({ alsoLooking }),
    errors: [404],
  }),
  listSessions: route({
    summary: "Sessions, newest first. A run is a session of the same name.",
    role: "viewer",
    query: z.object({
      ...page,
      status: sessionStatus.optional(),
      kind: z.enum(["run", "program"]).optional().describe("Only runs of workflows, or only the others."),
    }),
    answer: pageOf(sessionLine),
  }),
  showSession: route({
    summary: "A session: its turns, costs and open questions.",
    role: "viewer",
    params: ofSession,
    answer: sessionView,
    errors: [404],
  }),
  endSession: route({
    summary: "Ends a session of reported calls; calls that are open are cancelled.",
    role: "operator",
    acts: true,
    params: ofSession,
    body: sessionEnd,
    answer: sessionLine,
    errors: [404, 409],
  }),
  listEntries: route({
    summary: "The journal entries of a session as CloudEvents.",
    role: "viewer",
    params: ofSession,
    query: z.object({
      limit: page.limit,
      after: z.coerce.number().int().min(0).default(0).describe("Only entries behind this number."),
    }),
    answer: z.object({ items: z.array(entryEventView), next: z.number().nullable().describe("The next `after`.") }),
    errors: [404],
  }),
  traceSession: route({
    summary: "A session over time: its plans as a graph, and turns, calls, attempts and waits.",
    role: "viewer",
    params: ofSession,
    query: traceQuery,
    answer: traceView,
    errors: [404],
  }),
  showArtefact: route({
    summary: "An output that was kept as a file.",
    role: "operator",
    params: z.object({ ref: z.string().min(1).max(1_000) }),
    answer: { mediaTypes: ["text/plain"] },
    errors: [404],
  }),
};
