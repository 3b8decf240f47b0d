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
} from "../../../src/core/index.ts";

describe("a fault", () => {
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
