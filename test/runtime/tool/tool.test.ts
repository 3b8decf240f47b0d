// A tool's declaration: its options, its schemas, its context, and its types.

import { describe, expect, expectTypeOf, it } from "vitest";
import * as z from "zod";
import { isFaultError, type Outcome, partial, type RunContext, type Tool, tool } from "../../../src/index.ts";
import { failure, scripted, world } from "../../support/world.ts";

describe("a tool with a wrong option", () => {
  const declare = (more: object): (() => unknown) => {
    const options = { id: "search", run: () => "", ...more } as unknown as Parameters<typeof tool<string, string>>[0];
    return () => tool(options);
  };

  it.each<[field: string, value: unknown]>([
    ["id", ""],
    ["id", "  "],
    ["id", undefined],
    ["run", "search"],
    ["timeoutMs", 0],
    ["timeoutMs", NaN],
    ["timeoutMs", Infinity],
    ["timeoutMs", "30"],
    ["maxConcurrent", 0],
    ["maxConcurrent", NaN],
    ["maxConcurrent", 1.5],
    ["maxQueued", -1],
    ["maxPerMinute", 0.009],
    ["retry.maxAttempts", 0],
    ["retry.maxAttempts", Infinity],
    ["retry.maxAttempts", 2.5],
    ["retry", "never"],
    ["retry", null],
    ["retry.backoff.kind", "expo"],
    ["retry.backoff.initialMs", -1],
    ["retry.backoff.maxMs", NaN],
    ["retry.backoff.multiplier", 0.5],
    ["retry.jitter", 1.5],
    ["retry.maxWaitMs", NaN],
    ["retry.maxTotalWaitMs", -1],
    ["breaker.failures", 0],
    ["breaker.successes", NaN],
    ["breaker.openMs", -1],
    ["breaker.growth", 0],
    ["breaker.maxOpenMs", NaN],
    ["breaker.probeTimeoutMs", -1],
    ["breaker.counts", "failures"],
  ])("is refused at declaration, and the fault names the field: %s of %s", (field, value) => {
    const more = field.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
    let thrown: unknown = null;
    try {
      declare(more)();
    } catch (error) {
      if (!isFaultError(error)) throw error;
      thrown = error.fault;
    }
    expect(thrown).toMatchObject({ code: "ConfigSchemaViolation", context: { field } });
  });

  it.each([
    ["timeoutMs", 1],
    ["maxConcurrent", 1],
    ["maxQueued", 0],
    ["maxPerMinute", 0.01],
    ["retry.maxAttempts", 1],
    ["retry.backoff.initialMs", 0],
    ["retry.backoff.multiplier", 1],
    ["retry.jitter", 0],
    ["retry.maxTotalWaitMs", 0],
    ["breaker.failures", 1],
    ["breaker.successes", 1],
    ["breaker.openMs", 0],
    ["breaker.growth", 1],
    ["breaker.probeTimeoutMs", 0],
  ])("is accepted with the least that makes sense: %s of %s", (field, value) => {
    const more = field.split(".").reduceRight<unknown>((inner, name) => ({ [name]: inner }), value) as object;
    expect(declare(more)).not.toThrow();
  });

  it.each([
    ["input", { input: { type: "nonsense" } }],
    ["output", { output: new Date(0) }],
    ["input", { input: { from: z.string() } }],
  ])("is refused when its %s is not a schema: %j", (side, more) => {
    expect(declare(more)).toThrow(`the ${side} of tool search`);
  });

  it("has defaults for everything that is left out", () => {
    expect(tool<string, string>({ id: "search", run: () => "" })).toMatchObject({
      idempotent: false,
      timeoutMs: 30_000,
      retry: null,
      target: "search",
      provider: "search",
      surface: "tool",
      maxConcurrent: Infinity,
      maxQueued: 1_000,
      optional: false,
      fallbackValue: null,
    });
  });
});

const FLIGHT = z.object({ from: z.string().length(3), seats: z.coerce.number().int().default(1) });
const FLIGHT_JSON = {
  type: "object",
  properties: { from: { type: "string", minLength: 3 } },
  required: ["from"],
} as const;

