// What a model may read of a fault: the mistakes in its own arguments, and of what a tool said only what the tool declares.

import * as z from "zod";
import { describe, expect, it } from "vitest";
import { FAULT_CODES, MODEL_DETAILS } from "../../../src/core/index.ts";
import { fault, type ModelView, type Outcome, tool, viewFor } from "../../../src/index.ts";
import { life } from "../../runtime/session/life.ts";

const SECRET = `sk-live-${"a1B2c3D4".repeat(4)}`;
const STDERR = `${"x".repeat(5_000)}\nno file /srv/app/data.csv with ${SECRET}\nlast line`;

const view = (outcome: Outcome<unknown>): ModelView => {
  if (!("fault" in outcome)) throw new Error("it did not fail");
  return viewFor("model", outcome.fault, { correlationId: outcome.call });
};

const JSON_SCHEMA = {
  type: "object",
  properties: { city: { type: "string" }, nights: { type: "number" }, guests: { type: "array" } },
  required: ["city", "nights"],
};
const ZOD = z.object({ city: z.string(), nights: z.number(), guests: z.array(z.string()).optional() });

describe("a model that gave wrong arguments", () => {
  it.each([
    ["JSON Schema", JSON_SCHEMA],
    ["zod", ZOD as never],
  ])("sees where the mistake is, what was expected and what it sent: %s", async (_, input) => {
    const { fl, clock } = life();
    const search = tool<unknown, string>({ id: "search", input, run: () => "found" });
    const seen = view(await clock.runUntil(fl.protect(search, { nights: SECRET, guests: 7 })));
    expect(seen.code).toBe("InputInvalid");
    const issues = seen.issues ?? [];
    expect(issues.map(({ path, got }) => `${path} ${got}`).toSorted()).toEqual([
      "$.city nothing",
      "$.guests number",
      "$.nights string",
    ]);
    expect(issues.find(({ path }) => path === "$.nights")?.expected).toMatch(/number/);
    expect(JSON.stringify(seen)).not.toContain("a1B2");
  });

  it("gets at most ten mistakes, each of them short and without secrets", () => {
    const issues = Array.from({ length: 500 }, (_, index) => ({
      path: `$.${"p".repeat(10_000)}${index}`,
      expected: `must not be ${SECRET} ${"y".repeat(10_000)}`,
      got: "string",
    }));
    const wrong = fault("InputInvalid", { evidence: { ...fault("InputInvalid").evidence, issues } });
    const text = JSON.stringify(viewFor("model", wrong, { correlationId: "c" }));
    expect(text.length).toBeLessThan(10_000);
    expect(text).not.toContain("a1B2");
  });
});

describe("what a failed tool said", () => {
  const said = (code: (typeof FAULT_CODES)[number]): ReturnType<typeof fault> =>
    fault(code, {
      message: `it broke at /srv/app/main.js:7 ${SECRET}`,
      context: { exitCode: 1 },
      evidence: { rule: "command/exit", source: "process", nearly: [], excerpt: STDERR },
    });

  it.each(FAULT_CODES)("%s: reaches a model only as the tool declares, bounded and without secrets", (code) => {
    const views = MODEL_DETAILS.map((modelDetail) => viewFor("model", said(code), { correlationId: "c", modelDetail }));
    const [none, tail, full] = views;
    expect(none).toEqual(viewFor("model", said(code), { correlationId: "c" }));
    expect(JSON.stringify(none)).not.toMatch(/srv|last line|main\.js/);
    expect(tail?.detail).toMatch(/last line$/);
    expect(tail?.detail).not.toContain("main.js");
    expect(full?.detail).toMatch(/last line$/);
    for (const one of views) {
      expect((one.detail ?? "").length).toBeLessThanOrEqual(2_000);
      expect(JSON.stringify(one)).not.toContain("a1B2");
    }
  });

  it("has no end of an output when no process ran", () => {
    const thrown = fault("ExecutionFailed", { message: "at /srv/app/main.js" });
    expect(viewFor("model", thrown, { correlationId: "c", modelDetail: "stderr_tail" }).detail).toBeUndefined();
    expect(viewFor("model", thrown, { correlationId: "c", modelDetail: "full" }).detail).toBe("at /srv/app/main.js");
  });

  it("is refused by name when the declaration is none of the three", () => {
    const declare = (): unknown => tool<null, null>({ id: "it", run: () => null, modelDetail: "all" as never });
    expect(declare).toThrow(/modelDetail.*none.*stderr_tail.*full/);
  });
});
