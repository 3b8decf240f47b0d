// What goes into each route and what comes out of it.

import { z } from "zod";
import { bulkBody, bulkPreview, bulkPreviewBody, bulkReport, bulkStatus, bulkView } from "./bulk-shapes.ts";
import { faultGroup, faultGroupReport, faultOccurrence, hasFewBuckets, trendQuery } from "./fault-group-shapes.ts";
import {
  admission,
  failureAnswer,
  failureOutcome,
  failureReport,
  namesItsAttempt,
  plannedCall,
  sessionEnd,
  successReport,
} from "./failure-shapes.ts";
import { gatewayCall, gatewayCallsQuery, gatewayView } from "./gateway-shapes.ts";
import type { RouteName } from "./paths.ts";
import { found, lookedUp, overview, searchQuery } from "./overview-shapes.ts";
import {
  failureToTry,
  policyCheck,
  policyChecked,
  policyReplay,
  policyReplayed,
  policyView,
  replayProgress,
  presetName,
  triedFailure,
} from "./policy-shapes.ts";
import type { RouteSpec } from "./route.ts";
import {
  actBody,
  acted,
  attemptView,
  fileLine,
  outputView,
  runEventsPage,
  runEventsQuery,
  runFilters,
  runLine,
  runsQuery,
  runView,
  startRunBody,
} from "./run-shapes.ts";
import { role, settings, tokenView } from "./settings-shapes.ts";
import {
  alsoLooking,
  answerBody,
  answered,
  entryEventView,
  openQuestionView,
  sessionLine,
  sessionStatus,
  sessionView,
  traceView,
} from "./session-shapes.ts";
import { isolateBody, targetView } from "./target-shapes.ts";
import { checkedWorkflow, checkWorkflowBody, toolView, workflowLine, workflowView } from "./workflow-shapes.ts";
import { instant, name, page, pageOf } from "./shapes.ts";

function route<const Spec extends RouteSpec>(spec: Spec): Spec {
  return spec;
}

const ofRun = z.object({ run: name });
const ofSession = z.object({ session: name });
const ofQuestion = z.object({ question: name });
const traceQuery = z.object({
  turn: name.optional().describe("Only this turn."),
  limit: z.coerce.number().int().min(1).max(5_000).default(1_000).describe("The newest spans, at most so many."),
});
const whoAmI = z.object({ name: z.string(), role }).meta({ id: "Identity" });

