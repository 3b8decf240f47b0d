// What an expression can reach, what it costs at most, how it fails, and that nothing of it gets out through a failure.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Fault, isFaultError, traitsOf } from "../../src/core/index.ts";
import { type Clock, systemClock } from "../../src/host/clock.ts";
import { memoryOf, sharedEngine } from "../../src/sandbox/engine.ts";
import { CAUSES, ENGINE_ERRORS, SANDBOX_CAUSES } from "../../src/sandbox/failures.ts";
import { checkExpression, createSandbox } from "../../src/sandbox/sandbox.ts";
import { samples } from "../support/grid.ts";

const MIB = 2 ** 20;
const WHAT = "the condition of node check";
const sandbox = createSandbox();
/** Every look at it finds that 50 ms passed: what never ends is over after twenty looks. */
function tickingClock(): Clock {
  let now = 0;
  return { ...systemClock, now: () => (now += 50) };
}
/** Time stands still, so only deterministic limits can end an expression. */
const timeless = createSandbox({ clock: { ...systemClock, now: () => 0 } });

async function value(expression: string, scope: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  return timeless.evaluate(expression, scope, WHAT);
}

async function failure(
  expression: string,
  scope: Readonly<Record<string, unknown>> = {},
  by = timeless,
): Promise<Fault> {
  const thrown: unknown = await by.evaluate(expression, scope, WHAT).then(
    (given) => new Error(`gave ${JSON.stringify(given).slice(0, 80)}`),
    (error: unknown) => error,
  );
  if (!isFaultError(thrown)) throw thrown;
  return thrown.fault;
}

async function cause(expression: string, scope: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  return (await failure(expression, scope)).context["cause"];
}

describe("an expression", () => {
  it.each([
    ["1 + 1", 2],
    ["inputs.items.filter((item) => item.done).length", 1],
    ["return inputs.items.map((item) => item.name)", ["a", "b"]],
    ["const n = inputs.items.length; if (n > 1) return 'many'; return 'few'", "many"],
    ["{ a: 1 }", { a: 1 }],
    ["1 // why", 1],
    ["inputs.items.map(function (item) { return item.done })", [true, false]],
    ["[1, [2, [3]]].flat()", [1, 2, [3]]],
    ["[1, [2, [3]]].flat(Infinity)", [1, 2, 3]],
    ["[1, 2].flatMap((x) => [x, [x]])", [1, [1], 2, [2]]],
    ["'a-b-c'.split('-').concat(['d']).join('+')", "a+b+c+d"],
    ["'aXbX'.replaceAll('X', '').replace(/b/g, 'c')", "ac"],
    ["[...'abc'].reverse().join('')", "cba"],
  ])("%s gives its value", async (expression, expected) => {
    const items = [
      { name: "a", done: true },
      { name: "b", done: false },
    ];
    expect(await value(expression, { inputs: { items } })).toEqual(expected);
  });

  it("gets any JSON value in and out unchanged", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (given) => {
        const plain: unknown = JSON.parse(JSON.stringify(given));
        expect(await value("given", { given })).toEqual(plain);
      }),
      { numRuns: samples(40, 150) },
    );
  });

  it("sees what JSON makes of what it is given: no undefined, dates as text", async () => {
    expect(
      await value("[typeof gone, at, Object.keys(o)]", { gone: undefined, at: new Date(0), o: { f: () => 1 } }),
    ).toEqual(["undefined", "1970-01-01T00:00:00.000Z", []]);
    const own: unknown = JSON.parse('{"__proto__":{"x":1}}');
    expect(JSON.stringify(await value("o", { o: own }))).toBe(JSON.stringify(own));
  });

  it.each([{ ring: 1n }, { undefined: 1 }, { NaN: 1 }])(
    "is not run with values or names that cannot be handed in",
    async (scope) => {
      expect(await cause("1", scope)).toBe("scope");
    },
  );

  it.each([
    "inputs = 1",
    "inputs.a = 1",
    "inputs.a.b.push(1)",
    "delete inputs.a",
    "inputs.a.b[0].c = 2",
    "Object.defineProperty(inputs, 'z', { value: 1 })",
  ])("cannot change what it was given: %s", async (expression) => {
    expect(await cause(expression, { inputs: { a: { b: [{ c: 1 }] } } })).toBe("type");
  });

  it("leaves nothing behind for the next one", async () => {
    await value(
      "Object.prototype.polluted = 1; Array.prototype.map = null; globalThis.left = 1; JSON.stringify = () => 'x'; return 1",
    );
    expect(await value("[typeof left, ({}).polluted === undefined, [1].map((x) => x + 1)]")).toEqual([
      "undefined",
      true,
      [2],
    ]);
    expect(({} as Readonly<Record<string, unknown>>)["polluted"]).toBeUndefined();
  });
});

