// What each audience may see of a fault. Model and user get static words and allow-listed fields only; operators get
// the evidence too; audit gets everything. All of it passes the redactor.

import { type FaultClass, type FaultCode, traitsOf } from "./catalogue.ts";
import {
  causeChain,
  type ContextValue,
  type EvidenceSource,
  type Fault,
  type FaultContext,
  type FaultIssue,
  type FaultOrigin,
  originOf,
} from "./fault.ts";
import { type Redactor, SHAPE_REDACTOR } from "./redact.ts";
import { waitInWords } from "./words/time-words.ts";
import { type Locale, wordsFor, wordsOf } from "./words/words.ts";

/** Who looks at a fault. */
export type Audience = "model" | "user" | "operator" | "audit";

/** What a model may see of a fault: no stack, path or payload. */
export interface ModelView {
  readonly class: FaultClass;
  readonly code: FaultCode;
  readonly message: string;
  readonly context: FaultContext;
  /** What does not fit the tool's schema in the arguments that the model gave. */
  readonly issues?: readonly FaultIssue[];
  /** What the tool itself said, where its declaration lets a model read it. */
  readonly detail?: string;
}

/** How much of what a failed tool said a model may read: nothing, the end of a process's output, or the whole message too. */
export const MODEL_DETAILS = ["none", "stderr_tail", "full"] as const;
/** How much of a tool's failure the model gets to see. */
export type ModelDetail = (typeof MODEL_DETAILS)[number];

/** What a user may see of a fault: what happened, what to do next, and an id to quote. */
export interface UserView {
  readonly message: string;
  readonly next: string;
  readonly correlationId: string;
  readonly retryAfterMs?: number;
  readonly resetAt?: number;
}

/** What an operator sees of a fault: the evidence and the cause, without secrets. */
export interface OperatorView extends UserView {
  readonly class: FaultClass;
  readonly code: FaultCode;
  readonly title: string;
  readonly hint: string;
  readonly detail: string;
  readonly rule: string;
  readonly source: EvidenceSource;
  readonly nearly: readonly string[];
  readonly excerpt: string;
  readonly context: FaultContext;
}

/** Everything about a fault, with secrets taken out. */
export interface AuditView extends OperatorView {
  readonly retryable: boolean;
  /** Each cause below this fault, nearest first. */
  readonly causes: readonly { readonly class: FaultClass; readonly code: FaultCode; readonly message: string }[];
  /** The thrown error with its causes and the provider's request ids; null when nothing was thrown. */
  readonly origin: FaultOrigin | null;
}

/** The view that each audience gets. */
export interface ViewOf {
  readonly model: ModelView;
  readonly user: UserView;
  readonly operator: OperatorView;
  readonly audit: AuditView;
}

/** Options of `viewFor`. */
export interface ViewOptions {
  /** The id that a user quotes and an operator searches for. */
  readonly correlationId: string;
  /** The language of the sentences. Default: English. */
  readonly locale?: Locale;
  /** Takes secrets out. Default: one that knows what secrets look like. */
  readonly redactor?: Redactor;
  /** As the tool declares it. `none` when left out. Only for models. */
  readonly modelDetail?: ModelDetail;
}

/** Fields of a fault's context that a model may see: names and numbers it already knows or needs to correct itself. */
export const MODEL_CONTEXT = ["tool", "field", "stage", "attempt", "maxAttempts", "limit", "expected"] as const;

/** A string from context reaches a model only if it looks like a name, so that no payload slips through a field. */
const NAME_LIKE = /^[\w.:-]{1,64}$/;

/**
 * What an audience may see of a fault: the model, the user, the operator or an auditor.
 *
 * @example
 * ```ts
 * import { classify, viewFor } from "faultline";
 *
 * const { message, next } = viewFor("user", classify({ surface: "http", status: 429 }), { correlationId: "c-1" });
 * ```
 */
export function viewFor<A extends Audience>(audience: A, fault: Fault, options: ViewOptions): ViewOf[A] {
  return VIEWS[audience](fault, resolveViewOptions(options));
}

type Resolved = Required<ViewOptions>;

export function resolveViewOptions(options: ViewOptions): Resolved {
  const { correlationId, locale = "en", redactor = SHAPE_REDACTOR, modelDetail = "none" } = options;
  return { correlationId, locale, redactor, modelDetail };
}

