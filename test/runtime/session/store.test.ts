// A session whose store fails: how often it is retried, what is saved, which calls are refused.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  createMemoryJournal,
  fault,
  FaultError,
  importSession,
  type Journal,
  openJournal,
  step,
  tool,
} from "../../../src/index.ts";
import { DEFAULT_POLICY } from "../../../src/core/index.ts";
import { createRedactor } from "../../../src/core/fault/redact.ts";
import { SessionRecorder } from "../../../src/runtime/session/session-recorder.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { thrownBy } from "../../support/thrown.ts";
import { eventsOf, type Life, life, lifeOn, never, newPath, only } from "./life.ts";

/** The error of reading from an unreadable store. */
const UNREADABLE = Object.assign(new Error("EIO: i/o error, read"), { code: "EIO" });

type Fate = "writes" | "refuses" | "writes and says it did not";

/** A scripted disk that remembers when it was asked to write. */
class Disk {
  fate: Fate = "writes";
  readonly asked: number[] = [];
  now: () => number = () => 0;

  async on(path: string, options: Parameters<typeof lifeOn>[1] = {}): Promise<Life> {
    const made = await lifeOn(path, options, (inner) => this.#between(inner));
    this.now = () => made.clock.now();
    return made;
  }

  #between(inner: Journal): Journal {
    const write = async (work: () => Promise<void>): Promise<void> => {
      this.asked.push(this.now());
      const { fate } = this;
      if (fate === "refuses") throw Object.assign(new Error("EIO: i/o error, write"), { code: "EIO" });
      await work();
      if (fate !== "writes") throw new Error("disk I/O error");
    };
    return {
      ...inner,
      append: (session, after, entries, keeps) => write(() => inner.append(session, after, entries, keeps)),
      keep: (keeps) => write(() => inner.keep(keeps)),
    };
  }
}

const rescuesOf = (path: string): readonly string[] =>
  readdirSync(dirname(path)).filter((name) => name.startsWith("rescue-"));

