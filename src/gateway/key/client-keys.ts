// Who a client is, by the key it sends. Keys are looked up by their hash.

import type { IncomingHttpHeaders } from "node:http";
import type { ClientKey } from "../config/settings.ts";
import { sha256 } from "./sha256.ts";

/** The key in a request: each dialect has its own place for it. */
export function presentedKey(headers: IncomingHttpHeaders, query: string): string | null {
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1];
  const found = bearer ?? headers["x-api-key"] ?? headers["x-goog-api-key"] ?? headers["api-key"];
  if (typeof found === "string" && found !== "") return found;
  return query === "" ? null : new URLSearchParams(query).get("key");
}

/** The key, if it is a secret that no target may get; null otherwise. Clients of a gateway without keys may send any text, such as `any`. */
export function secretOf(presented: string | null, key: ClientKey | null): string | null {
  return presented !== null && (key !== null || presented.length >= LEAST_SECRET) ? presented : null;
}

/** A shorter text is not a key of a vendor. */
const LEAST_SECRET = 16;

export class ClientKeys {
  readonly #byHash: ReadonlyMap<string, ClientKey>;
  /** The key of each connection, because a connection sends the same key with each request. */
  readonly #last = new WeakMap<object, { readonly presented: string; readonly key: ClientKey }>();

  constructor(keys: readonly ClientKey[]) {
    this.#byHash = new Map(keys.map((key) => [key.sha256, key]));
  }

  /** Everyone may use a gateway that has no keys. */
  get isOpen(): boolean {
    return this.#byHash.size === 0;
  }

  find(presented: string | null, connection: object): ClientKey | null {
    if (presented === null) return null;
    const last = this.#last.get(connection);
    if (last?.presented === presented) return last.key;
    const key = this.#byHash.get(sha256(presented)) ?? null;
    if (key !== null) this.#last.set(connection, { presented, key });
    return key;
  }
}
