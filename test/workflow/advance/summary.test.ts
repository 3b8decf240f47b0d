// The line about a run that lists and drivers read, for every state of the run; and what a run keeps beside its events.

import { describe, expect, it } from "vitest";
import { fault } from "../../../src/core/fault/fault.ts";
import { startRun } from "../../../src/core/flow/run.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import type { Visit } from "../../../src/core/flow/visit.ts";
import { createMemoryJournal } from "../../../src/index.ts";
import type { RunSummary } from "../../../src/workflow/runs-api.ts";
import {
  isUnderWay,
  keepInputs,
  keepOutput,
  keepsOf,
  readInputs,
  readOutput,
  secretsOf,
  spentBy,
  summaryOf,
} from "../../../src/workflow/advance/summary.ts";
import { started } from "../../core/flow/run-plans.ts";

const NOW = 1_000_000;
const FAULT = fault("RateLimited");
const QUESTION = { id: "q1" };
const ENTRY = { at: 1, event: { type: "turn-started", turn: "t", deadlineAt: null } } as const;

/** A run with a visit for each name; `visits` says how they differ from visits that have just begun. */
function runWith(visits: Readonly<Record<string, Partial<Visit>>>, more: Partial<RunState> = {}): RunState {
  const state = startRun(started(Object.keys(visits)), 5);
  const all = state.visits.map((visit): Visit => ({ ...visit, state: "running", startedAt: 5, ...visits[visit.node] }));
  return { ...state, visits: all, ...more };
}

const shown = (state: RunState): RunSummary => summaryOf("r", state, 7, NOW);
const paused = (more: object): Partial<Visit> =>
  ({ state: "paused", pause: { why: "gate", questions: [], wakeAt: null, ...more } }) as unknown as Partial<Visit>;

describe("the summary of a run", () => {
  it("names the run, its workflow, its times and what it has spent", () => {
    expect(shown(runWith({ a: {} }))).toMatchObject({
      ...{ run: "r", workflow: "w", version: "1", digest: "d", file: null, status: "running" },
      ...{ startedAt: 5, updatedAt: NOW, spentMicrocents: 7, predecessor: null, successor: null },
    });
  });

  const asked = { state: "completed", targets: ["a/x"], target: "a/x" } as const;
  it.each<[string, RunState, string | null]>([
    ["is at a command: none", runWith({ a: asked, b: {} }, { target: "a/x" }), null],
    ["is at an agent: the one it asks", runWith({ a: asked, b: { target: "b/y" } }, { target: "b/y" }), "b/y"],
    [
      "is at two agents: the one asked last",
      runWith({ a: { target: "a/x" }, b: { target: "b/y" } }, { target: "a/x" }),
      "a/x",
    ],
    [
      "has failed at a command: none",
      runWith({ a: asked, b: { state: "failed" } }, { status: "failed", failedNode: "b", target: "a/x" }),
      null,
    ],
    [
      "has failed at an agent: the one it asked",
      runWith({ a: { ...asked, state: "failed" }, b: {} }, { status: "failed", failedNode: "a", target: "b/y" }),
      "a/x",
    ],
    [
      "was cancelled: that of its node",
      runWith({ a: asked, b: { state: "cancelled" } }, { status: "cancelled", target: "a/x" }),
      null,
    ],
    ["has completed: the one that answered last", runWith({ a: asked }, { status: "completed", target: "a/x" }), "a/x"],
  ])("names the target of a run that %s", (_name, state, target) => {
    expect(shown(state).target).toBe(target);
  });

  it.each<[string, RunState, readonly string[]]>([
    ["runs: its open nodes", runWith({ a: {}, b: { state: "completed" }, c: paused({}) }), ["a", "c"]],
    [
      "has failed: the node that failed",
      runWith({ a: { state: "cancelled" }, b: { state: "failed" } }, { status: "failed", failedNode: "b" }),
      ["b"],
    ],
    [
      "was cancelled: the nodes it was at",
      runWith(
        { a: { state: "completed" }, b: { state: "cancelled" }, c: { state: "cancelled" } },
        { status: "cancelled" },
      ),
      ["b", "c"],
    ],
    ["has completed: none", runWith({ a: { state: "completed" } }, { status: "completed" }), []],
  ])("that %s", (_what, state, nodes) => {
    expect(shown(state).nodes).toEqual(nodes);
  });

  it.each<[string, RunState, Pick<RunSummary, "code" | "attempt" | "of">]>([
    ["nothing is wrong", runWith({ a: { attempt: 3, of: 4 } }), { code: null, attempt: 0, of: 0 }],
    [
      "a visit had a fault",
      runWith({ a: {}, b: { fault: FAULT, attempt: 2, of: 3 } }),
      { code: "RateLimited", attempt: 2, of: 3 },
    ],
    [
      "the run has a fault of its own",
      runWith({ b: { fault: FAULT, attempt: 2, of: 3 } }, { fault: fault("BudgetExceeded") }),
      { code: "BudgetExceeded", attempt: 2, of: 3 },
    ],
    [
      "it ended, and the last visit of the failed node counts",
      runWith(
        {
          a: { state: "failed", fault: fault("Unsupported") },
          b: { state: "failed", fault: FAULT, attempt: 2, of: 3 },
        },
        { status: "failed", failedNode: "b" },
      ),
      { code: "RateLimited", attempt: 2, of: 3 },
    ],
    [
      "it ended well although a visit had a fault",
      runWith({ a: { state: "completed", fault: FAULT } }, { status: "completed" }),
      { code: null, attempt: 0, of: 0 },
    ],
  ])("says what is wrong: %s", (_what, state, expected) => {
    expect(shown(state)).toMatchObject(expected);
  });

  it("lists the open questions of a run that is not over, and none of one that is", () => {
    const visits = { a: paused({ questions: [QUESTION] }), b: paused({ questions: [{ id: "q2" }] }), c: {} };
    expect(shown(runWith(visits)).questions).toEqual(["q1", "q2"]);
    expect(shown(runWith(visits, { status: "failed" }))).toMatchObject({ questions: [], wakeAt: null, wait: null });
  });

  it.each<[string, RunState, RunSummary["wait"]]>([
    ["a visit runs beside it", runWith({ a: {}, b: { state: "ready", notBefore: NOW + 9 } }), null],
    ["a visit is about to begin", runWith({ a: { state: "ready", notBefore: NOW } }), null],
    ["all wait for a person", runWith({ a: paused({}) }), null],
    [
      "the first of two attempts to come",
      runWith({
        a: { state: "ready", notBefore: NOW + 9, attempt: 2, of: 3, fault: FAULT },
        b: { state: "ready", notBefore: NOW + 4, attempt: 5, of: 6, fault: null },
      }),
      { target: "", attempt: 5, of: 6, code: null, held: null, nextAt: NOW + 4 },
    ],
    [
      "the next attempt of a call",
      runWith({
        a: {
          calls: {
            c: { target: "gpt", attempt: 2, of: null, code: "Overloaded", held: null, nextAt: NOW + 4 },
          },
        },
      }),
      { target: "gpt", attempt: 2, of: 0, code: "Overloaded", held: null, nextAt: NOW + 4 },
    ],
  ])("says for what it waits: %s", (_what, state, wait) => {
    expect(shown(state).wait).toEqual(wait);
    expect(shown(state).code).toBe(wait?.code ?? state.visits[0]?.fault?.code ?? null);
  });
});

