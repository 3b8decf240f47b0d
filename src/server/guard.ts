// Who may talk to the server: the right host name, no other site's page, and a token whose role is enough.

import type { Role } from "../api/route.ts";
import { isOwnHost, isOwnOrigin, type OwnAddresses } from "../host/own-addresses.ts";
import { Refused } from "./problems.ts";
import type { Identity, Tokens } from "./tokens.ts";

const COOKIE = "faultline_session";

/** The server's own addresses. */
export interface ServerAddresses extends OwnAddresses {
  /** Cookies go over TLS only. */
  readonly isSecure: boolean;
}

export function checkHost({ headers }: Request, own: OwnAddresses): void {
  if (!isOwnHost((name) => headers.get(name), own)) throw new Refused("wrong-host");
}

export function checkOrigin({ method, headers }: Request, own: OwnAddresses): void {
  if (!isOwnOrigin(method, (name) => headers.get(name), own)) throw new Refused("wrong-origin");
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

export function cookieHeader(token: string, { isSecure }: ServerAddresses): string {
  const age = token === "" ? "Max-Age=0" : "Max-Age=2592000";
  return `${COOKIE}=${token}; Path=/; HttpOnly; SameSite=Strict; ${age}${isSecure ? "; Secure" : ""}`;
}
