// Every place where a program's own code may throw without failing the work: hooks, listeners and repairs. Each is called more than
// once, so that a report per event would show.

import { expect } from "vitest";
import {
  createMemoryJournal,
  type ExtensionHost,
  fault,
  type Fault,
  type FaultCode,
  FaultError,
  type Interactor,
  type JournalEvent,
  type Session,
  tool,
  type Tool,
  type ToolOptions,
} from "../../src/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { defineExtension } from "../../src/runtime/extension/extension.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { stage } from "../../src/workflow/define.ts";
import { createDriver } from "../../src/workflow/driver.ts";
import { replayedClis } from "../agent/run/replayed-clis.ts";
import { engineWorld } from "./engine-world.ts";
import { brokenModel, faultIn, HOWS, SECRETS } from "./throwing-places.ts";
import type { ThrownThing } from "./thrown-things.ts";
import { START_AT, world, type World } from "./world.ts";

export interface SparedPlace {
  readonly where: string;
  /** The place has a fault of its own, whose cause is the thrown one. */
  readonly wraps?: FaultCode;
  /** Returns the faults that were reported. Expects for itself that the work went well. */
  readonly see: (thing: ThrownThing) => Promise<readonly Fault[]>;
}

const reported = (events: readonly JournalEvent[]): readonly Fault[] =>
  events.filter(({ type }) => type === "fault-suppressed").map(faultIn);

/** One object, because a schema is compiled once for each. */
const TEXT = { type: "string" };
const good = (more: Partial<ToolOptions<string, string>> = {}) =>
  tool<string, string>({ id: "t", input: TEXT, run: (text) => text, ...more });

const limited = (): never => {
  throw new FaultError(fault("RateLimited", { message: "as the test wants it" }));
};

/** Two calls that succeed, whatever the hook in question does. */
async function twoCalls({ fl, clock, events }: World, used: Tool<string, string>): Promise<readonly Fault[]> {
  for (const text of ["a", "b"]) {
    expect(await clock.runUntil(fl.protect(used, text))).toMatchObject({ status: "done" });
  }
  return reported(events());
}

const LISTENERS: readonly SparedPlace[] = HOWS.flatMap(([when, how]): readonly SparedPlace[] => [
  {
    where: `fl.subscribe outside a session, ${when}`,
    see: (thing) => {
      const here = world(SECRETS);
      here.fl.subscribe(how(thing));
      return twoCalls(here, good());
    },
  },
  {
    where: `fl.subscribe in a session and outside, ${when}`,
    see: async (thing) => {
      const here = world(SECRETS);
      here.fl.subscribe(how(thing));
      const session = await here.clock.runUntil(here.fl.session("s"));
      expect(await here.clock.runUntil(session.protect(good(), "x"))).toMatchObject({ status: "done" });
      return twoCalls(here, good());
    },
  },
  {
    where: `journal.subscribe, ${when}`,
    see: async (thing) => {
      const told: Fault[] = [];
      const clock = createFakeClock(START_AT);
      const journal = createMemoryJournal({ clock, onWarning: (seen) => void told.push(seen) });
      journal.subscribe(how(thing));
      const { fl } = world({ ...SECRETS, journal, clock });
      const session = await clock.runUntil(fl.session("s"));
      expect(await clock.runUntil(session.protect(good(), "x"))).toMatchObject({ status: "done" });
      return told;
    },
  },
  ...(["onEvent", "onLine", "onExit", "onResult"] as const).map((name): SparedPlace => ({
    where: `${name} of an agent, ${when}`,
    see: async (thing) => {
      const { fl, events } = world({ ...SECRETS, clock: systemClock });
      const { target } = replayedClis({ claude: ["claude-ok-stream"] });
      const outcome = await fl.agent([target("claude")]).run("hello", { [name]: how(thing) });
      expect(outcome).toMatchObject({ status: "done", attempts: 1 });
      return reported(events());
    },
  })),
]);

/** Warnings of the Node process, as the texts they print. */
export const DRIVER_LISTENERS = ["onAdvanced", "onWarning"] as const;

/** Two runs, one of which cannot be advanced at first. */
export async function driveWith(name: (typeof DRIVER_LISTENERS)[number], listener: () => never): Promise<void> {
  const { runs, journal, clock, start } = await engineWorld(
    { id: "w", stages: { a: stage({ act: () => 1 }) } },
    SECRETS,
  );
  let refusals = 3;
  const ends: string[] = [];
  const advances = {
    advance: async (run: string) => {
      if (name === "onWarning" && refusals-- > 0) throw new Error("not yet");
      const end = await runs.advance(run);
      ends.push(end.status);
      return end;
    },
    drain: () => runs.drain(),
    stop: () => runs.stop(),
  };
  for (let started = 0; started < 2; started++) await start();
  const driver = createDriver(advances, { journal, clock }, { [name]: listener });
  driver.start();
  await clock.advance(20_000);
  await driver.stop();
  expect(ends).toEqual(["completed", "completed"]);
}

