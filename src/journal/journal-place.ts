// Where a journal is: a file, or a schema in PostgreSQL. What a place says may hold a password; `shownPlace` is what people and logs see.

import { dirname } from "node:path";

const POSTGRES = /^postgres(?:ql)?:\/\//i;
/** The schema of a journal whose address names none. */
export const DEFAULT_SCHEMA = "faultline";
/** Where a process on another machine than its journal keeps its own files. */
const OWN_FOLDER = ".faultline";

export function isPostgresAddress(place: string): boolean {
  return POSTGRES.test(place);
}

/** The place as it may be shown in messages, logs and pages: a file's name as it is, an address without user and password. */
export function shownPlace(place: string): string {
  if (!isPostgresAddress(place)) return place;
  const url = URL.parse(place);
  if (url === null) return "postgres://…";
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  return `postgres://${url.host}${url.pathname}${schema === DEFAULT_SCHEMA ? "" : `?schema=${schema}`}`;
}

/** The place for a command that a person runs again: an address keeps its user and its settings, and loses only its password. */
export function placeInCommand(place: string): string {
  if (!isPostgresAddress(place)) return place;
  const url = URL.parse(place);
  if (url === null) return "postgres://…";
  url.password = "";
  // Deleting a parameter makes URL encode all the others again.
  if (url.searchParams.has("password")) url.searchParams.delete("password");
  return url.href;
}

/** The folder for files that belong to this process and not to the journal, such as the tokens of a server. */
export function folderBeside(place: string): string {
  return isPostgresAddress(place) ? OWN_FOLDER : dirname(place);
}
