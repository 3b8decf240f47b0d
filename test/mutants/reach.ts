// Which test files can notice which mutants: the sources report when a test file comes to a mutant and something differs there.

import { type AstNode, type Mutant, parse, walk } from "./sample.ts";

/** Named as the test file by a process that a test started. */
export const IN_A_PROCESS = "(a process)";

/** Text around a part of the source. */
interface Wrap {
  readonly start: number;
  readonly end: number;
  readonly open: string;
  readonly close: string;
}

export interface Reporting {
  readonly source: string;
  /** Mutants that run when the file loads. They get no report: only the first test file of a process loads it. */
  readonly silent: readonly number[];
}

/**
 * The source with a report for each of `mutants`, which all are of this source. A changed condition or comparison reports only when its result
 * would be another one. Any other mutant reports when its block runs.
 */
export function withReports(source: string, mutants: ReadonlyMap<number, Mutant>, logFile: string): Reporting {
  const tree = parse(source);
  const silent: number[] = [];
  const wraps = [...mutants].flatMap(([id, mutant]) => {
    const block = innermostBlock(tree, mutant.start, mutant.end);
    if (block !== undefined) return whereItDiffers(tree, id, mutant) ?? [whenItRuns(block, id)];
    silent.push(id);
    return [];
  });
  return { source: `${reporter(logFile)}${wrapAll(source, wraps)}`, silent };
}

function wrapAll(source: string, wraps: readonly Wrap[]): string {
  // Outer ones first.
  const sorted = wraps.toSorted((one, other) => one.start - other.start || other.end - one.end);
  const closing = sorted.map(({ end, close }) => ({ at: end, text: close })).toReversed();
  const opening = sorted.map(({ start, open }) => ({ at: start, text: open }));
  let [wrapped, from] = ["", 0];
  for (const { at, text } of [...closing, ...opening].toSorted((one, other) => one.at - other.at)) {
    wrapped += source.slice(from, at) + text;
    from = at;
  }
  return wrapped + source.slice(from);
}

function whenItRuns({ type, start, end }: AstNode, id: number): Wrap {
  return type === "BlockStatement"
    ? { start: start + 1, end, open: `${report(id)};`, close: "" }
    : { start, end, open: `(${report(id)}, `, close: ")" };
}

function report(id: number): string {
  return `globalThis.__reached?.(${id})`;
}

const STRICTNESS = new Set(["<", "<=", ">", ">="]);

/** Undefined for a mutant whose result nearly always differs, or cannot be compared. */
function whereItDiffers(tree: AstNode, id: number, { start, end, from, to }: Mutant): readonly Wrap[] | undefined {
  if (to === "true" || to === "false") return [ifNot({ start, end }, id, `Boolean(it) === ${to}`)];
  const node = operationAt(tree, start);
  if (node === undefined) return undefined;
  const [left, right] = [node["left"] as AstNode, node["right"] as AstNode];
  if (STRICTNESS.has(from)) {
    const compare = `((one, other) => ((one ${from} other) !== (one ${to} other) && ${report(id)}, one ${from} other))`;
    return [
      { start: node.start, end: node.end, open: `${compare}(`, close: ")" },
      // The operator becomes a comma between two arguments.
      { start, end, open: ", /*", close: "*/" },
    ];
  }
  // `a && b` and `a || b` are the same if both are true, and if both are false. Otherwise one of them evaluates `b` and the other does not.
  if (from === "&&") return [left, right].map((side) => ifNot(side, id, "it === true"));
  if (from === "||") return [left, right].map((side) => ifNot(side, id, "it === false"));
  return undefined;
}

function ifNot({ start, end }: Pick<AstNode, "start" | "end">, id: number, isSame: string): Wrap {
  return { start, end, open: `((it) => (${isSame} || ${report(id)}, it))((`, close: "))" };
}

function operationAt(tree: AstNode, operatorAt: number): AstNode | undefined {
  let found: AstNode | undefined;
  walk(tree, (node) => {
    const { type } = node;
    if (type !== "BinaryExpression" && type !== "LogicalExpression") return;
    if ((node["left"] as AstNode).end <= operatorAt && operatorAt < (node["right"] as AstNode).start) found = node;
  });
  return found;
}

/** The innermost block, or body of an arrow function, around a place: it runs whenever the place may run. */
function innermostBlock(tree: AstNode, from: number, to: number): AstNode | undefined {
  let innermost: AstNode | undefined;
  walk(tree, (node) => {
    const body = node.type === "ArrowFunctionExpression" ? (node["body"] as AstNode) : node;
    const isBlock = body !== node || body.type === "BlockStatement";
    if (isBlock && body.start <= from && to <= body.end) innermost = body;
  });
  return innermost;
}

/** One line, so that lines keep their numbers. Appends `<test file>\t<id>` when a test file reaches an id for the first time. */
function reporter(logFile: string): string {
  return `globalThis.__reached ??= ((seen) => (...ids) => {
    const test = globalThis.__vitest_worker__?.filepath ?? ${JSON.stringify(IN_A_PROCESS)};
    for (const id of ids) {
      const row = test + "\\t" + id + "\\n";
      if (seen.has(row)) continue;
      seen.add(row);
      process.getBuiltinModule("node:fs").appendFileSync(${JSON.stringify(logFile)}, row);
    }
  })(new Set());`.replaceAll(/\n\s*/g, " ");
}
