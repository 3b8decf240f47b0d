// The answers to an executor elsewhere that reports its failures, and what the journal keeps of them, for every field of a report: as a file says that was
// reviewed. A change that is meant shows as a difference of that file (`npx vitest run test/runtime/report/reviewed.test.ts -u` writes it again).

import { expect, it } from "vitest";
import { createFaultline, type Fault, type JournalEvent } from "../../../src/index.ts";
import type { FailureReport, ReportedFailure, ReportedOutcome } from "../../../src/runtime/report/failure-report.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { eventsOf, life, type Life } from "../session/life.ts";

const STARTED_AT = 1_000_000;
const HALF_A_MINUTE_MS = 30_000;

type Step =
  | { readonly report: Partial<FailureReport> }
  | { readonly outcome: ReportedOutcome }
  | { readonly advanceMs: number }
  | { readonly worked: { readonly durationMs?: number; readonly target?: string } }
  | { readonly endSilentAfterMs: number }
  | "mayCall"
  | "shown"
  | "targets"
  | "another process";

const DOWN = { status: 503 } as const;
const down = (more: Partial<FailureReport> = {}): Step => ({ report: { evidence: DOWN, ...more } });
const LONG_NAME = "n".repeat(100);
const outage: readonly Step[] = Array.from({ length: 5 }, () => [
  down({ retry: "none", session: "chat" }),
  { advanceMs: 10 },
]).flat();

const SCENES: Readonly<Record<string, readonly Step[]>> = {
  "no field but the evidence": [down(), "shown"],
  "no field at all": [{ report: {} }],
  "a code": [{ report: { evidence: DOWN, code: "RateLimited" } }],
  "a code, and that the work ran": [{ report: { code: "ToolUnavailable", idempotent: true, ran: true } }],
  "that the work ran": [down({ ran: true })],
  "that it did not": [{ report: { evidence: { code: "ECONNRESET", message: "read ECONNRESET" }, ran: false } }],
  "that it may be done twice": [down({ idempotent: true })],
  "a deadline that leaves no time": [down({ idempotent: true, deadlineAt: STARTED_AT + 1 })],
  "a deadline that leaves enough": [down({ idempotent: true, deadlineAt: STARTED_AT + HALF_A_MINUTE_MS })],
  "an alternative": [{ report: { evidence: { status: 401 }, alternatives: ["other"] } }],
  "that the result is optional": [{ report: { evidence: { status: 401 }, optional: true } }],
  "a default": [{ report: { evidence: { status: 401 }, hasDefault: true } }],
  "part of the result": [{ report: { evidence: DOWN, retry: "none", hasPartial: true } }],
  "that part of the answer is out": [down({ idempotent: true, committed: true })],
  "what else the executor can do about an old credential": [
    { report: { evidence: { status: 401 }, can: ["refresh-credential"] } },
  ],
  "what it can do about a request that is too long": [
    { report: { code: "ContextOverflow", can: ["compact"] } },
    { report: { code: "ContextOverflow" } },
  ],
  "a target, a provider and a surface": [down({ target: "t2", provider: "p", surface: "mcp" }), "targets"],
  "fewer attempts": [down({ idempotent: true, retry: { maxAttempts: 2 } })],
  "how long it took, and what it cost": [down({ durationMs: 40, costUsd: 0.25 }), "targets"],
  "how long it took, a zero": [down({ durationMs: 0 }), "targets"],
  "an input": [down({ input: { to: "Oslo", password: "hunter2hunter2" } })],
  "a later attempt": [down({ idempotent: true, attempt: 3 })],
  "the last attempt of the row": [down({ idempotent: true, attempt: 5 })],
  "names": [down({ session: "chat", call: "c", attempt: 1 }), down({ session: "chat", call: "c", attempt: 1 })],
  "that a rate limit is nearly spent": [
    {
      report: {
        evidence: {
          status: 500,
          headers: {
            "x-ratelimit-limit-requests": "10",
            "x-ratelimit-remaining-requests": "0",
            "x-ratelimit-reset-requests": "30s",
          },
        },
      },
    },
    "mayCall",
    "targets",
  ],
  "an outcome": [down({ idempotent: true }), { outcome: { status: "succeeded" } }, "shown"],
  "an outcome with all that is known": [
    down({ idempotent: true }),
    { outcome: { status: "succeeded", attempt: 4, durationMs: 12, costUsd: 0.5, output: { hits: 3 } } },
    "targets",
  ],
  "a cancellation": [down({ idempotent: true }), { outcome: { status: "cancelled", costUsd: 0.5 } }],
  "a cancellation with its reason": [down(), { outcome: { status: "cancelled", reason: "the user left" } }],
  "a success of what never failed": [{ worked: {} }, "targets"],
  "a success that took its time": [{ worked: { durationMs: 40 } }, "targets"],
  "a success in the moment in which the breaker opens": [...outage.slice(0, -1), { worked: {} }, "targets"],
  "a success that began before the breaker opened": [
    ...outage,
    { advanceMs: HALF_A_MINUTE_MS },
    { worked: { durationMs: HALF_A_MINUTE_MS + 10 } },
    "targets",
  ],
  "a success that began in the next millisecond": [
    ...outage,
    { advanceMs: HALF_A_MINUTE_MS },
    { worked: { durationMs: HALF_A_MINUTE_MS + 9 } },
    "targets",
  ],
  "an executor that is silent for exactly as long as it may be": [
    down(),
    { advanceMs: 500 },
    { endSilentAfterMs: 500 },
    "shown",
  ],
  "an executor that is silent for longer": [down(), { advanceMs: 501 }, { endSilentAfterMs: 500 }, "shown"],
  "an executor that is silent, to another process than the one that answered it": [
    down(),
    { advanceMs: 501 },
    "another process",
    { endSilentAfterMs: 500 },
    "shown",
  ],
};

