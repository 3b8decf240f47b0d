// What became of each attempt of each visit, read off the entries of a run: event by event, and as it will be after events to come.

import { describe, expect, it } from "vitest";
import { fault } from "../../../src/core/fault/fault.ts";
import { matrixOutcome } from "../../../src/core/fault/vocabulary.ts";
import type { JournalEvent } from "../../../src/core/record/event.ts";
import { turnOf } from "../../../src/core/flow/visit.ts";
import {
  type AttemptRecord,
  failedAttempts,
  StageMemory,
  type StageRecord,
  type StageRole,
} from "../../../src/workflow/report/stage-file-records.ts";
import { started } from "../../core/flow/run-plans.ts";

const FAULT = fault("AssertFailed");
const PLACE = { node: "a", execution: 1, attempt: 1 };
const TURN = turnOf(PLACE);
const NEXT = { kind: "to", nodes: ["b"] } as const;
const END = { kind: "end", outcome: "" } as const;
const COST = { microcents: 7, basis: "reported" } as const;

/** Events in short: only what the records read. */
const event = (type: string, more: object = {}): JournalEvent =>
  ({ type, ...PLACE, ...more }) as unknown as JournalEvent;
const call = (type: string, more: object = {}): JournalEvent =>
  ({ type, call: "c1", ...more }) as unknown as JournalEvent;

function memoryOf(events: readonly JournalEvent[], role: StageRole = null): StageMemory {
  const memory = new StageMemory(() => role);
  [started(["a"]) as JournalEvent, ...events].forEach((one, index) =>
    memory.add({ seq: index + 1, at: (index + 1) * 10, event: one }),
  );
  return memory;
}

const recordsOf = (events: readonly JournalEvent[], role: StageRole = null): readonly StageRecord[] =>
  memoryOf(events, role).after([]).changed;

/** The record of the only stage, without its entries. */
function stageOf(events: readonly JournalEvent[], role: StageRole = null): object {
  const [stage, ...others] = recordsOf(events, role);
  expect(others).toEqual([]);
  const { entries, attempts, ...rest } = stage ?? expect.unreachable();
  expect(entries.map((entry) => entry.event)).toEqual(events.filter((one) => one.type !== "run-ended"));
  return { ...rest, attempts: attempts.map(({ calls, ...attempt }) => ({ ...attempt, calls: [...calls] })) };
}

const ATTEMPT: Omit<AttemptRecord, "calls"> & { readonly calls: readonly string[] } = {
  ...{ attempt: 1, startedAt: 20, endedAt: 0, fault: null, outcome: null },
  ...{ calls: [], callAttempts: 0, spentMicrocents: 0, failedCall: "" },
};
const FAILED = { fault: FAULT, outcome: matrixOutcome(FAULT.code, "coder"), endedAt: 30 };
const GOES_ON = { do: "go-on", nextAt: null, to: ["b"] };
const STOPS = { do: "stop", nextAt: null, to: [] };

