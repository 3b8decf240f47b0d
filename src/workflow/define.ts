// Workflows written in TypeScript: stages with the phases that matter to them, everything else as most would expect it.

import { FAULT_CODES, type FaultCode } from "../core/fault/catalogue.ts";
import { fault, type Fault, FaultError, isFault } from "../core/fault/fault.ts";
import { isSecretName, REDACTED } from "../core/fault/redact.ts";
import { nameFault } from "../core/flow/name.ts";
import { type Resolution, RESOLUTIONS, type Route } from "../core/flow/visit.ts";
import { microcentsOf, ON_EXCEED, type OnExceed } from "../core/flow/money.ts";
import type { Policy } from "../core/policy/policy.ts";
import { policyOfRuns } from "../core/policy/presets.ts";
import {
  callable,
  checkOptions,
  flag,
  group,
  invalidOption,
  listOf,
  mapOf,
  number,
  oneOf,
  over,
  required,
  shape,
  type Shape,
  text,
  whole,
} from "../options/check-options.ts";
import { policyKind, RETRY_OPTIONS } from "../runtime/option-shapes.ts";
import { retryOf, type RetryOptions } from "../runtime/tool/tool.ts";
import { nearest } from "../options/nearest.ts";
import { outlineOfStages } from "./definition/outline.ts";
import { digestOf } from "../runtime/session/session-core.ts";
import type {
  ActResult,
  ActTools,
  AssertVerdict,
  GateVerdict,
  Stage,
  StageEnding,
  StageScope,
  Workflow,
  WorkflowInputs,
  WorkflowLimits,
} from "../workflow-model/stage.ts";
import { AGENT_CLIS } from "../agent/verdict/cli-table.ts";
import type { WorkflowDefinition } from "../workflow-file/definition.ts";
import { WORKFLOW_PROVIDERS } from "../workflow-model/providers.ts";
import type { Environment } from "../agent/process/child-env.ts";

type MaybePromise<T> = T | Promise<T>;

/** Options of `stage`. */
export interface StageOptions<Context = undefined> {
  /** Tries of the whole stage, from Setup; what its calls retry by themselves is not counted. One when left out. */
  readonly retryPolicy?: RetryOptions & { readonly on?: readonly FaultCode[] };
  /** What happens to the run when the stage has failed for good. Default: `abort-workflow`. */
  readonly resolutionPolicy?: Resolution;
  /** Rounds of the message loop in Act. */
  readonly turnCap?: number;
  /** How long one attempt may take, in milliseconds. Default: 35 minutes. */
  readonly timeoutMs?: number;
  /** The whole attempt may be done twice without harm. */
  readonly idempotent?: boolean;
  /** The part it plays in a team, which decides where a failed review is sent. */
  readonly role?: "coder" | "reviewer" | "tester";
  /** The most its agent may cost in one run, in US dollars. Default: 0, which means no limit. */
  readonly maxUsd?: number;
  /** Makes the context that the later phases get. */
  readonly setup?: (scope: StageScope) => MaybePromise<Context>;
  /** Composes the request for Act. */
  readonly init?: (context: Context, scope: StageScope) => MaybePromise<string>;
  /** Whether to act, to ask a person, or to skip. Default: act. */
  readonly checkGate?: (context: Context, scope: StageScope) => MaybePromise<GateVerdict>;
  /** The work. Returns the output, or an `ActResult` made by `capped` when its rounds were used up. */
  readonly act: (request: string, tools: ActTools, scope: StageScope, context: Context) => unknown;
  /** Checks the result. Default: fails when the rounds were used up. */
  readonly assert?: (result: ActResult, scope: StageScope, context: Context) => MaybePromise<AssertVerdict>;
  /** Makes the output that later stages see. Default: the output of Act. */
  readonly exit?: (ending: StageEnding, scope: StageScope, context: Context) => unknown;
  /** A node's id, several that run side by side, a whole route, or nothing for the end. A failed stage that names no node is resolved by its policy. */
  readonly next?: (ending: StageEnding, scope: StageScope) => MaybePromise<string | Route | null | undefined>;
}

