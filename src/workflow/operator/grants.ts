// What an operator has allowed a node to use in this run: by the instruction of this visit, or by an earlier grant that still holds.

import type { Instruction } from "../../core/flow/node.ts";

export const GRANT = "grant-and-retry";

export type Granted = Readonly<Partial<Record<"commands" | "tools", readonly string[]>>>;

/** A grant holds for the rest of the run. An edit allows only the commands that were typed with it. */
const ALLOWING: ReadonlySet<string> = new Set([GRANT, "edit-and-retry"]);

/** Grants of earlier visits are under `granted`, a key that `checkActionParams` never accepts. */
export function grantedIn({ action, params }: Instruction, kind: keyof Granted): readonly string[] {
  const earlier = params["granted"] as Granted | undefined;
  return [...new Set([...(ALLOWING.has(action) ? namesIn(params[kind]) : []), ...namesIn(earlier?.[kind])])];
}

function namesIn(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
}
