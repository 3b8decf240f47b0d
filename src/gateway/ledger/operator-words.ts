// What the gateway tells its operator of a failure besides its code: what this machine saw or measured, never the words of a target, which
// may repeat a prompt.

import { traitsOf } from "../../core/fault/catalogue.ts";
import { type Fault, originOf } from "../../core/fault/fault.ts";
import { transportWords } from "../dialect/error-words.ts";

/** null: what is known of the failure may quote the target. */
export function operatorWords(seen: Fault, scrub: (text: string) => string): string | null {
  if (isOwnFinding(seen)) return seen.message;
  const words = transportWords(seen, scrub);
  if (words === null) return null;
  // An SDK wraps an error of the connection in one of its own, which says only that it could not read the answer.
  const { message = "", code = "" } = originOf(seen)?.thrown.at(-1) ?? {};
  const inner = message.replace(OWN_NAME, "");
  if (inner === "") return words;
  return scrub(code === "" || inner.includes(code) ? inner : `${inner} (${code})`);
}

/** `ProviderTransient/NetworkDisconnect: what happened`, as an error with a fault says it. */
const OWN_NAME = /^[A-Z]\w+\/[A-Z]\w+: /;

/**
 * Raised by the gateway itself when an answer misses a limit of time or speed, or ends too early: the message has only what was measured.
 */
export function isOwnFinding({ code, evidence }: Fault): boolean {
  return evidence.source === "raised" && traitsOf(code).scope === "network";
}
