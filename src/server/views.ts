// What a reader of a role may see of faults, decisions and questions: viewers get words, operators the evidence too.

import type { Sender } from "./handler.ts";
import type { decisionView, faultView, questionView } from "../api/shapes.ts";
import type { Role, Shaped } from "../api/route.ts";
import { defined } from "../core/defined.ts";
import { explain, recourseStep } from "../core/decide/explain.ts";
import type { Decision } from "../core/decide/decision.ts";
import { type FaultCode, traitsOf } from "../core/fault/catalogue.ts";
import type { Fault } from "../core/fault/fault.ts";
import { type Redactor, SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { viewFor } from "../core/fault/view.ts";
import { type Locale, wordsFor } from "../core/fault/words/words.ts";
import { knownCode } from "../core/record/fault-index.ts";
import { endOf, formFacts, type Question } from "../core/flow/interaction.ts";
import { toolAsked } from "../core/flow/question-title.ts";
import { describeUnanswered } from "../core/flow/question-words.ts";

export interface Reader extends Pick<Sender, "who" | "locale"> {
  /** Takes secrets out. Default: one that knows what secrets look like. */
  readonly redactor?: Redactor;
}

export function faultFor(
  { who, locale, redactor = SHAPE_REDACTOR }: Reader,
  fault: Fault,
  correlationId: string,
): Shaped<typeof faultView> {
  const { class: faultClass, code } = fault;
  const options = { correlationId, locale, redactor };
  if (who.role === "viewer") {
    const { title } = wordsFor(code, locale);
    const { retryable } = traitsOf(code);
    return { class: faultClass, code, title, retryable, ...viewFor("user", fault, options) };
  }
  const { origin, ...view } = viewFor("audit", fault, options);
  return { ...view, thrown: origin?.thrown ?? [], requestIds: origin?.requestIds ?? {} };
}

/** What went wrong, in a few words. A newer program may have written a code that is unknown here. */
export function titleOf(code: string, locale: Locale): string {
  return wordsFor(knownCode({ code: code as FaultCode }), locale).title;
}

export function decisionFor({ who, locale }: Reader, decision: Decision): Shaped<typeof decisionView> {
  const { row, left } = decision;
  const { what, why } = explain(decision, locale);
  return {
    ...decision,
    says: what,
    why,
    row: { layer: row.layer, at: placeFor(who.role, row.at) },
    leftSays: left.map((recourse) => recourseStep(recourse, locale)),
  };
}

/** Where a row or a policy was written. A viewer sees the name of a file, and not its folder. */
export function placeFor(role: Role, at: string): string {
  return role === "operator" ? at : at.slice(Math.max(at.lastIndexOf("/"), at.lastIndexOf("\\")) + 1);
}

export function questionFor(question: Question, locale: Locale): Shaped<typeof questionView> {
  const { id, session, call, turn, code, payload, askedAt } = question;
  const { schema, issues } = formFacts(payload);
  const tool = toolAsked(question);
  return {
    id,
    session,
    call,
    turn,
    code,
    title: code === null ? null : wordsFor(knownCode({ code }), locale).title,
    kind: payload.kind,
    prompt: payload.prompt,
    askedAt,
    expiresAt: endOf(question),
    atTimeout: describeUnanswered(question, locale),
    ...(payload.kind === "Select" ? { options: payload.options } : {}),
    ...(tool === "" ? {} : { tool }),
    ...(payload.kind === "Ask" ? { field: payload.field } : {}),
    ...(payload.kind === "Auth.DeviceCode" ? { url: payload.url, userCode: payload.code } : {}),
    ...defined({ schema, issues }),
  };
}
