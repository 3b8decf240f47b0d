// A tool as its author declares it, and as the runtime uses it: everything resolved, nothing optional.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { Rule } from "../../core/classify/rule.ts";
import type { Fault, ItemFault } from "../../core/fault/fault.ts";
import type { RequestChange } from "../../core/flow/call.ts";
import type { Target } from "../../core/decide/fallback.ts";
import type { HedgeAfter } from "../../core/decide/hedge.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";
import type { ModelDetail } from "../../core/fault/view.ts";
import { type Surface, SURFACES } from "../../core/classify/evidence.ts";
import {
  changedRetry,
  type RetryChange,
  retryChangeOf,
  type ToolOverride,
  type ToolRetryManifest,
} from "../../core/policy/layer.ts";
import { TOOL_RETRY } from "../../core/policy/matrix.ts";
import type { BreakerRule, Retry } from "../../core/policy/policy.ts";
import { type AnySchema, type Check, type JsonSchema, compileSchema, jsonSchemaOf } from "../../schema/index.ts";
import type { TokenCounts } from "../../telemetry/call-trace.ts";
import {
  anyText,
  anything,
  callable,
  checkOptions,
  described,
  flag,
  group,
  isPlain,
  number,
  oneOf,
  required,
  shape,
  text,
  whole,
  having,
  listOf,
} from "../../options/check-options.ts";
import {
  alternativesKind,
  breakerKind,
  MAX_TIMEOUT_MS,
  modelDetailKind,
  retryKind,
  rulesKind,
} from "../option-shapes.ts";

/** What a running tool is given besides its input. */
export interface RunContext {
  /** Fires when the attempt runs out of time or is cancelled. Costs nothing until it is read. */
  readonly signal: AbortSignal;
  /** Calls the function with the reason when `signal` would fire. Use it instead if the tool has its own way to stop. Only the last function counts. */
  readonly whenGivenUp: (tell: (reason: unknown) => void) => void;
  readonly tool: string;
  /** The same for every attempt of a call: pass it on as an idempotency key. */
  readonly call: string;
  /** 1 is the first. */
  readonly attempt: number;
  /** When the time of the attempt is over (epoch milliseconds). */
  readonly deadlineAt: number;
  /** Call it when the caller no longer wants the answer: ends the whole call as cancelled, whatever it is doing. */
  readonly cancel: () => void;
  /** Calls `ring` once, not before `delayMs` have passed. The end of the attempt, or a second call, cancels it. */
  readonly alarm: (delayMs: number, ring: () => void) => void;
  /** Saves the result so far: if the attempt fails, this may be all the caller gets. */
  readonly partial: (value: unknown, errors?: readonly ItemFault[]) => void;
  /** Hands over raw output or a transcript. If the attempt fails, Faultline stores it as a file beside the journal. */
  readonly artefact: (name: string, content: string | Uint8Array) => void;
  /** Reports the total cost of this attempt, in micro-cents (1e-8 US dollars): as the other side reported it, or an estimate. */
  readonly cost: (microcents: number, basis?: "reported" | "estimated") => void;
  /**
   * Reports an estimate of what this attempt has cost up to now, in micro-cents (1e-8 US dollars). It is booked as estimated unless `cost` is called
   * later, and checked against the budget: exceeding it ends the attempt with BudgetExceeded.
   */
  readonly costSoFar: (microcents: number) => void;
  /** Reports the tokens that the answer used, for traces. */
  readonly tokens: (tokens: TokenCounts) => void;
  /** Part of the answer has reached the caller: from now on the work is not silently restarted. */
  readonly commit: () => void;
  /**
   * Asks whether this attempt may answer: before the first content is shown, and before a whole answer is used. False when a second
   * attempt of the same call has answered first. From the first yes on, no other attempt runs beside this one.
   */
  readonly claim: () => boolean;
  /** The fault the runtime sees in an error of this attempt. The attempt may throw the error afterwards: it is not classified again. */
  readonly classify: (error: unknown) => Fault;
  /** Whether another target of the chain could take over; with `why`, one that would not fail the same way. False outside chains. */
  readonly hasFallback: (why?: Fault) => boolean;
  /** Reports response headers: the limits they announce slow the next callers down before they are refused. */
  readonly responseHeaders: (headers: unknown) => void;
}