describe("a store that does not answer", () => {
  it("is tried three times, two and four seconds apart, before the tool may run", async () => {
    const [path, disk] = [newPath(), new Disk()];
    const { fl, clock } = await disk.on(path);
    const session = await clock.runUntil(fl.session("s"));
    let runs = 0;
    const count = tool<object, number>({ id: "count", run: () => ++runs });
    disk.fate = "refuses";
    disk.asked.length = 0;
    const startedAt = clock.now();
    const outcome = await clock.runUntil(session.protect(count, {}));
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "StoreUnavailable" }, decision: null });
    expect(disk.asked.map((at) => at - startedAt)).toEqual([0, 2_000, 6_000]);
    expect(runs).toBe(0);
  });

  it("is retried by retryWhileBusy for reads", async () => {
    const path = newPath();
    const count = tool<object, number>({ id: "count", run: () => 7 });
    const first = await lifeOn(path);
    const before = await first.clock.runUntil(first.fl.session("s"));
    await first.clock.runUntil(before.turn({ a: step(count, {}) }, { id: "t" }));
    await first.fl.close();

    const refused: number[] = [];
    let left = 0;
    const second = await lifeOn(path, {}, (inner) => {
      const asked = <T>(read: () => T): T => {
        if (left === 0) return read();
        left -= 1;
        refused.push(second.clock.now() - 1_000_000);
        throw UNREADABLE;
      };
      return {
        ...inner,
        kept: async (kind, key) => asked(() => inner.kept(kind, key)),
        read: (session, after) => asked(() => inner.read(session, after)),
      };
    });
    await second.fl.ready();
    left = 2;
    const session = await second.clock.runUntil(second.fl.session("s"));
    expect(refused).toEqual([0, 2_000]);
    left = 1;
    expect(await second.clock.runUntil(session.turn({ a: step(count, {}) }, { id: "t" }))).toMatchObject({
      outcomes: { a: { status: "done", value: 7 } },
    });
    left = 3;
    expect(await second.clock.runUntil(thrownBy(session.turn({ a: step(count, {}) }, { id: "t" })))).toMatchObject({
      fault: { code: "StoreUnavailable", context: { attempt: 3 } },
    });
  });

  it("ends the session: later calls and turns are refused with the same fault, and it is not tried again", async () => {
    const [path, disk] = [newPath(), new Disk()];
    const { fl, clock } = await disk.on(path);
    const session = await clock.runUntil(fl.session("s"));
    let runs = 0;
    const count = tool<object, number>({ id: "count", run: () => ++runs });
    disk.fate = "refuses";
    const first = await clock.runUntil(session.protect(count, {}));
    disk.fate = "writes";
    disk.asked.length = 0;
    const later = await clock.runUntil(session.protect(count, {}));
    const turn = await clock.runUntil(thrownBy(session.turn({ a: step(count, {}) })));
    const end = await clock.runUntil(thrownBy(session.end()));
    const told = "fault" in first ? first.fault : null;
    expect(later).toMatchObject({ status: "failed", fault: told });
    expect(turn).toMatchObject({ fault: told });
    expect(end).toMatchObject({ fault: told });
    expect([disk.asked.length, runs]).toEqual([0, 0]);
  });

  it("stops running work: its signal fires, and the turn fails because of the store instead of being cancelled", async () => {
    const [path, disk] = [newPath(), new Disk()];
    const { fl, clock } = await disk.on(path);
    const session = await clock.runUntil(fl.session("s"));
    const signals: AbortSignal[] = [];
    const hang = tool<object, string>({
      id: "hang",
      run: (_input, { signal }) => {
        signals.push(signal);
        return never<string>();
      },
    });
    const quick = tool<object, string>({ id: "quick", run: () => "there" });
    const running = session.turn({ a: step(hang, {}), b: step(quick, {}) });
    await clock.advance(0);
    expect(signals).toHaveLength(1);
    disk.fate = "refuses";
    const outside = await clock.runUntil(session.protect(quick, {}, { id: "outside" }));
    expect(outside).toMatchObject({ status: "failed", fault: { code: "StoreUnavailable" } });
    const result = await clock.runUntil(running);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    expect(clock.now()).toBe(1_006_000);
    expect(result).toMatchObject({ status: "failed", fault: { code: "StoreUnavailable" } });
    expect(result.outcomes).toMatchObject({ a: { fault: { code: "StoreUnavailable" } }, b: { value: "there" } });
  });

  it("prevents a session from starting, after the same three tries", async () => {
    const [path, disk] = [newPath(), new Disk()];
    const { fl, clock } = await disk.on(path);
    await clock.runUntil(fl.ready());
    disk.fate = "refuses";
    expect(await clock.runUntil(thrownBy(fl.session("s")))).toMatchObject({ fault: { code: "StoreUnavailable" } });
    expect(disk.asked).toHaveLength(3);
  });

  it("is forgiven when the second try works: nothing is missing, duplicated or reported", async () => {
    const [path, disk] = [newPath(), new Disk()];
    const { fl, clock, journal } = await disk.on(path);
    const session = await clock.runUntil(fl.session("s"));
    const ok = tool<object, string>({ id: "ok", run: () => "fine" });
    disk.fate = "refuses";
    clock.after(1_000, () => (disk.fate = "writes"));
    expect(await clock.runUntil(session.protect(ok, {}))).toMatchObject({ status: "done", value: "fine" });
    expect((await eventsOf(journal, "s")).map(({ type }) => type)).toEqual([
      "session-started",
      "call-started",
      "call-admitted",
      "call-succeeded",
    ]);
    expect([rescuesOf(path), fl.recent()]).toEqual([[], []]);
  });
});

