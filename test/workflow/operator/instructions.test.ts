// An operator's actions on a waiting run: in place, once, and without losing finished work. And runs that are resumed with a
// workflow that has changed.

import { describe, expect, it } from "vitest";
import { startRun } from "../../../src/core/flow/run.ts";
import type { RunState } from "../../../src/core/flow/run-state.ts";
import type { Instruction, Visit, VisitState } from "../../../src/core/flow/visit.ts";
import { createMemoryJournal, fault, FaultError, type Journal, tool } from "../../../src/index.ts";
import { defineWorkflow, stage, type WorkflowOptions } from "../../../src/workflow/define.ts";
import {
  eventsOf,
  failureFeedback,
  grantedIn,
  inheritInstructions,
  instructionFor,
  noteAction,
  openActions,
  overrideFor,
  postAction,
  type PostedAction,
  stoppedVisits,
} from "../../../src/workflow/operator/instructions.ts";
import { started } from "../../core/flow/run-plans.ts";
import { APPROVE, engineWorld, only, places, refusal, thrown, YES } from "../../support/engine-world.ts";

const LATER = 1_000_000 + 3_600_000;

describe("an action on a waiting visit", () => {
  it("gives a parked visit another attempt at once, with the instruction", async () => {
    const seen: (string | undefined)[] = [];
    const limited = tool<null, string>({
      id: "limited",
      run: () => {
        throw thrown("QuotaExhausted", { resetAt: LATER });
      },
    });
    const other = tool<null, string>({ id: "other", run: () => "done" });
    const { go, clock, runs, advance, events } = await engineWorld({
      id: "parked",
      stages: {
        a: stage({ act: () => "kept" }),
        b: stage({
          act: async (_request, { turn }, { attempt, instruction }) => {
            seen.push(instruction?.action);
            const outcome = await turn.protect(attempt === 1 ? limited : other, null);
            if (!("value" in outcome)) throw new FaultError(outcome.fault);
            return outcome.value;
          },
        }),
      },
    });
    const { run, status } = await go();
    expect(status).toBe("paused");
    const offered = (await runs.show(run))?.actions.find(({ id }) => id === "retry-stage");
    const key = offered?.key ?? "";
    expect(await clock.runUntil(runs.act(run, "retry-stage", { key, by: "ada" }))).toEqual({ run, did: true });
    expect(await clock.runUntil(runs.act(run, "retry-stage", { key, by: "bob" }))).toEqual({ run, did: false });
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(clock.now()).toBeLessThan(LATER);
    expect(seen).toEqual([undefined, "retry-stage"]);
    const all = await events(run);
    expect(places(all, "node-started")).toEqual(["a#1.1", "b#1.1", "b#1.2"]);
    expect(only(all, "run-instructed")).toMatchObject([{ action: "retry-stage", node: "b", by: "ada" }]);
  });

  it("does not prolong the wait of a visit that waits for its next attempt", async () => {
    let told: Instruction | null = null;
    const { go, clock, runs, advance, events } = await engineWorld({
      id: "retrying",
      stages: {
        a: stage({
          retryPolicy: {
            maxAttempts: 2,
            backoff: { kind: "fixed", initialMs: 600_000, maxMs: 600_000 },
            maxWaitMs: 1e7,
          },
          act: (_request, _tools, { attempt, instruction }) => {
            told = instruction;
            if (attempt === 1) throw thrown("RateLimited");
          },
        }),
      },
    });
    const { run, status, wakeAt } = await go();
    expect([status, (wakeAt ?? 0) > clock.now()]).toEqual(["paused", true]);
    await clock.runUntil(runs.act(run, "retry-now", { by: "ada" }));
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect([clock.now() < (wakeAt ?? 0), told]).toEqual([true, { action: "retry-now", params: {}, by: "ada" }]);
    expect(places(await events(run), "node-started")).toEqual(["a#1.1", "a#1.2"]);
  });

  it("answers a gate's question, and a late answer changes nothing", async () => {
    const { go, clock, runs, advance, journal } = await engineWorld({
      id: "gate",
      stages: { a: stage({ act: async (_r, { ask }) => (await ask({ payload: APPROVE, timeoutMs: null })).status }) },
    });
    const { run, questions } = await go();
    expect(await clock.runUntil(runs.act(run, "answer", { params: { answer: YES } }))).toEqual({ run, did: true });
    expect(await clock.runUntil(runs.answer(questions[0]?.id ?? "", { status: "rejected", reason: "no" }))).toBe(false);
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(await journal.keptAll("answer")).toEqual([]);
  });

  it("is carried out by a run that is being advanced at that moment", async () => {
    const { start, clock, runs, events } = await engineWorld({
      id: "live",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 2, backoff: { kind: "fixed", initialMs: 4_900, maxMs: 4_900 }, jitter: 0 },
          act: (_request, _tools, { attempt }) => {
            if (attempt === 1) throw thrown("RateLimited");
          },
        }),
      },
    });
    const run = await start();
    const end = runs.advance(run);
    await clock.advance(100);
    await clock.runUntil(runs.act(run, "retry-now"));
    await clock.advance(0);
    expect(await clock.runUntil(end)).toMatchObject({ status: "completed" });
    expect(clock.now()).toBeLessThan(1_004_900);
    expect(only(await events(run), "run-instructed")).toHaveLength(1);
  });
});