/** What all nodes of a run together may use. */
export interface WorkflowLimitOptions {
  /** How many nodes may run at the same time. Default: 4. */
  readonly maxParallel?: number;
  /** How many visits of nodes one run may make, which ends a loop that does not end by itself. Default: 100. */
  readonly maxNodes?: number;
  /** How long a run may take, in milliseconds. Default: no limit. */
  readonly timeoutMs?: number;
  /** The most a run may cost, in US dollars. Default: 0, which means no limit. */
  readonly maxUsd?: number;
  /** What happens to an attempt that would pass `maxUsd`. Default: `fail`. */
  readonly onExceed?: OnExceed;
}

/** Options of `defineWorkflow`. */
export interface WorkflowOptions {
  /** Names the workflow. */
  readonly id: string;
  /** Say another one when a change must not be resumed into. */
  readonly version?: string;
  /** The name that people see. Default: the id. */
  readonly name?: string;
  /** The stages, by name. */
  readonly stages: Readonly<Record<string, StageOptions<never>>>;
  /** The first stage when left out. */
  readonly start?: string;
  /** What a run may use. */
  readonly limits?: WorkflowLimitOptions;
  /** The policy for calls in its runs. Default: as the runtime has it. */
  readonly policy?: Policy;
  /** Reads the inputs of a run: the caller that starts the run gets what it throws. */
  readonly inputs?: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>;
  /** Inputs that are never shown. */
  readonly secretInputs?: readonly string[];
}

const CAPPED: unique symbol = Symbol.for("faultline.capped") as never;

/** What Act returns when its rounds were used up: Assert then decides what that means. */
export function capped(output: unknown): unknown {
  return { [CAPPED]: true, output };
}

export const DEFAULT_LIMITS: WorkflowLimits = {
  maxParallel: 4,
  maxNodes: 100,
  timeoutMs: Infinity,
  maxCostMicrocents: 0,
  onExceed: "fail",
};

const STAGE_OPTIONS = shape<StageOptions>({
  retryPolicy: group(
    shape<NonNullable<StageOptions["retryPolicy"]>>({ ...RETRY_OPTIONS, on: listOf(oneOf(FAULT_CODES)) }),
  ),
  resolutionPolicy: oneOf(RESOLUTIONS),
  turnCap: whole(1),
  timeoutMs: number(1),
  idempotent: flag,
  role: oneOf(["coder", "reviewer", "tester"]),
  maxUsd: number(0),
  setup: callable,
  init: callable,
  checkGate: callable,
  act: required(callable),
  assert: callable,
  exit: callable,
  next: callable,
});

const WORKFLOW_OPTIONS = shape<WorkflowOptions>({
  id: required(text),
  version: text,
  name: text,
  stages: required(mapOf(group(STAGE_OPTIONS))),
  start: text,
  limits: group(
    shape<WorkflowLimitOptions>({
      maxParallel: number(1),
      maxNodes: number(1),
      timeoutMs: number(1),
      maxUsd: number(0),
      onExceed: oneOf(ON_EXCEED),
    }),
  ),
  policy: policyKind,
  inputs: callable,
  secretInputs: listOf(text),
});

const STAGE_TIMEOUT_MS = 35 * 60_000;
const TURN_CAP = 20;
/** The outcome of a completed run whose workflow names none. */
export const COMPLETED = "completed";

/**
 * Defines one stage of a workflow written in TypeScript, with the type of its context. Only `act`, the work, is required.
 *
 * @example
 * ```ts
 * import { stage } from "faultline/workflow";
 *
 * const count = stage({ act: (request) => request.length, timeoutMs: 60_000 });
 * console.log(typeof count);
 * ```
 */
export function stage<Context>(options: StageOptions<Context>): StageOptions<never> {
  return checkOptions("stage", options as unknown as StageOptions<never>, STAGE_OPTIONS as Shape<StageOptions<never>>);
}

