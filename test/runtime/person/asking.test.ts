// People in a session: the questions about a call, the effect of their answers, and what happens without an answer.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, withRows } from "../../../src/core/index.ts";
import {
  type Answer,
  type FaultCode,
  type FaultlineOptions,
  type Interactor,
  type Outcome,
  type Session,
  tool,
} from "../../../src/index.ts";
import { type ScriptedAnswer, scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { thrownBy } from "../../support/thrown.ts";
import { eventsOf, type Life, life, lifeOn, newPath, only, thrown } from "../session/life.ts";

const YES: Answer = { status: "accepted", value: true };
const NO: Answer = { status: "accepted", value: false };
const WEEK_MS = 7 * 24 * 3_600_000;

/** In these tests people are also asked about faults that the default policy does not ask about. */
const ASKING = withRows(DEFAULT_POLICY, [
  {
    match: { code: ["RequestInvalid", "SchemaInvalid"] },
    retry: null,
    then: ["ask"],
    origin: { layer: "file", at: "test" },
  },
]);

interface Begun extends Life {
  readonly session: Session;
}

async function begun(options: FaultlineOptions, mode: "attended" | "headless" = "attended"): Promise<Begun> {
  const made = life({ policy: ASKING, ...options });
  return { ...made, session: await made.clock.runUntil(made.fl.session("s", { mode })) };
}

/** Fails with the code this many times, then works; remembers its inputs. */
function failing(
  code: FaultCode,
  failures = 1,
): { readonly runs: string[]; readonly tool: ReturnType<typeof tool<string, string>> } {
  const runs: string[] = [];
  const run = (input: string): string => {
    runs.push(input);
    if (runs.length <= failures) throw thrown(code);
    return `done with ${input}`;
  };
  return { runs, tool: tool<string, string>({ id: "work", run }) };
}

const script = (...answers: ScriptedAnswer[]): ReturnType<typeof scriptedInteractor> =>
  scriptedInteractor("ada", answers);

describe("a person who is present", () => {
  it("is asked to approve: yes retries the call, no ends it", async () => {
    for (const [answer, status, runCount] of [
      [YES, "done", 2],
      [NO, "failed", 1],
      [{ status: "rejected", reason: "not today" }, "failed", 1],
    ] as const) {
      const ada = script(answer);
      const { session, clock, journal } = await begun({ interactors: [ada] });
      const work = failing("AccessDenied");
      expect(await clock.runUntil(session.protect(work.tool, "x"))).toMatchObject({ status });
      expect(work.runs).toHaveLength(runCount);
      expect(ada.asked).toMatchObject([
        { payload: { kind: "Approve", tool: "work" }, code: "AccessDenied", session: "s" },
      ]);
      const types = (await eventsOf(journal, "s")).map(({ type }) => type);
      expect(types.indexOf("question-asked")).toBeLessThan(types.indexOf("question-answered"));
      expect(only(await eventsOf(journal, "s"), "question-answered")).toMatchObject([{ answer, by: "ada" }]);
    }
  });

  it("gives another input, which replaces the old one", async () => {
    const { session, clock } = await begun({ interactors: [script({ status: "accepted", value: "Lisbon" })] });
    const work = failing("RequestInvalid");
    expect(await clock.runUntil(session.protect(work.tool, "Lisbom"))).toMatchObject({ value: "done with Lisbon" });
    expect(work.runs).toEqual(["Lisbom", "Lisbon"]);
  });

  it.each([
    ["retry", "done", 2],
    ["skip", "skipped", 1],
    ["fail", "failed", 1],
  ] as const)("selects %s, and the call is %s", async (value, status, runCount) => {
    const ada = script({ status: "accepted", value });
    // The default policy would skip it without a question, because the caller declared it optional.
    const { session, clock } = await begun({ interactors: [ada], policy: "cautious" });
    const work = failing("QuotaExhausted");
    const outcome = await clock.runUntil(session.protect(work.tool, "x", { optional: true }));
    expect(outcome).toMatchObject({ status });
    expect(work.runs).toHaveLength(runCount);
    const [question] = ada.asked;
    const offered = question?.payload.kind === "Select" ? question.payload.options.map(({ id }) => id) : [];
    expect(offered).toEqual(["retry", "skip", "fail"]);
  });

  it("is not offered to skip a required call, and cannot do so", async () => {
    const ada = script({ status: "accepted", value: "skip" }, { status: "accepted", value: "fail" });
    const { session, clock, fl } = await begun({ interactors: [ada] });
    expect(await clock.runUntil(session.protect(failing("QuotaExhausted").tool, "x"))).toMatchObject({
      status: "failed",
    });
    expect(ada.asked).toHaveLength(2);
    expect(fl.recent().map(({ event }) => event.type)).toEqual(["fault-suppressed"]);
  });

  it("signs in at the page with the tool's code, and the call is retried", async () => {
    const ada = script(YES);
    const { session, clock } = await begun({ interactors: [ada] });
    let isSignedIn = false;
    const cloud = tool<object, string>({
      id: "cloud",
      signIn: () => {
        isSignedIn = true;
        return Promise.resolve({ url: "https://example.com/device", code: "ABCD-1234" });
      },
      run: () => {
        if (!isSignedIn) throw thrown("AuthFailed");
        return "in";
      },
    });
    expect(await clock.runUntil(session.protect(cloud, {}))).toMatchObject({ value: "in" });
    expect(ada.asked).toMatchObject([
      { payload: { kind: "Auth.DeviceCode", url: "https://example.com/device", code: "ABCD-1234" } },
    ]);
  });

  it("is asked about a tool that can sign in as about any other, if that is not what is missing", async () => {
    const ada = script(YES);
    const { session, clock } = await begun({ interactors: [ada] });
    let signIns = 0;
    const vault = tool<object, string>({
      id: "vault",
      signIn: () => Promise.resolve({ url: "https://example.com/device", code: `${++signIns}` }),
      run: () => {
        if (ada.asked.length === 0) throw thrown("AccessDenied");
        return "open";
      },
    });
    expect(await clock.runUntil(session.protect(vault, {}))).toMatchObject({ value: "open" });
    expect(ada.asked).toMatchObject([{ payload: { kind: "Approve" } }]);
    expect(signIns).toBe(0);
  });

  it.each([
    ["Approve", "AccessDenied", 120_000],
    ["Ask", "RequestInvalid", 120_000],
    ["Select", "QuotaExhausted", 120_000],
    ["Confirm", "SchemaInvalid", 60_000],
  ] as const)("and says nothing to %s has said no after its time (%s, %s ms)", async (kind, code, waitMs) => {
    const ada = script("silence");
    const { session, clock, journal } = await begun({ interactors: [ada] });
    const work = failing(code);
    const outcome = await clock.runUntil(session.protect(work.tool, "x"));
    expect(clock.now() - 1_000_000).toBe(waitMs);
    expect(outcome).toMatchObject({ status: "failed", fault: { code } });
    expect([work.runs.length, ada.dismissed.length, ada.asked[0]?.payload.kind]).toEqual([1, 1, kind]);
    expect(only(await eventsOf(journal, "s"), "question-answered")).toMatchObject([
      { answer: { status: "timeout" }, by: "clock" },
    ]);
  });

  it("is waited for no longer than the turn lasts", async () => {
    const { session, clock } = await begun({ interactors: [script("silence")] });
    const work = failing("AccessDenied");
    await clock.runUntil(session.turn(async (turn) => turn.protect(work.tool, "x"), { timeoutMs: 30_000 }));
    expect([clock.now() - 1_000_000, work.runs.length]).toEqual([30_000, 1]);
  });

  it("is asked about one call at most three times, even if every answer is yes", async () => {
    const ada = scriptedInteractor("ada", () => YES);
    const { session, clock } = await begun({ interactors: [ada] });
    const work = failing("AccessDenied", Infinity);
    expect(await clock.runUntil(session.protect(work.tool, "x"))).toMatchObject({ status: "failed", attempts: 4 });
    expect([ada.asked.length, work.runs.length]).toEqual([3, 4]);
  });

  it("no longer sees the question when the turn is cancelled, and it is no longer listed", async () => {
    const ada = script("silence");
    const { session, clock, fl } = await begun({ interactors: [ada] });
    const running = session.turn(async (turn) => {
      clock.after(1_000, () => turn.cancel());
      return turn.protect(failing("AccessDenied").tool, "x");
    });
    await clock.advance(0);
    expect(await fl.questions()).toMatchObject([{ id: ada.asked[0]?.id }]);
    expect(await clock.runUntil(running)).toMatchObject({ status: "cancelled", value: { status: "cancelled" } });
    expect([await fl.questions(), ada.dismissed.length]).toEqual([[], 1]);
  });

  it("can also be asked outside a session", async () => {
    const { fl, clock, journal } = life({ interactors: [script(YES)] });
    const work = failing("AccessDenied");
    expect(await clock.runUntil(fl.protect(work.tool, "x"))).toMatchObject({ status: "done", attempts: 2 });
    expect(await journal.keptAll("answer")).toEqual([]);
    const alone = life();
    const refused: Outcome<string> = await alone.clock.runUntil(alone.fl.protect(failing("AccessDenied").tool, "x"));
    expect(refused).toMatchObject({ status: "failed", fault: { code: "AccessDenied" } });
  });
});

describe("several people", () => {
  it("are asked in parallel; the first answer counts, and the question disappears for the others", async () => {
    const slow = scriptedInteractor("slow", ["silence"]);
    const made: { clock?: Life["clock"] } = {};
    const quick: Interactor = {
      name: "quick",
      answer: () => new Promise((resolve) => void made.clock?.after(5_000, () => resolve(YES))),
    };
    const { session, clock, journal } = await begun({ interactors: [slow, quick] });
    made.clock = clock;
    expect(await clock.runUntil(session.protect(failing("AccessDenied").tool, "x"))).toMatchObject({ status: "done" });
    expect(clock.now()).toBe(1_005_000);
    expect([slow.asked.length, slow.dismissed.length]).toEqual([1, 1]);
    expect(only(await eventsOf(journal, "s"), "question-answered")).toMatchObject([{ by: "quick" }]);
  });

  it("include those who answer from another program: the first answer counts", async () => {
    const ada = script("silence");
    const { session, clock, fl, journal } = await begun({ interactors: [ada] });
    const running = session.protect(failing("AccessDenied").tool, "x");
    await clock.advance(3_000);
    const [question] = await fl.questions();
    expect(await fl.answer(question?.id ?? "", YES, "dashboard")).toBe(true);
    expect(await clock.runUntil(running)).toMatchObject({ status: "done" });
    expect(clock.now()).toBe(1_003_000);
    expect(ada.dismissed).toEqual([question?.id]);
    expect(only(await eventsOf(journal, "s"), "question-answered")).toMatchObject([{ answer: YES, by: "dashboard" }]);
  });
});

describe("two answers to one question", () => {
  it("the one that the journal had first counts, not the one that was given here a moment later", async () => {
    const made: { journal?: Life["journal"] } = {};
    const late: Interactor = {
      name: "late",
      answer: async ({ id }) => {
        await made.journal?.keepFirst({ kind: "answer", key: id, value: { answer: NO, by: "dashboard" } });
        return YES;
      },
    };
    const { session, clock, journal } = await begun({ interactors: [late] });
    made.journal = journal;
    expect(await clock.runUntil(session.protect(failing("AccessDenied").tool, "x"))).toMatchObject({
      status: "failed",
    });
    expect(only(await eventsOf(journal, "s"), "question-answered")).toMatchObject([{ answer: NO, by: "dashboard" }]);
  });
});

describe("without a person", () => {
  it("the call waits; the question is listed until a valid answer arrives, and the first one counts", async () => {
    const { session, clock, fl, journal } = await begun({}, "headless");
    const work = failing("AccessDenied");
    const waiting = await clock.runUntil(session.protect(work.tool, "x", { id: "c" }));
    expect(waiting).toMatchObject({ status: "waiting", question: { payload: { kind: "Approve" } }, attempts: 1 });
    const [question, ...more] = await fl.questions();
    expect([question, more]).toEqual(["question" in waiting ? waiting.question : null, []]);
    const id = question?.id ?? "";
    for (const wrong of [{ status: "accepted", value: "yes" }, { status: "maybe" }, null] as unknown as Answer[]) {
      expect(await thrownBy(fl.answer(id, wrong))).toMatchObject({ fault: { code: "ShapeInvalid" } });
    }
    expect(await thrownBy(fl.answer("q_nobody", YES))).toMatchObject({ fault: { code: "NotFound" } });
    expect([await fl.answer(id, NO, "ada"), await fl.answer(id, YES, "bob")]).toEqual([true, false]);
    expect(await clock.runUntil(session.protect(work.tool, "x", { id: "c" }))).toMatchObject({ status: "failed" });
    expect(only(await eventsOf(journal, "s"), "question-answered")).toMatchObject([{ answer: NO, by: "ada" }]);
    expect(await fl.questions()).toEqual([]);
    expect(await thrownBy(fl.answer(id, YES))).toMatchObject({ fault: { code: "NotFound" } });
    expect(work.runs).toHaveLength(1);
  });

  it("for a week the answer is no, and not a moment earlier", async () => {
    for (const [afterMs, status] of [
      [WEEK_MS - 1, "waiting"],
      [WEEK_MS, "failed"],
    ] as const) {
      const { session, clock, journal } = await begun({}, "headless");
      const work = failing("AccessDenied");
      await clock.runUntil(session.protect(work.tool, "x", { id: "c" }));
      await clock.advance(afterMs);
      expect(await clock.runUntil(session.protect(work.tool, "x", { id: "c" }))).toMatchObject({ status });
      expect(only(await eventsOf(journal, "s"), "question-answered").map(({ by }) => by)).toEqual(
        status === "failed" ? ["clock"] : [],
      );
    }
  });

  it("yet, the call asks the person who joins after a restart, and an attended session waits as well", async () => {
    const path = newPath();
    const work = failing("AccessDenied");
    const first = await lifeOn(path);
    const attended = await first.clock.runUntil(first.fl.session("s"));
    expect(await first.clock.runUntil(attended.protect(work.tool, "x"))).toMatchObject({ status: "waiting" });
    const ada = script(YES);
    const next = await lifeOn(path, { interactors: [ada], startAt: 9_000_000 });
    const session = await next.clock.runUntil(next.fl.session("s"));
    expect(await next.clock.runUntil(session.protect(work.tool, "x"))).toMatchObject({ status: "done" });
    expect(ada.asked).toHaveLength(1);
  });

  it("a turn that ended otherwise leaves no question behind", async () => {
    const { session, clock, fl } = await begun({}, "headless");
    const result = await clock.runUntil(
      session.turn(async (turn) => {
        const { status } = await turn.protect(failing("AccessDenied").tool, "x");
        throw new Error(`the call is ${status}`);
      }),
    );
    expect(result).toMatchObject({ status: "failed", fault: { code: "Uncaught" } });
    expect(await fl.questions()).toEqual([]);
  });

  it("a session that ends leaves no question behind", async () => {
    for (const how of ["end", "cancel"] as const) {
      const { session, clock, fl } = await begun({}, "headless");
      await clock.runUntil(session.turn(async (turn) => turn.protect(failing("AccessDenied").tool, "x")));
      expect(await fl.questions()).toHaveLength(1);
      await clock.runUntil(session[how]());
      expect(await fl.questions()).toEqual([]);
    }
  });
});
