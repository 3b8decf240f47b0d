// A random sample of small changes to the sources, each of which some test should notice. The same seed gives the same sample.

import { globSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { parseAst } from "vite";

export interface Mutant {
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly from: string;
  readonly to: string;
}

interface AstNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

type Edit = Pick<Mutant, "start" | "end" | "to">;

export const ROOT = join(import.meta.dirname, "../..");

/** Tables of data: changing a number or a word in them makes another table, which no test can call wrong. */
const DATA = /-(?:rows|words|table)\.ts$|\/(?:words|symptoms)\//;

/** `parts` are folders of src. */
export function sampleMutants(parts: readonly string[], count: number, seed: number): readonly Mutant[] {
  const files = parts
    .flatMap((part) => globSync(`src/${part}/**/*.ts`, { cwd: ROOT }))
    .toSorted()
    .filter((file) => !DATA.test(file));
  const all = files.flatMap(mutantsOf);
  const roll = randomFrom(seed);
  const picked = new Set<Mutant>();
  while (picked.size < Math.min(count, all.length)) {
    const mutant = all[Math.floor(roll() * all.length)];
    if (mutant !== undefined) picked.add(mutant);
  }
  return [...picked];
}

export function mutantsOf(file: string): readonly Mutant[] {
  const source = readFileSync(join(ROOT, file), "utf8");
  // Types become spaces, so positions stay the same.
  const tree = parseAst(stripTypeScriptTypes(source)) as unknown as AstNode;
  const edits: Edit[] = [];
  walk(tree, (node) => void edits.push(...editsOf(node, source)));
  return edits.map(({ start, end, to }) => ({
    file,
    line: source.slice(0, start).split("\n").length,
    start,
    end,
    from: source.slice(start, end).replaceAll(/\s+/g, " "),
    to,
  }));
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

function walk(node: AstNode, visit: (node: AstNode) => void): void {
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof child === "object" && child !== null && "type" in child && "start" in child)
        walk(child as AstNode, visit);
    }
  }
}

/** Mulberry32. */
function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
