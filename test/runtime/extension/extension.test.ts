// The guarantees E1–E4 of extensions: checked first, started in order, stopped in reverse, and no error is lost.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FaultCode } from "../../../src/core/fault/catalogue.ts";
import { type Fault, FaultError, isFaultError, type SuppressedFault } from "../../../src/core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../../../src/core/fault/redact.ts";
import type { Rule } from "../../../src/core/classify/rule.ts";
import { MATRIX } from "../../../src/core/policy/matrix.ts";
import {
  defineExtension,
  type Extension,
  EXTENSION_CONTRACT,
  type ExtensionOptions,
  LIFECYCLE_TIMEOUT_MS,
  startExtensions,
  type StartedExtensions,
} from "../../../src/runtime/extension/extension.ts";
import {
  createContributionSink,
  createHost,
  type ExtensionHost,
} from "../../../src/runtime/extension/extension-host.ts";
import { type AnyTool, tool } from "../../../src/runtime/tool/tool.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { thrownBy } from "../../support/thrown.ts";

const RULE: Rule = { id: "mine/busy", when: { token: ["my_busy"] }, means: "Overloaded", example: "my_busy" };

function toolCalled(id: string): AnyTool {
  return tool({ id, run: () => id });
}

interface World {
  readonly clock: FakeClock;
  readonly happened: string[];
  readonly told: { readonly fault: Fault; readonly reason: string }[];
  readonly suppressed: SuppressedFault[];
  readonly sink: ReturnType<typeof createContributionSink>;
  readonly start: (...extensions: readonly ExtensionOptions[]) => Promise<StartedExtensions>;
  /** An extension that records what happens to it. */
  readonly extension: (name: string, requires?: readonly string[], more?: Partial<ExtensionOptions>) => Extension;
}

function world(): World {
  const clock = createFakeClock();
  const happened: string[] = [];
  const told: World["told"] = [];
  const suppressed: SuppressedFault[] = [];
  const sink = createContributionSink((event) => void suppressed.push(event));
  return {
    clock,
    happened,
    told,
    suppressed,
    sink,
    start: (...extensions) =>
      startExtensions(extensions, (name) => createHost(name, sink, clock), {
        clock,
        redactor: SHAPE_REDACTOR,
        suppress: (fault, reason) => void told.push({ fault, reason }),
        tell: ({ type, name }) => void happened.push(`${name} ${type}`),
      }),
    extension: (name, requires = [], more = {}) =>
      defineExtension({
        name,
        contractVersion: EXTENSION_CONTRACT,
        requires,
        setup: () => void happened.push(`${name} set-up`),
        dispose: () => void happened.push(`${name} dispose`),
        ...more,
      }),
  };
}

async function faultOf(work: Promise<unknown>): Promise<Fault> {
  const thrown = await thrownBy(work);
  if (!isFaultError(thrown)) throw new Error("not a FaultError", { cause: thrown });
  return thrown.fault;
}

const setUps = (happened: readonly string[]): readonly string[] =>
  happened.filter((what) => what.endsWith(" set-up")).map((what) => what.replace(" set-up", ""));

describe("extensions", () => {
  it("start in the order of their dependencies and stop in reverse", async () => {
    const { start, extension, happened, clock } = world();
    const started = await start(extension("page", ["store", "log"]), extension("log"), extension("store", ["log"]));
    expect(happened).toEqual([
      "log set-up",
      "log extension-started",
      "store set-up",
      "store extension-started",
      "page set-up",
      "page extension-started",
    ]);
    happened.length = 0;
    await started.stop();
    expect(happened).toEqual([
      "page dispose",
      "page extension-stopped",
      "store dispose",
      "store extension-stopped",
      "log dispose",
      "log extension-stopped",
    ]);
    expect(clock.pending).toBe(0);
  });

  it("keep the order of declaration where dependencies leave it open", async () => {
    const { start, extension, happened } = world();
    await start(extension("d", ["z"]), extension("c"), extension("z"), extension("a"), extension("b", ["a"]));
    expect(setUps(happened)).toEqual(["c", "z", "d", "a", "b"]);
  });

  it("are set up one at a time", async () => {
    const { start, extension, happened, clock } = world();
    const slow = extension("slow", [], {
      setup: () =>
        new Promise<void>((done) => void clock.after(100, done)).then(() => void happened.push("slow set-up")),
    });
    const started = start(slow, extension("next"));
    await clock.advance(99);
    expect(happened).toEqual([]);
    await clock.advance(1);
    await started;
    expect(setUps(happened)).toEqual(["slow", "next"]);
  });

  it("may be an empty list, and need no dispose function", async () => {
    const { start, told } = world();
    await (await start()).stop();
    await (await start({ name: "a", contractVersion: 1, setup: () => undefined })).stop();
    expect(told).toEqual([]);
  });

  it("keep their own `this`", async () => {
    const { start } = world();
    const seen: string[] = [];
    const plugin = {
      name: "plugin",
      contractVersion: 1,
      word: "mine",
      setup() {
        seen.push(this.word);
      },
      dispose() {
        seen.push(`${this.word} too`);
      },
    };
    await (await start(plugin)).stop();
    expect(seen).toEqual(["mine", "mine too"]);
  });
});

