// A run goes through its stages, passes outputs on, and ends once: from the API to the journal.

import { describe, expect, it } from "vitest";
import type { FaultCode } from "../../src/core/fault/catalogue.ts";
import { fault, FaultError } from "../../src/core/fault/fault.ts";
import { STAGE_PHASES } from "../../src/core/flow/visit.ts";
import { stage, type WorkflowOptions } from "../../src/workflow/define.ts";
import {
  APPROVE,
  engineWorld,
  only,
  phasesIn,
  places,
  refusal,
  STORES,
  thrown,
  untilGivenUp,
  YES,
} from "../support/engine-world.ts";

describe.each(STORES)("a run on a journal in %s", (store) => {
  it("goes through its stages in order, each through its phases, and passes outputs on", async () => {
    const { go, events, runs } = await engineWorld(
      {
        id: "two",
        stages: {
          first: stage({ act: (_request, _tools, { inputs }) => ({ n: Number(inputs["n"]) + 1 }) }),
          second: stage({
            setup: ({ nodes }) => ({ before: nodes["first"]?.output }),
            init: ({ before }) => JSON.stringify(before),
            act: (request) => `got ${request}`,
          }),
        },
      },
      { store },
    );
    const end = await go({ n: 1 });
    expect(end).toMatchObject({ status: "completed", outcome: "completed", fault: null, wakeAt: null });
    const all = await events(end.run);
    expect(places(all, "node-started")).toEqual(["first#1.1", "second#1.1"]);
    expect(places(all, "node-completed")).toEqual(["first#1.1", "second#1.1"]);
    expect(only(all, "node-completed").map(({ output }) => output)).toEqual([{ n: 2 }, 'got {"n":2}']);
    expect(phasesIn(all)).toEqual(
      ["first#1.1", "second#1.1"].flatMap((place) => STAGE_PHASES.map((phase) => `${place} ${phase}`)),
    );
    expect(only(all, "run-ended")).toHaveLength(1);
    expect(all.at(-1)).toMatchObject({ type: "session-ended", status: "done" });
    expect((await runs.show(end.run))?.summary).toMatchObject({ status: "completed", nodes: [], endedAt: 1_000_000 });
  });

  it("that a bug inside breaks off while a stage works stops the stage first, and ends once, with the error", async () => {
    const told: string[] = [];
    const broken = { is: false };
    const { go, events } = await engineWorld(
      {
        id: "broken",
        stages: {
          a: stage({
            act: async (_request, tools) => {
              broken.is = true;
              await untilGivenUp(tools);
              told.push("a stopped");
            },
          }),
        },
      },
      {
        store,
        wrap: (journal) => ({
          ...journal,
          keptAll: (kind, ...more) =>
            broken.is && kind === "action" ? Promise.reject(new TypeError("a bug")) : journal.keptAll(kind, ...more),
        }),
      },
    );
    const end = await go();
    expect(end).toMatchObject({ status: "failed", fault: { code: "Uncaught", cause: { message: "a bug" } } });
    expect(told).toEqual(["a stopped"]);
    expect(only(await events(end.run), "run-ended")).toHaveLength(1);
  });

  it("cannot start twice under the same name, nor resume under an unknown name", async () => {
    const { runs, workflow, clock } = await engineWorld(
      { id: "one", stages: { a: stage({ act: () => 1 }) } },
      { store },
    );
    await clock.runUntil(runs.start(workflow, { run: "mine" }));
    expect(await refusal(clock, runs.start(workflow, { run: "mine" }))).toMatchObject({ code: "EngineState" });
    expect(await refusal(clock, runs.advance("other"))).toMatchObject({ code: "NotFound" });
    expect(await runs.show("other")).toBeNull();
  });
});

