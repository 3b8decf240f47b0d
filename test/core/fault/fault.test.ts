// Faults keep what they are: through wrapping, throwing, suppressing and partial results.

import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  causeChain,
  classify,
  collectPartial,
  fault,
  FaultError,
  isFaultError,
  suppressed,
  withContext,
  wrap,
  type Fault,
} from "../../../src/core/index.ts";
import { andAlso, failedName, isFault, isWholeFault, originOf, withOrigin } from "../../../src/core/fault/fault.ts";

const WHOLE = fault("NotFound", { message: "no such tool" });

describe("a foreign value", () => {
  it("is a whole fault only if every part has its type", () => {
    expect(isWholeFault(WHOLE)).toBe(true);
    expect(isWholeFault(structuredClone(WHOLE))).toBe(true);
  });

  it.each<[string, unknown]>([
    ["nothing", null],
    ["no value", undefined],
    ["a text", "NotFound"],
    ["a function", () => WHOLE],
    ["an unknown code", { ...WHOLE, code: "Nothing" }],
    ["another class", { ...WHOLE, class: "Output" }],
    ["no message", { ...WHOLE, message: undefined }],
    ["a context that is a text", { ...WHOLE, context: "x" }],
    ["a context that is null", { ...WHOLE, context: null }],
    ["no evidence", { ...WHOLE, evidence: null }],
    ...(["rule", "source", "excerpt", "nearly"] as const).map((part): [string, unknown] => [
      `evidence without ${part}`,
      { ...WHOLE, evidence: { ...WHOLE.evidence, [part]: 7 } },
    ]),
  ])("is not a whole fault: %s", (_what, value) => {
    expect(isWholeFault(value)).toBe(false);
  });

  it.each<[string, unknown, boolean]>([
    ["a fault", WHOLE, true],
    ["null", null, false],
    ["a text", "class code evidence", false],
    ["a value with a code", { code: 1, evidence: 1 }, false],
    ["a value with a class", { class: 1, evidence: 1 }, false],
    ["a value with both", { class: 1, code: 1 }, false],
  ])("has or lacks the parts of a fault: %s", (_what, value, expected) => {
    expect(isFault(value)).toBe(expected);
  });

  it.each<[string, unknown]>([
    ["null", null],
    ["a function with the brand", Object.assign(() => 0, { fault: WHOLE, [Symbol.for("faultline.fault")]: true })],
    ["a brand without a fault", { [Symbol.for("faultline.fault")]: true }],
    ["a fault without the brand", { fault: WHOLE }],
  ])("is not an error with a fault: %s", (_what, value) => {
    expect(isFaultError(value)).toBe(false);
  });
});