describe("before any setup", () => {
  const anyone = { contractVersion: EXTENSION_CONTRACT, setup: () => undefined };

  interface Row {
    readonly title: string;
    readonly extensions: readonly ExtensionOptions[];
    readonly code: FaultCode;
    readonly says: readonly string[];
  }

  const rows: readonly Row[] = [
    {
      title: "a contract version that is not ours",
      extensions: [{ ...anyone, name: "old", contractVersion: 7 }],
      code: "ContractVersionMismatch",
      says: ['"old"', "contract 7", "contract 1"],
    },
    {
      title: "a contract version that is missing",
      extensions: [{ name: "none", setup: anyone.setup } as unknown as ExtensionOptions],
      code: "ContractVersionMismatch",
      says: ['"none"', "contract undefined"],
    },
    {
      title: "two of one name",
      extensions: [
        { ...anyone, name: "twin" },
        { ...anyone, name: "twin" },
      ],
      code: "ShapeInvalid",
      says: ['"twin"'],
    },
    {
      title: "one without a name",
      extensions: [{ ...anyone, name: " " }],
      code: "ConfigSchemaViolation",
      says: ["name"],
    },
    {
      title: "one without a set-up",
      extensions: [{ name: "empty", contractVersion: 1 } as unknown as ExtensionOptions],
      code: "ConfigSchemaViolation",
      says: ['"empty"', "setup"],
    },
    {
      title: "a dependency that is not there",
      extensions: [{ ...anyone, name: "page", requires: ["store"] }],
      code: "DependencyMissing",
      says: ['"page"', '"store"'],
    },
    {
      title: "a ring, without those that only lead to it",
      extensions: [
        { ...anyone, name: "leads", requires: ["a"] },
        { ...anyone, name: "a", requires: ["free", "b"] },
        { ...anyone, name: "b", requires: ["c"] },
        { ...anyone, name: "c", requires: ["a"] },
        { ...anyone, name: "free" },
      ],
      code: "DependencyCycle",
      says: ["ring: a → b → c → a"],
    },
    {
      title: "one that requires itself",
      extensions: [{ ...anyone, name: "self", requires: ["self"] }],
      code: "DependencyCycle",
      says: ["self → self"],
    },
  ];

  it.each(rows)("$title is refused", async ({ extensions, code, says }) => {
    const { start, extension, happened } = world();
    const fault = await faultOf(start(extension("first"), ...extensions));
    expect(fault.code).toBe(code);
    for (const words of says) expect(fault.message).toContain(words);
    expect(happened).toEqual([]);
  });
});

