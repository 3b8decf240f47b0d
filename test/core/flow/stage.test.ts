// One attempt of a stage, phase by phase, and what comes after an attempt that failed.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAULT_CODES, traitsOf } from "../../../src/core/fault/catalogue.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { RESOLUTIONS, STAGE_PHASES, type StagePhase } from "../../../src/core/flow/visit.ts";
import {
  advanceAttempt,
  type AttemptState,
  decideStage,
  type FailedAttempt,
  FIRST_PHASE,
  isRedoable,
  type PhaseVerdict,
  type StageRules,
} from "../../../src/core/flow/stage.ts";
import { samples } from "../../support/grid.ts";

const VERDICTS = ["ok", "retry", "skip", "fail"] as const;
const exit = (ending: AttemptState["ending"], again = false): AttemptState => ({
  phase: "exit",
  ending,
  again,
  isOver: false,
});
const ended = (phase: StagePhase, ending: AttemptState["ending"]): AttemptState => ({
  phase,
  ending,
  again: false,
  isOver: true,
});

describe("the phases of an attempt", () => {
  // prettier-ignore
  const TABLE: readonly (readonly [StagePhase, PhaseVerdict, AttemptState])[] = [
    ["setup",      "ok",    { ...FIRST_PHASE, phase: "init" }],
    ["init",       "ok",    { ...FIRST_PHASE, phase: "check-gate" }],
    ["check-gate", "ok",    { ...FIRST_PHASE, phase: "act" }],
    ["act",        "ok",    { ...FIRST_PHASE, phase: "assert" }],
    ["assert",     "ok",    { ...FIRST_PHASE, phase: "exit" }],
    ["exit",       "ok",    { ...FIRST_PHASE, phase: "next" }],
    ["next",       "ok",    ended("next", "completed")],
    ["check-gate", "skip",  exit("skipped")],
    ["check-gate", "retry", exit("failed", true)],
    ["assert",     "skip",  exit("skipped")],
    ["assert",     "retry", exit("failed", true)],
    ["setup",      "fail",  exit("failed")],
    ["init",       "fail",  exit("failed")],
    ["check-gate", "fail",  exit("failed")],
    ["act",        "fail",  exit("failed")],
    ["assert",     "fail",  exit("failed")],
    ["exit",       "fail",  ended("exit", "failed")],
    ["next",       "fail",  ended("next", "failed")],
  ];

  it.each(TABLE)("after %s with %s comes what the table says", (phase, verdict, after) => {
    expect(advanceAttempt({ ...FIRST_PHASE, phase }, verdict)).toEqual(after);
  });

  it("come in their order, exit comes before next, and an attempt always ends", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...VERDICTS), { maxLength: 10 }), (verdicts) => {
        const seen: StagePhase[] = [];
        let state = FIRST_PHASE;
        for (let step = 0; !state.isOver; step++) {
          seen.push(state.phase);
          state = advanceAttempt(state, verdicts[step] ?? "ok");
        }
        expect(seen.map((phase) => STAGE_PHASES.indexOf(phase))).toEqual(
          [...new Set(seen.map((phase) => STAGE_PHASES.indexOf(phase)))].toSorted((a, b) => a - b),
        );
        expect(seen).toContain("exit");
        if (seen.includes("next")) expect(seen.indexOf("exit")).toBe(seen.indexOf("next") - 1);
      }),
    );
  });

  it("a failed attempt is not asked where to go", () => {
    expect(advanceAttempt(exit("failed"), "ok")).toEqual(ended("exit", "failed"));
    expect(advanceAttempt(exit("failed", true), "ok")).toEqual({ ...ended("exit", "failed"), again: true });
    expect(advanceAttempt(exit("skipped"), "ok")).toEqual({ ...exit("skipped"), phase: "next" });
  });
});

const backoff = { kind: "fixed", initialMs: 10, maxMs: 10, multiplier: 1 } as const;
const rules = fc.record({
  node: fc.constant("n"),
  retry: fc.record({
    maxAttempts: fc.integer({ min: 1, max: 5 }),
    backoff: fc.constant(backoff),
    jitter: fc.constant(0),
    maxWaitMs: fc.constant(100_000),
    maxTotalWaitMs: fc.constant(Infinity),
  }),
  retryOn: fc.option(fc.array(fc.constantFrom(...FAULT_CODES), { maxLength: 20 })),
  resolution: fc.constantFrom(...RESOLUTIONS),
  idempotent: fc.boolean(),
}) satisfies fc.Arbitrary<StageRules>;
const failures = fc
  .record({
    code: fc.constantFrom(...FAULT_CODES),
    waitMs: fc.option(fc.integer({ min: 1, max: 50_000 })),
    ran: fc.option(fc.boolean(), { nil: undefined }),
    again: fc.boolean(),
    attempt: fc.integer({ min: 1, max: 6 }),
    roll: fc.double({ min: 0, max: 0.99, noNaN: true }),
  })
  .map(({ code, waitMs, ran, ...rest }): FailedAttempt => {
    const context = ran === undefined ? {} : { ran };
    const seen = fault(code, waitMs === null ? { context } : { context, retryAfterMs: waitMs });
    return { ...rest, fault: seen, now: 1_000, deadlineAt: null };
  });

