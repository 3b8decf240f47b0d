// The targets of a runtime as operators see them: each state of a breaker, pauses, names, and work under a name of its own.

import { describe, expect, it } from "vitest";
import type { Breaker } from "../../../src/core/decide/breaker.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { reportTargets } from "../../../src/runtime/target/report-targets.ts";
import { accountOnce, lastingKey, targetKey, Targets } from "../../../src/runtime/target/targets.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";

const NOW = 1_000_000;
const SETTINGS = { rule: DEFAULT_POLICY.breaker, maxConcurrent: 4, maxQueued: 4, maxPerMinute: Infinity };
const nothing = (): void => undefined;
const noTools = (): readonly string[] => [];

function made(): { readonly targets: Targets; readonly clock: FakeClock } {
  const clock = createFakeClock(NOW);
  const targets = new Targets({
    ...{ defaults: SETTINGS, retryBudget: DEFAULT_POLICY.retryBudget, maxTargets: 10, clock },
    ...{ changed: nothing, paused: nothing, spent: nothing, evicted: nothing },
  });
  return { targets, clock };
}

const COUNTS = { generation: 1, opens: 1 };
const CAUSE = { code: "Overloaded", message: "busy" } as const;
const NO_DETAIL = { since: null, retryAt: null, cause: null, reason: null };

describe("the report of a target", () => {
  it.each<[Breaker, object]>([
    [{ state: "closed", failures: 1, observed: 1, ...COUNTS }, NO_DETAIL],
    [
      { state: "open", openedAt: NOW - 10, openMs: 30, ...COUNTS, cause: CAUSE },
      { ...NO_DETAIL, since: NOW - 10, retryAt: NOW + 20, cause: CAUSE },
    ],
    [
      { state: "open", openedAt: NOW, openMs: 1, ...COUNTS },
      { ...NO_DETAIL, since: NOW, retryAt: NOW + 1 },
    ],
    [
      { state: "half-open", successes: 0, probes: 1, probeStartedAt: null, ...COUNTS, cause: CAUSE },
      { ...NO_DETAIL, cause: CAUSE },
    ],
    [
      { state: "isolated", reason: "an audit", since: NOW - 1, ...COUNTS },
      { ...NO_DETAIL, since: NOW - 1, reason: "an audit" },
    ],
  ])("says of the breaker %j: %j, used here or not", (breaker, detail) => {
    const { targets } = made();
    targets.learnBreaker("t", breaker);
    const expected = { target: "t", name: "t", tools: [], breaker: breaker.state, ...detail };
    const remembered = { kind: null, usedAt: null, recent: null, limits: [], running: 0, queued: 0, pausedUntil: null };
    expect(reportTargets(targets, noTools, NOW)).toEqual([{ ...expected, ...remembered }]);
    targets.get("t", SETTINGS);
    expect(reportTargets(targets, noTools, NOW)).toMatchObject([expected]);
  });

  it.each([
    [NOW - 1, null],
    [NOW, null],
    [NOW + 1, NOW + 1],
  ])("with a pause until %i says that it is paused until %s, used here or not", (until, pausedUntil) => {
    const { targets } = made();
    targets.learnPause("target/t", { until, liftedAt: 0, fault: fault("Overloaded") });
    expect(reportTargets(targets, noTools, NOW)).toMatchObject([{ target: "t", pausedUntil }]);
    targets.get("t", SETTINGS);
    expect(reportTargets(targets, noTools, NOW)).toMatchObject([{ target: "t", pausedUntil }]);
  });

  it("lists a target once that has a breaker and a pause, and no account that has a pause", () => {
    const { targets } = made();
    const pause = { until: NOW + 1, liftedAt: 0, fault: fault("RateLimited") };
    targets.learnBreaker("t", { state: "closed", failures: 1, observed: 1, ...COUNTS });
    targets.learnPause("target/t", pause);
    targets.learnPause("account/an-account", pause);
    expect(reportTargets(targets, noTools, NOW)).toMatchObject([{ target: "t", pausedUntil: NOW + 1 }]);
  });

  it("has the names of its tools; without tools the model in its key, or the key", () => {
    const { targets } = made();
    const key = targetKey({ endpoint: "openai+https://a.test", account: "team", model: "gpt-5" });
    targets.learnBreaker(key, { state: "closed", failures: 0, observed: 0, ...COUNTS });
    targets.get("search", SETTINGS);
    targets.get("plain", SETTINGS);
    const toolsOf = (id: string): readonly string[] => (id === "search" ? ["find", "look"] : []);
    const found = reportTargets(targets, toolsOf, NOW).map(({ name, tools, kind }) => ({ name, tools, kind }));
    expect(found).toEqual([
      { name: "find, look", tools: ["find", "look"], kind: null },
      { name: "plain", tools: [], kind: null },
      { name: "gpt-5", tools: [], kind: "model" },
    ]);
  });

  it("adds what runs under a name of its own for a single attempt, and says when any of it was last used", () => {
    const { targets, clock } = made();
    const lasting = targets.get("t", SETTINGS, "", "tool");
    const once = targets.get(accountOnce("t", "attempt-1"), SETTINGS, "", "tool");
    lasting.admit(NOW + 1);
    once.admit(NOW + 2);
    for (const one of [lasting, once]) one.enter();
    once.queue({ enter: nothing });
    once.recent.note(false, 10);
    lasting.recent.note(true, 30);
    once.pause(NOW + 50, fault("Overloaded"));
    once.noteHeaders({ "x-ratelimit-limit-requests": "100", "x-ratelimit-remaining-requests": "7" }, clock.now());
    expect(reportTargets(targets, () => ["search"], NOW)).toMatchObject([
      {
        target: "t",
        tools: ["search"],
        kind: "tool",
        usedAt: NOW + 2,
        running: 2,
        queued: 1,
        pausedUntil: null,
        recent: { attempts: 2, errorRate: 0.5, p50Ms: 10, p95Ms: 30 },
        limits: [{ remaining: 7 }],
      },
    ]);
  });

  it("does not list what the journal remembers of a single attempt's name", () => {
    const { targets } = made();
    targets.learnBreaker(accountOnce("t", "attempt-1"), { state: "closed", failures: 1, observed: 1, ...COUNTS });
    expect(reportTargets(targets, noTools, NOW)).toEqual([]);
  });
});

it.each(["", "acme", "acme only for tests"])("the lasting key of %j used once is the account itself", (account) => {
  expect(lastingKey(accountOnce(account, "call 1"))).toBe(account);
  expect(lastingKey("acme")).toBe("acme");
});
