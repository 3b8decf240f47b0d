// Texts with places in them, for prompts: `{{ nodes.coder.output.items[0].name }}`. Only paths, no expressions; pure, in linear time.

import { fault, FaultError } from "../core/index.ts";
import { tryRead } from "../core/try-read.ts";

export interface TemplatePath {
  /** As written, without braces, spaces and question mark. */
  readonly path: string;
  readonly keys: readonly (string | number)[];
  /** Ends in `?`: gives an empty text when there is nothing. */
  readonly isOptional: boolean;
  /** Where the path starts in the template, in UTF-16 units. */
  readonly offset: number;
}

export interface TemplateProblem {
  readonly message: string;
  /** Where the opening braces are. */
  readonly offset: number;
}

export interface Template {
  readonly parts: readonly (string | TemplatePath)[];
  readonly paths: readonly TemplatePath[];
  /** Parts that are not a path, or not closed. A checker reports a template with problems; it does not render. */
  readonly problems: readonly TemplateProblem[];
}

export const LONGEST_TEXT_BYTES = 2 ** 20;

const KEY = String.raw`[\p{L}\p{N}_$-]+`;
const PATH = new RegExp(String.raw`^${KEY}(?:\.${KEY}|\[\d{1,9}\])*$`, "u");
const STEP = new RegExp(String.raw`(${KEY})|\[(\d+)\]`, "gu");

/**
 * `\{{` stands for two braces. Backslashes count only in front of braces, where two of them stand for one, so a text can have a
 * backslash before a place: `C:\\{{ inputs.folder }}`.
 */
export function parseTemplate(text: string): Template {
  const parts: (string | TemplatePath)[] = [];
  const problems: TemplateProblem[] = [];
  const lastClosing = text.lastIndexOf("}}");
  let at = 0;
  let literal = "";
  for (let braces = text.indexOf("{{"); braces !== -1; braces = text.indexOf("{{", at)) {
    const slashes = slashesBefore(text, braces, at);
    literal += text.slice(at, braces - slashes) + "\\".repeat(Math.floor(slashes / 2));
    if (slashes % 2 === 1) {
      literal += "{{";
      at = braces + 2;
    } else {
      const open = lastPair(text, braces);
      literal += text.slice(braces, open);
      if (lastClosing < open + 2) {
        problems.push({ message: "{{ is never closed. Close it with }}, or write \\{{ for the braces.", offset: open });
        return { parts, paths: pathsOf(parts), problems };
      }
      const close = text.indexOf("}}", open + 2);
      const place = placeOf(text, open + 2, close);
      if (place === null)
        problems.push({
          message: "between {{ and }} stands no path such as inputs.task or nodes.coder.output.items[0].",
          offset: open,
        });
      else parts.push(...(literal === "" ? [] : [literal]), place);
      literal = "";
      at = close + 2;
    }
  }
  literal += text.slice(at);
  if (literal !== "") parts.push(literal);
  return { parts, paths: pathsOf(parts), problems };
}

/** Counted backwards from the braces: a regular expression would restart at every backslash of a long row. */
function slashesBefore(text: string, braces: number, from: number): number {
  let start = braces;
  while (start > from && text[start - 1] === "\\") start--;
  return braces - start;
}

/** If there are more than two braces, the last two open the place. */
function lastPair(text: string, braces: number): number {
  let open = braces;
  while (text[open + 2] === "{") open++;
  return open;
}

function pathsOf(parts: readonly (string | TemplatePath)[]): readonly TemplatePath[] {
  return parts.filter((part) => typeof part !== "string");
}

function placeOf(text: string, start: number, end: number): TemplatePath | null {
  const inner = text.slice(start, end);
  const written = inner.trim();
  const isOptional = written.endsWith("?");
  const path = isOptional ? written.slice(0, -1) : written;
  if (!PATH.test(path)) return null;
  const keys = Array.from(path.matchAll(STEP), ([, name, index]) => name ?? Number(index));
  return { path, keys, isOptional, offset: start + inner.indexOf(written) };
}

/** Text is inserted unchanged, everything else as JSON. Throws ShapeInvalid when a path leads to nothing and does not end in `?`. */
export function renderTemplate(template: Template, scope: Readonly<Record<string, unknown>>): string {
  const [problem] = template.problems;
  if (problem !== undefined) throw shapeInvalid(problem.message, { offset: problem.offset });
  const written: string[] = [];
  let bytes = 0;
  for (const part of template.parts) {
    const text = typeof part === "string" ? part : textAt(part, scope);
    bytes += Buffer.byteLength(text);
    if (bytes > LONGEST_TEXT_BYTES)
      throw shapeInvalid(
        `the text is larger than ${LONGEST_TEXT_BYTES} bytes with its values in place. Put in less.`,
        typeof part === "string" ? {} : { path: part.path, offset: part.offset },
      );
    written.push(text);
  }
  return written.join("");
}

function textAt(place: TemplatePath, scope: Readonly<Record<string, unknown>>): string {
  const value = valueAt(place.keys, scope);
  if (typeof value === "string") return value;
  const { path, offset } = place;
  // A function or a symbol has no JSON form and counts as nothing; a ring or a big integer throws.
  const text =
    value === undefined ? undefined : tryRead(() => JSON.stringify(value, null, 2) as string | undefined, null);
  if (text === null) throw shapeInvalid(`the value of {{ ${path} }} has no JSON form.`, { path, offset });
  if (text !== undefined) return text;
  if (place.isOptional) return "";
  throw shapeInvalid(
    `the text needs {{ ${path} }}, and there is no such value. Correct the path, or write {{ ${path}? }} to leave it empty.`,
    { path, offset },
  );
}

/** Own properties only: the workflow did not define what every object inherits (`constructor`). */
function valueAt(keys: readonly (string | number)[], scope: unknown): unknown {
  let value = scope;
  for (const key of keys) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Readonly<Record<string | number, unknown>>)[key];
  }
  return value;
}

function shapeInvalid(message: string, context: Readonly<Record<string, string | number>>): FaultError {
  return new FaultError(fault("ShapeInvalid", { message, context }));
}