/**
 * Defines a workflow in TypeScript.
 *
 * @example
 * ```ts
 * import { defineWorkflow, stage } from "faultline/workflow";
 *
 * const workflow = defineWorkflow({ id: "greet", stages: { hello: stage({ act: () => "Hello" }) } });
 * ```
 */
export function defineWorkflow(options: WorkflowOptions): Workflow {
  const {
    id,
    version = "1",
    name = id,
    policy = null,
    secretInputs = [],
  } = checkOptions("defineWorkflow", options, WORKFLOW_OPTIONS);
  const ids = Object.keys(options.stages);
  const first = options.start ?? ids[0];
  refuse(nameFault("workflow", id));
  for (const one of ids) refuse(nameFault("stage", one));
  if (first === undefined || !ids.includes(first)) {
    const message = `start is ${first ?? "missing"}; workflow ${id} has the stages ${ids.join(", ") || "none"}`;
    throw invalidOption("defineWorkflow", "start", message);
  }
  const { maxUsd = 0, ...others } = options.limits ?? {};
  const limits = { ...over(DEFAULT_LIMITS, others), maxCostMicrocents: microcentsOf(maxUsd) };
  const stages = new Map(
    ids.map((one) => [one, stageOf(one, options.stages[one] as unknown as StageOptions<unknown>, ids)]),
  );
  return {
    id,
    version,
    name,
    digest: digestOf({ id, version, stages: describe(options.stages) }),
    source: null,
    secrets: [],
    limits,
    policy: policy === null ? null : policyOfRuns(policy),
    start: [first],
    stages,
    outline: outlineOfStages(stages),
    readInputs: (given) => readInputs(given, options.inputs ?? ((all) => all), secretInputs),
    targetsOf: () => [],
    sendBackTo: () => ids.find((one) => options.stages[one]?.role === "coder") ?? null,
  };
}

/** Without a retry policy, a stage that may come again later does so once, and is not tried again before. */
const ONCE_MORE_LATER: NonNullable<StageOptions["retryPolicy"]> = { maxAttempts: 2, on: [] };

function stageOf(id: string, options: StageOptions<unknown>, ids: readonly string[]): Stage {
  const { retryPolicy, resolutionPolicy = "abort-workflow", role } = options;
  const { on = null, ...retry } =
    retryPolicy ?? (resolutionPolicy === "retry-later" ? ONCE_MORE_LATER : { maxAttempts: 1 });
  const position = ids.indexOf(id);
  return {
    id,
    kind: "stage",
    rules: {
      node: id,
      retry: { ...retryOf(retry), maxTotalWaitMs: retry.maxTotalWaitMs ?? Infinity },
      retryOn: on,
      resolution: resolutionPolicy,
      idempotent: options.idempotent ?? false,
    },
    turnCap: options.turnCap ?? TURN_CAP,
    timeoutMs: options.timeoutMs ?? STAGE_TIMEOUT_MS,
    maxCostMicrocents: microcentsOf(options.maxUsd ?? 0),
    role: role === "reviewer" || role === "tester" ? role : null,
    // What an author makes of an instruction is theirs to say, in the attempt.
    refusal: () => null,
    setup: options.setup ?? (() => undefined),
    init: options.init ?? (() => ""),
    checkGate: options.checkGate ?? (() => ({ verdict: "proceed" })),
    act: async (request, tools, scope, context) => actResult(await options.act(request, tools, scope, context)),
    assert: options.assert ?? capMeansFailure,
    exit: options.exit ?? (({ output }) => output),
    next: async (ending, scope) => {
      if (options.next !== undefined) return knownRoute(id, routeOf(await options.next(ending, scope), ending), ids);
      return ending.status === "failed" ? null : routeOf(ids[position + 1], ending);
    },
  };
}

function actResult(given: unknown): ActResult {
  const isCapped = typeof given === "object" && given !== null && CAPPED in given;
  return isCapped ? { output: (given as { output?: unknown }).output, capHit: true } : { output: given, capHit: false };
}

