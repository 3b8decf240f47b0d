// `faultline/workflow`: workflows in TypeScript and YAML, their runs, and the loop that drives them.

export { actionTable } from "../core/flow/action-table.ts";
export { actionsFor, ACTION_IDS } from "../core/flow/action.ts";
export type { ActionId, OfferedAction } from "../core/flow/action.ts";
export type { Instruction, NodeKind, Resolution, Route } from "../core/flow/visit.ts";
export type { RunEvent, RunLimits } from "../core/flow/run-event.ts";
export type { RunState, RunStatus } from "../core/flow/run-state.ts";
export type { Visit } from "../core/flow/visit.ts";
export type { IncidentCause, IncidentCost, IncidentDeed, IncidentFacts } from "../core/record/incident.ts";
export { createRunStream } from "../core/record/run-stream.ts";
export type { RunStreamEvent } from "../core/record/run-stream.ts";
export { toCloudEvent } from "../core/record/cloud-event.ts";
export type { CloudEvent } from "../core/record/cloud-event.ts";
export { capped, defineWorkflow, stage } from "./define.ts";
export type { StageOptions, WorkflowLimitOptions, WorkflowOptions } from "./define.ts";
export { createDriver } from "./driver.ts";
export type { Advances, Driver, DriverOptions } from "./driver.ts";
export type { RestateDriver, RestateDriverOptions, RestateWorkerOptions } from "./restate/restate-driver.ts";
export type { LoadedFile } from "./definition/load.ts";
export { createRuns } from "./runs.ts";
export type { WorkflowRuns } from "./runs.ts";
export type { RunsOptions } from "./runs-options.ts";
export type {
  Acted,
  ActOptions,
  ChangedWorkflow,
  IncidentReport,
  ReportOptions,
  ResumeOptions,
  RunEnd,
  RunReport,
  Runs,
  RunsFilter,
  RunsPage,
  RunsPlace,
  RunSummary,
  StartOptions,
} from "./runs-api.ts";
export type { ExportFormat } from "./report/export-run.ts";
export { StageFailure } from "./advance/attempt.ts";
export type {
  ActResult,
  ActTools,
  AssertVerdict,
  GateQuestion,
  GateVerdict,
  NodeResult,
  OutlineEdge,
  OutlineNode,
  OutlineTool,
  Stage,
  StageEnding,
  StageScope,
  Workflow,
  WorkflowInputs,
  WorkflowLimits,
  WorkflowOutline,
  WorkflowSource,
} from "../workflow-model/stage.ts";
export { createWorkflows } from "./workflows.ts";
export type { Workflows, WorkflowsOptions } from "./workflows.ts";