describe("the schema of an input", () => {
  it("transforms the tool's input, and alternatives transform the original input themselves", async () => {
    const { fl } = world();
    const got: unknown[] = [];
    const second = tool<{ from: string }, string>({
      id: "second",
      input: FLIGHT_JSON,
      run: (input) => `second got ${JSON.stringify(got.push(input) && input)}`,
    });
    const first = tool({
      id: "first",
      input: FLIGHT,
      alternatives: [second],
      run: (input): string => {
        got.push(input);
        throw failure("NotFound");
      },
    });
    const given = { from: "ZRH", seats: "2" };
    expect(await fl.protect(first, given)).toMatchObject({ status: "done", from: "second" });
    expect(got[0]).toEqual({ from: "ZRH", seats: 2 });
    expect(got[1]).toBe(given);
  });

  it.each([
    ["zod", FLIGHT],
    ["JSON Schema", FLIGHT_JSON],
  ])("that rejects it, in %s, prevents the tool from running and names the field", async (_kind, input) => {
    const { fl } = world();
    let runs = 0;
    const search = tool<{ from: string }, number>({ id: "search", input: input as never, run: () => ++runs });
    const outcome = await fl.protect(search, { from: "Z" });
    expect(outcome).toMatchObject({
      status: "surfaced",
      attempts: 0,
      fault: { code: "InputInvalid", context: { tool: "search", field: "from" } },
    });
    expect(runs).toBe(0);
    expect(fl.targets()).toMatchObject([{ target: "search", breaker: "closed" }]);
  });

  it("is applied once, however often the tool is tried", async () => {
    const { fl, clock } = world();
    let read = 0;
    const input = z.string().transform((text) => `${text}${++read}`);
    const got: string[] = [];
    const flaky = tool({
      id: "flaky",
      input,
      run: (text, { attempt }) => {
        got.push(text);
        if (attempt < 3) throw failure("ToolUnavailable");
        return text;
      },
    });
    expect(await clock.runUntil(fl.protect(flaky, "x"))).toMatchObject({ status: "done", value: "x1" });
    expect(got).toEqual(["x1", "x1", "x1"]);
  });
});

describe("the schema of an output", () => {
  it("transforms the caller's value, also of a partial result", async () => {
    const { fl } = world();
    const output = z.object({ price: z.number() });
    const value = { price: 7, internal: "key" };
    const whole = tool<string, { price: number }>({ id: "whole", output, run: () => value });
    const part = tool<string, { price: number }>({ id: "part", output, run: () => partial(value, []) });
    expect(await fl.protect(whole, "")).toMatchObject({ status: "done", value: { price: 7 } });
    expect((await fl.protect(part, "")) as { value?: unknown }).toHaveProperty("value", { price: 7 });
  });

  it("that rejects it is not retried, here or elsewhere, because the work was done", async () => {
    const { fl, clock } = world();
    const second = scripted("second", []);
    const book = tool<string, number>({
      id: "book",
      output: { type: "number" },
      alternatives: [second.tool],
      retry: { maxAttempts: 5 },
      run: () => "not a number" as never,
    });
    const outcome = await clock.runUntil(fl.protect(book, "x"));
    expect(outcome).toMatchObject({ status: "surfaced", attempts: 1, fault: { code: "OutputMalformed" } });
    expect(outcome.status === "surfaced" && outcome.decision?.considered).toContainEqual({
      recourse: "alternative",
      refused: "may-have-happened",
    });
    expect(second.runs).toEqual([]);
  });

  it("that rejects it sends an idempotent call to another tool", async () => {
    const { fl } = world();
    const second = scripted("second", []);
    const search = tool<string, string>({
      id: "search",
      output: { type: "string" },
      idempotent: true,
      alternatives: [second.tool],
      run: () => 7 as never,
    });
    expect(await fl.protect(search, "x")).toMatchObject({ status: "done", from: "second" });
  });
});

describe("a running tool's context", () => {
  it("can be destructured: its functions work on their own", async () => {
    const { fl } = world();
    let rest: Partial<RunContext> = {};
    const half = tool<string, string>({
      id: "half",
      run: (_input, { partial: putDown, cost, artefact, signal, ...others }) => {
        rest = others;
        expect(signal.aborted).toBe(false);
        artefact("raw.txt", "raw");
        cost(7);
        putDown("half of it");
        throw failure("NotFound");
      },
    });
    expect(await fl.protect(half, "x")).toMatchObject({ status: "partial", value: "half of it" });
    expect(fl.spending.microcents).toBe(7);
    expect(rest).not.toHaveProperty("signal");
  });
});

describe("the compiler", () => {
  it("knows a tool's input and output types", () => {
    const typed = tool<{ a: number }, string>({ id: "typed", run: ({ a }) => String(a) });
    expectTypeOf(typed).toEqualTypeOf<Tool<{ a: number }, string>>();
    const inferred = tool({ id: "inferred", run: (input: { a: number }) => Promise.resolve(input.a) });
    expectTypeOf(inferred).toEqualTypeOf<Tool<{ a: number }, number>>();
    const schema = tool({ id: "schema", input: FLIGHT, run: ({ from, seats }) => ({ from, seats }) });
    expectTypeOf(schema).toEqualTypeOf<Tool<z.input<typeof FLIGHT>, { from: string; seats: number }>>();
    const { fl } = world();
    expectTypeOf(fl.protect(typed, { a: 1 })).toEqualTypeOf<Promise<Outcome<string>>>();
    expectTypeOf(fl.protect(schema, { from: "ZRH" })).resolves.toEqualTypeOf<
      Outcome<{ from: string; seats: number }>
    >();
  });
});

describe("what a tool returns", () => {
  const withThen = Object.assign(() => 1, { then: 7 });

  it.each([undefined, null, false, 0, "", "text", [], { then: "later" }, withThen])(
    "at once or later is the value of its call: %o",
    async (value) => {
      const { fl } = world();
      for (const returned of [value, Promise.resolve(value)]) {
        const returning = tool<string, unknown>({ id: "returning", run: () => returned });
        expect(await fl.protect(returning, "x")).toMatchObject({ status: "done", value, attempts: 1 });
      }
    },
  );
});
