// Keys of clients are compared by their hash, so that they need not be kept.

import { hash } from "node:crypto";

export function sha256(text: string): string {
  return hash("sha256", text, "hex");
}
