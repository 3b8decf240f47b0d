// Sessions that the next life of a program resumes from the same file.

import { Timeline } from "../../../src/core/record/timeline.ts";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, emptySession, foldEntry, withRows } from "../../../src/core/index.ts";
import { type FaultlineOptions, type Session, step, tool, type TurnResult } from "../../../src/index.ts";
import { fromSnapshot, snapshotOf } from "../../../src/core/record/replay.ts";
import { entriesOf, eventsOf, fails, type Life, lifeOn, never, newPath, only, thrown } from "./life.ts";

const LATER = 9_000_000;

/** An order whose second step hangs until released. Abandoned there, it is what a killed process leaves behind. */
class Order {
  readonly ran: string[] = [];
  hangs = true;
  readonly #idempotent: boolean;

  constructor(idempotent: boolean) {
    this.#idempotent = idempotent;
  }

  readonly place = (session: Session, cents = 5): Promise<TurnResult> => {
    const charge = tool<{ cents: number }, string>({ id: "charge", run: () => (this.ran.push("charge"), "receipt") });
    const ship = tool<{ receipt: unknown }, string>({
      id: "ship",
      idempotent: this.#idempotent,
      run: ({ receipt }) => {
        this.ran.push("ship");
        return this.hangs ? never<string>() : `shipped ${String(receipt)}`;
      },
    });
    return session.turn(
      {
        charge: step(charge, { cents }),
        ship: step(ship, (got) => ({ receipt: got["charge"] }), { needs: ["charge"] }),
      },
      { id: "order" },
    );
  };
}

async function killedWhileShipping(idempotent: boolean): Promise<{ readonly path: string; readonly order: Order }> {
  const [path, order] = [newPath(), new Order(idempotent)];
  const { fl, clock } = await lifeOn(path);
  void order.place(await clock.runUntil(fl.session("s", { mode: "headless" })));
  await clock.advance(20_000);
  expect(order.ran).toEqual(["charge", "ship"]);
  order.hangs = false;
  return { path, order };
}

async function takenUp(
  path: string,
  startAt = LATER,
  options: FaultlineOptions = {},
): Promise<Life & { readonly session: Session }> {
  const next = await lifeOn(path, { ...options, startAt });
  return { ...next, session: await next.clock.runUntil(next.fl.session("s", { mode: "headless" })) };
}

/** Asks a person about a request that the server calls bad. */
const ASKING: FaultlineOptions = {
  policy: withRows(DEFAULT_POLICY, [
    { match: { code: ["RequestInvalid"] }, retry: null, then: ["ask"], origin: { layer: "file", at: "test" } },
  ]),
};

describe("work that was in flight", () => {
  it("is listed in the resume event, and retried if that is safe", async () => {
    const { path, order } = await killedWhileShipping(true);
    const { session, clock, journal } = await takenUp(path);
    expect((await eventsOf(journal, "s")).at(-1)).toEqual({ type: "session-resumed", interrupted: ["order/1/ship"] });
    expect(await clock.runUntil(order.place(session))).toMatchObject({
      status: "done",
      outcomes: { charge: { value: "receipt", attempts: 1 }, ship: { value: "shipped receipt", attempts: 2 } },
    });
    expect(order.ran).toEqual(["charge", "ship", "ship"]);
    const [failed] = only(await eventsOf(journal, "s"), "call-failed");
    expect(failed).toMatchObject({ fault: { code: "Interrupted" }, decision: { recourse: "retry" } });
  });

  it("sees what the dead process sent to its store before it died, also when that arrives late", async () => {
    const { path } = await killedWhileShipping(true);
    let isLate = true;
    const next = await lifeOn(path, { startAt: LATER }, (journal) => ({
      ...journal,
      async append(session, after, entries, keeps) {
        const late = { type: "extension-started", name: "late" } as const;
        if (isLate) await journal.append(session, after, [{ at: LATER, event: late }]);
        isLate = false;
        await journal.append(session, after, entries, keeps);
      },
    }));
    await next.clock.runUntil(next.fl.session("s", { mode: "headless" }));
    const types = (await eventsOf(next.journal, "s")).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(["extension-started", "session-resumed"]);
  });

  it("is asked about if it is unknown whether it happened; an approval runs it, in yet another life", async () => {
    const { path, order } = await killedWhileShipping(false);
    const second = await takenUp(path);
    const waiting = await second.clock.runUntil(order.place(second.session));
    expect(waiting).toMatchObject({ status: "waiting", questions: [{ code: "Interrupted" }] });
    // With no person present, it waits a week.
    const [open] = waiting.questions;
    expect((open?.expiresAt ?? 0) - (open?.askedAt ?? 0)).toBe(604_800_000);
    expect(order.ran).toEqual(["charge", "ship"]);

    const third = await takenUp(path, 2 * LATER);
    const [question] = await third.fl.questions();
    await third.clock.runUntil(third.fl.answer(question?.id ?? "", { status: "accepted", value: true }));
    expect(await third.clock.runUntil(order.place(third.session))).toMatchObject({ status: "done" });
    expect(order.ran).toEqual(["charge", "ship", "ship"]);
    expect(await third.fl.questions()).toEqual([]);
  });

  it("is surfaced and not run when a person declines", async () => {
    const { path, order } = await killedWhileShipping(false);
    const { session, clock, fl } = await takenUp(path);
    const { questions } = await clock.runUntil(order.place(session));
    await clock.runUntil(fl.answer(questions[0]?.id ?? "", { status: "rejected", reason: "better not" }));
    expect((await clock.runUntil(order.place(session))).outcomes["ship"]).toMatchObject({
      status: "surfaced",
      fault: { code: "Interrupted" },
    });
    expect(order.ran).toEqual(["charge", "ship"]);
  });

  it.each([true, false])(
    "costs its estimate, once, whether the call is cancelled (%s) or tried again",
    async (isCancelled) => {
      const path = newPath();
      let hangs = true;
      const paid = tool<object, string>({
        id: "paid",
        idempotent: true,
        cost: { estimate: () => 40 },
        run: (_input, { cost }) => {
          if (hangs) return never<string>();
          cost(7);
          return "done";
        },
      });
      const first = await lifeOn(path);
      const killed = await first.clock.runUntil(first.fl.session("s", { mode: "headless" }));
      void killed.protect(paid, {}, { id: "one" });
      await first.clock.advance(20_000);
      hangs = false;
      const { session, clock, journal } = await takenUp(path);
      const signal = isCancelled ? { signal: AbortSignal.abort() } : {};
      const outcome = session.protect(paid, {}, { id: "one", ...signal });
      expect((await clock.runUntil(outcome)).status).toBe(isCancelled ? "cancelled" : "done");
      expect(session.spending).toMatchObject({ microcents: isCancelled ? 40 : 47, estimatedMicrocents: 40 });
      const folded = emptySession("s");
      for (const entry of await entriesOf(journal, "s")) foldEntry(folded, entry);
      expect(folded.spending).toEqual(session.spending);
    },
  );
});

