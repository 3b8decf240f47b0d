// The sentence about a run is true for every state a run can be in: it names what is done, what is missing and why, and what each
// open node waits for.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAULT_CODES, traitsOf } from "../../../src/core/fault/catalogue.ts";
import { fault, type Fault } from "../../../src/core/fault/fault.ts";
import { INTERACTION_KINDS, type Question, type QuestionPayload } from "../../../src/core/flow/interaction.ts";
import type { PauseReason, SkipReason, Visit } from "../../../src/core/flow/visit.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import { foldRun, startRun } from "../../../src/core/flow/run.ts";
import { describeRun } from "../../../src/core/flow/run-words.ts";
import { describeTurn } from "../../../src/core/flow/turn-words.ts";
import { compile, plans, tell } from "./run-plans.ts";

const PRIVATE = "sk-live-0123456789abcdef0123";
const WAKE_AT = Date.UTC(2030, 0, 2, 17, 0);

const faults: fc.Arbitrary<Fault> = fc
  .constantFrom(...FAULT_CODES)
  .map((code) => fault(code, { message: `it met ${PRIVATE}` }));

const questions: fc.Arbitrary<Question> = fc.constantFrom(...INTERACTION_KINDS).map((kind) => ({
  ...{ id: "q", call: "c", turn: "t", session: "s", code: null, askedAt: 0, expiresAt: 1 },
  payload: {
    kind,
    prompt: "?",
    field: "f",
    options: [],
    tool: "t",
    approvalKey: "k",
    url: "",
    code: "",
  } as QuestionPayload,
}));

interface Standing extends Pick<Visit, "state"> {
  readonly over: Partial<Visit>;
  /** The clause about the node; the node's name comes before it. */
  readonly says: RegExp | null;
}

const WAITS: Readonly<Record<QuestionPayload["kind"], RegExp>> = {
  "Ask": /waits for an answer$/,
  "Approve": /waits for an approval$/,
  "Select": /waits for a choice$/,
  "Confirm": /waits for a confirmation$/,
  "Auth.DeviceCode": /waits for a sign-in$/,
  "Auth.Password": /waits for a password$/,
};

const paused = (why: PauseReason, asked: readonly Question[], wakeAt: number | null): Partial<Visit> => ({
  pause: { why, questions: asked, wakeAt },
});
const skipped = (why: SkipReason, says: RegExp): Standing => ({ state: "skipped", over: { skipped: why }, says });

/** In the words that turns use for the same fault, which have a test of their own. */
function reason(seen: Fault): string {
  const told = describeTurn([{ label: "X", status: "failed", fault: seen, because: "" }], null, "en");
  return told.replace(/^Nothing was completed; X /, "").replace(/\.$/, "");
}

const standings: fc.Arbitrary<Standing> = fc.oneof(
  fc.constant<Standing>({ state: "completed", over: {}, says: null }),
  fc.constant<Standing>({ state: "running", over: {}, says: /is running$/ }),
  fc.constant<Standing>({ state: "cancelled", over: {}, says: /was cancelled$/ }),
  fc.constant<Standing>({ state: "ready", over: {}, says: /has not started yet$/ }),
  fc.constant<Standing>({
    state: "paused",
    over: paused("stopped", [], null),
    says: /was stopped and waits to be resumed$/,
  }),
  fc.constant(skipped("gate", /was left out$/)),
  fc.constant(skipped("operator", /was left out$/)),
  fc.constant(skipped("sibling-failed", /was stopped because a branch beside it failed$/)),
  faults.map((seen): Standing => ({ state: "failed", over: { fault: seen }, says: RegExp(`^\\S+ ${reason(seen)}$`) })),
  faults.map((seen): Standing => ({
    ...{ state: "skipped", over: { fault: seen, skipped: "resolution" } },
    says: RegExp(`${reason(seen)}, so it was left out$`),
  })),
  faults.map((seen): Standing => ({
    ...{ state: "ready", over: { fault: seen, notBefore: WAKE_AT, attempt: 1 } },
    says: RegExp(`${reason(seen)} and continues at 2030-01-02 17:00 UTC$`),
  })),
  faults.map((seen): Standing => ({
    ...{ state: "paused", over: { fault: seen, ...paused("parked", [], WAKE_AT) } },
    says: RegExp(`${reason(seen)} and continues at 2030-01-02 17:00 UTC$`),
  })),
  fc.tuple(fc.constantFrom<PauseReason>("gate", "question", "budget"), questions).map(([why, asked]): Standing => ({
    state: "paused",
    over: paused(why, [asked], null),
    says: WAITS[asked.payload.kind],
  })),
);

