// Tells a file that is not there from one that cannot be read.

/** The error of a file system call on a path that does not exist. */
export function isMissingFile(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
