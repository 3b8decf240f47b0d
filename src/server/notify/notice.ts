// The events that people are notified of, as CloudEvents: a question, a failed run, an opened breaker, a budget that runs low.

import { nextStep } from "../../core/fault/view.ts";
import { isoTime } from "../../core/fault/words/time-words.ts";
import { wordsFor } from "../../core/fault/words/words.ts";
import { usdOf } from "../../core/flow/money.ts";
import type { CloudEnvelope } from "../../core/record/cloud-event.ts";
import type { Entry } from "../../core/record/event.ts";

export const NOTICE_KINDS = ["needs-you", "run-failed", "breaker-opened", "budget-low"] as const;
/** What a notification is about. */
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** A notice as a CloudEvent. The same notice always has the same id. */
export interface Notification extends CloudEnvelope {
  readonly type: `dev.faultline.notice.${NoticeKind}`;
  readonly subject: string;
  readonly data: Readonly<Record<string, string | number | null>>;
}

interface NoticeFacts {
  readonly kind: NoticeKind;
  readonly subject: string;
  readonly data: Notification["data"];
}

/** null for an entry that needs no notice. */
export function noticeOf(entry: Entry, id: string): Notification | null {
  const facts = factsOf(entry);
  if (facts === null) return null;
  const { kind, subject, data } = facts;
  return {
    specversion: "1.0",
    id,
    source: `/faultline/sessions/${encodeURIComponent(entry.session)}`,
    type: `dev.faultline.notice.${kind}`,
    subject,
    time: isoTime(entry.at),
    datacontenttype: "application/json",
    data: { session: entry.session, ...data },
  };
}

/** Holds only names and the catalogue's words. The one text from outside is a question's prompt, which is made to be shown. */
function factsOf({ session, event }: Entry): NoticeFacts | null {
  if (event.type === "question-asked") {
    const { id, payload, code, expiresAt } = event.question;
    const data = { question: id, kind: payload.kind, prompt: payload.prompt, code, expiresAt };
    return { kind: "needs-you", subject: id, data };
  }
  if (event.type === "run-ended" && event.status === "failed") {
    const { node, fault, outcome } = event;
    const title = fault === null ? null : wordsFor(fault.code, "en").title;
    const said = { code: fault?.code ?? null, title, next: fault === null ? null : nextStep(fault, "en") };
    return { kind: "run-failed", subject: session, data: { run: session, node, outcome, ...said } };
  }
  if (event.type === "breaker-changed" && event.to === "open") {
    const { target, tool, from } = event;
    return { kind: "breaker-opened", subject: tool, data: { target, tool, from } };
  }
  if (event.type === "budget-warned") {
    const { client = null, window = null, spentMicrocents, maxCostMicrocents } = event;
    const data = { client, window, spentUsd: usdOf(spentMicrocents), limitUsd: usdOf(maxCostMicrocents) };
    return { kind: "budget-low", subject: client ?? session, data };
  }
  return null;
}
