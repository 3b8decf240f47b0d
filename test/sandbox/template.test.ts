// Templates: what counts as a place, what goes in there, and that nothing inherited ever does.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFaultError } from "../../src/core/index.ts";
import { LONGEST_TEXT_BYTES, parseTemplate, renderTemplate } from "../../src/sandbox/template.ts";
import { samples } from "../support/grid.ts";

const SCOPE = {
  inputs: { task: "fix {{ it }}", n: 3, none: null },
  nodes: { "coder": { output: { items: [{ name: "a" }], summary: "done" } }, "two-part": { output: true } },
};

function render(text: string, scope: Readonly<Record<string, unknown>> = SCOPE): string {
  return renderTemplate(parseTemplate(text), scope);
}

function faultOf(text: string, scope: Readonly<Record<string, unknown>> = SCOPE): unknown {
  try {
    return render(text, scope);
  } catch (error) {
    if (!isFaultError(error)) throw error;
    return error.fault;
  }
}

describe("a template", () => {
  it.each([
    ["no places", "no places"],
    ["{{ inputs.task }}!", "fix {{ it }}!"],
    ["{{inputs.n}}{{ inputs.none }}", "3null"],
    ["{{ nodes.coder.output.items[0].name }}", "a"],
    ["{{ nodes.coder.output.items }}", '[\n  {\n    "name": "a"\n  }\n]'],
    ["{{ nodes.two-part.output }}", "true"],
    ["<{{ nodes.tester.output? }}>", "<>"],
    ["<{{ nodes.coder.output.summary? }}>", "<done>"],
    ["\\{{ inputs.task }}", "{{ inputs.task }}"],
    ["C:\\\\{{ inputs.n }}", "C:\\3"],
    ["a\\b\\\\c", "a\\b\\\\c"],
    ['{"n": {{ inputs.n }}}', '{"n": 3}'],
    ["{{{ inputs.n }}}", "{3}"],
    ["}} {", "}} {"],
  ])("%j becomes %j", (text, expected) => {
    expect(render(text)).toBe(expected);
  });

  it("tells its paths with the place where each starts", () => {
    const text = "é {{ inputs.task }} \\{{ x }} {{nodes.x.output[2].y?}}";
    const { paths, problems } = parseTemplate(text);
    expect(problems).toEqual([]);
    expect(paths).toEqual([
      { path: "inputs.task", keys: ["inputs", "task"], isOptional: false, offset: text.indexOf("inputs") },
      {
        path: "nodes.x.output[2].y",
        keys: ["nodes", "x", "output", 2, "y"],
        isOptional: true,
        offset: text.indexOf("nodes"),
      },
    ]);
  });

  it.each([
    "{{ a + b }}",
    "{{ }}",
    "{{ a..b }}",
    "{{ a[x] }}",
    "{{ a. }}",
    "{{ f() }}",
    "{{ a",
    "{{ a }",
    "{{ a b }}",
    "{{ [0] }}",
    "{{ ? }}",
  ])("with %j has a problem there, and does not render", (text) => {
    expect(parseTemplate(`ab${text}`).problems).toMatchObject([{ offset: 2 }]);
    expect(faultOf(`ab${text}`)).toMatchObject({ code: "ShapeInvalid", context: { offset: 2 } });
  });

  it.each([
    "inputs.constructor",
    "inputs.__proto__",
    "nodes.coder.output.items.map",
    "inputs.task.length",
    "toString",
    "inputs.none.x",
    "inputs.gone",
    "nodes.coder.output.items[1]",
  ])("never reads what is not there: %s", (path) => {
    expect(faultOf(`x {{ ${path} }}`)).toMatchObject({ code: "ShapeInvalid", context: { path, offset: 5 } });
    expect(render(`x {{ ${path}? }}`)).toBe("x ");
  });

  it("reads an own property of any name", () => {
    expect(render("{{ a.__proto__.b }}", { a: JSON.parse('{"__proto__":{"b":"own"}}') as unknown })).toBe("own");
  });

  it("refuses a value without a JSON form", () => {
    const ring: Record<string, unknown> = {};
    ring["ring"] = ring;
    expect(faultOf("{{ a }}", { a: ring })).toMatchObject({ code: "ShapeInvalid", context: { path: "a" } });
    expect(faultOf("{{ a }}", { a: () => 1 })).toMatchObject({ code: "ShapeInvalid", context: { path: "a" } });
  });

  it("gives at most a mebibyte", () => {
    expect(render("{{ a }}", { a: "x".repeat(LONGEST_TEXT_BYTES) })).toHaveLength(LONGEST_TEXT_BYTES);
    expect(faultOf("{{ a }}y", { a: "x".repeat(LONGEST_TEXT_BYTES) })).toMatchObject({ code: "ShapeInvalid" });
    expect(faultOf("{{ a }}", { a: "é".repeat(LONGEST_TEXT_BYTES / 2 + 1) })).toMatchObject({ code: "ShapeInvalid" });
  });

  it("gives back any texts and values that were put into one", () => {
    const literal = fc.string({ unit: fc.constantFrom("a", "{", "}", "\\", " ", "é", "\n"), maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.tuple(literal, fc.string()), { maxLength: 6 }), literal, (places, last) => {
        const scope = { v: places.map(([, text]) => text) };
        const template = places.map(([before], i) => `${escaped(before)}{{ v[${i}] }}`).join("") + escapedAtEnd(last);
        expect(render(template, scope)).toBe(places.map((pair) => pair.join("")).join("") + last);
      }),
      { numRuns: samples(100, 500) },
    );
  });

  it("renders any other value as JSON that reads back the same", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        fc.pre(typeof given !== "string");
        expect(JSON.parse(render("{{ v }}", { v: given }))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });

  it("is parsed in one pass, however many braces it contains", () => {
    for (const text of [
      "{{".repeat(500_000),
      "\\".repeat(500_000),
      "{{ a }}".repeat(100_000),
      "{{ ".repeat(300_000),
      "{{ a.".repeat(200_000) + "}}",
    ])
      expect(parseTemplate(text).parts.length).toBeLessThanOrEqual(100_000);
  });
});

/** Text in front of a place: backslashes that would touch its braces are doubled. */
function escaped(text: string): string {
  return escapedAtEnd(text).replace(/(?<!\\)(\\+)(\{?)$/, "$1$1$2");
}

function escapedAtEnd(text: string): string {
  return text.replace(/(\\*)\{\{/g, "$1$1\\{{");
}