describe("writes that failed", () => {
  it("are saved in a file beside the journal; after an import the session continues and nothing is lost", async () => {
    const [path, disk] = [newPath(), new Disk()];
    const first = await disk.on(path, { budget: { maxUsd: 0.0001 } });
    const session = await first.clock.runUntil(first.fl.session("s", { mode: "headless" }));
    const ran: string[] = [];
    let answer: (receipt: string) => void = () => undefined;
    const charge = tool<{ cents: number }, string>({
      id: "charge",
      cost: { estimate: () => 500 },
      run: (_input, { cost }) => {
        ran.push("charge");
        cost(420);
        return new Promise((resolve) => (answer = resolve));
      },
    });
    const ship = tool<object, string>({ id: "ship", run: () => (ran.push("ship"), "shipped") });
    const work = session.protect(charge, { cents: 5 }, { id: "charge" });
    await first.clock.advance(0);
    expect(ran).toEqual(["charge"]);
    disk.fate = "refuses";
    answer("receipt-1");
    const refused = await first.clock.runUntil(work);
    expect(refused).toMatchObject({ status: "failed", fault: { code: "StoreUnavailable" } });

    const [name, ...more] = rescuesOf(path);
    expect(more).toEqual([]);
    const place = join(dirname(path), name ?? "");
    expect(refused).toMatchObject({ fault: { context: { rescue: place } } });
    const healthy = await openJournal(path);
    const lines = readFileSync(place, "utf8").split("\n");
    expect(await importSession(healthy, lines)).toMatchObject({ session: "s", appended: 1, already: 0 });
    expect(await importSession(healthy, lines)).toMatchObject({ appended: 0, already: 1 });
    await healthy.close();

    const next = await lifeOn(path, { startAt: 9_000_000 });
    const resumed = await next.clock.runUntil(next.fl.session("s", { mode: "headless" }));
    const again = await next.clock.runUntil(resumed.protect(charge, { cents: 5 }, { id: "charge" }));
    expect(again).toMatchObject({ status: "done", value: "receipt-1", attempts: 1 });
    expect(await next.clock.runUntil(resumed.protect(ship, {}))).toMatchObject({ status: "done" });
    expect(ran).toEqual(["charge", "ship"]);
    expect(resumed.spending).toMatchObject({ microcents: 420 });
    expect(await next.journal.verify()).toMatchObject({ firstBad: null });
  });

  it("go to the first folder that accepts them, and a warning is given if none does", async () => {
    for (const hasFolder of [true, false]) {
      const [path, disk] = [newPath(), new Disk()];
      const spare = join(dirname(path), "spare");
      // A file is not a folder.
      const rescueFolders = [join(path, "inside"), ...(hasFolder ? [spare] : [])];
      const { fl, clock } = await disk.on(path, { rescueFolders });
      const session = await clock.runUntil(fl.session("s"));
      disk.fate = "refuses";
      await clock.runUntil(session.protect(tool<object, string>({ id: "ok", run: () => "x" }), {}));
      const suppressed = fl.recent().map(({ event }) => event.type);
      if (hasFolder) expect([readdirSync(spare).length, suppressed]).toEqual([1, []]);
      else expect(suppressed).toEqual(["fault-suppressed"]);
    }
  });
});

describe("an append", () => {
  it("that succeeded but was reported as failed is not written twice", async () => {
    const [path, disk] = [newPath(), new Disk()];
    const { fl, clock, journal } = await disk.on(path);
    const session = await clock.runUntil(fl.session("s"));
    let runs = 0;
    const count = tool<object, number>({ id: "count", run: () => ++runs });
    disk.fate = "writes and says it did not";
    expect(await clock.runUntil(session.protect(count, {}))).toMatchObject({ status: "done", value: 1 });
    disk.fate = "writes";
    await clock.runUntil(session.end());
    const types = (await eventsOf(journal, "s")).map(({ type }) => type);
    expect(types).toEqual(["session-started", "call-started", "call-admitted", "call-succeeded", "session-ended"]);
    expect([runs, rescuesOf(path)]).toEqual([1, []]);
  });

  it("of a value without a JSON form fails only that call, and the entries written with it stay", async () => {
    const { fl, clock, journal } = life();
    const session = await clock.runUntil(fl.session("s"));
    const big = tool<object, bigint>({ id: "big", run: () => 10n });
    const fine = tool<number, number>({ id: "fine", run: (number) => number });
    const result = await clock.runUntil(
      session.turn({ a: step(fine, 1), b: step(big, {}, { optional: true }), c: step(fine, 3) }),
    );
    expect(result.outcomes).toMatchObject({
      a: { status: "done", value: 1 },
      b: { status: "skipped", fault: { code: "OutputMalformed", context: { ran: true } } },
      c: { status: "done", value: 3 },
    });
    expect(await clock.runUntil(session.turn({ d: step(fine, 4) }))).toMatchObject({ status: "done" });
    expect(only(await eventsOf(journal, "s"), "call-succeeded").map(({ call }) => call)).toEqual([
      "t1/1/a",
      "t1/1/c",
      "t2/1/d",
    ]);
  });

  it("that no store could accept is refused alone, whatever it was batched with", async () => {
    const inner = createMemoryJournal();
    const journal: Journal = {
      ...inner,
      append: (session, after, entries, keeps = []) =>
        JSON.stringify(keeps).includes("too long")
          ? Promise.reject(new FaultError(fault("ShapeInvalid", { message: "string or blob too big" })))
          : inner.append(session, after, entries, keeps),
    };
    const { fl, clock } = life({ journal });
    const session = await clock.runUntil(fl.session("s"));
    let open: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const say = tool<string, string>({ id: "say", run: (text) => gate.then(() => text) });
    const calls = ["one", "too long", "two", "three"].map((text) => session.protect(say, text));
    await clock.advance(0);
    // All have their value at once, so that what the first does not write alone is written in one batch.
    open();
    const outcomes = await clock.runUntil(Promise.all(calls));
    expect(outcomes.map((outcome) => ("fault" in outcome ? outcome.fault.code : outcome.status))).toEqual([
      "done",
      "ShapeInvalid",
      "done",
      "done",
    ]);
    await clock.runUntil(session.end());
    expect(only(await eventsOf(inner, "s"), "call-succeeded")).toHaveLength(3);
  });
});

