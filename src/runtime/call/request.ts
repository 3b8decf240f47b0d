// What is asked for when a call starts: the tool, its input, and where it stands in a session.

import type { Moment } from "../../host/clock.ts";
import type { CallState } from "../../core/flow/call.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";
import type { Binding } from "../tool/binding.ts";
import type { Budget } from "../budget.ts";
import type { Recorder } from "../recorder.ts";
import type { Scope } from "../scope.ts";

export interface CallRequest {
  readonly binding: Binding;
  readonly input: unknown;
  /** null: a new name is made when one is needed. */
  readonly call: string | null;
  readonly turn: string;
  /** Of the input, in a session; empty outside. */
  readonly digest: string;
  readonly recorder: Recorder;
  readonly budget: Budget;
  readonly scope: Scope | null;
  readonly deadline: Moment;
  /** What it is called when that time has come. */
  readonly deadlineCode: FaultCode;
  /** The caller can do without it, whatever the tool says. */
  readonly optional: boolean;
  /** The caller's own default, in front of the tool's. */
  readonly fallbackValue: { readonly value: unknown } | null;
  /** The state the session holds for this call, or null before the first event is on disk. Null outside sessions. */
  readonly inSession: (() => CallState | null) | null;
  /** A person asked for it to run again if it was interrupted. */
  readonly mayRepeat: boolean;
  /** Nobody sits in front of it: a question is written down and the call stops until it is answered. */
  readonly headless: boolean;
}
