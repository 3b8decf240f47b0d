// The breaker's promises B1–B5, by example and over random histories against a simple model.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admit,
  CLOSED,
  DEFAULT_POLICY,
  isolate,
  record,
  release,
  type Breaker,
  type BreakerRule,
  type CallResult,
  type Ticket,
} from "../../../src/core/index.ts";
import { withCause } from "../../../src/core/decide/breaker.ts";

const RULE: BreakerRule = {
  ...DEFAULT_POLICY.breaker,
  failures: 3,
  successes: 2,
  openMs: 1000,
  growth: 2,
  maxOpenMs: 5000,
  probeTimeoutMs: 400,
};

function admitted(breaker: Breaker, now: number): { breaker: Breaker; ticket: Ticket } {
  const admission = admit(breaker, RULE, now);
  if (!admission.admitted) throw new Error(`refused in state ${breaker.state}`);
  return admission;
}

/** Runs calls to their end, one after the other. */
function run(breaker: Breaker, results: readonly CallResult[], now: number): Breaker {
  return results.reduce((before, result) => {
    const call = admitted(before, now);
    return record(call.breaker, RULE, call.ticket, result, now);
  }, breaker);
}

const OPEN = run(CLOSED, ["failure", "failure", "failure"], 0);

describe("a breaker", () => {
  it("opens after failures in a row, and a success in between starts the count again", () => {
    expect(run(CLOSED, ["failure", "failure", "success", "failure", "failure"], 0).state).toBe("closed");
    expect(OPEN).toMatchObject({ state: "open", openedAt: 0, openMs: 1000 });
  });

  it("neither counts nor forgets for neutral results", () => {
    expect(run(CLOSED, ["failure", "neutral", "failure", "neutral"], 0)).toMatchObject({
      state: "closed",
      failures: 2,
    });
    expect(run(CLOSED, ["failure", "neutral", "failure", "neutral", "failure"], 0).state).toBe("open");
  });

  it("refuses while open and says when to come back", () => {
    expect(admit(OPEN, RULE, 999)).toMatchObject({ admitted: false, retryAt: 1000 });
  });

  it("lets one probe through when its time is up, and no other call", () => {
    const probe = admitted(OPEN, 1000);
    expect(probe.breaker.state).toBe("half-open");
    expect(admit(probe.breaker, RULE, 1001).admitted).toBe(false);
  });

  it("closes after enough successes and opens again at once after a failure, for longer", () => {
    const first = admitted(OPEN, 1000);
    const afterOne = record(first.breaker, RULE, first.ticket, "success", 1001);
    expect(afterOne).toMatchObject({ state: "half-open", successes: 1 });
    const second = admitted(afterOne, 1002);
    expect(record(second.breaker, RULE, second.ticket, "success", 1003)).toMatchObject({ state: "closed", opens: 0 });
    expect(record(second.breaker, RULE, second.ticket, "failure", 1003)).toMatchObject({ state: "open", openMs: 2000 });
  });

  it("stays open no longer than its maximum, however often it opens", () => {
    let breaker = OPEN;
    let now = 0;
    for (let i = 0; i < 100; i++) {
      now += 10_000;
      const probe = admitted(breaker, now);
      breaker = record(probe.breaker, RULE, probe.ticket, "failure", now);
    }
    expect(breaker).toMatchObject({ state: "open", openMs: 5000 });
  });

  it("does not stick when its probe is cancelled", () => {
    const probe = admitted(OPEN, 1000);
    const back = record(probe.breaker, RULE, probe.ticket, "neutral", 1001);
    expect(admit(back, RULE, 1002).admitted).toBe(true);
  });

  it("gives a hung probe's place away, and then ignores its answer", () => {
    const hung = admitted(OPEN, 1000);
    expect(admit(hung.breaker, RULE, 1399)).toMatchObject({ admitted: false, retryAt: 1400 });
    const next = admitted(hung.breaker, 1400);
    expect(record(next.breaker, RULE, hung.ticket, "failure", 1401)).toBe(next.breaker);
  });

  it("ignores answers of calls begun before the break", () => {
    const early = admitted(CLOSED, 0);
    const probe = admitted(OPEN, 1000);
    expect(record(probe.breaker, RULE, early.ticket, "failure", 1001)).toBe(probe.breaker);
    expect(record(OPEN, RULE, early.ticket, "success", 500)).toBe(OPEN);
  });

  it("ignores them even when it has closed again since", () => {
    const early = admitted(CLOSED, 0);
    const closedAgain = run(OPEN, ["success", "success"], 1000);
    expect(closedAgain.state).toBe("closed");
    const late = ["failure", "failure", "failure"] as const;
    expect(late.reduce((breaker, result) => record(breaker, RULE, early.ticket, result, 1001), closedAgain)).toBe(
      closedAgain,
    );
  });

  it("counts a probe's answer once", () => {
    const probe = admitted(OPEN, 1000);
    const once = record(probe.breaker, RULE, probe.ticket, "success", 1001);
    expect(record(once, RULE, probe.ticket, "success", 1002)).toBe(once);
  });

  it("stays isolated until a person releases it", () => {
    const out = isolate(CLOSED, "maintenance", 5);
    expect(admit(out, RULE, 1e12)).toMatchObject({ admitted: false, retryAt: null });
    expect(record(out, RULE, { generation: out.generation, probe: 0, observed: 0 }, "success", 6)).toBe(out);
    expect(admit(release(out, 6), RULE, 7).admitted).toBe(true);
  });

  it("counts failures of overlapping calls as one outage, and a failure that started afterwards as another", () => {
    const calls = Array.from({ length: 20 }, () => admitted(CLOSED, 0).ticket);
    const once = calls.reduce((breaker, ticket) => record(breaker, RULE, ticket, "failure", 5), CLOSED);
    expect(once).toMatchObject({ state: "closed", failures: 1 });
    expect(run(once, ["failure"], 5)).toMatchObject({ state: "closed", failures: 2 });
    expect(run(once, ["failure", "failure"], 5)).toMatchObject({ state: "open" });
  });

  it("counts on from what an older version kept, which knows nothing of overlaps", () => {
    const kept: Breaker = { state: "closed", failures: 2, generation: 4, opens: 0 };
    expect(run(kept, ["failure"], 0).state).toBe("open");
  });

  it("says what opened it, also while it is probed", () => {
    const cause = { code: "Provider5xx", message: "upstream is down" } as const;
    const open = withCause(OPEN, cause);
    expect(open).toMatchObject({ state: "open", cause });
    expect(admit(open, RULE, 1000).breaker).toMatchObject({ state: "half-open", cause });
    expect(withCause(CLOSED, cause)).toBe(CLOSED);
  });

  it("survives being written down and read again", () => {
    expect(JSON.parse(JSON.stringify(OPEN))).toEqual(OPEN);
  });
});