describe("a fault", () => {
  it("has only the timing and the cause that it was given", () => {
    expect(Object.keys(fault("NotFound")).toSorted()).toEqual(["class", "code", "context", "evidence", "message"]);
    const full = { retryAfterMs: 0, resetAt: 0, cause: WHOLE };
    expect(fault("NotFound", full)).toMatchObject(full);
  });

  it("names who failed, or nobody", () => {
    expect(failedName({ context: { tool: "west" } })).toBe("west");
    expect(failedName({ context: { tool: 7 } })).toBe("");
    expect(failedName({ context: {} })).toBe("");
  });

  it("keeps the origin of both faults when dealing with the first one failed as well", () => {
    const thrown = (name: string, requestIds: Readonly<Record<string, string>>): Fault =>
      withOrigin(fault("Overloaded", { message: name }), { thrown: [{ name, message: name }], requestIds });
    const [first, second] = [thrown("a", { x: "1" }), wrap(thrown("b", { x: "2", y: "3" }), "while closing")];
    expect(andAlso(first, "closing", second)).toMatchObject({
      code: "Overloaded",
      message: "a; closing: while closing: b",
    });
    const sentence = fault("NotFound", { message: "Give the full path." });
    expect(andAlso(sentence, "closing", sentence).message).toBe("Give the full path; closing: Give the full path.");
    expect(originOf(andAlso(first, "closing", second))).toMatchObject({
      thrown: [{ name: "a" }, { name: "b" }],
      requestIds: { x: "1", y: "3" },
    });
    expect(originOf(andAlso(WHOLE, "closing", fault("NotFound")))).toBeNull();
    expect(originOf(andAlso(first, "closing", WHOLE))?.thrown).toHaveLength(1);
  });

  it("stays the same object if its origin is none, or the same", () => {
    const origin = { thrown: [], requestIds: {} };
    const known = withOrigin(WHOLE, origin);
    expect(withOrigin(WHOLE, undefined)).toBe(WHOLE);
    expect(withOrigin(known, origin)).toBe(known);
    expect(originOf(known)).toBe(origin);
  });

  it("keeps the error it was made of, if there was one", () => {
    const error = new Error("x");
    expect(new FaultError(WHOLE, { error })).toHaveProperty("error", error);
    expect(new FaultError(WHOLE)).not.toHaveProperty("error");
  });

  it("takes its class from the catalogue and cannot be changed", () => {
    const made = fault("NotFound", { message: "no such tool", context: { tool: "search" } });
    expect(made).toMatchObject({ class: "ToolTerminal", code: "NotFound", message: "no such tool" });
    expect(made.evidence.source).toBe("raised");
    expect(() => Object.assign(made, { code: "RateLimited" })).toThrow(TypeError);
  });

  it("keeps class, code, timing and cause through any number of wraps", () => {
    const inner = fault("RateLimited", {
      message: "429",
      retryAfterMs: 1400,
      resetAt: 5000,
      context: { provider: "openai" },
    });
    const outer = wrap(wrap(inner, "planning"), "turn 3", { turn: 3 });
    expect(outer).toMatchObject({ class: "ProviderTransient", code: "RateLimited", retryAfterMs: 1400, resetAt: 5000 });
    expect(outer.message).toBe("turn 3: planning: 429");
    expect(outer.context).toEqual({ provider: "openai", turn: 3 });
    expect(causeChain(outer).map(({ message }) => message)).toEqual(["turn 3: planning: 429", "planning: 429", "429"]);
  });

  it("takes correlation ids as fields, not as words", () => {
    const told = withContext(fault("Uncaught", { message: "boom" }), { runId: "run_7Q", correlationId: "err_9K" });
    expect(told.context).toEqual({ runId: "run_7Q", correlationId: "err_9K" });
    expect(told.message).toBe("boom");
  });

  it("comes back out of an error that carried it, however deep, and is not classified twice", () => {
    const carried = fault("QuotaExhausted", { message: "used up" });
    const thrown = new Error("while planning", { cause: new FaultError(carried) });
    expect(isFaultError(thrown.cause)).toBe(true);
    const { evidence, ...seen } = classify({ surface: "node", error: thrown });
    expect(seen).toEqual({ ...carried, evidence: undefined });
    expect(evidence).toMatchObject(carried.evidence);
    expect(evidence.origin?.thrown.map(({ name }) => name)).toEqual(["Error", "FaultError"]);
  });

  it("shows no secret when the error that carries it is printed", () => {
    const error = new FaultError(
      fault("AuthFailed", { message: "Incorrect API key provided: sk-proj-abcdefgh12345678" }),
    );
    expect(`${inspect(error)} ${JSON.stringify(error)} ${String(error)}`).not.toContain("abcdefgh12345678");
    expect(error.fault.code).toBe("AuthFailed");
  });

  it("is recognised across two copies of the package", () => {
    const foreign = Object.assign(new Error("x"), { fault: fault("NotFound"), [Symbol.for("faultline.fault")]: true });
    expect(isFaultError(foreign)).toBe(true);
    expect(isFaultError(new Error("x"))).toBe(false);
  });

  it("is recorded even when it is ignored, with the reason", () => {
    const event = suppressed(fault("NotFound"), "the cache file is optional", 1000);
    expect(event).toEqual({
      type: "fault-suppressed",
      at: 1000,
      reason: "the cache file is optional",
      fault: fault("NotFound"),
    });
  });

  it("accompanies the part of a result that did arrive", () => {
    const timeout = fault("ExecutionTimeout");
    const result = collectPartial([
      { item: "a", value: 1 },
      { item: "b", fault: timeout },
      { item: "c", value: 3 },
    ]);
    expect(result).toEqual({ value: [1, 3], errors: [{ item: "b", fault: timeout }] });
  });
});
