// One request from an SDK to a provider, in a form that can be sent again.

import { protocolOf, type Protocol } from "../wire/protocol.ts";
import { requestFacts, type RequestFacts } from "../wire/request-facts.ts";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import type { ByteSink } from "./byte-sink.ts";

interface WireMemory {
  /** The last error response, in the form the caller's SDK expects. */
  refused: Response | null;
  /** The whole answer, as the caller gets it. */
  answer: Response | null;
}

export class WireRequest implements ChainRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly protocol: Protocol;
  readonly facts: RequestFacts;
  readonly sink: ByteSink;
  /** Headers with a refreshed credential, which replace the caller's. */
  readonly headers: Readonly<Record<string, string>>;
  /** Shared by all forms of this request; never recorded. */
  readonly memory: WireMemory;

  constructor(
    url: string,
    init: RequestInit,
    protocol: Protocol,
    facts: RequestFacts,
    sink: ByteSink,
    headers: Readonly<Record<string, string>> = {},
    memory: WireMemory = { refused: null, answer: null },
  ) {
    this.url = url;
    this.init = init;
    this.protocol = protocol;
    this.facts = facts;
    this.sink = sink;
    this.headers = headers;
    this.memory = memory;
  }

  withHeaders(headers: Readonly<Record<string, string>>): WireRequest {
    return new WireRequest(this.url, this.init, this.protocol, this.facts, this.sink, headers, this.memory);
  }

  /** A caller that runs again sends the same request. */
  revived(): this {
    return this;
  }

  get sent(): RequestInit {
    const fresh = Object.entries(this.headers);
    if (fresh.length === 0) return this.init;
    const headers = new Headers(this.init.headers);
    for (const [name, value] of fresh) headers.set(name, value);
    return { ...this.init, headers };
  }

  /** The form that journals and digests get: the body, and the address without its query, which may contain a key. */
  toJSON(): unknown {
    return { url: this.url.split("?")[0], body: this.init.body };
  }
}

export interface Understood {
  readonly url: string;
  readonly init: RequestInit;
  readonly protocol: Protocol;
  readonly facts: RequestFacts;
}

/** Returns null for a request that is not a model call or cannot be sent twice. Such a request passes through unchanged. */
export async function understand(
  input: Parameters<typeof fetch>[0],
  init: RequestInit | undefined,
): Promise<Understood | null> {
  const isRequest = input instanceof Request;
  const url = isRequest ? input.url : String(input);
  const body: unknown = init?.body ?? (isRequest && input.body !== null ? await input.clone().text() : undefined);
  const text = typeof body === "string" ? body : body instanceof Uint8Array ? new TextDecoder().decode(body) : null;
  if (text === null) return null;
  const protocol = protocolOf(url, text);
  if (protocol === null) return null;
  const from = isRequest ? { method: input.method, headers: input.headers, signal: input.signal } : {};
  return { url, init: { ...from, ...init, body: text }, protocol, facts: requestFacts(protocol, url, text) };
}