describe("a setup", () => {
  it("that fails ends the start with its cause, after the earlier extensions are disposed in reverse", async () => {
    const { start, extension, happened, told, clock } = world();
    const cause = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const broken = extension("broken", [], { setup: () => Promise.reject(cause) });
    const thrown = await thrownBy(start(extension("a"), extension("b"), broken, extension("never")));
    expect(thrown).toBeInstanceOf(FaultError);
    expect(thrown).toMatchObject({
      cause,
      fault: {
        code: "LifecycleFailure",
        context: { extension: "broken", phase: "set-up" },
        cause: { code: "NetworkDisconnect" },
      },
    });
    expect(happened.slice(-4)).toEqual(["b dispose", "b extension-stopped", "a dispose", "a extension-stopped"]);
    expect(happened).not.toContain("broken dispose");
    expect([setUps(happened), told, clock.pending]).toEqual([["a", "b"], [], 0]);
  });

  it("fails the same way whether it throws synchronously or raises a fault", async () => {
    const { start, extension } = world();
    const raises = extension("raises", [], {
      setup: (host) => host.raise("ConfigSchemaViolation", { message: "no url", context: { field: "url" } }),
    });
    expect(await faultOf(start(raises))).toMatchObject({
      code: "LifecycleFailure",
      message: 'extension "raises" failed in its set-up: no url',
      cause: { code: "ConfigSchemaViolation", context: { extension: "raises", field: "url" } },
    });
  });

  it("that hangs is abandoned at its time limit, and the earlier extensions are disposed", async () => {
    const { start, extension, happened, clock } = world();
    const hanging = extension("hanging", [], { setup: () => new Promise(() => undefined) });
    const fault = faultOf(start(extension("a"), hanging));
    await clock.advance(LIFECYCLE_TIMEOUT_MS - 1);
    expect(happened).not.toContain("a dispose");
    await clock.advance(1);
    expect(await fault).toMatchObject({ code: "LifecycleFailure", context: { extension: "hanging", phase: "set-up" } });
    expect(happened).toContain("a dispose");
    expect(clock.pending).toBe(0);
  });

  it("that ends after it was abandoned is disposed; one that fails then is reported", async () => {
    const { start, extension, happened, clock, told } = world();
    const after = async (delayMs: number, end: () => void): Promise<void> => {
      await new Promise<void>((wake) => void clock.after(delayMs, wake));
      end();
    };
    const late = extension("late", [], { setup: () => after(LIFECYCLE_TIMEOUT_MS + 5, () => undefined) });
    const first = faultOf(start(late));
    await clock.runAll();
    await first;
    expect(happened).toEqual(["late dispose"]);

    let tooLate: () => void = () => undefined;
    const failing = extension("failing", [], {
      setup: (host) => {
        tooLate = () => host.tool(toolCalled("t"));
        return after(LIFECYCLE_TIMEOUT_MS + 5, () => tooLate());
      },
    });
    const second = faultOf(start(failing));
    await clock.runAll();
    await second;
    expect(told).toMatchObject([
      {
        fault: { code: "LifecycleFailure", context: { extension: "failing" }, cause: { code: "EngineState" } },
        reason: "it had been given up before",
      },
    ]);
    expect(happened).toEqual(["late dispose"]);
  });
});

describe("stopping", () => {
  it("reaches every extension, reports those that fail or hang, and does not throw", async () => {
    const { start, extension, happened, told, clock } = world();
    const started = await start(
      extension("a"),
      extension("throws", [], { dispose: () => Promise.reject(new Error("socket hang up")) }),
      extension("hangs", [], { dispose: () => new Promise(() => undefined) }),
      extension("d"),
    );
    happened.length = 0;
    await clock.runUntil(started.stop());
    expect(happened.filter((what) => what.endsWith("dispose"))).toEqual(["d dispose", "a dispose"]);
    expect(told).toMatchObject([
      { fault: { code: "LifecycleFailure", context: { extension: "hangs", phase: "dispose" } } },
      {
        fault: {
          code: "LifecycleFailure",
          context: { extension: "throws", phase: "dispose" },
          cause: { code: "NetworkDisconnect" },
        },
        reason: "the other extensions are stopped all the same",
      },
    ]);
    expect([clock.now(), clock.pending]).toEqual([LIFECYCLE_TIMEOUT_MS, 0]);
  });

  it("reports a disposal that fails after it was abandoned", async () => {
    const { start, extension, told, clock } = world();
    const dispose = (): Promise<void> =>
      new Promise((_resolve, reject) => void clock.after(LIFECYCLE_TIMEOUT_MS * 2, () => reject(new Error("late"))));
    const started = await start(extension("a", [], { dispose }));
    await clock.runUntil(started.stop());
    expect(told).toHaveLength(1);
    await clock.runAll();
    expect(told.map(({ reason }) => reason)).toEqual([
      "the other extensions are stopped all the same",
      "it had been given up before",
    ]);
  });

  it("happens once, however often it is requested", async () => {
    const { start, extension, happened } = world();
    const started = await start(extension("a"));
    await Promise.all([started.stop(), started.stop()]);
    await started.stop();
    expect(happened.filter((what) => what === "a dispose")).toHaveLength(1);
  });
});

