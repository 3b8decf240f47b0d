// Runs: shapes and routes. Fields that say "for operators" are missing for viewers.

import { z } from "zod";
import { NODE_KINDS } from "../core/flow/visit.ts";
import { RUN_STANDINGS } from "../core/flow/run-standing.ts";
import { RUN_EVENT_LEVELS } from "../core/record/run-stream-event.ts";
import { VISIT_STANDINGS } from "../core/flow/run-words.ts";
import { route } from "./route.ts";
import {
  cloudEnvelope,
  decisionView,
  faultCause,
  faultView,
  instant,
  labelled,
  name,
  page,
  pageOf,
  questionView,
  spendingView,
} from "./shapes.ts";

const causePill = z.object({ id: z.string(), label: z.string() }).describe("The cause of the last failure.");

const runStatus = z.enum(["running", "paused", "completed", "failed", "cancelled"]);

export const runLine = z
  .object({
    run: z.string(),
    workflow: z.string(),
    version: z.string(),
    status: runStatus,
    outcome: z.string().describe("Empty until the run is over."),
    state: labelled(RUN_STANDINGS).describe("Where it stands."),
    cause: causePill.nullable(),
    reason: z.string().describe("Why it stands there, in one line; may be empty."),
    nodes: z.array(z.string()).describe("The nodes it is at, or the one that failed."),
    target: z
      .string()
      .nullable()
      .describe(
        "The target that the current or failed node asked last; of a completed run, the one that answered last.",
      ),
    code: z.string().nullable(),
    questions: z.array(z.string()).describe("The ids of open questions."),
    nextAt: instant.nullable().describe("When it continues by itself."),
    attempt: z.number().describe("The attempt of the node that failed or is retried; 0 if nothing failed."),
    of: z.number().describe("How many attempts it may make; 0 until that is known."),
    startedAt: instant,
    updatedAt: instant,
    endedAt: instant.nullable(),
    spentMicrocents: z.number(),
    predecessor: z.string().nullable(),
    successor: z.string().nullable(),
    held: z.boolean().describe("A process advances it right now."),
  })
  .meta({ id: "RunLine" });

export const runsQuery = z.object({
  ...page,
  status: runStatus.optional(),
  state: z
    .enum([...RUN_STANDINGS, "open"])
    .optional()
    .describe("Only runs in this state; open: all that are not over."),
  cause: faultCause.optional().describe("Only runs that failed, or wait, with a fault of this cause."),
  workflow: name.optional(),
  code: name.optional().describe("Only runs that failed, or wait, with this fault code."),
  target: name.optional().describe("Only runs with this target."),
  since: z.coerce.number().int().min(0).optional().describe("Only runs that began at this time or later."),
  until: z.coerce.number().int().min(0).optional().describe("Only runs that began at this time or before."),
  superseded: z.enum(["show", "hide"]).default("show").describe("hide: leaves out runs that another run continues."),
  q: z.string().min(1).max(400).optional().describe("Only runs whose id, workflow, code or nodes contain every word."),
});

const choice = z.object({ id: z.string(), label: z.string() });

const runFilters = z
  .object({
    states: z.array(choice),
    causes: z.array(choice),
    codes: z.array(z.object({ ...choice.shape, cause: z.string() })),
    workflows: z.array(choice),
    targets: z.array(choice),
  })
  .meta({ id: "RunFilters" });

const startRunBody = z
  .strictObject({
    workflow: name.describe("The id of a workflow that this server can start."),
    inputs: z.record(z.string(), z.unknown()).optional(),
    run: z
      .string()
      // A run named `..` would have no address.
      .regex(/^(?!\.+$)[\w.:@-]{1,100}$/, "1 to 100 letters, digits and . : @ _ -, and not dots alone")
      .optional()
      .describe("Names the run. Default: a new name."),
  })
  .meta({ id: "StartRun" });

export const actionView = z
  .object({
    id: z.string(),
    label: z.string(),
    explains: z.string(),
    redoes: z.string().describe("What is done again."),
    keeps: z.string().describe("What is kept."),
    node: z.string().describe("Empty for an action on the whole run."),
    execution: z.number(),
    needs: z.enum(["nothing", "text", "target", "limits", "answer", "commands", "tools"]),
    accepts: z
      .array(z.enum(["text", "commands"]))
      .describe("What else may be sent. text: a comment for the node. commands: further commands to allow."),
    choices: z.array(z.string()),
    limits: z.record(z.string(), z.number()).describe("What the limits are now; a new one must be higher."),
    effect: z.enum(["instruct", "successor", "answer", "resume", "cancel"]),
    question: z.string().describe("The question it answers; empty for every other effect."),
    costMicrocents: z
      .number()
      .describe("What the node has cost so far, for an action that runs it again; 0: nothing, or not known."),
    key: z.string().describe("Send it back with the action, so that one offer is carried out only once."),
  })
  .meta({ id: "Action" });

const actBody = z
  .strictObject({
    action: name,
    params: z.record(z.string(), z.unknown()).optional().describe("What the action needs: text, target, limits …"),
    key: z.string().min(1).max(1_000).optional().describe("From the offer."),
  })
  .meta({ id: "Act" });

const acted = z
  .object({
    run: z.string().describe("The run to look at now: the same, or its successor."),
    did: z.boolean().describe("False when the same action had been taken before."),
  })
  .meta({ id: "Acted" });

