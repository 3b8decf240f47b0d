// Workflows of any shape, and runs of them in any order: a plan is made of nodes, loops, sequences and fan-outs within each other;
// each choice of its story is one that the folded state allows.

import fc from "fast-check";
import type { Route, Visit } from "../../../src/core/flow/visit.ts";
import type { RunEvent } from "../../../src/core/flow/run-event.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import { foldRun, needsOf, startRun } from "../../../src/core/flow/run.ts";
import { fault } from "../../../src/core/fault/fault.ts";

export type Plan =
  | { readonly kind: "node"; readonly rounds: number }
  | { readonly kind: "sequence"; readonly parts: readonly Plan[] }
  | {
      readonly kind: "fan";
      readonly branches: readonly Plan[];
      readonly failFast: boolean;
      readonly sharesJoin: boolean;
    };

export const plans: fc.Arbitrary<Plan> = fc.letrec<{ plan: Plan }>((tie) => ({
  plan: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({ kind: fc.constant("node" as const), rounds: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant("sequence" as const), parts: fc.array(tie("plan"), { minLength: 1, maxLength: 3 }) }),
    fc.record({
      kind: fc.constant("fan" as const),
      branches: fc.array(tie("plan"), { maxLength: 3 }),
      failFast: fc.boolean(),
      sharesJoin: fc.boolean(),
    }),
  ),
})).plan;

export interface Compiled {
  readonly start: string;
  readonly routeOf: (node: string, execution: number) => Route;
  /** How often each node is visited when all goes well. */
  readonly visits: ReadonlyMap<string, number>;
  /** The nodes that must be over before a join begins. */
  readonly before: ReadonlyMap<string, readonly string[]>;
}

export function compile(plan: Plan): Compiled {
  const routes = new Map<string, (execution: number) => Route>();
  const visits = new Map<string, number>();
  const before = new Map<string, readonly string[]>();
  let count = 0;
  const add = (name: string, times: number, route: (execution: number) => Route): string => {
    routes.set(name, route);
    visits.set(name, times);
    return name;
  };
  /** `join`: where its fan-out ends; a fan-out that ends its branch may share it. */
  const place = (one: Plan, next: Route, join: string | null): string => {
    const name = `n${++count}`;
    if (one.kind === "node") {
      return add(name, one.rounds, (execution) => (execution < one.rounds ? { kind: "to", nodes: [name] } : next));
    }
    if (one.kind === "sequence") {
      let then = next;
      let entry = "";
      for (const [index, part] of [...one.parts].reverse().entries()) {
        entry = place(part, then, index === 0 ? join : null);
        then = { kind: "to", nodes: [entry] };
      }
      return entry;
    }
    const isShared = one.sharesJoin && join !== null;
    const mine = isShared ? join : `j${count}`;
    const known = new Set(visits.keys());
    const nodes = one.branches.map((branch) => place(branch, { kind: "to", nodes: [mine] }, mine));
    const inside = [...visits.keys()].filter((key) => !known.has(key));
    if (!isShared) {
      add(mine, 1, () => next);
      before.set(mine, inside);
    }
    return add(name, 1, () => ({ kind: "fan", nodes, join: mine, failFast: one.failFast }));
  };
  const start = place(plan, { kind: "end", outcome: "done" }, null);
  return {
    start,
    visits,
    before,
    routeOf: (node, execution) => routes.get(node)?.(execution) ?? { kind: "end", outcome: "lost" },
  };
}

const LIMITS = { maxParallel: 3, maxNodes: 1_000, timeoutMs: null, maxCostMicrocents: 0 } as const;

export function started(start: readonly string[], maxParallel = 3): Extract<RunEvent, { type: "run-started" }> {
  return {
    type: "run-started",
    ...{ workflow: "w", version: "1", digest: "d", file: null, inputs: {}, predecessor: null },
    ...{ inherited: null, instruction: null, start, limits: { ...LIMITS, maxParallel } },
  };
}

const WHY = fault("RateLimited");
const STORY = { row: { layer: "stage", at: "n" }, considered: [], left: [], passedOver: [], preferred: null } as const;
const AGAIN = { ...STORY, recourse: "retry", delayMs: 5, serverWait: false, attempt: 2, maxAttempts: 9 } as const;

export interface Told {
  readonly events: readonly { readonly at: number; readonly event: RunEvent }[];
  readonly state: RunState;
  /** The most that ran at one time. */
  readonly most: number;
}

/** Told by the choices as long as there are some, then straight to the end. */
export function tell({ start, routeOf }: Compiled, choices: readonly number[], maxParallel: number): Told {
  const first = started([start], maxParallel);
  const events: { at: number; event: RunEvent }[] = [{ at: 0, event: first }];
  const state = startRun(first, 0);
  let now = 0;
  let most = 0;
  const write = (event: RunEvent): void => {
    events.push({ at: now, event });
    foldRun(state, event, now);
    most = Math.max(most, state.visits.filter((visit) => visit.state === "running").length);
  };
  for (let step = 0; step < 5_000; step++) {
    const needs = needsOf(state, now, new Set());
    if (needs.isOver) break;
    const choice = choices[step] ?? 0;
    const running = needs.resume.filter((visit) => visit.state === "running");
    const due = needs.resume.filter((visit) => visit.state === "paused");
    const [starts] = needs.start;
    const live = running[choice % Math.max(1, running.length)];
    if (starts !== undefined && (choice % 2 === 0 || live === undefined)) {
      write({ type: "node-started", ...placeOf(starts), kind: "stage" });
    } else if (due[0] !== undefined && (choice % 3 === 0 || live === undefined)) {
      write({ type: "node-resumed", ...placeOf(due[0]), why: "parked", answer: null, by: "clock" });
    } else if (live !== undefined) write(nextOf(live, routeOf(live.node, live.execution), choice, now, step));
    else now = needs.wakeAt ?? now;
    const [paused] = needs.paused;
    if (choice % 11 === 10 && paused !== undefined) {
      const { node, execution } = paused;
      write({ type: "run-instructed", action: "retry-stage", node, execution, key: `k${step}`, params: {}, by: "ada" });
    }
  }
  return { events, state, most };
}

function placeOf({ node, execution, attempt }: Visit): { node: string; execution: number; attempt: number } {
  return { node, execution, attempt };
}

function nextOf(visit: Visit, route: Route, choice: number, now: number, step: number): RunEvent {
  const place = placeOf(visit);
  // Not for ever: a story that is long goes straight to its end.
  switch (step > 500 ? 0 : choice % 7) {
    case 1:
      return { type: "node-retrying", ...place, of: 9, fault: WHY, decision: AGAIN, delayMs: 5, nextAt: now + 5 };
    case 2:
      return { type: "node-deferred", ...place, of: 9, fault: WHY, nextAt: now + (choice % 4) };
    case 3:
      return { type: "node-paused", ...place, why: "parked", fault: null, questions: [], wakeAt: now + 7 };
    case 4:
      return { type: "node-skipped", ...place, reason: "gate", fault: null, route };
    case 5:
      return { type: "stage-entered", ...place, phase: "act" };
    case 6:
      return { type: "node-failed", ...place, fault: WHY, outcome: "internal_error", resolution: "skip", route };
    default:
      return { type: "node-completed", ...place, route, output: null };
  }
}
