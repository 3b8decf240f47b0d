// `faultline tools` shows every mistake in tool manifests at its position, and prints the schema for editors.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { jsonOf, type Run, runCli } from "../support/run-cli.ts";

const GOOD = `tools:
  - id: flight_search
    timeout_ms: 10000
    idempotent: true
    alternatives: [flight_search_b]
    retry_policy: { strategy: exponential_backoff, max_attempts: 3 }
    classification:
      - { status: 409, as: transient }
  - id: flight_search_b
`;
const WARNS = `tool:
  id: search
  retry_policy:
    max_attempts: 1
    initial_delay_ms: 100
`;
const BAD = `tools:
  - id: search
    timeout: 10
    retry_policy: { strategy: expnential_backoff }
  - id: pay
    retry_policy: { max_attempts: 0 }
    idempotent: maybe
`;
const MISTAKES = [
  ["TOOL002", 3, 5],
  ["TOOL004", 4, 31],
  ["TOOL005", 6, 35],
  ["TOOL003", 7, 17],
] as const;
const SECRET = "sk-ant-api03-AAAABBBBCCCC";
/** A mistake in a line that would clear the screen and leak a key. */
const HOSTILE = `tool:\n  id: x\n  "a\u009b2J ${SECRET}": 1\n`;

const FILES = {
  "good.yaml": GOOD,
  "warns.yaml": WARNS,
  "bad.yaml": BAD,
  "twice.yaml": `${GOOD}---\ntool: { id: flight_search }\n`,
  "empty.yaml": "",
  "hostile.yaml": HOSTILE,
};

function tools(...args: readonly string[]): Promise<Run> {
  return runCli(["tools", ...args], { files: FILES });
}

describe("tools check", () => {
  it("reports a good file as good", async () => {
    expect(await tools("check", "good.yaml")).toEqual({
      stdout: "✓ good.yaml: 0 errors, 0 warnings\n",
      stderr: "",
      exit: "ok",
    });
  });

  it("reports every mistake with its position, in file order", async () => {
    const { stdout, stderr, exit } = await tools("check", "bad.yaml");
    expect({ stdout, exit }).toEqual({ stdout: "✗ bad.yaml: 4 errors, 0 warnings\n", exit: "config" });
    const heads = [...stderr.matchAll(/^error\[(TOOL\d+)\]: .+\n +--> bad\.yaml:(\d+):(\d+)$/gm)];
    expect(heads.map(([, code, line, column]) => [code, Number(line), Number(column)])).toEqual(MISTAKES);
    expect(stderr).toContain("^^^^^^^^^^^^^^^^^^ did you mean `exponential_backoff`?\n");
  });

  it("reports them as JSON", async () => {
    const run = await tools("check", "bad.yaml", "--json");
    expect({ stderr: run.stderr, exit: run.exit }).toEqual({ stderr: "", exit: "config" });
    expect(jsonOf(run)).toMatchObject({
      file: "bad.yaml",
      ok: false,
      diagnostics: MISTAKES.map(([code, line, column]) => ({ severity: "error", code, line, column })),
    });
  });

  it("finds mistakes that span two documents", async () => {
    const { stderr, exit } = await tools("check", "twice.yaml");
    expect(exit).toBe("config");
    expect(stderr).toMatch(/^error\[TOOL007\]: there are two tools `flight_search`\n +--> twice\.yaml:11:13$/m);
  });

  it("accepts warnings, except with --strict", async () => {
    const lenient = await tools("check", "warns.yaml");
    expect(lenient).toMatchObject({ stdout: "✓ warns.yaml: 0 errors, 1 warning\n", exit: "ok" });
    expect(lenient.stderr).toMatch(/^warning\[TOOL103\]: .+\n +--> warns\.yaml:4:19$/m);
    const strict = await tools("check", "warns.yaml", "--strict");
    expect(strict).toMatchObject({ stdout: "✗ warns.yaml: 0 errors, 1 warning\n", exit: "config" });
    expect(jsonOf(await tools("check", "warns.yaml", "--strict", "--json"))).toMatchObject({ ok: false });
  });

  it("rejects a file without a tool", async () => {
    expect(await tools("check", "empty.yaml")).toMatchObject({ exit: "config" });
  });

  it("cannot read a file that is missing", async () => {
    expect(await tools("check", "nowhere.yaml")).toEqual({
      stdout: "",
      stderr: "faultline: Cannot read nowhere.yaml: there is no such file.\n",
      exit: "usage",
    });
  });

  it.each([
    ["as text", []],
    ["as JSON", ["--json"]],
  ])("leaks neither secrets nor control characters %s", async (_how, args) => {
    const { stdout, stderr, exit } = await tools("check", "hostile.yaml", ...args);
    expect(exit).toBe("config");
    const all = stdout + stderr;
    expect(all).toContain("TOOL002");
    expect(all).not.toContain("\u009b");
    expect(all).not.toContain(SECRET);
  });
});

describe("tools schema", () => {
  it("is a JSON Schema that accepts a good file and rejects a bad one", async () => {
    const { stdout, stderr, exit } = await tools("schema");
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    const document = JSON.parse(stdout) as z.core.JSONSchema.JSONSchema;
    expect(document).toMatchObject({ $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" });
    const schema = z.fromJSONSchema(document);
    expect(schema.safeParse({ tool: { id: "a", timeout_ms: 10 } }).success).toBe(true);
    expect(schema.safeParse({ tool: { id: "a", timeout: 10 } }).success).toBe(false);
  });
});
