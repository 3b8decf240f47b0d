// What holds of every round: random plans, random ends, random orders. Seeds print on failure.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fault } from "../../../src/core/index.ts";
import { isUsable, type NodeEnd, type NodeStatus, Round } from "../../../src/core/flow/round.ts";
import { checkPlan, type Plan, type PlanNode } from "../../../src/core/flow/plan.ts";

function planOf(nodes: readonly PlanNode[]): Plan {
  const { plan, fault: refused } = checkPlan(nodes);
  if (plan === null) throw new Error(refused.message);
  return plan;
}

const DONE: NodeEnd = { status: "done", fault: null };
const DOWN = fault("ToolUnavailable");
const LATE = fault("TurnTimeout");

interface Drawn {
  readonly plan: Plan;
  readonly ends: ReadonlyMap<string, NodeStatus>;
}

const STATUSES = ["done", "partial", "defaulted", "skipped", "surfaced", "failed", "cancelled"] as const;

/** Random plans without rings: each node needs only earlier ones; they are given in any order. */
const drawn: fc.Arbitrary<Drawn> = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(30), { maxLength: 4 }),
      optional: fc.boolean(),
      hasDefault: fc.boolean(),
      end: fc.oneof(fc.constant("done" as const), fc.constantFrom(...STATUSES)),
      place: fc.nat(),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((specs) => {
    const nodes = specs.map(({ needs, optional, hasDefault }, index) => ({
      id: `n${index}`,
      tool: "t",
      label: "",
      needs: needs.filter((need) => need < index).map((need) => `n${need}`),
      optional,
      hasDefault,
    }));
    const order = nodes
      .map((each, index) => ({ each, place: specs[index]?.place ?? 0 }))
      .toSorted((a, b) => a.place - b.place);
    return {
      plan: planOf(order.map(({ each }) => each)),
      ends: new Map(specs.map(({ end }, index) => [`n${index}`, end])),
    };
  });

/** Plays a round to its end; `pick` says which of those that run ends next. */
function play(
  { plan, ends }: Drawn,
  pick: () => number,
  seen: (round: Round, statuses: ReadonlyMap<string, NodeStatus>, readied: readonly string[]) => void = () => undefined,
): ReadonlyMap<string, NodeStatus> {
  const round = new Round(plan);
  const running = [...round.ready()];
  const statuses = new Map<string, NodeStatus>();
  const end = (id: string, status: NodeStatus): void => {
    expect(statuses.has(id), `${id} ends once`).toBe(false);
    statuses.set(id, status);
  };
  seen(round, statuses, running);
  while (running.length > 0) {
    const [id = ""] = running.splice(pick() % running.length, 1);
    const status = ends.get(id) ?? "done";
    end(id, status);
    const { ready, settled } = round.settle(id, { status, fault: status === "done" ? null : DOWN });
    settled.forEach((each) => end(each.node, each.status));
    running.push(...ready);
    seen(round, statuses, ready);
  }
  expect(round.open).toBe(0);
  return statuses;
}

describe("any plan, whatever its nodes end with and in whatever order", () => {
  const picks = fc.infiniteStream(fc.nat(1000));
  const picker = (stream: fc.Stream<number>) => () => (stream.next().value as number | undefined) ?? 0;

  it("ends every node exactly once, and counts what is open", () => {
    fc.assert(
      fc.property(drawn, picks, (each, stream) => {
        const statuses = play(each, picker(stream), (round, ended) => {
          expect(round.open).toBe(each.plan.nodes.size - ended.size);
        });
        expect(statuses.size).toBe(each.plan.nodes.size);
      }),
    );
  });

  it("lets no node run before all it needs is usable", () => {
    fc.assert(
      fc.property(drawn, picks, (each, stream) => {
        play(each, picker(stream), (_round, ended, readied) => {
          for (const id of readied) {
            expect(ended.has(id)).toBe(false);
            for (const need of each.plan.nodes.get(id)?.needs ?? [])
              expect(isUsable(ended.get(need) ?? "failed")).toBe(true);
          }
        });
      }),
    );
  });

  it("ends each node by its own result or by what is declared for it, in every order", () => {
    fc.assert(
      fc.property(drawn, picks, (each, stream) => {
        const statuses = play(each, picker(stream));
        for (const { id, needs, optional, hasDefault } of each.plan.nodes.values()) {
          const runs = needs.every((need) => isUsable(statuses.get(need) ?? "failed"));
          const unrun = optional ? "skipped" : hasDefault ? "defaulted" : "failed";
          expect(statuses.get(id)).toBe(runs ? each.ends.get(id) : unrun);
        }
      }),
    );
  });

  it("ends the same way in every order", () => {
    fc.assert(
      fc.property(drawn, picks, picks, (each, one, other) => {
        const sorted = (statuses: ReadonlyMap<string, NodeStatus>): unknown =>
          [...statuses].toSorted(([a], [b]) => a.localeCompare(b));
        expect(sorted(play(each, picker(one)))).toEqual(sorted(play(each, picker(other))));
      }),
    );
  });

  it("ends everything that has not begun when the time is up, wherever that is", () => {
    fc.assert(
      fc.property(drawn, picks, fc.nat(10), fc.nat(3), ({ plan, ends }, stream, steps, heldCount) => {
        const pick = picker(stream);
        const round = new Round(plan);
        const running = [...round.ready()];
        const ended = new Set<string>();
        for (let step = 0; step < steps && running.length > 0; step++) {
          const [id = ""] = running.splice(pick() % running.length, 1);
          const status = ends.get(id) ?? "done";
          const { ready, settled } = round.settle(id, { status, fault: DOWN });
          [id, ...settled.map((each) => each.node)].forEach((each) => ended.add(each));
          running.push(...ready);
        }
        const held = running.splice(0, heldCount);
        for (const { node: id, status, because } of round.expire(LATE, held)) {
          expect(ended.has(id)).toBe(false);
          ended.add(id);
          const { optional, hasDefault } = plan.nodes.get(id) ?? {};
          expect([status, because]).toEqual([
            hasDefault === true ? "defaulted" : optional === true ? "skipped" : "failed",
            "",
          ]);
        }
        expect(round.open).toBe(running.length);
        for (const id of running) expect(round.settle(id, DONE)).toEqual({ ready: [], settled: [] });
        expect(round.open).toBe(0);
      }),
    );
  });
});
