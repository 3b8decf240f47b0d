// Follows redirects as `fetch` does, but never sends keys to another origin. The platform removes only `authorization`, and
// vendors have keys in other headers, too.

import { KEY_HEADERS } from "../domain/account.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** These keep the method and the body. */
const KEEPING: ReadonlySet<number> = new Set([307, 308]);
const MAX_REDIRECTS = 20;
/** Headers about a body that is not sent any more. */
const BODY_HEADERS = ["content-type", "content-length", "content-encoding", "content-language", "content-location"];
const OTHER_SECRETS = ["cookie", "proxy-authorization"];

/** Sends one request. */
type Send = (url: string, init: RequestInit) => Promise<Response>;

export async function fetchSafely(send: Send, url: string, init: RequestInit): Promise<Response> {
  if ((init.redirect ?? "follow") !== "follow") return send(url, init);
  let at = url;
  let sent: RequestInit = { ...init, redirect: "manual" };
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await send(at, sent);
    // Browsers do not show where a redirect leads, and ask the other origin before they send it a key.
    if (response.type === "opaqueredirect") return send(at, { ...sent, redirect: "follow" });
    const to = placeOf(response, at);
    if (to === null) return response;
    await response.body?.cancel();
    sent = { ...sent, ...changedFor(response.status, sent), headers: headersFor(response.status, sent, at, to) };
    at = to;
  }
  throw new TypeError("fetch failed: redirect count exceeded");
}

/** Where the response leads; null when it is an answer. */
function placeOf({ status, headers }: Response, from: string): string | null {
  const location = REDIRECTS.has(status) ? headers.get("location") : null;
  const to = location === null ? null : URL.parse(location, from);
  return to === null || !/^https?:$/.test(to.protocol) ? null : to.href;
}

function changesMethod(status: number, { method = "GET" }: RequestInit): boolean {
  if (KEEPING.has(status)) return false;
  return status === 303 ? method !== "HEAD" : method.toUpperCase() === "POST";
}

function changedFor(status: number, sent: RequestInit): RequestInit {
  return changesMethod(status, sent) ? { method: "GET", body: null } : {};
}

function headersFor(status: number, sent: RequestInit, from: string, to: string): Headers {
  const headers = new Headers(sent.headers);
  const isElsewhere = new URL(from).origin !== new URL(to).origin;
  const gone = [
    ...(isElsewhere ? [...KEY_HEADERS, ...OTHER_SECRETS] : []),
    ...(changesMethod(status, sent) ? BODY_HEADERS : []),
  ];
  for (const name of gone) headers.delete(name);
  return headers;
}