/** A code that a person enters at another address to log in. */
export interface DeviceCode {
  readonly url: string;
  readonly code: string;
}

/** What a call of a tool costs, for budgets. */
export interface CostOptions<Input> {
  /** The most an attempt with this input will cost, in micro-cents (1e-8 US dollars); null when unknown. */
  readonly estimate: (input: Input) => number | null;
  /**
   * The cost of an attempt that was sent and then cut off, by a crash or a time limit, before it reported anything. Default:
   * `estimate`.
   */
  readonly sent?: (input: Input) => number | null;
}

/** Differences from the policy. `maxAttempts` counts all attempts, the first included. */
export type RetryOptions = RetryChange;

/** What a tool declares besides its work and its input. */
export interface ToolBase<Input, Output> {
  /** Names the tool in records, policies and metrics. */
  readonly id: string;
  /** What it does, for a model that chooses among tools. */
  readonly description?: string;
  /** Checks the output before the caller gets it. */
  readonly output?: StandardSchemaV1<unknown, Output> | JsonSchema;
  /** The work can be done twice without harm. Default: false, and Faultline does not repeat work that may have been done. */
  readonly idempotent?: boolean;
  /** Time limit of each attempt. Default: 30 s. */
  readonly timeoutMs?: number;
  /** How often to retry, or "none". Default: as the policy says. */
  readonly retry?: RetryOptions | "none";
  /** Other tools that can do this with the same input, best first. */
  readonly alternatives?: readonly (string | AnyTool)[];
  /** The value to use if the tool fails. */
  readonly default?: Output;
  /** The caller can continue without the result. */
  readonly optional?: boolean;
  /** Whether incident memory learns from retries of this tool. False if earlier calls say nothing about the next one. Default: true. */
  readonly learns?: boolean;
  /** How much of a failed tool's own output a model may read, without secrets. Default: none. */
  readonly modelDetail?: ModelDetail;
  /** What a failure means, if this tool knows better: a code, a whole fault, or nothing. */
  readonly classify?: (error: unknown, seen: Fault) => FaultCode | Fault | undefined;
  /** Classifier rules for this tool. They are tried before the built-in ones. */
  readonly rules?: readonly Rule[];
  /** Calls to one target share a breaker, a pause and a queue. The tool's id when left out. */
  readonly target?: string;
  /** Calls to one provider share a retry budget. The target when left out. */
  readonly provider?: string;
  /** What kind of tool it is, for rules and policy rows that match on it. Default: `tool`. */
  readonly surface?: Surface;
  /** Where a person signs in again, and with which code, when the credential has failed. */
  readonly signIn?: () => Promise<DeviceCode>;
  /** How many calls may run at the same time. Default: no limit. */
  readonly maxConcurrent?: number;
  /** How many calls may wait for a slot. More fail with `QueueFull`. */
  readonly maxQueued?: number;
  /** How many attempts may start in a minute. They start evenly spread, in all processes of a journal together. Default: no limit. */
  readonly maxPerMinute?: number;
  /** The circuit breaker of its target. Default: as the policy says. */
  readonly breaker?: Partial<BreakerRule>;
  /** What a call costs, for budgets. */
  readonly cost?: CostOptions<Input>;
}

interface Working<Input, Output> extends ToolBase<Input, Output> {
  /** The work. `context` has the signal, the attempt and what a tool can report. */
  readonly run: (
    input: Input,
    context: RunContext,
  ) => Output | PartialOutput<Output> | Promise<Output | PartialOutput<Output>>;
}

/** Options of `tool`. */
export interface ToolOptions<Input, Output> extends Working<Input, Output> {
  /** Checks the input before the tool runs. */
  readonly input?: JsonSchema;
}

export interface SchemaToolOptions<Accepts, Input, Output> extends Working<Input, Output> {
  readonly input: StandardSchemaV1<Accepts, Input>;
}

