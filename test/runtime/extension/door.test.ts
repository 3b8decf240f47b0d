// Extensions through the public API: their contributions take effect, and an invalid extension stops the start and is named.

import { describe, expect, it } from "vitest";
import { EXTENSION_CONTRACT } from "../../../src/runtime/extension/extension.ts";
import {
  createFaultline,
  defineExtension,
  type Extension,
  type ExtensionHost,
  type FaultCode,
  type FaultlineOptions,
  type PolicyRow,
  type Retry,
  type Rule,
  tool,
} from "../../../src/index.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { thrownBy } from "../../support/thrown.ts";
import { fails, type Life, life, thrown } from "../session/life.ts";

interface Options {
  readonly requires?: readonly string[];
  readonly contractVersion?: number;
  readonly dispose?: () => void | Promise<void>;
}

function extension(
  name: string,
  setup: (host: ExtensionHost) => void | Promise<void>,
  options: Options = {},
): Extension {
  return defineExtension({ name, contractVersion: EXTENSION_CONTRACT, setup, ...options });
}

const extended = (...extensions: Extension[]): Life => life({ extensions });

const FIXED: Retry = {
  maxAttempts: 2,
  backoff: { kind: "fixed", initialMs: 500, maxMs: 500, multiplier: 1 },
  jitter: 0,
  maxWaitMs: 1_000,
  maxTotalWaitMs: 10_000,
};

describe("what an extension contributes", () => {
  it("as a tool is found by its name, also as an alternative of the program's own tools", async () => {
    const spare = tool<string, string>({ id: "spare_search", run: (city) => `spare ${city}` });
    const { fl, clock } = extended(extension("acme", (host) => host.tool(spare)));
    const main = tool<string, string>({ id: "search", alternatives: ["spare_search"], run: fails("NotFound") });
    expect(await clock.runUntil(fl.protect(main, "Lisbon"))).toMatchObject({
      value: "spare Lisbon",
      from: "spare_search",
    });
    expect(await clock.runUntil(fl.tool("spare_search"))).toBe(spare);
    const session = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(session.protect(main, "Porto"))).toMatchObject({ from: "spare_search" });
  });

  it("as rules classifies failures that the classifier does not know", async () => {
    const locked: Rule = {
      id: "acme/shelf-locked",
      when: { says: [["the shelf is taken"]] },
      means: "ResourceBusy",
      example: "the shelf is taken",
    };
    let runs = 0;
    const shelf = tool<object, string>({
      id: "shelf",
      run: () => {
        if (++runs === 1) throw new Error("the shelf is taken by somebody");
        return "mine";
      },
    });
    const plain = life();
    expect(await plain.clock.runUntil(plain.fl.protect(shelf, {}))).toMatchObject({ fault: { code: "Unclassified" } });
    runs = 0;
    const { fl, clock } = extended(extension("acme", (host) => host.rules([locked])));
    expect(await clock.runUntil(fl.protect(shelf, {}))).toMatchObject({ status: "done", attempts: 2 });
  });

  it("as policy rows changes how faults are handled", async () => {
    const row: PolicyRow = {
      match: { code: ["NotFound"] },
      retry: FIXED,
      then: ["fail"],
      origin: { layer: "preset", at: "acme" },
    };
    const { fl, clock } = extended(extension("acme", (host) => host.policyRows([row])));
    const gone = tool<object, string>({ id: "gone", run: fails("NotFound") });
    const outcome = await clock.runUntil(fl.protect(gone, {}));
    expect(outcome).toMatchObject({
      status: "failed",
      attempts: 2,
      decision: { row: { layer: "preset", at: "acme" } },
    });
    expect(clock.now()).toBe(1_000_500);
  });

  it("as an adapter applies to its own provider: its retries and the meaning of its failures", async () => {
    const quirk: Rule = {
      id: "acme/quirk",
      when: { says: [["acme says hm"]] },
      means: "Overloaded",
      example: "acme says hm",
    };
    const { fl, clock } = extended(
      extension("acme", (host) => host.adapter({ provider: "acme", retry: FIXED, rules: [quirk] })),
    );
    const made = (provider: string, run: () => never): ReturnType<typeof tool<object, string>> =>
      tool<object, string>({ id: `of_${provider}`, provider, idempotent: true, run });
    const timedOut = fails("NetworkTimeout");
    const odd = (): never => {
      throw new Error("acme says hm");
    };
    expect(await clock.runUntil(fl.protect(made("acme", timedOut), {}))).toMatchObject({ attempts: 2 });
    expect(await clock.runUntil(fl.protect(made("other", timedOut), {}))).toMatchObject({ attempts: 3 });
    expect(await clock.runUntil(fl.protect(made("acme", odd), {}))).toMatchObject({ fault: { code: "Overloaded" } });
    expect(await clock.runUntil(fl.protect(made("other", odd), {}))).toMatchObject({ fault: { code: "Unclassified" } });
  });

  it("as an interactor is asked until the runtime is closed", async () => {
    const ada = scriptedInteractor("ada", [{ status: "accepted", value: true }]);
    const { fl, clock } = extended(extension("acme", (host) => host.interactor(ada)));
    let runs = 0;
    const denied = tool<object, string>({
      id: "denied",
      run: () => {
        if (++runs === 1) throw thrown("AccessDenied");
        return "in";
      },
    });
    const session = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(session.protect(denied, {}))).toMatchObject({ status: "done", value: "in" });
    expect(ada.asked).toHaveLength(1);
    expect(() => fl.attach(ada)).toThrow("the name is taken");
    await clock.runUntil(fl.close());
    fl.attach(ada)();
  });

  it("as a suppressed error appears in the recent events with its name and reason, secrets masked", async () => {
    const { fl, clock } = life({
      secrets: ["quiet-river-stone"],
      extensions: [
        extension("acme", (host) => {
          host.suppress(new Error("no cache at quiet-river-stone"), "the cache is only for speed");
        }),
      ],
    });
    await clock.runUntil(fl.ready());
    const told = fl.recent().map(({ event }) => event);
    expect(told).toMatchObject([
      { type: "fault-suppressed", reason: "the cache is only for speed", fault: { context: { extension: "acme" } } },
      { type: "extension-started", name: "acme" },
    ]);
    expect(JSON.stringify(told)).not.toContain("quiet-river-stone");
  });

  it("as a fault raised by its own tool carries its name", async () => {
    const { fl, clock } = extended(
      extension("acme", (host) => {
        host.tool(
          tool<object, string>({ id: "raises", run: () => host.raise("Forbidden", { message: "not in this house" }) }),
        );
      }),
    );
    const raises = await clock.runUntil(fl.tool("raises"));
    if (raises === undefined) throw new Error("the tool is not there");
    const outcome = await clock.runUntil(fl.protect(raises, {} as never));
    expect(outcome).toMatchObject({ fault: { code: "Forbidden", context: { extension: "acme", tool: "raises" } } });
  });
});

