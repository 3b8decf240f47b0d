// Questions to a person and their answers, as data. What each kind asks, how long it waits, and what an answer to it
// looks like: a table each. A question that is not answered in time is a no.

import type { FaultCode, QuestionKind } from "../fault/catalogue.ts";
import { fault, type Fault, type FaultIssue } from "../fault/fault.ts";
import { parseJson, readField, tryRead } from "../try-read.ts";

/** The ways in which a person can be asked. */
export type InteractionKind = QuestionKind | "Auth.Password";

/** One of several answers to choose from. */
export interface SelectOption {
  readonly id: string;
  readonly label: string;
}

export type AnswerSchema = Readonly<Record<string, unknown>>;

/** What a question shows. Never a secret: it is journaled and shown on pages. */
export type QuestionPayload = PayloadByKind & {
  /** Without an answer in time it counts as a yes. Default: as a no. */
  readonly onTimeout?: "approve";
};

type PayloadByKind =
  | {
      readonly kind: "Ask";
      readonly prompt: string;
      readonly field: string;
      /** JSON Schema of the answer, so that a terminal or a page can show a form; absent when none is known. */
      readonly schema?: AnswerSchema;
      /** What was wrong with the input that the answer replaces. */
      readonly issues?: readonly FaultIssue[];
    }
  | { readonly kind: "Approve"; readonly prompt: string; readonly tool: string; readonly approvalKey: string }
  | { readonly kind: "Select"; readonly prompt: string; readonly options: readonly SelectOption[] }
  | { readonly kind: "Confirm"; readonly prompt: string }
  | { readonly kind: "Auth.DeviceCode"; readonly prompt: string; readonly url: string; readonly code: string }
  | { readonly kind: "Auth.Password"; readonly prompt: string };

/** The parts of a form, for surfaces that show the question. Empty for other kinds. */
export function formFacts(payload: QuestionPayload): Pick<AskPayload, "schema" | "issues"> {
  if (payload.kind !== "Ask") return {};
  const { schema, issues } = payload;
  return { ...(schema === undefined ? {} : { schema }), ...(issues === undefined ? {} : { issues }) };
}

type AskPayload = Extract<QuestionPayload, { readonly kind: "Ask" }>;

/** A question to a person, as it is kept until it is answered. */
export interface Question {
  readonly id: string;
  /** The call that waits for the answer. */
  readonly call: string;
  readonly turn: string;
  readonly session: string;
  /** What made it necessary; null when no fault did. */
  readonly code: FaultCode | null;
  readonly payload: QuestionPayload;
  readonly askedAt: number;
  /** `NEVER_AT`: it waits without a time limit. */
  readonly expiresAt: number;
}

/** The last instant a date can tell. Infinity would come out of a journal as nothing, because a journal keeps JSON. */
export const NEVER_AT = 8.64e15;

/** When the question expires, for surfaces; null: never. */
export function endOf({ expiresAt }: Pick<Question, "expiresAt">): number | null {
  return expiresAt >= NEVER_AT ? null : expiresAt;
}

/** A person's answer to a question, or that none came in time. */
export type Answer =
  | { readonly status: "accepted"; readonly value: unknown }
  | { readonly status: "rejected"; readonly reason: string }
  | { readonly status: "timeout" };

interface InteractionRow {
  /** How long an answer is waited for. */
  readonly timeoutMs: number;
  /** What an accepted answer must be. */
  readonly answer: AnswerShape;
  /** What the question is for, quoted from real use. */
  readonly example: string;
  /** The answer itself is a secret: only the asking code gets it. */
  readonly secret: boolean;
}

/** What each way of asking takes for an answer. */
// prettier-ignore
export const INTERACTIONS: Readonly<Record<InteractionKind, InteractionRow>> = {
  "Ask":             { timeoutMs: 120_000, answer: "json",   secret: false, example: "Provide a replacement input?" },
  "Approve":         { timeoutMs: 120_000, answer: "yes-no", secret: false, example: "Retry the tool call?" },
  "Select":          { timeoutMs: 120_000, answer: "option", secret: false, example: "The quota is used up until 17:00. What now?" },
  "Confirm":         { timeoutMs: 60_000,  answer: "yes-no", secret: false, example: "Delete the branch?" },
  "Auth.DeviceCode": { timeoutMs: 300_000, answer: "yes-no", secret: false, example: "Authenticate again? Open the page and enter ABCD-1234." },
  "Auth.Password":   { timeoutMs: 120_000, answer: "text",   secret: true,  example: "Password for the package registry:" },
};

