// Each entry carries a hash over itself and the hash before it, so that a changed, missing or moved record shows.
// The chain depends on the session and its entries only: every journal and every exported file comes to the same one.

import { hash } from "node:crypto";

/** What the first link hangs on. A file that holds only the end of a session starts at `after`. */
export function chainStart(session: string, after = 0): string {
  return sha256(`faultline-session\n${after}\n${session}`);
}

/** `body` is JSON on one line, so no other parts can read the same. */
export function nextLink(before: string, seq: number, at: number, type: string, body: string): string {
  return sha256(`${before}\n${seq}\n${at}\n${type}\n${body}`);
}

export function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