const visitView = z
  .object({
    node: z.string(),
    execution: z.number().describe("How often the node has been entered, this time included."),
    kind: z.enum(NODE_KINDS).nullable(),
    state: labelled(VISIT_STANDINGS),
    reason: z.string().describe("Why it waits, failed or was skipped; may be empty."),
    cause: causePill.nullable(),
    attempt: z.number(),
    of: z.number().describe("How many attempts it may make; 0 until that is known."),
    phase: z.string().nullable(),
    startedAt: instant.nullable(),
    endedAt: instant.nullable(),
    nextAt: instant.nullable(),
    queuedMs: z.number().describe("Waited for a free slot."),
    waitedMs: z.number().describe("Waited for a time, a person or another side."),
    workedMs: z.number(),
    callAttempts: z.number(),
    spentMicrocents: z.number(),
    targets: z.array(z.string()),
    target: z.string().nullable(),
    skipped: z.string().nullable(),
    inherited: z.boolean().describe("Kept from the run before this one."),
    fault: faultView.nullable(),
    questions: z.array(z.string()),
    files: z.array(z.string()),
    output: z.unknown().optional().describe("A short look at its output; for operators."),
  })
  .meta({ id: "Visit" });

export const graphView = z
  .object({
    nodes: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        targets: z.array(z.string()),
        tools: z.array(z.string()),
        state: labelled(VISIT_STANDINGS)
          .nullable()
          .describe("The state of its newest visit; null if the node was not entered."),
        visits: z.number(),
      }),
    ),
    edges: z.array(
      z.object({
        from: z.string(),
        to: z.string(),
        kind: z
          .enum(["next", "failure", "case", "branch", "join", "taken"])
          .describe("taken: the run went this way, although the workflow does not declare it."),
        when: z.string().nullable(),
        max: z.number().nullable(),
        outcome: z.string(),
        taken: z.number().describe("How often the run went this way."),
      }),
    ),
  })
  .meta({ id: "WorkflowGraph" });

const limitsView = z.object({
  maxParallel: z.number(),
  maxNodes: z.number(),
  timeoutMs: z.number().nullable(),
  maxCostMicrocents: z.number().describe("0: no limit."),
});

const fileLine = z.object({ name: z.string() }).meta({ id: "RunFile" });

export const runView = z
  .object({
    ...runLine.shape,
    digest: z.string(),
    message: z.string().describe("The run in a sentence: what is done, what is missing and why, what it waits for."),
    limits: limitsView,
    spending: spendingView,
    fault: faultView.nullable(),
    visits: z.array(visitView).describe("The newest 500, in the order in which they were entered."),
    olderVisits: z.number().describe("How many visits before those are left out."),
    questions: z.array(z.string()),
    asked: z.array(questionView).describe("The open questions."),
    actions: z.array(actionView).describe("What an operator can do now, best first."),
    files: z.array(fileLine),
    graph: graphView,
    file: z.string().optional().describe("The workflow's file; for operators."),
    folder: z.string().optional().describe("Where the files about failed stages are; for operators."),
  })
  .meta({ id: "Run" });

export const runEventView = z
  .object({
    ...cloudEnvelope,
    sequence: z.string(),
    level: z.enum(RUN_EVENT_LEVELS).describe("How much it matters to a person who reads many."),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "RunEvent" });

export const runEventsQuery = z.object({
  limit: page.limit,
  after: z.coerce.number().int().min(0).default(0).describe("Skips this many of the oldest matching events."),
  types: z.string().max(2_000).optional().describe("Only these types, such as node.failed, separated by commas."),
  level: z.enum(RUN_EVENT_LEVELS).optional().describe("Only events of this level and of higher ones."),
  node: name.optional().describe("Only events of this node."),
  q: z.string().min(1).max(400).optional().describe("Only events that contain every word."),
});

const runEventsPage = z.object({
  items: z.array(runEventView),
  total: z.number().describe("How many events match."),
  next: z.number().nullable().describe("The next `after`."),
});

export const attemptView = z
  .object({
    id: z.string(),
    kind: z.enum(["node", "call"]).describe("node: an attempt of a node. call: an attempt of a call within it."),
    node: z.string().describe("Empty outside of runs."),
    execution: z.number(),
    nodeAttempt: z.number(),
    turn: z.string(),
    call: z.string().describe("Empty for an attempt of a node."),
    tool: z.string().describe("The tool or target; empty for an attempt of a node."),
    attempt: z.number(),
    attempted: z.boolean().describe("False for a decision without an attempt."),
    status: z.string(),
    state: labelled(VISIT_STANDINGS),
    startedAt: instant,
    endedAt: instant.nullable(),
    durationMs: z.number().nullable(),
    costMicrocents: z.number().nullable().describe("null: free, unknown, or not over yet."),
    costBasis: z.string().nullable(),
    fault: faultView.nullable(),
    cause: causePill.nullable(),
    decision: decisionView.nullable(),
    resolution: z.string().nullable(),
    breaker: z.string().nullable(),
    artefacts: z.array(z.object({ name: z.string(), ref: z.string(), bytes: z.number(), cut: z.boolean() })),
    input: z.unknown().optional().describe("A short look at the input; for operators."),
    output: z.unknown().optional().describe("A short look at the output; for operators."),
  })
  .meta({ id: "Attempt" });

const outputView = z
  .object({ run: z.string(), node: z.string(), execution: z.number(), output: z.unknown() })
  .meta({ id: "NodeOutput" });

const ofRun = z.object({ run: name });

export const RUN_ROUTES = {
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
};