describe("a host", () => {
  it("collects contributions in order, with their origin", async () => {
    const { start, extension, sink } = world();
    const person = scriptedInteractor("person", []);
    const [row] = MATRIX;
    if (row === undefined) throw new Error("the matrix is empty");
    const retry = row.retry ?? undefined;
    await start(
      extension("one", ["two"], { setup: (host) => host.tool(toolCalled("second")) }),
      extension("two", [], {
        setup: (host) => {
          host.tool(toolCalled("first"));
          host.rules([RULE]);
          host.policyRows([row]);
          host.adapter({ provider: "acme" });
          host.adapter({ provider: "other", rules: [RULE], ...(retry === undefined ? {} : { retry }) });
          host.interactor(person);
        },
      }),
    );
    const from = "two";
    expect(sink).toMatchObject({
      tools: [
        { from, what: { id: "first" } },
        { from: "one", what: { id: "second" } },
      ],
      rules: [{ from, what: RULE }],
      policyRows: [{ from, what: row }],
      adapters: [
        { from, what: { provider: "acme", rules: [], retry: null } },
        { from, what: { provider: "other", rules: [RULE], retry: retry ?? null } },
      ],
      interactors: [{ from, what: person }],
    });
  });

  it("accepts no contribution after setup, while raising and suppressing keep working", async () => {
    const { start, extension, sink, suppressed, clock } = world();
    const kept: ExtensionHost[] = [];
    await start(extension("late", [], { setup: (host) => void kept.push(host) }));
    const [host] = kept;
    if (host === undefined) throw new Error("the set-up did not run");
    const contribute: readonly (() => void)[] = [
      () => host.tool(toolCalled("t")),
      () => host.rules([RULE]),
      () => host.policyRows(MATRIX),
      () => host.adapter({ provider: "acme" }),
      () => host.interactor(scriptedInteractor("i", [])),
    ];
    for (const late of contribute) {
      expect(late).toThrow(
        expect.objectContaining({ fault: expect.objectContaining({ code: "EngineState" }) as Fault }),
      );
    }
    const { tools, rules, policyRows, adapters, interactors } = sink;
    expect([tools, rules, policyRows, adapters, interactors].flat()).toEqual([]);

    expect(host.name).toBe("late");
    expect(() => host.raise("NotFound")).toThrow("ToolTerminal/NotFound");
    await clock.advance(42);
    host.suppress(new Error("read ECONNRESET"), "the cache is a bonus");
    expect(suppressed).toMatchObject([
      {
        type: "fault-suppressed",
        at: 42,
        reason: "the cache is a bonus",
        fault: { code: "NetworkDisconnect", context: { extension: "late" } },
      },
    ]);
  });

  it("raises faults that name the extension, whatever the context contains", () => {
    const { sink, clock } = world();
    const host = createHost("mine", sink, clock);
    const raise = (): never =>
      host.raise("ResourceBusy", { message: "locked", context: { extension: "other", lock: 3 }, retryAfterMs: 5 });
    expect(raise).toThrow(
      expect.objectContaining({
        fault: expect.objectContaining({
          code: "ResourceBusy",
          message: "locked",
          retryAfterMs: 5,
          context: { extension: "mine", lock: 3 },
        }) as Fault,
      }),
    );
    expect(() => host.raise("NoSuchCode" as FaultCode)).toThrow('raised "NoSuchCode"');
  });

  it("never leaves the reason of a suppressed error empty", () => {
    const { sink, clock, suppressed } = world();
    createHost("mine", sink, clock).suppress("text", "");
    expect(suppressed).toMatchObject([{ reason: "no reason was given" }]);
  });
});

describe("any set of extensions", () => {
  it("starts each extension once, after everything it requires and as early as possible, or names a real cycle", async () => {
    const graph = fc
      .integer({ min: 1, max: 8 })
      .chain((count) =>
        fc.array(fc.array(fc.nat(count - 1), { maxLength: 3 }), { minLength: count, maxLength: count }),
      );
    await fc.assert(
      fc.asyncProperty(graph, async (edges) => {
        const { start, extension, happened } = world();
        const names = edges.map((_none, index) => `e${index}`);
        const requires = edges.map((targets) => targets.map((target) => `e${target}`));
        const work = start(...names.map((name, index) => extension(name, requires[index])));
        const end = await work.then(
          () => null,
          (error: unknown) => (error as FaultError).fault,
        );
        if (end === null) {
          const order = setUps(happened);
          expect([...order].sort()).toEqual([...names].sort());
          order.forEach((name, place) => {
            const done = order.slice(0, place);
            const canGo = names.filter(
              (other, index) => !done.includes(other) && requires[index]?.every((needed) => done.includes(needed)),
            );
            expect(name).toBe(canGo[0]);
          });
          return;
        }
        expect([end.code, happened]).toEqual(["DependencyCycle", []]);
        const ring = String(end.context["ring"]).split(" → ");
        expect(ring.length).toBeGreaterThan(1);
        expect(ring.at(0)).toBe(ring.at(-1));
        expect(new Set(ring).size).toBe(ring.length - 1);
        ring.slice(1).forEach((name, index) => {
          expect(requires[names.indexOf(ring[index] ?? "")]).toContain(name);
        });
      }),
      { numRuns: 300 },
    );
  });
});
