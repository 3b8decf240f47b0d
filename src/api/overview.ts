// The state of everything at a glance, and the search.

import { z } from "zod";
import { faultBucket } from "./fault-groups.ts";
import { route } from "./route.ts";
import { instant, name, page, pageOf, questionView } from "./shapes.ts";
import { targetView } from "./targets.ts";

const runAtGlance = z.object({
  run: z.string(),
  workflow: z.string(),
  nodes: z.array(z.string()),
  code: z.string().nullable(),
  title: z.string().nullable().describe("What went wrong last, in a few words."),
});

/** The first of many. `count` goes up to a limit; `isMore` says that there are more than that. */
function countedOf<Item extends z.ZodType>(
  item: Item,
): z.ZodObject<{ count: z.ZodNumber; isMore: z.ZodBoolean; first: z.ZodArray<Item> }> {
  return z.object({ count: z.number(), isMore: z.boolean(), first: z.array(item) });
}

export const overview = z
  .object({
    isWell: z.boolean().describe("Nothing needs a person, no target is out of service, and nothing failed today."),
    says: z.string().describe("The same in a sentence, with what comes first."),
    needsYou: countedOf(questionView).describe("Open questions, the oldest first."),
    running: countedOf(runAtGlance),
    queued: countedOf(runAtGlance).describe("Runs that have something to do and wait for a process to take them up."),
    programs: countedOf(z.object({ session: name, startedAt: instant, updatedAt: instant })).describe(
      "Open sessions of programs, newest first.",
    ),
    waiting: countedOf(z.object({ ...runAtGlance.shape, nextAt: instant })).describe(
      "Runs that continue by themselves, the next one first.",
    ),
    failed: z
      .array(z.object({ code: z.string(), title: z.string(), count: z.number(), newest: z.string() }))
      .describe("Runs begun today that failed and were not continued, by cause."),
    targets: z.array(targetView).describe("Targets that are not fully in service."),
    faults: z
      .object({
        trend: z.array(faultBucket).describe("How many failures each hour has."),
        count: z.number(),
        recoveredByRetry: z.number().describe("How many of them an automatic retry recovered from."),
      })
      .describe("Failures of the last 24 hours, including those that were recovered from."),
    spentMicrocents: z.number().describe("What the runs begun today have cost, and the calls of the gateway."),
    since: instant.describe("When today began, in UTC."),
    hasGateway: z.boolean().describe("The server is a gateway, too."),
    isPartial: z.boolean().describe("There are more runs today than these figures cover."),
  })
  .meta({ id: "Overview" });

export const lookedUp = z
  .discriminatedUnion("kind", [
    z.object({ kind: z.literal("run"), run: name }),
    z.object({ kind: z.literal("session"), session: name }),
    z.object({ kind: z.literal("fault-group"), fingerprint: name }),
    z.object({ kind: z.literal("bulk"), bulk: name, fingerprint: name }),
    z.object({ kind: z.literal("question"), question: name, session: name }),
    z.object({ kind: z.literal("gateway-call"), call: name }),
  ])
  .meta({ id: "LookedUp" });

const KINDS = ["fault", "run"] as const;

const searchQuery = z.object({
  ...page,
  q: z.string().min(1).max(400).describe("Words, all of which must occur; case does not matter."),
  kind: z.enum(KINDS).optional(),
});

export const found = z
  .object({
    kind: z.enum(KINDS),
    session: name.describe("The session, or the run."),
    at: instant,
    code: z.string().nullable(),
    title: z.string().nullable(),
    fault: z
      .object({
        fingerprint: z.string(),
        seq: z.number(),
        call: z.string(),
        tool: z.string(),
        message: z.string().optional().describe("For operators."),
      })
      .nullable(),
    run: z.object({ workflow: z.string(), status: z.string(), nodes: z.array(z.string()) }).nullable(),
  })
  .meta({ id: "Found" });

export const OVERVIEW_ROUTES = {
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
      "Finds what has exactly this id: a run, a session, a group of failures, a bulk action, a question, a call of the gateway, or a failure's correlation id.",
    role: "viewer",
    query: z.object({ id: z.string().min(1).max(1_000) }),
    answer: z.object({ found: lookedUp.nullable().describe("null if nothing has this id.") }),
  }),
};
