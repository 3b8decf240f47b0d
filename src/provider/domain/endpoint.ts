// The endpoint of a target: its API and base URL, such as `openai+https://api.openai.com`. Two base URLs of one vendor are two
// endpoints. So are two APIs behind one gateway, because different services answer them.

import { tryRead } from "../../core/try-read.ts";
import { apiOf } from "../model-facts/provider-of.ts";

/** `provider` is the AI SDK's string, or a vendor's name. null when `baseUrl` is not an address. */
export function endpointAt(baseUrl: string, provider: string): string | null {
  const url = tryRead(() => new URL(baseUrl), null);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  // Vendors' tools accept base URLs with or without the version. A user name in a URL may be a secret.
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v\d+(?:beta\d*|alpha\d*)?$/, "");
  return `${apiOf(provider)}+${url.protocol}//${url.host}${path}`;
}

/** The server behind an endpoint, to show to a person: `https://api.openai.com`; null if the endpoint is not a URL. */
export function originOf(endpoint: string): string | null {
  const url = tryRead(() => new URL(endpoint.slice(endpoint.indexOf("+") + 1)), null);
  return url === null || url.host === "" ? null : `${url.protocol}//${url.host}`;
}
