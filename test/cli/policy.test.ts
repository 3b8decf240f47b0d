// `faultline policy` shows every mistake at its position, the effective rows, and the waits for a fault.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { PRESET_NAMES } from "../../src/core/index.ts";
import { jsonOf, type Run, runCli } from "../support/run-cli.ts";

const GOOD = `version: 1
rows:
  - match: { code: RateLimited, provider: openai }
    retry: { maxAttempts: 3, backoff: { kind: fixed, initialMs: 1000 } }
    then: [park, fail]
`;
const WARNS = `version: 1
rows:
  - match: { code: RateLimited }
    then: [fail, ask]
`;
const BAD = `version: 2
presett: eager
rows:
  - match: { code: RateLimted }
    retry:
      maxAttempts: three
      backoff: { kind: exponentiall, initialMs: 1000 }
    then: [fallbck, fail]
  - match: {}
    retry: { maxAttempts: 0, backoff: { kind: fixed, initialMs: 1 } }
`;
const MISTAKES = [
  ["POL004", 1, 10],
  ["POL002", 2, 1],
  ["POL004", 4, 20],
  ["POL003", 6, 20],
  ["POL004", 7, 24],
  ["POL004", 8, 12],
  ["POL006", 9, 5],
  ["POL005", 10, 27],
] as const;
/** Nine levels of nine: 387 million items when expanded. */
const BOMB = `${Array.from({ length: 9 }, (_, level) => {
  const item = level === 0 ? "x" : `*a${level - 1}`;
  return `a${level}: &a${level} [${Array.from({ length: 9 }, () => item).join(", ")}]`;
}).join("\n")}\nversion: 1\n`;

const FILES = { "good.yaml": GOOD, "warns.yaml": WARNS, "bad.yaml": BAD, "bomb.yaml": BOMB };

function policy(...args: readonly string[]): Promise<Run> {
  return runCli(["policy", ...args], { files: FILES });
}

describe("policy check", () => {
  it("reports a good file as good", async () => {
    expect(await policy("check", "good.yaml")).toEqual({
      stdout: "✓ good.yaml: 0 errors, 0 warnings\n",
      stderr: "",
      exit: "ok",
    });
  });

  it("reports every mistake with its position, in file order", async () => {
    const { stdout, stderr, exit } = await policy("check", "bad.yaml");
    expect({ stdout, exit }).toEqual({ stdout: "✗ bad.yaml: 8 errors, 0 warnings\n", exit: "config" });
    const heads = [...stderr.matchAll(/^error\[(POL\d+)\]: .+\n +--> bad\.yaml:(\d+):(\d+)$/gm)];
    expect(heads.map(([, code, line, column]) => [code, Number(line), Number(column)])).toEqual(MISTAKES);
  });

  it("draws a caret under a mistake and says what was meant", async () => {
    const { stderr } = await policy("check", "bad.yaml");
    expect(stderr).toContain(`error[POL004]: rows[0].match.code cannot be \`RateLimted\`
 --> bad.yaml:4:20
  |
3 | rows:
4 |   - match: { code: RateLimted }
  |                    ^^^^^^^^^^ did you mean \`RateLimited\`?
`);
    for (const meant of ["preset", "exponential", "fallback"]) expect(stderr).toContain(`did you mean \`${meant}\`?`);
  });

  it("reports them as JSON", async () => {
    const run = await policy("check", "bad.yaml", "--json");
    expect({ stderr: run.stderr, exit: run.exit }).toEqual({ stderr: "", exit: "config" });
    expect(jsonOf(run)).toMatchObject({
      file: "bad.yaml",
      ok: false,
      diagnostics: MISTAKES.map(([code, line, column]) => ({
        severity: "error",
        code,
        line,
        column,
        file: "bad.yaml",
      })),
    });
  });

  it("accepts warnings, except with --strict", async () => {
    const lenient = await policy("check", "warns.yaml");
    expect(lenient).toMatchObject({ stdout: "✓ warns.yaml: 0 errors, 1 warning\n", exit: "ok" });
    expect(lenient.stderr).toMatch(/^warning\[POL105\]: .+\n +--> warns\.yaml:4:11$/m);
    const strict = await policy("check", "warns.yaml", "--strict");
    expect(strict).toMatchObject({
      stdout: "✗ warns.yaml: 0 errors, 1 warning\n",
      stderr: lenient.stderr,
      exit: "config",
    });
    const json = await policy("check", "warns.yaml", "--strict", "--json");
    expect(json.exit).toBe("config");
    expect(jsonOf(json)).toMatchObject({ ok: false, diagnostics: [{ severity: "warning", code: "POL105" }] });
  });

  it("reports a file that expands without bound as a bad file, not as an internal error", async () => {
    const { stderr, exit } = await policy("check", "bomb.yaml");
    expect(stderr).not.toContain("unexpected error");
    expect(exit).toBe("config");
  });

  it.each([
    ["missing", "nowhere.yaml", "there is no such file"],
    ["a folder", ".", "it is a folder"],
  ])("cannot read a file that is %s", async (_what, path, why) => {
    const run = await policy("check", path);
    expect(run).toEqual({ stdout: "", stderr: `faultline: Cannot read ${path}: ${why}.\n`, exit: "usage" });
  });
});

