// How a protected call ends, as a value. `protect` returns one of these and never throws for a failing tool.

import type { Decision } from "../../core/decide/decision.ts";
import { type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import {
  andAlso,
  failedName,
  type Fault,
  fault,
  FaultError,
  type ItemFault,
  originOf,
  withContext,
} from "../../core/fault/fault.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import type { Question } from "../../core/flow/interaction.ts";
import type { CallEnd, CallState } from "../../core/flow/call.ts";
import { type CallValue, keptCallKey, type LiveCall, NO_ERRORS, NO_FAULT } from "./live-call.ts";
import type { Chain } from "../tool/tool.ts";
import { viewFor, type ViewOptions } from "../../core/fault/view.ts";

interface Common {
  /** Names the call in traces, events and messages to people. */
  readonly call: string;
  /** All attempts of all tools that were tried. */
  readonly attempts: number;
  /** What the last attempt threw, as it was thrown. Not enumerable: it reaches neither JSON nor a log. Absent after a restart. */
  readonly error?: unknown;
}

/** How a protected call ended. `hasValue` tells whether there is a value. */
export type Outcome<T> =
  | (Common & {
      readonly status: "done";
      readonly value: T;
      /** The tool that did it: an alternative may have. */
      readonly from: string;
      /** The items that failed, if the result is partial. */
      readonly errors: readonly ItemFault[];
    })
  | (Common & { readonly status: "defaulted"; readonly value: T; readonly fault: Fault })
  | (Common & {
      /** The attempt failed, and this much had arrived. */
      readonly status: "partial";
      readonly value: T;
      readonly from: string;
      readonly fault: Fault;
      readonly errors: readonly ItemFault[];
    })
  | (Common & {
      readonly status: "skipped" | "surfaced" | "failed" | "cancelled";
      readonly fault: Fault;
      /** Null when there was nothing to decide, as for a cancelled call. */
      readonly decision: Decision | null;
    })
  /** The call continues when a person answers … */
  | (Common & { readonly status: "waiting"; readonly question: Question; readonly fault: Fault })
  /** … or at this time. */
  | (Common & { readonly status: "parked"; readonly wakeAt: number; readonly fault: Fault });

type Undecided<T> = Extract<Outcome<T>, { readonly decision: unknown }> & { readonly status: "failed" };

/** The ways in which a protected call can end. */
export type OutcomeStatus = Outcome<unknown>["status"];

/** Runs a request on a chain under protection: outside sessions, or within one. */
export type ProtectChain = <Request, Output>(
  chain: Chain<Request, Output>,
  request: Request,
  signal: AbortSignal | undefined,
) => Promise<Outcome<Output>>;

/**
 * A result as the program gets it. Programs print faults, so their secrets are masked. The thrown error is unchanged but not
 * enumerable: only a program that asks for it finds it.
 */
export function handedOut<T extends object>(result: T, error: unknown, redactor: Redactor): T {
  const seen = "fault" in result ? result.fault : null;
  const shown = seen === null ? result : { ...result, fault: Object.freeze(redactor.value(seen)) };
  return error === undefined ? shown : Object.defineProperty(shown, "error", { value: error });
}

/** The codes of the targets that failed, on an outcome. Not enumerable, so that outcomes look the same in JSON and in tests. */
const FAILED: unique symbol = Symbol("faultline.failed");

interface WithFailed {
  readonly [FAILED]?: ReadonlyMap<string, FaultCode>;
}

export function withFailed<T extends object>(outcome: T, failed: ReadonlyMap<string, FaultCode> | null): T {
  return failed === null ? outcome : Object.defineProperty(outcome, FAILED, { value: failed });
}

/**
 * The error for a program that wants a value instead of an outcome: its own reason if it cancelled the call, otherwise the fault. `cause` makes what the
 * work threw the cause of the error, so that printing it shows where in the program's code it was thrown.
 */
export function errorOf(
  outcome: Outcome<unknown>,
  signal: AbortSignal | null | undefined,
  shows: { readonly cause: boolean } = { cause: false },
): unknown {
  if (outcome.status === "cancelled" && signal?.aborted === true) return signal.reason;
  const seen = "fault" in outcome ? outcome.fault : NO_FAULT;
  const reported = outcome.status === "parked" ? { ...seen, resetAt: outcome.wakeAt } : seen;
  const { error } = outcome;
  const message = `${seen.class}/${seen.code}: ${seen.message}${circumstances(outcome, reported)}`;
  return new FaultError(reported, { error, message, ...(shows.cause && error !== undefined ? { cause: error } : {}) });
}

/** How many failed targets are named before the last one. */
const MAX_NAMED = 4;
/** An errno such as `ENOTFOUND`, and nothing that could be a secret. */
const ERRNO = /^E[A-Z_]{2,30}$|^UND_ERR_[A-Z_]{2,30}$/;

/** ` (ENOTFOUND; at openai/gpt-5, 3 attempts; before that anthropic/claude: Overloaded; available again at …)`: names, codes and times only. */
function circumstances(outcome: Outcome<unknown>, seen: Fault): string {
  const { call, attempts } = outcome;
  const target = failedName(seen);
  const failed = (outcome as WithFailed)[FAILED] ?? new Map<string, FaultCode>();
  const isWaiting = outcome.status === "waiting";
  if (attempts === 0 && failed.size === 0 && !isWaiting) return "";
  const said: string[] = [];
  const errno = originOf(seen)?.thrown.findLast(({ code = "" }) => ERRNO.test(code))?.code;
  if (errno !== undefined && !seen.message.includes(errno)) said.push(errno);
  const times = attempts > 1 ? `, ${attempts} attempts` : "";
  said.push(`${target === "" ? `call ${call}` : `at ${target}`}${times}`);
  const before = [...failed].filter(([name]) => name !== target).slice(-MAX_NAMED);
  if (before.length > 0) said.push(`before that ${before.map(([name, code]) => `${name}: ${code}`).join(", ")}`);
  const at = new Date(seen.resetAt ?? NaN);
  if (!Number.isNaN(at.getTime())) said.push(`available again at ${at.toISOString()}`);
  if (isWaiting) said.push(`question ${outcome.question.id} waits for an answer: fl.answer, or the dashboard`);
  return ` (${said.join("; ")})`;
}

/**
 * Tells whether an outcome has a value: the work was done, in part or in full, or its default was used. Then `outcome.value` can be read.
 *
 * @example
 * ```ts
 * import { createFaultline, hasValue, tool } from "faultline";
 *
 * const search = tool({ id: "search", run: (query: string) => [query] });
 * const outcome = await createFaultline().protect(search, "Oslo");
 * if (hasValue(outcome)) console.log(outcome.value);
 * ```
 */
export function hasValue<T>(
  outcome: Outcome<T>,
): outcome is Extract<Outcome<T>, { readonly status: "done" | "defaulted" | "partial" }> {
  return outcome.status === "done" || outcome.status === "defaulted" || outcome.status === "partial";
}

/** Nothing was decided about the call, for example because the journal could not be read. The call is as open as before. */
export function isUndecided<T>(outcome: Outcome<T>): outcome is Undecided<T> {
  return outcome.status === "failed" && outcome.decision === null && outcome.fault.class === "Session";
}

/** The call is not over: it continues when it is resumed. */
export function isOpen<T>(outcome: Outcome<T>): outcome is Extract<Outcome<T>, { status: "waiting" | "parked" }> {
  return outcome.status === "waiting" || outcome.status === "parked";
}

/** `held` is the value of a call that is done or partly done. */
export function outcomeOf(run: LiveCall, state: CallState, end: CallEnd, held: CallValue): Outcome<unknown> {
  const outcome = endedAs(run, state, end, held);
  if (outcome.status === "done") return outcome;
  const { thrown, failed } = run.record;
  return withFailed(handedOut(outcome, thrown, run.request.recorder.redactor), failed);
}

function endedAs(run: LiveCall, state: CallState, end: CallEnd, held: CallValue): Outcome<unknown> {
  const { call } = run;
  const { attempts, decision } = state;
  const { value, errors } = held;
  switch (end.status) {
    case "done":
      return { status: "done", value, from: end.from, errors, call, attempts };
    case "partial":
      return { status: "partial", value, from: end.from, errors, fault: end.fault, call, attempts };
    case "defaulted": {
      const given = run.request.fallbackValue ?? run.request.binding.tool.fallbackValue;
      return { status: "defaulted", value: given?.value, fault: end.fault, call, attempts };
    }
    case "cancelled":
      return { status: end.status, fault: end.fault, decision: null, call, attempts };
    default:
      return { status: end.status, fault: withOthers(run, end.fault), decision, call, attempts };
  }
}

/** A person has to repair the target: its key, its program or its address is missing or wrong. */
export function needsPerson({ code }: Fault): boolean {
  const { lifts, scope } = traitsOf(code);
  return !lifts && (scope === "account" || scope === "endpoint");
}

/** If a person has to repair every target, the fault names all of them, so that they can be repaired together. */
function withOthers({ record: { unusable } }: LiveCall, seen: Fault): Fault {
  if (unusable === null || !needsPerson(seen)) return seen;
  const others = [...unusable].filter(([tool]) => tool !== failedName(seen));
  return others.reduce((all, [tool, other]) => andAlso(all, tool, other), seen);
}

/** The outcome when Faultline itself failed, not the tool. If the tool ran, the fault says so: a second try may not be safe. */
export function brokenOutcome(call: string, attempts: number, seen: Fault): Outcome<unknown> {
  const reported = attempts > 0 ? withContext(seen, { ran: true }) : seen;
  return { status: "failed", fault: reported, decision: null, call, attempts };
}

/** The value of a call that did not return in this process: what it saved with `partial`, or what the journal kept. */
export async function keptResult(run: LiveCall, end: CallEnd): Promise<CallValue> {
  const { partialValue } = run.record;
  if (end.status === "partial" && partialValue !== null) return partialValue;
  if (end.status !== "partial" && end.status !== "done") return NOTHING;
  const kept = await run.engine.store.kept("result", keptCallKey(run.request.recorder.session, run.call));
  if ((kept ?? null) === null) throw new FaultError(resultGone(run.call));
  const { value, errors } = kept as Partial<CallValue>;
  return { value, errors: errors ?? NO_ERRORS };
}

function resultGone(call: string): Fault {
  return fault("ManifestDrift", {
    message: `call ${call} is done, but its result is not in this journal; export the session with its results`,
    context: { call },
  });
}

const NOTHING: CallValue = { value: undefined, errors: NO_ERRORS };

/** A call that failed before its first attempt. */
export function failedOutcome(call: string, seen: Fault): Outcome<unknown> {
  return { status: "failed", fault: seen, decision: null, call, attempts: 0 };
}

// What a model reads of a call that gave no value.

/** `ToolTransient/ToolUnavailable: …`, what is wrong with the arguments, and what `modelDetail` allows of the tool's own words. */
export function faultText(seen: Fault, options: ViewOptions): string {
  const { class: faultClass, code, message, issues = [], detail = "" } = viewFor("model", seen, options);
  const wrong = issues.map(({ path, expected, got }) => `${path} ${expected} (got ${got})`);
  return [`${faultClass}/${code}: ${message}`, ...wrong, ...(detail === "" ? [] : [detail])].join("\n");
}
