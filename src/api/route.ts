// What a route is: who may use it, what it takes and what it answers. From one table come the server's checks, the OpenAPI
// document, the types of the client and the tests of the contract.

import type { z } from "zod";

/** What a token may do. An operator may do everything a viewer may. */
export type Role = "viewer" | "operator";
export const ROLES: readonly Role[] = ["viewer", "operator"];

/** An answer that is not JSON. */
export interface RawAnswer {
  readonly mediaTypes: readonly string[];
}

export interface RouteSpec {
  /** One sentence for the OpenAPI document. */
  readonly summary: string;
  /** null: without a token. */
  readonly role: Role | null;
  /** The route changes something: it takes an `Idempotency-Key` and is recorded in the audit log. */
  readonly acts?: boolean;
  /** Whether the handler recognises a repeated request with this body by itself, so that its answer need not be kept. */
  readonly keyed?: (body: unknown) => boolean;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly answer: z.ZodType | RawAnswer;
  /** The status of a good answer. Default: 200. */
  readonly status?: 200 | 201 | 202;
  /** Further statuses it answers with, besides those that every route may. */
  readonly errors?: readonly number[];
}

/** A route of the table, with its exact type. */
export function route<const Spec extends RouteSpec>(spec: Spec): Spec {
  return spec;
}

export function isRaw(answer: RouteSpec["answer"]): answer is RawAnswer {
  return "mediaTypes" in answer;
}

type Read<T, Otherwise> = T extends z.ZodType ? z.output<T> : Otherwise;
type Written<T, Otherwise> = T extends z.ZodType ? z.input<T> : Otherwise;
/** A route without this part takes an empty one. */
type Nothing = Readonly<Record<string, never>>;
type Part<Spec, Key extends string> = Spec extends Readonly<Record<Key, infer Type>> ? Type : undefined;

/** What the server reads from a request. */
export interface AskedOf<Spec> {
  readonly params: Read<Part<Spec, "params">, Nothing>;
  readonly query: Read<Part<Spec, "query">, Nothing>;
  readonly body: Read<Part<Spec, "body">, undefined>;
}

/** What a caller sends. */
export interface SentTo<Spec> {
  readonly params: Written<Part<Spec, "params">, Nothing>;
  readonly query: Written<Part<Spec, "query">, Nothing>;
  readonly body: Written<Part<Spec, "body">, undefined>;
}

/** A value of a schema that is sent and never changed, so it may hold lists of others without copying them. */
export type Shaped<Schema extends z.ZodType> = Unchanged<z.output<Schema>>;

export type Unchanged<T> = T extends readonly (infer Item)[]
  ? readonly Unchanged<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Unchanged<T[Key]> }
    : T;

/** What a route answers: its JSON, or null where the answer is not JSON. */
export type AnswerOf<Spec> = Part<Spec, "answer"> extends z.ZodType ? z.output<Part<Spec, "answer">> : null;