/** A tool with everything decided. `Accepts` is what callers pass in, before its schema has read it. */
export interface Tool<Accepts, Output> {
  readonly id: string;
  readonly description: string;
  readonly checkInput: Check | null;
  /** The input's JSON Schema, for models and for people who are asked; null when none is known. */
  readonly inputSchema: () => Readonly<Record<string, unknown>> | null;
  readonly checkOutput: Check | null;
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  /** Differences from the policy's retry; null for none. */
  readonly retry: RetryChange | null;
  readonly alternatives: readonly (string | AnyTool)[];
  readonly fallbackValue: { readonly value: Output } | null;
  readonly optional: boolean;
  readonly learns: boolean;
  readonly modelDetail: ModelDetail;
  readonly classify: ((error: unknown, seen: Fault) => FaultCode | Fault | undefined) | null;
  readonly rules: readonly Rule[];
  readonly target: string;
  readonly provider: string;
  readonly surface: Surface;
  readonly signIn: (() => Promise<DeviceCode>) | null;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  readonly maxPerMinute: number;
  readonly breaker: Partial<BreakerRule> | null;
  readonly estimate: ((input: unknown) => number | null) | null;
  readonly estimateSent: ((input: unknown) => number | null) | null;
  /** A value that tells of a failure, such as a command's exit code: the figures of the target count it as one. null: none does. */
  readonly tellsFailure: ((value: unknown) => boolean) | null;
  /** What a chain knows of it; null for a tool that stands alone. */
  readonly member: ChainMember | null;
  readonly run: (input: unknown, context: RunContext) => unknown;
  /** Only for the compiler: what may be passed in. */
  readonly accepts?: (input: Accepts) => void;
}

/** Any tool, whatever it takes and returns. */
export type AnyTool = Tool<never, unknown>;

/** Several targets that can do the same work, the first choice first; made by `chain`. */
export interface Chain<Request, Output> {
  readonly members: readonly MemberTool[];
  readonly needsOf: (request: ChainRequest) => RequestNeeds;
  readonly repairs: Repairs<ChainRequest>;
  /** null: a silent target is waited for. */
  readonly hedge: HedgeOptions | null;
  /** Only for the compiler: what may be passed in, and what comes out. */
  readonly accepts?: (request: Request) => void;
  readonly gives?: () => Output;
}

export type MemberTool = AnyTool & { readonly member: ChainMember };

/** A second attempt at another target of a chain while the first one is silent. The first that shows content answers. */
export interface HedgeOptions {
  /**
   * How long a target may be silent: in milliseconds, or `"p95"` for as long as 95 of 100 of its answers took to begin. While fewer
   * than 20 are known, 5 s for a stream and 30 s for a whole answer.
   */
  readonly after: HedgeAfter;
}

/** What a chain is asked. */
export interface ChainRequest {
  /** What hedging needs to know. Requests without it are not hedged. */
  readonly hedging?: {
    readonly isStream: boolean;
    /** The work may be done twice: it runs nothing at the vendor but the model. */
    readonly mayRepeat: boolean;
  };
  /** Part of the answer was shown and is to be continued, so the request is fitted again, also for the target that has begun it. */
  readonly isContinuation?: boolean;
  /** The request as the journal kept it, completed with what only this process has: where a stream goes, who listens. */
  revived(kept: unknown): ChainRequest;
}

/** A tool as a target of its chain. */
export interface ChainMember {
  readonly chain: Chain<never, unknown>;
  readonly facts: TargetFacts;
  /** null: the policy's own, whether or not another target can answer. */
  readonly retryBeforeFallback: Retry | null;
  readonly fit: (request: ChainRequest) => FittedRequest<ChainRequest>;
  readonly passesThrough: (request: ChainRequest) => boolean;
}

export interface TargetFacts extends Omit<Target, "id" | "available" | "backAt"> {
  /** Tried even while its breaker is open: better a doubtful target than none. */
  readonly lastResort: boolean;
}

/** What a request needs of a target. */
export interface RequestNeeds {
  readonly capabilities: readonly string[];
  /** At least so many tokens go in. */
  readonly inputTokens: number;
  /** Why no target is asked; null when there is no reason. */
  readonly refusal: Fault | null;
}

