// A fault thrown by a tool belongs to the tool: a value that throws on every access is not mistaken for an unavailable store.

import { describe, expect, it } from "vitest";
import { createFaultline, createMemoryJournal, tool } from "../../src/index.ts";
import { createWorkflows, defineWorkflow, stage } from "../../src/workflow/index.ts";

const trap = (): never => {
  throw new Error("trap");
};
const TRAPS: ProxyHandler<object> = {
  get: trap,
  has: trap,
  set: trap,
  ownKeys: trap,
  getPrototypeOf: trap,
  setPrototypeOf: trap,
  getOwnPropertyDescriptor: trap,
  defineProperty: trap,
  deleteProperty: trap,
  isExtensible: trap,
  preventExtensions: trap,
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

const THROWN: readonly (readonly [string, () => unknown])[] = [
  ["a proxy with a trap for everything", () => new Proxy({}, TRAPS)],
  ["a proxy around an error", () => new Proxy(new Error("boom"), TRAPS)],
  ["a proxy around a function", () => new Proxy(() => undefined, TRAPS)],
  ["a revoked proxy", revoked],
  [
    "an error whose parts throw",
    () =>
      Object.defineProperties(new Error("x"), {
        message: { get: trap },
        name: { get: trap },
        stack: { get: trap },
        cause: { get: trap },
      }),
  ],
  [
    "an object that pretends to be a fault",
    () => ({
      [Symbol.for("faultline.fault")]: true,
      get fault() {
        return trap();
      },
    }),
  ],
  ["nothing", () => undefined],
  ["a symbol", () => Symbol("x")],
];

const WAYS: Readonly<Record<string, (make: () => unknown) => () => unknown>> = {
  "thrown at once": (make) => () => {
    throw make();
  },
  "rejected": (make) => () =>
    Promise.resolve().then(() => {
      throw make();
    }),
  "thrown later": (make) => async () => {
    await Promise.resolve();
    throw make();
  },
};

const grid = THROWN.flatMap(([what, make]) =>
  Object.entries(WAYS).map(([how, way]) => [what, how, way(make)] as const),
);

describe("what a tool throws", () => {
  it.each(grid)("%s, %s, fails the call and not the store", async (_what, _how, run) => {
    const fl = createFaultline({ journal: createMemoryJournal() });
    const made = tool({ id: "hostile", retry: "none", run });
    const bare = await fl.protect(made, null);
    expect(bare).toMatchObject({ status: "surfaced", fault: { class: "Unknown", code: "Unclassified" } });
    const session = await fl.session("s");
    const seen: unknown[] = [];
    const turn = await session.turn(async (inTurn) => {
      seen.push(await inTurn.protect(made, null), await inTurn.protect(tool({ id: "good", run: () => 1 }), null));
    });
    expect(seen).toMatchObject([
      { status: "surfaced", fault: { code: "Unclassified" } },
      { status: "done", value: 1 },
    ]);
    expect(turn.fault?.code).not.toBe("StoreUnavailable");
    await session.end();
  });

  it.each(grid)("%s, %s, fails the stage and not the store", async (_what, _how, run) => {
    const workflow = defineWorkflow({
      id: "hostile",
      stages: { only: stage({ act: run }) },
    });
    const workflows = createWorkflows({ workflows: [workflow] });
    const id = await workflows.runs.start(workflow);
    const end = await workflows.runs.advance(id);
    expect(end.status).toBe("failed");
    expect(end.fault?.code).not.toBe("StoreUnavailable");
    await workflows.close();
  });
});
