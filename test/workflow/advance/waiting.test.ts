// Runs that wait for a time, for a person, or for both. They are parked, and continue when the awaited thing happens.

import { describe, expect, it } from "vitest";
import type { Route } from "../../../src/core/flow/visit.ts";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import { FaultError, type Journal, tool } from "../../../src/index.ts";
import { stage } from "../../../src/workflow/define.ts";
import type { ActTools } from "../../../src/workflow-model/stage.ts";
import { APPROVE, engineWorld, only, places, STORES, thrown, YES } from "../../support/engine-world.ts";

const HOUR_MS = 3_600_000;
const approve = (tools: ActTools, timeoutMs: number | null = null) => tools.ask({ payload: APPROVE, timeoutMs });

/** A policy that asks a person. */
const ASKING = withRows(DEFAULT_POLICY, [
  { match: { code: ["RequestInvalid"] }, retry: null, then: ["ask", "fail"], origin: { layer: "file", at: "test" } },
]);

async function valueOf(outcome: Promise<{ readonly status: string }>): Promise<unknown> {
  const over = await outcome;
  if ("value" in over) return over.value;
  throw "fault" in over ? new FaultError(over.fault as FaultError["fault"]) : new Error("odd");
}

describe.each(STORES)("a waiting run, on a journal in %s", (store) => {
  it("is parked when a limit lifts at a known time, and continues at that time in another life", async () => {
    let calls = 0;
    const limited = tool<null, string>({
      id: "limited",
      idempotent: true,
      run: () => {
        calls += 1;
        if (calls === 1) throw thrown("QuotaExhausted", { resetAt: 1_000_000 + HOUR_MS });
        return "done";
      },
    });
    const { go, clock, runs, nextLife, events } = await engineWorld(
      { id: "parks", stages: { a: stage({ act: async (_r, { turn }) => valueOf(turn.protect(limited, null)) }) } },
      { store },
    );
    const paused = await go();
    expect(paused).toMatchObject({ status: "paused", questions: [] });
    expect(paused.wakeAt).toBeGreaterThanOrEqual(1_000_000 + HOUR_MS);
    const all = await events(paused.run);
    expect(only(all, "node-paused")).toMatchObject([{ why: "parked", fault: { code: "QuotaExhausted" } }]);
    expect(only(all, "run-paused")).toMatchObject([{ why: "parked", wakeAt: paused.wakeAt }]);
    await clock.runUntil(runs.stop());
    await clock.advance((paused.wakeAt ?? 0) - clock.now());
    expect(await clock.runUntil(nextLife().advance(paused.run))).toMatchObject({ status: "completed" });
    const [visit] = (await runs.show(paused.run))?.state.visits ?? [];
    expect([calls, visit?.attempt]).toEqual([2, 1]);
  });

  it("may be advanced before its time without harm: it only reports again that it waits", async () => {
    const limited = tool<null, string>({
      id: "limited",
      run: () => {
        throw thrown("QuotaExhausted", { resetAt: 1_000_000 + HOUR_MS });
      },
    });
    const { go, advance, events } = await engineWorld(
      { id: "parks", stages: { a: stage({ act: async (_r, { turn }) => valueOf(turn.protect(limited, null)) }) } },
      { store },
    );
    const { run, wakeAt } = await go();
    expect(await advance(run)).toMatchObject({ status: "paused", wakeAt });
    expect(only(await events(run), "call-admitted")).toHaveLength(1);
  });

  it("asks a person when the policy says so, and follows the answer", async () => {
    let calls = 0;
    const risky = tool<null, string>({
      id: "risky",
      run: () => {
        calls += 1;
        if (calls === 1) throw thrown("RequestInvalid");
        return "done";
      },
    });
    const { go, clock, runs, advance, events } = await engineWorld(
      {
        id: "asks",
        policy: ASKING,
        stages: { a: stage({ act: async (_r, { turn }) => valueOf(turn.protect(risky, null)) }) },
      },
      { store },
    );
    const paused = await go();
    expect(paused).toMatchObject({ status: "paused", questions: [{ code: "RequestInvalid" }] });
    expect(only(await events(paused.run), "node-paused")).toMatchObject([{ why: "question" }]);
    expect(await clock.runUntil(runs.answer(paused.questions[0]?.id ?? "", YES, "ada"))).toBe(true);
    expect(await clock.runUntil(runs.answer(paused.questions[0]?.id ?? "", YES, "bob"))).toBe(false);
    expect(await advance(paused.run)).toMatchObject({ status: "completed" });
    expect(only(await events(paused.run), "node-resumed")).toMatchObject([{ by: "ada", answer: YES }]);
  });

  it("waits at a gate, without a fault, until it is answered or its time is up", async () => {
    const answers: unknown[] = [];
    const { start, advance, clock, runs, events, journal } = await engineWorld(
      {
        id: "gate",
        stages: {
          a: stage({
            act: async (_request, tools) => {
              const answer = await approve(tools, HOUR_MS);
              answers.push(answer.status);
              return answer.status;
            },
          }),
        },
      },
      { store },
    );
    const [first, second] = [await start(), await start()];
    const asked = await advance(first);
    expect(asked).toMatchObject({ status: "paused", wakeAt: 1_000_000 + HOUR_MS, questions: [{ code: null }] });
    expect(only(await events(first), "node-paused")).toMatchObject([{ why: "gate", fault: null }]);
    expect((await runs.show(first))?.summary.code).toBeNull();
    await advance(second);
    await clock.runUntil(runs.answer(asked.questions[0]?.id ?? "", YES, "ada"));
    expect(await advance(first)).toMatchObject({ status: "completed" });
    await clock.advance(HOUR_MS);
    expect(await advance(second)).toMatchObject({ status: "completed" });
    expect(answers).toEqual(["accepted", "timeout"]);
    expect(only(await events(second), "node-resumed")).toMatchObject([{ by: "clock", answer: null }]);
    expect(await journal.keptAll("question")).toEqual([]);
  });

  it("waits at a gate without a time limit for as long as it takes", async () => {
    const { start, advance, clock, runs, nextLife } = await engineWorld(
      { id: "gate", stages: { a: stage({ act: async (_request, tools) => (await approve(tools)).status }) } },
      { store },
    );
    const run = await start();
    const asked = await advance(run);
    expect(asked).toMatchObject({ status: "paused", wakeAt: null, questions: [{ code: null }] });
    await clock.runUntil(runs.stop());
    await clock.advance(400 * 24 * HOUR_MS);
    const later = nextLife();
    expect(await clock.runUntil(later.advance(run))).toMatchObject({ status: "paused", wakeAt: null });
    await clock.runUntil(later.answer(asked.questions[0]?.id ?? "", YES, "ada"));
    expect(await clock.runUntil(later.advance(run))).toMatchObject({ status: "completed" });
  });

  it("does not block parallel paths, and resumed ones respect the parallel limit", async () => {
    let now = 0;
    let most = 0;
    const counted = async (tools: ActTools): Promise<void> => {
      now += 1;
      most = Math.max(most, now);
      await valueOf(tools.turn.protect(tool<null, null>({ id: "work", run: () => null }), null));
      now -= 1;
    };
    const gate = stage({
      act: async (_request, tools) => {
        await approve(tools);
        await counted(tools);
      },
      next: () => "join",
    });
    const fan: Route = { kind: "fan", nodes: ["g1", "g2", "g3", "w"], join: "join", failFast: true };
    const { go, clock, runs, advance, events } = await engineWorld(
      {
        id: "beside",
        limits: { maxParallel: 1 },
        stages: {
          split: stage({ act: () => 0, next: () => fan }),
          ...{ g1: gate, g2: gate, g3: gate },
          w: stage({ act: async (_request, tools) => counted(tools), next: () => "join" }),
          join: stage({ act: () => 1 }),
        },
      },
      { store },
    );
    const paused = await go();
    expect(places(await events(paused.run), "node-completed")).toEqual(["split#1.1", "w#1.1"]);
    for (const { id } of paused.questions) await clock.runUntil(runs.answer(id, YES));
    expect(await advance(paused.run)).toMatchObject({ status: "completed" });
    expect(most).toBe(1);
  });
});

