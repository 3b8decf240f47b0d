// What is true of every run of every workflow, in whatever order things happen.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../../src/core/flow/run-event.ts";
import {
  begunCount,
  executionsOf,
  isEnded,
  keyOf,
  openVisits,
  type RunState,
  visitOf,
} from "../../../src/core/flow/run-state.ts";
import { copyRun, foldRun, needsOf, startRun } from "../../../src/core/flow/run.ts";
import { isBeside, isOpen } from "../../../src/core/flow/visit.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { compile, type Compiled, plans, started, tell } from "./run-plans.ts";
import { samples } from "../../support/grid.ts";

const choices = fc.array(fc.nat(1_000), { maxLength: 200 });
const parallel = fc.integer({ min: 1, max: 4 });
const RUNS = { numRuns: samples(100, 300) };

function fold(events: readonly { readonly at: number; readonly event: RunEvent }[], from?: RunState): RunState {
  let state = from;
  for (const { at, event } of events) {
    if (event.type === "run-started") state = startRun(event, at);
    else if (state !== undefined) foldRun(state, event, at);
  }
  if (state === undefined) throw new Error("a run begins with its start");
  return state;
}

describe("every run", () => {
  it("visits each node as often as its workflow says, and a join once, when all its paths have arrived", () => {
    fc.assert(
      fc.property(plans, choices, parallel, (plan, told, maxParallel) => {
        const compiled = compile(plan);
        const { state, events } = tell(compiled, told, maxParallel);
        const counted = new Map<string, number>();
        for (const { node } of state.visits) counted.set(node, (counted.get(node) ?? 0) + 1);
        expect(counted).toEqual(new Map(compiled.visits));
        expect(Object.keys(state.fans)).toEqual([]);
        const over = new Set<string>();
        for (const { event } of events) {
          if (event.type === "node-started") {
            for (const node of compiled.before.get(event.node) ?? []) {
              for (let execution = 1; execution <= (compiled.visits.get(node) ?? 0); execution++) {
                expect(over, `${node} before ${event.node}`).toContain(`${node}#${execution}`);
              }
            }
          }
          const isOver =
            event.type === "node-completed" || event.type === "node-skipped" || event.type === "node-failed";
          if (isOver) over.add(keyOf(event));
        }
      }),
      RUNS,
    );
  });

  it("has for each visit the same visits that are not beside it, all of them over when it begins, in whatever order paths run", () => {
    fc.assert(
      fc.property(plans, choices, choices, parallel, (plan, told, otherwise, maxParallel) => {
        const compiled = compile(plan);
        const one = seenBy(compiled, told, maxParallel);
        const other = seenBy(compiled, otherwise, 1);
        expect([...one.keys()].toSorted()).toEqual([...other.keys()].toSorted());
        for (const [visit, seen] of one) expect(other.get(visit), `what ${visit} sees`).toEqual(seen);
        for (const [join, nodes] of compiled.before)
          for (const node of nodes) expect(one.get(`${join}#1`), `what ${join} sees`).toContain(`${node}#1`);
      }),
      RUNS,
    );
  });

  it("never runs more visits at a time than it may", () => {
    fc.assert(
      fc.property(plans, choices, parallel, (plan, told, maxParallel) => {
        expect(tell(compile(plan), told, maxParallel).most).toBeLessThanOrEqual(maxParallel);
      }),
      RUNS,
    );
  });

  it("offers no node that is already running, and no more than there are slots", () => {
    fc.assert(
      fc.property(plans, choices, parallel, fc.nat(), fc.nat(7), (plan, told, maxParallel, cut, mask) => {
        const { events } = tell(compile(plan), told, maxParallel);
        const state = fold(events.slice(0, 1 + (cut % events.length)));
        const live = state.visits.filter((visit) => ["ready", "running", "paused"].includes(visit.state));
        const busy = new Set(live.filter((_visit, index) => ((mask >> index) & 1) === 1).map(keyOf));
        const { start, resume, paused, places } = needsOf(state, 1e9, busy);
        for (const visit of [...start, ...resume, ...paused]) expect(busy.has(keyOf(visit))).toBe(false);
        const running = live.filter((visit) => visit.state === "running" || busy.has(keyOf(visit))).length;
        const begun = start.length + resume.filter((visit) => visit.state !== "running").length;
        expect(begun).toBeLessThanOrEqual(Math.max(0, maxParallel - running));
        expect(start.length).toBeLessThanOrEqual(places);
      }),
      RUNS,
    );
  });

  it("fills its slots first with visits whose pause is over, then with ready ones, and waits for the earliest of the others", () => {
    const NOW = 1_000;
    const standing = fc.constantFrom("running", "due", "later", "waiting", "ready", "delayed");
    fc.assert(
      fc.property(
        fc.array(standing, { minLength: 1, maxLength: 8 }),
        parallel,
        fc.nat(500),
        (all, maxParallel, moreMs) => {
          const nodes = all.map((_one, index) => `n${index}`);
          const state = startRun(started(nodes, maxParallel), 0);
          const laterAt = (index: number): number => NOW + 1 + index + moreMs;
          for (const [index, visit] of state.visits.entries()) {
            const one = all[index];
            if (one === "running") visit.state = "running";
            if (one === "delayed") visit.notBefore = laterAt(index);
            if (one !== "due" && one !== "later" && one !== "waiting") continue;
            const wakeAt = one === "waiting" ? null : one === "due" ? NOW : laterAt(index);
            visit.state = "paused";
            visit.pause = { why: wakeAt === null ? "question" : "parked", questions: [], wakeAt };
          }
          const count = (...kinds: readonly string[]): number => all.filter((one) => kinds.includes(one)).length;
          const free = Math.max(0, maxParallel - count("running"));
          const due = Math.min(free, count("due"));
          const needs = needsOf(state, NOW, new Set());
          expect(needs.resume).toHaveLength(count("running") + due);
          expect(needs.places).toBe(free - due);
          expect(needs.start).toHaveLength(Math.min(free - due, count("ready")));
          const later = all.flatMap((one, index) => (one === "later" || one === "delayed" ? [laterAt(index)] : []));
          expect(needs.wakeAt).toBe(later.length === 0 ? null : Math.min(...later));
        },
      ),
      RUNS,
    );
  });

  it("never enters the join of a fan-out in which one failure stops the other branches, and always enters it otherwise", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.nat(),
        fc.nat(),
        fc.boolean(),
        (count, whichFails, over, failFast) => {
          const nodes = Array.from({ length: count }, (_one, index) => `b${index}`);
          const failing = nodes[whichFails % count];
          const others = nodes.filter((node) => node !== failing);
          const before = others.slice(0, over % count);
          const at = { execution: 1, attempt: 1 };
          const route = { kind: "to", nodes: ["join"] } as const;
          const state = startRun(started(["split"]), 0);
          const fold = (event: RunEvent): void => foldRun(state, event, 1);
          const fan = { kind: "fan", nodes, join: "join", failFast } as const;
          fold({ type: "node-completed", node: "split", ...at, route: fan, output: null });
          for (const node of before) fold({ type: "node-completed", node, ...at, route, output: null });
          const ended = { fault: fault("AuthFailed"), outcome: "provider_auth_error", route: null } as const;
          fold({ type: "node-failed", node: failing ?? "", ...at, ...ended, resolution: "abort-workflow" });
          for (const node of others.filter((one) => !before.includes(one)))
            fold({ type: "node-skipped", node, ...at, reason: "sibling-failed", fault: null, route: null });
          expect(executionsOf(state, "join")).toBe(failFast ? 0 : 1);
        },
      ),
      RUNS,
    );
  });

  it("is the same from a snapshot as from its first event", () => {
    fc.assert(
      fc.property(plans, choices, fc.nat(), (plan, told, cut) => {
        const { events } = tell(compile(plan), told, 2);
        const at = 1 + (cut % events.length);
        const snapshot = JSON.parse(JSON.stringify(fold(events.slice(0, at)))) as RunState;
        expect(fold(events.slice(at), snapshot)).toEqual(fold(events));
      }),
      RUNS,
    );
  });

  it("has one place for each visit, and what is over stays over, whatever is written", () => {
    fc.assert(
      fc.property(fc.array(anyEvent(), { maxLength: 60 }), (events) => {
        const state = startRun(started(["a", "b"]), 0);
        const over = new Map<string, string>();
        for (const [at, event] of events.entries()) {
          foldRun(state, event, at);
          for (const visit of state.visits) {
            const before = over.get(keyOf(visit));
            if (before !== undefined) expect(visit.state).toBe(before);
            if (["completed", "failed", "skipped"].includes(visit.state)) over.set(keyOf(visit), visit.state);
          }
          expect(new Set(state.visits.map(keyOf)).size).toBe(state.visits.length);
        }
      }),
      RUNS,
    );
  });

  it("knows its open visits and how often each node was entered, and so does a copy that goes its own way", () => {
    const naive = ({ visits }: RunState) => ({
      open: visits.filter(isOpen).map(keyOf),
      begun: visits.filter((visit) => visit.startedAt > 0 && !visit.inherited).length,
      executions: ["a", "b", "c"].map((node) =>
        Math.max(0, ...visits.filter((visit) => visit.node === node).map(({ execution }) => execution)),
      ),
    });
    const known = (state: RunState): ReturnType<typeof naive> => ({
      open: openVisits(state).map(keyOf),
      begun: begunCount(state, () => false),
      executions: ["a", "b", "c"].map((node) => executionsOf(state, node)),
    });
    fc.assert(
      fc.property(fc.array(fc.tuple(anyEvent(), fc.boolean()), { maxLength: 60 }), (events) => {
        const state = startRun(started(["a", "b"]), 1);
        let copy = copyRun(state);
        for (const [index, [event, isCopied]] of events.entries()) {
          const before = structuredClone(state);
          if (isCopied) copy = copyRun(state);
          foldRun(copy, event, index + 2);
          expect(known(copy)).toEqual(naive(copy));
          expect(state).toEqual(before);
          foldRun(state, event, index + 2);
          expect(known(state)).toEqual(naive(state));
          expect(known(copy)).toEqual(naive(copy));
        }
      }),
      RUNS,
    );
  });

  it("that has ended is changed by nothing but its successor", () => {
    fc.assert(
      fc.property(plans, choices, fc.nat(), fc.array(anyEvent(), { maxLength: 20 }), (plan, told, cut, late) => {
        const { events } = tell(compile(plan), told, 2);
        const state = fold(events.slice(0, 1 + (cut % events.length)));
        foldRun(state, { type: "run-ended", status: "cancelled", outcome: "canceled", node: "", fault: null }, 10);
        const ended = structuredClone(state);
        for (const event of late) foldRun(state, event, 20);
        expect(isEnded(state)).toBe(true);
        expect(state).toEqual(ended);
        foldRun(state, { type: "run-superseded", successor: "run_2" }, 30);
        expect(state).toEqual({ ...ended, successor: "run_2" });
      }),
      RUNS,
    );
  });
});

