// How this program is called where it runs, so that a printed command works when it is copied.

import { SHAPE_REDACTOR } from "../../core/index.ts";
import { shellWord } from "./safe-text.ts";

/** A local install is not on the PATH: npx, npm scripts and `node_modules/.bin/faultline` all start it from that folder. */
export function programFor(startedAs: string): readonly string[] {
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(startedAs) ? ["npx", "faultline"] : ["faultline"];
}

export const PROGRAM = programFor(process.argv[1] ?? "");

/** A command of this program as a person types it here. */
export function commandLine(...words: readonly string[]): string {
  return lineOf([...PROGRAM, ...words]);
}

/** A command as a shell takes it; what looks like a secret is taken out, and has to be filled in again. */
export function lineOf(words: readonly string[]): string {
  return words.map((word) => (word === "" ? "''" : shellWord(SHAPE_REDACTOR.text(word)))).join(" ");
}