const VIEWS: { readonly [A in Audience]: (fault: Fault, options: Resolved) => ViewOf[A] } = {
  model: modelView,
  user: userView,
  operator: operatorView,
  audit: auditView,
};

function modelView(fault: Fault, { locale, redactor, modelDetail }: Resolved): ModelView {
  const context: Record<string, ContextValue> = {};
  for (const key of MODEL_CONTEXT) {
    const value = fault.context[key];
    if (value === undefined) continue;
    if (typeof value !== "string") context[key] = value;
    else if (NAME_LIKE.test(value) && redactor.text(value) === value) context[key] = value;
  }
  const issues = issuesFor(fault, redactor);
  const detail = DETAILS[modelDetail](fault, redactor);
  return {
    class: fault.class,
    code: fault.code,
    message: wordsOf(fault, locale).model,
    context,
    ...(issues.length === 0 ? {} : { issues }),
    ...(detail === "" ? {} : { detail }),
  };
}

/** More mistakes than a model corrects at once. */
const MAX_ISSUES = 10;
const MAX_ISSUE_CHARS = 300;

function issuesFor(fault: Fault, redactor: Redactor): readonly FaultIssue[] {
  const text = (part: string): string => redactor.text(part).slice(0, MAX_ISSUE_CHARS);
  return causeChain(fault)
    .flatMap(({ evidence }) => evidence.issues ?? [])
    .slice(0, MAX_ISSUES)
    .map(({ path, expected, got }) => ({ path: text(path), expected: text(expected), got: text(got) }));
}

const MAX_DETAIL_CHARS = 2_000;

const DETAILS: Readonly<Record<ModelDetail, (fault: Fault, redactor: Redactor) => string>> = {
  none: () => "",
  // Only a process has an output whose end could be shown.
  stderr_tail: (fault, redactor) => (isOfProcess(fault) ? tailOf(fault.evidence.excerpt, redactor) : ""),
  full: ({ message, evidence: { excerpt } }, redactor) => {
    const isTold = excerpt === "" || message.includes(excerpt);
    return tailOf(isTold ? message : `${message}\n${excerpt}`, redactor);
  },
};

/** Redacted before it is cut, so that no part of a secret is left at the edge. */
function tailOf(text: string, redactor: Redactor): string {
  return redactor.text(text.trim()).slice(-MAX_DETAIL_CHARS);
}

function isOfProcess({ context, evidence }: Fault): boolean {
  return evidence.source === "process" || context["exitCode"] !== undefined || context["signal"] !== undefined;
}

function userView(fault: Fault, { locale, redactor, correlationId }: Resolved): UserView {
  return {
    message: wordsOf(fault, locale).user,
    next: nextStep(fault, locale),
    correlationId: redactor.text(correlationId),
    ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
    ...(fault.resetAt === undefined ? {} : { resetAt: fault.resetAt }),
  };
}

/** The next step for the person who uses the agent. Where it is known how long to wait, and that is long, it says so. */
export function nextStep(
  { code, ...timing }: Pick<Fault, "code" | "retryAfterMs" | "resetAt">,
  locale: Locale,
): string {
  const { next, nextAfter } = wordsFor(code, locale);
  const { retryAfterMs, resetAt } = timing;
  const isShort = retryAfterMs === undefined ? resetAt === undefined : retryAfterMs <= SHORT_MS;
  return nextAfter === undefined || isShort ? next : nextAfter.replace("{wait}", waitInWords(timing, locale));
}

/** Up to here, "a minute" is true. */
const SHORT_MS = 60_000;

function operatorView(fault: Fault, options: Resolved): OperatorView {
  const { title, operator } = wordsOf(fault, options.locale);
  const { redactor } = options;
  return {
    ...userView(fault, options),
    class: fault.class,
    code: fault.code,
    title,
    hint: operator,
    detail: redactor.text(fault.message),
    rule: fault.evidence.rule,
    source: fault.evidence.source,
    nearly: fault.evidence.nearly,
    excerpt: redactor.text(fault.evidence.excerpt),
    context: redactor.value(fault.context) as FaultContext,
  };
}

function auditView(fault: Fault, options: Resolved): AuditView {
  const [, ...causes] = causeChain(fault);
  return {
    ...operatorView(fault, options),
    retryable: traitsOf(fault.code).retryable,
    causes: causes.map((cause) => ({
      class: cause.class,
      code: cause.code,
      message: options.redactor.text(cause.message),
    })),
    origin: options.redactor.value(originOf(fault)) as FaultOrigin | null,
  };
}
