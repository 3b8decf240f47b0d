// A mistake is reported at its position, whatever comes before it: policy, tool and workflow files.

import fc from "fast-check";
import { expect, it } from "vitest";
import { parsePolicy } from "../../src/policy-file/index.ts";
import { parseToolManifests } from "../../src/tool-file/index.ts";
import { parseWorkflow } from "../../src/workflow-file/index.ts";
import type { Diagnostic } from "../../src/yaml-file/diagnostic.ts";

/** Whole lines that may be at the top level of any file, right or wrong. */
const STRAYS = [
  "# a comment",
  "",
  "stray_block: |\n  one\n\n  two\n",
  "stray_folded: >-\n  one\n  two",
  'stray_quoted: "one\n  two\n\n  three"',
  "stray_single: 'one\n  two'",
  "stray_plain: one\n  two\n  three",
  "stray_list:\n  - |\n    one\n    two\n  - 'a\n    b'",
  "stray text\n  over two lines",
  '"stray\n  quoted"',
  'stray_second: "x" "y\n  z"',
  "stray_flow: { b: 'c\n  d' 'e\n  f' }",
  'stray_tagged: !!str "x\n  y" "p\n  q"',
  "stray text that ends\nin the next line",
  'stray_emoji: "\u{1f600}\n  \u{1f600}"',
];

/**
 * A stray text may swallow the first of three keys. A duplicate key is a mistake of the YAML, an unknown one a mistake of the
 * schema.
 */
const MARK = "zzz_marker";
const MISTAKES = [`${MARK}: 1\n${MARK}: 2\n${MARK}: 3\n`, `${MARK}: 1\n`, `${MARK}: 1\n\tx: 2\n`];

type Find = (text: string) => Promise<readonly Diagnostic[]>;
const FILES: readonly (readonly [name: string, head: string, find: Find])[] = [
  ["policy", "version: 1", (text) => Promise.resolve(parsePolicy(text, "p.yaml").diagnostics)],
  ["tool", "version: 1\ntools: []", (text) => Promise.resolve(parseToolManifests(text, "t.yaml").diagnostics)],
  ["workflow", "name: w\nnodes: []", async (text) => (await parseWorkflow(text, "w.yaml")).diagnostics],
];

/** The text at a position, cut at the end of the word. */
function wordAt(text: string, { line, column }: Diagnostic): string {
  return text.split("\n")[line - 1]?.slice(column - 1) ?? "nothing: there is no such line";
}

it.each(FILES)("every mistake of a %s file is reported on its line", async (_name, head, find) => {
  const strays = fc.uniqueArray(fc.constantFrom(...STRAYS), { maxLength: 4 });
  const mark = fc.constantFrom("", "\uFEFF");
  const property = fc.asyncProperty(
    strays,
    fc.constantFrom(...MISTAKES),
    mark,
    fc.boolean(),
    async (before, mistake, bom, crlf) => {
      const plain = [head, ...before.map((stray, index) => stray.replace(/^(stray_\w+)/, `$1${index}`)), mistake].join(
        "\n",
      );
      const text = crlf ? plain.replaceAll("\n", "\r\n") : plain;
      const found = await find(bom + text);
      const lines = text.split("\n").length;
      for (const each of found) {
        expect(each.line).toBeLessThanOrEqual(lines);
        expect(each.column).toBeLessThanOrEqual((text.split("\n")[each.line - 1] ?? "").length + 1);
      }
      // An unknown key, and the second of two, are reported exactly at the key.
      const named = found.filter(({ message }) => message.includes(MARK) || message.includes("twice"));
      for (const each of named) expect(wordAt(text, each)).toMatch(new RegExp(`^${MARK}`));
      if (mistake === MISTAKES[0]) expect(found.some(({ message }) => message.includes("twice"))).toBe(true);
    },
  );
  await fc.assert(property, { numRuns: 150 });
});