describe("a workflow that has changed", () => {
  const gated = (version: string, after: string): WorkflowOptions => ({
    id: "flow",
    version,
    stages: {
      first: stage({ act: () => `first of ${version}` }),
      gate: stage({
        act: async (_r, { ask }) => (await ask({ payload: { ...APPROVE, prompt: version }, timeoutMs: null })).status,
        next: () => after,
      }),
      [after]: stage({ act: (_r, _t, { nodes }) => [after, nodes["first"]?.output] }),
    },
  });

  it("is refused unless the operator decides", async () => {
    const { go, clock, runs, advance } = await engineWorld(gated("1", "old"));
    const { run } = await go();
    const changed = defineWorkflow(gated("2", "new"));
    const refused = await refusal(clock, runs.resume(run, changed));
    expect(refused.code).toBe("ResumeMismatch");
    expect(refused.message).toContain("accept");
    expect(await advance(run)).toMatchObject({ status: "paused" });
  });

  it("is accepted on request: finished nodes stay, and waiting ones start again", async () => {
    const { go, clock, runs, advance, events, journal } = await engineWorld(gated("1", "old"));
    const { run, questions: before } = await go();
    await clock.runUntil(runs.resume(run, defineWorkflow(gated("2", "new")), { changed: "accept", by: "ada" }));
    const asked = await advance(run);
    expect(asked).toMatchObject({ status: "paused", questions: [{ payload: { prompt: "2" } }] });
    const open = (await journal.keptAll("question")).map(({ key }) => key);
    expect(open).toEqual(asked.questions.map(({ id }) => id));
    expect(open).not.toContain(before[0]?.id);
    await clock.runUntil(runs.answer(asked.questions[0]?.id ?? "", YES));
    expect(await advance(run)).toMatchObject({ status: "completed" });
    const all = await events(run);
    expect(only(all, "workflow-changed")).toMatchObject([{ by: "ada" }]);
    expect(places(all, "node-started")).toEqual(["first#1.1", "gate#1.1", "gate#1.2", "new#1.1"]);
    expect(only(all, "node-completed").at(-1)).toMatchObject({ output: ["new", "first of 1"] });
  });

  it("is accepted without keeping the run from another process", async () => {
    const { go, clock, runs, nextLife } = await engineWorld(gated("1", "old"));
    const { run } = await go();
    const workflow = defineWorkflow(gated("2", "new"));
    await clock.runUntil(runs.resume(run, workflow, { changed: "accept" }));
    const before = clock.now();
    const other = nextLife({ workflows: [workflow] });
    expect(await clock.runUntil(other.advance(run))).toMatchObject({ questions: [{ payload: { prompt: "2" } }] });
    expect(clock.now()).toBe(before);
  });

  it("is ignored if the run is to continue with its original", async () => {
    const { go, clock, runs, advance, events } = await engineWorld(gated("1", "old"));
    const { run, questions } = await go();
    await clock.runUntil(runs.resume(run, defineWorkflow(gated("2", "new")), { changed: "as-started" }));
    await clock.runUntil(runs.answer(questions[0]?.id ?? "", YES));
    expect(await advance(run)).toMatchObject({ status: "completed" });
    expect(places(await events(run), "node-started")).toEqual(["first#1.1", "gate#1.1", "old#1.1"]);
  });

  it("is what a process that does not know the original asks about", async () => {
    const { go, clock, nextLife, workflow } = await engineWorld(gated("1", "old"));
    const { run } = await go();
    const stranger = nextLife({ workflows: [] });
    expect(await refusal(clock, stranger.advance(run))).toMatchObject({ code: "ResumeMismatch" });
    await clock.runUntil(stranger.resume(run, workflow));
    expect(await clock.runUntil(stranger.advance(run))).toMatchObject({ status: "paused" });
  });

  it("is not resumed into a run that is over", async () => {
    const { go, clock, runs, workflow } = await engineWorld({
      id: "over",
      stages: { a: stage({ act: () => 1 }) },
    });
    const { run } = await go();
    expect(await refusal(clock, runs.resume(run, workflow))).toMatchObject({ code: "EngineState" });
  });
});

