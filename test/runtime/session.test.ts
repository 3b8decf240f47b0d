// Sessions through the public API: turns, crash recovery, questions, money, limits.

import { describe, expect, it } from "vitest";
import {
  createFaultline,
  createMemoryJournal,
  fault,
  FaultError,
  type FaultlineOptions,
  type Journal,
  type JournalEvent,
  type Session,
  step,
  tool,
} from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

interface Life {
  readonly fl: ReturnType<typeof createFaultline>;
  readonly clock: FakeClock;
  readonly journal: Journal;
}

let lives = 0;

/** One life of a program; the next one gets its journal. */
function life(journal?: Journal, options: FaultlineOptions = {}, startAt = 1_000_000): Life {
  const clock = createFakeClock(startAt);
  const chance = createSeededChance(++lives);
  const kept = journal ?? createMemoryJournal({ clock, chance });
  return { fl: createFaultline({ clock, chance, journal: kept, ...options }), clock, journal: kept };
}

async function eventsOf(journal: Journal, session: string): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  for await (const { event } of journal.read(session)) events.push(event);
  return events;
}

const types = (events: readonly JournalEvent[]): readonly string[] => events.map(({ type }) => type);
const gone = (): FaultError => new FaultError(fault("NotFound", { message: "not there" }));

describe("a turn", () => {
  it("runs a plan, records every call, and ends once", async () => {
    const { fl, clock, journal } = life();
    const add = tool<{ a: number; b: number }, number>({ id: "add", run: ({ a, b }) => a + b });
    const session = await clock.runUntil(fl.session("s"));
    const result = await clock.runUntil(
      session.turn({
        one: step(add, { a: 1, b: 2 }),
        two: step(add, (got) => ({ a: got["one"] as number, b: 10 }), { needs: ["one"] }),
      }),
    );
    await clock.runUntil(session.end());
    expect(result).toMatchObject({ status: "done", turn: "t1", missing: [], message: "" });
    expect(result.outcomes["two"]).toMatchObject({ status: "done", value: 13 });
    expect(types(await eventsOf(journal, "s"))).toEqual([
      "session-started",
      "turn-started",
      "round-started",
      "call-started",
      "call-admitted",
      "call-succeeded",
      "call-started",
      "call-admitted",
      "call-succeeded",
      "turn-ended",
      "session-ended",
    ]);
  });

  it("lets a failure affect only the steps that depend on it, and says what is missing and why", async () => {
    const { fl, clock } = life();
    const ok = tool<object, string>({ id: "ok", run: () => "fine" });
    const bad = tool<object, string>({
      id: "bad",
      run: () => {
        throw gone();
      },
    });
    const session = await clock.runUntil(fl.session("s"));
    const result = await clock.runUntil(
      session.turn({
        a: step(ok, {}),
        b: step(bad, {}, { optional: true, label: "the hotel search" }),
        c: step(ok, {}, { needs: ["b"], optional: true, label: "the taxi" }),
        d: step(ok, {}, { needs: ["b"], default: "walk" }),
        e: step(ok, {}, { needs: ["d"] }),
      }),
    );
    expect(result.status).toBe("partial");
    expect(Object.fromEntries(Object.entries(result.outcomes).map(([name, { status }]) => [name, status]))).toEqual({
      a: "done",
      b: "skipped",
      c: "skipped",
      d: "defaulted",
      e: "done",
    });
    expect(result.message).toContain("the hotel search");
    expect(result.message).toContain("the taxi");
  });

  it("refuses cycles and unknown names before anything runs", async () => {
    const { fl, clock, journal } = life();
    let runs = 0;
    const count = tool<object, number>({ id: "count", run: () => ++runs });
    const session = await clock.runUntil(fl.session("s"));
    const ring = await clock.runUntil(
      session.turn({ a: step(count, {}, { needs: ["b"] }), b: step(count, {}, { needs: ["a"] }), c: step(count, {}) }),
    );
    const unknown = await clock.runUntil(session.turn({ a: step(count, {}, { needs: ["nobody"] }) }));
    expect(ring).toMatchObject({ status: "failed", fault: { code: "ShapeInvalid" } });
    expect(unknown).toMatchObject({ status: "failed", fault: { code: "ShapeInvalid" } });
    expect(runs).toBe(0);
    expect(types(await eventsOf(journal, "s"))).not.toContain("call-started");
  });

  it("ends gracefully at its deadline: finished work stays, running work is abandoned, late results are recorded", async () => {
    const { fl, clock, journal } = life();
    let aborted = false;
    let finish: (value: string) => void = () => undefined;
    const quick = tool<object, string>({ id: "quick", run: () => "there" });
    const slow = tool<object, string>({
      id: "slow",
      timeoutMs: 1_000_000,
      run: (_input, { signal }) =>
        new Promise((resolve) => {
          finish = resolve;
          signal.addEventListener("abort", () => (aborted = true));
        }),
    });
    const session = await clock.runUntil(fl.session("s"));
    const result = await clock.runUntil(
      session.turn(
        { quick: step(quick, {}), slow: step(slow, {}), after: step(quick, {}, { needs: ["slow"] }) },
        { timeoutMs: 60_000 },
      ),
    );
    expect(result.status).toBe("partial");
    expect(result.outcomes["quick"]).toMatchObject({ status: "done" });
    expect(result.outcomes["slow"]).toMatchObject({ fault: { code: "TurnTimeout" } });
    expect(aborted).toBe(false);
    finish("at last");
    await clock.advance(0);
    expect((await eventsOf(journal, "s")).at(-1)).toMatchObject({ type: "call-late", ok: true });
  });

  it("is cancelled with everything in it when the session is", async () => {
    const { fl, clock, journal } = life();
    const hang = tool<object, string>({ id: "hang", run: () => new Promise(() => undefined) });
    const session = await clock.runUntil(fl.session("s"));
    const running = session.turn({ a: step(hang, {}), b: step(hang, {}, { needs: ["a"] }) });
    await clock.advance(0);
    await clock.runUntil(session.cancel("enough"));
    expect(await running).toMatchObject({ status: "cancelled", fault: { code: "SessionCancelled" } });
    const events = await eventsOf(journal, "s");
    expect(events.filter(({ type }) => type === "session-ended")).toMatchObject([{ status: "cancelled" }]);
    expect(events.filter(({ type }) => type === "call-cancelled")).toHaveLength(1);
  });

  it("stops at its limits with typed faults", async () => {
    const { fl, clock } = life(undefined, { limits: { maxTurns: 1, maxToolRounds: 2 } });
    const ok = tool<object, string>({ id: "ok", run: () => "fine" });
    const session = await clock.runUntil(fl.session("s"));
    const first = await clock.runUntil(
      session.turn(async (turn) => {
        await turn.run({ a: step(ok, {}) });
        await turn.run({ a: step(ok, {}) });
        return (await turn.run({ a: step(ok, {}) })).fault?.code;
      }),
    );
    expect(first).toMatchObject({ status: "failed", value: "TurnLimit", fault: { code: "TurnLimit" } });
    expect(await clock.runUntil(session.turn({ a: step(ok, {}) }))).toMatchObject({ fault: { code: "TurnLimit" } });
  });
});

