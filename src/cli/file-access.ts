// File access for commands. A system error becomes a sentence about the file.

import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import type { Io } from "./io.ts";
import { refusedFile } from "./system-refusal.ts";

/** Larger than any file that a command reads as a whole. */
const MAX_BYTES = 64 * 1024 * 1024;

export const fileAccess: Pick<Io, "readFile" | "openFile" | "fileBytes" | "writeNewFile"> = {
  async readFile(path) {
    try {
      const pieces: Buffer[] = [];
      let bytes = 0;
      // Not at once: a device such as /dev/zero has no end.
      for await (const piece of createReadStream(path) as AsyncIterable<Buffer>) {
        bytes += piece.length;
        if (bytes > MAX_BYTES) throw Object.assign(new Error(), { code: "EFBIG" });
        pieces.push(piece);
      }
      return Buffer.concat(pieces).toString("utf8");
    } catch (error) {
      throw refusedFile("read", path, error);
    }
  },
  async *openFile(path) {
    try {
      yield* createReadStream(path) as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw refusedFile("read", path, error);
    }
  },
  async fileBytes(path) {
    try {
      const found = await stat(path);
      if (found.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
      return found.size;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw refusedFile("read", path, error);
    }
  },
  async writeNewFile(path, pieces) {
    const file = await open(path, "wx", 0o600).catch((error: unknown) => {
      throw refusedFile("write", path, error);
    });
    try {
      for await (const piece of pieces) await file.appendFile(piece);
      await file.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw isOfMachine(error) ? refusedFile("write", path, error) : error;
    } finally {
      await file.close();
    }
  },
};

function isOfMachine(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