describe("the record of a stage", () => {
  it.each<[JournalEvent, object, Partial<typeof ATTEMPT>]>([
    [
      event("node-retrying", { fault: FAULT, nextAt: 99 }),
      { state: "waiting", then: { do: "retry", nextAt: 99, to: ["a"] } },
      FAILED,
    ],
    [
      event("node-deferred", { fault: FAULT, nextAt: 99 }),
      { state: "waiting", then: { do: "defer", nextAt: 99, to: ["a"] } },
      FAILED,
    ],
    [
      event("node-paused", { fault: FAULT, wakeAt: 99 }),
      { state: "waiting", then: { do: "wait", nextAt: 99, to: ["a"] } },
      { ...FAILED, endedAt: 0 },
    ],
    [
      event("node-paused", { fault: null, wakeAt: null }),
      { state: "waiting", then: { do: "wait", nextAt: null, to: ["a"] } },
      {},
    ],
    [event("node-completed", { route: NEXT }), { state: "completed", then: GOES_ON }, { endedAt: 30 }],
    [event("node-completed", { route: END }), { state: "completed", then: STOPS }, { endedAt: 30 }],
    [
      event("node-failed", { fault: FAULT, outcome: "said", route: null }),
      { state: "failed", then: STOPS },
      { ...FAILED, outcome: "said" },
    ],
    [
      event("node-skipped", { fault: null, reason: "gate", route: NEXT }),
      { state: "skipped", then: GOES_ON },
      { endedAt: 30 },
    ],
    [
      event("node-skipped", { fault: FAULT, reason: "gate", route: NEXT }),
      { state: "skipped", then: GOES_ON },
      { endedAt: 30 },
    ],
    [
      event("node-skipped", { fault: FAULT, reason: "resolution", route: NEXT }),
      { state: "skipped", then: GOES_ON },
      FAILED,
    ],
  ])("after %j", (last, stage, attempt) => {
    const expected = { node: "a", execution: 1, ...stage, attempts: [{ ...ATTEMPT, ...attempt }] };
    expect(stageOf([event("node-started"), last])).toEqual(expected);
  });

  it("names the outcome by the role of its stage", () => {
    const code = "SchemaInvalid";
    const events = [event("node-started"), event("node-retrying", { fault: fault(code), nextAt: 9 })];
    const outcomes = ([null, "reviewer", "tester"] as const).map(
      (role) => recordsOf(events, role)[0]?.attempts[0]?.outcome,
    );
    expect(outcomes).toEqual([
      matrixOutcome(code, "coder"),
      matrixOutcome(code, "reviewer"),
      matrixOutcome(code, "tester"),
    ]);
    expect(new Set(outcomes).size).toBeGreaterThan(1);
  });

  it("runs again after a pause and with its next attempt, which has a record of its own", () => {
    const paused = [event("node-started"), event("node-paused", { fault: null, wakeAt: null }), event("node-resumed")];
    expect(stageOf(paused)).toMatchObject({ state: "running" });
    const again = [
      event("node-started"),
      event("node-retrying", { fault: FAULT, nextAt: 9 }),
      event("node-started", { attempt: 2 }),
    ];
    const [stage] = recordsOf(again);
    expect(stage).toMatchObject({
      state: "running",
      attempts: [{ attempt: 1 }, { attempt: 2, startedAt: 40, fault: null }],
    });
    expect(failedAttempts(stage ?? expect.unreachable()).map(({ attempt }) => attempt)).toEqual([1]);
  });

  it("adds up the calls of an attempt, how often they were tried, and what they cost", () => {
    const events = [
      event("node-started"),
      call("call-started", { turn: TURN }),
      call("call-admitted"),
      call("call-failed", { cost: COST }),
      call("call-admitted"),
      call("call-succeeded", { cost: COST }),
      call("call-late", { cost: COST }),
      call("call-succeeded", { cost: null }),
    ];
    expect(stageOf(events)).toMatchObject({
      attempts: [{ calls: ["c1"], callAttempts: 2, spentMicrocents: 14, failedCall: "c1", endedAt: 0 }],
    });
  });

  it("has what happened in its turns, its questions and the visit as a whole, and nothing else", () => {
    const asked = { type: "question-asked", question: { turn: TURN } } as unknown as JournalEvent;
    const whole = { type: "run-instructed", node: "a", execution: 1, key: "k", params: {} } as unknown as JournalEvent;
    const turn = { type: "turn-started", turn: TURN } as unknown as JournalEvent;
    const unknown = call("call-admitted", { call: "of another program" });
    const [stage] = recordsOf([event("node-started"), turn, asked, whole, unknown]);
    expect(stage?.entries.map(({ event: { type } }) => type)).toEqual([
      ...["node-started", "turn-started", "question-asked", "run-instructed"],
    ]);
    expect(stage?.attempts.map(({ attempt }) => attempt)).toEqual([1]);
  });
});

describe("what is remembered of a run", () => {
  const [begins, fails, completes] = [
    event("node-started"),
    event("node-retrying", { fault: FAULT, nextAt: 9 }),
    event("node-completed", { route: NEXT }),
  ] as const;

  it("shows events to come without taking them over", () => {
    const memory = memoryOf([begins]);
    const coming = [
      { at: 77, event: fails },
      { at: 88, event: event("node-started", { attempt: 2 }) },
    ];
    const shown = memory.after(coming);
    expect(shown.changed).toMatchObject([{ state: "running", attempts: [{ endedAt: 77 }, { startedAt: 88 }] }]);
    expect(shown.changed[0]?.entries.map(({ seq, at }) => [seq, at])).toEqual([
      [2, 20],
      [null, 77],
      [null, 88],
    ]);
    expect(memory.after([]).changed).toMatchObject([{ attempts: [{ endedAt: 0 }] }]);
    expect(memory.after([]).changed[0]?.entries).toHaveLength(1);
    expect(shown.inRound(1)).toEqual(shown.changed);
    expect([shown.inRound(2), memory.seq]).toEqual([[], 2]);
  });

  it("reads each entry once", () => {
    const memory = memoryOf([begins, fails]);
    memory.add({ seq: 3, at: 50, event: fails });
    memory.add({ seq: 1, at: 50, event: fails });
    expect(memory.after([]).changed[0]?.entries).toHaveLength(2);
  });

  it("lists what has changed since files were written; a stage that is over stays closed, and in its round", () => {
    const memory = memoryOf([begins, completes, event("node-started", { node: "b" })]);
    const first = memory.after([]);
    expect(first.changed.map(({ node }) => node)).toEqual(["a", "b"]);
    memory.wrote(first);
    expect(memory.after([]).changed).toEqual([]);
    memory.add({ seq: 5, at: 50, event: fails });
    memory.add({ seq: 6, at: 60, event: event("node-paused", { node: "b", fault: null, wakeAt: 9 }) });
    const second = memory.after([{ at: 70, event: fails }]);
    expect(second.changed.map(({ node }) => node)).toEqual(["b"]);
    expect(second.inRound(1).map(({ node, state, entries }) => [node, state, entries.length])).toEqual([
      ["a", "completed", 0],
      ["b", "waiting", 2],
    ]);
  });

  it("folds the run beside it, also for events to come; without a run there is none", () => {
    const memory = memoryOf([begins]);
    expect(memory.after([{ at: 5, event: completes }]).state?.visits[0]?.state).toBe("completed");
    expect(memory.after([]).state?.visits[0]?.state).toBe("running");
    expect(new StageMemory(() => null).after([]).state).toBeNull();
  });
});
