// One request from its first check to its answer, the same for every route.

import { createHash } from "node:crypto";
import { Hono } from "hono";
import { PATHS, type RouteName } from "../api/paths.ts";
import { isRaw, type RouteSpec } from "../api/route.ts";
import { ROUTES } from "../api/routes.ts";
import { classify } from "../core/classify/classify.ts";
import { type Fault, isFaultError } from "../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../core/fault/redact.ts";
import type { Chance } from "../host/chance.ts";
import { warn } from "../journal/warnings.ts";
import type { Sender, Handlers } from "./handler.ts";
import { checkHost, checkOrigin, identify } from "./guard.ts";
import { dashboardPage } from "./page.ts";
import type { ServerParts } from "./parts.ts";
import { type Intend, intendOnce, onceFor } from "./idempotency.ts";
import { problemOf, Refused } from "./problems.ts";
import { localeOf, readParts } from "./read-request.ts";
import type { Identity } from "./tokens.ts";

const ANONYMOUS: Identity = { name: "", role: "viewer", createdAt: 0 };

/** Any handler, for code that treats all routes alike; the table of routes has checked what goes in. */
type AnyHandler = (request: Sender & Readonly<Record<"params" | "query" | "body", unknown>>) => unknown;

export function createApp(parts: ServerParts, handlers: Handlers, chance: Chance): Hono {
  const app = new Hono();
  const page = dashboardPage(chance);
  const names = Object.keys(PATHS) as RouteName[];
  for (const name of names) {
    const { method, path } = PATHS[name];
    const handler = handlers[name] as AnyHandler;
    app.on(method, honoPath(path), async (context) => {
      const { req } = context;
      const response = await answer(parts, ROUTES[name], handler, () => req.param(), senderOf(req.raw, chance));
      // A HEAD request has no body in its response: cancel it, so that an event stream behind it ends.
      if (req.raw.method === "HEAD") await response.body?.cancel();
      return response;
    });
  }
  app.notFound(({ req }) => {
    const sender = senderOf(req.raw, chance);
    checkHost(req.raw, parts.addresses);
    const shown = page(req.raw);
    if (shown !== null) return withCommonHeaders(shown, sender);
    const allowed = names.filter((name) => matches(PATHS[name].path, req.path)).map((name) => PATHS[name].method);
    const refused =
      allowed.length === 0
        ? new Refused("no-route")
        : new Refused("wrong-method", { headers: { allow: allowed.join(", ") } });
    return problemFor(refused, null, sender);
  });
  app.onError((error, { req }) => problemFor(error, classify({ surface: "node", error }), senderOf(req.raw, chance)));
  return app;
}

async function answer(
  parts: ServerParts,
  spec: RouteSpec,
  handler: AnyHandler,
  params: () => Readonly<Record<string, string>>,
  anonymous: Sender,
): Promise<Response> {
  const { request } = anonymous;
  let sender = anonymous;
  try {
    checkHost(request, parts.addresses);
    checkOrigin(request, parts.addresses);
    if (spec.role !== null) sender = { ...anonymous, who: identify(request, parts.tokens, spec.role) };
    const read = await readParts(spec, request, decoded(params), sender.locale);
    const work = async (intend: Intend): Promise<unknown> =>
      inShape(spec, await handler({ ...sender, ...read, intend }));
    if (spec.acts !== true || spec.keyed?.(read.body) === true || sender.idempotencyKey === "") {
      const answered = await work(intendOnce);
      return answered instanceof Response ? withCommonHeaders(answered, sender) : jsonResponse(spec, answered, sender);
    }
    const { pathname } = new URL(request.url);
    const keyed = { scope: `${sender.who.name}${pathname}`, key: sender.idempotencyKey, content: read.text };
    const { body, isReplayed } = await onceFor(parts, keyed, work);
    const response = jsonResponse(spec, body, sender);
    if (isReplayed) response.headers.set("idempotency-replayed", "true");
    return response;
  } catch (error) {
    return problemFor(error, classify({ surface: "node", error }), sender);
  }
}

function senderOf(request: Request, chance: Chance): Sender {
  const given = request.headers.get("x-request-id") ?? "";
  return {
    who: ANONYMOUS,
    locale: localeOf(request.headers.get("accept-language")),
    correlationId: /^[\w.:-]{8,80}$/.test(given) ? given : chance.newId("req"),
    idempotencyKey: (request.headers.get("idempotency-key") ?? "").trim().replace(/^"(.*)"$/, "$1"),
    request,
    intend: intendOnce,
  };
}

/** Throws for a path that is not valid UTF-8. */
function decoded(params: () => Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  try {
    return params();
  } catch (error) {
    throw Object.assign(new Refused("bad-request"), { cause: error });
  }
}

function problemFor(error: unknown, seen: Fault | null, { correlationId, locale, who }: Sender): Response {
  // A bug of ours: the sender gets an id, and the server's operator gets the cause.
  if (seen !== null && !(error instanceof Refused) && !isFaultError(error))
    warn(seen, `answering request ${correlationId}`);
  const role = who === ANONYMOUS ? null : who.role;
  const response = problemOf(error, { correlationId, locale, role, redactor: SHAPE_REDACTOR });
  return withCommonHeaders(response, { correlationId });
}

/**
 * The fields that the table of routes names. A field that a view passes on from the library without a name in the table is left out. An
 * answer with a wrong value stays as it is, because it is still of use to its reader; the server's operator is warned.
 */
function inShape({ summary, answer: shape }: RouteSpec, answered: unknown): unknown {
  if (answered instanceof Response) return answered;
  if (isRaw(shape)) throw new Error("a route without JSON must answer with a response");
  const { data = answered, error } = shape.safeParse(answered);
  if (error !== undefined) warn(classify({ surface: "node", error }), `checking the shape of an answer (${summary})`);
  return data;
}

/** JSON with a tag, so that a client that polls learns cheaply that nothing has changed. */
function jsonResponse(
  { status = 200 }: RouteSpec,
  answered: unknown,
  { request, locale, ...sender }: Sender,
): Response {
  const text = JSON.stringify(answered);
  const headers = new Headers({ "content-type": "application/json", "content-language": locale });
  if (request.method === "GET" || request.method === "HEAD") {
    const tag = `"${createHash("sha1").update(text).digest("base64url")}"`;
    headers.set("etag", tag);
    headers.set("vary", "accept-language, authorization, cookie");
    headers.set("cache-control", "private, no-cache");
    if (request.headers.get("if-none-match") === tag) {
      return withCommonHeaders(new Response(null, { status: 304, headers }), sender);
    }
  }
  return withCommonHeaders(new Response(text, { status, headers }), sender);
}

function withCommonHeaders(response: Response, { correlationId }: Pick<Sender, "correlationId">): Response {
  const { headers } = response;
  headers.set("x-request-id", correlationId);
  headers.set("x-content-type-options", "nosniff");
  headers.set("referrer-policy", "no-referrer");
  headers.set("cross-origin-resource-policy", "same-origin");
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  if (!headers.has("content-security-policy"))
    headers.set("content-security-policy", "default-src 'none'; frame-ancestors 'none'");
  return response;
}

function honoPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

function matches(template: string, path: string): boolean {
  const wanted = template.split("/");
  const given = path.split("/");
  return wanted.length === given.length && wanted.every((part, index) => part.startsWith("{") || part === given[index]);
}
