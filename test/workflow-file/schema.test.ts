// Proves that editors see what the reader does: the JSON Schema accepts the same files, and says of every key what it is for.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { compileSchema } from "../../src/schema/index.ts";
import { MISTAKES, workflowJsonSchema } from "../../src/workflow-file/index.ts";
import { CONTRACT } from "./contract-text.ts";
import { definitionOf, nodes, top } from "./workflow-text.ts";

const check = compileSchema(workflowJsonSchema() as Record<string, unknown>, "workflow files");

interface Part {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Part>>;
}

/** Every key of the schema, but for those of policies, which are another file's. */
function keysOf(schema: unknown, path: string): readonly (readonly [string, Part])[] {
  if (typeof schema !== "object" || schema === null || path.endsWith(".policy")) return [];
  const { properties = {} } = schema as Part;
  const own = Object.entries(properties).map(([key, part]) => [`${path}.${key}`, part] as const);
  const deeper = Object.entries(schema).flatMap(([key, part]) =>
    key === "properties" || key === "examples" ? [] : keysOf(part, path),
  );
  return [...own, ...own.flatMap(([at, part]) => keysOf(part, at)), ...deeper];
}

describe("the JSON Schema", () => {
  it("accepts the workflow of a team", async () => {
    expect(await check(parse(CONTRACT))).toMatchObject({ ok: true });
  });

  it.each([
    ["an unknown key", top("agnets: {}")],
    ["a kind of node there is not", nodes("a: { type: tranform, value: '1' }")],
    ["a time that is none", top("limits: { timeout: soon }")],
    ["no money", top("limits: { max_cost_usd: 0 }")],
    [
      "a fault that trying again cannot help",
      nodes("a: { type: transform, value: '1', retry: { max_attempts: 2, on: [AuthFailed] } }"),
    ],
    ["a name no expression can use", nodes("a-b: { type: transform, value: '1' }")],
  ])("refuses %s", async (_what, source) => {
    expect(await check(parse(source))).toMatchObject({ ok: false });
  });

  it("says of every key what it is for, with an example", () => {
    const keys = keysOf(workflowJsonSchema(), "");
    expect(keys.length).toBeGreaterThan(150);
    for (const [path, { description, examples }] of keys) {
      expect(description, path).toMatch(/\S/);
      expect(examples, path).toBeDefined();
      expect(examples?.length, path).toBeGreaterThan(0);
    }
  });
});

describe("codes", () => {
  it("are each used for one kind of mistake, errors below 100 and warnings above", () => {
    const rows = Object.values(MISTAKES);
    expect(new Set(rows.map(({ code }) => code)).size).toBe(rows.length);
    for (const { code, severity } of rows) expect(Number(code.slice(3)) < 100).toBe(severity === "error");
  });
});

describe("the documentation", () => {
  const page = readFileSync(new URL("../../docs/WORKFLOW-FILE.md", import.meta.url), "utf8");

  it("shows a workflow of which nothing is said", async () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? "";
    const { nodes: all } = await definitionOf(example);
    expect(all.map(({ id }) => id)).toEqual(["coder", "reviewer", "tests"]);
    expect(await check(parse(example))).toMatchObject({ ok: true });
  });

  it("names every key and every code", () => {
    for (const [path] of keysOf(workflowJsonSchema(), "")) {
      const key = path.slice(path.lastIndexOf(".") + 1);
      expect(page, path).toContain(key);
    }
    for (const { code } of Object.values(MISTAKES)) expect(page).toContain(code);
  });
});

describe("a limit on a list", () => {
  /** Every field with a description, and the length of the longest list that may be written there. */
  function lists(schema: unknown): readonly (readonly [string, number])[] {
    if (typeof schema !== "object" || schema === null) return [];
    const inner = Object.values(schema).flatMap(lists);
    const { description, maxItems, anyOf } = schema as Readonly<Record<string, unknown>>;
    const ways = [maxItems, ...(Array.isArray(anyOf) ? anyOf.map((way: { maxItems?: number }) => way.maxItems) : [])];
    const limits = ways.filter((limit) => typeof limit === "number");
    return typeof description === "string" && limits.length > 0
      ? [[description, Math.max(...limits)], ...inner]
      : inner;
  }

  it("is part of the field's description, so that editors and the documentation show it", () => {
    const found = lists(workflowJsonSchema());
    expect(found.map(([description]) => description)).toContain("The nodes that run side by side. 50 at most.");
    for (const [description, limit] of found) expect(description).toContain(`${limit} at most.`);
  });
});
