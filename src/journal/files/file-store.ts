// Where a journal keeps files: beside its own file, or in its database. Paths have `/` between their parts, whatever the system.

export interface FileStore {
  /** As people find it on this machine; null for files in a database. */
  readonly folder: string | null;
  /** Writes a file under a name that is free: a second one of the same name gets a number. Returns the name. It is on disk afterwards. */
  writeNew(folder: string, name: string, bytes: Uint8Array): Promise<string>;
  /** Writes a file, or replaces it: all of it or nothing. A file with this content is left alone. */
  replace(path: string, content: string | Uint8Array): Promise<void>;
  /** null when there is no file of that name. Follows no links. */
  read(path: string): Promise<Uint8Array | null>;
  /** The paths of all files, in order. */
  list(): Promise<readonly string[]>;
  /** The same for a folder in it. */
  within(folder: string): FileStore;
}

/** The files of a journal: what failed attempts printed, and what runs leave behind for people. */
export interface JournalFiles {
  readonly artefacts: FileStore;
  readonly runs: FileStore;
}

const MAX_SAME_NAME = 1000;

/** `name`, `name~2`, `name~3` …: the first one that `isNew` could write. */
export async function firstFreeName(name: string, isNew: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; number < MAX_SAME_NAME; number++) {
    const file = number === 1 ? name : `${name}~${number}`;
    if (await isNew(file)) return file;
  }
  throw new Error(`there are ${MAX_SAME_NAME} files called ${name}`);
}
