// Where a run goes: repair stages, resolution policies, fan-outs and joins, and how one failure affects parallel paths.

import { describe, expect, it } from "vitest";
import type { Route } from "../../../src/core/flow/visit.ts";
import { stage } from "../../../src/workflow/define.ts";
import { engineWorld, only, places, STORES, thrown, untilGivenUp } from "../../support/engine-world.ts";

const fan = (nodes: readonly string[], join: string, failFast = true): Route => ({
  kind: "fan",
  nodes,
  join,
  failFast,
});
const end = (outcome: string): Route => ({ kind: "end", outcome });

describe("a stage that fails", () => {
  it("can send its path to a repair stage, in a loop until it is fixed", async () => {
    const { go, events } = await engineWorld({
      id: "repair",
      stages: {
        test: stage({
          act: (_request, _tools, { execution }) => {
            if (execution < 3) throw thrown("AssertFailed");
            return "green";
          },
          next: ({ status }) => (status === "failed" ? "fix" : end("approved")),
        }),
        fix: stage({ act: (_request, _tools, { nodes }) => nodes["test"]?.fault?.code, next: () => "test" }),
      },
    });
    const over = await go();
    expect(over).toMatchObject({ status: "completed", outcome: "approved", fault: null });
    const all = await events(over.run);
    expect(places(all, "node-started")).toEqual(["test#1.1", "fix#1.1", "test#2.1", "fix#2.1", "test#3.1"]);
    expect(only(all, "node-completed")[0]).toMatchObject({ node: "fix", output: "AssertFailed" });
  });

  it.each([
    ["act", "the act failed; choosing the next node failed, too: next failed, time 1"],
    // Its words differ each time: what counts is which phase failed.
    ["next", "next failed, time 1"],
  ])("in %s, with a next that throws, is reported with each failure once", async (phase, message) => {
    let times = 0;
    const { go } = await engineWorld({
      id: "lost",
      stages: {
        a: stage({
          act: () => {
            if (phase === "act") throw thrown("ToolUnavailable", { message: "the act failed" });
          },
          next: () => {
            throw thrown("ToolUnavailable", { message: `next failed, time ${++times}` });
          },
        }),
      },
    });
    expect(await go()).toMatchObject({ status: "failed", fault: { code: "ToolUnavailable", message } });
  });

  it("is skipped when its resolution is skip, and the path continues", async () => {
    const { go, events } = await engineWorld({
      id: "skip",
      stages: {
        a: stage({ resolutionPolicy: "skip", act: async () => Promise.reject(thrown("RateLimited")) }),
        b: stage({ act: (_request, _tools, { nodes }) => nodes["a"]?.status }),
      },
    });
    const over = await go();
    expect(over.status).toBe("completed");
    const all = await events(over.run);
    expect(only(all, "node-skipped")).toMatchObject([
      { node: "a", reason: "resolution", fault: { code: "RateLimited" } },
    ]);
    expect(only(all, "node-completed")).toMatchObject([{ node: "b", output: "skipped" }]);
  });

  it("runs again after the others when its resolution is retry-later, with its remaining attempts", async () => {
    const acted: string[] = [];
    const { go, events } = await engineWorld({
      id: "later",
      limits: { maxParallel: 1 },
      stages: {
        first: stage({ act: () => 1, next: () => fan(["a", "b", "c"], "join", false) }),
        a: stage({
          resolutionPolicy: "retry-later",
          retryPolicy: { maxAttempts: 3, on: [] },
          act: (_request, _tools, { attempt }) => {
            acted.push(`a${attempt}`);
            if (attempt < 3) throw thrown("RateLimited");
          },
          next: () => "join",
        }),
        b: stage({ act: () => void acted.push("b"), next: () => "join" }),
        c: stage({ act: () => void acted.push("c"), next: () => "join" }),
        join: stage({ act: () => void acted.push("join") }),
      },
    });
    const over = await go();
    expect([over.status, acted]).toEqual(["completed", ["a1", "b", "c", "a2", "a3", "join"]]);
    expect(only(await events(over.run), "node-deferred").map(({ attempt, of }) => [attempt, of])).toEqual([
      [1, 3],
      [2, 3],
    ]);
  });

  it("that was postponed has no more attempts than any other, and then ends the run", async () => {
    const { go, events } = await engineWorld({
      id: "spent",
      stages: {
        a: stage({
          resolutionPolicy: "retry-later",
          retryPolicy: { maxAttempts: 2, on: [] },
          act: async () => Promise.reject(thrown("RateLimited")),
        }),
        b: stage({ act: () => 1 }),
      },
    });
    const over = await go();
    expect(over).toMatchObject({ status: "failed", fault: { code: "RateLimited" } });
    expect(places(await events(over.run), "node-started")).toEqual(["a#1.1", "a#1.2"]);
  });

  it("ends the run by default, and its fault is the run's", async () => {
    const { go, events, runs } = await engineWorld({
      id: "abort",
      stages: {
        a: stage({ act: async () => Promise.reject(thrown("AuthFailed")) }),
        b: stage({ act: () => 1 }),
      },
    });
    const over = await go();
    expect(over).toMatchObject({ status: "failed", fault: { code: "AuthFailed" } });
    expect(places(await events(over.run), "node-started")).toEqual(["a#1.1"]);
    expect((await runs.show(over.run))?.summary).toMatchObject({ nodes: ["a"], code: "AuthFailed" });
  });

  it("ends in failure with one of the matrix's outcomes, and in success with any other word", async () => {
    const { go } = await engineWorld({
      id: "declared",
      stages: {
        a: stage({ act: (_r, _t, { inputs }) => inputs["word"], next: ({ output }) => end(String(output)) }),
      },
    });
    expect(await go({ word: "shipped" })).toMatchObject({ status: "completed", outcome: "shipped" });
    expect(await go({ word: "max_iterations_reached" })).toMatchObject({
      status: "failed",
      outcome: "max_iterations_reached",
    });
  });
});

