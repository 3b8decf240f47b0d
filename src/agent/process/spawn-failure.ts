// Explains why a process did not start and what to do. The system blames the command even if the working folder is missing, and a script
// with a missing interpreter looks like a missing script. This file tells these cases apart.

import { nodeFs } from "../../host/builtin.ts";
import { resolve } from "node:path";
import { fieldOf, tryRead } from "../../core/try-read.ts";
import { findBinary } from "./find-binary.ts";
import type { ProcessSpec, SpawnError, SpawnObstacle } from "./process-spec.ts";

type Attempt = Pick<ProcessSpec, "command" | "env" | "cwd">;

interface FailureRow {
  readonly codes: readonly string[];
  readonly obstacle: SpawnObstacle;
  readonly words: (command: string) => string;
}

/** Why no program can be started, if `findBinary` has found none. A folder and a file that may not be executed are there. */
export function noProgram(command: string, cwd: string): Pick<SpawnError, "code" | "message"> {
  const isThere = command.includes("/") && tryRead(() => nodeFs().existsSync(resolve(cwd, command)), false);
  return isThere ? { code: "EACCES", message: notRunnable(command) } : { code: "ENOENT", message: noCommand(command) };
}

function notRunnable(command: string): string {
  return `"${command}" exists but cannot be run. Check that it is a program and that you have permission to execute it.`;
}

function noCommand(command: string): string {
  return command.includes("/")
    ? `There is no file "${command}". Check the path. Relative paths start at the working folder.`
    : `There is no command "${command}" on the PATH. Install it, or name it with its full path.`;
}

// prettier-ignore
const ROWS: readonly FailureRow[] = [
  { codes: ["ENOENT", "ENOTDIR", "ENAMETOOLONG", "ELOOP"], obstacle: "command",
    words: noCommand },
  { codes: ["EACCES", "EPERM", "EISDIR", "ENOEXEC", "UNKNOWN"], obstacle: "command",
    words: notRunnable },
  { codes: ["E2BIG"], obstacle: "arguments",
    words: (command) => `The arguments or the environment for "${command}" are too long for the system. Pass long text, such as a prompt, on stdin or in a file.` },
  { codes: ["ERR_INVALID_ARG_VALUE", "ERR_INVALID_ARG_TYPE"], obstacle: "arguments",
    words: () => "The command, an argument or an environment entry is empty or contains a NUL byte, which the system does not allow. Remove it." },
  { codes: ["EMFILE", "ENFILE", "EAGAIN", "ENOMEM", "ENOBUFS"], obstacle: "machine",
    words: (command) => `The machine cannot start another process (out of memory, processes or file handles), so "${command}" did not start. Close other programs, or try again later.` },
];

export function classifySpawnFailure(error: unknown, attempt: Attempt): SpawnError {
  const code = codeOf(error);
  if (!isFolder(attempt.cwd)) return { code, obstacle: "folder", message: folderWords(attempt) };
  if (code === "ENOENT" && findBinary(attempt.command, attempt.env, attempt.cwd) !== null)
    return { code, obstacle: "interpreter", message: interpreterWords(attempt) };
  const row = ROWS.find(({ codes }) => codes.includes(code));
  if (row !== undefined) return { code, obstacle: row.obstacle, message: row.words(attempt.command) };
  return { code, obstacle: "machine", message: `"${attempt.command}" did not start: the system said ${code}.` };
}

/** The system's error code. */
export function codeOf(error: unknown): string {
  const code = fieldOf(error, "code");
  if (typeof code === "string") return code;
  // execa checks the arguments before the system does, and its error has no code.
  return error instanceof TypeError ? "ERR_INVALID_ARG_VALUE" : "UNKNOWN";
}

function isFolder(path: string): boolean {
  return tryRead(() => nodeFs().statSync(path).isDirectory(), false);
}

function folderWords({ command, cwd }: Attempt): string {
  return `The working folder "${cwd}" does not exist or is not a folder, so "${command}" did not start. Create it, or choose another one.`;
}

function interpreterWords({ command }: Attempt): string {
  return `"${command}" exists, but the program named in its first line (#!) does not. Install that program, or correct the line.`;
}
