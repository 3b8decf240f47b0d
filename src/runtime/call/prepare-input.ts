// Makes what was asked for ready to be sent: read by the tool's schema, or repaired as was decided and fitted to the target.

import { readWith } from "../../core/try-read.ts";
import type { Check } from "../../schema/index.ts";
import { redecide } from "./call-ending.ts";
import { negotiate } from "./chain.ts";
import { checkValue } from "./check-value.ts";
import type { LiveCall } from "./live-call.ts";
import { carryOutRepair, fitToTarget } from "./repair.ts";

/** False when the call cannot go on like this: it was cancelled, or something else has been decided. */
export async function prepareInput(run: LiveCall): Promise<boolean> {
  const { state } = run.record;
  const { checkInput, chain } = run.binding.tool;
  if (checkInput !== null) return readInput(run, checkInput);
  if (chain !== null && state.repairDue && !(await carryOutRepair(run, state))) return false;
  if (passesThrough(run)) return true;
  const unfit = negotiate(run);
  if (unfit !== null) await redecide(run, unfit);
  else await fitToTarget(run);
  return unfit === null && run.cancelled === null;
}

/** The input as the tool's schema reads it. */
async function readInput(run: LiveCall, check: Check): Promise<boolean> {
  const checked = await checkValue(run, check, "input", run.given);
  if (run.cancelled !== null) return false;
  if (checked.fault !== null) {
    await redecide(run, checked.fault);
    return false;
  }
  run.fitted(checked.value);
  return true;
}

/** The same where it takes no waiting and has no limit to keep to. False: the long way finds out what there is to it. */
export function prepareAtOnce(run: LiveCall): boolean {
  return !run.request.budget.isBounded && run.binding.tool.checkInput === null && passesThrough(run);
}

/** Nothing has to be negotiated or changed. */
function passesThrough(run: LiveCall): boolean {
  const { chain } = run.binding.tool;
  const isReady = chain === null || (chain.passesThrough !== null && readWith(run.given, chain.passesThrough) === true);
  if (isReady) run.fitted(run.given);
  return isReady;
}
