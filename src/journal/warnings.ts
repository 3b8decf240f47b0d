// Problems in work that no caller awaits. They go to the `onWarning` option, or become a warning of the Node process.

import type { Fault } from "../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { classify } from "../core/classify/classify.ts";

/** `what` says what was being done. */
export type OnWarning = (fault: Fault, what: string) => void;

export function resolveOnWarning(onWarning: OnWarning | undefined): OnWarning {
  if (onWarning === undefined) return warn;
  return (fault, what) => {
    try {
      onWarning(fault, what);
    } catch (error) {
      // A listener that fails must neither stop the journal nor hide the warning it was given.
      warn(fault, what);
      warn(classify({ surface: "node", error }), "calling onWarning");
    }
  };
}

/** A warning of the Node process, with secrets taken out. */
export function warn(fault: Fault, what: string): void {
  const text = SHAPE_REDACTOR.text(`${what}: ${fault.class}/${fault.code}: ${fault.message}`);
  process.emitWarning(text, { type: "FaultlineWarning" });
}