const FAULT = fault("AssertFailed", { message: "2 tests fail" });

/** A run in which `b` stands as given; `a` was visited before it. */
function runWith(visit: Partial<Visit>): RunState {
  const state = startRun(started(["a", "b"]), 0);
  const visits = state.visits.map((one) => (one.node === "b" ? { ...one, ...visit } : one));
  return { ...state, visits };
}

function posted(more: Partial<PostedAction> = {}): PostedAction {
  return { action: "retry-stage", node: "b", execution: 1, key: "k", params: {}, by: "ada", at: 1, ...more };
}

describe("the events that carry a posted action out", () => {
  const workflow = defineWorkflow({
    id: "w",
    stages: { a: stage({ act: () => 1 }), b: stage({ role: "tester", resolutionPolicy: "skip", act: () => 1 }) },
  });
  const sendBack = posted({ action: "send-back", params: { to: "a", text: "look again" } });
  const instructed = { type: "run-instructed", action: "send-back", node: "b", execution: 1, key: "k", by: "ada" };

  it.each<[VisitState, number, number | null]>([
    ["paused", 3, 3],
    ["ready", 3, 2],
    ["ready", 1, 1],
    ["ready", 0, 1],
    ["running", 3, null],
    ["completed", 3, null],
    ["failed", 3, null],
    ["skipped", 3, null],
  ])("sent back while the visit is %s at attempt %i: attempt %s has failed", (state, attempt, failed) => {
    const run = runWith({ state, attempt, fault: FAULT });
    const events = eventsOf(sendBack, run, workflow, { failed: { command: "npm test", stdout: " no \n", stderr: "" } });
    if (failed === null) return expect(events).toEqual([{ ...instructed, params: sendBack.params }]);
    const found = "2 tests fail\n\ncommand: npm test\n\nstdout: no";
    return expect(events).toMatchObject([
      {
        type: "node-failed",
        node: "b",
        execution: 1,
        attempt: failed,
        resolution: "skip",
        route: { kind: "to", nodes: ["a"] },
      },
      { ...instructed, node: "a", execution: 2, params: { to: "a", text: "look again", found } },
    ]);
  });

  it.each<[string, PostedAction, Partial<Visit>]>([
    ["names no node to go back to", posted({ action: "send-back", params: {} }), { state: "paused", fault: FAULT }],
    ["is about a visit without a fault", sendBack, { state: "paused", fault: null }],
    ["is about a visit that the run does not have", { ...sendBack, execution: 9 }, { state: "paused", fault: FAULT }],
  ])("are only the instruction if the action %s", (_what, action, visit) => {
    expect(eventsOf(action, runWith(visit), workflow, null)).toMatchObject([{ type: "run-instructed" }]);
  });

  it("resume every visit that a person stopped, and no other", () => {
    const pause = { questions: [], wakeAt: null };
    const stopped = runWith({ state: "paused", attempt: 2, pause: { ...pause, why: "stopped" } });
    expect(stoppedVisits(stopped).map(({ node }) => node)).toEqual(["b"]);
    expect(eventsOf(posted({ action: "resume" }), stopped, workflow, null).slice(1)).toEqual([
      { type: "node-resumed", node: "b", execution: 1, attempt: 2, why: "stopped", answer: null, by: "ada" },
    ]);
    const parked = runWith({ state: "paused", pause: { ...pause, why: "parked" } });
    expect(eventsOf(posted({ action: "resume" }), parked, workflow, null)).toHaveLength(1);
  });
});

