// The type of a route's handler. It gets a request that is already read and checked, with the name of its sender.

import type { RouteName } from "../api/paths.ts";
import type { AnswerOf, AskedOf, Unchanged } from "../api/route.ts";
import type { Routes } from "../api/routes.ts";
import type { Locale } from "../core/fault/words/words.ts";
import type { Intend } from "./idempotency.ts";
import type { Identity } from "./tokens.ts";

export interface Sender {
  /** For routes that need no token: a viewer without a name. */
  readonly who: Identity;
  readonly locale: Locale;
  /** In every response and every log line about this request. */
  readonly correlationId: string;
  /** As the client sent it; empty when it sent none. */
  readonly idempotencyKey: string;
  readonly request: Request;
  /** Records in the journal what the request is about to do, so that a repeated request does the same: see `idempotency.ts`. */
  readonly intend: Intend;
}

export type RouteRequest<Name extends RouteName> = AskedOf<Routes[Name]> & Sender;

/** Answers one route: with its JSON, or with a complete response where the answer is not JSON. */
export type Handler<Name extends RouteName> = (asked: RouteRequest<Name>) => Promise<Answered<Name>> | Answered<Name>;

type Answered<Name extends RouteName> = Unchanged<AnswerOf<Routes[Name]>> | Response;

export type Handlers = { readonly [Name in RouteName]: Handler<Name> };
/** The handlers of a part of the API. */
export type HandlersOf<Names extends RouteName> = Pick<Handlers, Names>;
