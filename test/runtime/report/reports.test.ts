// Failures of work that runs elsewhere: decided here as if it ran here, and written before they are answered.

import fc from "fast-check";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createFaultline, fault, FaultError, isFaultError, openJournal, tool } from "../../../src/index.ts";
import { type Decision, DEFAULT_POLICY } from "../../../src/core/index.ts";
import type { Chance } from "../../../src/host/chance.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import type { FailureReport } from "../../../src/runtime/report/failure-report.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { createClockForFiles, eventsOf, life, lifeOn, newPath } from "../session/life.ts";

/** What a tool may answer with, as the executor sees it and as a tool of this process throws it. */
const FAILURES = [
  { status: 503 },
  { status: 429, headers: { "retry-after": "2" } },
  { status: 401 },
  { status: 400, body: { error: { message: "Invalid airport code: XYZ" } } },
  { code: "ECONNRESET", message: "read ECONNRESET" },
  { message: "socket hang up" },
  { exitCode: 1, message: "segmentation fault" },
] as const;

interface Told {
  readonly code: string;
  readonly decision: Decision;
}

describe("a reported failure", () => {
  it("is decided about as a live call with the same failures is", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(FAILURES.length - 1), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        async (picks, idempotent, optional) => {
          const failures = picks.map((pick) => FAILURES[pick] ?? FAILURES[0]);
          expect(await reported(failures, idempotent, optional)).toEqual(await lived(failures, idempotent, optional));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("earns retries once per call and spends one with each retry, as a live call does", async () => {
    const policy = {
      ...DEFAULT_POLICY,
      retryBudget: { capacity: 5, perCall: 1, perSecond: 0 },
      breaker: { ...DEFAULT_POLICY.breaker, failures: 1_000 },
      learnsAfter: 0,
    };
    const [there, here] = [life({ policy }), life({ policy })];
    const down = tool({
      id: "t",
      idempotent: true,
      run: () => Promise.reject(Object.assign(new Error("down"), { status: 503 })),
    });
    const attempts = { reported: [] as number[], lived: [] as number[] };
    for (let call = 0; call < 6; call++) {
      attempts.lived.push((await here.clock.runUntil(here.fl.protect(down, null))).attempts);
      const report = { tool: "t", idempotent: true, evidence: { status: 503 } };
      let told = await there.clock.runUntil(there.fl.report(report));
      while (told.nextAt !== null) {
        await there.clock.advance(told.nextAt - there.clock.now());
        told = await there.clock.runUntil(there.fl.report({ ...report, failure: told.id }));
      }
      attempts.reported.push(told.attempt);
    }
    expect(attempts.reported).toEqual(attempts.lived);
    expect(attempts.reported).toEqual([5, 5, 1, 1, 5, 1]);
  });

  it("is in the journal before it is answered, like any failed attempt", async () => {
    const { fl, clock, journal } = life();
    const { session, call, decision } = await clock.runUntil(fl.report({ tool: "search", evidence: { status: 503 } }));
    const events = await eventsOf(journal, session);
    expect(events.map(({ type }) => type)).toEqual(["session-started", "call-started", "call-admitted", "call-failed"]);
    expect(events[3]).toMatchObject({ call, attempt: 1, fault: { code: "ToolUnavailable" }, decision });
    expect(events[3]).toHaveProperty("saw");
  });

  it("that opens a breaker is answered when the breaker is in the journal, and others do not wait for it", async () => {
    const file = await openJournal(newPath());
    onTestFinished(() => file.close());
    const gate = Promise.withResolvers<undefined>();
    const changeKept: Journal["changeKept"] = async (kind, ...rest) => {
      if (kind === "breaker") await gate.promise;
      return file.changeKept(kind, ...rest);
    };
    const fl = createFaultline({ journal: { ...file, changeKept } });
    const report = { tool: "dead", evidence: { status: 503 }, retry: "none" } as const;
    for (let call = 0; call < 4; call++) {
      expect(await fl.report(report)).toMatchObject({ breaker: "closed" });
      // Failures of the same millisecond are one observation.
      const at = Date.now();
      await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(at);
    }
    let isAnswered = false;
    const opening = fl.report(report).finally(() => (isAnswered = true));
    await expect.poll(async () => (await file.sessions()).length).toBe(5);
    await fl.report({ ...report, tool: "other" });
    expect([isAnswered, await file.kept("breaker", "dead")]).toEqual([false, null]);
    gate.resolve(undefined);
    expect(await opening).toMatchObject({ breaker: "open" });
    expect(await file.kept("breaker", "dead")).toMatchObject({ state: "open" });
  });

  it("that is reported twice gets the decision on record, and no second one is made", async () => {
    const { fl, clock, journal } = life();
    const report = { tool: "search", session: "chat", call: "c", attempt: 1, evidence: { status: 503 } } as const;
    const first = await clock.runUntil(fl.report(report));
    const again = await clock.runUntil(fl.report(report));
    expect(again).toEqual({ ...first, repeated: true });
    expect((await eventsOf(journal, "chat")).filter(({ type }) => type === "call-failed")).toHaveLength(1);
  });

  it("that is reported twice is recognised after the call has moved on to an alternative", async () => {
    const { fl, clock, journal } = life();
    const names = { session: "chat", call: "c", attempt: 1, alternatives: ["search_b"] } as const;
    const report = { ...names, tool: "search", evidence: { status: 401 } };
    const first = await clock.runUntil(fl.report(report));
    expect(first.tool).toBe("search_b");
    expect(await clock.runUntil(fl.report(report))).toEqual({ ...first, repeated: true });
    const second = await clock.runUntil(fl.report({ ...report, tool: "search_b" }));
    // The executor that is two reports behind learns where the call is now.
    const late = await clock.runUntil(fl.report(report));
    expect(late).toMatchObject({ tool: "search_b", decision: second.decision, repeated: true });
    expect((await eventsOf(journal, "chat")).filter(({ type }) => type === "call-failed")).toHaveLength(2);
  });

  it("continues in another process, at every point of its life", async () => {
    const path = newPath();
    const told: string[] = [];
    let failure: string | undefined;
    let startAt = 1_000;
    for (let attempt = 1; attempt <= 5; attempt++) {
      const { fl, clock, journal } = await lifeOn(path, { startAt });
      const report = { tool: "search", idempotent: true, evidence: { status: 503 } };
      const answer = await clock.runUntil(fl.report({ ...report, ...(failure === undefined ? {} : { failure }) }));
      failure = answer.id;
      told.push(answer.decision.recourse);
      expect(answer.attempt).toBe(attempt);
      startAt = (answer.nextAt ?? clock.now()) + 1;
      await clock.runUntil(journal.close());
    }
    expect(told).toEqual(["retry", "retry", "retry", "retry", "surface"]);
  });

  it("is taken by either of two processes on one journal, in turn", async () => {
    const path = newPath();
    const clock = createClockForFiles(1_000);
    const journals = [
      await clock.runUntil(openJournal(path, { clock })),
      await clock.runUntil(openJournal(path, { clock })),
    ];
    const servers = journals.map((journal, index) =>
      createFaultline({ journal, clock, chance: createSeededChance(index + 1) }),
    );
    const report = { tool: "search", session: "chat", call: "c", idempotent: true, evidence: { status: 503 } };
    const attempts: number[] = [];
    for (const server of [...servers, ...servers]) {
      attempts.push((await clock.runUntil(server.report(report))).attempt);
    }
    expect(attempts).toEqual([1, 2, 3, 4]);
    await clock.runUntil(Promise.all(journals.map((journal) => journal.close())));
  });

  it("moves on to the alternative that the executor names, and refuses a report about another tool", async () => {
    const { fl, clock } = life();
    const report = { tool: "search", alternatives: ["search_b"], evidence: { status: 401 } };
    const answer = await clock.runUntil(fl.report(report));
    expect(answer).toMatchObject({ tool: "search_b", decision: { recourse: "alternative", tool: "search_b" } });
    const wrong = clock.runUntil(fl.report({ ...report, failure: answer.id }));
    await expect(wrong).rejects.toSatisfy((error) => isFaultError(error) && error.fault.message.includes("search_b"));
    const next = await clock.runUntil(fl.report({ ...report, tool: "search_b", failure: answer.id }));
    expect(next).toMatchObject({ tool: "search_b", attempt: 1, decision: { recourse: "ask" } });
  });

  it("opens the breaker of its target, also when other calls report the same outage", async () => {
    const { fl, clock } = life();
    for (let call = 0; call < 5; call++) {
      await clock.runUntil(fl.report({ tool: "search", evidence: { status: 503 }, retry: "none", durationMs: 5 }));
      await clock.advance(10);
    }
    expect(fl.targets()).toContainEqual(expect.objectContaining({ target: "search", breaker: "open" }));
    const next = await clock.runUntil(fl.report({ tool: "search", evidence: { status: 503 }, idempotent: true }));
    expect(next.decision.considered).toContainEqual({ recourse: "retry", refused: "breaker-open" });
  });

  it("counts once for the breaker when twenty calls meet one outage", async () => {
    const { fl, clock } = life();
    await clock.advance(1_000);
    const all = Array.from({ length: 20 }, () =>
      fl.report({ tool: "search", evidence: { status: 503 }, retry: "none", durationMs: 500 }),
    );
    await clock.runUntil(Promise.all(all));
    expect(fl.targets()).toContainEqual(expect.objectContaining({ target: "search", breaker: "closed" }));
  });

  it("waits for a person, whose answer decides", async () => {
    const { fl, clock } = life({ policy: "default" });
    const report = { tool: "pay", evidence: { status: 401 } };
    const asked = await clock.runUntil(fl.report(report));
    expect(asked).toMatchObject({ decision: { recourse: "ask" }, nextAt: null });
    const question = asked.question;
    expect(await fl.questions()).toEqual([question]);
    await clock.runUntil(fl.answer(question?.id ?? "", { status: "accepted", value: true }, "ops"));
    const after = await clock.runUntil(fl.reported(asked.id));
    expect(after).toMatchObject({ question: null, end: null });
    expect(after?.nextAt).not.toBeNull();
  });
});

describe("the outcome of a reported call", () => {
  it("ends the call and its session, and teaches the memory what helped", async () => {
    const { fl, clock, journal } = life();
    const { id, session } = await clock.runUntil(
      fl.report({ tool: "search", idempotent: true, evidence: { status: 503 } }),
    );
    const ended = await clock.runUntil(
      fl.reportOutcome(id, { status: "succeeded", durationMs: 12, output: { ok: 1 } }),
    );
    expect(ended.end).toEqual({ status: "done", from: "search", errors: [] });
    await clock.advance(1);
    expect((await journal.session(session))?.status).toBe("done");
    expect(fl.metrics()["search"]).toMatchObject({ call_count: 1, retry_count: 1, success_count: 1 });
  });

  it("keeps a preview of the executor's output, and no secret of it", async () => {
    const { fl, clock, journal } = life();
    const { id, session, call } = await clock.runUntil(fl.report({ tool: "search", evidence: { status: 503 } }));
    const output = { password: "hunter2hunter2", hits: 3 };
    await clock.runUntil(fl.reportOutcome(id, { status: "succeeded", output }));
    expect(await journal.kept("result", `${session}/${call}`)).toBeNull();
    const written = JSON.stringify(await eventsOf(journal, session));
    expect(written).toContain("hits");
    expect(written).not.toContain("hunter2hunter2");
  });

  it("of an executor that gave up is a cancellation", async () => {
    const { fl, clock } = life();
    const { id } = await clock.runUntil(fl.report({ tool: "search", idempotent: true, evidence: { status: 503 } }));
    const ended = await clock.runUntil(fl.reportOutcome(id, { status: "cancelled", reason: "the user left" }));
    expect(ended.end).toMatchObject({ status: "cancelled", fault: { message: "the user left" } });
    const again = await clock.runUntil(fl.reportOutcome(id, { status: "succeeded" }));
    expect(again).toMatchObject({ end: { status: "cancelled" }, repeated: true });
  });
});

describe("a call elsewhere that has not begun", () => {
  const WAIT_MS = 40_000;
  const asked = async (prepare: (fl: Life["fl"]) => unknown): Promise<Life> => {
    const all = life();
    await all.clock.runUntil(Promise.resolve(prepare(all.fl)));
    return all;
  };
  const worked = (fl: Life["fl"], name: string): Promise<unknown> => fl.reportSuccess({ tool: name });
  const limited = (fl: Life["fl"], name: string): Promise<unknown> =>
    fl.report({ tool: name, evidence: { status: 429, headers: { "retry-after": String(WAIT_MS / 1_000) } } });

  it.each<[string, (fl: Life["fl"]) => unknown, object]>([
    ["whose tool was never used", () => null, { action: "attempt", waitMs: 0, breaker: "closed" }],
    ["whose tool works", (fl) => worked(fl, "search"), { action: "attempt", waitMs: 0, breaker: "closed" }],
    ["whose tool is paused", (fl) => limited(fl, "search"), { action: "wait", waitMs: WAIT_MS, breaker: "closed" }],
    [
      "whose tool is isolated",
      (fl) => fl.isolate("search", "an audit"),
      { action: "stop", waitMs: null, breaker: "isolated" },
    ],
  ])("%s gets its next step", async (_what, prepare, expected) => {
    const { fl, clock } = await asked(prepare);
    const { nextAt, ...said } = await clock.runUntil(fl.mayCall({ tool: "search" }));
    expect({ ...said, waitMs: nextAt === null ? null : nextAt - clock.now() }).toEqual({ tool: "search", ...expected });
  });

  it("waits until the breaker lets a probe through", async () => {
    const { fl, clock } = life();
    for (let call = 0; call < 5; call++) {
      await clock.runUntil(fl.report({ tool: "search", evidence: { status: 503 }, retry: "none", durationMs: 5 }));
      await clock.advance(10);
    }
    const { retryAt = null } = fl.targets().find(({ target }) => target === "search") ?? {};
    const mayCall = (): Promise<unknown> => clock.runUntil(fl.mayCall({ tool: "search" }));
    expect(await mayCall()).toMatchObject({ action: "wait", nextAt: retryAt, breaker: "open" });
    await clock.advance((retryAt ?? 0) - clock.now());
    expect(await mayCall()).toMatchObject({ action: "attempt", nextAt: retryAt });
  });

  it.each<[string, readonly string[], string]>([
    ["the tool itself, if all may begin now", [], "search"],
    ["the first alternative, if the tool is paused", ["search"], "search_b"],
    ["the second one, if the first is paused, too", ["search", "search_b"], "search_c"],
    ["the tool itself, if all have to wait", ["search", "search_b", "search_c"], "search"],
  ])("gets %s as its target", async (_what, paused, expected) => {
    const { fl, clock } = await asked(async (one) => {
      for (const name of paused) await limited(one, name);
    });
    const told = await clock.runUntil(fl.mayCall({ tool: "search", alternatives: ["search_b", "search_c"] }));
    expect(told.tool).toBe(expected);
  });
});

type Life = ReturnType<typeof life>;

describe("the session of a reported call", () => {
  it("is read once while it is open, and again only after it has ended", async () => {
    const { fl, clock, journal } = life();
    const read = vi.spyOn(journal, "read");
    const report = { tool: "search", session: "chat", evidence: { status: 503 } };
    await clock.runUntil(fl.report({ ...report, call: "a" }));
    const first = read.mock.calls.length;
    await clock.runUntil(fl.report({ ...report, call: "b" }));
    await clock.runUntil(fl.endReports("chat", "done"));
    expect(read.mock.calls).toHaveLength(first);
    await clock.runUntil(Promise.allSettled([fl.report({ ...report, call: "c" })]));
    expect(read.mock.calls.length).toBeGreaterThan(first);
  });

  it("of a single call is not kept once that call has ended", async () => {
    const { fl, clock, journal } = life();
    const read = vi.spyOn(journal, "read");
    const { id } = await clock.runUntil(fl.report({ tool: "search", evidence: { status: 503 } }));
    await clock.runUntil(fl.reportOutcome(id, { status: "succeeded" }));
    const before = read.mock.calls.length;
    await clock.runUntil(Promise.allSettled([fl.reportOutcome(id, { status: "succeeded" })]));
    expect(read.mock.calls.length).toBeGreaterThan(before);
  });
});

describe("an executor that is not heard of any more", () => {
  it("has its call cancelled and its session ended, and others are left alone", async () => {
    const { fl, clock, journal } = life();
    const silent = await clock.runUntil(fl.report({ tool: "search", idempotent: true, evidence: { status: 503 } }));
    const named = await clock.runUntil(fl.report({ tool: "search", session: "chat", evidence: { status: 503 } }));
    await clock.advance(1_000);
    const alive = await clock.runUntil(fl.report({ tool: "search", idempotent: true, evidence: { status: 503 } }));
    expect(await clock.runUntil(fl.endSilentReports(500))).toBe(1);
    await clock.advance(1);
    const statuses = [silent, named, alive].map(async ({ session }) => (await journal.session(session))?.status);
    expect(await Promise.all(statuses)).toEqual(["done", "open", "open"]);
    expect((await clock.runUntil(fl.reported(silent.id)))?.end?.status).toBe("cancelled");
  });
});

describe("a report is refused", () => {
  const cases: readonly (readonly [string, FailureReport, string])[] = [
    ["without a tool", {} as FailureReport, "tool"],
    ["with a status that is none", { tool: "t", evidence: { status: 7 } }, "status"],
    ["with a code that is none", { tool: "t", code: "Nope" as "RateLimited" }, "code"],
    ["with an id of no failure", { tool: "t", failure: "nonsense" }, "no failure"],
    ["with the id of a failure that is not there", { tool: "t", failure: "rep_1~c1" }, "no failure"],
    ["with a session name that has a slash", { tool: "t", session: "a/b" }, "session"],
    ["with a session name of dots", { tool: "t", session: ".." }, "session"],
    ["seen in a far future", { tool: "t", evidence: { observedAt: 8e15 } }, "observedAt"],
    ["at a cost that nothing costs", { tool: "t", costUsd: 1e300 }, "costUsd"],
    ["with a mistyped field", { tool: "t", idempotant: true } as FailureReport, "idempotent"],
  ];
  it.each(cases)("%s", async (_title, report, says) => {
    const { fl, clock } = life();
    const refused = clock.runUntil(Promise.resolve().then(() => fl.report(report)));
    await expect(refused).rejects.toSatisfy((error) => isFaultError(error) && error.fault.message.includes(says));
  });

  it.each([
    ["three times, like every write, if the store is not available", fault("StoreUnavailable", { message: "gone" }), 3],
    ["five times, if another process writes first each time", fault("ResumeMismatch", { message: "late" }), 5],
  ])("after it was tried %s", async (_how, failure, times) => {
    const { fl, clock, journal } = life();
    await clock.runUntil(fl.report({ tool: "t", session: "chat", evidence: { status: 503 } }));
    const append = vi.spyOn(journal, "append").mockRejectedValue(new FaultError(failure));
    const refused = clock.runUntil(fl.report({ tool: "t", session: "chat", evidence: { status: 503 } }));
    await expect(refused).rejects.toSatisfy((error) => isFaultError(error) && error.fault.code === failure.code);
    expect(append).toHaveBeenCalledTimes(times);
  });

  it("about a session that a program runs itself", async () => {
    const { fl, clock } = life();
    await clock.runUntil(fl.session("mine"));
    const refused = clock.runUntil(fl.report({ tool: "t", session: "mine" }));
    await expect(refused).rejects.toSatisfy((error) => isFaultError(error) && error.fault.message.includes("mine"));
  });
});

async function reported(failures: readonly object[], idempotent: boolean, optional: boolean): Promise<readonly Told[]> {
  const { fl, clock } = life({ chance: sameChance() });
  const told: Told[] = [];
  let failure: string | undefined;
  for (const evidence of failures) {
    const known = failure === undefined ? {} : { failure };
    const answer = await clock.runUntil(fl.report({ tool: "t", evidence, idempotent, optional, ...known }));
    told.push({ code: answer.fault.code, decision: answer.decision });
    if (answer.decision.recourse !== "retry" || answer.nextAt === null) break;
    failure = answer.id;
    await clock.advance(answer.nextAt - clock.now());
  }
  return told;
}

async function lived(failures: readonly object[], idempotent: boolean, optional: boolean): Promise<readonly Told[]> {
  const { fl, clock, journal } = life({ chance: sameChance() });
  let tries = 0;
  const flaky = tool({
    id: "t",
    idempotent,
    classify: () => undefined,
    run: () => {
      // What is thrown is the evidence as an SDK's error would carry it.
      throw Object.assign(new Error("failed"), failures[Math.min(tries++, failures.length - 1)]);
    },
  });
  const session = await clock.runUntil(fl.session("s", { mode: "headless" }));
  await clock.runUntil(session.protect(flaky, null, { id: "c1", optional }));
  const events = await eventsOf(journal, "s");
  return events
    .flatMap((event) => (event.type === "call-failed" ? [event] : []))
    .slice(0, failures.length)
    .map(({ fault, decision }) => ({ code: fault.code, decision }));
}

/** Jitter is the same in both worlds. */
function sameChance(): Chance {
  const chance = createSeededChance(1);
  return { roll: () => 0.25, newId: (prefix) => chance.newId(prefix) };
}
