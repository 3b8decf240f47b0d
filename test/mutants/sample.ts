// A random sample of small changes to the sources, each of which some test should notice. The same seed gives the same sample. An edit of the
// sources changes the sample only where the edited code is.

import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { parseAst } from "vite";
import { constantsIn, unnoticeableEdits } from "./equivalent-classes.ts";
import { isEquivalent } from "./equivalent.ts";

export interface Mutant {
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  /** The line it stands on, without its indentation. */
  readonly text: string;
  /** Counted from the first character of `text`. */
  readonly column: number;
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

export interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

type Edit = Pick<Mutant, "start" | "end" | "to">;

export const ROOT = join(import.meta.dirname, "../..");

/** Tables of data: changing a number or a word in them makes another table, which no test can call wrong. */
const DATA = /-(?:rows|words|table)\.ts$|\/(?:words|symptoms)\//;

/** `parts` are folders or files of src. */
export function sampleMutants(parts: readonly string[], count: number, seed: number): readonly Mutant[] {
  const files = parts
    .flatMap((part) => globSync([`src/${part}/**/*.ts`, `src/${part}`], { cwd: ROOT }))
    .filter((file) => file.endsWith(".ts") && !DATA.test(file));
  return files
    .flatMap(mutantsOf)
    .filter((mutant) => !isEquivalent(mutant))
    .map((mutant) => ({ mutant, rank: rankOf(mutant, seed) }))
    .toSorted((one, other) => (one.rank < other.rank ? -1 : 1))
    .slice(0, count)
    .map(({ mutant }) => mutant);
}

function rankOf({ file, text, column, to }: Mutant, seed: number): string {
  return createHash("sha1").update([seed, file, text, column, to].join("\n")).digest("hex");
}

export function mutantsOf(file: string): readonly Mutant[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  const lines = source.split("\n");
  return editsIn(source).drawn.map(({ start, end, to }) => {
    const before = source.slice(0, start).split("\n");
    const text = lines[before.length - 1] ?? "";
    const indent = text.length - text.trimStart().length;
    return {
      file,
      line: before.length,
      column: (before.at(-1)?.length ?? 0) - indent,
      text: text.trim(),
      start,
      end,
      from: source.slice(start, end).replaceAll(/\s+/g, " "),
      to,
    };
  });
}

/** `left` are those that change nothing that can be observed. */
export function editsIn(source: string): { readonly drawn: readonly Edit[]; readonly left: readonly Edit[] } {
  const edits: Edit[] = [];
  const unnoticeable = new Set<string>();
  const tree = parse(source);
  const constants = constantsIn(tree);
  walk(tree, (node) => {
    edits.push(...editsOf(node, source));
    for (const edit of unnoticeableEdits(node, source, constants)) unnoticeable.add(keyOf(edit));
  });
  const { drawn = [], left = [] } = Object.groupBy(edits, (edit) => (unnoticeable.has(keyOf(edit)) ? "left" : "drawn"));
  return { drawn, left };
}

function keyOf({ start, end, to }: Edit): string {
  return `${start}-${end} ${to}`;
}

export function parse(source: string): AstNode {
  // Types become spaces, so positions stay the same.
  return parseAst(stripTypeScriptTypes(source)) as unknown as AstNode;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "&&": "||",
  "||": "&&",
};

function editsOf(node: AstNode, source: string): readonly Edit[] {
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return swapOperator(node, source);
    case "UnaryExpression":
      return node["operator"] === "!" ? [{ start: node.start, end: node.start + 1, to: "" }] : [];
    case "IfStatement":
    case "ConditionalExpression": {
      const { start, end } = node["test"] as AstNode;
      return [
        { start, end, to: "true" },
        { start, end, to: "false" },
      ];
    }
    case "Literal":
      return changeLiteral(node);
    case "ExpressionStatement":
      return isCall(node["expression"] as AstNode) ? [{ start: node.start, end: node.end, to: ";" }] : [];
    default:
      return [];
  }
}

function swapOperator(node: AstNode, source: string): readonly Edit[] {
  const [left, right] = [node["left"] as AstNode, node["right"] as AstNode];
  const operator = node["operator"] as string;
  const to = OPERATORS[operator];
  // Texts that are joined are words for people.
  const isText =
    operator === "+" &&
    [left, right].some(({ type, value }) => type === "TemplateLiteral" || typeof value === "string");
  const start = source.indexOf(operator, left.end);
  return to === undefined || isText || start < 0 || start >= right.start
    ? []
    : [{ start, end: start + operator.length, to }];
}

function changeLiteral({ value, start, end }: AstNode): readonly Edit[] {
  if (typeof value === "boolean") return [{ start, end, to: String(!value) }];
  return typeof value === "number" ? [{ start, end, to: String(value + 1) }] : [];
}

function isCall({ type, argument }: AstNode): boolean {
  if (type === "AwaitExpression" || type === "UnaryExpression") return isCall(argument as AstNode);
  return type === "CallExpression";
}

export function walk(node: AstNode, visit: (node: AstNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === "object" && child !== null && "type" in child && "start" in child)
        walk(child as AstNode, visit);
    }
  }
}
