// A short name for a secret: the same for the same secret, today and on every machine, and of no use for finding it.

import { nodeCrypto } from "./builtin.ts";

const TAG_CHARS = 8;

export function secretTag(secret: string): string {
  return nodeCrypto().hash("sha256", `faultline secret tag\n${secret}`, "hex").slice(0, TAG_CHARS);
}
