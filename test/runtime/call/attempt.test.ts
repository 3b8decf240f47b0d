// One attempt by itself: what its tool may say while it runs and after its end, its ends, and what it passes on to its owner.

import { describe, expect, it } from "vitest";
import { fault, type Fault, FaultError, isFaultError } from "../../../src/core/fault/fault.ts";
import type { CallTrace } from "../../../src/telemetry/call-trace.ts";
import { Attempt, type AttemptEnd, type AttemptOwner } from "../../../src/runtime/call/attempt.ts";
import type { Binding } from "../../../src/runtime/tool/binding.ts";
import type { AnyTool, RunContext } from "../../../src/runtime/tool/tool.ts";
import { tool } from "../../../src/runtime/tool/tool.ts";
import { Moment } from "../../../src/host/clock.ts";
import { Wheel } from "../../../src/runtime/wheel.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";

const NOW = 1_000_000;
const TOO_MUCH = fault("BudgetExceeded");

interface Made {
  readonly attempt: Attempt;
  readonly clock: FakeClock;
  readonly wheel: Wheel;
  /** What reached its owner, in order. */
  readonly heard: string[];
}

interface Setting {
  readonly run?: (input: string, context: RunContext) => unknown;
  readonly timeoutMs?: number;
  readonly deadlineAt?: number;
  readonly metered?: Fault | null;
  readonly isMember?: boolean;
}

