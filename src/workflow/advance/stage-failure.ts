// An Act that failed and still has something to show: the engine takes the fault as that of the attempt, and keeps the output
// for the nodes after it.

import type { Fault } from "../../core/fault/fault.ts";
import { FaultError } from "../../core/fault/fault-error.ts";

/** Thrown by a stage to end its attempt with a fault of its own. */
export class StageFailure extends FaultError {
  readonly output: unknown;

  constructor(fault: Fault, output: unknown) {
    super(fault);
    this.name = "StageFailure";
    this.output = output;
  }
}
