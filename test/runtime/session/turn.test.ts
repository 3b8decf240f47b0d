// Turns: bodies, order, limits, and what stops them.

import { describe, expect, it } from "vitest";
import {
  createFaultline,
  isFaultError,
  type JournalEvent,
  openJournal,
  type Session,
  type SessionLimits,
  step,
  tool,
  type Turn,
} from "../../../src/index.ts";
import { thrownBy } from "../../support/thrown.ts";
import { eventsOf, fails, type Life, life, never, newPath, only } from "./life.ts";

const ok = tool<string, string>({ id: "ok", run: (text) => text });

async function begun(limits: Partial<SessionLimits> = {}): Promise<Life & { readonly session: Session }> {
  const made = life({ limits });
  return { ...made, session: await made.clock.runUntil(made.fl.session("s")) };
}

const endsOf = (events: readonly JournalEvent[]): readonly string[] =>
  only(events, "turn-ended").map(({ turn, status }) => `${turn} ${status}`);

it("that runs out of time gives an outcome to each step that has not begun, also if only one is left", async () => {
  const hangs = tool({ id: "hangs", run: never });
  for (const left of [0, 1, 2]) {
    const { clock, session } = await begun({ maxParallel: 1 });
    const later = Array.from({ length: left }, (_, index) => [`b${index}`, step(ok, "x")] as const);
    const steps = { a: step(hangs, {}), ...Object.fromEntries(later) };
    const result = await clock.runUntil(session.turn(steps, { timeoutMs: 1_000 }));
    const outcomes: Readonly<Record<string, unknown>> = result.outcomes;
    for (const [name] of later) expect(outcomes[name]).toMatchObject({ fault: { code: "TurnTimeout" }, attempts: 0 });
  }
});

describe("a call that would wait for itself", () => {
  const codeOf = (wait: Promise<unknown>): Promise<string> =>
    wait.then(
      () => "it did not fail",
      (error: unknown) => (isFaultError(error) ? `${error.fault.code}: ${error.fault.message}` : String(error)),
    );

  it.each([
    ["end", (session: Session) => session.end()],
    ["leave", (session: Session) => session.leave()],
    ["turn", (session: Session) => session.turn(async () => Promise.resolve(1))],
  ] as const)("is refused at once: session.%s() within the body of a turn", async (name, wait) => {
    const { session, clock, journal } = await begun();
    const result = await clock.runUntil(session.turn(() => codeOf(wait(session))));
    expect(result).toMatchObject({ status: "done" });
    expect(result.value).toMatch(new RegExp(`^EngineState: session\\.${name}\\(\\) .* turn t1`));
    await clock.runUntil(session.end());
    expect(only(await eventsOf(journal, "s"), "session-ended")).toMatchObject([{ status: "done" }]);
  });

  it("is refused at once: session.end() within a tool, even outside a turn", async () => {
    const { session, clock } = await begun();
    const ending = tool<null, string>({ id: "ending", run: () => codeOf(session.end()) });
    const outcome = await clock.runUntil(session.protect(ending, null));
    expect(outcome).toMatchObject({
      status: "done",
      value: expect.stringMatching(/^EngineState: .* call c1/) as string,
    });
  });

  it("is refused at once: session.end() within a turn of another session that it waits for", async () => {
    const { fl, session, clock } = await begun();
    const other = await clock.runUntil(fl.session("other"));
    const inner = (): Promise<string> => other.turn(() => codeOf(session.end())).then(({ value }) => value ?? "");
    expect(await clock.runUntil(session.turn(inner))).toMatchObject({
      status: "done",
      value: expect.stringMatching(/^EngineState: .* turn t1 of session s/) as string,
    });
    await clock.runUntil(session.turn(() => other.end()));
    expect(other.isOver).toBe(true);
  });

  it("is not refused: work that a body started and left behind may end the session when the turn is over", async () => {
    const { session, clock } = await begun();
    const turnIsOver = Promise.withResolvers<undefined>();
    let ended: Promise<void> | null = null;
    await clock.runUntil(
      session.turn(async () => {
        ended = turnIsOver.promise.then(() => session.end());
        return Promise.resolve(1);
      }),
    );
    turnIsOver.resolve(undefined);
    await clock.runUntil(Promise.resolve(ended));
    expect(session.status).toBe("done");
  });

  it("is not refused: a subscriber may end the session because of something a turn wrote", async () => {
    const journal = await openJournal(newPath());
    const fl = createFaultline({ journal });
    const session = await fl.session("s");
    let ended: Promise<void> | null = null;
    journal.subscribe(({ event }) => {
      if (event.type === "call-succeeded") ended ??= session.end();
    });
    await session.turn((turn) => turn.protect(ok, "one"));
    expect(ended).not.toBeNull();
    await Promise.resolve(ended);
    expect(session.status).toBe("done");
    await fl.close();
  });
});

