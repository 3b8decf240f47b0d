// Proves that a manifest's text becomes whole manifests or none, that editors report the same mistakes as the parser, and that no
// text whatever makes the parser throw.

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, rowFor, rowsOfTool, schedule, withRows } from "../../src/core/index.ts";
import { compileSchema, type JsonSchema } from "../../src/schema/index.ts";
import { parseToolManifests, renderDiagnostic, toolManifestJsonSchema } from "../../src/tool-file/index.ts";
import { manifestIn, manifestsOf, TOOL_FILE, toolMistakes, toolWith } from "../support/tool-text.ts";
import { samples } from "../support/grid.ts";
import { anyText } from "../support/any-text.ts";

/** Sections 2.2, 3.2 and 4.1 of the tool error handling specification, verbatim. */
const FROM_THE_SPECIFICATION = `tool:
  id: flight_search
  timeout_ms: 30000             # 30 second timeout
  retry_policy:
    strategy: exponential_backoff
    initial_delay_ms: 50        # Override default 100ms
    max_delay_ms: 2000          # Override default 800ms
    multiplier: 2.0             # Override default 2.0
    jitter_percent: 15          # Override default 10%
    max_attempts: 3             # Override default 5
    max_total_time_ms: 5000     # Override default 2000ms
  circuit_breaker:
    failure_threshold: 5           # Open after 5 consecutive failures
    success_threshold: 2           # Close after 2 consecutive successes
    timeout_ms: 30000              # Wait 30s before trying again
`;

