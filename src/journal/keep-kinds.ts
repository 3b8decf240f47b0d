// Which kept values are a session's own, and which of them leave the store with it: two tables. A question is known by the
// session it names; a run is a session of the same name.

import { readField } from "../core/try-read.ts";
import type { KeepKind } from "./journal.ts";

type Ownership =
  | "by-key" //   the key is the session, or begins with `session/`
  | "by-value" // the value names its session
  | "by-question" // the key is the id of a question of the session
  | "shared"; //  belongs to the store

export const OWNERSHIP: Readonly<Record<KeepKind, Ownership>> = {
  result: "by-key",
  input: "by-key",
  secret: "by-key",
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
  | "exact" //   unredacted, so only on request: a session cannot be resumed elsewhere without it
  | "never"; //  belongs to the store, can be derived from the entries, or is secret

export const EXPORT: Readonly<Record<KeepKind, Export>> = {
  question: "redacted",
  result: "exact",
  input: "exact",
  run: "exact",
  wake: "exact",
  action: "exact",
  secret: "never",
  snapshot: "never",
  answer: "never",
  breaker: "never",
  incident: "never",
  definition: "never",
};

/** How the checksum of a kept value hangs on the chain of its session's entries. */
type Seal =
  | "in-chain" //   the entry it came with carries its digest, so the chain covers it
  | "onto-chain" // its checksum covers the chain up to where the session stood: it sums up the entries before
  | "alone"; //     a checksum of its own: no entry depends on it

export const SEAL: Readonly<Record<KeepKind, Seal>> = {
  result: "in-chain",
  input: "in-chain",
  snapshot: "onto-chain",
  question: "alone",
  answer: "alone",
  run: "alone",
  wake: "alone",
  action: "alone",
  breaker: "alone",
  incident: "alone",
  definition: "alone",
  secret: "alone",
};

/** A value's time and tag in lists: derived from the value itself, so that they can be verified and rebuilt. */
export interface KeptPlace {
  readonly at: number | null;
  readonly tag: string | null;
}

const NOWHERE: KeptPlace = { at: null, tag: null };

const PLACES: Readonly<Partial<Record<KeepKind, (value: unknown) => KeptPlace>>> = {
  wake: (value) => ({ at: instant(value), tag: null }),
  run: (value) => ({ at: instant(fieldOf(value, "startedAt")), tag: textOr(fieldOf(value, "status")) }),
  question: (value) => ({ at: instant(fieldOf(value, "askedAt")), tag: textOr(fieldOf(value, "session")) }),
  incident: (value) => ({ at: instant(fieldOf(fieldOf(value, "0"), "at")), tag: null }),
};

export function placeOf(kind: KeepKind, value: unknown): KeptPlace {
  return PLACES[kind]?.(value) ?? NOWHERE;
}

/** Whatever is no time is as old as can be, so that it is still found. */
function instant(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

function textOr(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? readField(value, name) : undefined;
}

/** The session a key names: the key itself, or what stands before its first slash. */
export function ownerOf(key: string): string {
  const slash = key.indexOf("/");
  return slash === -1 ? key : key.slice(0, slash);
}

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
export function isUnderSql(owner: string, key = "key"): string {
  return `${key} >= ${owner} AND ${key} < ${owner} || '0' AND (${key} = ${owner} OR ${key} >= ${owner} || '/')`;
}