describe("a finished turn, and a finished call outside turns", () => {
  it("are answered from the journal and do not run again", async () => {
    const path = newPath();
    let runs = 0;
    const count = tool<string, { n: number; of: string }>({ id: "count", run: (of) => ({ n: ++runs, of }) });
    const gone = tool<object, string>({ id: "gone", run: fails("NotFound", "not there") });
    const program = async ({ session, clock }: Life & { session: Session }): Promise<readonly unknown[]> => [
      await clock.runUntil(session.turn({ a: step(count, "turn"), b: step(gone, {}, { optional: true }) })),
      await clock.runUntil(session.turn(async (turn) => [await turn.protect(count, "body"), "said"])),
      await clock.runUntil(session.protect(count, "alone")),
      await clock.runUntil(session.protect(gone, {}, { id: "lost" })),
    ];
    const before = await program(await takenUp(path, 1_000_000));
    const after = await program(await takenUp(path));
    expect(before).toMatchObject([
      { status: "partial" },
      { status: "done", value: [{ value: { n: 2 } }, "said"] },
      {},
      {},
    ]);
    expect(after).toEqual(JSON.parse(JSON.stringify(before)));
    expect(runs).toBe(3);
  });
});

describe("a turn that waits", () => {
  it("for a time continues exactly when the time has come", async () => {
    const path = newPath();
    let runs = 0;
    const limited = tool<object, string>({
      id: "limited",
      classify: () => ({ ...thrown("QuotaExhausted").fault, resetAt: 5_000_000 }),
      run: () => {
        if (++runs === 1) throw new Error("quota");
        return "through";
      },
    });
    const program = ({ session, clock }: Life & { session: Session }): Promise<TurnResult> =>
      clock.runUntil(session.turn({ a: step(limited, {}) }, { timeoutMs: 60_000 }));
    expect(await program(await takenUp(path, 1_000_000))).toMatchObject({
      status: "waiting",
      wakeAt: 5_000_000,
      outcomes: { a: { status: "parked" } },
    });
    expect(await program(await takenUp(path, 4_999_999))).toMatchObject({ status: "waiting", wakeAt: 5_000_000 });
    expect(runs).toBe(1);
    const last = await takenUp(path, 5_000_000);
    expect(await program(last)).toMatchObject({ status: "done", wakeAt: null });
    expect(runs).toBe(2);
    // One turn, as long as the call in it.
    const line = new Timeline("s");
    for await (const entry of last.journal.read("s")) line.feed(entry);
    const told = line.spans.filter(({ kind }) => kind === "turn" || kind === "call");
    expect(told).toMatchObject([
      { kind: "turn", startAt: 1_000_000, endAt: 5_000_000, status: "done" },
      { kind: "call", startAt: 1_000_000, endAt: 5_000_000, status: "done" },
    ]);
  });
});

