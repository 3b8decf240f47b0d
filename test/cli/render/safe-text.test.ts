// Foreign text cannot control a terminal, and lines keep to their width.

import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dollars } from "../../../src/core/flow/money.ts";
import { minuteOf, shown } from "../../../src/cli/render/values.ts";
import { escapeUnsafe, oneLine, safeJson, safeText, shellWord } from "../../../src/cli/render/safe-text.ts";
import { factLines, tableLines, wrapped } from "../../../src/cli/render/table.ts";
import { columnsOf } from "../../../src/yaml-file/columns.ts";
import { anyText } from "../../support/any-text.ts";

/** Control sequences, and characters that hide or reverse text. */
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/;
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      "\u001b[2J",
      "\u001b]0;t\u0007",
      "\u009b",
      "\r",
      "\n",
      "\t",
      "\u202e",
      "\ufeff",
      "'",
      '"',
      "\\",
      "$(x)",
    ),
    anyText({ minLength: 1, maxLength: 1 }),
    fc.constantFrom("word ", "中文", "，"),
  ),
});

describe("foreign text", () => {
  it("contains no control characters once it is made safe", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(safeText(text)).not.toMatch(OBEYED);
        expect(oneLine(text)).not.toMatch(new RegExp(`${OBEYED.source}|[\\n\\t]`));
        expect(oneLine(text, 10).length).toBeLessThanOrEqual(10);
        expect(safeJson({ text })).not.toMatch(OBEYED);
      }),
    );
  });

  it("is still the same JSON", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        expect(JSON.parse(safeJson({ [text]: text }))).toEqual({ [text]: text });
        expect(JSON.parse(escapeUnsafe(JSON.stringify(text)))).toBe(text);
      }),
    );
  });

  it("hides no secret behind a colour, and non-text is shown as JSON", () => {
    expect(shown("key \u001b[31msk-ant-api03-AAAABBBBCCCC\u001b[0m")).toBe("key [redacted]");
    expect([shown(undefined), shown(7), shown({ a: "\u009b" })]).toEqual(["null", "7", '{"a":"\\u009b"}']);
  });

  it.each(["plain", "a b", "it's", '"$(rm x)"', "`id`", "a;b", "-x\\"])("is one word to a shell: %s", (text) => {
    expect(execFileSync("sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" })).toBe(text);
  });
});

describe("values", () => {
  it.each([
    [0, "$0.00"],
    [1, "$0.00000001"],
    [750_000, "$0.0075"],
    [1_500_000, "$0.015"],
    [3_757_275, "$0.0376"],
    [21_675, "$0.000217"],
    [999_999, "$0.01"],
    [500_000_000, "$5.00"],
    [123_456_789_000, "$1234.5679"],
    [123_400_000_000, "$1234.00"],
  ])("%d micro-cents are %s", (microcents, text) => {
    expect(dollars(microcents)).toBe(text);
  });

  it("are shown as times even outside the calendar", () => {
    expect(minuteOf(Date.UTC(2026, 0, 2, 3, 4, 59))).toBe("2026-01-02 03:04");
    expect(minuteOf(Number.MAX_SAFE_INTEGER)).toBe("+275760-09-13 00:00");
    expect(minuteOf(Number.MIN_SAFE_INTEGER)).toBe("-271821-04-20 00:00");
  });
});

describe("lines", () => {
  it("keep to their width and lose nothing but spaces", () => {
    const words = fc.array(fc.constantFrom("a", "word", "longer-word", "中文字", "，", "。", "x".repeat(18)), {
      maxLength: 30,
    });
    fc.assert(
      fc.property(words, fc.integer({ min: 20, max: 60 }), (list, columns) => {
        const text = list.join(" ");
        const lines = wrapped(text, columns);
        for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(columns);
        expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""));
      }),
    );
  });

  it("break Chinese between characters, and never before a closing mark", () => {
    const lines = wrapped("操作可能已执行，且未声明可安全重复。", 20);
    expect(lines).toEqual(["操作可能已执行，且未", "声明可安全重复。"]);
    expect(wrapped("一二三四五六七八九十，一", 20)).toEqual(["一二三四五六七八九", "十，一"]);
  });

  it("of facts break between facts", () => {
    expect(factLines(["attempt 1", "350 ms", "$0.0075"], 20)).toEqual(["attempt 1 · 350 ms", "$0.0075"]);
    expect(factLines(["a", "b"], Infinity)).toEqual(["a · b"]);
    expect(factLines(["a much longer fact than fits", "b"], 20)).toEqual(["a much longer fact", "than fits · b"]);
    expect(factLines([], 20)).toEqual([]);
  });

  it("of a table align by their width on a terminal", () => {
    expect(
      tableLines(
        [{ title: "工具" }, { title: "n", right: true }],
        [
          ["a", "1"],
          ["中文字", "10"],
        ],
      ),
    ).toEqual(["工具     n", "a        1", "中文字  10"]);
  });
});