function made({ run = () => never(), timeoutMs = 100, deadlineAt = Infinity, metered = null, ...more }: Setting): Made {
  const clock = createFakeClock(NOW);
  const wheel = new Wheel(clock);
  const heard: string[] = [];
  const trace = {
    tokens: (tokens: unknown) => heard.push(`tokens ${JSON.stringify(tokens)}`),
    attempting: (work: () => unknown) => work(),
  };
  const declared = tool({ id: "t", timeoutMs, run }) as unknown as AnyTool;
  const spec = more.isMember === true ? ({ ...declared, member: {} } as AnyTool) : declared;
  const bindingOf = (to: string): AttemptOwner["binding"] => ({
    tool: spec,
    target: { applyLimits: () => void heard.push(`headers${to}`) } as unknown as Binding["target"],
    classify: () => fault("Unsupported", { message: `classified ${heard.push(`classify${to}`)}` }),
    counted: (event) => event,
  });
  const owner = {
    call: "c1",
    engine: { wheel, clock, suppress: (_fault: Fault, reason: string) => void heard.push(reason) },
    request: { deadline: new Moment(clock, deadlineAt) },
    binding: bindingOf(""),
    trace: trace as unknown as CallTrace,
    claim: () => heard.push("claim") > 0,
    commit: () => void heard.push("commit"),
    cancel: (why) => void heard.push(`cancel ${why.code}`),
    hasFallback: () => heard.push("fallback") > 0,
    metered: (_attempt, microcents) => {
      heard.push(`metered ${microcents}`);
      return metered;
    },
    landed: ({ end }) => void heard.push(`landed ${end}`),
    late: (_attempt, ok) => void heard.push(`late ${ok}`),
  } satisfies AttemptOwner;
  const attempt = new Attempt(owner, 1, null, NOW);
  // As when another tool took over before this one speaks.
  owner.binding = bindingOf(" of another tool");
  return { attempt, clock, wheel, heard };
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

type Said = Pick<Attempt, "costMicrocents" | "costBasis" | "partialValue">;
const UNSAID: Said = { costMicrocents: null, costBasis: "reported", partialValue: null };
const said = ({ costMicrocents, costBasis, partialValue }: Attempt): Said => ({
  ...{ costMicrocents, costBasis, partialValue },
});

/** What a tool says, what is known of it then, and what its owner hears. */
type Word = readonly [string, (context: RunContext) => unknown, Partial<Said>, readonly string[]];

/** An attempt that was given up may still say what it has cost. */
const COSTS: readonly Word[] = [
  ["a cost", ({ cost }) => cost(7), { costMicrocents: 7 }, []],
  ["a cost of nothing", ({ cost }) => cost(0), { costMicrocents: 0 }, []],
  ["half a microcent more", ({ cost }) => cost(7.5), { costMicrocents: 8 }, []],
  ["an estimate", ({ cost }) => cost(7, "estimated"), { costMicrocents: 7, costBasis: "estimated" }, []],
  ["a cost below nothing", ({ cost }) => cost(-1), {}, []],
  ["a cost without end", ({ cost }) => cost(Infinity), {}, []],
  ["a cost that is not a number", ({ cost }) => cost(NaN), {}, []],
];

const OTHER_WORDS: readonly Word[] = [
  ["a cost so far", ({ costSoFar }) => costSoFar(7.4), { costMicrocents: 7, costBasis: "estimated" }, ["metered 7"]],
  ["nothing so far", ({ costSoFar }) => costSoFar(0), { costMicrocents: 0, costBasis: "estimated" }, ["metered 0"]],
  ["less than nothing so far", ({ costSoFar }) => costSoFar(-1), {}, []],
  ["a cost so far that is not a number", ({ costSoFar }) => costSoFar(NaN), {}, []],
  ["a part", ({ partial }) => partial("some"), { partialValue: { value: "some", errors: [] } }, []],
  ["tokens", ({ tokens }) => tokens({ input: 1 } as never), {}, ['tokens {"input":1}']],
  ["a commit", ({ commit }) => commit(), {}, ["commit"]],
  ["a claim", ({ claim }) => claim(), {}, ["claim"]],
  ["response headers", ({ responseHeaders }) => responseHeaders({}), {}, ["headers"]],
  ["that it cancels the call", ({ cancel }) => cancel(), {}, ["cancel ToolCancelled"]],
];

describe("what a tool says while its attempt runs", () => {
  it.each([...COSTS, ...OTHER_WORDS])("%s", (_what, say, known, hears) => {
    const { attempt, heard } = made({ run: (_input, context) => (say(context), never()) });
    attempt.start("x");
    expect(said(attempt)).toEqual({ ...UNSAID, ...known });
    expect([heard, attempt.end]).toEqual([hears, null]);
  });

  const afterItsEnd = async (say: (context: RunContext) => unknown): Promise<Made> => {
    const all = made({});
    all.attempt.start("x");
    await all.clock.advance(200);
    expect(all.heard.splice(0)).toEqual(["landed timeout"]);
    say(all.attempt);
    return all;
  };

  it.each(COSTS)("also counts after its end: %s", async (_what, say, known) => {
    const { attempt } = await afterItsEnd(say);
    expect(said(attempt)).toEqual({ ...UNSAID, ...known });
  });

  it.each(OTHER_WORDS)("does not count after its end: %s", async (_what, say) => {
    const { attempt, heard } = await afterItsEnd(say);
    expect(said(attempt)).toEqual(UNSAID);
    expect(heard.filter((line) => !/^(?:headers|cancel)/.test(line))).toEqual([]);
  });

  it("ends the attempt when its cost so far is more than the budget allows, and its tool reads why", () => {
    const { attempt, heard } = made({ metered: TOO_MUCH, run: (_input, { costSoFar }) => (costSoFar(9), never()) });
    const { signal } = attempt;
    attempt.start("x");
    expect([attempt.end, attempt.result, heard]).toEqual(["overspent", TOO_MUCH, ["metered 9", "landed overspent"]]);
    expect(isFaultError(signal.reason) && signal.reason.fault).toBe(TOO_MUCH);
  });

  it("counts up to twenty files", () => {
    const { attempt } = made({});
    for (let file = 0; file < 25; file++) attempt.artefact(`f${file}`, "text");
    expect(attempt.artefacts.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_one, file) => `f${file}`));
  });

  it("is classified once per error", () => {
    const { attempt, heard } = made({});
    const [one, other] = [new Error("one"), new Error("other")];
    const messages = [one, one, other, one].map((error) => attempt.classify(error).message);
    expect(messages).toEqual(["classified 1", "classified 1", "classified 2", "classified 3"]);
    expect(heard).toEqual(["classify", "classify", "classify"]);
  });
});