describe("an error in code that the recorder calls", () => {
  const paused = { type: "run-paused", why: "gate", wakeAt: null } as const;
  const resumed = { type: "session-resumed", interrupted: [] } as const;
  const boom = (): never => {
    throw new TypeError("a bug");
  };

  interface Place {
    readonly where: string;
    readonly breaks?: (recorder: SessionRecorder) => void;
    /** Reports an entry that is on disk. */
    readonly written?: (seq: number) => void;
    readonly onDisk: readonly string[];
    readonly rescued: readonly string[];
    readonly after: number;
  }

  const PLACES: readonly Place[] = [
    {
      where: "in a note",
      breaks: (recorder) => recorder.note(boom),
      onDisk: [],
      rescued: ["run-paused", "session-resumed", "run-paused"],
      after: 0,
    },
    {
      where: "in what is derived from the entries",
      breaks: (recorder) => recorder.deriveKeeps(boom),
      onDisk: [],
      rescued: ["run-paused", "session-resumed", "run-paused"],
      after: 0,
    },
    {
      where: "in a note that waits while the store fails",
      breaks: (recorder) => {
        recorder.deriveKeeps(() => {
          recorder.note(boom);
          throw new FaultError(fault("StoreUnavailable", { message: "the disk is gone" }));
        });
      },
      onDisk: [],
      rescued: ["run-paused", "session-resumed", "run-paused"],
      after: 0,
    },
    {
      where: "once an entry is on disk",
      written: (seq) => {
        if (seq === 1) boom();
      },
      onDisk: ["run-paused", "session-resumed"],
      rescued: ["run-paused"],
      after: 2,
    },
  ];

  it.each(PLACES)(
    "$where refuses every write that waits, and saves what is not on disk",
    async ({ breaks, written = () => undefined, onDisk, rescued, after }) => {
      const clock = createFakeClock(1_000_000);
      const journal = createMemoryJournal({ clock });
      const saved: (readonly [number, readonly string[]])[] = [];
      const died: string[] = [];
      const recorder = new SessionRecorder({
        session: "s",
        journal,
        clock,
        policy: DEFAULT_POLICY,
        redactor: createRedactor([]),
        roll: () => 0,
        seq: 0,
        rescue: (from, entries) => {
          saved.push([from, entries.map(({ event }) => event.type)]);
          return Promise.resolve("rescued.jsonl");
        },
        died: ({ code }) => void died.push(code),
        written: (_entry, seq) => written(seq),
      });
      breaks?.(recorder);
      recorder.note(() => []);
      const first = recorder.record([paused, resumed], [], clock.now());
      const second = recorder.record([paused], [], clock.now());
      const told = await clock.runUntil(Promise.allSettled([first, second]));
      expect(told).toMatchObject([
        { status: "rejected", reason: { fault: { code: "StoreUnavailable", context: { rescue: "rescued.jsonl" } } } },
        { status: "rejected", reason: { fault: { code: "StoreUnavailable" } } },
      ]);
      expect((await eventsOf(journal, "s")).map(({ type }) => type)).toEqual(onDisk);
      expect(saved).toEqual([[after, rescued]]);
      expect(died).toEqual(["StoreUnavailable"]);
      const later = await clock.runUntil(Promise.allSettled([recorder.record([paused], [], clock.now())]));
      expect(later).toMatchObject([{ status: "rejected" }]);
    },
  );
});

describe("two runtimes on one session", () => {
  it("do not both continue: the overtaken one is refused before its tool runs, and the other works", async () => {
    const path = newPath();
    const [first, second] = [await lifeOn(path), await lifeOn(path)];
    const ran: string[] = [];
    const mark = tool<string, string>({ id: "mark", run: (who) => (ran.push(who), who) });
    const overtaken = await first.clock.runUntil(first.fl.session("s"));
    const owner = await second.clock.runUntil(second.fl.session("s"));
    expect(await first.clock.runUntil(overtaken.protect(mark, "first"))).toMatchObject({
      status: "failed",
      fault: { code: "EngineState" },
    });
    expect(await first.clock.runUntil(thrownBy(overtaken.turn({ a: step(mark, "first") })))).toMatchObject({
      fault: { code: "EngineState" },
    });
    expect(await second.clock.runUntil(owner.turn({ a: step(mark, "second") }))).toMatchObject({ status: "done" });
    expect(ran).toEqual(["second"]);
    expect(await second.journal.verify()).toMatchObject({ firstBad: null });
  });
});
