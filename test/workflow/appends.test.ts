// What a stage costs on disk: one append before its effect and one after it, which is the one before the next stage. What is on disk when a
// stage runs, what is read again, and what a watcher sees of phases without their own append.

import { describe, expect, it } from "vitest";
import { STAGE_PHASES } from "../../src/core/flow/visit.ts";
import type { Journal } from "../../src/index.ts";
import { tool } from "../../src/index.ts";
import { stage } from "../../src/workflow/define.ts";
import { APPROVE, engineWorld, eventsIn, only, phasesIn, STORES, YES } from "../support/engine-world.ts";

/** The types of the entries of each append. */
function counted(journal: Journal): { readonly journal: Journal; readonly appends: string[][]; keeps: string[][] } {
  const appends: string[][] = [];
  const keeps: string[][] = [];
  return {
    appends,
    keeps,
    journal: {
      ...journal,
      append: (session, after, entries, values = []) => {
        appends.push(entries.map(({ event }) => event.type));
        keeps.push(values.map(({ kind }) => kind));
        return journal.append(session, after, entries, values);
      },
    },
  };
}

async function appendsOf(act: () => unknown): Promise<ReturnType<typeof counted>> {
  const all: ReturnType<typeof counted>[] = [];
  const { go } = await engineWorld(
    { id: "three", stages: { a: stage({ act }), b: stage({ act }), c: stage({ act }) } },
    {
      wrap: (journal) => {
        const one = counted(journal);
        all.push(one);
        return one.journal;
      },
    },
  );
  expect(await go()).toMatchObject({ status: "completed" });
  return all[0] ?? counted(await Promise.reject(new Error("no journal")));
}

describe("an empty stage", () => {
  it("costs one append before its effect and one after it, and the next stage starts in the same one", async () => {
    const { appends } = await appendsOf(() => 1);
    const start = ["node-started", "turn-started"];
    const end = ["stage-entered", "turn-ended", "node-completed"];
    expect(appends).toEqual([
      ["session-started", "run-started"],
      ["session-resumed"],
      start,
      [...end, ...start],
      [...end, ...start],
      end,
      ["run-ended", "session-ended"],
    ]);
  });

  it("writes the run's line when it changes, its wake-up once, and its output once", async () => {
    const { keeps } = await appendsOf(() => 1);
    expect(keeps.slice(2, 6)).toEqual([
      ["run", "wake"],
      ["result", "run"],
      ["result", "run"],
      ["result", "run"],
    ]);
  });
});

describe("the outputs of nodes", () => {
  it("are not read from the journal by the process that has written them, and once by another one", async () => {
    const read: string[] = [];
    const see = stage({ act: (_request, _tools, { nodes }) => nodes["a"]?.output });
    const { go, runs, journal, nextLife, clock } = await engineWorld(
      {
        id: "seeing",
        stages: {
          a: stage({ act: () => ({ big: "x" }) }),
          b: see,
          gate: stage({ act: async (_request, { ask }) => (await ask({ payload: APPROVE, timeoutMs: null })).status }),
          c: see,
          d: see,
        },
      },
      {
        wrap: (one) => ({
          ...one,
          kept: (kind, key) => {
            if (kind === "result") read.push(key);
            return one.kept(kind, key);
          },
        }),
      },
    );
    const paused = await go();
    expect(read).toEqual([]);
    await clock.runUntil(runs.answer(paused.questions[0]?.id ?? "", YES));
    await clock.runUntil(nextLife().advance(paused.run));
    expect(read.filter((key) => key.includes("/a#1"))).toHaveLength(1);
    expect(only(await eventsIn(journal, paused.run), "node-completed").at(-1)).toMatchObject({ node: "d" });
  });
});

describe.each(STORES)("on a journal in %s", (store) => {
  it("a stage's start is on disk before its Setup runs, and before every other phase", async () => {
    const seen: string[] = [];
    const found: { journal: Journal | null } = { journal: null };
    const look = async (phase: string, run: string): Promise<void> => {
      const events = found.journal === null ? [] : await eventsIn(found.journal, run);
      const types = events.map(({ type }) => type);
      seen.push(`${phase} ${types.includes("node-started") && types.includes("turn-started")}`);
    };
    const { go, journal } = await engineWorld(
      {
        id: "seen",
        stages: {
          a: stage({
            setup: ({ run }) => look("setup", run),
            init: async (_context, { run }) => look("init", run).then(() => ""),
            act: async (_request, _tools, { run }) => look("act", run),
          }),
        },
      },
      { store, wrap: (one) => (found.journal = one) },
    );
    expect(journal).toBe(found.journal);
    expect(await go()).toMatchObject({ status: "completed" });
    expect(seen).toEqual(["setup true", "init true", "act true"]);
  });
});

describe("phases", () => {
  it("are written before the first entry of a call", async () => {
    const lookup = tool<string, string>({ id: "lookup", run: () => "found" });
    const { go, events } = await engineWorld({
      id: "calls",
      stages: { a: stage({ act: async (_request, tools) => tools.turn.protect(lookup, "x").then(() => 1) }) },
    });
    const all = await events((await go()).run);
    const types = all.map(({ type }) => type);
    const entered = only(all, "stage-entered");
    expect(entered.map(({ phase }) => phase)).toEqual(["act", "next"]);
    expect(types.indexOf("stage-entered")).toBeLessThan(types.indexOf("call-started"));
  });

  it("are shown one by one to watchers", async () => {
    const { go, runs, clock } = await engineWorld({ id: "watched", stages: { a: stage({ act: () => 1 }) } });
    const { run } = await go();
    const shown: string[] = [];
    const stop = runs.watch(run, ({ type, data }) => {
      if (type === "node.phase" && "phase" in data) shown.push(data.phase);
    });
    await clock.advance(1);
    stop();
    expect(shown).toEqual(["setup", "init", "check-gate", "act", "assert", "exit", "next"]);
  });

  it("reach the journal while a stage without calls is still working", async () => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const world = await engineWorld({ id: "long", stages: { a: stage({ act: () => promise }) } });
    const run = await world.start();
    const end = world.runs.advance(run);
    await world.clock.advance(1_000);
    expect(phasesIn(await world.events(run))).toEqual(
      ["setup", "init", "check-gate", "act"].map((one) => `a#1.1 ${one}`),
    );
    resolve(1);
    expect(await world.clock.runUntil(end)).toMatchObject({ status: "completed" });
  });

  it("are entered once, although an attempt that waited for an answer reruns from Setup", async () => {
    const world = await engineWorld({
      id: "gate",
      stages: { a: stage({ act: async (_request, tools) => tools.ask({ payload: APPROVE, timeoutMs: null }) }) },
    });
    const { run, questions } = await world.go();
    await world.clock.runUntil(world.runs.answer(questions[0]?.id ?? "", YES));
    expect(await world.advance(run)).toMatchObject({ status: "completed" });
    expect(phasesIn(await world.events(run))).toEqual(STAGE_PHASES.map((phase) => `a#1.1 ${phase}`));
  });
});
