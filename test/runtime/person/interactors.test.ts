// The guarantees Q1–Q4 of asking people: one answer each, in order, only valid answers are passed on, nothing is left behind.

import fc from "fast-check";
import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../../src/core/fault/fault.ts";
import type { Answer, InteractionKind, Question, QuestionPayload } from "../../../src/core/flow/interaction.ts";
import { type Interactor, createInteractors, type Interactors } from "../../../src/runtime/person/interactors.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";

const YES: Answer = { status: "accepted", value: true };
const NO: Answer = { status: "rejected", reason: "not today" };

interface World {
  readonly clock: FakeClock;
  readonly interactors: Interactors;
  readonly told: { readonly fault: Fault; readonly reason: string }[];
}

function world(...attached: readonly Interactor[]): World {
  const clock = createFakeClock();
  const told: { fault: Fault; reason: string }[] = [];
  const interactors = createInteractors({ clock, suppress: (fault, reason) => void told.push({ fault, reason }) });
  attached.forEach((interactor) => interactors.attach(interactor));
  return { clock, interactors, told };
}

function confirm(id: string, expiresAt = 1000): Question {
  return asking(id, { kind: "Confirm", prompt: "Sure?" }, expiresAt);
}

function asking(id: string, payload: QuestionPayload, expiresAt = 1000): Question {
  return { id, call: "c", turn: "t", session: "s", code: null, payload, askedAt: 0, expiresAt };
}

/** An interactor whose answers the test gives by hand, and which ignores its dismissal. */
function byHand(name: string): Interactor & {
  readonly shown: string[];
  readonly signals: AbortSignal[];
  say(answer: unknown): void;
  fail(error: Error): void;
} {
  const shown: string[] = [];
  const signals: AbortSignal[] = [];
  let resolve: (answer: Answer) => void;
  let reject: (error: Error) => void;
  return {
    name,
    shown,
    signals,
    say: (answer) => resolve(answer as Answer),
    fail: (error) => reject(error),
    answer: (question, signal) => {
      shown.push(question.id);
      signals.push(signal);
      return new Promise((keep, drop) => {
        resolve = keep;
        reject = drop;
      });
    },
  };
}

describe("a question", () => {
  it("is answered by the first person to answer, and the others are dismissed", async () => {
    const quick = byHand("quick");
    const silent = scriptedInteractor("silent", ["silence"]);
    const { clock, interactors, told } = world(quick, silent);
    const asked = interactors.ask(confirm("q_1"), null);
    await clock.advance(10);
    quick.say(YES);
    expect(await asked).toEqual({ answer: YES, by: "quick" });
    await clock.advance(0);
    expect([silent.dismissed, told]).toEqual([["q_1"], []]);
    expect(quick.signals[0]?.aborted).toBe(false);
  });

  it("is settled by a no as well as by a yes", async () => {
    const { interactors } = world(scriptedInteractor("a", [NO]), scriptedInteractor("b", ["silence"]));
    expect(await interactors.ask(confirm("q_1"), null)).toEqual({ answer: NO, by: "a" });
  });

  it("goes only to interactors that accept its kind", async () => {
    const approver = scriptedInteractor("approver", [YES], ["Approve"]);
    const { interactors } = world(approver, scriptedInteractor("all", [NO]));
    expect(await interactors.ask(confirm("q_1"), null)).toMatchObject({ by: "all" });
    expect(approver.asked).toEqual([]);
  });

  it("is declined at once if no interactor accepts its kind", async () => {
    const { interactors, clock } = world(scriptedInteractor("none", [], []));
    expect(await interactors.ask(confirm("q_1"), null)).toEqual({
      answer: { status: "rejected", reason: "no answer: no interactor takes Confirm" },
      by: "nobody",
    });
    expect(clock.pending).toBe(0);
  });

  it("without an answer in time is a timeout, exactly at its time", async () => {
    const silent = scriptedInteractor("silent", ["silence"]);
    const { clock, interactors } = world(silent);
    let answered = false;
    const asked = interactors.ask(confirm("q_1", 500), null).finally(() => void (answered = true));
    await clock.advance(499);
    expect(answered).toBe(false);
    await clock.advance(1);
    expect(await asked).toEqual({ answer: { status: "timeout" }, by: "clock" });
    expect(silent.dismissed).toEqual(["q_1"]);
  });

  it("whose time is over is not shown", async () => {
    const ready = scriptedInteractor("ready", [YES]);
    const { clock, interactors } = world(ready);
    await clock.advance(500);
    expect(await interactors.ask(confirm("q_1", 500), null)).toEqual({ answer: { status: "timeout" }, by: "clock" });
    expect(ready.asked).toEqual([]);
  });

  it("without a deadline is refused", async () => {
    const { interactors, clock } = world(scriptedInteractor("ready", [YES]));
    for (const expiresAt of [NaN, Infinity]) {
      await expect(interactors.ask(confirm("q_1", expiresAt), null)).rejects.toMatchObject({
        fault: { code: "ShapeInvalid" },
      });
    }
    expect(clock.pending).toBe(0);
  });

  it("is cancelled by its caller, before or while it is asked", async () => {
    const silent = scriptedInteractor("silent", ["silence"]);
    const { clock, interactors, told } = world(silent);
    const cancelled = { answer: { status: "rejected", reason: "cancelled" }, by: "caller" };
    expect(await interactors.ask(confirm("q_0"), AbortSignal.abort())).toEqual(cancelled);
    expect(silent.asked).toEqual([]);
    const caller = new AbortController();
    const asked = interactors.ask(confirm("q_1"), caller.signal);
    caller.abort();
    expect(await asked).toEqual(cancelled);
    await clock.advance(0);
    expect([silent.dismissed, told, clock.pending]).toEqual([["q_1"], [], 0]);
  });
});

