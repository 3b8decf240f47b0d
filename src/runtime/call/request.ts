// The request a call starts from: the tool, its input, and its place in a session.

import type { Moment } from "../../host/clock.ts";
import type { CallState } from "../../core/flow/call.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";
import type { Binding } from "../tool/binding.ts";
import type { Purse } from "../budget.ts";
import type { Recorder } from "../recorder.ts";
import type { Recourse } from "../../core/policy/policy.ts";
import type { Scope } from "../scope.ts";

export interface CallRequest {
  readonly binding: Binding;
  readonly input: unknown;
  /** null: a name is generated when one is needed. */
  readonly call: string | null;
  readonly turn: string;
  /** The stage of a workflow that the call belongs to; null outside runs. */
  readonly stage: string | null;
  /** Of the input, in a session; empty outside. */
  readonly digest: string;
  readonly recorder: Recorder;
  readonly budget: Purse;
  readonly scope: Scope | null;
  readonly deadline: Moment;
  /** The code of the fault when that time has passed. */
  readonly deadlineCode: FaultCode;
  /** What can always be done about a fault of this call; the situation may offer more. */
  readonly offers: ReadonlySet<Recourse>;
  /** The caller can do without the result, whatever the tool declares. */
  readonly optional: boolean;
  /** The caller's own default, which overrides the tool's. */
  readonly fallbackValue: { readonly value: unknown } | null;
  /** The state the session holds for this call, or null before the first event is on disk. Null outside sessions. */
  readonly inSession: (() => CallState | null) | null;
  /** A person agreed that it runs again if it was interrupted. */
  readonly mayRepeat: boolean;
  /** No person is present: a question is stored and the call stops until it is answered. */
  readonly headless: boolean;
}
