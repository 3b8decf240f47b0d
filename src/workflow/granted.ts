// What an operator has allowed a node in this run: by the instruction of this visit, or by an earlier one that lasts.

import type { Instruction } from "../core/flow/node.ts";

export const GRANT = "grant-and-retry";

export type Granted = Readonly<Partial<Record<"commands" | "tools", readonly string[]>>>;

/** Those of earlier visits stand under `granted`, which nobody can type. */
export function grantedIn({ action, params }: Instruction, kind: keyof Granted): readonly string[] {
  const earlier = params["granted"] as Granted | undefined;
  return [...new Set([...(action === GRANT ? namesIn(params[kind]) : []), ...namesIn(earlier?.[kind])])];
}

function namesIn(given: unknown): readonly string[] {
  return Array.isArray(given) ? given.filter((name) => typeof name === "string") : [];
}
