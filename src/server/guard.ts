// Who may talk to the server: the right host name, no other site's page, and a token whose role is enough.

import type { Role } from "../api/route.ts";
import { Refused } from "./problems.ts";
import type { Identity, Tokens } from "./tokens.ts";

const COOKIE = "faultline_session";

/** The addresses under which the server is reached. */
export interface OwnAddresses {
  /** `host:port`, in lower case. */
  readonly hosts: ReadonlySet<string>;
  /** `https://host:port`, in lower case. */
  readonly origins: ReadonlySet<string>;
  /** Cookies go over TLS only. */
  readonly isSecure: boolean;
}

/** Stops DNS rebinding: a page of another host name that resolves to this machine sends that name in the Host header. */
export function checkHost(request: Request, { hosts }: OwnAddresses): void {
  const host = request.headers.get("host")?.toLowerCase() ?? "";
  if (!hosts.has(host)) throw new Refused("wrong-host");
}

/** Refuses requests that a browser sends for a page of another site. Reads are refused, too: the answers are private. */
export function checkOrigin(request: Request, { origins }: OwnAddresses): void {
  const origin = request.headers.get("origin")?.toLowerCase();
  if (origin !== undefined && !origins.has(origin)) throw new Refused("wrong-origin");
  const site = request.headers.get("sec-fetch-site");
  const isForeign = site !== null && site !== "same-origin" && site !== "none";
  // A person may follow a link from another site to the dashboard.
  const isNavigation = request.method === "GET" && request.headers.get("sec-fetch-mode") === "navigate";
  if (isForeign && !isNavigation) throw new Refused("wrong-origin");
}

/** The sender, if its role is enough. A cookie counts like a token: the checks above keep other sites from using it. */
export function identify(request: Request, tokens: Tokens, needed: Role): Identity {
  const token = bearer(request) ?? cookie(request);
  if (token === null) throw new Refused("no-token");
  const who = tokens.identify(token);
  if (who === null) throw new Refused("wrong-token");
  if (needed === "operator" && who.role !== "operator") throw new Refused("role-too-low");
  return who;
}

function bearer(request: Request): string | null {
  const header = request.headers.get("authorization");
  if (header === null) return null;
  return /^Bearer +([\w.~+/=-]{1,500})$/i.exec(header)?.[1] ?? "";
}

function cookie(request: Request): string | null {
  for (const part of (request.headers.get("cookie") ?? "").split(";")) {
    const [name, value] = part.trim().split("=", 2);
    if (name === COOKIE && value !== undefined && value !== "") return value;
  }
  return null;
}

export function cookieHeader(token: string, { isSecure }: OwnAddresses): string {
  const age = token === "" ? "Max-Age=0" : "Max-Age=2592000";
  return `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; ${age}${isSecure ? "; Secure" : ""}`;
}
