// Which test files reach which mutants: every mutant's block is made to report when a test file executes it.

import { type AstNode, type Mutant, parse, walk } from "./sample.ts";

/** Named as the test file by a process that a test started. */
export const IN_A_PROCESS = "(a process)";

/** The source with a report for each of `mutants`, which all are of this source. Ids of mutants that run when the file loads get no report. */
export function withReports(source: string, mutants: ReadonlyMap<number, Mutant>, logFile: string): string {
  const tree = parse(source);
  const blocks = new Map<AstNode, number[]>();
  for (const [id, { start, end }] of mutants) {
    const block = innermostBlock(tree, start, end);
    if (block !== undefined) blocks.set(block, [...(blocks.get(block) ?? []), id]);
  }
  const inserts = [...blocks].flatMap(([{ type, start, end }, ids]) => {
    const report = `globalThis.__reached?.(${ids.join(", ")})`;
    return type === "BlockStatement"
      ? [{ at: start + 1, text: `${report};` }]
      : [
          { at: start, text: `(${report}, ` },
          { at: end, text: ")" },
        ];
  });
  let marked = source;
  for (const { at, text } of inserts.toSorted((one, other) => other.at - one.at))
    marked = marked.slice(0, at) + text + marked.slice(at);
  return `${reporter(logFile)}${marked}`;
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