describe.each(STORES)("parallel paths, on a journal in %s", (store) => {
  it("join once, when all have arrived, including nested ones", async () => {
    const { go, events } = await engineWorld(
      {
        id: "nested",
        stages: {
          split: stage({ act: () => 0, next: () => fan(["a", "b"], "all") }),
          a: stage({ act: () => 1, next: () => fan(["a1", "a2"], "as") }),
          a1: stage({ act: () => 1, next: () => "as" }),
          a2: stage({ act: () => 2, next: () => "as" }),
          as: stage({ act: () => 3, next: () => "all" }),
          b: stage({ act: () => 4, next: () => "all" }),
          all: stage({ act: (_r, _t, { nodes }) => Object.keys(nodes).toSorted() }),
        },
      },
      { store },
    );
    const over = await go();
    const all = await events(over.run);
    expect(over.status).toBe("completed");
    expect(places(all, "node-started").filter((place) => place.startsWith("all"))).toEqual(["all#1.1"]);
    expect(only(all, "node-completed").at(-1)).toMatchObject({ output: ["a", "a1", "a2", "as", "b", "split"] });
  });

  it("never exceed the workflow's limit", async () => {
    let now = 0;
    let most = 0;
    const paths = Array.from({ length: 7 }, (_, index) => `p${index}`);
    const path = stage({
      act: async () => {
        now += 1;
        most = Math.max(most, now);
        await Promise.resolve();
        now -= 1;
      },
      next: () => "join",
    });
    const { go } = await engineWorld(
      {
        id: "wide",
        limits: { maxParallel: 3 },
        stages: {
          split: stage({ act: () => 0, next: () => fan(paths, "join") }),
          ...Object.fromEntries(paths.map((name) => [name, path])),
          join: stage({ act: () => 1 }),
        },
      },
      { store },
    );
    expect((await go()).status).toBe("completed");
    expect(most).toBeLessThanOrEqual(3);
  });

  it("stop when one of them fails with fail_fast, and a hanging one is really cancelled", async () => {
    const stopped: string[] = [];
    const { go, events, runs } = await engineWorld(
      {
        id: "fast",
        stages: {
          split: stage({ act: () => 0, next: () => fan(["hangs", "fails"], "join") }),
          hangs: stage({
            act: async (_request, tools) => {
              await untilGivenUp(tools);
              stopped.push("hangs");
            },
            next: () => "join",
          }),
          fails: stage({ act: async () => Promise.reject(thrown("AuthFailed")), next: () => null }),
          join: stage({ act: () => 1 }),
        },
      },
      { store },
    );
    const over = await go();
    expect(over).toMatchObject({ status: "failed", fault: { code: "AuthFailed" } });
    expect(stopped).toEqual(["hangs"]);
    const all = await events(over.run);
    expect(only(all, "node-skipped")).toMatchObject([{ node: "hangs", reason: "sibling-failed" }]);
    expect(places(all, "node-started")).not.toContain("join#1.1");
    expect((await runs.show(over.run))?.summary.nodes).toEqual(["fails"]);
  });

  it("continue when one of them fails without fail_fast, and the join sees the failure", async () => {
    const { go } = await engineWorld(
      {
        id: "slow",
        stages: {
          split: stage({ act: () => 0, next: () => fan(["works", "fails"], "join", false) }),
          works: stage({ act: () => "fine", next: () => "join" }),
          fails: stage({ act: async () => Promise.reject(thrown("AuthFailed")), next: () => null }),
          join: stage({
            act: (_r, _t, { nodes }) => [nodes["works"]?.output, nodes["fails"]?.fault?.code],
            next: ({ output }) => end((output as string[]).join(" and ")),
          }),
        },
      },
      { store },
    );
    expect(await go()).toMatchObject({ status: "completed", outcome: "fine and AuthFailed" });
  });
});

describe("odd routes", () => {
  it("a fan-out without branches goes straight to its join", async () => {
    const { go, events } = await engineWorld({
      id: "none",
      stages: {
        split: stage({ act: () => 0, next: () => fan([], "join") }),
        join: stage({ act: () => 1, next: () => end("joined") }),
      },
    });
    const over = await go();
    expect(over).toMatchObject({ status: "completed", outcome: "joined" });
    expect(places(await events(over.run), "node-started")).toEqual(["split#1.1", "join#1.1"]);
  });

  it("a fan-out within a fan-out may share its join, which is entered once", async () => {
    const { go, events } = await engineWorld({
      id: "shared",
      stages: {
        split: stage({ act: () => 0, next: () => fan(["a", "b"], "join") }),
        a: stage({ act: () => 0, next: () => fan(["a1", "a2"], "join") }),
        a1: stage({ act: () => 0, next: () => "join" }),
        a2: stage({ act: () => 0, next: () => "join" }),
        b: stage({ act: () => 0, next: () => "join" }),
        join: stage({ act: () => 1, next: () => end("joined") }),
      },
    });
    const over = await go();
    expect(places(await events(over.run), "node-started").filter((place) => place.startsWith("join"))).toEqual([
      "join#1.1",
    ]);
  });

  it("a route to a missing node ends the run and names the node", async () => {
    const { go } = await engineWorld({
      id: "lost",
      stages: { a: stage({ act: () => 1, next: () => "nowhere" }) },
    });
    const over = await go();
    expect(over).toMatchObject({ status: "failed", fault: { code: "ConfigSchemaViolation" } });
    expect(over.fault?.message).toContain("nowhere");
  });
});
