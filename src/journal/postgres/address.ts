// The address of a journal in PostgreSQL: what of it is for the connection, what is for us, and how it may be shown. What an address leaves
// out comes from the environment (PGHOST, PGUSER, PGPASSWORD, PGSSLMODE …), as for every PostgreSQL program.

import { BUCKET_FORM, isBucketAddress } from "../files/bucket-store.ts";
import { nearest } from "../../options/nearest.ts";
import { unfit } from "../journal-faults.ts";
import { DEFAULT_SCHEMA, isPostgresAddress, shownPlace } from "../journal-place.ts";

export interface PostgresAddress {
  /** For the connection; may hold a password. */
  readonly connectionString: string;
  /** What may be shown: without user, password and settings of the connection. */
  readonly name: string;
  /** The schema that holds the journal's tables: one database can hold several journals. */
  readonly schema: string;
  /** Connections of this process, besides the one that listens. */
  readonly maxConnections: number;
  /** The server stops a statement that takes longer. */
  readonly statementTimeoutMs: number;
  /** A pooler gives each transaction another connection: nothing may stay behind in one. */
  readonly isPooled: boolean;
  /** The bucket for files, `s3://bucket/prefix`; null for what the journal has. */
  readonly files: string | null;
  /** What no message may contain. */
  readonly secrets: readonly string[];
}

const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,39}$/;
/** The settings of an address that are ours. */
const OWN_PARAMETERS = ["schema", "pooler", "files", "connections", "statement_timeout"] as const;
/** Those that `pg` reads, and those that vendors write into every address although `pg` needs none of them. */
const CONNECTION_PARAMETERS = [
  ...["user", "password", "host", "port", "application_name", "fallback_application_name", "options"],
  ...["ssl", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslnegotiation", "uselibpqcompat", "client_encoding"],
  ...["lock_timeout", "idle_in_transaction_session_timeout", "query_timeout"],
  ...["connect_timeout", "channel_binding", "gssencmode", "target_session_attrs"],
] as const;
const PARAMETERS: readonly string[] = [...OWN_PARAMETERS, ...CONNECTION_PARAMETERS];
const DEFAULTS = { schema: DEFAULT_SCHEMA, connections: 10, statement_timeout: 30_000 } as const;

export function readAddress(given: string): PostgresAddress {
  const url = URL.parse(given);
  // The address may hold a password, so no message repeats it.
  if (url === null || !isPostgresAddress(given))
    throw unfit(
      "The address of the journal cannot be read. Write it as postgres://host:5432/database, with the user and an @ before the host.",
    );
  for (const name of url.searchParams.keys()) if (!PARAMETERS.includes(name)) throw unknownParameter(name, url);
  const take = (name: (typeof OWN_PARAMETERS)[number]): string | null => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const schema = take("schema") ?? DEFAULTS.schema;
  if (!SCHEMA_NAME.test(schema))
    throw unfit("`schema` in the journal's address must be up to 40 lower-case letters, digits and underscores.");
  const pooler = take("pooler") ?? "none";
  if (!POOLERS.includes(pooler))
    throw unfit(`\`pooler\` in the journal's address must be ${POOLERS.map((name) => `"${name}"`).join(" or ")}.`);
  const files = take("files");
  if (files !== null && !isBucketAddress(files)) throw unfit(BUCKET_FORM);
  return {
    schema,
    files,
    name: shownPlace(given),
    maxConnections: wholeNumber("connections", take("connections")),
    statementTimeoutMs: wholeNumber("statement_timeout", take("statement_timeout")),
    isPooled: pooler === "transaction",
    connectionString: url.href,
    secrets: [...passwordOf(url), process.env["PGPASSWORD"] ?? ""].filter((secret) => secret !== ""),
  };
}

/** A mistyped one would be ignored: with `shema`, two teams would share one journal. */
function unknownParameter(name: string, { search }: URL): Error {
  const near = nearest(name, PARAMETERS);
  const hint = near === null ? `Known ones are ${PARAMETERS.join(", ")}.` : `Did you mean \`${near}\`?`;
  // After an unescaped `?` in a password, a name is a part of that password; the `@` that ends it comes later.
  const shown = /^\w{1,40}$/.test(name) && !search.includes("@") ? `\`${name}\`` : "a parameter";
  return unfit(
    `The address of the journal has ${shown} after its \`?\`, which neither Faultline nor \`pg\` knows. ${hint}`,
  );
}

const POOLERS: readonly string[] = ["none", "transaction"];

/** As it is written, and as it is meant. */
function passwordOf({ password }: URL): readonly string[] {
  const meant = new URLSearchParams(`password=${password.replaceAll("+", "%2B")}`).get("password");
  return [password, meant ?? ""];
}

function wholeNumber(name: "connections" | "statement_timeout", text: string | null): number {
  if (text === null) return DEFAULTS[name];
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw unfit(`\`${name}\` in the journal's address must be a whole number from 1.`);
}
