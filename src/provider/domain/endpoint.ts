// Where a target is reached: its base URL and the API spoken there, such as `openai+https://api.openai.com`. Two base URLs of one
// vendor are two endpoints. So are two APIs behind one gateway: different services answer them.

import { tryRead } from "../../core/try-read.ts";
import { apiOf } from "../model-facts/provider-of.ts";

/** `provider` is the AI SDK's string, or a vendor's name. null when `baseUrl` is not an address. */
export function endpointAt(baseUrl: string, provider: string): string | null {
  const url = tryRead(() => new URL(baseUrl), null);
  if (url === null || !/^https?:$/.test(url.protocol)) return null;
  // Vendors' own tools take some addresses with the version, some without. A user name in an address may be a secret.
  const path = url.pathname.replace(/\/+$/, "").replace(/\/v\d+(?:beta\d*|alpha\d*)?$/, "");
  return `${apiOf(provider)}+${url.protocol}//${url.host}${path}`;
}

/** The machine behind an endpoint, for a person: `https://api.openai.com`; null for one that is not an address. */
export function originOf(endpoint: string): string | null {
  const url = tryRead(() => new URL(endpoint.slice(endpoint.indexOf("+") + 1)), null);
  return url === null || url.host === "" ? null : `${url.protocol}//${url.host}`;
}
