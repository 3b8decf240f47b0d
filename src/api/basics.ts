// The server itself: health, sign-in, settings, the audit log, the event stream. Never shows a secret.

import { z } from "zod";
import { ROLES, route } from "./route.ts";
import { instant, name, page, pageOf } from "./shapes.ts";

const role = z.enum(ROLES as readonly ["viewer", "operator"]);

const tokenView = z.object({ name: z.string(), role, createdAt: instant, isYours: z.boolean() }).meta({ id: "Token" });

const settings = z
  .object({
    version: z.string(),
    url: z.string().describe("The address under which people reach the server."),
    journal: z.string().describe("The name of the journal's file, without its folder."),
    drives: z.boolean().describe("Whether it advances runs."),
    notices: z.object({
      about: z.array(z.enum(["needs-you", "run-failed", "breaker-opened", "budget-low"])),
      webhook: z
        .object({ origin: z.string().describe("The rest of the address may hold a secret.") })
        .nullable()
        .describe("Where notices are posted to."),
      command: z
        .object({ program: z.string().describe("Without its folder and its arguments.") })
        .nullable()
        .describe("What is run for each notice."),
    }),
  })
  .meta({ id: "Settings" });

const whoAmI = z.object({ name: z.string(), role }).meta({ id: "Identity" });

export const BASIC_ROUTES = {
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
    summary: "Says whether the server is ready: its journal answers.",
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
  metrics: route({
    summary: "Counters and gauges for Prometheus, as OpenMetrics or in the older text format.",
    role: "viewer",
    answer: { mediaTypes: ["application/openmetrics-text", "text/plain"] },
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
      last_event_id: z.string().max(40).optional().describe("Resumes after this event, like the Last-Event-ID header."),
    }),
    answer: { mediaTypes: ["text/event-stream"] },
    errors: [503],
  }),
};
