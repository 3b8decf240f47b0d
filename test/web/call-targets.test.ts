// A call that asked several targets is not taken for one that asked only the last.

import { expect, it } from "vitest";
import { nameOfCall, targetsIn } from "../../web/pages/trace/call-targets.ts";

const attempt = (tool: string) => ({ kind: "attempt", tool });

it.each([
  ["one target", [attempt("claude"), attempt("claude")], ["claude"]],
  ["a chain, with a wait", [attempt("claude"), { kind: "wait", tool: "x" }, attempt("gpt")], ["claude", "gpt"]],
  ["nothing yet", [], []],
])("the targets of %s", (_title, spans, expected) => {
  expect(targetsIn(spans)).toEqual(expected);
});

it.each([
  ["gpt", ["claude", "gpt"], { label: "claude → gpt", note: "" }],
  ["plan the trip", ["claude", "gpt"], { label: "plan the trip", note: "claude → gpt" }],
  ["gpt", ["gpt"], { label: "gpt", note: "" }],
  ["gpt", [], { label: "gpt", note: "" }],
])("the row of the call %s to %j", (label, targets, expected) => {
  expect(nameOfCall(label, "gpt", targets)).toEqual(expected);
});
