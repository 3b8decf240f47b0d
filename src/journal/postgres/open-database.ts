// Opens the schema of a journal, or makes it, and refuses what cannot be trusted before anything of it is changed.

import type { Chance } from "../../host/chance.ts";
import { drift, refusal, unfit } from "../journal-faults.ts";
import type { Ask, Database } from "./database.ts";
import { SCHEMA_VERSION, STEPS, TABLES } from "./schema.ts";
import { MAKE_FUNCTIONS } from "./write-functions.ts";

/** Before this, generated columns and `array_to_tsvector` behave otherwise. */
const OLDEST_SERVER = 140_000;
const OLDEST_SERVER_NAME = "14";

interface Found {
  readonly tables: readonly string[];
  readonly version: number | null;
  readonly storeId: string | null;
}

/** Returns the id of the store. */
export async function openDatabase(db: Database, chance: Chance, readOnly: boolean): Promise<string> {
  await refuseServer(db);
  const found = await look(db.ask, db);
  refuseForeign(found, db);
  const storeId = found.version === SCHEMA_VERSION ? found.storeId : null;
  if (storeId !== null) return storeId;
  if (readOnly) throw notReadable(found, db);
  return setUp(db, chance);
}

export async function hasTables(db: Database): Promise<boolean> {
  return (await look(db.ask, db)).tables.length > 0;
}

async function refuseServer(db: Database): Promise<void> {
  const [server] = await db.ask<{ readonly version: number; readonly encoding: string; readonly isolation: string }>(
    `SELECT current_setting('server_version_num')::integer AS version, current_setting('server_encoding') AS encoding,
       current_setting('default_transaction_isolation') AS isolation`,
  );
  const context = { capability: "postgresql" };
  if (server === undefined || server.version < OLDEST_SERVER)
    throw refusal("HostCapabilityMissing", `The journal needs PostgreSQL ${OLDEST_SERVER_NAME} or newer.`, { context });
  if (server.encoding !== "UTF8")
    throw unfit(
      `The database has the encoding ${server.encoding}, and a journal needs UTF8. Create a database with it.`,
    );
  if (server.isolation !== "read committed")
    throw unfit(
      `The database's default_transaction_isolation is ${server.isolation}, and a journal needs "read committed". Change it for this user.`,
    );
}

async function look(ask: Ask, { address: { schema } }: Database): Promise<Found> {
  const rows = await ask<{ readonly name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
    [schema],
  );
  const tables = rows.map(({ name }) => name);
  if (!tables.includes("meta")) return { tables, version: null, storeId: null };
  const meta = new Map(
    (await ask<{ readonly name: string; readonly value: string }>("SELECT name, value FROM @.meta")).map(
      ({ name, value }) => [name, value],
    ),
  );
  const version = meta.get("version");
  return { tables, version: version === undefined ? null : Number(version), storeId: meta.get("store_id") ?? null };
}

function refuseForeign({ tables, version }: Found, { address: { name, schema } }: Database): void {
  const context = { journal: name };
  if (version === null && tables.length > 0)
    throw drift(
      `The schema ${schema} in ${name} is not a journal: it has tables of another program. It was not changed; name another one with ?schema=….`,
      { context },
    );
  if (version !== null && !(Number.isInteger(version) && version >= 1))
    throw drift(
      `${name} does not say which version it has: its meta table was changed. Restore a copy of the database.`,
      {
        context,
      },
    );
  if (version !== null && version > SCHEMA_VERSION)
    throw drift(
      `${name} has version ${version} and this program knows versions up to ${SCHEMA_VERSION}: a newer program wrote it. ` +
        "It was not changed; upgrade this program.",
      { context: { ...context, found: version, known: SCHEMA_VERSION } },
    );
  const missing = TABLES.filter((table) => !tables.includes(table));
  if (version === SCHEMA_VERSION && missing.length > 0)
    throw drift(`${name} lacks ${missing.join(", ")}: it is not a complete journal. Restore a copy of the database.`, {
      context,
    });
}

function notReadable({ version }: Found, { address: { name } }: Database): Error {
  return version === null
    ? refusal("NotFound", `There is no journal at ${name}. A program that opens it for writing creates it.`, {
        context: { journal: name },
      })
    : drift(
        `${name} has version ${version}, which this program only reads after an upgrade. Open it for writing once.`,
        {
          context: { journal: name, found: version, known: SCHEMA_VERSION },
        },
      );
}

/** Makes the tables or brings them up to date, unless another process has just done it: all within one transaction. */
function setUp(db: Database, chance: Chance): Promise<string> {
  const { schema } = db.address;
  return db.transaction("", async (ask, askAll) => {
    await ask("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [`faultline set-up ${schema}`]);
    const found = await look(ask, db);
    refuseForeign(found, db);
    if (found.version === null) await ask(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    // Sent one by one, each would have to be answered before the next one.
    await askAll([...STEPS.slice(found.version ?? 0).flat(), ...MAKE_FUNCTIONS]);
    const storeId = found.storeId ?? chance.newId("store");
    await ask(
      `INSERT INTO @.meta (name, value) VALUES ('version', $1), ('store_id', $2)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [String(SCHEMA_VERSION), storeId],
    );
    return storeId;
  });
}
