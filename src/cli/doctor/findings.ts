// All that `faultline doctor` found out, before it is put into words.

import type { CliHealth } from "../../agent/doctor/cli-health.ts";
import type { MachineCheck } from "../../agent/doctor/machine.ts";

export interface Findings {
  readonly clis: readonly CliHealth[];
  readonly machine: readonly MachineCheck[];
  /** The CLIs were asked for by name. */
  readonly areAsked: boolean;
}
