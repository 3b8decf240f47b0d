// Problems in work that no caller awaits. They go to the `onWarning` option, or become a warning of the Node process.

import type { Fault } from "../core/fault/fault.ts";
import { type Redactor, SHAPE_REDACTOR } from "../core/fault/redact.ts";
import { classify } from "../core/classify/classify.ts";
import { guarded } from "../host/foreign-code.ts";

/** `what` says what was being done. */
export type OnWarning = (fault: Fault, what: string) => void;

export function resolveOnWarning(onWarning: OnWarning | undefined): OnWarning {
  if (onWarning === undefined) return warn;
  let hasFailed = false;
  return (fault, what) => {
    const call = guarded(onWarning, (error) => {
      // A listener that fails must neither stop the journal nor hide the warning it was given.
      warn(fault, what);
      if (!hasFailed) warn(classify({ surface: "node", error }), "calling onWarning (later failures are not reported)");
      hasFailed = true;
    });
    void call(withoutSecrets(fault), what);
  };
}

/** A warning of the Node process, with secrets taken out. A listener of the process finds the fault on it. */
export function warn(fault: Fault, what: string): void {
  const safe = withoutSecrets(fault);
  const warning = new Error(`${what}: ${safe.class}/${safe.code}: ${safe.message}`);
  warning.name = "FaultlineWarning";
  // Not enumerable: printing the warning shows its message, not the evidence.
  Object.defineProperties(warning, { what: { value: what }, fault: { value: safe } });
  process.emitWarning(warning);
}

/** Those of the process that are in use: a warning may come from code that does not know whose secret it holds. */
const redactors = new Set<WeakRef<Redactor>>();
const forgotten = new FinalizationRegistry<WeakRef<Redactor>>((gone) => redactors.delete(gone));

/** Warnings of this process show nothing that this redactor takes out. Returns it. */
export function hideInWarnings<R extends Redactor>(redactor: R): R {
  const reference = new WeakRef<Redactor>(redactor);
  redactors.add(reference);
  forgotten.register(redactor, reference);
  return redactor;
}

function withoutSecrets(fault: Fault): Fault {
  const known = [...redactors].flatMap((reference) => reference.deref() ?? []);
  return [SHAPE_REDACTOR, ...known].reduce((shown, { value }) => value(shown) as Fault, fault);
}