/** Values at the limits of a field. */
const AT_LIMITS: readonly Partial<FailureReport>[] = [
  ...[99, 100, 599, 600, 400.5].map((status) => ({ evidence: { status } })),
  ...[-1, 0, 4e12, 4e12 + 1].map((observedAt) => ({ evidence: { observedAt } })),
  ...[-1, 0, 4e12, 4e12 + 1].map((deadlineAt) => ({ deadlineAt })),
  ...[0, 1, 1.5].map((attempt) => ({ attempt })),
  ...[-1, 0].map((durationMs) => ({ durationMs })),
  ...[-1, 0, 1e6, 1_000_001].map((costUsd) => ({ costUsd })),
  ...["", "...", "a.b", LONG_NAME, `${LONG_NAME}n`].flatMap((name) => [{ session: name }, { call: name }]),
  ...["~c1", "rep_1~", "rep_1", "rep_1~c1", `${LONG_NAME}~${LONG_NAME}`, `n${LONG_NAME}~c1`].map((failure) => ({
    failure,
  })),
];

it("the answers to an executor, and what the journal keeps, are as the reviewed file says", async () => {
  const lines: string[] = [];
  for (const [scene, steps] of Object.entries(SCENES)) lines.push(`${scene}:`, ...(await played(steps)), "");
  lines.push("at the limits:");
  for (const limit of AT_LIMITS)
    lines.push(
      `  ${shown(limit).replaceAll(LONG_NAME, "(100 n)")} ${(await refusal(limit)).replaceAll(LONG_NAME, "(100 n)")}`,
    );
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("reviewed/reports.txt");
});

async function played(steps: readonly Step[]): Promise<readonly string[]> {
  let now = life({ chance: createSeededChance(1) });
  let id = "";
  const lines: string[] = [];
  const sessions = new Set<string>();
  const say = (what: string, told: unknown): void => void lines.push(`  ${what}: ${shown(told)}`);
  for (const step of steps) {
    const { fl, clock, journal } = now;
    if (step === "another process")
      now = { ...now, fl: createFaultline({ journal, clock, chance: createSeededChance(2) }) };
    else if (step === "targets") say("targets", fl.targets());
    else if (step === "mayCall") say("may call", await clock.runUntil(fl.mayCall({ tool: "t" })));
    else if (step === "shown") say("shown", answerOf(await clock.runUntil(fl.reported(id))));
    else if ("advanceMs" in step) await clock.advance(step.advanceMs);
    else if ("worked" in step) say("worked", await clock.runUntil(fl.reportSuccess({ tool: "t", ...step.worked })));
    else if ("endSilentAfterMs" in step) say("ended", await clock.runUntil(fl.endSilentReports(step.endSilentAfterMs)));
    else {
      const answer = await clock.runUntil(
        "report" in step ? fl.report({ tool: "t", ...step.report }) : fl.reportOutcome(id, step.outcome),
      );
      ({ id } = answer);
      sessions.add(answer.session);
      say("answer", answerOf(answer));
    }
  }
  for (const session of sessions) {
    const events = await eventsOf(now.journal, session);
    lines.push(
      ...events
        .slice(1)
        .slice(-LAST_EVENTS)
        .map((event) => `    ${shown(eventOf(event))}`),
    );
  }
  return lines;
}

/** An outage writes the same ones again and again. */
const LAST_EVENTS = 6;

function answerOf(answer: ReportedFailure | null): unknown {
  if (answer === null) return null;
  const { fault, decision, tool, attempt, session, end, ...rest } = answer;
  const { recourse, considered } = decision;
  const { status, value } = (end ?? {}) as { readonly status?: string; readonly value?: unknown };
  return { recourse, considered, ...rest, at: [session, tool, attempt], end: [status, value], ...faultOf(fault) };
}

function faultOf({ code, message, context, evidence }: Fault): object {
  const { surface, provider, status, ran } = context;
  return { fault: [code, message, evidence.rule, { surface, provider, status, ran }] };
}

/** Without what the answer has, too. */
function eventOf(event: JournalEvent): object {
  if (event.type !== "call-failed")
    return "fault" in event && event.fault !== null ? { ...event, ...faultOf(event.fault) } : event;
  const { type, fault, decision, ...rest } = event;
  return { type, ...rest, code: fault.code, recourse: decision.recourse };
}

async function refusal(report: Partial<FailureReport>): Promise<string> {
  const { fl, clock }: Life = life({ chance: createSeededChance(1) });
  return clock.runUntil(
    fl.report({ tool: "t", ...report }).then(
      () => "is taken",
      (error: unknown) => `is refused: ${(error as Error).message}`,
    ),
  );
}

function shown(told: unknown): string {
  return JSON.stringify(told);
}
