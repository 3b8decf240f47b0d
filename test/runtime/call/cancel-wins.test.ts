// A cancellation that races with another ending wins until that ending is recorded.

import { describe, expect, it } from "vitest";
import * as z from "zod";
import { createMemoryJournal, type Entry, type Journal, tool } from "../../../src/index.ts";
import { chain } from "../../../src/runtime/tool/chain.ts";
import { tempFolder } from "../../journal/temp-folder.ts";
import { broken, failure, held, liveOnDisk, scripted, silent, START_AT, world } from "../../support/world.ts";

/** A gate that stays shut until the test opens it. */
function gate(): { readonly passed: Promise<boolean>; readonly open: () => void } {
  let open = (): void => undefined;
  const passed = new Promise<boolean>((resolve) => (open = () => resolve(true)));
  return { passed, open };
}

/** A journal that cancels by the controller when it has written an event of this type. */
function cancelsAfter(type: Entry["event"]["type"]): {
  readonly journal: Journal;
  readonly controller: AbortController;
} {
  const inner = createMemoryJournal();
  const controller = new AbortController();
  const journal: Journal = {
    ...inner,
    append: async (session, after, entries, keeps) => {
      await inner.append(session, after, entries, keeps);
      if (entries.some(({ event }) => event.type === type)) controller.abort();
    },
  };
  return { journal, controller };
}

/** A turn that has asked a person about a tool without access. */
async function lockedTurn(controller: AbortController, options: Parameters<typeof world>[0] = {}) {
  const { fl, clock } = world(options);
  const person = silent();
  fl.attach(person);
  const locked = broken("locked", "AuthFailed");
  const session = await clock.runUntil(fl.session("s"));
  const turn = session.turn((live) => live.protect(locked.tool, "x"), { signal: controller.signal });
  await clock.advance(0);
  return { fl, clock, person, turn };
}

/** Calls a tool whose schema takes long, and cancels the call meanwhile. */
async function cancelledInSchema(field: "input" | "output", fits: boolean) {
  const { fl, clock, events } = world();
  const { passed, open } = gate();
  const runs: string[] = [];
  const schema = z.string().refine(async () => (await passed) && fits);
  const strict = tool({ id: "strict", [field]: schema, run: (text: string) => String(runs.push(text)) });
  const controller = new AbortController();
  const call = fl.protect(strict, "x", { signal: controller.signal });
  await clock.advance(0);
  controller.abort();
  open();
  return { outcome: await call, runs, types: events().map(({ type }) => type) };
}

