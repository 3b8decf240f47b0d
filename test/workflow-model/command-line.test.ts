// Command lines as words, without a shell: what is understood, what is refused, and values that stay in their word.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isFaultError } from "../../src/core/index.ts";
import { tryRead } from "../../src/core/try-read.ts";
import { lineOf, REFUSED_SIGNS, splitLine, splitTemplate } from "../../src/workflow-model/command-line.ts";
import { anyText } from "../support/any-text.ts";

function refusalOf(work: () => unknown): { readonly code: string; readonly message: string } {
  try {
    work();
  } catch (error) {
    if (isFaultError(error)) return error.fault;
    throw error;
  }
  throw new Error("it was taken");
}

describe("a line", () => {
  // prettier-ignore
  it.each([
    ["npm test",                         ["npm", "test"]],
    ["  npm \t test \n",                 ["npm", "test"]],
    ["node -e 'a b  c'",                 ["node", "-e", "a b  c"]],
    [`node -e "it's; \\"fine\\" \\$x"`,  ["node", "-e", `it's; "fine" $x`]],
    ["echo 'it'\\''s'",                  ["echo", "it's"]],
    ["echo a\\ b \\| \\;",               ["echo", "a b", "|", ";"]],
    [`echo "a\\nb" c\\d`,                ["echo", "a\\nb", "cd"]],
    [`echo "" ''`,                       ["echo", "", ""]],
    ["node --test test/*.js x?y [z] ~",  ["node", "--test", "test/*.js", "x?y", "[z]", "~"]],
    [`grep -E "end$" 'a|b > $(c)' d$`,   ["grep", "-E", "end$", "a|b > $(c)", "d$"]],
    ["echo --name=A a#b",                ["echo", "--name=A", "a#b"]],
    ["'A=1' x",                          ["A=1", "x"]],
    ["printf 日本 🙂",                    ["printf", "日本", "🙂"]],
  ])("%s is split as a shell would", (line, words) => {
    expect(splitLine(line)).toEqual(words);
  });

  it.each([
    ...REFUSED_SIGNS.map(({ example }) => example),
    'echo "$(whoami)"',
    'echo "`whoami`"',
    'echo "${HOME}"',
    "npm test&",
    "npm test||rm x",
    "echo 'a' 2>&1",
    "FOO=1 npm test",
    "npm test # no",
    "echo 'open",
    'echo "open',
    "echo \\",
    "echo a\\\nb",
    "",
    "   ",
  ])("%j is refused, and the fault says why and what to do", (line) => {
    const { code, message } = refusalOf(() => splitLine(line));
    expect(code).toBe("InputInvalid");
    expect(message).toContain("was not run");
    expect(message).toContain("without a shell");
  });

  it("that is very long is not repeated in full in the fault", () => {
    expect(refusalOf(() => splitLine(`${"x".repeat(100_000)} | y`)).message.length).toBeLessThan(600);
  });

  it("made of any words gives the same words again", () => {
    const word = fc.oneof(anyText(), fc.constantFrom("", "A=1", "'", '"', "\\", "$(x)", "#", "\n", "|"));
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), (words) => {
        expect(splitLine(lineOf(words))).toEqual(words);
      }),
    );
  });

  it("in any form is either refused or split into words that do not depend on how they are quoted", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom("a", " ", "'", '"', "\\", "$", "(", "|", "#", "=", "\n") }),
        (line) => {
          const words = tryRead(() => splitLine(line), null);
          if (words === null) return void expect(refusalOf(() => splitLine(line)).code).toBe("InputInvalid");
          expect(splitLine(lineOf(words))).toEqual(words);
        },
      ),
    );
  });
});

describe("a value in a line", () => {
  it("stays in its word, whatever is in it", () => {
    fc.assert(
      fc.property(anyText({ minLength: 1 }), (value) => {
        const scope = { inputs: { value } };
        expect(splitTemplate("cat -- {{ inputs.value }}", scope)).toEqual(["cat", "--", value]);
        expect(splitTemplate('cat "x {{ inputs.value }}" y', scope)).toEqual(["cat", `x ${value}`, "y"]);
        expect(splitTemplate("cat --file={{ inputs.value }}", scope)).toEqual(["cat", `--file=${value}`]);
      }),
    );
  });

  it("is a line itself when nothing else is there", () => {
    expect(splitTemplate("  {{ inputs.line }}\n", { inputs: { line: "npm 'a b'" } })).toEqual(["npm", "a b"]);
    expect(refusalOf(() => splitTemplate("{{ inputs.line }}", { inputs: { line: "a | b" } })).code).toBe(
      "InputInvalid",
    );
  });

  it("that is missing and optional leaves no empty argument, unless it is quoted", () => {
    expect(splitTemplate("npm test {{ inputs.more? }} x", { inputs: {} })).toEqual(["npm", "test", "x"]);
    expect(splitTemplate("npm test '{{ inputs.more? }}'", { inputs: {} })).toEqual(["npm", "test", ""]);
  });

  it("that is missing and needed is a fault of the template", () => {
    expect(refusalOf(() => splitTemplate("npm {{ inputs.more }}", { inputs: {} })).code).toBe("ShapeInvalid");
    expect(refusalOf(() => splitTemplate("npm {{ }}", { inputs: {} })).code).toBe("ShapeInvalid");
  });
});