export const ROUTES = {
  health: route({
    summary: "Says that the server runs.",
    role: null,
    answer: z.object({
      status: z.literal("ok"),
      version: z.string(),
      now: instant.describe("The server's clock, for countdowns."),
    }),
  }),
  ready: route({
    summary: "Says whether the server can work: its journal answers.",
    role: null,
    answer: z.object({ status: z.literal("ready") }),
    errors: [503],
  }),
  openapi: route({
    summary: "This document.",
    role: "viewer",
    answer: z.record(z.string(), z.unknown()),
  }),
  logIn: route({
    summary: "Exchanges a token, or the code of a sign-in link, for a cookie, for the dashboard.",
    role: null,
    body: z.union([
      z.strictObject({ token: z.string().min(1).max(500) }),
      z.strictObject({
        code: z.string().min(1).max(100).describe("From the link that the server printed; works once."),
      }),
    ]),
    answer: whoAmI,
    errors: [401],
  }),
  logOut: route({
    summary: "Removes the cookie.",
    role: null,
    answer: z.object({ status: z.literal("ok") }),
  }),
  whoAmI: route({
    summary: "The name and the role of the token.",
    role: "viewer",
    answer: whoAmI,
  }),
  listTokens: route({
    summary: "The tokens that the server accepts, without the secrets.",
    role: "operator",
    answer: z.object({ items: z.array(tokenView) }),
  }),
  showSettings: route({
    summary: "How this server was started: what it does and where its notices go, without secrets.",
    role: "operator",
    answer: settings,
  }),

  overview: route({
    summary: "What needs a person, what runs, what waits, what failed today, and what it cost.",
    role: "viewer",
    answer: overview,
  }),
  search: route({
    summary:
      "Finds failures and runs by words, the newest first. A page may be short, or empty, and still have a next one.",
    role: "viewer",
    query: searchQuery,
    answer: pageOf(found),
  }),
  lookUp: route({
    summary:
      "What has exactly this id: a run, a session, a group of failures, a bulk action, a question, or a failure's correlation id.",
    role: "viewer",
    query: z.object({ id: z.string().min(1).max(1_000) }),
    answer: z.object({ found: lookedUp.nullable().describe("null when nothing has it.") }),
  }),
  metrics: route({
    summary: "Counters and gauges for Prometheus, as OpenMetrics or in the older text format.",
    role: "viewer",
    answer: { mediaTypes: ["application/openmetrics-text", "text/plain"] },
  }),

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

  listFaultGroups: route({
    summary: "Failures of the same kind, as groups; the one with the newest failure first.",
    role: "viewer",
    query: z.object({
      ...page,
      code: name.optional().describe("Only groups of this fault code."),
      q: z
        .string()
        .min(1)
        .max(400)
        .optional()
        .describe("Only groups whose title, code, tool or, for operators, newest failure contain every word."),
      tool: name.optional().describe("Only failures of this tool, target or node."),
    }),
    answer: pageOf(faultGroup),
  }),
  showFaultGroup: route({
    summary: "One group: how often it happens, what helped, what it cost.",
    role: "viewer",
    params: z.object({ fingerprint: name }),
    query: z.object(trendQuery).refine(hasFewBuckets, { error: "at most 1,000 buckets", path: ["bucketMs"] }),
    answer: faultGroupReport,
    errors: [404],
  }),
  listFaults: route({
    summary: "The failures of a group, newest first.",
    role: "viewer",
    params: z.object({ fingerprint: name }),
    query: z.object(page),
    answer: pageOf(faultOccurrence),
    errors: [404],
  }),

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

  listTargets: route({
    summary: "Every target with its breaker, pause, quota, latency and figures; those out of service first.",
    role: "viewer",
    answer: pageOf(targetView),
  }),
  isolateTarget: route({
    summary: "Takes a target out of service, in every process of the journal, until it is reset.",
    role: "operator",
    acts: true,
    params: z.object({ target: name }),
    body: isolateBody,
    answer: targetView,
  }),
  resetTarget: route({
    summary: "Puts a target back into service: closes its breaker and ends its pause.",
    role: "operator",
    acts: true,
    params: z.object({ target: name }),
    answer: targetView,
    errors: [404],
  }),
  probeTarget: route({
    summary: "Lets the next call to a target through as a probe, now.",
    role: "operator",
    acts: true,
    params: z.object({ target: name }),
    answer: targetView,
    errors: [404],
  }),

  showGateway: route({
    summary:
      "The gateway on the server's port: its keys with their budgets, its routes with their targets, and what was spent.",
    role: "viewer",
    answer: gatewayView,
    errors: [404],
  }),
  listGatewayCalls: route({
    summary: "Calls through the gateway, newest first, without prompts and answers.",
    role: "viewer",
    query: gatewayCallsQuery,
    answer: pageOf(gatewayCall),
    errors: [404],
  }),

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

  listRuns: route({
    summary: "Runs of workflows, newest first.",
    role: "viewer",
    query: runsQuery,
    answer: pageOf(runLine),
  }),
  showRunFilters: route({
    summary: "What runs can be filtered by, with labels: states, causes, fault codes, workflows, targets.",
    role: "viewer",
    answer: runFilters,
  }),
  startRun: route({
    summary: "Starts a run of a workflow that this server has loaded.",
    role: "operator",
    acts: true,
    body: startRunBody,
    answer: z.object({ run: z.string() }),
    status: 201,
    errors: [404],
  }),
  showRun: route({
    summary: "A run: its stages, questions, possible actions, costs, files and the way it took.",
    role: "viewer",
    params: ofRun,
    answer: runView,
    errors: [404],
  }),
  listRunEvents: route({
    summary: "The events of a run as CloudEvents, numbered without gaps.",
    role: "viewer",
    params: ofRun,
    query: runEventsQuery,
    answer: runEventsPage,
    errors: [404],
  }),
  listAttempts: route({
    summary: "Every attempt of a run's nodes and calls, with its failure and the decision about it.",
    role: "viewer",
    params: ofRun,
    query: z.object({
      ...page,
      node: name.optional().describe("Only attempts of this node."),
      order: z.enum(["oldest", "newest"]).default("oldest").describe("Which come first."),
    }),
    answer: pageOf(attemptView),
    errors: [404],
  }),
  showOutput: route({
    summary: "What a node of a run has returned.",
    role: "operator",
    params: ofRun,
    query: z.object({ node: name.optional().describe("Default: the node that completed last.") }),
    answer: outputView,
    errors: [404],
  }),
  act: route({
    summary: "Carries out an action that the run offers.",
    role: "operator",
    acts: true,
    params: ofRun,
    body: actBody,
    answer: acted,
    errors: [404, 503],
  }),
  cancelRun: route({
    summary: "Cancels a run.",
    role: "operator",
    acts: true,
    params: ofRun,
    answer: acted,
    errors: [404],
  }),
  resumeRun: route({
    summary: "Wakes a run that was stopped.",
    role: "operator",
    acts: true,
    params: ofRun,
    answer: acted,
    errors: [404],
  }),
  exportRun: route({
    summary: "A run as lines of JSON: its journal entries, or its events as CloudEvents.",
    role: "operator",
    params: ofRun,
    query: z.object({ format: z.enum(["jsonl", "cloudevents"]).default("jsonl") }),
    answer: { mediaTypes: ["application/x-ndjson"] },
    errors: [404],
  }),
  reportOnRun: route({
    summary: "The incident report about a run, as Markdown, with what tools and providers said.",
    role: "operator",
    params: ofRun,
    answer: { mediaTypes: ["text/markdown"] },
    errors: [404],
  }),
  listFiles: route({
    summary: "The files kept about the failed stages of a run.",
    role: "viewer",
    params: ofRun,
    answer: z.object({ items: z.array(fileLine) }),
    errors: [404],
  }),
  showFile: route({
    summary: "A file kept about a failed stage.",
    role: "operator",
    params: z.object({ run: name, file: z.string().min(1).max(1_000) }),
    answer: { mediaTypes: ["text/plain"] },
    errors: [404],
  }),

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

  listTools: route({
    summary: "The tools of the workflows that this server knows.",
    role: "viewer",
    answer: z.object({ items: z.array(toolView) }),
  }),
  listWorkflows: route({
    summary: "The workflows that this server knows.",
    role: "viewer",
    answer: z.object({ items: z.array(workflowLine) }),
  }),
  showWorkflow: route({
    summary: "A workflow: its inputs as a form, its nodes and edges, its limits.",
    role: "viewer",
    params: z.object({ workflow: name }),
    answer: workflowView,
    errors: [404],
  }),
  checkWorkflow: route({
    summary: "Checks the text of a workflow and lists its mistakes with their places.",
    role: "viewer",
    body: checkWorkflowBody,
    answer: checkedWorkflow,
  }),

  listAudit: route({
    summary: "Who did what, when, and with which key; newest first.",
    role: "operator",
    query: z.object({
      ...page,
      by: name.optional().describe("Only what this token or person did."),
      on: name.optional().describe("Only what was done to this run, question or target."),
    }),
    answer: pageOf(
      z
        .object({
          id: z.string(),
          at: instant,
          by: z.string(),
          what: z.string(),
          says: z.string().describe("What was done, in words."),
          on: z.string(),
          action: z.string(),
          key: z.string(),
          refused: z.string().nullable().describe("The code of the fault that refused it; null when it was done."),
          said: z
            .string()
            .describe(
              "What the person said with it: the reason, or the answer to a question; empty when nothing was said.",
            ),
          session: z.string().nullable().describe("The run, or the session of the question, that it was done to."),
          isRun: z.boolean().describe("The session is a run."),
          why: z.string().describe("Why it was refused, in words; empty when it was done."),
        })
        .meta({ id: "AuditRecord" }),
    ),
  }),
  events: route({
    summary: "Everything that happens, as CloudEvents in a stream that can be resumed.",
    role: "viewer",
    query: z.object({
      session: name.optional().describe("Only events of this session or run."),
      types: z.string().max(2_000).optional().describe("Only these types of events, separated by commas."),
      last_event_id: z
        .string()
        .max(40)
        .optional()
        .describe("Resumes behind this event, like the Last-Event-ID header."),
    }),
    answer: { mediaTypes: ["text/event-stream"] },
    errors: [503],
  }),
} satisfies Readonly<Record<RouteName, RouteSpec>>;

/** The table of routes, for the types of handlers and clients. */
export type Routes = typeof ROUTES;
