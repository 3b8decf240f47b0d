// Which kept values are a session's own, and which of them leave the store with it: two tables. A question is known by the
// session it names; a run is a session of the same name.

import type { KeepKind } from "./journal.ts";

type Ownership =
  | "by-key" //   the key is the session, or begins with `session/`
  | "by-value" // the value names its session
  | "by-question" // the key is the id of a question of the session
  | "shared"; //  belongs to the store

export const OWNERSHIP: Readonly<Record<KeepKind, Ownership>> = {
  result: "by-key",
  input: "by-key",
  snapshot: "by-key",
  question: "by-value",
  answer: "by-question",
  run: "by-key",
  wake: "by-key",
  action: "by-key",
  breaker: "shared",
  incident: "shared",
  definition: "shared",
};

type Export =
  | "redacted" // always, without its secrets: people see it anyway
  | "exact" //   as it is, so only when asked: the session cannot go on elsewhere without it
  | "never"; //  belongs to the store, or is made anew from the entries

export const EXPORT: Readonly<Record<KeepKind, Export>> = {
  question: "redacted",
  result: "exact",
  input: "exact",
  run: "exact",
  wake: "exact",
  action: "exact",
  snapshot: "never",
  answer: "never",
  breaker: "never",
  incident: "never",
  definition: "never",
};

export const KEEP_KINDS = Object.freeze(Object.keys(OWNERSHIP)) as readonly KeepKind[];

export function kindsOwned(how: Ownership): readonly KeepKind[] {
  return KEEP_KINDS.filter((kind) => OWNERSHIP[kind] === how);
}

export function kindsExported(how: Export): readonly KeepKind[] {
  return KEEP_KINDS.filter((kind) => EXPORT[kind] === how);
}

export function isKeepKind(value: unknown): value is KeepKind {
  return typeof value === "string" && Object.hasOwn(OWNERSHIP, value);
}

export function isUnder(key: string, owner: string): boolean {
  return key === owner || key.startsWith(`${owner}/`);
}

/**
 * The same for a row of a table. '0' is the character behind '/', so everything between begins with `owner/`; the outer
 * bounds are there because SQLite looks through all keys when all it has is an OR.
 */
export function isUnderSql(owner: string): string {
  return `key >= ${owner} AND key < ${owner} || '0' AND (key = ${owner} OR key >= ${owner} || '/')`;
}
