// Turns a finding into a diagnostic: finds the position of its path, key or template in the file.

import { type Document, isMap, isNode, isScalar, LineCounter, visit } from "yaml";
import type * as z from "zod";
import type { Diagnostic } from "../yaml-file/diagnostic.ts";
import { diagnosticAt, type FilePlace, keyRange, type Path, type Range, rangeOf } from "../yaml-file/locate.ts";
import { type WorkflowFinding, type MistakeRow, MISTAKES, type ReferredFile } from "./codes.ts";
import { fieldsOf } from "./grammar.ts";
import { besides } from "./policy.ts";
import { placeOfBrace } from "./texts.ts";

export interface WrittenFile {
  readonly document: Document;
  readonly place: FilePlace;
  /** The text that offsets refer to. */
  readonly source: string;
}

export function explainFinding(found: WorkflowFinding, written: WrittenFile): Diagnostic {
  const { code, severity, hides }: MistakeRow = MISTAKES[found.kind];
  const { message, label, help, file } = found;
  const place = file === undefined ? written.place : placeIn(file, written.place);
  const range = file === undefined ? rangeOfFinding(found, written) : rangeInFile(found, file);
  return { ...diagnosticAt(place, code, message, range, label, help), severity, ...(hides === true ? { hides } : {}) };
}

function rangeOfFinding({ at, path }: WorkflowFinding, { document, source }: WrittenFile): Range {
  if (at === "key") return keyRange(document, path);
  const whole = rangeOf(document, path);
  if (at === "value") return onOneLine(whole, source);
  const node = document.getIn(path, true);
  if (!isNode(node) || !isScalar(node)) return whole;
  const brace = placeOfBrace(source.slice(...whole), at.brace);
  return brace === null ? whole : [whole[0] + brace.offset, whole[0] + brace.offset + brace.length];
}

/** A caret fits on one line, so a range of several lines is cut to its first. */
function onOneLine([from, to]: Range, source: string): Range {
  const lineEnd = source.indexOf("\n", from);
  return lineEnd === -1 || lineEnd >= to ? [from, to] : [from, Math.max(from + 1, lineEnd)];
}

function placeIn({ name, text }: ReferredFile, { file }: FilePlace): FilePlace {
  const lines = new LineCounter();
  for (let at = 0; at !== -1; at = text.indexOf("\n", at + 1)) lines.addNewLine(at === 0 ? 0 : at + 1);
  return {
    file: besides(file, name),
    at: (offset) => {
      const { line, col } = lines.linePos(offset);
      return { line: Math.max(1, line), column: Math.max(1, col) };
    },
  };
}

function rangeInFile({ at }: WorkflowFinding, { text }: ReferredFile): Range {
  const brace = typeof at === "string" ? null : placeOfBrace(text, at.brace);
  return brace === null ? [0, 1] : [brace.offset, brace.offset + brace.length];
}

/** YAML reads `prompt: {{ inputs.task }}` as a map with a map as its key; the author meant a text. */
export function bareBraces({ document, place }: WrittenFile): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  visit(document, {
    Pair(_key, { key }) {
      if (!isMap(key) || !key.range) return;
      const message = "a text that begins with {{ needs quotes: without them YAML reads it as a map";
      const help = 'Put the whole text in quotes, as in `prompt: "{{ inputs.task }}"`.';
      const range: Range = [Math.max(0, key.range[0] - 1), key.range[0] + 1];
      found.push(diagnosticAt(place, MISTAKES.syntax.code, message, range, "needs quotes", help));
    },
  });
  return found;
}

const UNQUOTED =
  'A comma ends a value inside { }: put the value before it in quotes, as in `name: "Code, review, test"`.';

/** `{ name: Code, review }` has an accidental key `review`; the author meant a text with a comma. */
export function withCommaHint(
  diagnostics: readonly Diagnostic[],
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  { document, place }: WrittenFile,
): readonly Diagnostic[] {
  const meant = new Set(
    issues.flatMap((issue) => {
      if (issue.code !== "unrecognized_keys") return [];
      const path = issue.path as Path;
      const holder = fieldsOf(path.reduce<unknown>((held, key) => fieldsOf(held)[key], value));
      return issue.keys
        .filter((key) => holder[key] === null)
        .map((key) => at(keyRange(document, [...path, key])[0], place));
    }),
  );
  return diagnostics.map((one) => (meant.has(`${one.line}:${one.column}`) ? { ...one, help: UNQUOTED } : one));
}

function at(offset: number, place: FilePlace): string {
  const { line, column } = place.at(offset);
  return `${line}:${column}`;
}
