// Checks that run before the schema: the author's names, and the size and depth of the file. Names that every JavaScript object
// inherits would be found where they were never written.

import type { Path } from "../yaml-file/locate.ts";
import { type WorkflowFinding, finding, said } from "./codes.ts";
import { LABEL, NAME } from "./field.ts";
import { fieldsOf } from "./grammar.ts";

/** Larger workflows should be split. */
const MAX_NODES = 500;
const MAX_DEPTH = 40;
/** Ends a path, as the target of an edge. */
export const END = "end";

export function checkNames(value: unknown): readonly WorkflowFinding[] {
  const deep = unfitPlace(value);
  if (deep !== null) return [deep];
  const top = fieldsOf(value);
  const nodes = Object.keys(fieldsOf(top["nodes"]));
  if (nodes.length > MAX_NODES) {
    const message = `there are ${nodes.length} nodes; a workflow has at most ${MAX_NODES}`;
    return [finding("too-large", ["nodes"], message, "too many", "Split it into several workflows.", "key")];
  }
  const cases = nodes.map((id) => ["nodes", id, "cases"] as const);
  return [
    ...SECTIONS.flatMap(({ key, pattern, may }) => badNames(fieldsOf(top[key]), [key], pattern, may)),
    ...cases.flatMap((path) =>
      badNames(fieldsOf(fieldsOf(fieldsOf(top["nodes"])[path[1]])["cases"]), path, ANY_NAME, ANY_WORDS),
    ),
  ];
}

const NAME_WORDS = "Begin with a letter and use letters, digits and _, 64 at most, so that expressions can name it.";
const LABEL_WORDS = "Begin with a letter and use letters, digits, _ and -, 64 at most.";
const ANY_NAME = /^[^\p{Cc}]{1,200}$/u;
const ANY_WORDS = "Use at most 200 characters.";

const SECTIONS: readonly { readonly key: string; readonly pattern: RegExp; readonly may: string }[] = [
  { key: "inputs", pattern: NAME, may: NAME_WORDS },
  { key: "providers", pattern: LABEL, may: LABEL_WORDS },
  { key: "agents", pattern: LABEL, may: LABEL_WORDS },
  { key: "tools", pattern: LABEL, may: LABEL_WORDS },
  { key: "nodes", pattern: NAME, may: NAME_WORDS },
];

/** Names that every object inherits. */
const INHERITED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

function badNames(
  held: Readonly<Record<string, unknown>>,
  path: Path,
  pattern: RegExp,
  may: string,
): readonly WorkflowFinding[] {
  return Object.keys(held).flatMap((name) => {
    const why = whyNot(name, path, pattern, may);
    return why === null ? [] : [badName([...path, name], why)];
  });
}

function whyNot(name: string, path: Path, pattern: RegExp, may: string): string | null {
  if (INHERITED.has(name)) return "JavaScript reserves it. Choose another name.";
  if (name === END && path[0] === "nodes" && path.length === 1) return "It is where a path ends. Choose another name.";
  return pattern.test(name) ? null : may;
}

function badName(path: Path, help: string): WorkflowFinding {
  const name = String(path.at(-1));
  const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
  return finding(
    "bad-name",
    path,
    `${said(path.slice(0, -1))} cannot have the name \`${shown}\``,
    "not usable",
    help,
    "key",
  );
}

/** Finds nesting that is too deep, or a key that would change an object's prototype. */
function unfitPlace(value: unknown): WorkflowFinding | null {
  const open: { readonly path: Path; readonly value: unknown }[] = [{ path: [], value }];
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { path, value: held } = place;
    if (typeof held !== "object" || held === null) continue;
    if (path.length > MAX_DEPTH) {
      const message = `the file is nested more than ${MAX_DEPTH} levels deep`;
      return finding("too-large", path.slice(0, MAX_DEPTH), message, "too deep", "Reduce the nesting.");
    }
    if (Object.hasOwn(held, "__proto__"))
      return badName([...path, "__proto__"], "JavaScript reserves it. Choose another name.");
    for (const [key, item] of Object.entries(held))
      open.push({ path: [...path, Array.isArray(held) ? Number(key) : key], value: item });
  }
  return null;
}
