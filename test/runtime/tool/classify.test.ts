// How a tool's failures are classified: by the classifier, by rules before it, or by the tool itself; each failure separately.

import { describe, expect, it } from "vitest";
import { type Fault, fault, type FaultCode, type JournalEvent, type Rule } from "../../../src/index.ts";
import { callTimes, failure, scripted, world } from "../../support/world.ts";

const suppressedIn = (events: readonly JournalEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === "fault-suppressed" ? [event.reason] : []));

describe("the meaning of a failure", () => {
  /** The first fault of a tool with this `classify` hook. */
  async function named(
    hook: (error: unknown, seen: Fault) => unknown,
  ): Promise<{ seen: Fault; told: readonly string[] }> {
    const { fl, events } = world();
    const classify = hook as (error: unknown, seen: Fault) => FaultCode | Fault | undefined;
    const { tool: odd } = scripted("odd", [new Error("HTTP 503, retry after 7 seconds")], { classify, retry: "none" });
    const outcome = await fl.protect(odd, "x");
    if (!("fault" in outcome)) throw new Error(`the call was ${outcome.status}`);
    return { seen: outcome.fault, told: suppressedIn(events()) };
  }

  it("comes from the classifier if the tool has no opinion", async () => {
    const { seen, told } = await named(() => undefined);
    expect(seen).toMatchObject({ code: "ToolUnavailable", retryAfterMs: 7_000 });
    expect(told).toEqual([]);
  });

  it("comes from the tool if it returns a code, with the evidence of the classifier", async () => {
    const { seen } = await named(() => "ResourceBusy");
    expect(seen).toMatchObject({
      code: "ResourceBusy",
      class: "ToolTransient",
      retryAfterMs: 7_000,
      evidence: { rule: "tool/odd" },
    });
  });

  it("comes from the tool if it returns a whole fault", async () => {
    const { seen } = await named((_error, before) => fault("NotFound", { message: `was ${before.code}` }));
    expect(seen).toMatchObject({ code: "NotFound", message: "was ToolUnavailable" });
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("bug in the hook");
      },
    ],
    ["returns null", () => null],
    ["returns a code that there is none of", () => "Nonsense"],
    ["returns something like a fault", () => ({ code: "NotFound" })],
    ["returns a promise", () => Promise.resolve("NotFound")],
  ])("comes from the classifier if the tool's own %s, and that is reported", async (_what, hook) => {
    const { seen, told } = await named(hook);
    expect(seen.code).toBe("ToolUnavailable");
    expect(told).toEqual([expect.stringContaining("classify hook of tool odd")]);
  });

  it("can be set by rules of the tool and of the runtime, the tool's first", async () => {
    const rule = (id: string, means: FaultCode): Rule => ({
      id,
      when: { says: [["gate is shut"]] },
      means,
      example: "the gate is shut",
    });
    const { fl } = world({ rules: [rule("mine/gate", "NotFound")] });
    const shut = new Error("sorry, the gate is shut today");
    const plain = scripted("plain", [shut]);
    const own = scripted("own", [shut], { rules: [rule("own/gate", "Forbidden")] });
    expect(await fl.protect(plain.tool, "")).toMatchObject({
      fault: { code: "NotFound", evidence: { rule: "mine/gate" } },
    });
    expect(await fl.protect(own.tool, "")).toMatchObject({
      fault: { code: "Forbidden", evidence: { rule: "own/gate" } },
    });
  });
});

describe("a failure after another", () => {
  /** The faults of one tool, one call for each failure. */
  async function seenOf(failures: readonly Error[]): Promise<readonly Fault[]> {
    const here = world();
    const odd = scripted("odd", failures, { idempotent: false, retry: "none", breaker: { failures: 99 } });
    await callTimes(here, odd.tool, failures.length);
    return here.events().flatMap((event) => (event.type === "call-failed" ? [event.fault] : []));
  }

  it("has its own wait, even if the text is the same", async () => {
    const faults = await seenOf([failure("RateLimited"), failure("RateLimited", { retryAfterMs: 30_000 })]);
    expect(faults.map(({ retryAfterMs }) => retryAfterMs)).toEqual([undefined, 30_000]);
  });

  it("keeps its own context, even if the text is the same", async () => {
    const faults = await seenOf(["a", "b"].map((item) => failure("ToolUnavailable", { context: { item } })));
    expect(faults.map(({ context }) => context["item"])).toEqual(["a", "b"]);
  });

  it("is not mistaken for the previous one if only its name or a getter's value differs", async () => {
    const dom = await seenOf([new DOMException("x", "TimeoutError"), new DOMException("x", "NetworkError")]);
    const alone = await seenOf([new DOMException("x", "NetworkError")]);
    expect(dom.map(({ code }) => code)).toEqual(["ExecutionTimeout", alone[0]?.code]);
    expect(dom[1]?.code).not.toBe("ExecutionTimeout");
    class Answer extends Error {
      readonly #status: number;
      constructor(status: number) {
        super("refused");
        this.#status = status;
      }
      get status(): number {
        return this.#status;
      }
    }
    const answers = await seenOf([new Answer(503), new Answer(404)]);
    expect(answers.map(({ context }) => context["status"])).toEqual([503, 404]);
  });

  it("is not mistaken for the previous one if its cause, code, aggregated or hidden errors differ", async () => {
    const refused = Object.assign(new Error("failed"), { code: "ECONNREFUSED" });
    const missing = Object.assign(new Error("failed"), { code: "ENOENT" });
    const causes = [refused, missing].map((cause) => new Error("failed", { cause }));
    const gathered = [refused, missing].map((error) => new AggregateError([error], "failed"));
    const hidden = Object.defineProperty(new Error("failed"), "status", { value: 404 });
    const plain = new Error("failed");
    for (const pair of [[refused, missing], causes, gathered, [hidden, plain], [causes[0] ?? plain, plain]]) {
      const apart = (await Promise.all(pair.map((error) => seenOf([error])))).flat().map(({ code }) => code);
      expect(new Set(apart).size).toBe(2);
      expect((await seenOf(pair)).map(({ code }) => code)).toEqual(apart);
      expect((await seenOf(pair.toReversed())).map(({ code }) => code)).toEqual(apart.toReversed());
    }
  });

  it("is classified the same if it is the same", async () => {
    const faults = await seenOf(Array.from({ length: 4 }, () => Object.assign(new Error("down"), { status: 503 })));
    expect(faults).toHaveLength(4);
    for (const seen of faults) expect(seen).toEqual(faults[0]);
    expect(faults[0]).toMatchObject({ code: "ToolUnavailable", context: { status: 503 } });
  });
});