/** Its rounds have done work, so a stage that used them up is not begun again unless its own `assert` asks for it. */
function capMeansFailure({ capHit }: ActResult): AssertVerdict {
  if (!capHit) return { verdict: "ok" };
  const message =
    "the stage used up its rounds before it was done; raise its turnCap, or let its assert ask for a retry";
  return { verdict: "fail", reason: message, fault: fault("TurnLimit", { message }) };
}

function routeOf(given: string | Route | null | undefined, { status }: StageEnding): Route | null {
  if (typeof given === "object" && given !== null) return given;
  if (typeof given === "string") return { kind: "to", nodes: [given] };
  return status === "failed" ? null : { kind: "end", outcome: COMPLETED };
}

/** A route to a stage that is not there is a mistake in `next`, found when it is taken. */
function knownRoute(id: string, route: Route | null, ids: readonly string[]): Route | null {
  const unknown = route?.kind === "to" ? route.nodes.find((node) => !ids.includes(node)) : undefined;
  if (unknown === undefined) return route;
  const meant = nearest(unknown, ids);
  const help = meant === null ? `the workflow has the stages ${ids.join(", ")}` : `did you mean ${meant}?`;
  throw invalidOption(`stage ${id}`, "next", `next named ${JSON.stringify(unknown)}, which is not a stage; ${help}`);
}

function readInputs(
  given: unknown,
  read: (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  secret: readonly string[],
): WorkflowInputs | Fault {
  const values = read((given ?? {}) as Readonly<Record<string, unknown>>);
  if (isFault(values)) return values;
  const shown = Object.fromEntries(
    Object.entries(values).map(([key, value]) => [key, secret.includes(key) ? REDACTED : value]),
  );
  return { values, shown, secret: Object.fromEntries(Object.entries(values).filter(([key]) => secret.includes(key))) };
}

/** What a stage declares. Not the text of its functions: every build of a program would be another workflow, and strand its runs. */
function describe(stages: WorkflowOptions["stages"]): unknown {
  return Object.entries(stages).map(([id, options]) => {
    const declared = Object.entries(options).filter(([, value]) => typeof value !== "function");
    return [id, Object.fromEntries(declared)];
  });
}

function refuse(seen: Fault | null): void {
  if (seen !== null) throw new FaultError(seen);
}

// Freezes plain data deeply: code that writes into it gets a JavaScript error at the offending line.

export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Something with a life of its own, such as a connection, must be left alone.
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return value;
  Object.freeze(value);
  for (const part of Object.values(value)) deepFreeze(part);
  return value;
}

// Secrets that a workflow uses: the values of variables with a telling name, of those that providers and agent CLIs read
// their keys from, and in those that the file names.

const KEY_VARIABLES: ReadonlySet<string> = new Set([
  ...WORKFLOW_PROVIDERS.flatMap(({ keyEnv }) => keyEnv),
  ...Object.values(AGENT_CLIS).flatMap(({ keyEnv }) => keyEnv),
]);

/** Folders that shells keep in variables with the name of a password: every path would be masked. */
const FOLDERS = new Set(["PWD", "OLDPWD"]);

/** Whatever they look like. */
export function secretsIn(env: Environment): readonly string[] {
  return Object.entries(env).flatMap(([name, value = ""]) =>
    value !== "" && !FOLDERS.has(name) && (KEY_VARIABLES.has(name) || isSecretName(name)) ? [value] : [],
  );
}

/** The values of the variables that a file names as keys (`api_key_env`). */
export function keysOf({ nodes }: WorkflowDefinition, env: Environment): readonly string[] {
  const targets = nodes.flatMap((node) => (node.kind === "agent" ? node.agent.targets : []));
  const values = targets.map((target) => (target.kind === "model" ? (env[target.apiKeyEnv] ?? "") : ""));
  return [...new Set(values)].filter((value) => value !== "");
}
