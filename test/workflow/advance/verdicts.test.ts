// What CheckGate, Assert and a turn cap lead to, and the two counters: attempts of a stage, and attempts of its calls.

import { describe, expect, it } from "vitest";
import { tool } from "../../../src/index.ts";
import { capped, stage } from "../../../src/workflow/define.ts";
import { engineWorld, only, places, thrown } from "../../support/engine-world.ts";

describe("verdicts", () => {
  it("CheckGate may ask for another attempt, and may skip the stage", async () => {
    const acted: string[] = [];
    const { go, events } = await engineWorld({
      id: "gates",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 2 },
          checkGate: (_context, { attempt }) =>
            attempt === 1 ? { verdict: "retry", reason: "not yet" } : { verdict: "proceed" },
          act: () => void acted.push("a"),
        }),
        b: stage({
          checkGate: () => ({ verdict: "skip", reason: "not needed" }),
          act: () => void acted.push("b"),
        }),
        c: stage({ act: () => void acted.push("c") }),
      },
    });
    const end = await go();
    expect([end.status, acted]).toEqual(["completed", ["a", "c"]]);
    const all = await events(end.run);
    expect(only(all, "node-retrying")).toMatchObject([{ node: "a", fault: { code: "AssertFailed" } }]);
    expect(only(all, "node-skipped")).toMatchObject([{ node: "b", reason: "gate", fault: null }]);
  });

  it("Assert may ask for another attempt, skip the stage, or fail it as AssertFailed", async () => {
    const { go, events } = await engineWorld({
      id: "asserts",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 2 },
          act: (_request, _tools, { attempt }) => attempt,
          assert: ({ output }) => (output === 2 ? { verdict: "ok" } : { verdict: "retry", reason: "too small" }),
        }),
        b: stage({ act: () => 1, assert: () => ({ verdict: "skip", reason: "no use" }) }),
        c: stage({
          retryPolicy: { maxAttempts: 2 },
          act: () => 1,
          assert: () => ({ verdict: "fail", reason: "wrong" }),
        }),
      },
    });
    const end = await go();
    expect(end).toMatchObject({
      status: "failed",
      fault: { code: "AssertFailed", message: expect.stringContaining("wrong") as string },
    });
    const all = await events(end.run);
    expect(places(all, "node-started")).toEqual(["a#1.1", "a#1.2", "b#1.1", "c#1.1", "c#1.2"]);
    expect(places(all, "node-skipped")).toEqual(["b#1.1"]);
  });

  it("a verdict that asks for another attempt is limited by the stage's attempts", async () => {
    const { go, events } = await engineWorld({
      id: "spent",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 3 },
          act: () => 1,
          assert: () => ({ verdict: "retry", reason: "never good" }),
        }),
      },
    });
    const end = await go();
    expect(end).toMatchObject({ status: "failed", fault: { code: "AssertFailed" } });
    expect(places(await events(end.run), "node-started")).toEqual(["a#1.1", "a#1.2", "a#1.3"]);
  });

  it("a turn cap is a branch: Assert and Next see it, and unless they accept it the stage fails and does not restart", async () => {
    const seen: unknown[] = [];
    const { go, events } = await engineWorld({
      id: "cap",
      stages: {
        a: stage({
          turnCap: 3,
          act: (_request, { turnCap }) => capped({ rounds: turnCap }),
          assert: ({ capHit, output }) => {
            seen.push(capHit, output);
            return { verdict: "ok" };
          },
          next: ({ capHit }) => (capHit ? "b" : null),
        }),
        b: stage({ retryPolicy: { maxAttempts: 2 }, act: () => capped("half") }),
      },
    });
    const end = await go();
    expect(seen).toEqual([true, { rounds: 3 }]);
    expect(end).toMatchObject({ status: "failed", fault: { code: "TurnLimit" } });
    expect(places(await events(end.run), "node-started")).toEqual(["a#1.1", "b#1.1"]);
  });
});

describe("the two counters", () => {
  it("attempts of a call and attempts of a stage are counted separately", async () => {
    let calls = 0;
    const flaky = tool<null, string>({
      id: "flaky",
      idempotent: true,
      retry: { maxAttempts: 3, backoff: { initialMs: 10 } },
      run: () => {
        calls += 1;
        if (calls % 3 !== 0) throw thrown("NetworkDisconnect");
        return "done";
      },
    });
    const { go, runs, events } = await engineWorld({
      id: "counters",
      stages: {
        a: stage({
          retryPolicy: { maxAttempts: 2 },
          act: async (_request, { turn }) => turn.protect(flaky, null),
          assert: (_result, { attempt }) =>
            attempt === 1 ? { verdict: "retry", reason: "once more" } : { verdict: "ok" },
        }),
      },
    });
    const end = await go();
    expect(end.status).toBe("completed");
    const [visit] = (await runs.show(end.run))?.state.visits ?? [];
    expect(visit).toMatchObject({ attempt: 2, of: 2, callAttempts: 6, state: "completed" });
    expect(only(await events(end.run), "call-admitted").map(({ call, attempt }) => `${call} ${attempt}`)).toEqual([
      ...["a#1.1/c1 1", "a#1.1/c1 2", "a#1.1/c1 3"],
      ...["a#1.2/c1 1", "a#1.2/c1 2", "a#1.2/c1 3"],
    ]);
  });
});
