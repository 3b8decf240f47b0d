// Splits a command line into words, without a shell. Quotes and backslashes work as in a shell; all other shell syntax is
// refused, because it would have no effect. Pure, in linear time.

import { fault, FaultError } from "../core/fault/fault.ts";
import type { SandboxScope } from "../sandbox/sandbox.ts";
import { parseTemplate, renderTemplate, type Template } from "../sandbox/template.ts";

/** A command and its arguments; never empty. */
export type CommandWords = readonly string[];

/** Text in which quotes and special characters count, or a value that is taken literally. */
type Piece = string | { readonly value: string };

export function splitLine(line: string): CommandWords {
  return split([line], line);
}

/**
 * The words of a template. A value never leaves its word, whatever it contains. Only a line that consists of a single {{ }} is
 * split as a command line itself.
 */
export function splitTemplate(text: string, scope: SandboxScope): CommandWords {
  const template = parseTemplate(text.trim());
  const [only] = template.parts;
  const isOnePlace = template.parts.length === 1 && typeof only === "object";
  // A template with problems fails to render and says why.
  if (isOnePlace || template.problems.length > 0) return splitLine(renderTemplate(template, scope));
  const pieces = template.parts.map((part): Piece => {
    if (typeof part === "string") return part;
    const place: Template = { parts: [part], paths: [part], problems: [] };
    return { value: renderTemplate(place, scope) };
  });
  return split(pieces, text);
}

/** The line that splits into these words again, safe to paste into a shell. */
export function lineOf(words: CommandWords): string {
  return words.map((word, index) => (isPlain(word, index) ? word : quoted(word))).join(" ");
}

const PLAIN = /^[\w@%+=:,./-]+$/;
const ASSIGNMENT = /^[A-Za-z_]\w*\+?=/;

/** `NAME=value` is special only in front of the command. */
function isPlain(word: string, index: number): boolean {
  return PLAIN.test(word) && !(index === 0 && ASSIGNMENT.test(word));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

interface RefusedSign {
  readonly sign: RegExp;
  readonly why: string;
  /** A line that a shell would accept. */
  readonly example: string;
  /** A shell also acts on it within double quotes. */
  readonly inQuotes: boolean;
}

/** Shell syntax that is refused. Not searched in single quotes or after a backslash. */
// prettier-ignore
export const REFUSED_SIGNS: readonly RefusedSign[] = [
  { sign: /^\$\(/,            inQuotes: true,  why: "$( would run another command",             example: "echo $(whoami)" },
  { sign: /^`/,               inQuotes: true,  why: "a backtick would run another command",     example: "echo `whoami`" },
  { sign: /^\$[A-Za-z_{0-9?@*#!$]/, inQuotes: true, why: "variables are not filled in",         example: "ls $HOME" },
  { sign: /^\|/,              inQuotes: false, why: "| would start another command",            example: "npm test | tee log" },
  { sign: /^&/,               inQuotes: false, why: "& would start another command",            example: "npm test && npm publish" },
  { sign: /^;/,               inQuotes: false, why: "; would start another command",            example: "npm test; ls" },
  { sign: /^[\r\n]/,          inQuotes: false, why: "a line break would start another command", example: "npm test\nls" },
  { sign: /^>/,               inQuotes: false, why: "> would write to a file",                  example: "npm test > log" },
  { sign: /^</,               inQuotes: false, why: "< would read from a file",                 example: "sort < names" },
  { sign: /^[()]/,            inQuotes: false, why: "a parenthesis would start another shell",  example: "(cd src)" },
];

/** Their first characters: a cheap check for all other characters. */
const MAY_BE_REFUSED = "$`|&;\r\n><()";

class Splitter {
  readonly #line: string;
  readonly words: string[] = [];
  #word: string | null = null;
  /** The word has no quotes, backslashes or values in it. */
  #isBare = true;
  #quote: "'" | '"' | null = null;

  constructor(line: string) {
    this.#line = line;
  }

  take(text: string): void {
    for (let at = 0; at < text.length;) at += this.#takeAt(text, at);
  }

  /** Starts a word only if the value is not empty, so that a missing optional value leaves no empty argument. */
  takeValue(value: string): void {
    if (value === "" && this.#word === null) return;
    this.#add(value);
    this.#isBare = false;
  }

  end(): CommandWords {
    if (this.#quote !== null) throw refused(this.#line, `a ${this.#quote} is never closed`);
    this.#endWord();
    if (this.words.length === 0) throw refused(this.#line, "there is no command in it");
    return this.words;
  }

  /** Takes the token at this position and returns its length. */
  #takeAt(text: string, at: number): number {
    const sign = text.charAt(at);
    if (this.#quote === "'") return sign === "'" ? this.#close() : this.#add(sign);
    if (sign === "\\") return this.#escape(text, at);
    this.#refuse(text, at);
    if (this.#quote === '"') return sign === '"' ? this.#close() : this.#add(sign);
    if (sign === "'" || sign === '"') return this.#open(sign);
    if (sign === " " || sign === "\t") return this.#endWord();
    if (sign === "#" && this.#word === null) throw refused(this.#line, "# would begin a comment");
    return this.#add(sign);
  }

  #refuse(text: string, at: number): void {
    if (!MAY_BE_REFUSED.includes(text.charAt(at))) return;
    const here = text.slice(at, at + 2);
    for (const { sign, why, inQuotes } of REFUSED_SIGNS) {
      if (sign.test(here) && (inQuotes || this.#quote === null)) throw refused(this.#line, why);
    }
  }

  /** In double quotes a backslash is literal unless it precedes a special character. */
  #escape(text: string, at: number): number {
    const next = text.charAt(at + 1);
    if (next === "" || next === "\n") throw refused(this.#line, "a backslash has nothing after it");
    this.#isBare = false;
    this.#add(this.#quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next);
    return 2;
  }

  #open(quote: "'" | '"'): number {
    this.#quote = quote;
    this.#isBare = false;
    return this.#add("", 1);
  }

  #close(): number {
    this.#quote = null;
    return 1;
  }

  #add(text: string, taken = text.length): number {
    this.#word = (this.#word ?? "") + text;
    return taken;
  }

  #endWord(): number {
    const word = this.#word;
    if (word !== null) {
      if (this.words.length === 0 && this.#isBare && ASSIGNMENT.test(word))
        throw refused(this.#line, "a variable cannot be set in front of a command");
      this.words.push(word);
    }
    this.#word = null;
    this.#isBare = true;
    return 1;
  }
}

function split(pieces: readonly Piece[], line: string): CommandWords {
  const splitter = new Splitter(line);
  // A YAML block ends in a line break, which is not part of the command.
  const last = pieces.length - 1;
  for (const [index, piece] of pieces.entries()) {
    if (typeof piece === "object") splitter.takeValue(piece.value);
    else if (index === 0) splitter.take(index === last ? piece.trim() : piece.trimStart());
    else splitter.take(index === last ? piece.trimEnd() : piece);
  }
  return splitter.end();
}

const LONGEST_SHOWN = 200;

/** For messages, where a long line is cut. */
export function shownLine(line: string): string {
  const text = line.trim();
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

function refused(line: string, why: string): FaultError {
  const shown = shownLine(line);
  return new FaultError(
    fault("InputInvalid", {
      message: `the command line ${JSON.stringify(shown)} was not run: ${why}, and commands run without a shell. Quote special characters, or split it into several commands.`,
      context: { command: shown, field: "run", why, ran: false },
    }),
  );
}
