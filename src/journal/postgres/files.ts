// Files of a journal in its database, where every machine can read them: in chunks, so that no row is large.

import { readField } from "../../core/try-read.ts";
import { type FileStore, firstFreeName, type JournalFiles } from "../files/file-store.ts";
import type { Ask, Database } from "./database.ts";
import { type BucketFiles, openBucketFiles } from "../files/bucket-store.ts";
import { unfit } from "../journal-faults.ts";

const CHUNK_BYTES = 256 * 1024;
const UNIQUE_VIOLATION = "23505";

/** `ask` throws faults whose cause has the code of PostgreSQL. */
export function databaseFiles(ask: Ask): JournalFiles {
  return { artefacts: storeIn(ask, "artefacts", ""), runs: storeIn(ask, "runs", "") };
}

function storeIn(ask: Ask, area: string, root: string): FileStore {
  async function writeIfNew(path: string, bytes: Uint8Array): Promise<boolean> {
    try {
      const rows = await ask(
        `INSERT INTO @.files (area, path, chunk, bytes)
         SELECT $1, $2, c.n - 1, c.bytes FROM unnest($3::bytea[]) WITH ORDINALITY AS c (bytes, n)
         WHERE NOT EXISTS (SELECT 1 FROM @.files WHERE area = $1 AND path = $2) RETURNING chunk`,
        [area, path, chunksOf(bytes)],
      );
      return rows.length > 0;
    } catch (error) {
      if (isTaken(error)) return false;
      throw error;
    }
  }

  return {
    folder: null,
    writeNew: (folder, name, bytes) => firstFreeName(name, (file) => writeIfNew(`${root}${folder}/${file}`, bytes)),
    async replace(path, content) {
      const chunks = chunksOf(Buffer.from(content));
      await ask(
        `WITH cut AS (DELETE FROM @.files WHERE area = $1 AND path = $2 AND chunk >= $4)
         INSERT INTO @.files (area, path, chunk, bytes)
         SELECT $1, $2, c.n - 1, c.bytes FROM unnest($3::bytea[]) WITH ORDINALITY AS c (bytes, n)
         ON CONFLICT (area, path, chunk) DO UPDATE SET bytes = excluded.bytes`,
        [area, `${root}${path}`, chunks, chunks.length],
      );
    },
    async read(path) {
      const rows = await ask<{ readonly bytes: Uint8Array }>(
        "SELECT bytes FROM @.files WHERE area = $1 AND path = $2 ORDER BY chunk",
        [area, `${root}${path}`],
      );
      return rows.length === 0 ? null : Buffer.concat(rows.map(({ bytes }) => bytes));
    },
    async list() {
      const rows = await ask<{ readonly path: string }>(
        "SELECT path FROM @.files WHERE area = $1 AND starts_with(path, $2) AND path >= $2 AND chunk = 0 ORDER BY path",
        [area, root],
      );
      return rows.map(({ path }) => path.slice(root.length));
    },
    within: (folder) => storeIn(ask, area, `${root}${folder}/`),
  };
}

/** An empty file has one empty chunk. */
function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const count = Math.max(1, Math.ceil(bytes.length / CHUNK_BYTES));
  return Array.from({ length: count }, (_, index) =>
    Buffer.from(bytes.subarray(index * CHUNK_BYTES, (index + 1) * CHUNK_BYTES)),
  );
}

function isTaken(error: unknown): boolean {
  const { cause } = error instanceof Error ? error : {};
  return cause instanceof Error && readField(cause, "code") === UNIQUE_VIOLATION;
}

// The bucket in which a journal in PostgreSQL keeps its files, if it has one. The database remembers it, so that all processes use the same.

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
