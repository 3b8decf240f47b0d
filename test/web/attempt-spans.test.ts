// What counts as an attempt where the panel of a run says what was tried.

import { describe, expect, it } from "vitest";
import { attemptSpans } from "../../web/pages/run/attempt-spans.ts";

function span(id: string, kind: "turn" | "call" | "attempt", parent: string | null, hasFailed: boolean) {
  return { id, kind, parent, fault: hasFailed ? { code: "ExecutionFailed" } : null };
}

describe("attempts of a run", () => {
  it.each([
    ["of a node without calls: the node's", [span("t", "turn", null, true)], ["t"]],
    [
      "of a node whose calls failed: the calls'",
      [
        span("t", "turn", null, true),
        span("c", "call", "t", true),
        span("a1", "attempt", "c", true),
        span("a2", "attempt", "c", true),
      ],
      ["a1", "a2"],
    ],
    [
      "of a node that worked: the calls'",
      [span("t", "turn", null, false), span("c", "call", "t", false), span("a", "attempt", "c", false)],
      ["a"],
    ],
    [
      "of a node that failed although its call worked: the node's",
      [span("t", "turn", null, true), span("c", "call", "t", false), span("a", "attempt", "c", false)],
      ["t"],
    ],
    [
      "of two nodes are not mixed up",
      [
        span("t1", "turn", null, true),
        span("c1", "call", "t1", false),
        span("a1", "attempt", "c1", false),
        span("t2", "turn", null, false),
        span("c2", "call", "t2", false),
        span("a2", "attempt", "c2", false),
      ],
      ["t1", "a2"],
    ],
  ])("%s", (_title, spans, expected) => {
    expect(attemptSpans(spans).map(({ id }) => id)).toEqual(expected);
  });
});
