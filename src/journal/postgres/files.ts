// Files of a journal in its database, where every machine can read them: in chunks, so that no row is large.

import { readField } from "../../core/try-read.ts";
import { type FileStore, firstFreeName, type JournalFiles } from "../files/file-store.ts";
import type { Ask } from "./database.ts";

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