/** The ways in which a person can be asked. */
export const INTERACTION_KINDS = Object.freeze(Object.keys(INTERACTIONS)) as readonly InteractionKind[];

/** An answer is kept, journaled and shown, so it has an end. */
export const MAX_ANSWER_BYTES = 64 * 1024;

type AnswerShape = "json" | "yes-no" | "option" | "text";

interface ShapeRow {
  readonly wants: string;
  /** The value as plain data, or undefined when it does not fit. */
  readonly read: (value: unknown, payload: QuestionPayload) => unknown;
}

// prettier-ignore
const SHAPES: Readonly<Record<AnswerShape, ShapeRow>> = {
  "json":   { wants: "a text or plain JSON",                         read: (value) => plainJson(value) },
  "text":   { wants: "a text",                                       read: (value) => (typeof value === "string" ? value : undefined) },
  "yes-no": { wants: "true or false",                                read: (value) => (typeof value === "boolean" ? value : undefined) },
  "option": { wants: "the id of one of the options it was asked of", read: optionId },
};

/**
 * The answer as plain data, or a fault that says what is wrong with it. Answers come from other people's code: anything
 * may be in them. The answer is never quoted, as it may be a secret.
 */
export function checkAnswer(question: Question, answer: unknown): Answer | Fault {
  return tryRead(() => readAnswer(question, answer), wrongShape(question, "it could not be read"));
}

function readAnswer(question: Question, answer: unknown): Answer | Fault {
  const given = typeof answer === "object" && answer !== null ? answer : {};
  const status = readField(given, "status");
  if (status === "timeout") return { status };
  if (status === "rejected") {
    const reason = readField(given, "reason");
    if (typeof reason !== "string") return wrongShape(question, "a rejected answer needs a text as its reason");
    return isTooLong(reason) ? tooLong(question) : { status, reason };
  }
  if (status !== "accepted") return wrongShape(question, "its status must be accepted, rejected or timeout");
  const shape = SHAPES[INTERACTIONS[question.payload.kind].answer];
  const raw = readField(given, "value");
  // Before anything else is done with it: a long text is cheap to measure and dear to copy.
  if (typeof raw === "string" && isTooLong(raw)) return tooLong(question);
  const value = shape.read(raw, question.payload);
  if (value === undefined) return wrongShape(question, `its value must be ${shape.wants}`);
  return typeof value === "object" && isTooLong(JSON.stringify(value)) ? tooLong(question) : { status, value };
}

/** What a person answered, for the record: as it was offered to them, or in their own words. Empty for a secret, and if it is not an answer. */
export function answerAsSaid(question: Question, answer: unknown): string {
  const checked = checkAnswer(question, answer);
  const { payload } = question;
  if (!("status" in checked) || checked.status === "timeout" || INTERACTIONS[payload.kind].secret) return "";
  if (checked.status === "rejected") return checked.reason;
  const { value } = checked;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (payload.kind === "Select") return payload.options.find(({ id }) => id === value)?.label ?? "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function optionId(value: unknown, payload: QuestionPayload): string | undefined {
  return payload.kind === "Select" ? payload.options.find(({ id }) => id === value)?.id : undefined;
}

/** A copy that shares nothing with the original. What JSON would drop or bend in silence makes it undefined. */
function plainJson(value: unknown): unknown {
  const bent: unknown[] = [];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (!isPlain(part)) bent.push(part);
    return part;
  }) as string | undefined;
  return bent.length === 0 && text !== undefined ? parseJson(text) : undefined;
}

function isPlain(part: unknown): boolean {
  if (typeof part === "number") return Number.isFinite(part);
  if (typeof part !== "object" || part === null) return ["string", "boolean", "object"].includes(typeof part);
  const prototype: unknown = Object.getPrototypeOf(part);
  return prototype === null || prototype === Object.prototype || Array.isArray(part);
}

function isTooLong(text: string): boolean {
  // No character takes less than a byte, so most texts need no counting.
  return text.length > MAX_ANSWER_BYTES || new TextEncoder().encode(text).length > MAX_ANSWER_BYTES;
}

function tooLong(question: Question): Fault {
  return wrongShape(question, `it is longer than ${MAX_ANSWER_BYTES / 1024} KiB`);
}

function wrongShape({ id, payload }: Question, why: string): Fault {
  return fault("ShapeInvalid", {
    message: `the answer to question ${id} (${payload.kind}) was refused: ${why}`,
    context: { question: id, kind: payload.kind },
  });
}