describe("after an attempt that failed", () => {
  it("there are never more attempts than the stage has", () => {
    fc.assert(
      fc.property(failures, rules, (failed, own) => {
        const { do: what } = decideStage(failed, own);
        if (failed.attempt >= own.retry.maxAttempts) expect(["skip", "fail"]).toContain(what);
      }),
      { numRuns: samples(300, 2_000) },
    );
  });

  it("`retryOn` only narrows: what it names is tried again only if it would be without it", () => {
    fc.assert(
      fc.property(failures, rules, (failed, own) => {
        const narrowed = decideStage({ ...failed, again: false }, own);
        const wide = decideStage({ ...failed, again: false }, { ...own, retryOn: null });
        if (narrowed.do === "retry") expect(wide.do).toBe("retry");
        if (narrowed.do === "retry" && own.retryOn !== null) expect(own.retryOn).toContain(failed.fault.code);
      }),
      { numRuns: samples(300, 2_000) },
    );
  });

  it("what may have happened is done again only if that does no harm, or the stage itself asks for it", () => {
    fc.assert(
      fc.property(failures, rules, (failed, own) => {
        const { do: what } = decideStage(failed, own);
        const isRisky = mayHaveRun(failed) && !own.idempotent && !failed.again;
        if (isRisky) expect(["skip", "fail"]).toContain(what);
      }),
      { numRuns: samples(300, 2_000) },
    );
  });

  it("its resolution is what happens, for every code, whether it ran or not, idempotent or not", () => {
    const wrong: string[] = [];
    for (const code of FAULT_CODES.filter((one) => !traitsOf(one).cancels && !traitsOf(one).endsRun)) {
      for (const ran of [undefined, true, false]) {
        for (const idempotent of [true, false]) {
          const failed = { ...once(code), fault: fault(code, { context: ran === undefined ? {} : { ran } }) };
          for (const resolution of RESOLUTIONS) {
            const own = { node: "n", retry: { ...RETRY, maxAttempts: 2 }, retryOn: [], resolution, idempotent };
            const mayRepeat = idempotent || !mayHaveRun(failed);
            const declared = { "skip": "skip", "retry-later": mayRepeat ? "defer" : "fail", "abort-workflow": "fail" };
            const { do: what } = decideStage(failed, own);
            if (what !== declared[resolution]) wrong.push(`${code} ran=${String(ran)} ${resolution}: ${what}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it("what failed while it ran is tried again by the stage's own attempts when that does no harm", () => {
    for (const code of ["ExecutionFailed", "OutputMalformed", "ProcessCrashed"] as const) {
      expect(isRedoable(code)).toBe(true);
      const own = { node: "n", retry: RETRY, retryOn: null, resolution: "abort-workflow" } as const;
      expect(decideStage(once(code), { ...own, idempotent: true }).do).toBe("retry");
      expect(decideStage(once(code), { ...own, idempotent: false }).do).toBe("fail");
    }
  });

  it("a cancellation is never tried again, not even later", () => {
    for (const code of FAULT_CODES.filter((one) => traitsOf(one).cancels || traitsOf(one).endsRun)) {
      for (const resolution of RESOLUTIONS) {
        const own = { node: "n", retry: { ...RETRY, maxAttempts: 5 }, retryOn: null, resolution, idempotent: true };
        expect(decideStage(once(code), own).do).toBe("fail");
        expect(isRedoable(code)).toBe(false);
      }
    }
  });

  it("a wait that the other side names is kept to", () => {
    const failed = { ...once("RateLimited"), fault: fault("RateLimited", { retryAfterMs: 30_000 }) };
    const own = { node: "n", retry: RETRY, retryOn: null, resolution: "abort-workflow", idempotent: true } as const;
    const decided = decideStage(failed, own);
    expect(decided).toMatchObject({ do: "retry", decision: { serverWait: true } });
    if (decided.do === "retry") expect(decided.delayMs).toBeGreaterThanOrEqual(30_000);
  });

  it("what is put off for later has the attempts it had, and no more", () => {
    const own = { node: "n", retry: RETRY, retryOn: [], resolution: "retry-later", idempotent: true } as const;
    const done = [1, 2, 3].map((attempt) => decideStage({ ...once("RateLimited"), attempt }, own).do);
    expect(done).toEqual(["defer", "defer", "fail"]);
  });

  it("its resolution decides about a stage that is not retried", () => {
    const own = { node: "n", retry: { ...RETRY, maxAttempts: 1 }, retryOn: null, idempotent: true } as const;
    const done = RESOLUTIONS.map((resolution) => decideStage(once("RateLimited"), { ...own, resolution }).do);
    expect(done).toEqual(["skip", "fail", "fail"]);
  });
});

const RETRY = { maxAttempts: 3, backoff, jitter: 0, maxWaitMs: 100_000, maxTotalWaitMs: Infinity };

function once(code: FailedAttempt["fault"]["code"]): FailedAttempt {
  return { fault: fault(code), again: false, attempt: 1, now: 1_000, deadlineAt: null, roll: 0.5 };
}

function mayHaveRun({ fault: { code, context } }: FailedAttempt): boolean {
  const { ran } = context;
  return typeof ran === "boolean" ? ran : traitsOf(code).mayHaveHappened;
}
