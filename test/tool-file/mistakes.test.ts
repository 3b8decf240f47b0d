// Every mistake in a tool manifest is reported at its exact position, all of them at once, with a suggestion.

import { describe, expect, it } from "vitest";
import { type Diagnostic, renderDiagnostic } from "../../src/tool-file/index.ts";
import { rowsWith, toolMistakes, toolWarnings, toolWith } from "../support/tool-text.ts";

const places = (found: readonly Diagnostic[]): unknown[] =>
  found.map(({ code, line, column, length }) => [code, line, column, length]);

describe("an error", () => {
  it.each<[code: string, what: string, source: string, line: number, column: number, length: number]>([
    ["TOOL001", "a list that is not closed", "tools: [\n", 1, 8, 1],
    ["TOOL001", "a key given twice", "tool: { id: a }\ntool: { id: b }\n", 2, 1, 1],
    ["TOOL001", "a tab as indentation", "tool:\n\tid: a\n", 2, 1, 1],
    ["TOOL001", "one megabyte", "#".repeat(1_000_000), 1, 1, 1],
    ["TOOL001", "a reference to nothing, in the second document", "tool: { id: a }\n---\ntool: *b\n", 3, 7, 2],
    ["TOOL002", "an unknown key", "tol: { id: a }\n", 1, 1, 3],
    ["TOOL002", "a tool without the word tool", "id: a\n", 1, 1, 2],
    ["TOOL002", "an unknown key, in the tool", toolWith("timeout: 3"), 3, 3, 7],
    ["TOOL002", "an unknown key, deep inside", toolWith("retry_policy: { tries: 3 }"), 3, 19, 5],
    ["TOOL003", "a list as the file", "- id: a\n", 1, 1, 1],
    ["TOOL003", "text for a number", toolWith("timeout_ms: soon"), 3, 15, 4],
    ["TOOL003", "a fraction for a whole number", toolWith("max_concurrent: 1.5"), 3, 19, 3],
    ["TOOL003", "text for a truth value", toolWith('idempotent: "yes"'), 3, 15, 5],
    ["TOOL003", "nothing for a map", toolWith("retry_policy:"), 3, 16, 1],
    ["TOOL003", "a truth value for an error code", rowsWith("error_code: true, as: transient"), 4, 21, 4],
    ["TOOL004", "a strategy there is not", toolWith("retry_policy: { strategy: quadratic }"), 3, 29, 9],
    ["TOOL004", "a fault code there is not", rowsWith("status: 503, as: RateLimted"), 4, 26, 10],
    ["TOOL005", "a number too small", toolWith("timeout_ms: 0"), 3, 15, 1],
    ["TOOL005", "a number too large", toolWith("retry_policy: { max_attempts: 101 }"), 3, 33, 3],
    ["TOOL005", "a status that is not a failure", rowsWith("status: 200, as: transient"), 4, 17, 3],
    ["TOOL005", "a text too short to tell anything", rowsWith("text: ab, as: transient"), 4, 15, 2],
    ["TOOL005", "an id with a space", "tool: { id: a b }\n", 1, 13, 3],
    ["TOOL005", "an id of nothing", "tool: { id: '' }\n", 1, 13, 2],
    ["TOOL005", "an empty list of tools", "tools: []\n", 1, 8, 2],
    ["TOOL006", "an empty file", "", 1, 1, 1],
    ["TOOL006", "a file of comments", "# nothing\n", 1, 1, 1],
    ["TOOL006", "documents that are all empty", "---\n---\n", 1, 4, 1],
    ["TOOL006", "a tool without an id", "tool: { optional: true }\n", 1, 1, 4],
    ["TOOL006", "a row that does not say as what", rowsWith("status: 503"), 4, 7, 1],
    ["TOOL006", "a row without a condition", rowsWith("as: transient"), 4, 7, 17],
    ["TOOL007", "an id used twice", "tools:\n  - id: a\n  - id: b\n  - id: a\n", 4, 9, 1],
    ["TOOL007", "an id used again in another document", "tool: { id: a }\n---\ntool: { id: a }\n", 3, 13, 1],
    [
      "TOOL008",
      "a tool that stands in for itself",
      "tool: { id: a, idempotent: true, alternatives: [b, a] }\n",
      1,
      52,
      1,
    ],
    ["TOOL008", "an alternative named twice", "tool: { id: a, idempotent: true, alternatives: [b, c, b] }\n", 1, 55, 1],
    ["TOOL009", "a number that is not a JSON-RPC code", rowsWith("error_code: 1205, as: transient"), 4, 21, 4],
    ["TOOL009", "a status as an error code", rowsWith('error_code: "503", as: transient'), 4, 21, 5],
    [
      "TOOL009",
      "a text of which nothing is compared",
      rowsWith('text: "https://example.com/", as: transient'),
      4,
      15,
      22,
    ],
    ["TOOL009", "a name in quotes", rowsWith("text: cannot open 'seats', as: transient"), 4, 15, 19],
    ["TOOL010", "a default that is not a number", toolWith("default: [1, .nan]"), 3, 12, 9],
    ["TOOL010", "a default that holds itself", toolWith("default: &a { next: *a }"), 3, 15, 12],
    ["TOOL010", "a default of bytes", "%YAML 1.1\n---\ntool: { id: a, default: !!binary aGk= }\n", 3, 34, 4],
  ])("%s: %s", (code, _what, source, line, column, length) => {
    expect(places(toolMistakes(source))).toEqual([[code, line, column, length]]);
  });

  it("comes with all others, in the order of the file", () => {
    const source = [
      "tools:",
      "  - timeout_ms: 5",
      "    retry_policy: { max_attemps: 3, multiplier: 0 }",
      "  - id: b",
      "    classification:",
      "      - { status: 503, as: permanant }",
      "---",
      "tool: { id: c, optional: maybe }",
    ].join("\n");
    expect(toolMistakes(source).map(({ code, line, column }) => [code, line, column])).toEqual([
      ["TOOL006", 2, 5],
      ["TOOL002", 3, 21],
      ["TOOL005", 3, 49],
      ["TOOL004", 6, 28],
      ["TOOL003", 8, 26],
    ]);
  });

  it("about an id used again says where it was used first", () => {
    const labels = toolMistakes("tools:\n  - id: a\n  - id: a\n  - id: a\n").map(({ label }) => label);
    expect(labels).toEqual(["the first is at tools.yaml:2", "the first is at tools.yaml:2"]);
  });

  it("comes with the warnings of the same file", () => {
    const source = `tools:\n  - id: a\n    retry_policy: { max_total_time_ms: 1 }\n  - id: a\n`;
    expect(toolMistakes(source).map(({ code, severity }) => [code, severity])).toEqual([
      ["TOOL102", "warning"],
      ["TOOL007", "error"],
    ]);
  });

  it.each([
    ["a key", toolWith("timeout: 3"), "timeout_ms"],
    ["a key", toolWith("idempotant: true"), "idempotent"],
    ["a deep key", toolWith("circuit_breaker: { failure_treshold: 3 }"), "failure_threshold"],
    ["a strategy", toolWith("retry_policy: { strategy: exponential }"), "exponential_backoff"],
    ["a code", rowsWith("status: 503, as: toolunavailable"), "ToolUnavailable"],
    ["a class", rowsWith("status: 503, as: Permanent"), "permanent"],
  ])("suggests what was meant by %s", (_what, source, meant) => {
    expect(toolMistakes(source)).toMatchObject([{ label: `did you mean \`${meant}\`?` }]);
  });

  it("tells milliseconds for a time with a unit", () => {
    expect(toolMistakes(toolWith("timeout_ms: 30s"))[0]?.help).toContain("write `timeout_ms: 30000`");
    expect(toolMistakes(toolWith("max_queued: 30s"))[0]?.help).not.toContain("milliseconds");
  });

  it("is drawn as compilers do", () => {
    const source = rowsWith("status: 503, as: permanant");
    const [first] = toolMistakes(source);
    expect(first === undefined ? "" : renderDiagnostic(first, source)).toBe(
      [
        "error[TOOL004]: tool.classification[0].as cannot be `permanant`",
        " --> tools.yaml:4:26",
        "  |",
        "3 |   classification:",
        "4 |     - { status: 503, as: permanant }",
        "  |                          ^^^^^^^^^ did you mean `permanent`?",
        "  = help: Write `transient`, `permanent` or a fault code; `faultline explain --list` lists all codes.",
      ].join("\n"),
    );
  });
});

