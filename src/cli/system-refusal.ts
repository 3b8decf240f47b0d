// What a command says when the system refuses a file or a folder. All commands use this table.

import { resolve } from "node:path";
import { isFaultError, type Locale } from "../core/index.ts";
import { fieldOf } from "../core/try-read.ts";
import { type Io, UsageError } from "./io.ts";

/** What the command was doing with the path. */
export type FileUse = "read" | "write" | "open" | "create" | "folder" | "journal";

type Reasons = Readonly<Record<string, string>>;

interface RefusalWords {
  readonly cannot: Readonly<Record<FileUse, (path: string, why: string) => string>>;
  readonly reasons: Reasons;
  /** Where an error code means something else. */
  readonly reasonsOf: Readonly<Partial<Record<FileUse, Reasons>>>;
  /** What to do about it, where a file or folder would have been new. */
  readonly advice: Reasons;
  /** What to do about a journal that a command writes. */
  readonly ofJournal: Reasons;
}

const ELSEWHERE = "Choose a folder that you can write to.";
const ELSEWHERE_ZH = "请换一个您可以写入的文件夹。";
const PERMIT = "Get write permission for the file and its folder, or name another place.";
const PERMIT_ZH = "请取得该文件及其文件夹的写入权限，或换一个位置。";

const WORDS: Readonly<Record<Locale, RefusalWords>> = {
  "en": {
    cannot: {
      read: (path, why) => `Cannot read ${path}: ${why}.`,
      write: (path, why) => `Cannot write ${path}: ${why}.`,
      open: (path, why) => `Cannot open ${path}: ${why}.`,
      create: (path, why) => `Cannot create ${path}: ${why}.`,
      folder: (path, why) => `Cannot create the folder ${path}: ${why}.`,
      journal: (path, why) => `Cannot write the journal ${path}: ${why}.`,
    },
    reasons: {
      EACCES: "permission denied",
      EDQUOT: "your disk quota is used up",
      EEXIST: "it already exists; name another file, or remove it",
      EFBIG: "it is longer than 64 MB",
      EISDIR: "it is a folder",
      ELOOP: "the links in its path lead in a circle",
      ENAMETOOLONG: "the name is too long",
      ENOENT: "there is no such file",
      ENOSPC: "the disk is full",
      ENOTDIR: "a part of its path is a file",
      EPERM: "permission denied",
      EROFS: "the disk is read-only",
    },
    reasonsOf: {
      write: { ENOENT: "there is no such folder" },
      create: { ENOENT: "the system does not allow a new file there" },
      folder: { EEXIST: "a part of its path is a file", ENOENT: "the system does not allow a new folder there" },
    },
    advice: {
      EACCES: ELSEWHERE,
      EDQUOT: "Free some space, or choose a folder on another disk.",
      ENOENT: ELSEWHERE,
      ENOSPC: "Free some space, or choose a folder on another disk.",
      EPERM: ELSEWHERE,
      EROFS: ELSEWHERE,
    },
    ofJournal: {
      EACCES: PERMIT,
      EISDIR: "Name a file in it.",
      ENOTDIR: "Name another place.",
      EPERM: PERMIT,
      EROFS: ELSEWHERE,
    },
  },
  "zh-CN": {
    cannot: {
      read: (path, why) => `无法读取 ${path}：${why}。`,
      write: (path, why) => `无法写入 ${path}：${why}。`,
      open: (path, why) => `无法打开 ${path}：${why}。`,
      create: (path, why) => `无法创建 ${path}：${why}。`,
      folder: (path, why) => `无法创建文件夹 ${path}：${why}。`,
      journal: (path, why) => `无法写入日志 ${path}：${why}。`,
    },
    reasons: {
      EACCES: "没有权限",
      EDQUOT: "您的磁盘配额已用完",
      EEXIST: "文件已存在；请换一个文件名，或先删除它",
      EFBIG: "文件超过 64 MB",
      EISDIR: "这是一个文件夹",
      ELOOP: "路径中的链接互相循环",
      ENAMETOOLONG: "名称太长",
      ENOENT: "没有这个文件",
      ENOSPC: "磁盘已满",
      ENOTDIR: "路径中有一部分是文件",
      EPERM: "没有权限",
      EROFS: "磁盘是只读的",
    },
    reasonsOf: {
      write: { ENOENT: "没有这个文件夹" },
      create: { ENOENT: "系统不允许在那里新建文件" },
      folder: { EEXIST: "路径中有一部分是文件", ENOENT: "系统不允许在那里新建文件夹" },
    },
    advice: {
      EACCES: ELSEWHERE_ZH,
      EDQUOT: "请释放空间，或换到另一个磁盘上的文件夹。",
      ENOENT: ELSEWHERE_ZH,
      ENOSPC: "请释放空间，或换到另一个磁盘上的文件夹。",
      EPERM: ELSEWHERE_ZH,
      EROFS: ELSEWHERE_ZH,
    },
    ofJournal: {
      EACCES: PERMIT_ZH,
      EISDIR: "请指定其中的一个文件。",
      ENOTDIR: "请换一个位置。",
      EPERM: PERMIT_ZH,
      EROFS: ELSEWHERE_ZH,
    },
  },
};