describe("out of reach are", () => {
  it.each([
    "Date",
    "Promise",
    "Proxy",
    "eval",
    "Function",
    "BigInt",
    "process",
    "require",
    "console",
    "fetch",
    "setTimeout",
    "WebAssembly",
    "SharedArrayBuffer",
    "Atomics",
    "performance",
    "WeakRef",
  ])("%s", async (name) => {
    expect(await value(`typeof ${name}`)).toBe("undefined");
    expect(await cause(name)).toBe("name");
  });

  it.each([
    ["(() => {}).constructor('return 1')()", "type"],
    ["(function* () {}).constructor('yield 1')", "type"],
    ["(async () => {}).constructor('return 1')", "type"],
    ["[].constructor.constructor('return globalThis')()", "type"],
    ["Math.random()", "type"],
    ["import('node:fs')", "result"],
    ["(async () => 1)()", "result"],
    ["import fs from 'fs'", "syntax"],
    ["5n ** 5n", "syntax"],
    ["0xFFn", "syntax"],
  ])("%s", async (expression, expected) => {
    expect(await cause(expression)).toBe(expected);
  });

  it("promise jobs: they never run", async () => {
    expect(await value("let ran = false; (async () => { await 1; ran = true })(); return ran")).toBe(false);
  });
});

describe("a result", () => {
  it.each([
    "undefined",
    "() => 1",
    "Symbol('s')",
    "NaN",
    "1 / 0",
    "({ a: () => 1 })",
    "[NaN]",
    "new Map()",
    "new Set([1])",
    "/x/",
    "new Error('x')",
    "const o = {}; o.o = o; return o",
    "({ toJSON() { return undefined } })",
    "({ get a() { throw new Error('x') } })",
  ])("has a JSON form, so this is refused: %s", async (expression) => {
    expect(await cause(expression)).toBe("result");
  });

  it("is what its getters and toJSON give, and nothing else", async () => {
    expect(await value("({ get a() { return 1 }, b: { toJSON: () => 2 }, gone: undefined })")).toEqual({ a: 1, b: 2 });
  });

  it("is at most as large as allowed, in bytes", async () => {
    expect(await value(`"x".repeat(${MIB} - 2)`)).toHaveLength(MIB - 2);
    expect(await cause(`"x".repeat(${MIB} - 1)`)).toBe("size");
    expect(await cause(`"é".repeat(${MIB} / 2)`)).toBe("size");
  });
});

