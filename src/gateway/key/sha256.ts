// Keys of clients are compared by their hash, so that they need not be kept.

import { createHash } from "node:crypto";

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
