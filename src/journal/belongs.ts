// Which kept values are a session's own, and go where it goes: a table. A question is known by the session it names.

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
  breaker: "shared",
  incident: "shared",
};

export const KEEP_KINDS = Object.freeze(Object.keys(OWNERSHIP)) as readonly KeepKind[];

export function kindsOwned(how: Ownership): readonly KeepKind[] {
  return KEEP_KINDS.filter((kind) => OWNERSHIP[kind] === how);
}

export function isKeepKind(value: unknown): value is KeepKind {
  return typeof value === "string" && Object.hasOwn(OWNERSHIP, value);
}

export function isUnder(key: string, owner: string): boolean {
  return key === owner || key.startsWith(`${owner}/`);
}