describe("a warning", () => {
  it.each<[code: string, what: string, source: string, line: number, column: number, length: number]>([
    ["TOOL101", "a row given twice", rowsWith("status: 503, as: permanent", "status: 503, as: transient"), 5, 7, 30],
    [
      "TOOL101",
      "a row behind a wider one",
      rowsWith("status: 503, as: permanent", "status: 503, text: seat map, as: transient"),
      5,
      7,
      46,
    ],
    [
      "TOOL101",
      "a text that differs in letter case only",
      rowsWith("text: Seat  Map, as: permanent", "text: seat map, as: transient"),
      5,
      7,
      33,
    ],
    ["TOOL102", "a total that never allows a retry", toolWith("retry_policy: { max_total_time_ms: 50 }"), 3, 38, 2],
    ["TOOL102", "an attempt that never comes", toolWith("retry_policy: { max_attempts: 6 }"), 3, 33, 1],
    [
      "TOOL102",
      "a first wait longer than all together",
      toolWith("retry_policy: { initial_delay_ms: 5000 }"),
      3,
      17,
      26,
    ],
    [
      "TOOL102",
      "a cap below the first wait",
      toolWith("retry_policy: { initial_delay_ms: 200, max_delay_ms: 100 }"),
      3,
      56,
      3,
    ],
    [
      "TOOL102",
      "a wait no call is kept for",
      toolWith("retry_policy: { initial_delay_ms: 900000, max_delay_ms: 900000, max_total_time_ms: 86400000 }"),
      3,
      59,
      6,
    ],
    ["TOOL104", "alternatives of a tool that may not run twice", toolWith("alternatives: [b]"), 3, 17, 3],
    ["TOOL103", "a schedule of one attempt", toolWith("retry_policy: { max_attempts: 1, multiplier: 3 }"), 3, 33, 1],
  ])("%s: %s", (code, _what, source, line, column, length) => {
    const found = toolWarnings(source);
    expect(places(found)).toEqual([[code, line, column, length]]);
    expect(found[0]?.severity).toBe("warning");
  });

  it("says how much time the waits would need", () => {
    const [found] = toolWarnings(toolWith("retry_policy: { max_attempts: 3, max_total_time_ms: 200 }"));
    expect(found).toMatchObject({
      message: "attempt 3 of 3 can never be made: the waits before it pass max_total_time_ms (200)",
      help: "Raise max_total_time_ms to at least 330, or lower max_attempts to 2.",
    });
    expect(toolWarnings(toolWith("retry_policy: { max_attempts: 3, max_total_time_ms: 330 }"))).toEqual([]);
  });

  it.each([
    ["one attempt and nothing else", toolWith("retry_policy: { max_attempts: 1 }")],
    [
      "a narrower row in front of a wider one",
      rowsWith("status: 503, text: seat map, as: transient", "status: 503, as: permanent"),
    ],
    [
      "the same row in two tools",
      `tools:\n${["a", "b"].map((id) => `  - id: ${id}\n    classification: [{ status: 503, as: permanent }]\n`).join("")}`,
    ],
    ["alternatives of an idempotent tool", "tool: { id: a, idempotent: true, alternatives: [b] }\n"],
    ["alternatives of a tool that is meant to run once", "tool: { id: a, idempotent: false, alternatives: [b] }\n"],
    ["no waits at all", toolWith("retry_policy: { initial_delay_ms: 0, max_total_time_ms: 0, jitter_percent: 0 }")],
  ])("is not given for %s", (_what, source) => {
    expect(toolWarnings(source)).toEqual([]);
  });
});