describe("nothing that arrives while a run is being parked is lost", () => {
  const released = { work: (): void => undefined };
  const gateAndWork = {
    id: "race",
    stages: {
      split: stage({
        act: () => 0,
        next: (): Route => ({ kind: "fan", nodes: ["gate", "work"], join: "join", failFast: true }),
      }),
      gate: stage({ act: async (_request, tools) => void (await approve(tools)), next: () => "join" }),
      work: stage({ act: () => new Promise<void>((resolve) => (released.work = resolve)), next: () => "more" }),
      more: stage({ act: () => 2, next: () => "join" }),
      join: stage({ act: () => 3 }),
    },
  };

  it("a path that ends during the lookup of answers continues", async () => {
    const ended = Promise.withResolvers<undefined>();
    let isFirst = false;
    const { go, events } = await engineWorld(gateAndWork, {
      wrap: (journal): Journal => ({
        ...journal,
        async append(session, after, entries, keeps) {
          await journal.append(session, after, entries, keeps);
          const isWork = entries.some(({ event }) => event.type === "node-completed" && event.node === "work");
          if (isWork) ended.resolve(undefined);
          // From here on the run looks for answers, and no longer the node that asks.
          if (entries.some(({ event }) => event.type === "node-paused")) isFirst = true;
        },
        // The lookup of the answer is slow: in the meantime the other path ends.
        async kept(kind, key) {
          if (kind === "answer" && isFirst) {
            isFirst = false;
            released.work();
            await ended.promise;
            for (let turn = 0; turn < 50; turn++) await Promise.resolve();
          }
          return journal.kept(kind, key);
        },
      }),
    });
    const paused = await go();
    expect(paused.status).toBe("paused");
    expect(places(await events(paused.run), "node-completed")).toEqual(["split#1.1", "work#1.1", "more#1.1"]);
  });

  it("an answer at that moment is used at once", async () => {
    const { go, clock, journal } = await engineWorld(
      { id: "late", stages: { a: stage({ act: async (_request, tools) => void (await approve(tools)) }) } },
      {
        wrap: (inner): Journal => ({
          ...inner,
          async append(session, after, entries, keeps) {
            // Another process answers just before the run is recorded as sleeping.
            if (entries.some(({ event }) => event.type === "run-paused")) {
              const [question] = await inner.keptAll("question");
              await inner.keepFirst({ kind: "answer", key: question?.key ?? "", value: { answer: YES, by: "ada" } });
              await inner.keep([{ kind: "wake", key: session, value: 1 }]);
            }
            await inner.append(session, after, entries, keeps);
          },
        }),
      },
    );
    const end = await go();
    const isDue = Number((await journal.kept("wake", end.run)) ?? Infinity) <= clock.now();
    expect(end.status === "completed" || isDue).toBe(true);
  });

  it("an answer to a question of a session that is not a run wakes no run", async () => {
    const { runs, journal, clock } = await engineWorld(gateAndWork);
    const question = { id: "q9", session: "somebody", call: "c", turn: "", code: null, askedAt: 0, expiresAt: 9e12 };
    await journal.keep([{ kind: "question", key: "q9", value: { ...question, payload: APPROVE } }]);
    expect(await clock.runUntil(runs.answer("q9", YES))).toBe(true);
    expect(await journal.keptAll("wake")).toEqual([]);
  });
});
