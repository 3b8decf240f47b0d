// Which lines are parsed: every limit at its boundary.

import { describe, expect, it } from "vitest";
import { parseEvent } from "../../../src/agent/parse/json-line-reader.ts";

const MAX_VALUES = 100_000;
const MAX_EVENT_CHARS = 8_388_608;

/** What a line with as many values as may be read looks like, and the same with one more. */
const numbers = (count: number): string => `[${"0,".repeat(count - 1)}0]`;
const objects = (count: number): string => `[${"{},".repeat(count / 2 - 1)}{}]`;
const lists = (count: number): string => `[${"[],".repeat(count / 2 - 1)}[]]`;

describe("a line of a CLI", () => {
  it.each([
    ["numbers", numbers(MAX_VALUES), numbers(MAX_VALUES + 1)],
    ["objects", objects(MAX_VALUES), objects(MAX_VALUES + 2)],
    ["lists", lists(MAX_VALUES), lists(MAX_VALUES + 2)],
  ])("is parsed with as many %s as take a moment, and not with more", (_what, most, more) => {
    expect(JSON.stringify(parseEvent(most)) === most).toBe(true);
    expect(parseEvent(more)).toBe(undefined);
  });

  // Commas and brackets in a text are no values, wherever the text ends.
  it.each(["", "\\\\", '\\"', '\\\\\\"', '\\"\\"', "{[,", '","'])("is parsed with a long text after %j", (start) => {
    const most = `["${start}${",[{".repeat(MAX_VALUES / 2)}"]`;
    expect(JSON.stringify(parseEvent(most)) === most).toBe(true);
    expect(parseEvent(`["${start}",${numbers(MAX_VALUES)}]`)).toBe(undefined);
  });

  it("is parsed up to its longest length", () => {
    const text = (length: number): string => `"${"x".repeat(length - 2)}"`;
    expect((parseEvent(text(MAX_EVENT_CHARS)) as string).length).toBe(MAX_EVENT_CHARS - 2);
    expect(parseEvent(text(MAX_EVENT_CHARS + 1))).toBe(undefined);
  });

  it("is nothing if it is no JSON, short or long", () => {
    for (const line of ["", "{", '"', `["${"x".repeat(MAX_VALUES)}`, `["${"x".repeat(MAX_VALUES)}\\"`])
      expect(parseEvent(line)).toBe(undefined);
  });
});