describe("an expression that goes too far", () => {
  it.each([
    "while (true) {} return 1",
    "while (true) { try { while (true) {} } catch {} } return 1",
    "for (;;) try { throw 1 } finally { continue }",
    "/(a+)+$/.test('a'.repeat(40) + 'b')",
    "'a'.repeat(1e5).match(/(.*)*x/)",
    "({ toJSON() { while (true) {} } })",
    "throw { get name() { while (true) {} } }",
    "[3, 2, 1].sort(() => { while (true) {} })",
    "(function deep() { try { deep() } catch { deep() } })()",
  ])("in time is stopped, and may be tried again: %s", async (expression) => {
    const fault = await failure(expression, {}, createSandbox({ clock: tickingClock() }));
    expect(fault).toMatchObject({ code: "SandboxTimeout", context: { where: WHAT, cause: "time" } });
    expect(await value("1")).toBe(1);
  });

  it.each([
    ["'x'.repeat(1e9)", "memory"],
    ["let s = 'x'; while (true) s += s + 'y'", "syntax"],
    ["const a = []; while (true) a.push('x'.repeat(1e5) + a.length); return a", "memory"],
    ["const a = []; while (true) a.push({}); return a", "memory"],
    ["const m = new Map(); let i = 0; while (true) m.set(i++, 'v' + i); return m", "memory"],
    ["Array.from({ length: 1e9 })", "memory"],
    ["[...Array(1e6)].map(() => [...Array(1e6)])", "memory"],
    ["new Array(4e9) + ''", "thrown"],
    ["new Array(4e9).indexOf(1)", "thrown"],
    ["[new Array(4e9)].flat()", "thrown"],
    ["[].concat(new Array(4e9))", "thrown"],
    ["new Set(new Array(4e9)).size", "thrown"],
    ["[].fill.call({ length: 2 ** 53 - 1 }, 1)", "type"],
    ["'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b')", "thrown"],
    ["JSON.parse('['.repeat(1e5))", "stack"],
    ["let o = {}; for (let i = 0; i < 1e4; i++) o = { o }; return o", "stack"],
    ["let o = [1]; for (let i = 0; i < 1e4; i++) o = [o]; return String(o)", "stack"],
    [`${"(".repeat(20_000)}1${")".repeat(20_000)}`, "stack"],
    [`1 ${" ".repeat(64 * 1024)}`, "syntax"],
  ])("otherwise ends at once and for good: %s", async (expression, expected) => {
    expect(await failure(expression)).toMatchObject({ code: "SandboxFailed", context: { cause: expected } });
    expect(await value("1")).toBe(1);
    expect(memoryOf((await sharedEngine()).module).buffer.byteLength).toBeLessThanOrEqual(16 * MIB);
  });

  it("and hides it still gives its value, and the next one is not affected", async () => {
    expect(await value("try { const a = []; while (true) a.push({}) } catch {} return 1")).toBe(1);
    expect(await value("2")).toBe(2);
  });

  it("may have more when it was given more", async () => {
    const roomy = createSandbox({ memoryBytes: 64 * MIB, clock: { ...systemClock, now: () => 0 } });
    const expression = "const a = []; for (let i = 0; i < 200; i++) a.push('x'.repeat(1e5) + i); return a.length";
    expect(await roomy.evaluate(expression, {}, WHAT)).toBe(200);
    expect(await cause(expression)).toBe("memory");
  });

  it("is asked for the time often: at least once in a few hundred rounds", async () => {
    let looks = 0;
    const counting: Clock = { ...systemClock, now: () => (looks++, 0) };
    await createSandbox({ clock: counting }).evaluate(
      "let n = 0; for (let i = 0; i < 50_000; i++) n++; return n",
      {},
      WHAT,
    );
    expect(looks).toBeGreaterThan(200);
  });

  it("is not given more time by a clock that is set back", async () => {
    let now = 1e6;
    let looks = 0;
    let shiftMs = 0;
    const back: Clock = {
      ...systemClock,
      get shiftMs() {
        return shiftMs;
      },
      now() {
        if (++looks % 10 === 0) {
          now -= 500;
          shiftMs -= 500;
        }
        return ++now;
      },
    };
    expect((await failure("while (true) {} return 1", {}, createSandbox({ clock: back }))).code).toBe("SandboxTimeout");
  });
});

