// A value on its way into or out of a tool, held against the schema the tool declared.

import type { Fault } from "../../core/fault/fault.ts";
import { type Check, schemaFault } from "../../schema/index.ts";

export type Checked =
  { readonly value: unknown; readonly fault: null } | { readonly value: null; readonly fault: Fault };

export async function checkValue(
  check: Check,
  kind: "input" | "output",
  tool: string,
  value: unknown,
): Promise<Checked> {
  const result = await check(value);
  return result.ok
    ? { value: result.value, fault: null }
    : { value: null, fault: schemaFault(kind, tool, result.issues) };
}
