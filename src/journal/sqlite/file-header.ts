// Checks the first bytes of a journal's file before SQLite may touch it: a foreign file must stay untouched.

import { open, stat } from "node:fs/promises";
import { drift } from "../journal-faults.ts";
import { isMissingFile } from "../../host/missing-file.ts";

/** See "Database File Format" in SQLite's documentation. */
const HEADER_BYTES = 100;
const MAGIC = "SQLite format 3\0";
const PAGE_SIZE_AT = 16;
const APPLICATION_ID_AT = 68;

export interface FileHeader {
  /** As in the main file; the log beside it may have a newer value. */
  readonly applicationId: number;
}

/** null when the file does not exist. Throws when it is not an SQLite file, or is truncated. */
export async function readHeader(path: string): Promise<FileHeader | null> {
  const { bytes, size } = await firstBytes(path);
  const logBytes = await sizeOf(`${path}-wal`);
  if (size === 0) {
    if (logBytes > 0) throw cutOff(path, "it is empty, and the log beside it is not");
    return null;
  }
  const magic = bytes.toString("latin1", 0, MAGIC.length);
  if (!MAGIC.startsWith(magic)) {
    throw drift(`${path} is not a journal: it is not an SQLite file. It was not changed; name another file.`, {
      context: { path },
    });
  }
  if (bytes.length < HEADER_BYTES) throw cutOff(path, `it has ${size} bytes`);
  const declared = bytes.readUInt16BE(PAGE_SIZE_AT);
  // 1 means 65,536, which does not fit into two bytes.
  const pageBytes = declared === 1 ? 65_536 : declared;
  // While a log exists, a page may be only partly copied from it to the file; SQLite writes it again.
  if (logBytes === 0 && size % pageBytes !== 0)
    throw cutOff(path, `its last page has ${size % pageBytes} of ${pageBytes} bytes`);
  return { applicationId: bytes.readUInt32BE(APPLICATION_ID_AT) };
}

function cutOff(path: string, seen: string): Error {
  return drift(
    `${path} was cut off: ${seen}. It was copied while in use, or the disk lost its end. ` +
      "It was not changed; restore a copy, or move it away and begin a new one.",
    { context: { path } },
  );
}

async function firstBytes(path: string): Promise<{ bytes: Buffer; size: number }> {
  const file = await open(path, "r");
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    return { bytes: buffer.subarray(0, bytesRead), size: (await file.stat()).size };
  } finally {
    await file.close();
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissingFile(error)) return 0;
    throw error;
  }
}