describe("an input replaced by a person", () => {
  it("is sent again after a crash, although the program still passes the old one", async () => {
    const path = newPath();
    const seen: string[] = [];
    const search = tool<string, string>({
      id: "search",
      idempotent: true,
      run: (city) => {
        seen.push(city);
        if (city === "Lisbom") throw thrown("RequestInvalid", "no such city");
        return seen.length === 2 ? never<string>() : `found ${city}`;
      },
    });
    const first = await takenUp(path, 1_000_000, ASKING);
    const { questions } = await first.clock.runUntil(first.session.turn({ a: step(search, "Lisbom") }));
    expect(questions).toMatchObject([{ payload: { kind: "Ask" } }]);
    await first.clock.runUntil(first.fl.answer(questions[0]?.id ?? "", { status: "accepted", value: "Lisbon" }));
    void first.session.turn({ a: step(search, "Lisbom") }, { id: "t1" });
    while (seen.length < 2) await first.clock.advance(0);
    const next = await takenUp(path, LATER, ASKING);
    const result = await next.clock.runUntil(next.session.turn({ a: step(search, "Lisbom") }, { id: "t1" }));
    expect(result).toMatchObject({ status: "done", outcomes: { a: { value: "found Lisbon" } } });
    expect(seen).toEqual(["Lisbom", "Lisbon", "Lisbon"]);
  });
});

describe("the clock of a turn, and of a session", () => {
  const left = tool<object, number>({ id: "left", idempotent: true, run: () => 0 });

  it("stands still between lives: a killed process's working time counts, its downtime does not", async () => {
    const path = newPath();
    const { session, clock } = await takenUp(path, 1_000_000);
    void session.turn(
      async (turn) => {
        await turn.protect(left, {});
        await new Promise<void>((resolve) => void clock.after(20_000, resolve));
        await turn.protect(left, {}, { id: "used" });
        await never();
      },
      { timeoutMs: 60_000 },
    );
    await clock.advance(20_000);
    const next = await takenUp(path, LATER);
    const seen = await next.clock.runUntil(next.session.turn((turn) => Promise.resolve(turn.deadlineAt)));
    expect(seen.value).toBe(LATER + 40_000);
  });

  it("stands still while a question is open", async () => {
    const path = newPath();
    const denied = tool<object, string>({ id: "denied", run: fails("AccessDenied") });
    const first = await takenUp(path, 1_000_000);
    await first.clock.runUntil(
      first.session.turn(
        async (turn) => {
          await new Promise<void>((resolve) => void first.clock.after(50_000, resolve));
          await turn.protect(denied, {});
        },
        { timeoutMs: 60_000 },
      ),
    );
    expect(first.session.status).toBe("waiting");
    await first.clock.advance(3_600_000);
    const seen = await first.clock.runUntil(
      first.session.turn((turn) => Promise.resolve(turn.deadlineAt - first.clock.now()), { id: "t1" }),
    );
    expect(seen.value).toBe(10_000);
  });

  it("of the whole session does not count the time between two lives either", async () => {
    const path = newPath();
    const limits = { runTimeoutMs: 100_000 };
    const first = await lifeOn(path);
    const session = await first.clock.runUntil(first.fl.session("s", { limits }));
    await first.clock.advance(70_000);
    await first.clock.runUntil(session.protect(left, {}));
    const next = await lifeOn(path, { startAt: LATER });
    const resumed = await next.clock.runUntil(next.fl.session("s", { limits }));
    await next.clock.advance(29_999);
    expect(await next.clock.runUntil(resumed.turn({ a: step(left, {}) }))).toMatchObject({ status: "done" });
    await next.clock.advance(1);
    expect(await next.clock.runUntil(resumed.turn({ a: step(left, {}) }))).toMatchObject({
      status: "failed",
      fault: { code: "RunTimeout" },
    });
  });
});

describe("a snapshot", () => {
  it("plus the later entries gives the same state as all entries", async () => {
    const { path, order } = await killedWhileShipping(true);
    const { session, clock, journal, fl } = await takenUp(path);
    await clock.runUntil(order.place(session));
    const denied = tool<object, string>({ id: "denied", cost: { estimate: () => 7 }, run: fails("AccessDenied") });
    await clock.runUntil(session.turn({ a: step(denied, {}) }, { id: "asks" }));
    await clock.runUntil(session.protect(denied, {}, { id: "alone" }));
    const scratch = emptySession("s");
    for (const entry of await entriesOf(journal, "s")) foldEntry(scratch, entry);
    const resumed = fromSnapshot(await journal.kept("snapshot", "s"));
    expect(resumed.seq).toBeLessThan(scratch.seq);
    for await (const entry of journal.read("s", resumed.seq)) foldEntry(resumed, entry);
    expect(snapshotOf(resumed)).toEqual(snapshotOf(scratch));
    expect([scratch.turns.size, scratch.calls.size, scratch.spending]).toMatchObject([2, 2, { microcents: 14 }]);
    expect(await fl.questions()).toHaveLength(2);
  });

  it("that is missing changes nothing on resume", async () => {
    const { path, order } = await killedWhileShipping(true);
    const second = await takenUp(path);
    const before = await second.clock.runUntil(order.place(second.session));
    await second.clock.runUntil(second.journal.keep([{ kind: "snapshot", key: "s", value: null }]));
    const third = await takenUp(path, 2 * LATER);
    expect(await third.clock.runUntil(order.place(third.session))).toEqual(JSON.parse(JSON.stringify(before)));
  });
});
