// Classes of mutants that no test can notice, recognised by the shape of the code. Single ones are in `equivalent.ts`.

import type { AstNode } from "./sample.ts";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly to: string;
}

/** The edits at this node, or inside it, that change nothing that can be observed. */
export function unnoticeableEdits(node: AstNode, source: string, constants: Constants): readonly Edit[] {
  const textOf = ({ start, end }: AstNode): string => source.slice(start, end);
  switch (node.type) {
    case "ObjectExpression":
      return undefinedFields(node, textOf);
    case "ConditionalExpression":
    case "IfStatement":
      return equalAtTheBoundary(node, source, textOf);
    case "CallExpression":
      return signsOnly(node);
    case "BinaryExpression":
      return farFromTheBoundary(node, constants);
    default:
      return [];
  }
}

type TextOf = (node: AstNode) => string;

/**
 * `...(x === undefined ? {} : { x })` with `false` as its test adds the field `x: undefined`. The compiler accepts that only where the field may be
 * undefined, too. Behind something that may bring an `x` of its own, it is noticed.
 */
function undefinedFields(node: AstNode, textOf: TextOf): readonly Edit[] {
  const before = new Set<string>();
  const edits: Edit[] = [];
  for (const property of node["properties"] as readonly AstNode[]) {
    const field = property.type === "SpreadElement" ? optionalField(property["argument"] as AstNode, textOf) : null;
    if (property.type === "SpreadElement" && field === null) return edits;
    if (field !== null && !before.has(field.name)) edits.push(field.edit);
    before.add(field === null ? textOf(property["key"] as AstNode) : field.name);
  }
  return edits;
}

function optionalField(node: AstNode, textOf: TextOf): { readonly name: string; readonly edit: Edit } | null {
  if (node.type !== "ConditionalExpression") return null;
  const test = node["test"] as AstNode;
  if (test.type !== "BinaryExpression" || textOf(test["right"] as AstNode) !== "undefined") return null;
  const isAbsent = test["operator"] === "===";
  if (!isAbsent && test["operator"] !== "!==") return null;
  const [absent, present] = [node["consequent"], node["alternate"]] as [AstNode, AstNode];
  const [field, ...more] = propertiesOf(isAbsent ? present : absent) ?? [];
  const isEmpty = propertiesOf(isAbsent ? absent : present)?.length === 0;
  if (!isEmpty || field?.type !== "Property" || more.length > 0 || field["computed"] === true) return null;
  if (textOf(field["value"] as AstNode) !== textOf(test["left"] as AstNode)) return null;
  const { start, end } = test;
  return { name: textOf(field["key"] as AstNode), edit: { start, end, to: String(!isAbsent) } };
}

function propertiesOf(node: AstNode): readonly AstNode[] | null {
  return node.type === "ObjectExpression" ? (node["properties"] as readonly AstNode[]) : null;
}

const STRICTNESS: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

/** `a > b ? b : a` and `if (a > b) b = a`: if both are equal, both ways give the same. */
function equalAtTheBoundary(node: AstNode, source: string, textOf: TextOf): readonly Edit[] {
  const test = lastCondition(node["test"] as AstNode);
  const to = STRICTNESS[test["operator"] as string];
  if (test.type !== "BinaryExpression" || to === undefined) return [];
  const compared = [test["left"] as AstNode, test["right"] as AstNode];
  const chosen = node.type === "IfStatement" ? assigned(node) : [node["consequent"], node["alternate"]];
  const isSame =
    chosen !== null &&
    (chosen as readonly AstNode[]).map(textOf).toSorted().join("\n") === compared.map(textOf).toSorted().join("\n");
  if (!isSame || chosen.length !== 2) return [];
  const operator = test["operator"] as string;
  const start = source.indexOf(operator, (test["left"] as AstNode).end);
  return [{ start, end: start + operator.length, to }];
}

/** The last part of `a && b && c`: the value is chosen by it alone once the others hold. */
function lastCondition(node: AstNode): AstNode {
  const isAnd = node.type === "LogicalExpression" && node["operator"] === "&&";
  return isAnd ? lastCondition(node["right"] as AstNode) : node;
}

/** Both sides of the assignment that is all this statement does. */
function assigned(node: AstNode): readonly AstNode[] | null {
  const statement = node["consequent"] as AstNode;
  const expression = statement.type === "ExpressionStatement" ? (statement["expression"] as AstNode) : null;
  if (node["alternate"] !== null || expression?.type !== "AssignmentExpression" || expression["operator"] !== "=")
    return null;
  return [expression["left"] as AstNode, expression["right"] as AstNode];
}

const SORTING = new Set(["sort", "toSorted"]);

/** Sorting asks a comparison for its sign only, so 1 may as well be 2. */
function signsOnly(node: AstNode): readonly Edit[] {
  const { property } = node["callee"] as { readonly property?: AstNode & { readonly name?: string } };
  const [compare] = node["arguments"] as readonly AstNode[];
  if (!SORTING.has(property?.name ?? "") || compare?.type !== "ArrowFunctionExpression") return [];
  return signsOf(compare["body"] as AstNode);
}

function signsOf(node: AstNode): readonly Edit[] {
  switch (node.type) {
    case "ConditionalExpression":
      return [...signsOf(node["consequent"] as AstNode), ...signsOf(node["alternate"] as AstNode)];
    case "UnaryExpression":
      return node["operator"] === "-" ? signsOf(node["argument"] as AstNode) : [];
    case "Literal":
      return node["value"] === 1 ? [{ start: node.start, end: node.end, to: "2" }] : [];
    default:
      return [];
  }
}

/** The numbers that a file gives names to. */
export type Constants = ReadonlyMap<string, number>;

export function constantsIn(tree: AstNode): Constants {
  const found = new Map<string, number>();
  for (const statement of tree["body"] as readonly AstNode[]) {
    const declaration = (statement["declaration"] as AstNode | undefined) ?? statement;
    if (declaration.type !== "VariableDeclaration" || declaration["kind"] !== "const") continue;
    for (const { id, init } of declaration["declarations"] as readonly AstNode[]) {
      const value = (init as AstNode | null)?.["value"];
      if (typeof value === "number") found.set((id as AstNode)["name"] as string, value);
    }
  }
  return found;
}

const COMPARE: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
  "===": (left, right) => left === right,
  "!==": (left, right) => left !== right,
};

/** `(x ?? 0) > 5` says the same of a missing `x` when the default is 1. */
function farFromTheBoundary(node: AstNode, constants: Constants): readonly Edit[] {
  const compare = COMPARE[node["operator"] as string];
  if (compare === undefined) return [];
  const [left, right] = [node["left"] as AstNode, node["right"] as AstNode];
  const sides = [
    [left, right],
    [right, left],
  ] as const;
  return sides.flatMap(([side, against], index) => {
    const literal = side.type === "LogicalExpression" && side["operator"] === "??" ? (side["right"] as AstNode) : null;
    const other = numberOf(against, constants);
    const value = literal?.["value"];
    if (literal === null || other === null || typeof value !== "number") return [];
    const says = (number: number): boolean => (index === 0 ? compare(number, other) : compare(other, number));
    const { start, end } = literal;
    return says(value) === says(value + 1) ? [{ start, end, to: String(value + 1) }] : [];
  });
}

function numberOf(node: AstNode, constants: Constants): number | null {
  const value = node.type === "Identifier" ? constants.get(node["name"] as string) : node["value"];
  return typeof value === "number" ? value : null;
}