describe("a good file", () => {
  it("may be the specification's own", () => {
    expect(manifestIn(FROM_THE_SPECIFICATION)).toEqual({
      id: "flight_search",
      timeoutMs: 30_000,
      retry: {
        strategy: "exponential_backoff",
        initial_delay_ms: 50,
        max_delay_ms: 2000,
        multiplier: 2,
        jitter_percent: 15,
        max_attempts: 3,
        max_total_time_ms: 5000,
      },
      breaker: { failures: 5, successes: 2, openMs: 30_000 },
      rules: [],
      origin: `${TOOL_FILE}:2`,
    });
  });

  it("paces its tool's retries, and no other's", () => {
    const { id, retry = {} } = manifestIn(FROM_THE_SPECIFICATION);
    const policy = withRows(DEFAULT_POLICY, rowsOfTool(id, retry, DEFAULT_POLICY));
    const waits = (tool: string): unknown => {
      const row = rowFor(policy, { code: "ToolUnavailable" }, { surface: "tool", provider: "", tool, stage: "" });
      return row.retry && schedule(row.retry).map(({ baseMs }) => baseMs);
    };
    expect(waits("flight_search")).toEqual([50, 100]);
    expect(waits("hotel_search")).toEqual([100, 200, 400, 800]);
  });

  it("gives everything else a tool can declare", () => {
    const source = toolWith(
      "idempotent: true",
      "optional: false",
      "default: { flights: [], note: ~ }",
      "alternatives: [flight_search_b, mcp__github/search]",
      "max_concurrent: 4",
      "max_queued: 0",
    );
    expect(manifestIn(source)).toEqual({
      id: "a",
      idempotent: true,
      optional: false,
      default: { value: { flights: [], note: null } },
      alternatives: ["flight_search_b", "mcp__github/search"],
      maxConcurrent: 4,
      maxQueued: 0,
      rules: [],
      origin: `${TOOL_FILE}:2`,
    });
  });

  it("leaves out what the manifest leaves out", () => {
    expect(Object.keys(manifestIn("tool: { id: a }"))).toEqual(["id", "rules", "origin"]);
  });

  it.each([
    ["nothing", "default:", null],
    ["null", "default: null", null],
    ["a truth value", "default: false", false],
    ["text", "default: none", "none"],
    ["an empty list", "default: []", []],
    [
      "a map with a dangerous key",
      'default: { "__proto__": { polluted: 1 } }',
      JSON.parse('{"__proto__":{"polluted":1}}') as unknown,
    ],
  ])("may have %s as the default", (_what, line, value) => {
    expect(manifestIn(toolWith(line)).default).toEqual({ value });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("may hold one tool, a list, several documents, or all of these", () => {
    const source = "tool: { id: a }\ntools:\n  - id: b\n  - id: c\n---\n# empty\n---\ntool:\n  id: d\n---\n";
    expect(manifestsOf(source).map(({ id, origin }) => [id, origin])).toEqual([
      ["a", `${TOOL_FILE}:1`],
      ["b", `${TOOL_FILE}:3`],
      ["c", `${TOOL_FILE}:4`],
      ["d", `${TOOL_FILE}:9`],
    ]);
  });

  it("may keep a breaker open longer than the policy's longest time", () => {
    expect(manifestIn(toolWith("circuit_breaker: { timeout_ms: 900000 }")).breaker).toEqual({
      openMs: 900_000,
      maxOpenMs: 900_000,
    });
  });

  it("may have CRLF line ends, comments, anchors and a byte order mark", () => {
    const lines = [
      "\uFEFF# ours",
      "tools:",
      "  - id: a",
      "    retry_policy: &slow { max_attempts: 2 }",
      "  - id: b",
      "    retry_policy: *slow",
      "",
    ];
    expect(manifestsOf(lines.join("\r\n")).map(({ retry }) => retry)).toEqual([
      { max_attempts: 2 },
      { max_attempts: 2 },
    ]);
  });
});

describe("a hostile file", () => {
  const level = (name: string, item: string): string =>
    `${name}: &${name} [${Array.from({ length: 9 }, () => item).join(", ")}]`;
  const bomb = [
    "tool:",
    "  id: a",
    "  default:",
    `    ${level("a", "x")}`,
    ..."bcdefghi".split("").map((name, index) => `    ${level(name, `*${"abcdefgh".charAt(index)}`)}`),
    "",
  ].join("\n");

  it.each([
    ["a bomb of aliases", bomb],
    ["an alias of nothing", "tool: *nothing\n"],
    ["an alias of itself", "tool: &a { id: a, default: [*a] }\n"],
    ["one megabyte of tools", `tools:\n${"  - id: a\n".repeat(100_000)}`],
    ["a hundred thousand open brackets", "[".repeat(100_000)],
    ["ten thousand brackets, closed again", toolWith(`default: ${"[".repeat(10_000)}${"]".repeat(10_000)}`)],
    ["zero bytes", "tool: { id: a }\n\0\0\n"],
    ["a prototype", "tool: { id: a }\n__proto__: { polluted: 1 }\n"],
    ["a prototype for a tool", 'tool: { id: a, "__proto__": { timeout_ms: 1 } }\n'],
    ["a prototype for a row", toolWith('classification: [{ as: transient, "__proto__": { status: 503 } }]')],
    ["a hundred mistakes", `tools:\n${Array.from({ length: 100 }, (_, i) => `  - { id: t${i}, x: 1 }\n`).join("")}`],
    ["a thousand empty documents", "---\n".repeat(1_000)],
  ])("gets a diagnostic: %s", (_what, source) => {
    const found = toolMistakes(source);
    expect(found.length).toBeGreaterThan(0);
    expect(found.length).toBeLessThanOrEqual(50);
    expect(found.every(({ line, column }) => line >= 1 && column >= 1)).toBe(true);
  });

  it("that is not text at all gets one too", () => {
    expect(parseToolManifests(undefined as unknown as string, TOOL_FILE)).toMatchObject({
      manifests: null,
      diagnostics: [{ code: "TOOL001" }],
    });
  });

  it("of thousands of rows is still read", () => {
    const tools = Array.from({ length: 40 }, (_, tool) => ({
      id: `t${tool}`,
      classification: Array.from({ length: 60 }, (_, row) => ({
        text: `failure ${tool} of kind ${row}`,
        as: "transient",
      })),
    }));
    expect(manifestsOf(JSON.stringify({ tools }))).toHaveLength(40);
  });
});

/** Values of every type, right ones and wrong ones. */
const anything = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    -1,
    0,
    1,
    1.5,
    400,
    503,
    100_000,
    1e12,
    "",
    "a",
    "503",
    "transient",
    "exponential_backoff",
    "RateLimited",
    [],
    {},
  ),
  fc.json({ maxDepth: 2 }).map((json) => JSON.parse(json) as unknown),
);
const record = (...names: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 6, arbitrary: fc.dictionary(fc.constantFrom(...names), anything, { maxKeys: 4 }) },
    { weight: 1, arbitrary: anything },
  );