describe("what a stage sees", () => {
  it("a context that only Setup may fill: a later write fails the stage", async () => {
    const { go } = await engineWorld({
      id: "frozen",
      stages: {
        a: stage({
          setup: () => ({ deep: { list: [1] } }),
          act: (_request, _tools, _scope, context) => void context.deep.list.push(2),
        }),
      },
    });
    expect(await go()).toMatchObject({
      status: "failed",
      fault: { code: "Uncaught", context: { stage: "a", phase: "act" } },
    });
  });

  it("outputs of earlier nodes as recorded in the journal: changes to its copy have no effect", async () => {
    const seen: unknown[] = [];
    const { go } = await engineWorld({
      id: "plain",
      stages: {
        a: stage({ act: () => ({ at: new Date(0), nothing: undefined, list: [1] }) }),
        b: stage({
          act: (_request, _tools, { nodes }) => {
            seen.push(nodes["a"]?.output);
            const { list } = (nodes["a"]?.output as { list: number[] } | undefined) ?? { list: [] };
            list.push(2);
          },
          next: () => "c",
        }),
        c: stage({ act: (_request, _tools, { nodes }) => void seen.push(nodes["a"]?.output, nodes["b"]?.fault) }),
      },
    });
    expect(await go()).toMatchObject({ status: "completed" });
    const plain = { at: "1970-01-01T00:00:00.000Z", list: [1] };
    expect(seen.slice(0, 2)).toStrictEqual([plain, plain]);
    expect(seen[2]).toMatchObject({ code: "Uncaught" });
  });

  it("a result of a node without an output, and the fault of one that failed", async () => {
    let seen: unknown;
    const { go } = await engineWorld({
      id: "results",
      stages: {
        a: stage({ act: () => undefined }),
        b: stage({
          act: async () => Promise.reject(thrown("RateLimited")),
          next: () => "c",
        }),
        c: stage({ act: (_request, _tools, { nodes }) => void (seen = nodes) }),
      },
    });
    expect(await go()).toMatchObject({ status: "completed" });
    expect(seen).toMatchObject({
      a: { status: "completed", output: undefined, execution: 1, attempts: 1, fault: null },
      b: { status: "failed", fault: { code: "RateLimited", class: "ProviderTransient" } },
    });
  });
});

describe("a phase that throws", () => {
  const throwing = (phase: string, error: Error): Record<string, unknown> => ({
    act: () => 1,
    [{ "check-gate": "checkGate" }[phase] ?? phase]: () => Promise.reject(error),
  });

  it.each(STAGE_PHASES)("with a fault in %s fails the run with that fault, class and code kept", async (phase) => {
    const { go, events } = await engineWorld({
      id: "thrower",
      stages: { a: stage(throwing(phase, thrown("ContextOverflow")) as never) },
    });
    const end = await go();
    expect(end).toMatchObject({ status: "failed", fault: { code: "ContextOverflow" } });
    expect(only(await events(end.run), "run-ended")).toMatchObject([{ node: "a" }]);
  });

  it.each(STAGE_PHASES)("with anything else in %s is a bug: Uncaught, and one end", async (phase) => {
    const { go, events } = await engineWorld({
      id: "thrower",
      stages: { a: stage({ ...throwing(phase, new Error("oops")), retryPolicy: { maxAttempts: 3 } } as never) },
    });
    const end = await go();
    expect(end).toMatchObject({ status: "failed", fault: { code: "Uncaught", context: { phase } } });
    expect(only(await events(end.run), "run-ended")).toHaveLength(1);
    expect(only(await events(end.run), "node-retrying")).toHaveLength(0);
  });

  it("in Exit does not hide the earlier failure", async () => {
    const { go } = await engineWorld({
      id: "exit",
      stages: {
        a: stage({
          act: async () => Promise.reject(thrown("RateLimited")),
          exit: () => {
            throw new Error("teardown");
          },
        }),
      },
    });
    expect(await go()).toMatchObject({ fault: { code: "RateLimited" } });
  });

  it("in Init fails the attempt, and the next one starts at Setup", async () => {
    const entered: string[] = [];
    const { go, events } = await engineWorld({
      id: "compose",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 2 },
          setup: ({ attempt }) => {
            entered.push(`setup ${attempt}`);
            return attempt;
          },
          init: (attempt) => {
            if (attempt === 1) throw thrown("NetworkDisconnect");
            return "composed";
          },
          act: (request) => request,
        }),
      },
    });
    const end = await go();
    expect(end.status).toBe("completed");
    expect(entered).toEqual(["setup 1", "setup 2"]);
    const all = await events(end.run);
    expect(only(all, "node-retrying")).toMatchObject([{ attempt: 1, of: 2, fault: { code: "NetworkDisconnect" } }]);
    expect(phasesIn(all).slice(0, 4)).toEqual(["a#1.1 setup", "a#1.1 init", "a#1.1 exit", "a#1.2 setup"]);
  });

  it("an output without a JSON form fails the stage, and the run stays consistent", async () => {
    const { go } = await engineWorld({ id: "big", stages: { a: stage({ act: () => ({ big: 1n }) }) } });
    expect(await go()).toMatchObject({ status: "failed", fault: { code: "OutputMalformed" } });
  });
});

