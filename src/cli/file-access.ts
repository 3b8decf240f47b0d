// Files as commands see them. What the machine says of a file becomes a sentence about it.

import { createReadStream } from "node:fs";
import { open, readFile, rm, stat } from "node:fs/promises";
import { type Io, UsageError } from "./io.ts";

export const fileAccess: Pick<Io, "readFile" | "openFile" | "fileBytes" | "writeNewFile"> = {
  async readFile(path) {
    try {
      return await readFile(path, "utf8");
    } catch (error) {
      throw refusal("read", path, error);
    }
  },
  async *openFile(path) {
    try {
      yield* createReadStream(path) as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw refusal("read", path, error);
    }
  },
  async fileBytes(path) {
    try {
      const found = await stat(path);
      if (found.isDirectory()) throw Object.assign(new Error(), { code: "EISDIR" });
      return found.size;
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw refusal("read", path, error);
    }
  },
  async writeNewFile(path, pieces) {
    const file = await open(path, "wx", 0o600).catch((error: unknown) => {
      throw refusal("write", path, error);
    });
    try {
      for await (const piece of pieces) await file.appendFile(piece);
      await file.sync();
    } catch (error) {
      await rm(path, { force: true });
      throw isOfMachine(error) ? refusal("write", path, error) : error;
    } finally {
      await file.close();
    }
  },
};

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "you may not",
  EEXIST: "it is there already; name another file, or remove it",
  EISDIR: "it is a folder",
  ENOENT: "there is no such file",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of the path is no folder",
  EPERM: "you may not",
  EROFS: "the disk is read-only",
};

function refusal(what: "read" | "write", path: string, error: unknown): UsageError {
  const code = codeOf(error);
  const known = what === "write" && code === "ENOENT" ? "there is no such folder" : REASONS[code];
  const why = known ?? (code === "" ? String(error) : code);
  return new UsageError(`Cannot ${what} ${path}: ${why}.`, "usage", { cause: error });
}

function isOfMachine(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
