// The words in which a journal says no. Each tells what, why and what to do next.

import type { FaultCode } from "../core/fault/catalogue.ts";
import { fault, type Fault, type FaultContext, FaultError } from "../core/fault/fault.ts";

interface Details {
  readonly context?: FaultContext;
  readonly because?: Fault;
  readonly error?: unknown;
}

export function refusal(code: FaultCode, message: string, { context = {}, because, error }: Details = {}): FaultError {
  return new FaultError(fault(code, { message, context, cause: because }), error === undefined ? {} : { cause: error });
}

export function fenced(session: string, after: number, lastSeq: number): FaultError {
  return refusal(
    "EngineState",
    `Session ${session} has ${lastSeq} entries, but this writer expected to continue after entry ${after}: another process, or another Faultline in this one, has this session open and was first. ` +
      "A session belongs to one of them at a time: end the other one, then open the session again.",
    { context: { session, after, lastSeq } },
  );
}

export function journalClosed(): FaultError {
  return refusal("EngineState", "The journal is closed. Open it again, or call createFaultline again, to continue.");
}

export function unfit(message: string, error?: unknown): FaultError {
  return refusal("ShapeInvalid", message, { error });
}

/** The data on disk differs from what was written. */
export function drift(message: string, details: Details = {}): FaultError {
  return refusal("ManifestDrift", message, details);
}

export function mismatch(message: string, context: FaultContext): FaultError {
  return refusal("ResumeMismatch", message, { context });
}