/** How the runtime can repair a request that a target refused. null: this repair is not possible. */
export interface Repairs<Request> {
  /** Makes it smaller; null when it cannot be. Taken only if `sizeOf` says it is. `target` is the member in charge. */
  readonly compact:
    | ((request: Request, why: Fault, signal: AbortSignal, target: string) => Promise<Request | null>)
    | null;
  readonly sizeOf: (request: Request) => number;
  /** Asks again, with what was wrong with the answer. */
  readonly regenerate: ((request: Request, why: Fault) => Request) | null;
  /** Gets a new credential; returns the request that uses it, which may be the same. */
  readonly refresh: ((request: Request, why: Fault, signal: AbortSignal) => Promise<Request>) | null;
}

/** A request that its target accepts: the same one when nothing had to be changed. */
export interface FittedRequest<Request> {
  readonly request: Request;
  readonly changes: readonly RequestChange[];
}

/** The tool a call starts with: the first member of a chain. What is neither a tool nor a chain is refused when it is bound. */
export function headOf(given: AnyTool | Chain<never, unknown>): AnyTool {
  return isChain(given) ? (given.members[0] ?? NO_TOOL) : given;
}

function isChain(given: unknown): given is Chain<never, unknown> {
  return typeof given === "object" && given !== null && "members" in given;
}

const NO_TOOL = undefined as never;

const DEFAULT_TIMEOUT_MS = 30_000;
export const DEFAULT_QUEUE = 1_000;

const schemaKind = described("a schema: zod, another Standard Schema, or JSON Schema", {
  says: "",
  fits: (value) => typeof value === "object" || typeof value === "function" || typeof value === "boolean",
});

export const TOOL_BASE = shape<ToolBase<never, unknown>>({
  id: required(text),
  description: anyText,
  output: schemaKind,
  idempotent: flag,
  timeoutMs: number(1, MAX_TIMEOUT_MS),
  retry: retryKind,
  alternatives: alternativesKind,
  default: anything,
  optional: flag,
  learns: flag,
  modelDetail: modelDetailKind,
  classify: callable,
  rules: rulesKind,
  target: text,
  provider: text,
  surface: oneOf(SURFACES),
  signIn: callable,
  maxConcurrent: whole(1),
  maxQueued: whole(0),
  maxPerMinute: number(0.01),
  breaker: breakerKind,
  cost: group(shape<CostOptions<never>>({ estimate: required(callable), sent: callable })),
});

type AnyOptions = Working<never, unknown> & { readonly input?: AnySchema };

const TOOL_OPTIONS = shape<AnyOptions>({ ...TOOL_BASE, input: schemaKind, run: required(callable) });

/**
 * Declares a function as a tool that can be protected.
 *
 * @example
 * ```ts
 * import { tool } from "faultline";
 *
 * const search = tool({ id: "search", idempotent: true, timeoutMs: 5_000, run: (query: string) => [query] });
 * ```
 */
export function tool<Accepts, Input, Output>(options: SchemaToolOptions<Accepts, Input, Output>): Tool<Accepts, Output>;
export function tool<Input, Output>(options: ToolOptions<Input, Output>): Tool<Input, Output>;
export function tool(options: AnyOptions): AnyTool {
  return declared(checkOptions(doorOf(options), options, TOOL_OPTIONS));
}