/** A program with a step that hangs in its first life, as a killed process would leave it. */
async function killedInside(
  idempotent: boolean,
): Promise<{ journal: Journal; ran: string[]; program: (session: Session) => Promise<unknown> }> {
  const ran: string[] = [];
  let hangs = true;
  const charge = tool<object, string>({
    id: "charge",
    run: () => {
      ran.push("charge");
      return "receipt";
    },
  });
  const ship = tool<{ receipt: string }, string>({
    id: "ship",
    idempotent,
    run: ({ receipt }) => {
      ran.push("ship");
      return hangs ? new Promise<string>(() => undefined) : `shipped ${receipt}`;
    },
  });
  const program = (session: Session): Promise<unknown> =>
    session.turn({
      charge: step(charge, {}),
      ship: step(ship, (got) => ({ receipt: got["charge"] as string }), { needs: ["charge"] }),
    });
  const { fl, clock, journal } = life();
  const session = await clock.runUntil(fl.session("s"));
  void program(session);
  await clock.advance(0);
  hangs = false;
  return { journal, ran, program };
}

describe("after a crash", () => {
  it("does not rerun finished work, and retries work in flight if that is safe", async () => {
    const { journal, ran, program } = await killedInside(true);
    const { fl, clock } = life(journal, {}, 9_000_000);
    const session = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(program(session))).toMatchObject({
      status: "done",
      outcomes: { charge: { value: "receipt" }, ship: { value: "shipped receipt", attempts: 2 } },
    });
    expect(ran).toEqual(["charge", "ship", "ship"]);
    const failed = (await eventsOf(journal, "s")).find(({ type }) => type === "call-failed");
    expect(failed).toMatchObject({ fault: { code: "Interrupted" }, decision: { recourse: "retry" } });
  });

  it("asks about work in flight if it is unknown whether it happened", async () => {
    const { journal, ran, program } = await killedInside(false);
    const { fl, clock } = life(journal, {}, 9_000_000);
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const waiting = (await clock.runUntil(program(session))) as { status: string; questions: { id: string }[] };
    expect(waiting).toMatchObject({
      status: "waiting",
      questions: [{ payload: { kind: "Approve" }, code: "Interrupted" }],
    });
    expect(ran).toEqual(["charge", "ship"]);

    const next = life(journal, {}, 10_000_000);
    const [question] = await next.fl.questions();
    expect(await next.fl.answer(question?.id ?? "", { status: "accepted", value: true }, "dashboard")).toBe(true);
    expect(await next.fl.answer(question?.id ?? "", { status: "accepted", value: false })).toBe(false);
    const resumed = await next.clock.runUntil(next.fl.session("s", { mode: "headless" }));
    expect(await next.clock.runUntil(program(resumed))).toMatchObject({
      status: "done",
      outcomes: { ship: { value: "shipped receipt" } },
    });
    expect(await next.fl.questions()).toEqual([]);
  });

  it("answers a finished turn from the journal", async () => {
    const { journal, program } = await killedInside(true);
    const second = life(journal, {}, 9_000_000);
    const before = await second.clock.runUntil(program(await second.clock.runUntil(second.fl.session("s"))));
    const third = life(journal, {}, 10_000_000);
    expect(await third.clock.runUntil(program(await third.clock.runUntil(third.fl.session("s"))))).toEqual(
      JSON.parse(JSON.stringify(before)),
    );
  });

  it("refuses to continue with another plan or other input", async () => {
    const { journal } = await killedInside(true);
    const { fl, clock } = life(journal, {}, 9_000_000);
    const session = await clock.runUntil(fl.session("s"));
    const other = tool<object, string>({ id: "other", run: () => "x" });
    expect(await clock.runUntil(session.turn({ other: step(other, {}) }))).toMatchObject({
      status: "failed",
      fault: { code: "ResumeMismatch" },
    });
  });
});