describe("what is kept of a summary", () => {
  it.each<[Partial<RunSummary>, number | null, string]>([
    [{ status: "running", wakeAt: 9 }, NOW, "at once"],
    [{ status: "paused", wakeAt: 9 }, 9, "9"],
    [{ status: "paused", wakeAt: null }, null, "null"],
    [{ status: "failed", wakeAt: 9 }, null, "null"],
    [{ status: "completed", wakeAt: null }, null, "null"],
  ])("with %j: the run is due at %s", (more, wake, says) => {
    const summary = { ...shown(runWith({ a: {} })), ...more } as RunSummary;
    const [run, due] = keepsOf(summary);
    expect(run).toMatchObject({ kind: "run", key: "r", value: summary });
    expect(due).toEqual({ kind: "wake", key: "r", value: wake, says });
    const later = { ...summary, updatedAt: NOW + 1 };
    expect(keepsOf(later).map((keep) => keep.says)).toEqual([run.says, due.says]);
  });

  it.each(["running", "paused", "completed"] as const)(
    "a run that is %s is under way only if it runs",
    async (status) => {
      const journal = createMemoryJournal();
      expect(await isUnderWay(journal, "r")).toBe(false);
      await journal.keep([{ kind: "run", key: "r", value: { ...shown(runWith({ a: {} })), status } }]);
      expect(await isUnderWay(journal, "r")).toBe(status === "running");
    },
  );
});

describe("what a run keeps beside its events", () => {
  it.each([[{ deep: [1] }], [null], [0], [""], [undefined]])("the output %j of a visit", async (output) => {
    const journal = createMemoryJournal();
    const visit = { node: "a", execution: 1 };
    await journal.append("r", 0, [ENTRY], [keepOutput("r", visit, "of the attempt before")]);
    await journal.append("r", 1, [ENTRY], [keepOutput("r", visit, output)]);
    expect(await readOutput(journal, "r", visit)).toEqual(output);
    expect(await readOutput(journal, "r", { ...visit, execution: 2 })).toBeUndefined();
  });

  it("its inputs, the secret ones apart, and both are read together, frozen", async () => {
    const journal = createMemoryJournal();
    const keeps = keepInputs("r", { values: { city: "Oslo", key: "s3cret" }, secret: { key: "s3cret" } });
    expect(keeps.map(({ kind, value }) => [kind, value])).toEqual([
      ["input", { city: "Oslo" }],
      ["secret", { key: "s3cret" }],
    ]);
    expect(keepInputs("r", { values: { city: "Oslo" }, secret: {} })).toHaveLength(1);
    await journal.append("r", 0, [ENTRY], keeps);
    const inputs = await readInputs(journal, "r");
    expect([inputs, Object.isFrozen(inputs)]).toEqual([{ city: "Oslo", key: "s3cret" }, true]);
    expect(await secretsOf(journal, "r", null)).toEqual(["s3cret"]);
    expect(await secretsOf(journal, "r", { secrets: ["more"] } as never)).toEqual(["s3cret", "more"]);
    expect([await readInputs(journal, "other"), await secretsOf(journal, "other", null)]).toEqual([{}, []]);
  });

  it("what all visits of one node have spent, and no other", () => {
    const run = runWith({ a: { spentMicrocents: 7 }, b: { spentMicrocents: 100 } });
    const again = { ...run, visits: [...run.visits, { ...run.visits[0], execution: 2, spentMicrocents: 5 } as Visit] };
    expect([spentBy(again, "a"), spentBy(again, "b"), spentBy(again, "c")]).toEqual([12, 100, 0]);
  });
});