describe("over any history", () => {
  type Step =
    | { readonly kind: "start" }
    | { readonly kind: "finish"; readonly which: number; readonly result: CallResult }
    | { readonly kind: "wait"; readonly ms: number };
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.constant({ kind: "start" } as const),
    fc.record({
      kind: fc.constant("finish" as const),
      which: fc.nat(20),
      result: fc.constantFrom<CallResult>("success", "failure", "neutral"),
    }),
    fc.record({ kind: fc.constant("wait" as const), ms: fc.nat(2000) }),
  );

  it("observes at most one outage for failures that overlap in time", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const patient = { ...RULE, failures: Infinity };
        let breaker = CLOSED;
        let order = 0;
        let countedAt = -1;
        let expected = 0;
        const running: { readonly ticket: Ticket; readonly startedAt: number }[] = [];
        for (const move of steps) {
          order += 1;
          if (move.kind === "start") {
            const admission = admit(breaker, patient, 0);
            if (admission.admitted) running.push({ ticket: admission.ticket, startedAt: order });
          } else if (move.kind === "finish") {
            const [call] = running.splice(move.which, 1);
            if (call === undefined) continue;
            breaker = record(breaker, patient, call.ticket, move.result, 0);
            if (move.result === "success") expected = 0;
            if (move.result === "failure" && call.startedAt > countedAt) {
              expected += 1;
              countedAt = order;
            }
          }
          expect(breaker).toMatchObject({ state: "closed", failures: expected });
        }
      }),
      { numRuns: 500 },
    );
  });

  it("admits nothing while open, and never two probes whose time is not up", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        let breaker = CLOSED;
        let now = 0;
        const running: { readonly ticket: Ticket; readonly startedAt: number }[] = [];
        for (const move of steps) {
          if (move.kind === "wait") now += move.ms;
          else if (move.kind === "finish") {
            const [call] = running.splice(move.which, 1);
            if (call !== undefined) breaker = record(breaker, RULE, call.ticket, move.result, now);
          } else {
            const before = breaker;
            const admission = admit(breaker, RULE, now);
            if (admission.admitted) {
              if (before.state === "open") expect(now).toBeGreaterThanOrEqual(before.openedAt + before.openMs);
              if (admission.breaker.state === "half-open") {
                const { generation } = admission.ticket;
                const rivals = running.filter(
                  ({ ticket, startedAt }) => ticket.generation === generation && now < startedAt + RULE.probeTimeoutMs,
                );
                expect(rivals).toEqual([]);
              }
              running.push({ ticket: admission.ticket, startedAt: now });
            } else if (admission.retryAt !== null) expect(admission.retryAt).toBeGreaterThan(now);
            breaker = admission.breaker;
          }
          expect(breaker.generation).toBeGreaterThanOrEqual(0);
        }
      }),
      { numRuns: 500 },
    );
  });
});