describe("a body", () => {
  it("that ends before its rounds is waited for until the last of them has ended", async () => {
    const { session, clock, journal } = await begun();
    const after = (ms: number) =>
      tool<string, string>({
        id: `in-${ms}`,
        run: (text) => new Promise((resolve) => void clock.after(ms, () => resolve(text))),
      });
    const result = await clock.runUntil(
      session.turn((turn) => {
        void turn.run({ a: step(after(10), "one") });
        void turn.run({ b: step(after(50), "two") });
        void turn.run({ c: step(after(30), "three") });
        return Promise.resolve({});
      }),
    );
    expect(Object.values(result.outcomes).map(({ status }) => status)).toEqual(["done", "done", "done"]);
    const types = (await eventsOf(journal, "s")).map(({ type }) => type);
    expect(types.filter((type) => type === "call-succeeded")).toHaveLength(3);
    expect(types.lastIndexOf("call-succeeded")).toBeLessThan(types.indexOf("turn-ended"));
  });

  it.each([
    ["null", { default: null }, "defaulted"],
    ["nothing", { default: undefined }, "defaulted"],
    ["no default", {}, "surfaced"],
  ])("has steps whose call fails and that have %s instead", async (_what, options, status) => {
    const { session, clock } = await begun();
    const broken = tool<object, null>({ id: "broken", run: fails("NotFound") });
    const { outcomes } = await clock.runUntil(session.turn((turn) => turn.run({ a: step(broken, {}, options) })));
    const [outcome] = Object.values(outcomes);
    expect(outcome?.status).toBe(status);
  });

  it("asks nobody when its turn is over, or under a name that is none", async () => {
    const { session, clock } = await begun();
    const payload = { kind: "Ask", prompt: "Which?", field: "which" } as const;
    const asked: Promise<unknown>[] = [];
    let left: Turn | undefined;
    const body = (turn: Turn): Promise<object> => {
      left = turn;
      asked.push(thrownBy(turn.ask("a/b", payload)));
      return Promise.resolve({});
    };
    await clock.runUntil(session.turn(body));
    asked.push(thrownBy((left as unknown as Turn).ask("which", payload)));
    const refused = (await clock.runUntil(Promise.all(asked))).map((error) => isFaultError(error) && error.fault.class);
    expect(refused).toEqual(["Validation", "Internal"]);
  });

  it("leaves the result of its turn in the journal, and of no call in it", async () => {
    const { session, clock, journal } = await begun();
    const results = async (): Promise<readonly string[]> =>
      (await journal.keptAll("result")).map(({ key }) => key).toSorted();
    const other = session.turn((turn) => turn.protect(ok, "a"), { id: "one" });
    await clock.runUntil(other);
    expect(await results()).toEqual(["s//one"]);
    const seen: (readonly string[])[] = [];
    const body = async (turn: Turn): Promise<void> => {
      await turn.protect(ok, "b", { id: "mine" });
      seen.push(await results());
    };
    await clock.runUntil(session.turn(body, { id: "two" }));
    expect(seen).toEqual([["s//one", "s/two/mine"]]);
    expect(await results()).toEqual(["s//one", "s//two"]);
  });

  it("may run several rounds and single calls; each is reported under its own name", async () => {
    const { session, clock, journal } = await begun();
    const result = await clock.runUntil(
      session.turn(async (turn) => {
        const first = await turn.run({ a: step(ok, "one") });
        const single = await turn.protect(ok, "single");
        const named = await turn.protect(ok, "named", { id: "mine" });
        await turn.run({ a: step(ok, "two") });
        return [first.status, single.status, named.status];
      }),
    );
    expect(result).toMatchObject({ status: "done", value: ["done", "done", "done"], missing: [], message: "" });
    const values = Object.entries(result.outcomes).map(([name, outcome]) => [
      name,
      "value" in outcome && outcome.value,
    ]);
    expect(values).toEqual([
      ["a", "one"],
      ["c1", "single"],
      ["mine", "named"],
      ["2/a", "two"],
    ]);
    const started = only(await eventsOf(journal, "s"), "call-started").map(({ call }) => call);
    expect(started).toEqual(["t1/1/a", "t1/c1", "t1/mine", "t1/2/a"]);
  });

  const THROWING: readonly (readonly [string, () => Promise<string>])[] = [
    ["later", () => Promise.reject(new RangeError("index 7"))],
    [
      "at once",
      () => {
        throw new RangeError("index 7");
      },
    ],
  ];

  it.each(THROWING)("that throws %s is one failed turn, and the session continues", async (_when, body) => {
    const { session, clock, journal } = await begun();
    const result = await clock.runUntil(session.turn(body));
    expect(result).toMatchObject({
      status: "failed",
      value: undefined,
      fault: { class: "Internal", code: "Uncaught" },
    });
    expect(await clock.runUntil(session.turn({ a: step(ok, "fine") }))).toMatchObject({ status: "done" });
    expect(endsOf(await eventsOf(journal, "s"))).toEqual(["t1 failed", "t2 done"]);
  });

  it("that throws keeps the results of its calls", async () => {
    const { session, clock } = await begun();
    const result = await clock.runUntil(
      session.turn(async (turn) => {
        await turn.protect(ok, "before");
        throw new Error("after");
      }),
    );
    expect(result).toMatchObject({ status: "failed", outcomes: { c1: { value: "before" } } });
  });

  it("that hangs is abandoned at the deadline: finished work stays, and later work is not part of the turn", async () => {
    const { session, clock, journal } = await begun();
    const startedAt = clock.now();
    const late: unknown[] = [];
    const result = await clock.runUntil(
      session.turn(
        async (turn) => {
          await turn.protect(ok, "before");
          await new Promise<void>((resolve) => void clock.after(90_000, resolve));
          late.push(await turn.protect(ok, "too late"));
        },
        { timeoutMs: 60_000 },
      ),
    );
    expect(clock.now() - startedAt).toBe(60_000);
    expect(result).toMatchObject({
      status: "partial",
      fault: { code: "TurnTimeout" },
      outcomes: { c1: { value: "before" } },
    });
    await clock.advance(60_000);
    expect(late).toMatchObject([{ status: "failed", fault: { code: "EngineState" }, attempts: 0 }]);
    expect(endsOf(await eventsOf(journal, "s"))).toEqual(["t1 partial"]);
  });
});