/** The tool that these options declare; they are checked already. */
export function declared(options: AnyOptions): AnyTool {
  const { id } = options;
  const target = options.target ?? id;
  return Object.freeze<AnyTool>({
    id,
    description: options.description ?? "",
    checkInput: options.input === undefined ? null : compileSchema(options.input, `the input of tool ${id}`),
    inputSchema: () => (options.input === undefined ? null : jsonSchemaOf(options.input)),
    checkOutput: options.output === undefined ? null : compileSchema(options.output, `the output of tool ${id}`),
    idempotent: options.idempotent ?? false,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    retry: options.retry === undefined ? null : changeOf(options.retry),
    alternatives: options.alternatives ?? [],
    fallbackValue: "default" in options ? { value: options.default } : null,
    optional: options.optional ?? false,
    learns: options.learns ?? true,
    modelDetail: options.modelDetail ?? "none",
    classify: options.classify ?? null,
    rules: options.rules ?? [],
    target,
    provider: options.provider ?? target,
    surface: options.surface ?? "tool",
    signIn: options.signIn ?? null,
    maxConcurrent: options.maxConcurrent ?? Infinity,
    maxQueued: options.maxQueued ?? DEFAULT_QUEUE,
    maxPerMinute: options.maxPerMinute ?? Infinity,
    breaker: options.breaker ?? null,
    estimate: (options.cost?.estimate as ((input: unknown) => number | null) | undefined) ?? null,
    estimateSent: (options.cost?.sent as ((input: unknown) => number | null) | undefined) ?? null,
    tellsFailure: null,
    member: null,
    run: options.run as (input: unknown, context: RunContext) => unknown,
  });
}

function changeOf(options: RetryOptions | "none"): RetryChange {
  return options === "none" ? { maxAttempts: 1 } : options;
}

/** A complete schedule where no policy row applies; missing fields take the values for a tool's transient faults. */
export function retryOf(options: RetryOptions | "none"): Retry {
  return changedRetry(TOOL_RETRY, changeOf(options));
}

/** Names the tool, as far as it has a name. */
function doorOf(options: unknown): string {
  return isPlain(options) && "id" in options && text.fits(options.id) ? `tool ${String(options.id)}` : "tool";
}

/** A partial result, made by `partial`. */
export interface PartialOutput<Output> {
  readonly [PARTIAL]: true;
  readonly value: Output;
  readonly errors: readonly ItemFault[];
}

const PARTIAL: unique symbol = Symbol.for("faultline.partial") as never;

/** What a tool returns when some of it failed: the value keeps its declared shape, the failures stand beside it. */
export function partial<Output>(value: Output, errors: readonly ItemFault[]): PartialOutput<Output> {
  return { [PARTIAL]: true, value, errors };
}

export function isPartial(value: unknown): value is PartialOutput<unknown> {
  return typeof value === "object" && value !== null && PARTIAL in value;
}

// An operator's settings for a tool, which override its author's. The same fields as a tool manifest in YAML.

export const manifestKind = group(
  shape<ToolOverride & { readonly origin?: string }>({
    id: required(text),
    timeoutMs: number(1, MAX_TIMEOUT_MS),
    idempotent: flag,
    optional: flag,
    modelDetail: modelDetailKind,
    default: having("an object with the value, as in { value: [] }", "value"),
    alternatives: listOf(text),
    maxConcurrent: whole(1),
    maxQueued: whole(0),
    retry: group(
      shape<ToolRetryManifest>({
        strategy: oneOf(["exponential_backoff", "linear_backoff", "fixed_delay"]),
        initial_delay_ms: number(0, MAX_TIMEOUT_MS),
        max_delay_ms: number(0, MAX_TIMEOUT_MS),
        multiplier: number(1, 100),
        jitter_percent: number(0, 100),
        max_attempts: whole(1, 1000),
        max_total_time_ms: number(0),
      }),
    ),
    breaker: breakerKind,
    rules: required(rulesKind),
    // Where a file declares it.
    origin: anyText,
  }),
);

export function withOverride(tool: AnyTool, override: ToolOverride): AnyTool {
  return Object.freeze<AnyTool>({
    ...tool,
    timeoutMs: override.timeoutMs ?? tool.timeoutMs,
    idempotent: override.idempotent ?? tool.idempotent,
    optional: override.optional ?? tool.optional,
    modelDetail: override.modelDetail ?? tool.modelDetail,
    fallbackValue: override.default ?? tool.fallbackValue,
    alternatives: override.alternatives ?? tool.alternatives,
    maxConcurrent: override.maxConcurrent ?? tool.maxConcurrent,
    maxQueued: override.maxQueued ?? tool.maxQueued,
    retry: override.retry === undefined ? tool.retry : retryChangeOf(override.retry),
    breaker: override.breaker === undefined ? tool.breaker : { ...tool.breaker, ...override.breaker },
    rules: [...override.rules, ...tool.rules],
  });
}