function visit(node: string, { state, over }: Standing): Visit {
  return {
    ...{ node, execution: 1, kind: null, attempt: 0, of: 0, state, phase: null, notBefore: 0, pause: null, fan: "" },
    ...{ skipped: null, fault: null, instruction: null, startedAt: 0, endedAt: 0, callAttempts: 0, spentMicrocents: 0 },
    ...{ inherited: false, ...over },
  };
}

type Told = Pick<RunState, "status" | "fault" | "visits">;

/** No more than are named. */
const someStandings = fc.array(standings, { minLength: 1, maxLength: 5 });

describe("the sentence about a run", () => {
  it("names exactly what is completed, and says of every other node what it misses or waits for", () => {
    fc.assert(
      fc.property(someStandings, (all) => {
        const visits = all.map((one, index) => visit(`n${index}`, one));
        const [first = "", ...rest] = clausesOf({ status: "running", fault: null, visits });
        const done = visits.filter(({ state }) => state === "completed").map(({ node }) => node);
        if (done.length > 0) expect(first.match(/n\d/g)).toEqual(done);
        else expect(first).toMatch(/^Nothing (?:was completed|is completed yet)$/);
        const missing = all.flatMap((one, index) => (one.says === null ? [] : [{ node: `n${index}`, says: one.says }]));
        expect(rest).toHaveLength(missing.length);
        for (const { node, says } of missing) {
          const clause = rest.find((one) => RegExp(`^${node}\\b`).test(one));
          expect(clause, `about ${node}`).toMatch(says);
        }
      }),
      { numRuns: 500 },
    );
  });

  it("says how the run ended when no node says it", () => {
    fc.assert(
      fc.property(
        someStandings,
        faults,
        fc.constantFrom("failed" as const, "cancelled" as const),
        (all, seen, status) => {
          const visits = all.map((one, index) => visit(`n${index}`, one));
          const said = describeRun({ status, fault: seen, visits }, "en");
          const end = status === "cancelled" ? fault("SessionCancelled") : seen;
          const isTold = visits.some(({ state, fault: own }) => state === "failed" && own?.code === end.code);
          expect(said.toLowerCase()).toContain(`${isTold ? "" : "this run "}${reason(end)}`.toLowerCase());
        },
      ),
    );
  });

  it("is never empty, holds no text of a fault, and is said in every language", () => {
    fc.assert(
      fc.property(fc.array(standings, { maxLength: 12 }), (all) => {
        const visits = all.map((one, index) => visit(`n${index}`, one));
        for (const locale of ["en", "zh-CN"] as const) {
          const said = describeRun({ status: "running", fault: null, visits }, locale);
          expect(said).not.toBe("");
          expect(said).not.toContain("0123456789");
        }
      }),
    );
  });

  it("follows every run of every workflow, event by event", () => {
    fc.assert(
      fc.property(plans, fc.array(fc.nat(1_000), { maxLength: 100 }), fc.nat(), (plan, choices, cut) => {
        const { events } = tell(compile(plan), choices, 2);
        let state: RunState | null = null;
        for (const { at, event } of events.slice(0, 1 + (cut % events.length))) {
          if (event.type === "run-started") state = startRun(event, at);
          else if (state !== null) foldRun(state, event, at);
        }
        if (state === null) throw new Error("a run begins with its start");
        const newest = new Map(state.visits.map((one) => [one.node, one]));
        const done = [...newest.values()].filter((one) => one.state === "completed").length;
        const [first = ""] = clausesOf(state);
        expect(first.startsWith("Completed ")).toBe(done > 0);
        expect(first.startsWith("Nothing ")).toBe(done === 0);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    ["nothing has begun", [], "This run has not started yet."],
    [
      "everything is done",
      [
        ["A", { state: "completed", over: {}, says: null }],
        ["B", { state: "completed", over: {}, says: null }],
      ],
      "Completed A and B.",
    ],
    [
      "one failed",
      [
        ["A", { state: "failed", over: { fault: fault("AuthFailed") }, says: null }],
        ["B", { state: "completed", over: {}, says: null }],
      ],
      "Completed B; A could not sign in.",
    ],
  ] as const)("reads well when %s", (_, nodes, sentence) => {
    const visits = nodes.map(([node, one]) => visit(node, one as Standing));
    expect(describeRun({ status: "running", fault: null, visits }, "en")).toBe(sentence);
  });
});

function clausesOf(state: Told): readonly string[] {
  return describeRun(state, "en").replace(/\.$/, "").split("; ");
}

it("knows a reason for every fault", () => {
  for (const code of FAULT_CODES) expect(reason(fault(code)), traitsOf(code).cause).not.toBe("");
});
