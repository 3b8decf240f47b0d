// What the error of `fl.call` says besides the fault: where the call failed, how often, which targets failed before, and where the program threw.

import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { fault, type FaultCode, FaultError, type Faultline, tool } from "../../../src/index.ts";
import { thrownBy } from "../../support/thrown.ts";
import { world } from "../../support/world.ts";

async function errorIn(use: (fl: Faultline) => Promise<unknown>): Promise<FaultError> {
  const { fl, clock } = world();
  onTestFinished(() => fl.close());
  return (await clock.runUntil(thrownBy(use(fl)))) as FaultError;
}

const failing = (id: string, code: FaultCode, resetAt?: number) =>
  tool({
    id,
    retry: { maxAttempts: 2 },
    run: (): never => {
      throw new FaultError(fault(code, { message: "away", ...(resetAt === undefined ? {} : { resetAt }) }));
    },
  });

describe("the error of a call", () => {
  it("names the tool that failed and how often it was tried, and leaves the fault's message as it is", async () => {
    const error = await errorIn((fl) => fl.call(failing("rates", "ToolUnavailable"), null));
    expect(error.message).toBe("ToolTransient/ToolUnavailable: away (at rates, 2 attempts)");
    expect(error.fault.message).toBe("away");
  });

  it("names the tools that failed before, with their codes", async () => {
    const first = tool({
      id: "first",
      retry: "none",
      run: (): never => {
        throw new FaultError(fault("ToolUnavailable"));
      },
      alternatives: [failing("second", "ToolUnavailable")],
    });
    const error = await errorIn((fl) => fl.call(first, null));
    expect(error.message).toContain("(at second, 3 attempts; before that first: ToolUnavailable)");
  });

  it("says when the target is available again, if that is known", async () => {
    const at = Date.UTC(2031, 0, 2, 3, 4, 5);
    const error = await errorIn((fl) => fl.call(failing("rates", "QuotaExhausted", at), null));
    expect(error.message).toContain("available again at 2031-01-02T03:04:05.000Z");
  });

  it("says that a question waits, and how to answer it", async () => {
    const paid = tool({ id: "pay", cost: { estimate: () => 8_000 }, run: () => "paid" });
    const error = await errorIn(async (fl) => {
      const budget = { maxUsd: 0.00001, onExceed: "pause_for_approval" } as const;
      const session = await fl.session("s1", { mode: "headless", budget });
      return session.call(paid, null);
    });
    expect(error.fault.code).toBe("BudgetExceeded");
    expect(error.message).toMatch(/; question \S+ waits for an answer: fl\.answer, or the dashboard\)$/);
  });

  it("names the cause of a failed fetch by its code", async () => {
    const cause = Object.assign(new Error("getaddrinfo ENOTFOUND rates.invalid"), { code: "ENOTFOUND" });
    const unreachable = (): never => {
      throw new TypeError("fetch failed", { cause });
    };
    const error = await errorIn((fl) => fl.call(unreachable, { id: "rates", retry: "none" }));
    expect(error.message).toMatch(/: fetch failed \(ENOTFOUND; at rates\)$/);
  });

  it("repeats no code that could be anything, because a secret could be in it", async () => {
    const cause = Object.assign(new Error("no"), { code: "Esk-live-4242424242" });
    const unreachable = (): never => {
      throw new TypeError("fetch failed", { cause });
    };
    const error = await errorIn((fl) => fl.call(unreachable, { id: "rates", retry: "none" }));
    expect(error.message).not.toContain("4242");
  });

  it("says only what is wrong when nothing was tried", async () => {
    const error = await errorIn((fl) => fl.call(() => 1, { id: "rates", retyr: "none" } as never));
    expect(error.message).not.toContain("(at ");
  });

  it("has what the function threw as its cause, so that printing it shows the line", async () => {
    const thrown = new TypeError("x is undefined");
    const run = (): never => {
      throw thrown;
    };
    const error = await errorIn((fl) => fl.call(run, { id: "mine" }));
    expect(error.cause).toBe(thrown);
    expect(inspect(error)).toContain("error-message.test.ts");
    expect(Object.keys(error)).not.toContain("cause");
  });

  it("adds nothing to the record of a call around it", async () => {
    const inner = async (withCause: boolean): Promise<unknown> => {
      const raised = new FaultError(fault("ToolUnavailable", { message: "away" }));
      const error = new FaultError(raised.fault, { error: raised, ...(withCause ? { cause: raised } : {}) });
      const outer = await errorIn((fl) => fl.call(() => Promise.reject(error), { id: "outer", retry: "none" }));
      return outer.fault.evidence.origin?.thrown.map(({ name }) => name);
    };
    expect(await inner(true)).toEqual(await inner(false));
  });
});