describe("an invalid extension", () => {
  const nothing = (): void => undefined;
  const own = tool<object, string>({ id: "own", run: () => "own" });
  const named = scriptedInteractor("ada", []);

  interface Wrong {
    readonly why: string;
    readonly code: FaultCode;
    readonly names: string;
    readonly extensions: readonly Extension[];
    readonly more?: FaultlineOptions;
  }

  // prettier-ignore
  const WRONG: readonly Wrong[] = [
    { why: "is written for another contract", code: "ContractVersionMismatch", names: "old",       extensions: [extension("old", nothing, { contractVersion: 0 })] },
    { why: "needs one that is not there",     code: "DependencyMissing",       names: "needy",     extensions: [extension("needy", nothing, { requires: ["missing"] })] },
    { why: "needs one that needs it",         code: "DependencyCycle",         names: "a → b → a", extensions: [extension("a", nothing, { requires: ["b"] }), extension("b", nothing, { requires: ["a"] })] },
    { why: "fails in its set-up",             code: "LifecycleFailure",        names: "broken",    extensions: [extension("broken", () => Promise.reject(new Error("no disk")))] },
    { why: "hangs in its set-up",             code: "LifecycleFailure",        names: "stuck",     extensions: [extension("stuck", () => new Promise(nothing))] },
    { why: "has the name of another",         code: "ShapeInvalid",            names: "twin",      extensions: [extension("twin", nothing), extension("twin", nothing)] },
    { why: "brings a tool the program has",   code: "ShapeInvalid",            names: "greedy",    extensions: [extension("greedy", (host) => host.tool(own))], more: { tools: [own] } },
    { why: "brings a person already there",   code: "ShapeInvalid",            names: "ada",       extensions: [extension("double", (host) => host.interactor(named))], more: { interactors: [named] } },
  ];

  it.each(WRONG)(
    "because it $why stops sessions and calls with $code, by name",
    async ({ code, names, extensions, more }) => {
      const { fl, clock } = life({ ...more, extensions });
      for (let time = 0; time < 2; time++) {
        const refused = await clock.runUntil(thrownBy(fl.session("s")));
        expect(refused).toMatchObject({ fault: { code } });
        expect((refused as Error).message).toContain(names);
      }
      let runs = 0;
      const count = tool<object, number>({ id: "count", run: () => ++runs });
      expect(await clock.runUntil(fl.protect(count, {}))).toMatchObject({
        status: "failed",
        fault: { code },
        attempts: 0,
      });
      expect(runs).toBe(0);
      expect(await clock.runUntil(thrownBy(fl.ready()))).toMatchObject({ fault: { code } });
    },
  );
});

