// A failure as an executor elsewhere reports it, the answer it gets, and what it tells of the end.

import type { Evidence, Surface } from "../../core/classify/evidence.ts";
import { SURFACES } from "../../core/classify/evidence.ts";
import type { BreakerState } from "../../core/decide/breaker.ts";
import type { Decision } from "../../core/decide/decision.ts";
import { FAULT_CODES, type FaultCode } from "../../core/fault/catalogue.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { CallEnd } from "../../core/flow/call.ts";
import type { Question } from "../../core/flow/interaction.ts";
import type { Recourse } from "../../core/policy/policy.ts";
import type { SessionStatus } from "../../core/record/event.ts";
import {
  anything,
  described,
  flag,
  group,
  type Kind,
  listOf,
  number,
  oneOf,
  required,
  shape,
  text,
  whole,
} from "../../options/check-options.ts";
import { retryKind } from "../option-shapes.ts";
import type { RetryOptions } from "../tool/tool.ts";

/** Recourses that an executor carries out itself, where it says that it can. */
export const EXECUTOR_RECOURSES = [
  "refresh-credential",
  "compact",
  "regenerate",
] as const satisfies readonly Recourse[];

/** What an executor saw of a failure. `surface` and `provider` belong to the report. */
export type ReportedEvidence = Omit<Evidence, "surface" | "provider">;

/** A failed attempt that ran elsewhere. Everything but `tool` may be left out. */
export interface FailureReport {
  /** The tool that failed. Policies, breakers and metrics know it by this name. */
  readonly tool: string;
  /** What the executor saw: a status with headers and body, an error's message, an exit code … */
  readonly evidence?: ReportedEvidence;
  /** The fault's code, if the executor knows it; evidence is then only kept. */
  readonly code?: FaultCode;
  /** From an earlier answer: the same call has failed again. */
  readonly failure?: string;
  /** Groups the calls of one conversation or job. Default: each call has a session of its own. */
  readonly session?: string;
  /** Names the call within its session, so that a repeated report is recognised. */
  readonly call?: string;
  /** The number of the attempt that failed, from 1. Default: the next one. */
  readonly attempt?: number;
  /** The work may be done twice without harm. Default: as the tool is registered, else false. */
  readonly idempotent?: boolean;
  /** The work did not run at all, or it did: overrides what the fault says about that. */
  readonly ran?: boolean;
  /** When the executor must be done, in epoch milliseconds. Default: never. */
  readonly deadlineAt?: number;
  /** Other tools that can do the same work, best first. */
  readonly alternatives?: readonly string[];
  /** The executor can do without the result. */
  readonly optional?: boolean;
  /** The executor has a value to use instead. */
  readonly hasDefault?: boolean;
  /** The executor has part of the result. */
  readonly hasPartial?: boolean;
  /** Part of the answer has reached the user already. */
  readonly committed?: boolean;
  /** What else the executor can do about a failure. */
  readonly can?: readonly (typeof EXECUTOR_RECOURSES)[number][];
  /** Calls to one target share a breaker and a pause. Default: the tool. */
  readonly target?: string;
  /** Calls to one provider share a retry budget. Default: the target. */
  readonly provider?: string;
  /** What kind of tool it is. Default: `tool`. */
  readonly surface?: Surface;
  /** Differences from the policy's retries. */
  readonly retry?: RetryOptions | "none";
  /** How long the attempt took. */
  readonly durationMs?: number;
  /** What the attempt cost. */
  readonly costUsd?: number;
  /** The input of the call, for people who look at the failure; shortened, and without secrets. */
  readonly input?: unknown;
}

/** A call that an executor wants to make. */
export interface PlannedCall {
  /** The tool that it wants to call. */
  readonly tool: string;
  /** Other tools that can do the same work, best first. */
  readonly alternatives?: readonly string[];
  /** Calls to one target share a breaker and a pause. Default: the tool. */
  readonly target?: string;
  /** Calls to one provider share a retry budget. Default: the target. */
  readonly provider?: string;
}

/** Whether a planned call may begin. */
export interface MayCall {
  /** `attempt`: call `tool` now. `wait`: ask again at `nextAt`. `stop`: a person has taken every tool out of service. */
  readonly action: "attempt" | "wait" | "stop";
  /** The tool to call: the one that was asked for, or an alternative that is in service. */
  readonly tool: string;
  /** Epoch milliseconds; null for `stop`. */
  readonly nextAt: number | null;
  /** The breaker of the tool's target. */
  readonly breaker: BreakerState;
}

