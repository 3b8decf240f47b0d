// Which kept values are a session's own, and which of them leave the store with it: two tables. A question is known by the
// session it names; a run is a session of the same name.

import { fieldOf } from "../core/try-read.ts";
import type { KeepKind } from "./journal.ts";

type Ownership =
  | "by-key" //   the key is the session, or begins with `session/`
  | "by-value" // the value names its session
  | "by-question" // the key is the id of a question of the session
  | "by-age" //   belongs to the store until it is older than what is pruned
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
  pause: "shared",
  retries: "shared",
  pace: "shared",
  incident: "shared",
  bulk: "shared",
  definition: "shared",
  request: "by-age",
  audit: "by-age",
  ledger: "by-age",
  spend: "by-age",
  stored: "by-age",
  usage: "by-age",
  transcript: "by-age",
  follower: "shared",
};

type Export =
  | "redacted" // always, without its secrets: people see it anyway
  | "exact" //   unredacted, so only on request: a session cannot be resumed elsewhere without it
  | "never"; //  belongs to the store, can be derived from the entries, or is secret

const EXPORT: Readonly<Record<KeepKind, Export>> = {
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
  pause: "never",
  retries: "never",
  pace: "never",
  incident: "never",
  bulk: "never",
  definition: "never",
  request: "never",
  audit: "never",
  ledger: "never",
  spend: "never",
  stored: "never",
  usage: "never",
  transcript: "never",
  follower: "never",
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
  pause: "alone",
  retries: "alone",
  pace: "alone",
  incident: "alone",
  bulk: "alone",
  definition: "alone",
  request: "alone",
  audit: "alone",
  ledger: "alone",
  spend: "alone",
  stored: "alone",
  usage: "alone",
  transcript: "alone",
  follower: "alone",
  secret: "alone",
};

/** A value's time and tags in lists: derived from the value itself, so that they can be verified and rebuilt. */
export interface KeptPlace {
  readonly at: number | null;
  /** `name:text`, each once. */
  readonly tags: readonly string[];
}

const NOWHERE: KeptPlace = { at: null, tags: [] };

const PLACES: Readonly<Partial<Record<KeepKind, (value: unknown) => KeptPlace>>> = {
  wake: (value) => ({ at: instant(value), tags: [] }),
  run: (value) => ({
    at: instant(fieldOf(value, "startedAt")),
    tags: [...tagsOf(value, RUN_TAGS), ...(fieldOf(value, "successor") === null ? [LATEST] : [])],
  }),
  question: (value) => ({ at: instant(fieldOf(value, "askedAt")), tags: tagsOf(value, ["session"]) }),
  incident: (value) => ({ at: instant(fieldOf(fieldOf(value, "0"), "at")), tags: [] }),
  request: (value) => ({ at: instant(fieldOf(value, "at")), tags: [] }),
  ledger: (value) => ({ at: instant(fieldOf(value, "at")), tags: [] }),
  spend: (value) => ({ at: instant(fieldOf(value, "at")), tags: [] }),
  stored: (value) => ({ at: instant(fieldOf(value, "at")), tags: [] }),
  usage: (value) => ({ at: instant(fieldOf(value, "at")), tags: [] }),
  // The first to be removed comes first.
  transcript: (value) => ({ at: instant(fieldOf(value, "until")), tags: [] }),
  // Its runs are kept under it, and have no place of their own.
  bulk: (value) =>
    fieldOf(value, "startedAt") === undefined
      ? NOWHERE
      : { at: instant(fieldOf(value, "startedAt")), tags: tagsOf(value, ["status", "fingerprint"]) },
  audit: (value) => ({ at: instant(fieldOf(value, "at")), tags: tagsOf(value, ["by", "on"]) }),
};

/** The fields of a run's summary by which runs are listed. */
const RUN_TAGS = ["status", "workflow", "code", "target"];

/** The tag of a run that was not continued in another one. */
export const LATEST = "is:latest";

/** Kinds whose values have tags. */
export const TAGGED_KINDS: ReadonlySet<KeepKind> = new Set(["run", "question", "bulk", "audit"]);

/** The tag of a value whose field `name` is `text`. */
export function tagOf(name: string, text: string): string {
  return `${name}:${text.toWellFormed()}`;
}

function tagsOf(value: unknown, names: readonly string[]): readonly string[] {
  return names.flatMap((name) => {
    const text = fieldOf(value, name);
    return typeof text === "string" ? [tagOf(name, text)] : [];
  });
}

export function placeOf(kind: KeepKind, value: unknown): KeptPlace {
  return value === null ? NOWHERE : (PLACES[kind]?.(value) ?? NOWHERE);
}

/** A value that is not a time counts as the oldest possible, so that it is still found. */
function instant(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}

/** The session a key names: the key itself, or what stands before its first slash. */
export function ownerOf(key: string): string {
  const slash = key.indexOf("/");
  return slash === -1 ? key : key.slice(0, slash);
}

/** The session whose chain seals a value; null for a value that no chain seals. `sealedBy`: the session that writes it. */
export function sealingSession(kind: KeepKind, key: string, sealedBy: string | null): string | null {
  if (SEAL[kind] === "in-chain") return sealedBy;
  return SEAL[kind] === "onto-chain" ? ownerOf(key) : null;
}

const KEEP_KINDS = Object.freeze(Object.keys(OWNERSHIP)) as readonly KeepKind[];

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
 * The same for a row of a table. '0' is the character after '/', so everything between begins with `owner/`; the outer
 * bounds are needed because SQLite scans all keys if it gets only an OR.
 */
export function isUnderSql(owner: string, key = "key"): string {
  return `${key} >= ${owner} AND ${key} < ${owner} || '0' AND (${key} = ${owner} OR ${key} >= ${owner} || '/')`;
}
