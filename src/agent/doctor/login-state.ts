// Whether an agent CLI is logged in, as far as environment variables and files show. It only checks that they exist: it reads no file,
// sends no request and starts no process.

import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { tryRead } from "../../core/try-read.ts";
import type { Environment } from "../process/child-env.ts";
import { type ExaminedKind, type LoginFile, LOGIN_EVIDENCE } from "./login-evidence.ts";

export interface LoginState {
  readonly state: "yes" | "no" | "unknown";
  /** The names of the variables that show it, never their values. */
  readonly variables: readonly string[];
  /** Whether a file shows it, too. */
  readonly byFile: boolean;
}

export function loginOf(kind: ExaminedKind, env: Environment): LoginState {
  const home = homeOf(env);
  const found = LOGIN_EVIDENCE[kind].find(
    ({ variables, files }) =>
      variables.every((name) => isSet(env[name])) && files.every((place) => isFilled(pathOf(place, env, home))),
  );
  if (found === undefined) return { state: "no", variables: [], byFile: false };
  return { state: found.proves, variables: found.variables, byFile: found.files.length > 0 };
}

export function homeOf(env: Environment): string {
  const named = env[process.platform === "win32" ? "USERPROFILE" : "HOME"];
  return isSet(named) ? named : homedir();
}

/** An empty variable counts as not set: CI systems pass missing secrets like that. */
function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== "";
}

function pathOf({ folder, file }: LoginFile, env: Environment, home: string): string {
  for (const [name, below] of folder.moved) {
    const moved = env[name];
    if (isSet(moved)) return resolve(moved, below, file);
  }
  return join(home, folder.otherwise, file);
}

function isFilled(path: string): boolean {
  return tryRead(() => {
    const found = statSync(path);
    return found.isFile() && found.size > 0;
  }, false);
}
