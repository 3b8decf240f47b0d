// A session's budget: what stops, what asks, what only warns, and that every attempt is booked.

import { describe, expect, it } from "vitest";
import {
  type FaultlineOptions,
  type JournalEvent,
  type OnExceed,
  type Session,
  step,
  tool,
  type Turn,
  type TurnResult,
} from "../../../src/index.ts";
import { eventsOf, fails, type Life, life, lifeOn, never, newPath, only, thrown } from "./life.ts";

interface Begun extends Life {
  readonly session: Session;
  readonly events: () => Promise<readonly JournalEvent[]>;
}

async function begun(made: Life | Promise<Life>): Promise<Begun> {
  const ready = await made;
  const session = await ready.clock.runUntil(ready.fl.session("s", { mode: "headless" }));
  return { ...ready, session, events: () => eventsOf(ready.journal, "s") };
}

const limit = (maxCostMicrocents: number, onExceed: OnExceed): FaultlineOptions => ({
  budget: { maxUsd: maxCostMicrocents / 1e8, onExceed },
});

/** Costs what its input says: first the estimate, then the real cost. */
class Summaries {
  readonly ran: string[] = [];

  readonly tool = tool<{ name: string; estimate: number | null; cost: number | null }, string>({
    id: "summary",
    cost: { estimate: ({ estimate }) => estimate },
    run: ({ name, cost: microcents }, { cost }) => {
      this.ran.push(name);
      if (microcents !== null) cost(microcents);
      return name;
    },
  });

  of(
    name: string,
    estimate: number | null,
    cost: number | null,
  ): { name: string; estimate: number | null; cost: number | null } {
    return { name, estimate, cost };
  }
}

