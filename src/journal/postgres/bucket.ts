// The bucket in which a journal in PostgreSQL keeps its files, if it has one. The database remembers it, so that all processes use the same.

import { type BucketFiles, openBucketFiles } from "../files/bucket-store.ts";
import { unfit } from "../journal-faults.ts";
import type { Database } from "./database.ts";

/** null: files are in the database. */
export async function openBucketOf(db: Database, readOnly: boolean): Promise<BucketFiles | null> {
  const { files: wanted, name } = db.address;
  let place = await bucketIn(db);
  if (wanted !== null && place === null && !readOnly) {
    const [file] = await db.ask("SELECT 1 FROM @.files LIMIT 1");
    if (file !== undefined) throw unfit(`${name} has files in its database. ${COPY_IT}`);
    await db.ask("INSERT INTO @.meta (name, value) VALUES ('files', $1) ON CONFLICT DO NOTHING", [wanted]);
    place = await bucketIn(db);
  }
  if (wanted !== null && wanted !== place)
    throw unfit(`${name} keeps its files in ${place ?? "its database"}, and its address names ${wanted}. ${COPY_IT}`);
  return place === null ? null : openBucketFiles(place);
}

const COPY_IT = "To move files, copy the journal to a new schema whose address names the bucket.";

async function bucketIn(db: Database): Promise<string | null> {
  const [row] = await db.ask<{ readonly value: string }>("SELECT value FROM @.meta WHERE name = 'files'");
  return row?.value ?? null;
}