describe("policy show", () => {
  it.each(PRESET_NAMES)("shows the preset %s", async (preset) => {
    const { stdout, stderr, exit } = await policy("show", "--preset", preset);
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    expect(stdout).toMatch(new RegExp(`^policy ${preset} {2}first match wins\\n`));
    expect(stdout).toContain(preset === "default" ? "(matrix)" : `(preset ${preset})`);
    expect(stdout).toMatch(/^breaker +opens after 5 /m);
  });

  it("puts the file's row first and says which line it is", async () => {
    const { stdout } = await policy("show", "--policy", "good.yaml");
    const rows = stdout.split("\n").slice(2);
    const [first = "", second = ""] = [rows[0], rows.slice(1).find((row) => row.startsWith("code RateLimited"))];
    expect(first).toMatch(
      /^code RateLimited, provider openai +3 × 1 s · 1 s ±20 % +park → fail {2}\(file good\.yaml:3\)$/,
    );
    expect(second).toMatch(/^code RateLimited +6 × 5 s · 10 s · 20 s · 40 s · 1 min 20 s ±20 % .*\(matrix\)$/);
  });

  it("shows the whole policy as JSON", async () => {
    const document = jsonOf(await policy("show", "--policy", "good.yaml", "--json")) as { rows: readonly unknown[] };
    expect(document).toMatchObject({ name: "good.yaml", breaker: { failures: 5 } });
    expect(document.rows[0]).toMatchObject({ then: ["park", "fail"], origin: { layer: "file", at: "good.yaml:3" } });
  });

  it("shows nothing of a bad file but its mistakes", async () => {
    const { stdout, stderr, exit } = await policy("show", "--policy", "bad.yaml");
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "config" });
    expect(stderr).toContain("--> bad.yaml:10:27");
    expect(stderr).toContain("bad.yaml has 8 errors");
  });

  it.each([
    ["both a file and a preset", ["--policy", "good.yaml", "--preset", "eager"]],
    ["a preset there is not", ["--preset", "egaer"]],
    ["a file there is not", ["--policy", "nowhere.yaml"]],
  ])("refuses %s", async (_what, args) => {
    expect(await policy("show", ...args)).toMatchObject({ stdout: "", exit: "usage" });
  });
});

describe("policy simulate", () => {
  it("shows the waits of a rate limit with their bounds and the total", async () => {
    expect(await policy("simulate", "RateLimited")).toEqual({
      stdout: `RateLimited  code RateLimited (matrix)
  attempt 2 of 6  after 5 s (4 s – 6 s)  in total ≤ 6 s
  attempt 3 of 6  after 10 s (8 s – 12 s)  in total ≤ 18 s
  attempt 4 of 6  after 20 s (16 s – 24 s)  in total ≤ 42 s
  attempt 5 of 6  after 40 s (32 s – 48 s)  in total ≤ 1 min 30 s
  attempt 6 of 6  after 1 min 20 s (1 min 4 s – 1 min 36 s)  in total ≤ 3 min 6 s
  If the server names a wait, it is used exactly, up to 10 min.
  then: fall back → use another tool → use the default value → continue without it → wait durably → ask a person → tell the model → give up
`,
      stderr: "",
      exit: "ok",
    });
  });

  it("shows them as JSON", async () => {
    const document = jsonOf(await policy("simulate", "ratelimited", "--json"));
    expect(document).toMatchObject({
      code: "RateLimited",
      policy: "default",
      waits: [5, 10, 20, 40, 80].map((seconds, index) => ({
        attempt: index + 2,
        baseMs: seconds * 1000,
        minMs: seconds * 800,
        maxMs: seconds * 1200,
        reachable: true,
      })),
      totalMaxMs: 186_000,
      then: ["fallback", "alternative", "default", "skip", "park", "ask", "surface", "fail"],
    });
  });

  it.each([
    ["openai", "good.yaml:3"],
    ["mistral", "RateLimited"],
  ])("uses the row that applies to %s", async (provider, at) => {
    const run = await policy("simulate", "RateLimited", "--policy", "good.yaml", "--provider", provider, "--json");
    expect(jsonOf(run)).toMatchObject({ row: { origin: { at } } });
  });

  it("says that a code is not retried", async () => {
    const { stdout } = await policy("simulate", "AuthFailed");
    expect(stdout).toContain("one attempt, no retry");
  });

  it("suggests the nearest code for one it does not know", async () => {
    const { stdout, stderr, exit } = await policy("simulate", "RateLimted");
    expect({ stdout, exit }).toEqual({ stdout: "", exit: "usage" });
    expect(stderr).toContain("Did you mean `RateLimited`?");
  });

  it.each(["quotaexausted", "QUOTAEXHAUSTD"])("suggests it in any letter case: %s", async (code) => {
    expect((await policy("simulate", code)).stderr).toContain("Did you mean `QuotaExhausted`?");
  });
});

describe("policy schema", () => {
  it("is a JSON Schema that accepts a good file and rejects a bad one", async () => {
    const { stdout, stderr, exit } = await policy("schema");
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    const document = JSON.parse(stdout) as z.core.JSONSchema.JSONSchema;
    expect(document).toMatchObject({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: { version: { const: 1 }, rows: { type: "array" } },
      required: ["version"],
      additionalProperties: false,
    });
    const compiled = z.fromJSONSchema(document);
    const row = { match: { code: "RateLimited" }, retry: "none", then: ["fail"] };
    expect(compiled.safeParse({ version: 1, rows: [row] }).success).toBe(true);
    expect(compiled.safeParse({ version: 1, rows: [{ ...row, then: ["explode"] }] }).success).toBe(false);
    expect(compiled.safeParse({ rows: [row] }).success).toBe(false);
  });
});
