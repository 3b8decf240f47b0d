// Checks all templates and expressions of a file: their syntax, and that the things they name exist.

import { checkExpression } from "../sandbox/sandbox.ts";
import { parseTemplate, type TemplatePath } from "../sandbox/template.ts";
import type { Path } from "../yaml-file/locate.ts";
import { nearest } from "../options/nearest.ts";
import { type WorkflowFinding, finding, type ReferredFile } from "./codes.ts";
import { type Arrows, reachedFrom } from "./graph.ts";
import type { WorkflowFile } from "./schema.ts";

/** A template: a text with {{ }}. */
export interface TextPlace {
  readonly path: Path;
  readonly text: string;
  /** The file it is in, if not the workflow itself. */
  readonly file: ReferredFile | null;
  /** The nodes that use it. */
  readonly nodes: readonly string[];
  /** A model or a person sees it. */
  readonly isShown: boolean;
}

export interface ExpressionPlace {
  readonly path: Path;
  readonly expression: string;
}

const RUN_FIELDS = ["id", "execution", "attempt"];
const RESULT_FIELDS = ["status", "output", "execution", "attempts", "fault"];
const SCOPES = ["inputs", "nodes", "run"];

export function checkTexts(
  texts: readonly TextPlace[],
  file: WorkflowFile,
  arrows: Arrows,
): readonly WorkflowFinding[] {
  const before = new Map(
    [...arrows.keys()].map((id) => [
      id,
      reachedFrom(
        (arrows.get(id) ?? []).map(({ to }) => to),
        arrows,
      ),
    ]),
  );
  return texts.flatMap((place) => {
    const { paths, problems } = parseTemplate(place.text);
    return [
      ...problems.map(({ message, offset }) =>
        at(
          place,
          offset,
          "bad-template",
          `this text cannot be filled in: ${message}`,
          "invalid",
          "Write {{ inputs.task }} or {{ nodes.coder.output }}; `\\{{` writes literal braces.",
        ),
      ),
      ...paths.flatMap((one) => checkPath(one, place, file, before)),
    ];
  });
}

function checkPath(
  { keys, path, offset, isOptional }: TemplatePath,
  place: TextPlace,
  { inputs = {}, nodes }: WorkflowFile,
  before: ReadonlyMap<string, ReadonlySet<string>>,
): readonly WorkflowFinding[] {
  const [scope = "", name = "", field] = keys.map(String);
  const unknown = (what: string, word: string, known: readonly string[]): readonly WorkflowFinding[] => {
    const near = nearest(word, known);
    const label = near === null ? "does not exist" : `did you mean \`${near}\`?`;
    const help = known.length === 0 ? "Declare it under `inputs:`." : `There are: ${known.slice(0, 30).join(", ")}.`;
    return [at(place, offset, "unknown-path", `{{ ${path} }} names ${what} that does not exist`, label, help)];
  };
  switch (scope) {
    case "inputs":
      if (!Object.hasOwn(inputs, name)) return unknown("an input", name, Object.keys(inputs));
      return place.isShown && inputs[name]?.secret === true ? [secretShown(place, offset, name)] : [];
    case "nodes": {
      if (!Object.hasOwn(nodes, name)) return unknown("a node", name, Object.keys(nodes));
      if (field !== undefined && !RESULT_FIELDS.includes(field))
        return unknown("a field of a node", field, RESULT_FIELDS);
      const never = place.nodes.filter((id) => before.get(name)?.has(id) !== true);
      return isOptional || never.length < Math.max(1, place.nodes.length) || place.nodes.length === 0
        ? []
        : [notYetThere(place, offset, name, path)];
    }
    case "run":
      return name === "" || RUN_FIELDS.includes(name) ? [] : unknown("a field of the run", name, RUN_FIELDS);
    default:
      return unknown("something", scope, SCOPES);
  }
}

function secretShown(place: TextPlace, offset: number, name: string): WorkflowFinding {
  const message = `the secret input ${name} is used in a text that a model or a person sees`;
  return at(place, offset, "secret-in-prompt", message, "a secret", "Give it to a tool or a command instead.");
}

function notYetThere(place: TextPlace, offset: number, name: string, path: string): WorkflowFinding {
  const message = `node \`${name}\` never runs before this text is needed`;
  return at(
    place,
    offset,
    "not-yet-there",
    message,
    "not there yet",
    `Write {{ ${path}? }} to leave it empty, or name a node before this one.`,
  );
}

function at(
  place: TextPlace,
  offset: number,
  kind: WorkflowFinding["kind"],
  message: string,
  label: string,
  help: string,
): WorkflowFinding {
  const found = finding(kind, place.path, message, label, help, { brace: braceAt(place.text, offset) });
  return place.file === null ? found : { ...found, file: place.file };
}

const BRACES = /\{{2,}/g;

/** The index of the opening braces at an offset. Braces are counted because escapes and folding shift all other positions. */
function braceAt(text: string, offset: number): number {
  return Array.from(text.matchAll(BRACES)).filter(({ index }) => index <= offset).length - 1;
}

/** The position of the n-th braces in the source text; null if there are fewer. */
export function placeOfBrace(
  written: string,
  number: number,
): { readonly offset: number; readonly length: number } | null {
  const found = Array.from(written.matchAll(BRACES))[number];
  if (found === undefined) return null;
  const inside = found.index + found[0].length;
  const close = written.indexOf("}}", inside);
  if (close === -1) return { offset: inside - 2, length: 2 };
  const inner = written.slice(inside, close);
  if (inner.trim() === "") return { offset: inside - 2, length: close + 4 - inside };
  return { offset: inside + inner.length - inner.trimStart().length, length: inner.trim().length };
}

/** One after the other: the engine has a single memory. */
export async function checkExpressions(
  places: readonly ExpressionPlace[],
  file: WorkflowFile,
): Promise<readonly WorkflowFinding[]> {
  const found: WorkflowFinding[] = [];
  const known = new Map<string, Awaited<ReturnType<typeof checkExpression>>>();
  for (const { path, expression } of places) {
    const check = known.get(expression) ?? (await checkExpression(expression));
    known.set(expression, check);
    if (check.ok) found.push(...unknownWords(path, expression, file));
    else {
      const message = "this is neither a JavaScript expression nor a body with a return";
      const help =
        "Write it as in JavaScript, with inputs, nodes and run: `nodes.reviewer.output.decision === 'approve'`.";
      found.push(finding("bad-expression", path, message, check.cause, help));
    }
  }
  return found;
}

/** A heuristic: the name may be inside a string, so this is only a warning. */
function unknownWords(
  path: Path,
  expression: string,
  { inputs = {}, nodes }: WorkflowFile,
): readonly WorkflowFinding[] {
  const named = Array.from(expression.matchAll(/(?<![\w$.])(inputs|nodes)\??\.([A-Za-z_$][\w$]*)/g));
  return named.flatMap(([, scope = "", name = ""]) => {
    const held: object = scope === "inputs" ? inputs : nodes;
    if (Object.hasOwn(held, name)) return [];
    const near = nearest(name, Object.keys(held));
    const label = near === null ? "does not exist" : `did you mean \`${near}\`?`;
    const message = `this expression names \`${scope}.${name}\`, which does not exist`;
    const known = Object.keys(held).slice(0, 30).join(", ");
    const help = known === "" ? `There are no ${scope} at all.` : `There are: ${known}.`;
    return [finding("unknown-word", path, message, label, help)];
  });
}