describe("a failure", () => {
  it.each(ENGINE_ERRORS)("of kind $name $message is called $cause: $example", async ({ example, cause: expected }) => {
    expect(await cause(example)).toBe(expected);
  });

  it("is retryable only when it is about time", () => {
    for (const one of SANDBOX_CAUSES) expect(traitsOf(CAUSES[one].code).class).toBe("Sandbox");
    expect(SANDBOX_CAUSES.filter((one) => CAUSES[one].code === "SandboxTimeout")).toEqual(["time"]);
  });

  it.each([
    "MARKER",
    "MARKER +",
    "null.MARKER",
    "inputs.MARKER.x",
    "throw new Error('MARKER')",
    "throw 'MARKER'",
    "throw { name: 'MARKER', message: 'MARKER', MARKER: 1 }",
    "throw Object.assign(new TypeError('MARKER'), { name: 'MARKER' })",
    "JSON.parse(inputs.secret)",
    "new RegExp('(MARKER')",
    "({ MARKER: () => 'MARKER' })",
    "class MARKER extends Error {}; throw new MARKER('MARKER')",
    "(function MARKER() { MARKER() })()",
    "'MARKER'.repeat(1e9)",
  ])("tells nothing of %s", async (expression) => {
    const thrown: unknown = await sandbox
      .evaluate(expression, { inputs: { secret: "MARKER" } }, WHAT)
      .catch((error: unknown) => {
        if (isFaultError(error)) return error;
        throw error;
      });
    if (!isFaultError(thrown)) throw new Error("did not fail");
    expect(JSON.stringify([thrown.fault, thrown.message, thrown.stack, String(thrown.cause)])).not.toContain("MARKER");
    expect(thrown.cause).toBeUndefined();
    expect(thrown.message).toContain(WHAT);
    expect(Object.keys(thrown.fault.context).toSorted()).toEqual(["cause", "where"]);
  });
});

describe("checkExpression", () => {
  it.each(["1", "a.b", "return 1", "while (true) {}; return 1", "nowhere.at.all", "throw 1"])(
    "takes %s without running it",
    async (text) => {
      expect(await checkExpression(text)).toEqual({ ok: true });
    },
  );

  it.each([
    "",
    " ",
    "// x",
    "1 +",
    "1) + (1",
    "1] + [1",
    "...x",
    "return 1} (0) + function () {",
    "return 1}, m() {",
    "return 1} [0] = function () {",
    "return 1}} , {m() {",
    "if (a) {}",
    "await 1",
    "super.x",
    "/*",
    "`",
    "\ud800",
  ])("refuses %j", async (text) => {
    expect(await checkExpression(text)).toEqual({ ok: false, cause: "syntax" });
  });
});

describe("a sandbox", () => {
  it("does not grow over a thousand evaluations", async () => {
    const { module } = await sharedEngine();
    const before = memoryOf(module).buffer.byteLength;
    const scope = { items: Array.from({ length: 20 }, (_, i) => ({ i, text: "x".repeat(500) })) };
    // What one leaves in memory would be left a thousand times: 1000 × 10 KB does not fit in what is free.
    for (let i = 0; i < 1000; i++) {
      if (i % 3 === 0) expect(await cause("items[99].text", scope)).toBe("type");
      else expect(await value("items.length", scope)).toBe(20);
    }
    expect((await sharedEngine()).module).toBe(module);
    expect(memoryOf(module).buffer.byteLength).toBe(before);
  });

  it("evaluates side by side, also when one of them breaks the engine", async () => {
    const outcomes = await Promise.allSettled([
      value("1"),
      value("JSON.parse('['.repeat(1e5))"),
      value("2"),
      value("3"),
    ]);
    expect(outcomes.map((one) => (one.status === "fulfilled" ? one.value : "failed"))).toEqual([1, "failed", 2, 3]);
  });

  it.each([
    { timeoutMs: 0 },
    { memoryBytes: MIB },
    { stackBytes: MIB },
    { resultBytes: 1.5 },
    { timeoutMs: Number.NaN },
  ])("refuses limits that mean nothing: %j", (options) => {
    expect(() => createSandbox(options)).toThrow(/ConfigSchemaViolation.*Give a whole number from/);
  });
});
