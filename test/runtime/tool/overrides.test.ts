// An operator's manifest for a tool changes how it runs, and takes precedence over the author's code.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { type JournalEvent, type PolicyRow, tool } from "../../../src/index.ts";
import { manifestsOf } from "../../support/tool-text.ts";
import { broken, callTimes, failure, held, scripted, START_AT, type World, world } from "../../support/world.ts";

/** A world with an operator's manifest for the tool `a`. */
function ruled(lines: readonly string[], options: Parameters<typeof world>[0] = {}): World {
  const text = `tool:\n  id: a\n${lines.map((line) => `  ${line}\n`).join("")}`;
  return world({ manifests: manifestsOf(text), ...options });
}

const delays = (events: readonly JournalEvent[]): readonly number[] =>
  events.flatMap((event) =>
    event.type === "call-failed" && event.decision.recourse === "retry" ? [event.decision.delayMs] : [],
  );

describe("an operator's manifest", () => {
  it("sets the time limit of an attempt", async () => {
    const here = ruled(["timeout_ms: 200"]);
    const slow = held("a", here.clock, { timeoutMs: 60_000, idempotent: false });
    const outcome = await here.clock.runUntil(here.fl.protect(slow.tool, "x"));
    expect(outcome).toMatchObject({ fault: { code: "ExecutionTimeout", context: { limit: 200 } } });
    expect(here.clock.now()).toBe(START_AT + 200);
    expect(slow.run(0).context.deadlineAt).toBe(START_AT + 200);
  });

  it("sets the number and spacing of attempts", async () => {
    const here = ruled([
      "retry_policy:",
      "  strategy: linear_backoff",
      "  initial_delay_ms: 50",
      "  max_delay_ms: 120",
      "  jitter_percent: 0",
      "  max_attempts: 4",
    ]);
    const down = broken("a", "ToolUnavailable", { retry: { maxAttempts: 9 } });
    expect(await callTimes(here, down.tool, 1)).toMatchObject([{ attempts: 4 }]);
    expect(delays(here.events())).toEqual([50, 100, 120]);
  });

  it("bounds the time spent waiting", async () => {
    const here = ruled([
      "retry_policy: { initial_delay_ms: 100, jitter_percent: 0, max_attempts: 3, max_total_time_ms: 300 }",
    ]);
    const more = scripted("a", [failure("ToolUnavailable", { retryAfterMs: 250 }), failure("ToolUnavailable")]);
    expect(await callTimes(here, more.tool, 1)).toMatchObject([{ status: "surfaced", attempts: 2 }]);
    expect(delays(here.events())).toEqual([250]);
  });

  it("declares that the work may be done twice, or that it may not", async () => {
    const may = ruled(["idempotent: true", "timeout_ms: 100", "retry_policy: { max_attempts: 2 }"]);
    const once = held("a", may.clock, { idempotent: false });
    await may.clock.runUntil(may.fl.protect(once.tool, "x"));
    expect(once.runs).toHaveLength(2);
    const mayNot = ruled(["idempotent: false", "timeout_ms: 100"]);
    const twice = held("a", mayNot.clock, { idempotent: true });
    await mayNot.clock.runUntil(mayNot.fl.protect(twice.tool, "x"));
    expect(twice.runs).toHaveLength(1);
  });

  it("names other tools instead of those in code", async () => {
    const wanted = scripted("wanted", []);
    const unwanted = scripted("unwanted", []);
    const here = ruled(["alternatives: [wanted]", "idempotent: false"], { tools: [wanted.tool] });
    const down = broken("a", "NotFound", { alternatives: [unwanted.tool] });
    expect(await callTimes(here, down.tool, 1)).toMatchObject([{ status: "done", from: "wanted" }]);
    expect(unwanted.runs).toEqual([]);
  });

  it("is refused by name if it names an unregistered tool", async () => {
    const here = ruled(["alternatives: [nobody]", "idempotent: false"]);
    expect(await callTimes(here, scripted("a", []).tool, 1)).toMatchObject([
      { status: "failed", fault: { code: "ConfigSchemaViolation", context: { expected: "nobody" } } },
    ]);
  });

  it.each([
    ["a list", "default: []", []],
    ["nothing", "default: null", null],
  ])("gives a default, here %s, which the caller's own default overrides", async (_what, line, value) => {
    const here = ruled([line]);
    const down = broken("a", "NotFound", { default: "from code" });
    expect(await callTimes(here, down.tool, 1)).toMatchObject([{ status: "defaulted", value }]);
    expect(await here.fl.protect(down.tool, "x", { default: "caller" })).toMatchObject({ value: "caller" });
  });

  it("declares that callers can continue without it, or that they cannot", async () => {
    const can = ruled(["optional: true"]);
    expect(await callTimes(can, broken("a", "NotFound").tool, 1)).toMatchObject([{ status: "skipped" }]);
    const cannot = ruled(["optional: false"]);
    const down = broken("a", "NotFound", { optional: true });
    expect(await callTimes(cannot, down.tool, 1)).toMatchObject([{ status: "surfaced" }]);
  });

  it("sets the meaning of failures, before the tool's own rules", async () => {
    const here = ruled([
      "classification:",
      "  - { status: 503, as: permanent }",
      "  - { text: gate is shut, as: transient }",
    ]);
    const shut = Object.assign(new Error("the gate is shut"), {});
    const rules = [{ id: "own/gate", when: { says: [["gate is shut"]] }, means: "Forbidden", example: "x" }] as const;
    const odd = scripted("a", [Object.assign(new Error("no"), { status: 503 }), shut], { rules });
    const outcomes = await callTimes(here, odd.tool, 2);
    expect(outcomes).toMatchObject([
      { status: "surfaced", attempts: 1, fault: { code: "Unsupported", evidence: { rule: "tool/a#1" } } },
      { status: "done", attempts: 2 },
    ]);
  });

  it("sets when its breaker opens, for how long, and when it closes", async () => {
    const here = ruled([
      "retry_policy: { max_attempts: 1 }",
      "circuit_breaker: { failure_threshold: 2, success_threshold: 1, timeout_ms: 5000 }",
    ]);
    const bad = failure("ToolUnavailable");
    const down = scripted("a", [bad, bad], { breaker: { failures: 50 } });
    await callTimes(here, down.tool, 2);
    expect(await callTimes(here, down.tool, 1)).toMatchObject([
      { fault: { code: "CircuitOpen", resetAt: START_AT + 5_000 } },
    ]);
    await here.clock.advance(5_000);
    await callTimes(here, down.tool, 1);
    expect(here.fl.targets()).toMatchObject([{ target: "a", breaker: "closed" }]);
  });

  it("sets how many run at once and how many may wait", async () => {
    const here = ruled(["max_concurrent: 1", "max_queued: 1"]);
    const narrow = held("a", here.clock, { maxConcurrent: 9 });
    const calls = ["1", "2", "3"].map((input) => here.fl.protect(narrow.tool, input));
    await here.clock.advance(0);
    expect(narrow.runs.map(({ input }) => input)).toEqual(["1"]);
    expect(await calls[2]).toMatchObject({ fault: { code: "QueueFull", context: { limit: 1 } } });
    narrow.run(0).answer("");
    await here.clock.advance(0);
    narrow.run(1).answer("");
    await Promise.all(calls);
  });

  it("leaves everything it does not mention, and every other tool, as it is", async () => {
    const here = ruled(["timeout_ms: 200"]);
    const mine = broken("a", "ToolUnavailable", { retry: { maxAttempts: 2 }, default: "mine", maxConcurrent: 3 });
    const other = held("b", here.clock, { timeoutMs: 5_000, idempotent: false });
    expect(await callTimes(here, mine.tool, 1)).toMatchObject([{ status: "defaulted", value: "mine", attempts: 2 }]);
    const running = here.fl.protect(other.tool, "x");
    await here.clock.advance(1_000);
    other.run(0).answer("in time");
    expect(await running).toMatchObject({ status: "done" });
  });

  it("applies when the tool is used as an alternative, and to two tools of one name", async () => {
    const here = ruled(["retry_policy: { max_attempts: 3, initial_delay_ms: 0 }"]);
    const twins = [broken("a", "ToolUnavailable"), broken("a", "ToolUnavailable")];
    for (const [index, twin] of twins.entries()) {
      const front = broken(`front ${index}`, "NotFound", { alternatives: [twin.tool] });
      expect(await callTimes(here, front.tool, 1)).toMatchObject([{ attempts: 4 }]);
      expect(twin.runs).toEqual([1, 2, 3]);
    }
  });

  it("yields to a row of the operator's policy file", async () => {
    const row: PolicyRow = {
      match: { code: ["ToolUnavailable"], tool: ["a"] },
      retry: null,
      then: ["fail"],
      origin: { layer: "file", at: "policy.yaml:3" },
    };
    const here = ruled(["retry_policy: { max_attempts: 4 }"], { policy: withRows(DEFAULT_POLICY, [row]) });
    expect(await callTimes(here, broken("a").tool, 1)).toMatchObject([
      { status: "failed", attempts: 1, decision: { row: { layer: "file", at: "policy.yaml:3" } } },
    ]);
  });

  it("may forbid all retries, even of unknown failures", async () => {
    const odd = tool<string, string>({
      id: "a",
      idempotent: true,
      run: () => {
        throw new Error("zork");
      },
    });
    expect(await callTimes(world(), odd, 1)).toMatchObject([{ attempts: 2, fault: { code: "Unclassified" } }]);
    expect(await callTimes(ruled(["retry_policy: { max_attempts: 1 }"]), odd, 1)).toMatchObject([{ attempts: 1 }]);
  });

  it("does not change the tool for other runtimes", async () => {
    const shared = tool<string, string>({
      id: "a",
      retry: "none",
      run: () => {
        throw failure("ToolUnavailable");
      },
    });
    expect(await callTimes(ruled(["retry_policy: { max_attempts: 2 }"]), shared, 1)).toMatchObject([{ attempts: 2 }]);
    expect(await callTimes(world(), shared, 1)).toMatchObject([{ attempts: 1 }]);
  });
});