describe("what was wrong with the work of a node", () => {
  it.each<[string, Parameters<typeof failureFeedback>, string]>([
    ["nothing known", [null, null], ""],
    ["a fault", [FAULT, null], "2 tests fail"],
    ["a fault and an output of another form", [FAULT, "text"], "2 tests fail"],
    ["a fault and a command that said nothing", [FAULT, { failed: { command: " ", stdout: 1 } }], "2 tests fail"],
    ["only a command", [null, { failed: { stderr: "\nbad\n" } }], "stderr: bad"],
  ])("is said in words: %s", (_what, given, expected) => {
    expect(failureFeedback(...given)).toBe(expected);
  });

  it("has no secrets", () => {
    const secret = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz";
    expect(failureFeedback(fault("AuthFailed", { message: `bad key ${secret}` }), null)).not.toContain(secret);
  });
});

describe("what an instruction allows", () => {
  const instruction = (action: Instruction["action"], params: Instruction["params"]): Instruction => ({
    ...{ action, params, by: "ada" },
  });
  it.each<[string, Instruction, readonly string[]]>([
    ["a grant", instruction("grant-and-retry", { tools: ["a", 1, "b"] }), ["a", "b"]],
    ["a text with tools", instruction("edit-and-retry", { text: "x", tools: ["a"] }), ["a"]],
    ["an action that allows nothing", instruction("retry-stage", { tools: ["a"] }), []],
    ["an earlier grant", instruction("retry-stage", { tools: ["a"], granted: { tools: ["c"] } }), ["c"]],
    [
      "the same tool twice",
      instruction("grant-and-retry", { tools: ["a"], granted: { tools: ["a", "c"] } }),
      ["a", "c"],
    ],
    ["commands only", instruction("grant-and-retry", { commands: ["ls"] }), []],
    ["no list", instruction("grant-and-retry", { tools: "a" }), []],
  ])("by %s", (_what, given, expected) => {
    expect(grantedIn(given, "tools")).toEqual(expected);
  });

  it.each<[string, unknown, number | null]>([
    ["is raised", { turnCap: 9 }, 9],
    ["is another one", { attemptMs: 9 }, null],
    ["is not a number", { turnCap: "9" }, null],
    ["is not there", undefined, null],
    ["is null", null, null],
  ])("as a limit that %s", (_what, limits, expected) => {
    expect(overrideFor({ instruction: instruction("raise-limit", { limits }) }, "turnCap")).toBe(expected);
    expect(overrideFor({ instruction: null }, "turnCap")).toBeNull();
  });
});