describe("turns", () => {
  it("run one after another in the order they were requested, even after a failed one", async () => {
    const { session, clock, journal } = await begun();
    const order: string[] = [];
    const body =
      (name: string, ms: number, dies = false) =>
      async (): Promise<string> => {
        order.push(`${name} begins`);
        await new Promise<void>((resolve) => void clock.after(ms, resolve));
        order.push(`${name} ends`);
        if (dies) throw new Error("as planned");
        return name;
      };
    const asked = [session.turn(body("a", 300)), session.turn(body("b", 200, true)), session.turn(body("c", 100))];
    const results = await clock.runUntil(Promise.all(asked));
    expect(results.map(({ status }) => status)).toEqual(["done", "failed", "done"]);
    expect(order).toEqual(["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
    expect(endsOf(await eventsOf(journal, "s"))).toEqual(["t1 done", "t2 failed", "t3 done"]);
  });
});

describe("a limit", () => {
  it("on turns refuses the next one; earlier ones are still answered", async () => {
    const { session, clock, journal } = await begun({ maxTurns: 2 });
    for (const id of ["one", "two"]) await clock.runUntil(session.turn({ a: step(ok, id) }, { id }));
    const refused = await clock.runUntil(session.turn({ a: step(ok, "three") }, { id: "three" }));
    expect(refused).toMatchObject({ status: "failed", fault: { class: "Limit", code: "TurnLimit" }, outcomes: {} });
    expect(await clock.runUntil(session.turn({ a: step(ok, "two") }, { id: "two" }))).toMatchObject({ status: "done" });
    expect(only(await eventsOf(journal, "s"), "call-started")).toHaveLength(2);
  });

  it("on tool rounds refuses the next round of the turn, and no call is sent", async () => {
    const { session, clock, journal } = await begun({ maxToolRounds: 3 });
    let rounds = 0;
    const result = await clock.runUntil(
      session.turn(async (turn) => {
        for (;;) {
          const { fault } = await turn.run({ a: step(ok, String(rounds)) });
          if (fault !== null) return fault.code;
          rounds += 1;
        }
      }),
    );
    expect(result).toMatchObject({ status: "failed", value: "TurnLimit", fault: { code: "TurnLimit" } });
    expect([rounds, only(await eventsOf(journal, "s"), "call-started").length]).toEqual([3, 3]);
  });

  it("on the time of the whole session ends a running turn and refuses the next", async () => {
    const { session, clock } = await begun({ runTimeoutMs: 10_000 });
    const running = await clock.runUntil(
      session.turn(async (turn) => {
        await turn.protect(ok, "quick");
        await never();
      }),
    );
    expect(running).toMatchObject({
      status: "partial",
      fault: { code: "RunTimeout" },
      outcomes: { c1: { value: "quick" } },
    });
    expect(clock.now()).toBe(1_010_000);
    expect(await clock.runUntil(session.turn({ a: step(ok, "x") }))).toMatchObject({ fault: { code: "RunTimeout" } });
  });
});

describe("a cancellation", () => {
  /** A tool that hangs and reports its abort reason. */
  function hanging(): { readonly hang: ReturnType<typeof tool<string, string>>; readonly reasons: unknown[] } {
    const reasons: unknown[] = [];
    const run = (_input: string, { signal }: { readonly signal: AbortSignal }): Promise<string> => {
      signal.addEventListener("abort", () => {
        if (isFaultError(signal.reason)) reasons.push(signal.reason.fault.code);
      });
      return never<string>();
    };
    return { reasons, hang: tool<string, string>({ id: "hang", run }) };
  }

  const CANCELS = [
    ["of the turn by itself", "TurnCancelled", (_session: Session, turn: Turn) => turn.cancel("enough")],
    [
      "by the caller's signal",
      "TurnCancelled",
      (_session: Session, _turn: Turn, caller: AbortController) => caller.abort(),
    ],
    ["of the session", "SessionCancelled", (session: Session) => void session.cancel("enough")],
  ] as const;

  it.each(CANCELS)("%s reaches running work at once and wins over a failure", async (_of, code, cancel) => {
    const { session, clock, journal } = await begun();
    const { hang, reasons } = hanging();
    const bad = tool<string, string>({ id: "bad", run: fails("NotFound") });
    const caller = new AbortController();
    const running = session.turn(
      async (turn) => {
        clock.after(50, () => cancel(session, turn, caller));
        await turn.run({ bad: step(bad, "x"), hang: step(hang, "x"), next: step(ok, "x", { needs: ["hang"] }) });
        await never();
      },
      { signal: caller.signal },
    );
    const result = await clock.runUntil(running);
    expect(clock.now()).toBe(1_000_050);
    expect(reasons).toEqual([code]);
    expect(result).toMatchObject({ status: "cancelled", fault: { class: "Cancellation", code } });
    expect(result.outcomes).toMatchObject({
      bad: { status: "surfaced" },
      hang: { status: "cancelled", fault: { code } },
    });
    await clock.advance(0);
    const events = await eventsOf(journal, "s");
    expect(endsOf(events)).toEqual(["t1 cancelled"]);
    expect(only(events, "session-ended").map(({ status }) => status)).toEqual(
      code === "SessionCancelled" ? ["cancelled"] : [],
    );
  });

  it("by a signal keeps its reason", async () => {
    const { session, clock } = await begun();
    const caller = new AbortController();
    const running = session.turn({ hang: step(hanging().hang, "x") }, { signal: caller.signal });
    clock.after(50, () => caller.abort(new Error("the user closed the page")));
    expect(await clock.runUntil(running)).toMatchObject({ fault: { message: "the user closed the page" } });
  });

  it("of one turn leaves the session and its other turns alone", async () => {
    const { session, clock } = await begun();
    const { hang } = hanging();
    const outside = session.protect(hang, "outside");
    const first = session.turn(async (turn) => {
      clock.after(10, () => turn.cancel());
      await turn.protect(hang, "inside");
    });
    const second = session.turn({ a: step(ok, "fine") });
    expect(await clock.runUntil(first)).toMatchObject({ status: "cancelled" });
    expect(await clock.runUntil(second)).toMatchObject({ status: "done" });
    expect(await clock.runUntil(outside)).toMatchObject({ fault: { code: "ExecutionTimeout" } });
  });

  it("of the session ends queued turns, and a body that hangs on something else, without waiting", async () => {
    const { session, clock, journal } = await begun();
    const { hang } = hanging();
    const stuck = session.turn(async (turn) => {
      await turn.protect(hang, "x");
      await never();
    });
    const queued = session.turn({ a: step(hang, "x") });
    await clock.advance(0);
    const cancelled = Promise.all([session.cancel("enough"), session.cancel("once more"), session.end()]);
    await clock.advance(0);
    await cancelled;
    expect(await Promise.all([stuck, queued])).toMatchObject([{ status: "cancelled" }, { status: "cancelled" }]);
    const events = await eventsOf(journal, "s");
    expect(only(events, "session-ended")).toMatchObject([{ status: "cancelled", fault: { code: "SessionCancelled" } }]);
    expect(events.at(-1)).toMatchObject({ type: "session-ended" });
    expect(clock.now()).toBe(1_000_000);
  });

  it("after the end changes nothing", async () => {
    const { session, clock, journal } = await begun();
    const running = session.protect(ok, "x");
    await clock.runUntil(session.end());
    await clock.runUntil(session.cancel());
    expect(await running).toMatchObject({ status: "done" });
    expect((await eventsOf(journal, "s")).at(-1)).toMatchObject({ type: "session-ended", status: "done" });
  });
});