describe("at the limit of a budget", () => {
  it("the turn's trace contains the warning and the refusal", async () => {
    const { session, clock } = await begun(life(limit(1_000, "fail")));
    const summaries = new Summaries();
    const inputs = [summaries.of("one", 900, 900), summaries.of("two", 500, 1)];
    const body = async (turn: Turn): Promise<void> => {
      for (const input of inputs) await turn.protect(summaries.tool, input);
    };
    await clock.runUntil(session.turn(body, { id: "t" }));
    const types = (await session.trace("t")).map(({ event_type }) => event_type);
    expect(types.filter((type) => type.startsWith("Budget"))).toEqual(["BudgetWarned", "BudgetExceeded"]);
  });

  it("`fail` refuses the attempt before it is sent, with a typed fault and the figures", async () => {
    const { session, clock, events } = await begun(life(limit(1_000, "fail")));
    const summaries = new Summaries();
    await clock.runUntil(session.protect(summaries.tool, summaries.of("one", 800, 750)));
    const refused = await clock.runUntil(session.protect(summaries.tool, summaries.of("two", 251, 10)));
    expect(refused).toMatchObject({ status: "failed", fault: { class: "Limit", code: "BudgetExceeded" }, attempts: 0 });
    expect(await clock.runUntil(session.protect(summaries.tool, summaries.of("three", 250, 250)))).toMatchObject({
      status: "done",
    });
    expect(summaries.ran).toEqual(["one", "three"]);
    expect(session.spending.microcents).toBe(1_000);
    expect(only(await events(), "budget-exceeded")).toMatchObject([
      { call: "c2", spentMicrocents: 750, reservedMicrocents: 0, estimateMicrocents: 251, maxCostMicrocents: 1_000 },
    ]);
    expect(only(await events(), "question-asked")).toEqual([]);
  });

  it("`warn` allows everything and warns once, at four fifths", async () => {
    const { session, clock, events } = await begun(life(limit(1_000, "warn")));
    const summaries = new Summaries();
    await clock.runUntil(session.protect(summaries.tool, summaries.of("one", 799, 700)));
    expect(only(await events(), "budget-warned")).toEqual([]);
    for (const name of ["two", "three", "four"]) {
      await clock.runUntil(session.protect(summaries.tool, summaries.of(name, 900, 900)));
    }
    expect(summaries.ran).toHaveLength(4);
    expect(only(await events(), "budget-warned")).toMatchObject([{ spentMicrocents: 700, maxCostMicrocents: 1_000 }]);
    expect(only(await events(), "budget-exceeded")).toEqual([]);
  });

  it("`pause_for_approval` asks; an approval allows one attempt, and the next one asks again", async () => {
    const { session, clock, fl, events } = await begun(life(limit(1_000, "pause_for_approval")));
    const summaries = new Summaries();
    const work = (): Promise<TurnResult> =>
      clock.runUntil(session.turn({ a: step(summaries.tool, summaries.of("dear", 2_000, 1_900)) }));
    const waiting = await work();
    expect(waiting).toMatchObject({
      status: "waiting",
      questions: [{ code: "BudgetExceeded", payload: { kind: "Approve" } }],
    });
    await fl.answer(waiting.questions[0]?.id ?? "", { status: "accepted", value: true });
    expect(await work()).toMatchObject({ status: "done" });
    expect([summaries.ran, session.spending.microcents]).toEqual([["dear"], 1_900]);
    expect(only(await events(), "call-admitted")).toHaveLength(1);
    expect(await work()).toMatchObject({ status: "waiting" });
    expect(summaries.ran).toEqual(["dear"]);
  });

  it("`pause_for_approval` with a refusal is a failure, and nothing runs", async () => {
    const { session, clock, fl } = await begun(life(limit(1_000, "pause_for_approval")));
    const summaries = new Summaries();
    const work = (): Promise<TurnResult> =>
      clock.runUntil(session.turn({ a: step(summaries.tool, summaries.of("dear", 2_000, 1_900)) }));
    const waiting = await work();
    await fl.answer(waiting.questions[0]?.id ?? "", { status: "accepted", value: false });
    expect(await work()).toMatchObject({
      status: "failed",
      outcomes: { a: { status: "failed", fault: { code: "BudgetExceeded" } } },
    });
    expect([summaries.ran, session.spending.microcents]).toEqual([[], 0]);
  });

  it("a question outlives the process that asked it, and so does the answer", async () => {
    const path = newPath();
    const summaries = new Summaries();
    const work = ({ session, clock }: Begun): Promise<TurnResult> =>
      clock.runUntil(session.turn({ a: step(summaries.tool, summaries.of("dear", 2_000, 1_900)) }));
    await work(await begun(lifeOn(path, limit(1_000, "pause_for_approval"))));
    const second = await lifeOn(path, { startAt: 5_000_000 });
    const [question] = await second.fl.questions();
    await second.clock.runUntil(second.fl.answer(question?.id ?? "", { status: "accepted", value: true }, "ada"));
    const third = await begun(lifeOn(path, { ...limit(1_000, "pause_for_approval"), startAt: 9_000_000 }));
    expect(await work(third)).toMatchObject({ status: "done" });
    expect(summaries.ran).toEqual(["dear"]);
    expect(only(await third.events(), "question-answered")).toMatchObject([{ by: "ada" }]);
  });

  it("a tool that reports costs without an estimate is stopped once the budget is spent", async () => {
    const { session, clock, events } = await begun(life(limit(1_000, "fail")));
    const metered = tool<number, string>({
      id: "metered",
      run: (microcents, { cost }) => {
        cost(microcents);
        return "fine";
      },
    });
    const ends: unknown[] = [];
    for (const microcents of [999, 1, 1]) ends.push(await clock.runUntil(session.protect(metered, microcents)));
    const context = { limit: 1_000, spent: 1_000, estimate: 0 };
    expect(ends).toMatchObject([
      { status: "done" },
      { status: "done" },
      { fault: { code: "BudgetExceeded", context }, attempts: 0 },
    ]);
    const figures = { spentMicrocents: 1_000, reservedMicrocents: 0, estimateMicrocents: 0, maxCostMicrocents: 1_000 };
    expect(only(await events(), "budget-exceeded")).toMatchObject([figures]);
  });

  it("a tool that has never reported a cost runs on, whether its calls fail or not", async () => {
    const { session, clock } = await begun(life(limit(1_000, "fail")));
    const summaries = new Summaries();
    await clock.runUntil(session.protect(summaries.tool, summaries.of("one", 1_000, 2_000)));
    const free = tool<boolean, string>({
      id: "free",
      retry: "none",
      run: (works) => {
        if (!works) throw new Error("broken");
        return "fine";
      },
    });
    const ends: unknown[] = [];
    for (const works of [false, true, false, true]) ends.push(await clock.runUntil(session.protect(free, works)));
    const failed = { fault: { code: "Unclassified" }, attempts: 1 };
    expect(ends).toMatchObject([failed, { status: "done" }, failed, { status: "done" }]);
  });

  it("zero means no limit", async () => {
    const { session, clock, events } = await begun(life(limit(0, "fail")));
    const summaries = new Summaries();
    await clock.runUntil(session.protect(summaries.tool, summaries.of("dear", 1e12, 1e12)));
    expect([summaries.ran, session.spending.microcents]).toEqual([["dear"], 1e12]);
    expect((await events()).filter(({ type }) => type.startsWith("budget"))).toEqual([]);
  });
});

describe("concurrent attempts", () => {
  it("see what the others have reserved: together they stay within the limit", async () => {
    const { session, clock } = await begun(life(limit(1_000, "fail")));
    const ends: (() => void)[] = [];
    const slow = tool<number, string>({
      id: "slow",
      timeoutMs: 1_000_000,
      cost: { estimate: () => 400 },
      run: (_input, { cost }) =>
        new Promise((resolve) => {
          ends.push(() => {
            cost(400);
            resolve("done");
          });
        }),
    });
    const calls = Array.from({ length: 5 }, (_, index) => session.protect(slow, index));
    await clock.advance(0);
    expect(ends).toHaveLength(2);
    for (const end of ends) end();
    const outcomes = await clock.runUntil(Promise.all(calls));
    expect(outcomes.map(({ status }) => status)).toEqual(["done", "done", "failed", "failed", "failed"]);
    expect(session.spending.microcents).toBe(800);
  });

  it("give back what they did not use", async () => {
    const { session, clock } = await begun(life(limit(1_000, "fail")));
    const summaries = new Summaries();
    for (let call = 0; call < 5; call++) {
      const outcome = await clock.runUntil(session.protect(summaries.tool, summaries.of(String(call), 800, 40)));
      expect(outcome.status).toBe("done");
    }
    expect(session.spending).toEqual({ microcents: 200, estimatedMicrocents: 0, unpricedAttempts: 0 });
  });
});

