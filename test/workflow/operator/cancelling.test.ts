// Cancelling a run that is running, paused, parked or between two attempts. A cancellation wins and happens once.

import { describe, expect, it } from "vitest";
import { tool } from "../../../src/index.ts";
import { stage } from "../../../src/workflow/define.ts";
import { postAction } from "../../../src/workflow/operator/instructions.ts";
import { APPROVE, engineWorld, only, refusal, STORES, thrown, untilGivenUp } from "../../support/engine-world.ts";

const CANCELLED = { status: "cancelled", outcome: "canceled", fault: { code: "SessionCancelled" } } as const;

describe.each(STORES)("cancelling, on a journal in %s", (store) => {
  it("a running run stops what hangs in it", async () => {
    const given: string[] = [];
    const begun = Promise.withResolvers<undefined>();
    const { start, runs, clock, events } = await engineWorld(
      {
        id: "hangs",
        stages: {
          a: stage({
            act: async (_request, tools) => {
              begun.resolve(undefined);
              await untilGivenUp(tools);
              given.push("a");
            },
          }),
        },
      },
      { store },
    );
    const run = await start();
    const end = runs.advance(run);
    let askedAt = 0;
    const cancelled = begun.promise.then(() => {
      askedAt = clock.now();
      return runs.cancel(run, "ada");
    });
    expect(await clock.runUntil(end)).toMatchObject(CANCELLED);
    expect(clock.now() - askedAt, "it does not wait until it looks the next time").toBe(0);
    await clock.runUntil(cancelled);
    expect(given).toEqual(["a"]);
    const all = await events(run);
    expect(only(all, "run-ended")).toHaveLength(1);
    expect(only(all, "run-instructed")).toMatchObject([{ action: "cancel", by: "ada" }]);
    expect(all.at(-1)).toMatchObject({ type: "session-ended", status: "cancelled" });
  });

  it("wins over a completion at the same moment", async () => {
    const { start, advance, events, runs, clock } = await engineWorld(
      {
        id: "photo-finish",
        stages: {
          a: stage({
            act: async (_request, _tools, { run }) => {
              await runs.cancel(run, "ada");
              return "done";
            },
          }),
        },
      },
      { store },
    );
    const run = await start();
    expect(await advance(run)).toMatchObject(CANCELLED);
    expect(only(await events(run), "run-ended")).toHaveLength(1);
    expect(await refusal(clock, runs.cancel(run))).toMatchObject({ code: "EngineState" });
  });

  // Another process cannot wake the loop: it only leaves the action in the journal.
  it.each([
    ["in the last stage wins over the completion", 1, 1],
    ["between quick stages ends the run within half a second", 20, 10],
  ])("by another process %s", async (_when, stages, atMost) => {
    const { start, advance, events, journal, clock } = await engineWorld(
      {
        id: "elsewhere",
        stages: Object.fromEntries(
          Array.from({ length: stages }, (_, index) => [
            `n${index}`,
            stage({
              act: async (_request, _tools, { run }) => {
                await new Promise<void>((resolve) => void clock.after(100, resolve));
                const posted = { action: "cancel", node: "", execution: 0, key: "cancel", by: "ada", at: clock.now() };
                if (index === 0) await postAction(journal, run, { ...posted, params: { cancel: true } });
              },
            }),
          ]),
        ),
      },
      { store },
    );
    const run = await start();
    expect(await advance(run)).toMatchObject(CANCELLED);
    expect(only(await events(run), "node-started").length).toBeLessThanOrEqual(atMost);
  });

  it("a run that waits at a gate ends it and removes the question", async () => {
    const { go, runs, clock, advance, journal } = await engineWorld(
      {
        id: "gate",
        stages: {
          a: stage({
            act: async (_request, { ask }) => ask({ payload: APPROVE, timeoutMs: null }),
          }),
        },
      },
      { store },
    );
    const { run, status } = await go();
    expect(status).toBe("paused");
    await clock.runUntil(runs.cancel(run, "ada"));
    expect(await journal.kept("wake", run)).toBe(clock.now());
    expect(await advance(run)).toMatchObject({ ...CANCELLED, questions: [] });
    expect(await journal.keptAll("question")).toEqual([]);
    expect(await journal.keptAll("wake")).toEqual([]);
  });

  it.each(["posted", "taken by a process that then died"])(
    "ends a run in a process that does not know its workflow, if the cancellation was %s",
    async (how) => {
      const { go, clock, events, journal, nextLife } = await engineWorld(
        {
          id: "gate",
          stages: { a: stage({ act: async (_request, { ask }) => ask({ payload: APPROVE, timeoutMs: null }) }) },
        },
        { store },
      );
      const { run } = await go();
      const stranger = nextLife({ workflows: [] });
      expect(await refusal(clock, stranger.advance(run))).toMatchObject({ code: "ResumeMismatch" });
      if (how === "posted") await clock.runUntil(stranger.cancel(run, "ada"));
      else {
        const { length } = await events(run);
        const deed = { action: "cancel", node: "", execution: 0, key: "k", params: { cancel: true }, by: "ada" };
        const entry = { at: clock.now(), event: { type: "run-instructed", ...deed } as const };
        await clock.runUntil(journal.append(run, length, [entry]));
      }
      expect(await clock.runUntil(stranger.advance(run))).toMatchObject(CANCELLED);
      expect(only(await events(run), "run-instructed")).toHaveLength(1);
    },
  );

  it("a parked run ends it before its time", async () => {
    const limited = tool<null, null>({
      id: "limited",
      run: () => {
        throw thrown("QuotaExhausted", { resetAt: 9_000_000_000 });
      },
    });
    const { go, runs, clock, advance } = await engineWorld(
      { id: "parked", stages: { a: stage({ act: async (_r, { turn }) => turn.protect(limited, null) }) } },
      { store },
    );
    const { run, status } = await go();
    expect(status).toBe("paused");
    await clock.runUntil(runs.act(run, "cancel", { by: "ada" }));
    expect(await advance(run)).toMatchObject(CANCELLED);
    expect(clock.now()).toBeLessThan(9_000_000_000);
  });

  it("a run that waits for its next attempt ends it", async () => {
    const { go, runs, clock, advance, events } = await engineWorld(
      {
        id: "retrying",
        stages: {
          a: stage({
            retryPolicy: {
              maxAttempts: 3,
              backoff: { kind: "fixed", initialMs: 60_000, maxMs: 60_000 },
              maxWaitMs: 1e6,
            },
            act: async () => Promise.reject(thrown("RateLimited")),
          }),
        },
      },
      { store },
    );
    const { run, status } = await go();
    expect(status).toBe("paused");
    await clock.runUntil(runs.cancel(run));
    await clock.runUntil(runs.cancel(run));
    expect(await advance(run)).toMatchObject(CANCELLED);
    expect(only(await events(run), "run-instructed")).toHaveLength(1);
  });

  it("a run that has ended is refused, and one that ended in the meantime leaves no driver looping", async () => {
    const { go, runs, clock, journal, advance } = await engineWorld(
      { id: "over", stages: { a: stage({ act: () => 1 }) } },
      { store },
    );
    const { run } = await go();
    expect(await refusal(clock, runs.cancel(run))).toMatchObject({ code: "EngineState" });
    // As if the run had ended between the check and the post.
    await clock.runUntil(journal.keep([{ kind: "wake", key: run, value: 1 }]));
    await advance(run);
    expect(await journal.keptAll("wake")).toEqual([]);
  });
});
