// File access for commands. A system error becomes a sentence about the file.

import { createReadStream } from "node:fs";
import { open, rm, stat } from "node:fs/promises";
import type { Locale } from "../core/index.ts";
import { type Io, UsageError } from "./io.ts";

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

interface FileWords {
  readonly cannot: (what: "read" | "write", path: string, why: string) => string;
  readonly noFolder: string;
  readonly reasons: Readonly<Record<string, string>>;
}

const FILE_WORDS: Readonly<Record<Locale, FileWords>> = {
  "en": {
    cannot: (what, path, why) => `Cannot ${what} ${path}: ${why}.`,
    noFolder: "there is no such folder",
    reasons: {
      EACCES: "permission denied",
      EEXIST: "it already exists; name another file, or remove it",
      EFBIG: "it is longer than 64 MB",
      EISDIR: "it is a folder",
      ENOENT: "there is no such file",
      ENOSPC: "the disk is full",
      ENOTDIR: "a part of the path is not a folder",
      EPERM: "permission denied",
      EROFS: "the disk is read-only",
    },
  },
  "zh-CN": {
    cannot: (what, path, why) => `无法${what === "read" ? "读取" : "写入"} ${path}：${why}。`,
    noFolder: "没有这个文件夹",
    reasons: {
      EACCES: "没有权限",
      EEXIST: "文件已存在；请换一个文件名，或先删除它",
      EFBIG: "文件超过 64 MB",
      EISDIR: "这是一个文件夹",
      ENOENT: "没有这个文件",
      ENOSPC: "磁盘已满",
      ENOTDIR: "路径中有一部分不是文件夹",
      EPERM: "没有权限",
      EROFS: "磁盘是只读的",
    },
  },
};

function refusal(what: "read" | "write", path: string, error: unknown): UsageError {
  const code = codeOf(error);
  const toldIn = ({ cannot, noFolder, reasons }: FileWords): string => {
    const known = what === "write" && code === "ENOENT" ? noFolder : reasons[code];
    return cannot(what, path, known ?? (code === "" ? String(error) : code));
  };
  const said = { "en": toldIn(FILE_WORDS.en), "zh-CN": toldIn(FILE_WORDS["zh-CN"]) };
  return new UsageError(said, "usage", { cause: error });
}

function isOfMachine(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
