// What a handler gets of a request: read, checked, and with the name of the one who sent it.

import type { RouteName } from "../api/paths.ts";
import type { AnswerOf, AskedOf } from "../api/route.ts";
import type { Routes } from "../api/routes.ts";
import type { Locale } from "../core/fault/words/words.ts";
import type { Intend } from "./idempotency.ts";
import type { Identity } from "./tokens.ts";

export interface Sender {
  /** A role of viewer for routes that need no token. */
  readonly who: Identity;
  readonly locale: Locale;
  /** Stands in every answer and every log line about this request. */
  readonly correlationId: string;
  /** As the client sent it; empty when it sent none. */
  readonly idempotencyKey: string;
  readonly request: Request;
  /** Called before something is done that the library does once under a name; returns that name. */
  readonly intend: Intend;
}

export type RouteRequest<Name extends RouteName> = AskedOf<Routes[Name]> & Sender;

/** Answers one route: with its JSON, or with a whole response where the answer is no JSON. */
export type Handler<Name extends RouteName> = (
  asked: RouteRequest<Name>,
) => Promise<AnswerOf<Routes[Name]> | Response> | AnswerOf<Routes[Name]> | Response;

export type Handlers = { readonly [Name in RouteName]: Handler<Name> };
/** The handlers of a part of the API. */
export type HandlersOf<Names extends RouteName> = Pick<Handlers, Names>;
