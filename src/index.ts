// `faultline`: what a program needs to call models, tools and agents through Faultline, and to read what came of it. The pure parts
// (catalogue, policies, `decide`, breakers, records) are at `faultline/core`.

export {
  classify,
  explain,
  fault,
  FaultError,
  isFaultCode,
  isFaultError,
  noticeOf,
  toProblem,
  traitsOf,
  viewFor,
  withContext,
  wrap,
} from "./core/index.ts";
export type {
  Answer,
  Audience,
  AuditView,
  BudgetOptions,
  CatalogueRow,
  Cost,
  CostBasis,
  Decision,
  Entry,
  Evidence,
  Explanation,
  Fault,
  FaultClass,
  FaultCode,
  FaultContext,
  FaultDetail,
  FaultEvidence,
  FaultGroup,
  FaultIssue,
  FaultOccurrence,
  InteractionKind,
  JournalEvent,
  Locale,
  ModelDetail,
  ModelView,
  Notice,
  OnExceed,
  OperatorView,
  Policy,
  PolicyRow,
  PresetName,
  Problem,
  ProblemOptions,
  Question,
  QuestionPayload,
  Recourse,
  RecourseTally,
  Redactor,
  ReplaySummary,
  Retry,
  Rule,
  SessionState,
  Spending,
  Surface,
  ToolCounters,
  ToolMetrics,
  UserView,
  ViewOf,
  ViewOptions,
} from "./core/index.ts";

export { createFaultline } from "./faultline.ts";
export type {
  Faultline,
  FaultlineAgentOptions,
  FaultlineAiToolsOptions,
  FaultlineFetchOptions,
  FaultlineModelOptions,
  FaultlineOptions,
} from "./faultline.ts";
export type { AiTool, AiToolCall, AiTools, AiToolSettings, AnyAiTool, GivenTools } from "./provider/ai-tools.ts";
export type { FetchFallback, FetchOptions } from "./provider/fetch/fetch-options.ts";
export type { TargetReport } from "./runtime/target/report-targets.ts";
export type { ProtectOptions } from "./runtime/runtime.ts";
export type { SessionOptions } from "./runtime/session/session-options.ts";
export type { ModelOptions, ModelTarget, ModelTargetOptions } from "./provider/model/model-options.ts";
export type { MidStream } from "./provider/model/stream-sink.ts";
export type { Timeouts } from "./provider/model/watch.ts";
export type { FactOverrides, ModelFacts } from "./provider/model-facts/facts-for.ts";
export { type AnyMessage, completeToolCalls } from "./provider/portable/complete-tool-calls.ts";
export type { PriceRow } from "./provider/price/price-rows.ts";
export type { ToolOverride } from "./core/index.ts";
export { partial, tool } from "./runtime/tool/tool.ts";
export type {
  AnyTool,
  CostOptions,
  DeviceCode,
  PartialOutput,
  HedgeOptions,
  RetryOptions,
  RunContext,
  Tool,
  ToolOptions,
} from "./runtime/tool/tool.ts";
export type { SharedCallOptions, Work, WorkOptions } from "./runtime/call/calls.ts";
export { hasValue, isOpen } from "./runtime/call/outcome.ts";
export type { Outcome, OutcomeStatus } from "./runtime/call/outcome.ts";
export type {
  MayCall,
  FailureReport,
  PlannedCall,
  ReportedEnd,
  ReportedEvidence,
  ReportedFailure,
  ReportedOutcome,
  SuccessReport,
} from "./runtime/report/failure-report.ts";
export { step } from "./runtime/session/plan.ts";
export type { Got, Needs, OutcomesOf, OutputOf, PlanStep, PlanSteps, StepOptions } from "./runtime/session/plan.ts";
export type { Missing, RoundResult } from "./runtime/session/run-round.ts";
export type { PersonAnswer } from "./runtime/session/ask-person.ts";
export type { Session, SessionLimits, TurnOptions } from "./runtime/session/session.ts";
export type { CallOptions, RunOptions, Turn, TurnBody, TurnResult } from "./runtime/session/turn.ts";

export type { Interactor } from "./runtime/person/interactors.ts";
export { terminalInteractor } from "./runtime/person/terminal-interactor.ts";
export type { TerminalOptions } from "./runtime/person/terminal-interactor.ts";
export { defineExtension } from "./runtime/extension/extension.ts";
export type { Extension, ExtensionOptions } from "./runtime/extension/extension.ts";
export type { AdapterOptions, ExtensionHost } from "./runtime/extension/extension-host.ts";

export type {
  Found,
  Journal,
  Keep,
  KeepKind,
  NewEntry,
  Positioned,
  SessionSummary,
  Subscription,
  VerifyReport,
} from "./journal/journal.ts";
export { createMemoryJournal } from "./journal/memory/memory-journal.ts";
export { openJournal } from "./journal/open-journal.ts";
export type { JournalOptions } from "./journal/journal-options.ts";
export { replayPolicy } from "./journal/replay-policy.ts";
export type { ReplayProgress, ReplayQuery } from "./journal/replay-policy.ts";
export { exportSession, importSession } from "./journal/files/transfer.ts";
export { artefactsFolder, readArtefact } from "./journal/files/artefacts.ts";
export { cli } from "./agent/run/cli.ts";
export type { CliOptions, CliTarget } from "./agent/run/cli.ts";
export type { Agent, AgentOptions, AgentRunOptions } from "./agent/run/agent.ts";
export type { AgentRunEvent, AgentRunResult } from "./agent/run/agent-request.ts";
export { ChannelBridge } from "./agent/run/channel-bridge.ts";
export type { BridgeResult } from "./agent/run/channel-bridge.ts";
export type { AgentEvent, AgentUsage } from "./agent/event/agent-event.ts";
export type { AgentKind } from "./agent/parse/agent-state.ts";
export type { Clock } from "./host/clock.ts";
export type { Chance } from "./host/chance.ts";
export type { AnySchema, JsonSchema } from "./schema/index.ts";
