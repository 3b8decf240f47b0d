// `faultline/core`: the pure part. No I/O, no clock, no chance, no dependency; runs anywhere JavaScript does.

export { CATALOGUE, FAULT_CLASSES, FAULT_CODES, isFaultCode, traitsOf } from "./fault/catalogue.ts";
export type { CatalogueRow, FaultCause, FaultClass, FaultCode, FaultScope, QuestionKind } from "./fault/catalogue.ts";
export { causeChain, fault, originOf, withContext, wrap } from "./fault/fault.ts";
export type {
  ContextValue,
  EvidenceSource,
  Fault,
  FaultContext,
  FaultDetail,
  FaultEvidence,
  FaultIssue,
  FaultOrigin,
  OriginLink,
} from "./fault/fault.ts";
export { FaultError, isFaultError } from "./fault/fault.ts";
export { collectPartial } from "./fault/fault.ts";
export type { ItemFault, ItemOutcome, PartialResult } from "./fault/fault.ts";
export { PROBLEM_MEDIA_TYPE, toProblem } from "./fault/problem.ts";
export type { Problem, ProblemOptions, ProblemPointer } from "./fault/problem.ts";
export { createRedactor, REDACTED, SHAPE_REDACTOR } from "./fault/redact.ts";
export type { Redactor } from "./fault/redact.ts";
export { suppressed } from "./fault/fault.ts";
export type { SuppressedFault } from "./fault/fault.ts";
export { MODEL_CONTEXT, MODEL_DETAILS, viewFor } from "./fault/view.ts";
export type {
  Audience,
  AuditView,
  ModelDetail,
  ModelView,
  OperatorView,
  UserView,
  ViewOf,
  ViewOptions,
} from "./fault/view.ts";
export { matrixOutcome, VOCABULARY } from "./fault/vocabulary.ts";
export type {
  ErrorCategory,
  LlmKind,
  MatrixOutcome,
  RunCode,
  SiClass,
  StudClass,
  VocabularyRow,
} from "./fault/vocabulary.ts";
export { LOCALES, resolveLocale, wordsFor } from "./fault/words/words.ts";
export type { FaultWords } from "./fault/words/fault-words.ts";
export type { Locale } from "./fault/words/words.ts";

export { classify, DEFAULT_RULES, rulesWith } from "./classify/classify.ts";
export { SURFACES } from "./classify/evidence.ts";
export type { CancelScope, Evidence, Surface } from "./classify/evidence.ts";
export type { Rule, When } from "./classify/rule.ts";
export type { RuleBook } from "./classify/rule-book.ts";

export { rowsOfAdapter, rowsOfStage, rowsOfTool, toolRetry, withRows } from "./policy/layer.ts";
export type { ToolOverride, ToolRetryManifest } from "./policy/layer.ts";
export { lintPolicy } from "./policy/lint.ts";
export type { Finding, FindingKind } from "./policy/lint.ts";
export { DEFAULT_POLICY, MATRIX } from "./policy/matrix.ts";
export { describeMatch, RECOURSES, rowFor } from "./policy/policy.ts";
export type {
  Backoff,
  BackoffKind,
  BreakerRule,
  Place,
  Policy,
  PolicyRow,
  Recourse,
  Retry,
  RetryBudgetRule,
  RowMatch,
  RowOrigin,
} from "./policy/policy.ts";
export { PRESET_NAMES, PRESETS } from "./policy/presets.ts";
export type { PresetName } from "./policy/presets.ts";

export { baseDelayMs, delayBounds, delayMs, schedule } from "./policy/policy.ts";
export type { DelayBounds, ScheduledWait } from "./policy/policy.ts";
export { admit, CLOSED, isolate, letProbe, mergeBreakers, record, release } from "./decide/breaker.ts";
export type { Admission, Breaker, BreakerCause, BreakerState, CallResult, Ticket } from "./decide/breaker.ts";
export { decide } from "./decide/decide.ts";
export { REFUSALS } from "./decide/decision.ts";
export type { Considered, Decision, Refusal } from "./decide/decision.ts";
export { explain, whyNot } from "./decide/explain.ts";
export { formatMs } from "./fault/words/time-words.ts";
export type { Explanation } from "./decide/explain.ts";
export { nextTarget } from "./decide/fallback.ts";
export type { ChainState, FailureDomains, NextTarget, PassedOver, Target } from "./decide/fallback.ts";
export { earn, fullBudget, spend } from "./decide/breaker.ts";
export type { RetryBudget } from "./decide/breaker.ts";
export { situation } from "./decide/situation.ts";
export type { Incident, Situation } from "./decide/situation.ts";

export { advanceCall, CHOICES, startCall } from "./flow/call.ts";
export type { CallEnd, CallEvent, CallState, CallStep, Choice, RequestChange } from "./flow/call.ts";
export { INTERACTION_KINDS, INTERACTIONS } from "./flow/interaction.ts";
export type { Answer, InteractionKind, Question, QuestionPayload, SelectOption } from "./flow/interaction.ts";
export type { BudgetOptions, BudgetRule, Cost, CostBasis, OnExceed, Spending } from "./flow/money.ts";
export { checkPlan } from "./flow/plan.ts";
export type { Plan, PlanNode } from "./flow/plan.ts";

export type { Entry, JournalEvent, Manifest, SessionStatus, TurnStatus } from "./record/event.ts";
export type { FaultGroup, FaultOccurrence, RecourseTally } from "./record/fault-index.ts";
export { fingerprint } from "./record/fault-index.ts";
export { countEntries, metricsOf } from "./record/metrics.ts";
export type { ToolCounters, ToolMetrics } from "./record/metrics.ts";
export { noticeOf } from "./record/notice.ts";
export type { Notice } from "./record/notice.ts";
export { emptySession, foldEntry } from "./record/replay.ts";
export type { SessionState, TurnRecord } from "./record/replay.ts";
export { traceOf } from "./record/trace.ts";
export type { TraceRecord } from "./record/trace.ts";
export { replayUnder } from "./record/policy-replay.ts";
export { createPolicyReplay } from "./record/replay-tally.ts";
export { describeReplayLimit } from "./record/replay-tally.ts";
export type {
  ChangedDecision,
  PolicyReplay,
  ReplayedRecourse,
  ReplayLimit,
  ReplayOptions,
  ReplayRow,
  ReplaySummary,
  UnknownReason,
} from "./record/replay-tally.ts";
export type { SeenSituation } from "./decide/situation.ts";
export type { PolicyChanges } from "./decide/situation.ts";