describe("actions that wait in the journal", () => {
  const state = (actions: readonly string[], more: Partial<RunState> = {}): RunState => ({
    ...startRun(started(["a", "b"]), 0),
    actions: [...actions],
    ...more,
  });
  const inJournal = async (...all: readonly PostedAction[]): Promise<Journal> => {
    const journal = createMemoryJournal();
    for (const one of all) await journal.keepFirst({ kind: "action", key: `r/${one.key}`, value: one });
    return journal;
  };
  const visit: Visit = { ...startRun(started(["a", "b"]), 0).visits[0] } as Visit;

  it("are those that were not carried out, oldest first", async () => {
    const journal = await inJournal(
      posted({ key: "late", at: 9 }),
      posted({ key: "early", at: 2 }),
      posted({ key: "taken", at: 1 }),
      posted({ key: "done", at: 1, isDone: true }),
    );
    expect((await openActions(journal, "r", state(["taken"]))).map(({ key }) => key)).toEqual(["early", "late"]);
  });

  it("count once for each key, and one that was carried out at once does not wait", async () => {
    const journal = createMemoryJournal();
    const clicks = [await postAction(journal, "r", posted()), await postAction(journal, "r", posted({ at: 2 }))];
    expect(clicks).toEqual([true, false]);
    await noteAction(journal, "r", posted({ key: "other" }));
    expect(await postAction(journal, "r", posted({ key: "other" }))).toBe(false);
    expect((await openActions(journal, "r", state([]))).map(({ key, at }) => [key, at])).toEqual([["k", 1]]);
  });

  it.each<[string, readonly PostedAction[], Partial<Visit>, Instruction | null]>([
    ["nothing was done", [], {}, null],
    [
      "a grant for this node",
      [posted({ node: "a", action: "grant-and-retry", params: { tools: ["t"] } })],
      {},
      {
        action: "grant-and-retry",
        params: { tools: ["t"], granted: { commands: [], tools: ["t"] }, limits: {} },
        by: "ada",
      },
    ],
    [
      "a grant for another node",
      [posted({ node: "b", action: "grant-and-retry", params: { tools: ["t"] } })],
      {},
      null,
    ],
    ["an action that does not last", [posted({ node: "a" })], {}, null],
    [
      "limits that were raised twice",
      [
        posted({ node: "a", key: "2", at: 2, action: "raise-limit", params: { limits: { turnCap: 20 } }, by: "bob" }),
        posted({
          node: "a",
          key: "1",
          at: 1,
          action: "raise-limit",
          params: { limits: { turnCap: 10, attemptMs: 5 } },
        }),
      ],
      {},
      {
        action: "raise-limit",
        params: { limits: { turnCap: 20, attemptMs: 5 }, granted: { commands: [], tools: [] } },
        by: "bob",
      },
    ],
    [
      "its own instruction, as the person typed it",
      [posted({ node: "a", action: "edit-and-retry", params: { text: "the key is 1234" } })],
      { instruction: { action: "edit-and-retry", params: { text: "the key is ***" }, by: "ada" } },
      { action: "edit-and-retry", params: { text: "the key is 1234" }, by: "ada" },
    ],
    [
      "the words of another action, which are not its own",
      [posted({ node: "a", action: "retry-stage", params: { text: "other" } })],
      { instruction: { action: "edit-and-retry", params: { text: "own" }, by: "ada" } },
      { action: "edit-and-retry", params: { text: "own" }, by: "ada" },
    ],
    [
      "the words for another node, unless it is sent back to this one",
      [
        posted({ node: "b", key: "1", action: "send-back", params: { text: "typed", to: "a" } }),
        posted({ node: "b", key: "2", action: "edit-and-retry", params: { text: "other" }, at: 2 }),
      ],
      { instruction: { action: "send-back", params: { text: "***", to: "a" }, by: "ada" } },
      { action: "send-back", params: { text: "typed", to: "a" }, by: "ada" },
    ],
  ])("give a visit its instruction: %s", async (_what, all, own, expected) => {
    const journal = await inJournal(...all);
    const run = state(all.map(({ key }) => key));
    expect(await instructionFor(journal, "r", run, { ...visit, instruction: null, ...own })).toEqual(expected);
  });

  it("hold in the successor if they last, also those that its predecessor inherited", async () => {
    const grant = posted({ node: "a", action: "grant-and-retry", params: { tools: ["t"] } });
    const journal = await inJournal(
      grant,
      posted({ key: "retry", at: 2 }),
      posted({ ...grant, key: "untaken", at: 3 }),
    );
    const keeps = await inheritInstructions(journal, "r", state(["k", "retry"]), "s");
    expect(keeps).toEqual([
      { kind: "action", key: "s/lasting/0", value: { ...grant, key: "lasting/0", isDone: true } },
    ]);
    await journal.keep(keeps);
    const next = await instructionFor(journal, "s", state([], { predecessor: "r" }), { ...visit, instruction: null });
    expect(next).toMatchObject({ action: "grant-and-retry", params: { granted: { tools: ["t"] } } });
    expect(await inheritInstructions(journal, "s", state([], { predecessor: "r" }), "u")).toHaveLength(1);
  });

  it("begin with the one that started the run as a successor", async () => {
    const journal = createMemoryJournal();
    const starter = posted({ node: "a", action: "grant-and-retry", params: { tools: ["t"] }, key: "successor" });
    await journal.keepFirst({ kind: "action", key: "before/successor", value: starter });
    const run = state([], { predecessor: "before" });
    expect(await instructionFor(journal, "r", run, { ...visit, instruction: null })).toMatchObject({
      params: { granted: { tools: ["t"] } },
    });
  });
});