describe("an attempt is booked", () => {
  const cost = { estimate: (): number => 100 };

  it("on failure, for every retry, as estimated or as reported", async () => {
    const { session, clock } = await begun(life());
    const busy = tool<object, string>({
      id: "busy",
      idempotent: true,
      retry: { maxAttempts: 3 },
      cost,
      run: fails("ResourceBusy"),
    });
    await clock.runUntil(session.protect(busy, {}));
    expect(session.spending).toEqual({ microcents: 300, estimatedMicrocents: 300, unpricedAttempts: 0 });
    const said = tool<object, string>({
      id: "said",
      cost,
      run: (_input, context) => {
        context.cost(7);
        throw thrown("NotFound");
      },
    });
    await clock.runUntil(session.protect(said, {}));
    expect(session.spending).toMatchObject({ microcents: 307, estimatedMicrocents: 300 });
  });

  it("on timeout or cancellation; a late report replaces the estimate", async () => {
    const { session, clock } = await begun(life());
    const late = tool<number, string>({
      id: "late",
      timeoutMs: 1_000,
      retry: "none",
      cost,
      run: (microcents, context) =>
        new Promise((resolve) => {
          clock.after(2_000, () => {
            context.cost(microcents);
            resolve("late");
          });
        }),
    });
    await clock.runUntil(session.protect(late, 30));
    expect(session.spending).toMatchObject({ microcents: 100, estimatedMicrocents: 100 });
    await clock.advance(1_000);
    expect(session.spending).toMatchObject({ microcents: 30, estimatedMicrocents: 0 });
    const hang = tool<object, string>({ id: "hang", cost, run: () => never<string>() });
    await clock.runUntil(
      session.turn(async (turn) => {
        clock.after(10, () => turn.cancel());
        await turn.protect(hang, {});
      }),
    );
    expect(session.spending).toMatchObject({ microcents: 130, estimatedMicrocents: 100 });
  });

  it("and marked as unknown if it has no price, never as zero", async () => {
    const { session, clock, fl } = await begun(life(limit(1_000, "fail")));
    const summaries = new Summaries();
    const broken = tool<object, string>({
      id: "broken",
      cost: {
        estimate: () => {
          throw new RangeError("no price list");
        },
      },
      run: () => "fine",
    });
    expect(await clock.runUntil(session.protect(summaries.tool, summaries.of("unknown", null, null)))).toMatchObject({
      status: "done",
    });
    expect(await clock.runUntil(session.protect(broken, {}))).toMatchObject({ status: "done" });
    await clock.runUntil(session.protect(summaries.tool, summaries.of("wrong", Number.NaN, null)));
    expect(session.spending).toEqual({ microcents: 0, estimatedMicrocents: 0, unpricedAttempts: 3 });
    const told = fl.recent().flatMap(({ event }) => (event.type === "fault-suppressed" ? [event.reason] : []));
    expect(told).toEqual(["the cost of a call of tool broken counts as unknown"]);
  });

  it("in the journal, so that the next life knows what was spent, warned about and cancelled", async () => {
    const path = newPath();
    const summaries = new Summaries();
    const first = await begun(lifeOn(path, limit(1_000, "fail")));
    await first.clock.runUntil(first.session.protect(summaries.tool, summaries.of("one", 600, 550), { id: "one" }));
    const hang = tool<object, string>({ id: "hang", cost: { estimate: () => 300 }, run: () => never<string>() });
    await first.clock.runUntil(
      first.session.turn(async (turn) => {
        first.clock.after(10, () => turn.cancel());
        await turn.protect(hang, {});
      }),
    );
    const before = first.session.spending;
    expect(before).toMatchObject({ microcents: 850, estimatedMicrocents: 300 });
    const next = await begun(lifeOn(path, { ...limit(1_000, "fail"), startAt: 9_000_000 }));
    expect(next.session.spending).toEqual(before);
    const refused = await next.clock.runUntil(
      next.session.protect(summaries.tool, summaries.of("two", 151, 1), { id: "two" }),
    );
    expect(refused).toMatchObject({ fault: { code: "BudgetExceeded" } });
    await next.clock.runUntil(next.session.protect(summaries.tool, summaries.of("three", 150, 1), { id: "three" }));
    expect(summaries.ran).toEqual(["one", "three"]);
    expect(only(await next.events(), "budget-warned")).toHaveLength(1);
  });
});