/** By visit: those it sees when it is begun for the first time. */
function seenBy(compiled: Compiled, told: readonly number[], maxParallel: number): Map<string, readonly string[]> {
  const seen = new Map<string, readonly string[]>();
  const { events } = tell(compiled, told, maxParallel);
  const state = fold(events.slice(0, 1));
  for (const { at, event } of events.slice(1)) {
    foldRun(state, event, at);
    const visit = event.type === "node-started" ? visitOf(state, event) : undefined;
    if (visit === undefined || seen.has(keyOf(visit))) continue;
    const over = state.visits.filter(({ state: at }) => at === "completed" || at === "failed" || at === "skipped");
    seen.set(
      keyOf(visit),
      over
        .filter((one) => !isBeside(one, visit))
        .map(keyOf)
        .toSorted(),
    );
  }
  return seen;
}

function anyEvent(): fc.Arbitrary<RunEvent> {
  const place = fc.record({
    node: fc.constantFrom("a", "b", "c"),
    execution: fc.integer({ min: 1, max: 3 }),
    attempt: fc.integer({ min: 1, max: 3 }),
  });
  const route = fc.oneof(
    fc.constant(null),
    fc.record({ kind: fc.constant("end" as const), outcome: fc.constant("x") }),
    fc.record({ kind: fc.constant("to" as const), nodes: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 2 }) }),
    fc.record({
      kind: fc.constant("fan" as const),
      nodes: fc.array(fc.constantFrom("a", "b"), { maxLength: 2 }),
      join: fc.constant("c"),
      failFast: fc.boolean(),
    }),
  );
  const why = fault("RateLimited");
  return fc.tuple(place, route, fc.nat(9)).map(([at, to, kind]): RunEvent => {
    const all: readonly RunEvent[] = [
      { type: "node-started", ...at, kind: "stage" },
      { type: "stage-entered", ...at, phase: "act" },
      { type: "node-deferred", ...at, of: 3, fault: why, nextAt: 5 },
      { type: "node-paused", ...at, why: "gate", fault: null, questions: [], wakeAt: null },
      { type: "node-resumed", ...at, why: "gate", answer: null, by: "x" },
      { type: "node-completed", ...at, route: to ?? { kind: "end", outcome: "x" }, output: null },
      { type: "node-failed", ...at, fault: why, outcome: "internal_error", resolution: "skip", route: to },
      { type: "node-skipped", ...at, reason: "gate", fault: null, route: to },
      { type: "run-instructed", action: "x", node: at.node, execution: at.execution, key: "k", params: {}, by: "x" },
      { type: "run-paused", why: "gate", wakeAt: null },
    ];
    return all[kind] ?? { type: "run-paused", why: "retry", wakeAt: null };
  });
}
