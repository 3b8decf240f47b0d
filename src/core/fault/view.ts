// What each audience may see of a fault. Model and user get static words and allow-listed fields only; operators get
// the evidence too; audit gets everything. All of it passes the redactor.

import { type FaultClass, type FaultCode, traitsOf } from "./catalogue.ts";
import { causeChain, type ContextValue, type EvidenceSource, type Fault, type FaultContext } from "./fault.ts";
import { type Redactor, SHAPE_REDACTOR } from "./redact.ts";
import { type Locale, wordsFor } from "./words/words.ts";

export type Audience = "model" | "user" | "operator" | "audit";

export interface ModelView {
  readonly class: FaultClass;
  readonly code: FaultCode;
  readonly message: string;
  readonly context: FaultContext;
}

export interface UserView {
  readonly message: string;
  readonly next: string;
  readonly correlationId: string;
  readonly retryAfterMs?: number;
  readonly resetAt?: number;
}

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

export interface AuditView extends OperatorView {
  readonly retryable: boolean;
  /** Each cause below this fault, nearest first. */
  readonly causes: readonly { readonly class: FaultClass; readonly code: FaultCode; readonly message: string }[];
}

export interface ViewOf {
  readonly model: ModelView;
  readonly user: UserView;
  readonly operator: OperatorView;
  readonly audit: AuditView;
}

export interface ViewOptions {
  readonly correlationId: string;
  readonly locale?: Locale;
  readonly redactor?: Redactor;
}

/** Fields of a fault's context that a model may see: names and numbers it already knows or needs to correct itself. */
export const MODEL_CONTEXT = ["tool", "field", "stage", "attempt", "maxAttempts", "limit", "expected"] as const;

/** A string from context reaches a model only if it looks like a name, so that no payload slips through a field. */
const NAME_LIKE = /^[\w.:-]{1,64}$/;

export function viewFor<A extends Audience>(audience: A, fault: Fault, options: ViewOptions): ViewOf[A] {
  return VIEWS[audience](fault, resolveViewOptions(options));
}

type Resolved = Required<ViewOptions>;

export function resolveViewOptions({ correlationId, locale = "en", redactor = SHAPE_REDACTOR }: ViewOptions): Resolved {
  return { correlationId, locale, redactor };
}

const VIEWS: { readonly [A in Audience]: (fault: Fault, options: Resolved) => ViewOf[A] } = {
  model: modelView,
  user: userView,
  operator: operatorView,
  audit: auditView,
};

function modelView(fault: Fault, { locale, redactor }: Resolved): ModelView {
  const context: Record<string, ContextValue> = {};
  for (const key of MODEL_CONTEXT) {
    const value = fault.context[key];
    if (value === undefined) continue;
    if (typeof value !== "string") context[key] = value;
    else if (NAME_LIKE.test(value) && redactor.text(value) === value) context[key] = value;
  }
  return { class: fault.class, code: fault.code, message: wordsFor(fault.code, locale).model, context };
}

function userView(fault: Fault, { locale, redactor, correlationId }: Resolved): UserView {
  const { user, next } = wordsFor(fault.code, locale);
  return {
    message: user,
    next,
    correlationId: redactor.text(correlationId),
    ...(fault.retryAfterMs === undefined ? {} : { retryAfterMs: fault.retryAfterMs }),
    ...(fault.resetAt === undefined ? {} : { resetAt: fault.resetAt }),
  };
}

function operatorView(fault: Fault, options: Resolved): OperatorView {
  const { title, operator } = wordsFor(fault.code, options.locale);
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
  };
}
