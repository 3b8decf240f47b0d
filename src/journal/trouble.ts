// What goes wrong beside a call, where nobody waits for an answer: told to whoever opened the journal, or as a warning of Node.

import type { Fault } from "../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { classify } from "../core/classify/classify.ts";

/** `what` says what the journal was doing. */
export type Tell = (fault: Fault, what: string) => void;

export function resolveTell(onTrouble: Tell | undefined): Tell {
  if (onTrouble === undefined) return warn;
  return (fault, what) => {
    try {
      onTrouble(fault, what);
    } catch (error) {
      // A listener for trouble that fails must not stop the journal, and must not hide what it was told.
      warn(fault, what);
      warn(classify({ surface: "node", error }), "telling about trouble with the journal");
    }
  };
}

function warn(fault: Fault, what: string): void {
  const text = SHAPE_REDACTOR.text(`${what}: ${fault.class}/${fault.code}: ${fault.message}`);
  process.emitWarning(text, { type: "FaultlineJournalWarning" });
}