describe("an interactor", () => {
  it("is shown one question at a time, in the order they were asked", async () => {
    const person = byHand("person");
    const { clock, interactors } = world(person);
    const asked = ["q_1", "q_2", "q_3"].map((id) => interactors.ask(confirm(id), null));
    for (const id of ["q_1", "q_2", "q_3"]) {
      expect(person.shown.at(-1)).toBe(id);
      person.say({ status: "accepted", value: id === "q_2" });
      await clock.advance(0);
    }
    expect((await Promise.all(asked)).map(({ answer }) => answer)).toEqual([
      { status: "accepted", value: false },
      { status: "accepted", value: true },
      { status: "accepted", value: false },
    ]);
  });

  it("is not shown a question that was settled while it waited its turn", async () => {
    const slow = byHand("slow");
    const { clock, interactors } = world(slow);
    const first = interactors.ask(confirm("q_1"), null);
    const second = interactors.ask(confirm("q_2", 100), null);
    const third = interactors.ask(confirm("q_3"), null);
    await clock.advance(100);
    expect(await second).toMatchObject({ by: "clock" });
    slow.say(YES);
    await first;
    await clock.advance(0);
    expect(slow.shown).toEqual(["q_1", "q_3"]);
    slow.say(YES);
    await third;
  });

  it("blocks only its own queue when it does not let go of a dismissed prompt", async () => {
    const stubborn = byHand("stubborn");
    const prompt = scriptedInteractor("prompt", [YES, YES]);
    const { clock, interactors } = world(stubborn, prompt);
    expect(await interactors.ask(confirm("q_1"), null)).toMatchObject({ by: "prompt" });
    expect(await interactors.ask(confirm("q_2"), null)).toMatchObject({ by: "prompt" });
    expect(stubborn.shown).toEqual(["q_1"]);
    stubborn.say(YES);
    await clock.advance(0);
    expect(stubborn.shown).toEqual(["q_1"]);
  });

  it("that answers too late changes nothing and learns who was first, without the answer", async () => {
    const [first, late] = [byHand("first"), byHand("late")];
    const { clock, interactors, told } = world(first, late);
    const asked = interactors.ask(asking("q_1", { kind: "Auth.Password", prompt: "?" }), null);
    first.say({ status: "accepted", value: "right" });
    late.say({ status: "accepted", value: "hunter2-secret" });
    expect(await asked).toEqual({ answer: { status: "accepted", value: "right" }, by: "first" });
    await clock.advance(0);
    expect(told).toMatchObject([
      {
        fault: { code: "EngineState", context: { question: "q_1", interactor: "late", kind: "Auth.Password" } },
        reason: "first had settled it before",
      },
    ]);
    expect(JSON.stringify(told)).not.toContain("hunter2");
  });

  it("that answers after a timeout is informed too, and one that only reports that it gave up is not", async () => {
    const [late, gone] = [byHand("late"), byHand("gone")];
    const { clock, interactors, told } = world(late, gone);
    const asked = interactors.ask(confirm("q_1"), null);
    await clock.advance(1000);
    late.say(NO);
    gone.say({ status: "timeout" });
    await clock.advance(0);
    expect(await asked).toMatchObject({ by: "clock" });
    expect(told.map(({ reason }) => reason)).toEqual(["clock had settled it before"]);
  });

  it("that fails and is the only one counts as a no, and the report says so", async () => {
    const { interactors, told } = world({ name: "broken", answer: () => Promise.reject(new Error("no screen")) });
    expect(await interactors.ask(confirm("q_1"), null)).toMatchObject({ answer: { status: "rejected" } });
    expect(told.map(({ reason }) => reason)).toEqual(["no other interactor can answer, so it counts as a no"]);
  });

  it("that fails is reported, and the others continue", async () => {
    const other = byHand("other");
    const broken: Interactor = { name: "broken", answer: () => Promise.reject(new Error("socket hang up")) };
    const { clock, interactors, told } = world(broken, other);
    const asked = interactors.ask(confirm("q_1"), null);
    await clock.advance(0);
    other.say(YES);
    expect(await asked).toEqual({ answer: YES, by: "other" });
    expect(told).toMatchObject([
      { fault: { code: "NetworkDisconnect", context: { interactor: "broken" } }, reason: "the others continue" },
    ]);
  });

  it("that throws synchronously is treated the same way", async () => {
    const broken: Interactor = {
      name: "broken",
      answer: () => {
        throw new Error("boom");
      },
    };
    const { interactors, told } = world(broken, scriptedInteractor("other", [YES]));
    expect(await interactors.ask(confirm("q_1"), null)).toMatchObject({ by: "other" });
    expect(told).toHaveLength(1);
  });

  it("that fails after its dismissal is reported with that reason; one that throws the dismissal is not", async () => {
    const [first, broken] = [byHand("first"), byHand("broken")];
    const { clock, interactors, told } = world(first, broken, scriptedInteractor("good", ["silence"]));
    const asked = interactors.ask(confirm("q_1"), null);
    first.say(YES);
    await asked;
    broken.fail(new Error("could not clear the screen"));
    await clock.advance(0);
    expect(told).toMatchObject([
      { fault: { context: { interactor: "broken" } }, reason: "first had settled the question before" },
    ]);
  });

  it("that throws an abort error around the dismissal is not reported either", async () => {
    const first = byHand("first");
    const wrapping: Interactor = {
      name: "wrapping",
      answer: (_question, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("aborted", { cause: signal.reason })));
        }),
    };
    const { clock, interactors, told } = world(first, wrapping);
    const asked = interactors.ask(confirm("q_1"), null);
    first.say(YES);
    await asked;
    await clock.advance(0);
    expect(told).toEqual([]);
  });

  it("is not dismissed for its own failure", async () => {
    const [broken, silent] = [byHand("broken"), byHand("silent")];
    const { clock, interactors } = world(broken, silent);
    const asked = interactors.ask(confirm("q_1"), null);
    broken.fail(new Error("boom"));
    await clock.advance(0);
    silent.say(YES);
    await asked;
    expect(broken.signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it("among several that all fail or give up leads to a no that names them", async () => {
    const broken: Interactor = { name: "broken", answer: () => Promise.reject(new Error("socket hang up")) };
    const { clock, interactors, told } = world(broken, scriptedInteractor("gone", [{ status: "timeout" }]));
    expect(await interactors.ask(confirm("q_1"), null)).toEqual({
      answer: { status: "rejected", reason: "no answer: broken failed with NetworkDisconnect, gone gave up" },
      by: "nobody",
    });
    expect([told.length, clock.pending]).toEqual([1, 0]);
  });

  it("whose answer is invalid is asked once more, and then no longer", async () => {
    const slip = scriptedInteractor("slip", [() => ({ status: "accepted", value: "yes" }), YES]);
    const first = world(slip);
    expect(await first.interactors.ask(confirm("q_1"), null)).toEqual({ answer: YES, by: "slip" });
    expect(first.told).toMatchObject([
      { fault: { code: "ShapeInvalid", context: { interactor: "slip" } }, reason: "it is asked once more" },
    ]);

    const wrong = scriptedInteractor("wrong", () => ({ status: "accepted", value: "yes" }));
    const second = world(wrong);
    expect(await second.interactors.ask(confirm("q_1"), null)).toEqual({
      answer: { status: "rejected", reason: "no answer: wrong gave no answer that fits" },
      by: "nobody",
    });
    expect(wrong.asked).toHaveLength(2);
    expect(second.told.map(({ reason }) => reason)).toEqual(["it is asked once more", "it is not asked again"]);
  });

  it("whose answer is invalid is not asked again once the question is settled", async () => {
    const [wrong, right] = [byHand("wrong"), byHand("right")];
    const { clock, interactors, told } = world(wrong, right);
    const asked = interactors.ask(confirm("q_1"), null);
    right.say(YES);
    wrong.say("nonsense");
    await asked;
    await clock.advance(0);
    expect(wrong.shown).toEqual(["q_1"]);
    expect(told).toMatchObject([{ fault: { code: "EngineState" } }]);
  });
});

describe("attaching", () => {
  it("is counted, and reports which kinds can be answered", () => {
    const { interactors } = world();
    expect([interactors.size, interactors.canAnswer("Confirm")]).toEqual([0, false]);
    const detach = interactors.attach(scriptedInteractor("a", [], ["Approve"]));
    const kinds: readonly InteractionKind[] = ["Approve", "Confirm"];
    expect([interactors.size, ...kinds.map((kind) => interactors.canAnswer(kind))]).toEqual([1, true, false]);
    interactors.attach(scriptedInteractor("b", []));
    expect(kinds.map((kind) => interactors.canAnswer(kind))).toEqual([true, true]);
    detach();
    expect(interactors.size).toBe(1);
    interactors.attach(scriptedInteractor("a", []));
    detach();
    expect(interactors.size).toBe(2);
  });

  it("requires a unique name", () => {
    const { interactors } = world(scriptedInteractor("a", []));
    for (const name of ["a", "clock", "caller", "nobody"]) {
      expect(() => interactors.attach(scriptedInteractor(name, []))).toThrow("the name is taken");
    }
  });

  it("while a question is open shows it to the newcomer", async () => {
    const { interactors } = world(scriptedInteractor("silent", ["silence"]));
    const asked = interactors.ask(confirm("q_1"), null);
    const other = scriptedInteractor("other", [], ["Approve"]);
    interactors.attach(other);
    interactors.attach(scriptedInteractor("newcomer", [YES]));
    expect(await asked).toEqual({ answer: YES, by: "newcomer" });
    expect(other.asked).toEqual([]);
  });

  it("ends by dismissing what is shown; the others continue", async () => {
    const [leaving, staying] = [scriptedInteractor("leaving", ["silence", "silence"]), byHand("staying")];
    const { clock, interactors, told } = world(staying);
    const detach = interactors.attach(leaving);
    const first = interactors.ask(confirm("q_1"), null);
    const second = interactors.ask(confirm("q_2"), null);
    detach();
    await clock.advance(0);
    expect([leaving.dismissed, leaving.asked.length]).toEqual([["q_1"], 1]);
    staying.say(YES);
    await first;
    await clock.advance(0);
    staying.say(NO);
    expect(await second).toEqual({ answer: NO, by: "staying" });
    expect(told).toEqual([]);
  });

  it("ends in a no when the last one who could answer leaves", async () => {
    const { clock, interactors } = world();
    const detach = interactors.attach(scriptedInteractor("only", ["silence"]));
    const asked = interactors.ask(confirm("q_1"), null);
    detach();
    expect(await asked).toEqual({
      answer: { status: "rejected", reason: "no answer: only was taken away" },
      by: "nobody",
    });
    expect(clock.pending).toBe(0);
  });
});

describe("after a question", () => {
  it("no timer and no listener is left, and there is one listener for several questions", async () => {
    const person = byHand("person");
    const { clock, interactors } = world(person);
    const caller = new AbortController();
    const listeners = (): number => getEventListeners(caller.signal, "abort").length;
    const asked = ["q_1", "q_2", "q_3"].map((id) => interactors.ask(confirm(id), caller.signal));
    expect([listeners(), clock.pending]).toEqual([1, 3]);
    for (const left of [2, 1, 0]) {
      person.say(YES);
      await clock.advance(0);
      expect([listeners(), clock.pending]).toEqual([Math.min(left, 1), left]);
    }
    await Promise.all(asked);
    const newcomer = scriptedInteractor("newcomer", []);
    interactors.attach(newcomer);
    expect(newcomer.asked).toEqual([]);
  });

  it("cancelling its caller settles all of that caller's questions and no others", async () => {
    const { clock, interactors } = world(scriptedInteractor("silent", () => new Promise(() => undefined)));
    const [one, two] = [new AbortController(), new AbortController()];
    const mine = ["q_1", "q_2"].map((id) => interactors.ask(confirm(id), one.signal));
    const other = interactors.ask(confirm("q_3"), two.signal);
    one.abort();
    expect((await Promise.all(mine)).map(({ by }) => by)).toEqual(["caller", "caller"]);
    expect(getEventListeners(one.signal, "abort")).toEqual([]);
    await clock.advance(1000);
    expect(await other).toMatchObject({ by: "clock" });
    expect([getEventListeners(two.signal, "abort"), clock.pending]).toEqual([[], 0]);
  });
});

describe("over any history", () => {
  const behaviour = fc.record({
    delayMs: fc.nat(1500),
    does: fc.constantFrom("yes", "no", "throws", "nonsense", "gives up", "ignores its dismissal"),
  });

  it("each question gets exactly one answer in time, prompts never overlap, and nothing is left", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(behaviour, { minLength: 1, maxLength: 4 }), { maxLength: 3 }),
        fc.array(fc.record({ askAt: fc.nat(800), waitMs: fc.integer({ min: 1, max: 1000 }), cancels: fc.boolean() }), {
          minLength: 1,
          maxLength: 5,
        }),
        async (people, questions) => {
          const { clock, interactors } = world();
          const overlaps: string[] = [];
          const wrong: unknown[] = [];
          people.forEach((behaviours, index) => {
            let shown = 0;
            let number = 0;
            interactors.attach({
              name: `p${index}`,
              answer: (question, signal) => {
                if (++shown > 1) overlaps.push(question.id);
                const { delayMs, does } = behaviours[number++ % behaviours.length] ?? { delayMs: 0, does: "yes" };
                return new Promise<Answer>((resolve, reject) => {
                  const stop = clock.after(delayMs, () => {
                    shown--;
                    if (does === "throws") reject(new Error("boom"));
                    else if (does === "no") resolve(NO);
                    else if (does === "nonsense") resolve({ status: "accepted", value: "nonsense" });
                    else if (does === "gives up") resolve({ status: "timeout" });
                    else resolve(YES);
                  });
                  if (does === "ignores its dismissal") return;
                  signal.addEventListener("abort", () => {
                    stop();
                    shown--;
                    reject(signal.reason as Error);
                  });
                });
              },
            });
          });

          const callers = questions.map(() => new AbortController());
          const answers = questions.map(() => 0);
          questions.forEach(({ askAt, waitMs, cancels }, index) => {
            clock.after(askAt, () => {
              const expiresAt = askAt + waitMs;
              void interactors
                .ask(confirm(`q_${index}`, expiresAt), callers[index]?.signal ?? null)
                .then(({ answer, by }) => {
                  answers[index] = (answers[index] ?? 0) + 1;
                  const isRight = {
                    accepted: answer.status === "accepted" && answer.value === true && by.startsWith("p"),
                    rejected: clock.now() <= expiresAt && by !== "clock",
                    timeout: clock.now() === expiresAt && by === "clock",
                  }[answer.status];
                  if (!isRight) wrong.push({ at: clock.now(), expiresAt, answer, by });
                });
            });
            if (cancels) clock.after(askAt + waitMs / 2, () => callers[index]?.abort());
          });

          await clock.runAll();
          expect(answers).toEqual(questions.map(() => 1));
          expect([overlaps, wrong, clock.pending]).toEqual([[], [], 0]);
          for (const { signal } of callers) expect(getEventListeners(signal, "abort")).toEqual([]);
        },
      ),
      { numRuns: 300 },
    );
  });
});
