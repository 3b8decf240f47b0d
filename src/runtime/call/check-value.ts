// A value on its way into or out of a tool, held against the schema the tool declared. A schema that takes its time is waited
// for as long as the tool itself would be, and not once the call is cancelled.

import { fault, type Fault } from "../../core/fault/fault.ts";
import { type Check, type CheckResult, schemaFault } from "../../schema/index.ts";
import type { LiveCall } from "./live-call.ts";

export type CheckedValue =
  | { readonly value: unknown; readonly fault: null }
  | { readonly value: null; readonly fault: Fault };

export async function checkValue(
  run: LiveCall,
  check: Check,
  kind: "input" | "output",
  value: unknown,
): Promise<CheckedValue> {
  const { id } = run.binding.tool;
  const checking = check(value);
  const result = checking instanceof Promise ? await inTime(run, checking) : checking;
  if (result === null) return { value: null, fault: tookTooLong(id, kind) };
  if (result.ok) return { value: result.value, fault: null };
  run.record.thrown = result.thrown?.error;
  return { value: null, fault: schemaFault(kind, id, result) };
}

/** null when it was given up. */
async function inTime(run: LiveCall, checking: Promise<CheckResult>): Promise<CheckResult | null> {
  const { clock } = run.engine;
  const now = clock.now();
  const untilAt = Math.min(now + run.binding.tool.timeoutMs, run.request.deadline.at);
  let disarm: () => void = () => undefined;
  const result = await new Promise<CheckResult | null>((resolve) => {
    disarm = clock.after(untilAt - now, () => resolve(null));
    run.wake = () => resolve(null);
    void checking.then(resolve);
  });
  disarm();
  run.wake = null;
  return result;
}

function tookTooLong(tool: string, kind: "input" | "output"): Fault {
  return fault("ExecutionTimeout", {
    message: `the schema of the ${kind} of ${tool} did not answer in time`,
    context: { field: kind, ran: kind === "output" },
  });
}
