// Every name that a span can show, in one table: spans, attributes and events. `docs/TELEMETRY.md` describes them, and nothing else in
// `src` spells an attribute. Names that begin with `gen_ai.` follow OpenTelemetry's conventions for generative AI, which are still
// in development: when they change, this file changes.

import type { TraceAttributes } from "./otel-api.ts";

/** The version of OpenTelemetry's semantic conventions that the names follow. */
export const SEMCONV_VERSION = "1.45.0";

/** The name of our tracer: the instrumentation scope of every span. */
export const TRACER_NAME = "faultline";

export const SPANS = {
  /** The call with all its attempts and waits. */
  tool: "execute_tool {tool}",
  /** The call with all its attempts and waits. */
  model: "chat {model}",
  /** The run with all its attempts and waits. */
  agent: "invoke_agent {cli}",
  /** The attempt: active while the tool runs. */
  attempt: "faultline.attempt",
  /** Until it is over or has to wait. */
  run: "invoke_workflow {workflow}",
  /** The attempt: active while the stage runs. */
  stage: "faultline.stage {node}",
} as const;

export const ATTRIBUTES = {
  /** `execute_tool`, `chat`, `invoke_agent` or `invoke_workflow`. */
  operation: "gen_ai.operation.name",
  /** Who answers, by OpenTelemetry's names. */
  provider: "gen_ai.provider.name",
  /** The model that is asked. */
  model: "gen_ai.request.model",
  /** Tokens of the request, as the provider reported them. */
  inputTokens: "gen_ai.usage.input_tokens",
  /** Tokens of the answer, as the provider reported them. */
  outputTokens: "gen_ai.usage.output_tokens",
  /** The tool's id. */
  toolName: "gen_ai.tool.name",
  /** The CLI's id. */
  agentName: "gen_ai.agent.name",
  /** The workflow's id. */
  workflowName: "gen_ai.workflow.name",
  /** The session or run. */
  conversation: "gen_ai.conversation.id",
  /** The fault's code, see FAULTS.md. A call that recovered has none; its failed attempts have one each. */
  errorType: "error.type",
  /** The fault's class. */
  faultClass: "faultline.fault.class",
  /** The HTTP status of the failure, where there was one. */
  status: "http.response.status_code",
  /** The call, as outcomes and events name it. */
  call: "faultline.call.id",
  /** How it ended: `done`, `failed`, `parked` …. */
  outcome: "faultline.outcome",
  /** All attempts of all targets, earlier processes included. */
  attempts: "faultline.attempts",
  /** True: the journal answered, nothing ran. */
  replayed: "faultline.replayed",
  /** The tool, model or CLI. */
  target: "faultline.target",
  /** From 1, for this target. */
  number: "faultline.attempt.number",
  /** Why there is another attempt: `retry`, `fallback`, `alternative` …. */
  reason: "faultline.attempt.reason",
  /** How long it waits, in milliseconds. */
  delayMs: "faultline.delay_ms",
  /** What it cost, in US dollars. */
  costUsd: "faultline.cost.usd",
  /** `reported` or `estimated`. */
  costBasis: "faultline.cost.basis",
  /** The code of the fault that led to it. */
  code: "faultline.fault.code",
  /** What is done about the fault. */
  recourse: "faultline.recourse",
  /** The target or state before. */
  from: "faultline.from",
  /** The target or state after. */
  to: "faultline.to",
  /** `paused` or `paced`. */
  waitsFor: "faultline.wait.reason",
  /** What kind of question a person is asked. */
  question: "faultline.question.kind",
  /** How the person answered. */
  answer: "faultline.answer.status",
  /** How many parts of the request were changed. */
  changes: "faultline.changes",
  /** The node's id. */
  node: "faultline.node",
  /** `agent`, `command`, `tool` …. */
  nodeKind: "faultline.node.kind",
  /** How often the run has entered the node, from 1. */
  execution: "faultline.node.execution",
} as const;

export const EVENTS = {
  /** The same target is tried again after the delay. */
  retry: "faultline.retry",
  /** Another model, CLI or tool takes over. */
  switch: "faultline.switch",
  /** The call waits in the journal until the fault lifts. */
  park: "faultline.park",
  /** A person decides. */
  ask: "faultline.ask",
  /** Anything else that is done about a fault. */
  recourse: "faultline.recourse",
  /** An attempt is held back: the target is paused, or calls are paced. */
  wait: "faultline.wait",
  /** A second attempt goes to another target, because the first one is silent. */
  hedge: "faultline.hedge",
  /** The call moved the breaker of its target. */
  breaker: "faultline.breaker",
  /** A question went out. */
  question: "faultline.question",
  /** A question was answered. */
  answer: "faultline.answer",
  /** The request was changed to fit the target, or to repair it. */
  adapted: "faultline.adapted",
  /** The budget refused an attempt. */
  overBudget: "faultline.over_budget",
} as const;

export type AttributeKey = keyof typeof ATTRIBUTES;
export type EventKey = keyof typeof EVENTS;
export type SpanFacts = Readonly<Partial<Record<AttributeKey, string | number | boolean | null | undefined>>>;

/** The attributes by their names; what is null or unknown is left out. */
export function attributesOf(facts: SpanFacts): TraceAttributes {
  const named: TraceAttributes = {};
  for (const key of Object.keys(facts) as AttributeKey[]) {
    const value = facts[key];
    if (value !== null && value !== undefined) named[ATTRIBUTES[key]] = value;
  }
  return named;
}

/** Our names of providers, where OpenTelemetry has another one. */
const PROVIDER_NAMES: Readonly<Record<string, string>> = {
  "azure": "azure.ai.openai",
  "bedrock": "aws.bedrock",
  "google": "gcp.gemini",
  "mistral": "mistral_ai",
  "moonshotai": "moonshot_ai",
  "vertex": "gcp.vertex_ai",
  "xai": "x_ai",
  "claude-cli": "anthropic",
  "codex-cli": "openai",
  "gemini-cli": "gcp.gemini",
};

export function providerName(provider: string): string {
  return PROVIDER_NAMES[provider] ?? provider;
}
