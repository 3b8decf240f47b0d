// Codes that sign a person in once, through a link, without copying a token. Only their hashes are kept, in memory.
// C1  A code works once, and for ten minutes.
// C2  It stands for the first operator's token: without that file, or once that token is removed, there are no codes.

import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import type { Clock } from "../host/clock.ts";
import { type Identity, hashOf, type Tokens } from "./tokens.ts";

/** A token, and whose it is. */
export interface SignedIn {
  readonly token: string;
  readonly who: Identity;
}

export interface SignInCodes {
  /** A new code; null when there is no operator's token that it could stand for. */
  make(): string | null;
  /** null for a code that is unknown, used or too old. */
  use(code: string): SignedIn | null;
}

const VALID_MS = 600_000;
/** Unused codes above this number are dropped, the oldest first. */
const MAX_CODES = 100;

export function createSignInCodes(tokens: Tokens, clock: Clock): SignInCodes {
  const expiryByHash = new Map<string, number>();

  return {
    make() {
      if (operatorOf(tokens) === null) return null;
      const code = randomBytes(24).toString("base64url");
      expiryByHash.set(hashOf(code), clock.now() + VALID_MS);
      const [oldest] = expiryByHash.keys();
      if (expiryByHash.size > MAX_CODES && oldest !== undefined) expiryByHash.delete(oldest);
      return code;
    },
    use(code) {
      const hash = hashOf(code);
      const expiresAt = expiryByHash.get(hash) ?? 0;
      expiryByHash.delete(hash);
      return expiresAt > clock.now() ? operatorOf(tokens) : null;
    },
  };
}

function operatorOf(tokens: Tokens): SignedIn | null {
  // The operator may have moved the file to a safer place; then they sign in by typing the token.
  if (!existsSync(tokens.file)) return null;
  const token = readFileSync(tokens.file, "utf8").trim();
  const who = tokens.identify(token);
  return who === null ? null : { token, who };
}
