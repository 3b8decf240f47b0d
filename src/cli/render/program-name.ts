// How to call this program in the current environment, so that printed commands can be copied.

import { SHAPE_REDACTOR } from "../../core/index.ts";
import { isPostgresAddress, placeInCommand } from "../../journal/journal-place.ts";
import { shellWord } from "./safe-text.ts";

/** A local install is not on the PATH: npx, npm scripts and `node_modules/.bin/faultline` all start it from that folder. */
export function programFor(startedAs: string): readonly string[] {
  return /[\\/]node_modules[\\/]\.bin[\\/]/.test(startedAs) ? ["npx", "faultline"] : ["faultline"];
}

const PROGRAM = programFor(process.argv[1] ?? "");

/** `npm start` in a checkout runs the built file itself; there, npx finds the program. */
const DEMO_PROGRAM = /[\\/]main\.[jt]s$/.test(process.argv[1] ?? "") ? ["npx", "faultline"] : PROGRAM;

/** A command line of this program for the demo. */
export function demoLine(...words: readonly string[]): string {
  return lineOf([...DEMO_PROGRAM, ...words]);
}

/** A command line of this program, as a person types it here. */
export function commandLine(...words: readonly string[]): string {
  return lineOf([...PROGRAM, ...words]);
}

/** Rewrites `faultline …` in texts from other parts of Faultline to the command that works here. */
export function withProgram(text: string): string {
  return text.replaceAll("`faultline ", `\`${PROGRAM.join(" ")} `);
}

/** A command quoted for a shell. Text that looks like a secret is masked and has to be filled in again; an address of a journal loses its password. */
export function lineOf(words: readonly string[]): string {
  return words.map((word) => (word === "" ? "''" : shellWord(withoutSecrets(word)))).join(" ");
}

/** The redactor also masks the user of an address, without which the command would not work. */
function withoutSecrets(word: string): string {
  return isPostgresAddress(word) ? placeInCommand(word) : SHAPE_REDACTOR.text(word);
}
