// What an evaluation may use, resolved once.

import { fault, FaultError } from "../core/index.ts";
import { type Clock, systemClock } from "../host/clock.ts";
import { MIN_MEMORY_BYTES } from "./engine.ts";

export interface SandboxOptions {
  /** Wall clock of one evaluation; 1,000 by default. */
  readonly timeoutMs?: number;
  /** Memory of the engine, all included: 16 MiB by default, which is also the least. */
  readonly memoryBytes?: number;
  /** 256 KiB by default, which is also the most: the host's own stack ends soon after. */
  readonly stackBytes?: number;
  /** Size of the result as JSON; 1 MiB by default. */
  readonly resultBytes?: number;
  readonly clock?: Clock;
}

export type Limits = Required<SandboxOptions>;

type Amount = Exclude<keyof SandboxOptions, "clock">;

const AMOUNTS: Readonly<Record<Amount, { readonly least: number; readonly usual: number; readonly most: number }>> = {
  timeoutMs: { least: 1, usual: 1000, most: 60_000 },
  memoryBytes: { least: MIN_MEMORY_BYTES, usual: MIN_MEMORY_BYTES, most: 2 ** 30 },
  stackBytes: { least: 32 * 1024, usual: 256 * 1024, most: 256 * 1024 },
  resultBytes: { least: 1, usual: 2 ** 20, most: 2 ** 26 },
};

export function resolveLimits(options: SandboxOptions): Limits {
  return {
    timeoutMs: amount("timeoutMs", options),
    memoryBytes: amount("memoryBytes", options),
    stackBytes: amount("stackBytes", options),
    resultBytes: amount("resultBytes", options),
    clock: options.clock ?? systemClock,
  };
}

function amount(name: Amount, options: SandboxOptions): number {
  const { least, usual, most } = AMOUNTS[name];
  const given = options[name] ?? usual;
  if (Number.isInteger(given) && given >= least && given <= most) return given;
  const message = `the sandbox option ${name} is ${given}. Give a whole number from ${least} to ${most}.`;
  throw new FaultError(fault("ConfigSchemaViolation", { message, context: { option: name } }));
}
