// The error handler: what executors report, decided by the library.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { createHash } from "node:crypto";
import type { admission, failureAnswer } from "../../api/failures.ts";
import {
  type MayCall,
  failureId,
  type FailureReport,
  type PlannedCall,
  type ReportedFailure,
  type SuccessReport,
} from "../../runtime/report/failure-report.ts";
import { viewFor } from "../../core/fault/view.ts";
import type { Clock } from "../../host/clock.ts";
import type { Sender, HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";
import { Refused } from "../problems.ts";
import { decisionFor, faultFor, questionFor, type Reader } from "../views.ts";

export function failureHandlers({
  faultline,
  clock,
}: ServerParts): HandlersOf<"mayCall" | "reportSuccess" | "reportFailure" | "showFailure" | "reportOutcome"> {
  return {
    mayCall: async ({ body }) => mayCallFor(await faultline.mayCall(body as PlannedCall), clock),
    reportSuccess: async ({ body }) => mayCallFor(await faultline.reportSuccess(body as SuccessReport), clock),
    async reportFailure(asked) {
      const report = keyedReport(asked.body as FailureReport, asked);
      const isNumbered = report.attempt !== undefined || asked.idempotencyKey === "";
      const attempt = isNumbered ? null : await asked.intend(() => nextAttempt(report));
      return answerOf(await faultline.report(attempt === null ? report : { ...report, attempt }), asked, clock);
    },
    async showFailure(asked) {
      const found = await faultline.reported(asked.params.id);
      if (found === null) throw new Refused("not-there");
      return answerOf(found, asked, clock);
    },
    async reportOutcome(asked) {
      const { status, attempt, durationMs, costUsd, output, reason } = asked.body;
      const outcome = {
        status,
        ...defined({ attempt, durationMs, costUsd, output, reason }),
      };
      return answerOf(await faultline.reportOutcome(asked.params.id, outcome), asked, clock);
    },
  };

  /** The attempt that a report is about which does not say so; null for one that begins a call. */
  async function nextAttempt({ failure, session, call }: FailureReport): Promise<number | null> {
    const id = failure ?? (session === undefined || call === undefined ? null : failureId(session, call));
    const known = id === null ? null : await faultline.reported(id);
    return known === null ? null : known.attempt + 1;
  }
}

/**
 * A first report with a key gets its session's name from the key, so that a repeated one finds the decision, also when the server died
 * in between. Later reports name their call and their attempt; for one that does not name its attempt the number is kept under its key.
 */
function keyedReport(
  report: FailureReport,
  { idempotencyKey, who }: Pick<Sender, "idempotencyKey" | "who">,
): FailureReport {
  if (idempotencyKey === "" || report.failure !== undefined || report.call !== undefined) return report;
  const digest = createHash("sha256").update(`${who.name}\0${idempotencyKey}`).digest("hex").slice(0, 20);
  const named = report.session === undefined ? { session: `rep_${digest}`, call: "c1" } : { call: `c_${digest}` };
  return { ...report, ...named, attempt: report.attempt ?? 1 };
}

function mayCallFor(answer: MayCall, clock: Clock): Shaped<typeof admission> {
  const { nextAt } = answer;
  return { ...answer, waitMs: nextAt === null ? 0 : Math.max(0, nextAt - clock.now()) };
}

function answerOf(failure: ReportedFailure, { who, locale }: Reader, clock: Clock): Shaped<typeof failureAnswer> {
  const { id, session, call, tool, attempt, fault, decision, breaker, nextAt, question, end, repeated } = failure;
  const options = { correlationId: id, locale };
  return {
    id,
    session,
    call,
    tool,
    attempt,
    fault: faultFor({ who, locale }, fault, id),
    decision: decisionFor({ who, locale }, decision),
    action: actionOf(failure),
    waitMs: nextAt === null ? 0 : Math.max(0, nextAt - clock.now()),
    nextAt,
    breaker,
    question: question === null ? null : questionFor(question, locale),
    end: end?.status ?? null,
    ...(failure.input === undefined || who.role === "viewer" ? {} : { input: failure.input }),
    words: {
      model: viewFor("model", fault, options).message,
      user: viewFor("user", fault, options).message,
      operator: viewFor("operator", fault, options).hint,
    },
    repeated,
  };
}

function actionOf({ end, question, decision, nextAt }: ReportedFailure): Shaped<typeof failureAnswer>["action"] {
  if (end !== null) return "stop";
  if (question !== null || nextAt === null) return "ask";
  return decision.recourse === "park" ? "wait" : "attempt";
}
