// One request of an SDK on its way to a provider, in a form that can be sent again.

import { protocolOf, type Protocol } from "../wire/protocol.ts";
import { requestFacts, type RequestFacts } from "../wire/request-facts.ts";
import type { ChainRequest } from "../../runtime/tool/tool.ts";
import type { ByteSink } from "./byte-sink.ts";

interface WireMemory {
  /** The last answer that was an error, as the caller's SDK expects it. */
  refused: Response | null;
  /** The whole answer, as it is handed over. */
  answer: Response | null;
}

export class WireRequest implements ChainRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly protocol: Protocol;
  readonly facts: RequestFacts;
  readonly sink: ByteSink;
  /** Sent instead of the caller's own: a credential that was refreshed. */
  readonly headers: Readonly<Record<string, string>>;
  /** Shared by all forms of this request; never written down. */
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

  /** The caller sends the request again as it was. */
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

  /** What journals and digests see: the address without its query, which may hold a key, and the body. */
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

/** null for what is no model call, or cannot be sent twice: that passes as it is. */
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