/** How an executor's session ended. */
export type ReportedEnd = Extract<SessionStatus, "done" | "failed" | "cancelled">;

/** A call that worked at once: nothing was reported about it before. */
export interface SuccessReport extends Omit<PlannedCall, "alternatives"> {
  /** How long it took. */
  readonly durationMs?: number;
}

/** How a reported call ended in the executor. */
export interface ReportedOutcome {
  /** `cancelled`: the executor stopped trying, for a reason of its own. */
  readonly status: "succeeded" | "cancelled";
  readonly attempt?: number;
  readonly durationMs?: number;
  readonly costUsd?: number;
  /** The value, for people who look at the call; shortened, and without secrets. */
  readonly output?: unknown;
  /** Why the executor stopped. */
  readonly reason?: string;
}

/** What was decided about a reported failure. */
export interface ReportedFailure {
  /** Names the call: send it with the next report about it, and with its outcome. */
  readonly id: string;
  readonly session: string;
  readonly call: string;
  /** The tool that is in charge after the decision. */
  readonly tool: string;
  /** The attempt that failed last. */
  readonly attempt: number;
  readonly fault: Fault;
  readonly decision: Decision;
  readonly breaker: BreakerState;
  /** When the next attempt may start, in epoch milliseconds; null when there is none, or when a person has to answer first. */
  readonly nextAt: number | null;
  /** A person is asked; null when none is. */
  readonly question: Question | null;
  /** How the call ended; null while it has not. */
  readonly end: CallEnd | null;
  /** The input that a person put in place of the first one, for the next attempt; absent when none did. */
  readonly input?: unknown;
  /** This attempt was reported before: this is the decision on record. */
  readonly repeated: boolean;
}

/** Names that become part of a failure's id. */
const NAME = /^(?!\.+$)[\w.:@-]{1,100}$/;
const nameKind: Kind = {
  says: "1 to 100 letters, digits and . : @ _ -, and not dots alone",
  fits: (value) => typeof value === "string" && NAME.test(value),
};

/** The year 2096: a time beyond it was not seen by anyone. */
const LATEST_MS = 4e12;
const MAX_USD = 1e6;

const EVIDENCE = shape<ReportedEvidence>({
  aborted: anything,
  status: whole(100, 599),
  headers: anything,
  body: anything,
  message: anything,
  error: anything,
  code: anything,
  exitCode: anything,
  signal: anything,
  stopReason: anything,
  observedAt: number(0, LATEST_MS),
});

export const FAILURE_REPORT = shape<FailureReport>({
  tool: required(text),
  evidence: described("what the executor saw, as in { status: 503 }", group(EVIDENCE)),
  code: oneOf(FAULT_CODES),
  failure: text,
  session: nameKind,
  call: nameKind,
  attempt: whole(1),
  idempotent: flag,
  ran: flag,
  deadlineAt: number(0, LATEST_MS),
  alternatives: listOf(text),
  optional: flag,
  hasDefault: flag,
  hasPartial: flag,
  committed: flag,
  can: listOf(oneOf(EXECUTOR_RECOURSES)),
  target: text,
  provider: text,
  surface: oneOf(SURFACES),
  retry: retryKind,
  durationMs: number(0),
  costUsd: number(0, MAX_USD),
  input: anything,
});

export const REPORTED_OUTCOME = shape<ReportedOutcome>({
  status: required(oneOf(["succeeded", "cancelled"])),
  attempt: whole(1),
  durationMs: number(0),
  costUsd: number(0, MAX_USD),
  output: anything,
  reason: text,
});

export const PLANNED_CALL = shape<PlannedCall>({
  tool: required(text),
  alternatives: listOf(text),
  target: text,
  provider: text,
});
export const SUCCESS_REPORT = shape<SuccessReport>({
  tool: required(text),
  target: text,
  provider: text,
  durationMs: number(0),
});

const SEPARATOR = "~";

export function failureId(session: string, call: string): string {
  return `${session}${SEPARATOR}${call}`;
}

/** null if the text is not the id of a failure. */
export function readFailureId(id: string): { readonly session: string; readonly call: string } | null {
  const at = id.indexOf(SEPARATOR);
  const [session, call] = [id.slice(0, at), id.slice(at + 1)];
  return at !== -1 && NAME.test(session) && NAME.test(call) ? { session, call } : null;
}