/** SQLite's result codes about a file, as the system's. The lower byte is the result. */
const SQLITE_CODES: Readonly<Record<number, string>> = { 8: "EACCES", 13: "ENOSPC", 14: "EACCES" };
/** The user has done nothing wrong: the disk has no room. */
const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** `error` is what the system threw about `path`. */
export function refusedFile(use: FileUse, path: string, error: unknown): UsageError {
  const code = codeOf(error);
  const in_ = ({ cannot, reasons, reasonsOf, advice, ofJournal }: RefusalWords, gap: string): string => {
    const why = reasonsOf[use]?.[code] ?? reasons[code] ?? (code === "" ? String(error) : code);
    const said = cannot[use](path, why);
    const ofNew = use === "create" || use === "folder" || NO_ROOM.has(code) ? advice[code] : undefined;
    const next = use === "journal" ? ofJournal[code] : ofNew;
    return next === undefined ? said : `${said}${gap}${next}`;
  };
  return new UsageError(
    { "en": in_(WORDS.en, " "), "zh-CN": in_(WORDS["zh-CN"], "") },
    NO_ROOM.has(code) ? "failed" : "usage",
    { cause: error },
  );
}

/** Refuses a place where no journal can be written. A file that is not there will be made. */
export async function refuseUnusable(journal: string, { fileBytes }: Pick<Io, "fileBytes">): Promise<void> {
  try {
    await fileBytes(journal);
  } catch (error) {
    throw error instanceof UsageError ? refusedFile("journal", journal, error.cause) : error;
  }
}

/** These are always about the place that the user chose, or about the disk. */
const OF_THE_PLACE: ReadonlySet<string> = new Set(Object.keys(WORDS.en.reasons).filter((code) => code !== "ENOENT"));

/** A missing file may be a bug of ours, but not where something new was to be made: some file systems, such as /proc, refuse it so. */
function isOfThePlace(thrown: unknown, code: string, named: string, journal: string | undefined): boolean {
  if (code !== "ENOENT") return OF_THE_PLACE.has(code);
  const isDraft = journal !== undefined && resolve(named).startsWith(`${resolve(journal)}.`);
  return fieldOf(thrown, "syscall") === "mkdir" || isDraft;
}

/**
 * What an error says about a file or folder, for errors that no command expected; null for any other error. For a journal, its own path
 * is shown and not the files that SQLite and Faultline put beside it. `file` is the journal, unless the fault names another one.
 * `isRead`: the command only reads it.
 */
export function refusedBySystem(error: unknown, file?: string, isRead = false): UsageError | null {
  const thrown = isFaultError(error) ? error.cause : error;
  const place = isFaultError(error) ? error.fault.context["path"] : undefined;
  const journal = typeof place === "string" ? place : file;
  const code = codeOf(thrown);
  const named = fieldOf(thrown, "path") ?? journal;
  if (typeof named !== "string" || !isOfThePlace(thrown, code, named, journal)) return null;
  const at = resolve(named);
  if (fieldOf(thrown, "syscall") === "mkdir") return refusedFile("folder", at, thrown);
  if (NO_ROOM.has(code)) return refusedFile("write", journal === undefined ? at : resolve(journal), thrown);
  if (journal === undefined) return refusedFile("open", at, thrown);
  // A journal is created as a draft beside its final name.
  const own = isRead ? "open" : "journal";
  return refusedFile(at === resolve(journal) ? own : "create", resolve(journal), thrown);
}

function codeOf(error: unknown): string {
  const [code, errcode] = [fieldOf(error, "code"), fieldOf(error, "errcode")];
  if (typeof errcode === "number") return SQLITE_CODES[errcode & 0xff] ?? "";
  return typeof code === "string" ? code : "";
}

// What a command says when it cannot listen because another program has its port.

/** null: something else went wrong. `option` is the one that chooses another port. */
export function portInUse(error: unknown, port: number, option = "--port"): UsageError | null {
  const cause = isFaultError(error) ? error.cause : error;
  if (!(cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE")) return null;
  const said = {
    "en": `Port ${port} is in use. Stop the program that uses it, or choose another port with ${option}.`,
    "zh-CN": `端口 ${port} 已被占用。请停止占用它的程序，或用 ${option} 选择其他端口。`,
  };
  return new UsageError(said, "failed", { cause: error });
}