const HOOKS: readonly SparedPlace[] = HOWS.flatMap(([when, how]): readonly SparedPlace[] => [
  {
    where: `the classify hook of a tool, ${when}`,
    see: async (thing) => {
      const here = world(SECRETS);
      const used = good({ run: limited, classify: how(thing), retry: "none", default: "x" });
      await here.clock.runUntil(here.fl.protect(used, "x"));
      return reported(here.events());
    },
  },
  {
    where: `the cost estimate of a tool, ${when}`,
    see: async (thing) => {
      const here = world({ ...SECRETS, budget: { maxUsd: 0.00001 } });
      const outcome = await here.clock.runUntil(here.fl.protect(good({ cost: { estimate: how(thing) } }), "x"));
      expect(outcome).toMatchObject({ status: "done" });
      return reported(here.events());
    },
  },
  {
    where: `whenGivenUp of a running tool, ${when}`,
    see: async (thing) => {
      const here = world(SECRETS);
      const used = good({
        timeoutMs: 10,
        retry: "none",
        default: "x",
        run: (_text, { whenGivenUp }) => {
          whenGivenUp(how(thing));
          return new Promise<never>(() => undefined);
        },
      });
      expect(await here.clock.runUntil(here.fl.protect(used, "x"))).toMatchObject({
        fault: { code: "ExecutionTimeout" },
      });
      return reported(here.events());
    },
  },
  {
    where: `the sign-in of a tool, ${when}`,
    see: async (thing) => {
      const here = world(SECRETS);
      const session = await here.clock.runUntil(here.fl.session("s"));
      const run = (): never => {
        throw new FaultError(fault("AuthFailed", { message: "as the test wants it" }));
      };
      const outcome = await here.clock.runUntil(session.protect(good({ run, signIn: how(thing) }), "x"));
      expect(outcome).toMatchObject({ status: "waiting" });
      return reported(here.events());
    },
  },
  {
    where: `the dispose of an extension, ${when}`,
    wraps: "LifecycleFailure",
    see: async (thing) => {
      const extension = defineExtension({ name: "x", contractVersion: 1, setup: () => undefined, dispose: how(thing) });
      const { fl, clock, events } = world({ ...SECRETS, extensions: [extension] });
      await clock.runUntil(fl.ready());
      await clock.runUntil(fl.close());
      return reported(events());
    },
  },
  {
    where: `an interactor, ${when}`,
    see: async (thing) => {
      const interactor: Interactor = { name: "broken", answer: how(thing) };
      const { fl, clock, events } = world({ ...SECRETS, interactors: [interactor] });
      const session: Session = await clock.runUntil(fl.session("s"));
      const answer = await clock.runUntil(session.ask("q", { kind: "Confirm", prompt: "go on?" }));
      expect(answer).toMatchObject({ status: "rejected" });
      return reported(events());
    },
  },
]);

const SUPPRESS: SparedPlace = {
  where: "host.suppress",
  see: async (thing) => {
    let host: ExtensionHost | null = null;
    const extension = defineExtension({ name: "x", contractVersion: 1, setup: (given) => void (host = given) });
    const { fl, clock, events } = world({ ...SECRETS, extensions: [extension] });
    await clock.runUntil(fl.ready());
    (host as ExtensionHost | null)?.suppress(thing.make(), "on purpose");
    return reported(events());
  },
};

/** What a model fails with so that a chain tries this repair. */
const REPAIRS = { compact: "ContextOverflow", refreshCredential: "AuthFailed" } as const;

const CHAINS: readonly SparedPlace[] = HOWS.flatMap(([when, how]) =>
  Object.entries(REPAIRS).map(([name, code]): SparedPlace => ({
    where: `${name} of a chain, ${when}`,
    see: async (thing) => {
      const { fl, clock, events } = world(SECRETS);
      const failing = { make: () => new FaultError(fault(code, { message: "as the test wants it" })) };
      const model = fl.model([brokenModel(failing as unknown as ThrownThing)], { [name]: how(thing) });
      const prompt = [{ role: "user" as const, content: [{ type: "text" as const, text: "x" }] }];
      const [end] = await clock.runUntil(Promise.allSettled([model.doGenerate({ prompt })]));
      expect(end).toMatchObject({ status: "rejected", reason: { fault: { code } } });
      return reported(events());
    },
  })),
);

export const SPARED_PLACES: readonly SparedPlace[] = [...LISTENERS, ...HOOKS, SUPPRESS, ...CHAINS];
