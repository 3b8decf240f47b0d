import { readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { join } from "node:path";
import { parseAst } from "vite";
import { describe, expect, it } from "vitest";
import { mutantsOf, ROOT, sampleMutants } from "./sample.ts";

describe("a sample of mutants", () => {
  it("is the same for the same seed, and another for another seed", () => {
    expect(sampleMutants(["core"], 20, 7)).toEqual(sampleMutants(["core"], 20, 7));
    expect(sampleMutants(["core"], 20, 7)).not.toEqual(sampleMutants(["core"], 20, 8));
  });

  it("changes one place of the source, and the result still parses", () => {
    const file = "src/core/decide/breaker.ts";
    const source = readFileSync(join(ROOT, file), "utf8");
    const mutants = mutantsOf(file);
    expect(mutants.length).toBeGreaterThan(20);
    for (const { start, end, from, to } of mutants) {
      expect(source.slice(start, end).replaceAll(/\s+/g, " ")).toBe(from);
      expect(from).not.toBe(to);
      parseAst(stripTypeScriptTypes(source.slice(0, start) + to + source.slice(end)));
    }
  });
});
