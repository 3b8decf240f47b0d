// The gateway: its keys and budgets, routes and targets, what was spent, and the calls that went through it.

import { z } from "zod";
import { route } from "./route.ts";
import { instant, labelled, name, page, pageOf } from "./shapes.ts";
import { targetView } from "./targets.ts";

const budget = z.object({
  window: labelled(["hour", "day", "month"]),
  limitMicrocents: z.number(),
  spentMicrocents: z.number(),
  resetsAt: instant.describe("When the window ends; windows are those of UTC."),
  state: labelled(["fine", "low", "spent"]),
});

const gatewayKey = z
  .object({
    name: z.string(),
    routes: z.array(z.string()).nullable().describe("The routes it may use; null for all."),
    regions: z.array(z.string()).nullable().describe("Only targets in these regions answer it; null for all."),
    otherPaths: z.boolean().describe("It may use paths that are not model calls."),
    budgets: z.array(budget),
  })
  .meta({ id: "GatewayKey" });

const targetState = z.object({
  id: z.enum([...targetView.shape.state.shape.id.options, "unused"]),
  label: z.string(),
});

const step = z.object({
  name: z.string().describe("`target/model`; `target` for the model that a client asks for."),
  dialects: z.array(z.string()),
  region: z.string().nullable(),
  state: targetState.describe(
    "If the step has no model of its own, the best state of the models that the route asks it for.",
  ),
  says: z.string(),
  except: z
    .array(z.object({ model: z.string().describe("Empty for viewers, unless the file names it."), state: targetState }))
    .describe("Models that are in a worse state, if the step has no model of its own."),
});

const spent = z.object({
  calls: z.number(),
  failed: z.number(),
  microcents: z.number(),
  unpriced: z
    .number()
    .describe("Calls at targets without a price: what they cost is not known, and not in `microcents`."),
});

export const gatewayView = z
  .object({
    keys: z.array(gatewayKey).describe("Never with the key itself. Empty: every client of this machine may use it."),
    routes: z.array(
      z
        .object({
          name: z.string(),
          midStream: z.enum(["fail", "restart", "continue"]),
          hedgeAfter: z
            .union([z.literal("p95"), z.number()])
            .nullable()
            .describe(
              "How long a target may be silent before the next one is asked, too: milliseconds, or `p95` for as long as 95 of 100 of its answers took to begin. Null: the call waits for it.",
            ),
          steps: z.array(step),
        })
        .meta({ id: "GatewayRoute" }),
    ),
    unwritten: z
      .object({
        since: instant,
        says: z.string(),
        lines: z.number().describe("Lines of the ledger that wait in memory."),
      })
      .nullable()
      .describe("The journal cannot be written: since when, and why. Null: it can."),
    spend: z
      .object({
        since: instant,
        total: spent,
        byDay: z.array(z.object({ at: instant, ...spent.shape })).describe("Every day, in UTC, the oldest first."),
        byKey: z.array(z.object({ name: z.string(), ...spent.shape })).describe("The largest first."),
        byTarget: z
          .array(z.object({ name: z.string(), ...spent.shape }))
          .describe("Attempts at each target, instead of calls. The largest first."),
      })
      .describe("What the calls of the last 14 days have cost."),
  })
  .meta({ id: "Gateway" });

const ENDINGS = ["completed", "failed", "cancelled"] as const;

const gatewayCallsQuery = z.object({
  ...page,
  key: name.optional().describe("Only calls with this key, by its name."),
  state: z.enum(ENDINGS).optional().describe("Only calls that ended like this."),
});

export const gatewayCall = z
  .object({
    call: z.string().describe("As in the header `x-faultline-call`."),
    at: instant,
    tookMs: z.number(),
    key: z.string(),
    route: z.string(),
    dialect: z.string(),
    model: z.string().describe("What the client asked for."),
    target: z.string().nullable().describe("What answered; null when nothing did."),
    attempts: z.number(),
    state: labelled(ENDINGS),
    says: z.string().describe("How it ended, in a sentence."),
    fault: z.object({ code: z.string(), title: z.string() }).nullable(),
    microcents: z.number(),
    isExact: z.boolean().describe("False: some of the cost is estimated, or has no price."),
    isUnpriced: z.boolean().describe("No target that it asked has a price, so what it cost is not known."),
    omitted: z.array(z.string()).describe("What the target's dialect had no place for."),
    kept: z
      .object({
        prompt: z.string().nullable(),
        answer: z.string().nullable().describe("As the client got it: a document, or the events of a stream."),
        text: z.string().nullable().describe("The text in the answer; null if none can be read."),
      })
      .nullable()
      .describe("What the gateway's file says to keep, without secrets. For operators; null for others."),
    decisions: z.array(
      z.object({
        id: z.string().describe("The call with the number of its decision."),
        target: z.string(),
        attempt: z.number().describe("0: the target was not asked, for example because it is paused after failures."),
        code: z
          .string()
          .nullable()
          .describe("Null: nothing failed. The target was silent, and another one was asked, too."),
        title: z.string(),
        recourse: z.string(),
        says: z.string().describe("The recourse, in words."),
      }),
    ),
  })
  .meta({ id: "GatewayCall" });

export const GATEWAY_ROUTES = {
  showGateway: route({
    summary:
      "The gateway on the server's port: its keys with their budgets, its routes with their targets, and what was spent.",
    role: "viewer",
    answer: gatewayView,
    errors: [404],
  }),
  listGatewayCalls: route({
    summary:
      "Calls through the gateway, newest first. With prompts and answers only for operators, and only if the gateway's file says to keep them.",
    role: "viewer",
    query: gatewayCallsQuery,
    answer: pageOf(gatewayCall),
    errors: [404],
  }),
  showGatewayCall: route({
    summary: "One call through the gateway, by the id that its client got. Searches the newest 200,000 calls.",
    role: "viewer",
    params: z.object({
      call: name.describe("As in the header `x-faultline-call`, also with the number of a decision."),
    }),
    answer: gatewayCall,
    errors: [404],
  }),
};