describe("starting and stopping", () => {
  function recorded(): {
    readonly order: string[];
    readonly make: (name: string, requires?: readonly string[]) => Extension;
  } {
    const order: string[] = [];
    const make = (name: string, requires: readonly string[] = []): Extension =>
      extension(name, () => void order.push(`${name} up`), {
        requires,
        dispose: () => void order.push(`${name} down`),
      });
    return { order, make };
  }

  it("follows the dependencies, once, and in reverse when the runtime is closed", async () => {
    const { order, make } = recorded();
    const { fl, clock } = extended(make("c", ["b"]), make("a"), make("b", ["a"]));
    expect(order).toEqual([]);
    const ok = tool<object, string>({ id: "ok", run: () => "fine" });
    const [first, second] = await clock.runUntil(Promise.all([fl.protect(ok, {}), fl.session("s")]));
    expect([first.status, second.id]).toEqual(["done", "s"]);
    await clock.runUntil(fl.close());
    expect(order).toEqual(["a up", "b up", "c up", "c down", "b down", "a down"]);
    const told = fl.recent().flatMap(({ event }) => ("name" in event ? [`${event.name} ${event.type}`] : []));
    expect(told.slice(-3)).toEqual(["c extension-stopped", "b extension-stopped", "a extension-stopped"]);
  });

  it("stops the started extensions when one fails, and leaves nothing behind", async () => {
    const { order, make } = recorded();
    const ada = scriptedInteractor("ada", []);
    const { fl, clock } = extended(
      make("a"),
      extension("brings", (host) => host.interactor(ada), { dispose: () => void order.push("brings down") }),
      extension("broken", fails("NotFound"), { requires: ["brings"] }),
      make("never"),
    );
    await clock.runUntil(thrownBy(fl.session("s")));
    expect(order).toEqual(["a up", "brings down", "a down"]);
    // The name is free again.
    fl.attach(ada)();
  });

  it("stops the others even if one fails to stop, and reports that", async () => {
    const { order, make } = recorded();
    const { fl, clock } = extended(
      make("a"),
      extension("bad", () => undefined, { dispose: fails("NotFound", "already gone") }),
      make("c"),
    );
    await clock.runUntil(fl.ready());
    await clock.runUntil(fl.close());
    expect(order).toEqual(["a up", "c up", "c down", "a down"]);
    const suppressed = fl.recent().flatMap(({ event }) => (event.type === "fault-suppressed" ? [event.fault] : []));
    expect(suppressed).toMatchObject([{ code: "LifecycleFailure", context: { extension: "bad", phase: "dispose" } }]);
  });

  it("that is in progress when the runtime is closed is awaited and undone", async () => {
    const clock = createFakeClock(1_000_000);
    const order: string[] = [];
    const slow = extension(
      "slow",
      async () => {
        await new Promise<void>((resolve) => void clock.after(1_000, resolve));
        order.push("slow up");
      },
      { dispose: () => void order.push("slow down") },
    );
    const fl = createFaultline({ clock, chance: createSeededChance(1), extensions: [slow] });
    const starting = fl.ready();
    await clock.advance(500);
    await clock.runUntil(Promise.all([fl.close(), starting]));
    expect(order).toEqual(["slow up", "slow down"]);
  });
});
