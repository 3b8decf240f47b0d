// Who a client is, by the key it sends. Keys are looked up by their hash.

import type { IncomingHttpHeaders } from "node:http";
import type { ClientKey } from "../config/settings.ts";
import { sha256 } from "./sha256.ts";

/** What a request says about its client. */
interface PresentedKey {
  /** null: it has no key. */
  readonly sent: string | null;
  /** null: the gateway does not know this key. */
  readonly key: ClientKey | null;
  /** The whole header `authorization` if the key is in it; null otherwise. */
  readonly authorization: string | null;
}

/** The key in a request: each dialect has its own place for it. */
function keyIn(headers: IncomingHttpHeaders, query: string, bearer: string | null): string | null {
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
  /** The key of each connection, because a connection sends the same key with each request. Reading and hashing it again would cost more. */
  readonly #last = new WeakMap<object, PresentedKey>();

  constructor(keys: readonly ClientKey[]) {
    this.#byHash = new Map(keys.map((key) => [key.sha256, key]));
  }

  /** Everyone may use a gateway that has no keys. */
  get isOpen(): boolean {
    return this.#byHash.size === 0;
  }

  find(headers: IncomingHttpHeaders, query: string, connection: object): PresentedKey {
    const { authorization = "" } = headers;
    const last = this.#last.get(connection);
    if (last?.authorization === authorization) return last;
    const bearer = /^Bearer +(.+)$/i.exec(authorization)?.[1] ?? null;
    const sent = keyIn(headers, query, bearer);
    if (last?.sent === sent) return last;
    const key = sent === null ? null : (this.#byHash.get(sha256(sent)) ?? null);
    const found = { sent, key, authorization: bearer === null ? null : authorization };
    if (key !== null) this.#last.set(connection, found);
    return found;
  }
}
