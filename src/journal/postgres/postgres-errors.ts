// What PostgreSQL's error codes mean for us: a table, looked up by the longest beginning that fits. Everything not listed is the
// store being unavailable. Errors leave here without their details, which quote values.

import { classify } from "../../core/classify/classify.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";
import { FaultError, isFaultError } from "../../core/fault/fault.ts";
import { fieldOf } from "../../core/try-read.ts";
import { refusal } from "../journal-faults.ts";
import { STALE_CODE } from "./write-functions.ts";

interface CodeRow {
  /** When a statement that failed like this is repeated: at once, when the server is back, or not at all. */
  readonly again: "at-once" | "when-back" | "never";
  /** The fault of one write: the others of its transaction can do without it. */
  readonly alone: boolean;
  readonly means: FaultCode;
  /** What to do, where trying again does not help. */
  readonly advice: string;
  readonly example: string;
}

const LOST = { again: "when-back", alone: false, means: "StoreUnavailable", advice: "" } as const;
const REFUSED = { again: "never", alone: false, means: "StoreUnavailable" } as const;
const OF_ONE_WRITE = { again: "never", alone: true } as const;
const OTHER_VERSION = {
  again: "never",
  alone: false,
  means: "ManifestDrift",
  advice:
    "Its schema was changed or removed, perhaps by a newer program. Open the journal again, or upgrade this program.",
} as const;

// prettier-ignore
const CODES: Readonly<Record<string, CodeRow>> = {
  "08P01": { ...REFUSED, advice: "Behind a pooler such as PgBouncer in transaction mode, add ?pooler=transaction to the address.", example: "unsupported startup parameter: statement_timeout" },
  "08":    { ...LOST, example: "connection failure" },
  "57P":   { ...LOST, example: "terminating connection due to administrator command" },
  "53300": { ...LOST, advice: "Raise max_connections of the server, lower ?connections= of each process, or use a pooler.", example: "sorry, too many clients already" },
  "53":    { ...REFUSED, advice: "The server lacks memory or disk space. Make room for it.", example: "could not extend file: No space left on device" },
  "57014": { ...REFUSED, advice: "The statement took longer than `statement_timeout` allows.", example: "canceling statement due to statement timeout" },
  "40":    { ...LOST, again: "at-once", example: "deadlock detected" },
  "25006": { ...LOST, example: "cannot execute SELECT FOR UPDATE in a read-only transaction" },
  "28":    { ...REFUSED, advice: "Check user and password, in the address or in PGUSER and PGPASSWORD.", example: "password authentication failed for user \"ada\"" },
  "3D000": { ...REFUSED, advice: "Create the database first; the journal makes only its own schema.", example: "database \"agents\" does not exist" },
  "42501": { ...REFUSED, advice: "Give the user the right to create and use the journal's schema.", example: "permission denied for database agents" },
  "42883": { ...OTHER_VERSION, example: "function faultline.write_3(…) does not exist" },
  "42804": { ...OTHER_VERSION, example: "binary data has array element type 16400 instead of expected 16500 (faultline.entry)" },
  "42P01": { ...OTHER_VERSION, example: "relation \"faultline.events\" does not exist" },
  "42703": { ...OTHER_VERSION, example: "column \"seal\" does not exist" },
  "3F000": { ...OTHER_VERSION, example: "schema \"faultline\" does not exist" },
  "23":    { ...OF_ONE_WRITE, means: "ManifestDrift", advice: "Run a verification, and restore a copy of the database.", example: "duplicate key value violates unique constraint \"events_session_seq_key\"" },
  "22":    { ...OF_ONE_WRITE, means: "ShapeInvalid", advice: "Change the value, or keep it as an artefact.", example: "invalid byte sequence for encoding \"UTF8\": 0x00" },
  "54":    { ...OF_ONE_WRITE, means: "ShapeInvalid", advice: "Keep large values as artefacts, and use shorter keys.", example: "index row size 5600 exceeds btree version 4 maximum 2704" },
};

/** The connection itself failed: `pg` and Node report that without a code of PostgreSQL's. */
const NO_ANSWER: CodeRow = {
  ...LOST,
  advice: "Check host and port, in the address or in PGHOST and PGPORT, and whether the server runs.",
  example: "Connection terminated unexpectedly",
};
const UNKNOWN: CodeRow = { ...REFUSED, advice: "", example: "could not open relation" };
/** Certificates that cannot be read or trusted, or a server without TLS: trying again does not help. */
const NO_TLS: CodeRow = {
  ...REFUSED,
  advice: "Check TLS: `sslmode` and the certificate files in the address, and whether the server offers TLS.",
  example: "The server does not support SSL connections",
};
const OF_TLS = /\b(?:SSL|TLS|certificates?)\b|, open '/i;
/** Has a digit: Node's `EPIPE` is not an SQLSTATE. */
const SQLSTATE = /^(?=.*[0-9])[0-9A-Z]{5}$/;

/** Whether a statement that failed like this may be sent again, and when. */
export function againAfter(error: unknown): CodeRow["again"] {
  return isFaultError(error) ? "never" : rowOf(error).again;
}

/** Whether the server said something, if only no. */
export function isAnswered(error: unknown): boolean {
  return isFaultError(error) || rowOf(error) !== NO_ANSWER;
}

/** Whether one write is to blame, and not the store. */
export function isOfOneWrite(error: unknown): boolean {
  return !isFaultError(error) && rowOf(error).alone;
}

/** Whether a write was refused because another process has written to the same session. */
export function isStale(error: unknown): boolean {
  return codeOf(error) === STALE_CODE;
}

/** Whatever the driver threw, as the fault it is; without values and secrets. */
export function postgresError(error: unknown, secrets: readonly string[] = []): FaultError {
  if (isFaultError(error)) return error;
  const { means, advice } = rowOf(error);
  const cause = withoutDetails(error, secrets);
  const seen = classify({ surface: "store", error: cause });
  if (advice === "") return new FaultError(seen, { cause });
  const what = isAnswered(error) ? "refused" : "does not answer";
  return refusal(means, `The journal's database ${what}: ${cause.message}. ${advice}`, { because: seen, error: cause });
}

/** Details of an error quote the row that was refused. */
function withoutDetails(error: unknown, secrets: readonly string[]): Error {
  const said = error instanceof Error && error.message !== "" ? error.message : firstMessage(error);
  const shown = new Error(secrets.reduce((text, secret) => text.replaceAll(secret, "[secret]"), said));
  const code = codeOf(error);
  return code === "" ? shown : Object.assign(shown, { code });
}

/** A name with several addresses fails with an error for each, and no message of its own. */
function firstMessage(error: unknown): string {
  const inner = fieldOf(error, "errors");
  const [first] = Array.isArray(inner) ? (inner as readonly unknown[]) : [];
  return first instanceof Error ? first.message : "the connection failed";
}

function codeOf(error: unknown): string {
  const code = fieldOf(error, "code");
  return typeof code === "string" ? code : "";
}

function rowOf(error: unknown): CodeRow {
  const code = codeOf(error);
  if (!SQLSTATE.test(code)) return error instanceof Error && OF_TLS.test(error.message) ? NO_TLS : NO_ANSWER;
  for (let length = code.length; length > 0; length--) {
    const row = CODES[code.slice(0, length)];
    if (row !== undefined) return row;
  }
  return UNKNOWN;
}