describe("an attempt", () => {
  it.each<[string, Setting, AttemptEnd, unknown]>([
    ["returns a value", { run: () => 5 }, "value", 5],
    ["resolves with a value", { run: () => Promise.resolve(5) }, "value", 5],
    [
      "resolves with what has a `then`",
      { run: () => ({ then: (done: (value: number) => void) => done(5) }) },
      "value",
      5,
    ],
    ["returns null", { run: () => null }, "value", null],
    ["returns an object with a `then` that is not a function", { run: () => ({ then: 1 }) }, "value", { then: 1 }],
    ["throws", { run: () => thrown("bad") }, "error", new Error("bad")],
    ["rejects", { run: () => Promise.reject(new Error("bad")) }, "error", new Error("bad")],
    ["takes too long", {}, "timeout", undefined],
    ["is still at it when the turn is over", { deadlineAt: NOW + 50 }, "deadline", undefined],
    ["has as much time as the turn", { deadlineAt: NOW + 100 }, "timeout", undefined],
  ])("whose tool %s ends accordingly, and leaves the wheel", async (_what, setting, end, result) => {
    const { attempt, clock, wheel } = made(setting);
    const ended = attempt.run("x");
    await clock.advance(110);
    expect(await ended).toBe(attempt);
    expect([attempt.end, attempt.result, wheel.size]).toEqual([end, result, 0]);
  });

  it.each([5, null, undefined, "text", { then: 1 }])(
    "with the value %j at hand ends before `start` returns",
    (value) => {
      const { attempt, heard } = made({ run: () => value });
      attempt.start("x");
      expect([attempt.end, heard]).toEqual(["value", ["landed value"]]);
    },
  );

  it.each<[string, Setting, boolean]>([
    ["by its time limit", {}, true],
    ["of a tool, by the end of the turn", { deadlineAt: NOW + 50 }, false],
    ["of a model, by the end of the turn", { deadlineAt: NOW + 50, isMember: true }, true],
  ])("that is ended %s aborts its tool: %s", async (_what, setting, isAborted) => {
    const { attempt, clock, heard } = made(setting);
    const told: unknown[] = [];
    const { signal } = attempt;
    attempt.whenGivenUp((reason) => told.push(reason));
    attempt.start("x");
    await clock.advance(110);
    expect([signal.aborted, told.length, heard.length]).toEqual([isAborted, isAborted ? 1 : 0, 1]);
    const late = made(setting);
    late.attempt.start("x");
    await late.clock.advance(110);
    late.attempt.whenGivenUp((reason) => told.push(reason));
    expect([late.attempt.signal.aborted, told.length]).toEqual([isAborted, isAborted ? 2 : 0]);
    const says = `t was given up after ${setting.deadlineAt === undefined ? 100 : 50} ms`;
    if (isAborted) expect(told).toMatchObject([{ name: "TimeoutError", message: says }, { message: says }]);
  });

  it("that has answered aborts nothing", () => {
    const { attempt } = made({ run: () => 5 });
    const told: unknown[] = [];
    attempt.start("x");
    attempt.whenGivenUp((reason) => told.push(reason));
    expect([attempt.signal.aborted, told]).toEqual([false, []]);
  });

  it("ends once: what comes later is late, and a second end changes nothing", async () => {
    const answer = Promise.withResolvers<number>();
    const { attempt, clock, heard } = made({ run: () => answer.promise });
    attempt.start("x");
    attempt.giveUp(fault("TurnCancelled"));
    attempt.expire();
    attempt.giveUp(TOO_MUCH);
    answer.resolve(5);
    await clock.advance(0);
    attempt.reject(new Error("too"));
    expect([attempt.end, (attempt.result as Fault).code]).toEqual(["cancel", "TurnCancelled"]);
    expect(heard).toEqual(["landed cancel", "late true", "late false"]);
    expect(attempt.signal.reason).toBeInstanceOf(FaultError);
  });

  it("reports an error of the function that it calls when it is given up", () => {
    const { attempt, heard } = made({});
    attempt.whenGivenUp(() => thrown("in the callback"));
    attempt.start("x");
    attempt.giveUp(fault("TurnCancelled"));
    expect(heard).toEqual(["landed cancel", "t failed when it was given up"]);
  });

  it("keeps its length when the wall clock is set", async () => {
    const { attempt, clock } = made({});
    attempt.start("x");
    clock.set(5_000);
    expect([attempt.startedAt, attempt.deadlineAt]).toEqual([NOW + 5_000, NOW + 5_100]);
    await clock.advance(99);
    expect(attempt.end).toBeNull();
    await clock.advance(2);
    expect(attempt.end).toBe("timeout");
  });
});

function thrown(message: string): never {
  throw new Error(message);
}
