// `protect` and `call` over the grid: outside sessions, in a session and in a turn; a tool and a plain function; every way to end.

import { describe, expect, it, onTestFinished } from "vitest";
import {
  fault,
  FaultError,
  type Faultline,
  type RunContext,
  type SharedCallOptions,
  tool,
  type Turn,
  type WorkOptions,
} from "../../../src/index.ts";
import { thrownBy } from "../../support/thrown.ts";
import { world } from "../../support/world.ts";

type Callers = Pick<Turn, "protect" | "call">;

const PLACES: Readonly<Record<string, (fl: Faultline, use: (here: Callers) => Promise<void>) => Promise<void>>> = {
  "outside sessions": (fl, use) => use(fl),
  "in a session": async (fl, use) => use(await fl.session("s1")),
  "in a turn": async (fl, use) => {
    const { error } = await (await fl.session("s1")).turn(use);
    if (error !== undefined) throw error as Error;
  },
};

type Run = (context: RunContext) => unknown;
type Options = Omit<WorkOptions, "id" | "signal"> & Pick<SharedCallOptions, "signal">;

interface Way {
  readonly protect: (here: Callers, run: Run, options?: Options) => Promise<unknown>;
  readonly call: (here: Callers, run: Run, options?: Options) => Promise<unknown>;
}

function asTool(run: Run, { signal: _signal, ...options }: Options) {
  return tool<null, unknown>({ id: "work", ...options, run: (_input, context) => run(context) });
}

const signalOf = ({ signal }: Options): SharedCallOptions => (signal === undefined ? {} : { signal });

const WAYS: Readonly<Record<string, Way>> = {
  "a tool": {
    protect: (here, run, options = {}) => here.protect(asTool(run, options), null, signalOf(options)),
    call: (here, run, options = {}) => here.call(asTool(run, options), null, signalOf(options)),
  },
  "a function": {
    protect: (here, run, options = {}) => here.protect(run, { id: "work", ...options }),
    call: (here, run, options = {}) => here.call(run, { id: "work", ...options }),
  },
};

const GRID = Object.entries(PLACES).flatMap(([place, enter]) =>
  Object.entries(WAYS).map(([what, way]) => ({ place, what, enter, way })),
);

describe.each(GRID)("$what, $place", ({ enter, way }) => {
  async function inPlace(use: (here: Callers) => Promise<void>): Promise<void> {
    const { fl, clock } = world();
    onTestFinished(() => fl.close());
    await clock.runUntil(enter(fl, use));
  }

  const refusing = () => {
    throw new FaultError(fault("ToolUnavailable", { message: "away" }));
  };

  it("gives the value, and the outcome with it", () =>
    inPlace(async (here) => {
      expect(await way.call(here, ({ attempt }) => `attempt ${attempt}`)).toBe("attempt 1");
      expect(await way.protect(here, () => Promise.resolve(7))).toMatchObject({
        status: "done",
        value: 7,
        from: "work",
      });
    }));

  it("retries as the options say, then throws the fault with the error as it was thrown", () =>
    inPlace(async (here) => {
      const seen: number[] = [];
      const thrown = Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:443"), { code: "ECONNREFUSED" });
      const run = ({ attempt }: RunContext): never => {
        seen.push(attempt);
        throw thrown;
      };
      const failed = way.call(here, run, { retry: { maxAttempts: 3 } });
      const error = await thrownBy(failed);
      expect(error).toMatchObject({ fault: { code: "ToolUnavailable" } });
      expect((error as FaultError).error).toBe(thrown);
      expect(seen).toEqual([1, 2, 3]);
      expect(Object.keys(error as object)).not.toContain("error");
    }));

  it("does not repeat what may have happened, unless it is idempotent", () =>
    inPlace(async (here) => {
      for (const idempotent of [false, true]) {
        let runs = 0;
        const hang = (): Promise<never> => {
          runs += 1;
          return new Promise(() => undefined);
        };
        const outcome = await way.protect(here, hang, { idempotent, timeoutMs: 50, retry: { maxAttempts: 2 } });
        expect(outcome).toMatchObject({ status: "surfaced", fault: { code: "ExecutionTimeout" } });
        expect(runs).toBe(idempotent ? 2 : 1);
      }
    }));

  it("counts a default and a part of the value as values", () =>
    inPlace(async (here) => {
      const retry = "none";
      expect(await way.call(here, refusing, { retry, default: "nothing" })).toBe("nothing");
      const half: Run = ({ partial }) => {
        partial("half");
        throw new FaultError(fault("ToolUnavailable"));
      };
      expect(await way.call(here, half, { retry })).toBe("half");
    }));

  it("throws the reason of the signal that cancelled it", () =>
    inPlace(async (here) => {
      const caller = new AbortController();
      const reason = new Error("the user left");
      const hang: Run = () => {
        caller.abort(reason);
        return new Promise(() => undefined);
      };
      await expect(way.call(here, hang, { signal: caller.signal })).rejects.toBe(reason);
    }));
});

describe.each(Object.entries(PLACES))("a function with wrong options, %s", (_place, enter) => {
  it.each([
    [undefined, "the options of the function: id is missing; it must be a string that is not empty"],
    [{}, "the options of the function: id is missing; it must be a string that is not empty"],
    [{ id: "work", retries: 3 }, "the options of the function: there is no option retries; did you mean retry?"],
    [{ id: "work", retry: 3 }, 'the options of the function: retry is 3; it must be "none", or an object'],
    [{ id: "work", output: { type: "strin" } }, "the output of tool work"],
  ])("%o is refused with a sentence that names the option", async (options, sentence) => {
    const { fl, clock } = world();
    onTestFinished(() => fl.close());
    await clock.runUntil(
      enter(fl, async (here) => {
        const outcome = await here.protect(() => 1, options as never);
        expect(outcome).toMatchObject({ status: "failed", attempts: 0, fault: { code: "ConfigSchemaViolation" } });
        expect(outcome.status === "failed" && outcome.fault.message).toContain(sentence);
        await expect(here.call(() => 1, options as never)).rejects.toThrow(sentence);
      }),
    );
  });
});

it("functions of one id share a breaker", async () => {
  const { fl } = world();
  const fail = (): never => {
    throw new FaultError(fault("ToolUnavailable"));
  };
  for (let time = 0; time < 5; time++) await fl.protect(fail, { id: "shared", retry: "none" });
  await expect(fl.call(() => "well", { id: "shared" })).rejects.toMatchObject({ fault: { code: "CircuitOpen" } });
  expect(await fl.call(() => "well", { id: "other" })).toBe("well");
});

it("a function in a session is answered from the journal when the program runs again", async () => {
  const { fl } = world();
  let runs = 0;
  const body = (turn: Turn) => turn.call(() => (runs += 1), { id: "count" });
  const first = await (await fl.session("s1")).turn(body, { id: "once" });
  const again = await (await fl.session("s1")).turn(body, { id: "once" });
  expect([first.value, again.value, runs]).toEqual([1, 1, 1]);
});