const retry = record(
  "strategy",
  "initial_delay_ms",
  "max_delay_ms",
  "multiplier",
  "jitter_percent",
  "max_attempts",
  "max_total_time_ms",
  "tries",
);
const breaker = record("failure_threshold", "success_threshold", "timeout_ms", "open");
const row = record("status", "error_code", "text", "as", "code");
const field = fc.oneof(
  fc.tuple(
    fc.constantFrom(
      "id",
      "timeout_ms",
      "idempotent",
      "optional",
      "default",
      "alternatives",
      "max_concurrent",
      "max_queued",
      "retries",
      "__proto__",
    ),
    anything,
  ),
  fc.tuple(fc.constant("retry_policy"), retry),
  fc.tuple(fc.constant("circuit_breaker"), breaker),
  fc.tuple(fc.constant("classification"), fc.oneof(fc.array(row, { maxLength: 3 }), anything)),
);
const tool = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .array(field, { maxLength: 6 })
      .map((fields) => Object.fromEntries([["id", "a"], ...fields]) as unknown),
  },
  { weight: 1, arbitrary: anything },
);
const file = fc.oneof(
  { weight: 3, arbitrary: fc.record({ tool }) },
  {
    weight: 3,
    arbitrary: fc.record({ tools: fc.oneof(fc.array(tool, { maxLength: 3 }), anything) }),
  },
  { weight: 1, arbitrary: record("tool", "tools", "id") },
);

describe("any text", () => {
  const WORDS =
    "tool|tools|id|classification|retry_policy|as|status|text|transient|a|503|: |\n|\n  |\n    |- |[|]|{|}|, |&a |*a|<<|? |! |'|\"|# |\t|\r\n|---\n|...|%YAML 1.1\n|~|.nan|0x1|| >|界|\uFEFF".split(
      "|",
    );
  const pieces = fc.oneof(fc.constantFrom(...WORDS), fc.constant("|"), fc.string({ maxLength: 3 }));
  const yamlLike = fc.array(pieces, { maxLength: 40 }).map((list) => list.join(""));

  it.each([
    ["of any characters", anyText({ maxLength: 200 })],
    ["made of YAML's own pieces", yamlLike],
    ["behind a good beginning", yamlLike.map((tail) => `tool:\n  id: a\n  ${tail}`)],
    ["that is JSON", fc.json()],
    ["with the right names and any values", file.map((value) => JSON.stringify(value))],
  ])("%s is manifests or a mistake, and nothing is thrown", (_what, source) => {
    fc.assert(
      fc.property(source, (given) => {
        const { manifests, diagnostics } = parseToolManifests(given, TOOL_FILE);
        const errors = diagnostics.filter(({ severity }) => severity === "error");
        expect(manifests === null).toBe(errors.length > 0);
        for (const diagnostic of diagnostics) expect(renderDiagnostic(diagnostic, given)).toContain(diagnostic.code);
      }),
      { numRuns: samples(60, 600) },
    );
  });
});

describe("the JSON Schema for editors", () => {
  const check = compileSchema(toolManifestJsonSchema() as JsonSchema, "tool manifests");

  it("is the file in schema/", () => {
    const written = readFileSync(new URL("../../schema/tool-manifest.schema.json", import.meta.url), "utf8");
    expect(JSON.parse(written)).toEqual(toolManifestJsonSchema());
  });

  it("accepts and refuses what the parser accepts and refuses", () => {
    const byTheSchema = new Set(["TOOL002", "TOOL003", "TOOL004", "TOOL005", "TOOL006"]);
    let [good, bad] = [0, 0];
    fc.assert(
      fc.property(file, (value) => {
        const { diagnostics } = parseToolManifests(JSON.stringify(value), TOOL_FILE);
        const refused = diagnostics.some(({ code }) => byTheSchema.has(code));
        const accepted = (check(value) as { ok: boolean }).ok;
        if (accepted) good++;
        else bad++;
        expect({ value, accepted }).toEqual({ value, accepted: !refused });
      }),
      { numRuns: samples(200, 2000) },
    );
    expect(Math.min(good, bad)).toBeGreaterThan(0);
  });
});
