// Names of sessions, turns, calls, workflows and stages.

import { expect, it } from "vitest";
import { nameFault } from "../../../src/core/flow/name.ts";

it.each<[string, unknown]>([
  ["one letter", "a"],
  ["200 characters", "a".repeat(200)],
  ["blanks and other scripts", "团队 1"],
])("accepts %s", (_what, name) => {
  expect(nameFault("session", name)).toBeNull();
});

it.each<[string, unknown, string]>([
  ["nothing", undefined, "must be a string, not undefined"],
  ["null", null, "must be a string, not null"],
  ["a number", 7, "must be a string, not number"],
  ["blanks", "  ", "must not be empty"],
  ["too many characters", "a".repeat(201), "must have at most 200 characters; this one has 201"],
  ["a slash", "a/b", 'must not contain a slash or a control character: "a/b"'],
  ["a line break", "a\nb", 'must not contain a slash or a control character: "a?b"'],
  ["a line separator", "a\u2028b", "must not contain a slash or a control character"],
  ["half a character", "a\ud800", "must be well-formed Unicode"],
])("refuses %s and says why", (_what, name, why) => {
  const refused = nameFault("turn", name);
  expect(refused).toMatchObject({ code: "ShapeInvalid", context: { field: "id" } });
  expect(refused?.message).toContain(`the name of a turn ${why}`);
});

it("shows no more than the first 40 characters of a name", () => {
  expect(nameFault("call", `${"x".repeat(39)}/yz`)?.message).toMatch(/: "x{39}\/"$/);
});