describe("money", () => {
  const summary = () =>
    tool<string, string>({
      id: "summary",
      cost: { estimate: () => 800 },
      run: (text, { cost }) => {
        cost(750);
        return text.slice(0, 3);
      },
    });

  it("stops before an attempt would exceed the limit, and an approval allows it once", async () => {
    const rule = { maxUsd: 0.00001, onExceed: "pause_for_approval" } as const;
    const { fl, clock, journal } = life(undefined, { budget: rule });
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const work = (): Promise<unknown> =>
      session.turn(
        { first: step(summary(), "one"), second: step(summary(), "two", { needs: ["first"] }) },
        { id: "work" },
      );
    const waiting = (await clock.runUntil(work())) as { questions: { id: string }[] };
    expect(waiting).toMatchObject({ status: "waiting", questions: [{ code: "BudgetExceeded" }] });
    expect(session.spending).toMatchObject({ microcents: 750 });
    await fl.answer(waiting.questions[0]?.id ?? "", { status: "accepted", value: true });
    expect(await clock.runUntil(work())).toMatchObject({ status: "done" });
    expect(session.spending).toMatchObject({ microcents: 1_500, estimatedMicrocents: 0, unpricedAttempts: 0 });
    expect(types(await eventsOf(journal, "s"))).toContain("budget-exceeded");
  });

  it("books failed attempts as estimated and marks those without a price", async () => {
    const { fl, clock } = life();
    let runs = 0;
    const flaky = tool<string, string>({
      id: "flaky",
      idempotent: true,
      cost: { estimate: (input) => (input === "unknown" ? null : 100) },
      run: () => {
        if (++runs % 2 === 1) throw new FaultError(fault("ResourceBusy"));
        return "ok";
      },
    });
    const session = await clock.runUntil(fl.session("s"));
    await clock.runUntil(session.protect(flaky, "known"));
    await clock.runUntil(session.protect(flaky, "unknown"));
    expect(session.spending).toEqual({ microcents: 200, estimatedMicrocents: 200, unpricedAttempts: 2 });
  });
});
