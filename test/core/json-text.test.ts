// What a terminal would obey, or a reader could not see, is printed as its number.

import { expect, it } from "vitest";
import { escapeUnsafe, safeJson } from "../../src/core/json-text.ts";

it.each([
  ["\u0000", "\\u0000"],
  ["\u0008\t\n\u000b", "\\u0008\t\n\\u000b"],
  ["\u001b[31m", "\\u001b[31m"],
  [" ~\u007f\u009f\u00a0", " ~\\u007f\\u009f\u00a0"],
  ["a\u00adb\u202ec\u2066", "a\\u00adb\\u202ec\\u2066"],
  ["\ufeffplain", "\\ufeffplain"],
])("%j is escaped as %j", (text, escaped) => {
  expect(escapeUnsafe(text)).toBe(escaped);
});

it("JSON is read as the same value again", () => {
  const value = { "\u202ekey": ["\u0007", "\u200b", 1, null] };
  expect(safeJson(value)).toBe('{"\\u202ekey":["\\u0007","\\u200b",1,null]}');
  expect(JSON.parse(safeJson(value))).toEqual(value);
});
