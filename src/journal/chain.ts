// Each entry carries a hash over itself and the hash before it, so that a changed, missing or moved record shows.
// The chain depends on the session and its entries only: every journal and every exported file comes to the same one.

import { nodeCrypto } from "../host/builtin.ts";
import { drift } from "./journal-faults.ts";

/** What the first link hangs on. A file that holds only the end of a session starts at `after`. */
export function chainStart(session: string, after = 0): string {
  return sha256(`faultline-session\n${after}\n${session}`);
}

/** `body` and `seal` are JSON on one line, so no other parts can read the same. An entry that came with no sealed value has no seal. */
export function nextLink(before: string, seq: number, at: number, type: string, body: string, seal = ""): string {
  return sha256(`${before}\n${seq}\n${at}\n${type}\n${body}${seal === "" ? "" : `\n${seal}`}`);
}

/** The link of an entry of a copy: it must be the one that its content gives. */
export function refuseOtherLink(
  session: string,
  seq: number,
  link: string,
  restored: { readonly hash: string } | undefined,
): void {
  if (restored === undefined || restored.hash === link) return;
  throw drift(
    `Entry ${seq} of session ${session} is not what was written: its hash is that of another one. Run a verification of the journal it comes from.`,
    { context: { session, seq } },
  );
}

const DIGEST_CHARS = 32;

/** The digest of a kept value with its kind and key, so that values cannot change places. */
export function keptDigest(kind: string, key: string, text: string): string {
  return sha256(`faultline-kept\n${kind}\n${key}\n${text}`).slice(0, DIGEST_CHARS);
}

/** The digest of a value that sums up the chain up to `link`. */
export function boundDigest(link: string, digest: string): string {
  return sha256(`${link}\n${digest}`).slice(0, DIGEST_CHARS);
}

export function sha256(text: string): string {
  return nodeCrypto().hash("sha256", text, "hex");
}
