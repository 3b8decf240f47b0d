// Checks options once, where the program passes them: unknown names, wrong types, values out of range.

import { FaultError } from "../core/fault/fault-error.ts";
import { type Fault, fault } from "../core/fault/fault.ts";
import { isPlain, mistakeIn, type Shape } from "./kind.ts";

/** Throws a ConfigSchemaViolation that names the option and what it accepts. `door` is the function that the program called. */
export function checkOptions<T>(door: string, given: T, kinds: Shape<T>): T {
  const refused = optionsFault(door, given, kinds);
  if (refused !== null) throw new FaultError(refused);
  return given;
}

/** The same for functions that return a fault instead of throwing. */
export function optionsFault<T>(door: string, given: T, kinds: Shape<T>): Fault | null {
  const options: unknown = given;
  if (!isPlain(options)) return faultOf(door, "options", "its options must be an object");
  const mistake = mistakeIn(options, kinds);
  return mistake === null ? null : faultOf(door, mistake.field, mistake.message);
}

/** Checks an object that may have members besides those listed. */
export function checkMembers<T extends object>(door: string, given: T, kinds: Shape<T>): T {
  const mistake = mistakeIn(given, kinds, "", true);
  if (mistake !== null) throw invalidOption(door, mistake.field, mistake.message);
  return given;
}

export function invalidOption(door: string, field: string, message: string): FaultError {
  return new FaultError(faultOf(door, field, message));
}

function faultOf(door: string, field: string, message: string): Fault {
  return fault("ConfigSchemaViolation", { message: `${door}: ${message}`, context: { field } });
}