describe("a cancellation wins", () => {
  it("over a value that arrives at the same moment, before or after it, until the value is on disk", async () => {
    const { fl, clock } = world();
    const session = await clock.runUntil(fl.session("s"));
    for (const order of ["cancel, value", "value, cancel"]) {
      const slow = held("slow", clock);
      const controller = new AbortController();
      const turn = session.turn((live) => live.protect(slow.tool, "x"), { signal: controller.signal });
      await clock.advance(0);
      if (order === "cancel, value") controller.abort();
      slow.run(0).answer("value");
      if (order !== "cancel, value") controller.abort();
      expect(await clock.runUntil(turn)).toMatchObject({ status: "cancelled", value: { status: "cancelled" } });
    }
  });

  it.each([
    ["reads input", true],
    ["reads input it will refuse", false],
  ])("over a schema that %s", async (_what, fits) => {
    const { outcome, runs, types } = await cancelledInSchema("input", fits);
    expect(outcome).toMatchObject({ status: "cancelled", attempts: 0 });
    expect(runs).toEqual([]);
    expect(types).toEqual(["call-started", "call-cancelled"]);
  });

  it("over an attempt that has just been announced, and its slot is free again", async () => {
    const { fl, events } = world();
    const priced = scripted("priced", [], { cost: { estimate: () => 5 }, maxConcurrent: 1, maxQueued: 0 });
    const controller = new AbortController();
    const stop = fl.subscribe(({ event }) => {
      if (event.type === "call-admitted") controller.abort();
    });
    expect(await fl.protect(priced.tool, "x", { signal: controller.signal })).toMatchObject({ status: "cancelled" });
    expect(priced.runs).toEqual([]);
    stop();
    expect(await fl.protect(priced.tool, "x")).toMatchObject({ status: "done" });
    expect(events().map(({ type }) => type)).toEqual([
      "call-started",
      "call-admitted",
      "call-cancelled",
      "call-started",
      "call-admitted",
      "call-succeeded",
    ]);
  });

  it("over a repair that is being recorded, without waiting for a slot first", async () => {
    const { journal, controller } = cancelsAfter("call-adapted");
    const { fl, clock } = world({ journal });
    const runs: Request[] = [];
    class Request {
      readonly words: number;
      constructor(words: number) {
        this.words = words;
      }
      revived(): this {
        return this;
      }
    }
    const one = tool<Request, string>({
      id: "one",
      maxConcurrent: 1,
      run: (request) => {
        // The second call takes the slot that the first one gives up.
        if (runs.push(request) > 1) return new Promise(() => undefined);
        throw failure("ContextOverflow");
      },
    });
    const facts = { endpoint: "e", account: "a", model: "m", capabilities: [], contextWindowTokens: Infinity };
    const repairs = {
      compact: ({ words }: Request) => Promise.resolve(new Request(words / 2)),
      sizeOf: ({ words }: Request) => words,
    };
    const compacting = chain<Request, string>([{ tool: one, facts: { ...facts, lastResort: false } }], { repairs });
    const session = await clock.runUntil(fl.session("s"));
    const call = session.protect(compacting, new Request(100), { signal: controller.signal });
    void session.protect(compacting, new Request(100));
    expect(await clock.runUntil(call)).toMatchObject({ status: "cancelled", attempts: 1 });
    expect(clock.now()).toBe(START_AT);
    expect(runs).toHaveLength(2);
  });

  it.each([
    ["accepts the output", true],
    ["refuses the output", false],
  ])("over a schema that %s", async (_what, fits) => {
    const { outcome, runs } = await cancelledInSchema("output", fits);
    expect(outcome).toMatchObject({ status: "cancelled", attempts: 1 });
    expect(runs).toEqual(["x"]);
  });

  it("over a failure whose files are still being written", async () => {
    const folder = tempFolder();
    await liveOnDisk(folder.file("journal.db"), START_AT, {}, async ({ fl, clock }) => {
      const slow = held("slow", clock);
      const session = await fl.session("s");
      const controller = new AbortController();
      const started = new Promise<void>((resolve) => {
        fl.subscribe(({ event }) => {
          if (event.type === "call-admitted") resolve();
        });
      });
      const turn = session.turn((live) => live.protect(slow.tool, "x"), { signal: controller.signal });
      await started;
      await clock.advance(0);
      slow.run(0).fail(failure("NotFound"));
      // Only promises run here, so nothing has reached the disk yet.
      for (let step = 0; step < 50; step++) await Promise.resolve();
      controller.abort();
      expect(await turn).toMatchObject({ status: "cancelled", value: { status: "cancelled" } });
    });
    folder.remove();
  });

  it("over a question that is being recorded, and leaves no orphaned question behind", async () => {
    const { journal, controller } = cancelsAfter("question-asked");
    const { fl, clock, person, turn } = await lockedTurn(controller, { journal });
    expect(await turn).toMatchObject({ status: "cancelled" });
    expect(clock.now()).toBe(START_AT);
    expect(person.shown).toEqual([]);
    expect(await fl.questions()).toEqual([]);
  });

  it("over a question that is being asked, which disappears from the screen and the journal", async () => {
    const controller = new AbortController();
    const { fl, clock, person, turn } = await lockedTurn(controller);
    expect(await fl.questions()).toHaveLength(1);
    controller.abort();
    await clock.advance(0);
    expect(await turn).toMatchObject({ status: "cancelled" });
    expect(person.shown.map(({ aborted }) => aborted)).toEqual([true]);
    expect(await fl.questions()).toEqual([]);
  });

  it("over a question that waited for an answer, once the call resumes", async () => {
    const { fl, clock } = world();
    const locked = broken("locked", "AuthFailed");
    const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
    const ask = (signal?: AbortSignal): Promise<{ readonly status: string }> =>
      session.turn((live) => live.protect(locked.tool, "x"), {
        id: "one",
        ...(signal === undefined ? {} : { signal }),
      });
    expect(await clock.runUntil(ask())).toMatchObject({ status: "waiting" });
    expect(await fl.questions()).toHaveLength(1);
    expect(await clock.runUntil(ask(AbortSignal.abort()))).toMatchObject({ status: "cancelled" });
    expect(await fl.questions()).toEqual([]);
    expect(locked.runs).toEqual([1]);
  });
});