describe("runs of a process that is being drained", () => {
  const twoNodes = (begin: () => unknown): WorkflowOptions => ({
    id: "two",
    stages: { a: stage({ act: begin }), b: stage({ act: () => "b" }) },
  });

  it("end the node that runs, and begin no other; another process continues them", async () => {
    const [begun, goOn] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
    const { start, runs, clock, events, nextLife } = await engineWorld(
      twoNodes(() => {
        begun.resolve(null);
        return goOn.promise;
      }),
    );
    const run = await start();
    const advanced = runs.advance(run);
    await clock.runUntil(begun.promise);
    const drained = runs.drain();
    goOn.resolve(null);
    await clock.runUntil(Promise.all([drained, advanced]));
    expect(places(await events(run), "node-completed")).toEqual(["a#1.1"]);
    expect(places(await events(run), "node-started")).toEqual(["a#1.1"]);
    expect(await clock.runUntil(nextLife().advance(run))).toMatchObject({ status: "completed" });
  });

  it("begin no node if they were only being opened", async () => {
    const { start, runs, clock, events } = await engineWorld(twoNodes(() => "a"));
    const run = await start();
    const advanced = runs.advance(run);
    await clock.runUntil(Promise.all([runs.drain(), advanced]));
    expect(places(await events(run), "node-started")).toEqual([]);
  });
});

describe("the record of what people did", () => {
  it.each<[string, Readonly<Record<string, unknown>>, string]>([
    ["an answer", { answer: YES }, "yes"],
    ["a no with its reason", { answer: { status: "rejected", reason: "not today" } }, "not today"],
  ])("has what they said: %s", async (_what, params, said) => {
    const { go, runs, clock, journal } = await engineWorld({
      id: "gate",
      stages: { a: stage({ act: async (_r, { ask }) => (await ask({ payload: APPROVE, timeoutMs: null })).status }) },
    });
    const { run } = await go();
    await clock.runUntil(runs.act(run, "answer", { params, by: "ada" }));
    const kept = (await journal.keptAll("audit")).map(({ value }) => value);
    expect(kept).toContainEqual(expect.objectContaining({ what: "run.act", action: "answer", by: "ada", said }));
  });

  it.each<[FaultCode, string, Readonly<Record<string, unknown>>, string]>([
    ["ContentFiltered", "edit-and-retry", { text: "write it without names" }, "write it without names"],
    ["SchemaInvalid", "regenerate-once", { text: "the total is missing" }, "the total is missing"],
    ["SchemaInvalid", "regenerate-once", {}, ""],
  ])("has what they wrote for a node that failed with %s: %s with %j", async (code, action, params, said) => {
    const { go, runs, clock, journal } = await engineWorld({
      id: "write",
      stages: { a: stage({ act: () => Promise.reject(new FaultError(fault(code))) }) },
    });
    const { run } = await go();
    await clock.runUntil(runs.act(run, action, { params, by: "ada" }));
    const kept = (await journal.keptAll("audit")).map(({ value }) => value);
    expect(kept).toContainEqual(expect.objectContaining({ what: "run.act", action, by: "ada", said }));
  });
});
