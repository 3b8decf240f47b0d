// What a call leaves in a trace, with the SDK of OpenTelemetry: one span for the call, one for each attempt, and errors only where
// something failed in the end.

import { context, SpanKind, trace } from "@opentelemetry/api";
import type { SpanProcessor } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import {
  type AnyTool,
  createFaultline,
  FaultError,
  fault,
  type Faultline,
  type Outcome,
  type ProtectOptions,
  tool,
} from "../../src/index.ts";
import { ATTRIBUTES, EVENTS } from "../../src/telemetry/span-names.ts";
import { createFakeClock, createSeededChance } from "../../src/testing/index.ts";
import { recordSpans, type Spans } from "../support/spans.ts";

let spans: Spans;
beforeEach(() => void (spans = recordSpans()));
afterEach(() => spans.stop());

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
const down = (): never => {
  throw new FaultError(fault("ToolUnavailable", { message: `no answer for ${SECRET}`, context: { status: 503 } }));
};

const limited = (): never => {
  throw new FaultError(fault("RateLimited", { retryAfterMs: 3_600_000 }));
};

function failing(times: number): () => string {
  let calls = 0;
  return () => (++calls <= times ? down() : "ok");
}

interface World {
  readonly fl: Faultline;
  readonly until: <T>(work: Promise<T>) => Promise<T>;
}

function world(): World {
  const clock = createFakeClock();
  const fl = createFaultline({ clock, chance: createSeededChance(1), secrets: [SECRET] });
  onTestFinished(() => fl.close());
  return { fl, until: (work) => clock.runUntil(work) };
}

type Protect = (given: AnyTool, input: never, options?: ProtectOptions) => Promise<Outcome<unknown>>;

/** Each way to make a call: outside sessions, and in one. */
const PLACES: Readonly<Record<string, (fl: Faultline) => Promise<Protect>>> = {
  "outside sessions": (fl) => Promise.resolve((given, input, options) => fl.protect(given, input, options)),
  "in a session": async (fl) => {
    const session = await fl.session("s1");
    return (given, input, options) => session.protect(given, input, options);
  },
};

interface Row {
  readonly name: string;
  readonly tool: () => AnyTool;
  readonly lines: readonly string[];
}

const b = tool({ id: "b", run: () => "from b" });
const retry = { maxAttempts: 3 };
// prettier-ignore
const ROWS: readonly Row[] = [
  { name: "a success", tool: () => tool({ id: "a", run: () => "ok" }),
    lines: ["execute_tool a done", "  faultline.attempt 1"] },
  { name: "two failures, then a success", tool: () => tool({ id: "a", idempotent: true, retry, run: failing(2) }),
    lines: ["execute_tool a done", "  · faultline.retry 2 ToolUnavailable", "  · faultline.retry 3 ToolUnavailable",
      "  faultline.attempt 1 ✗ ToolUnavailable", "  faultline.attempt 2 ✗ ToolUnavailable", "  faultline.attempt 3"] },
  { name: "an alternative", tool: () => tool({ id: "a", retry: "none", alternatives: [b], run: down }),
    lines: ["execute_tool a done", "  · faultline.switch a b ToolUnavailable", "  faultline.attempt 1 ✗ ToolUnavailable", "  faultline.attempt 1"] },
  { name: "a failure for good", tool: () => tool({ id: "a", retry: "none", run: () => { throw new TypeError("no"); } }),
    lines: ["execute_tool a surfaced ✗ ExecutionFailed", "  · faultline.recourse ExecutionFailed", "  faultline.attempt 1 ✗ ExecutionFailed"] },
  { name: "a default", tool: () => tool({ id: "a", retry: "none", default: "none", run: down }),
    lines: ["execute_tool a defaulted", "  · faultline.recourse ToolUnavailable", "  faultline.attempt 1 ✗ ToolUnavailable"] },
  { name: "a wrong input", tool: () => tool({ id: "a", input: { type: "number" }, run: () => "ok" }),
    lines: ["execute_tool a surfaced ✗ InputInvalid", "  · faultline.recourse InputInvalid"] },
  { name: "a breaker that opens", tool: () => tool({ id: "a", retry: "none", default: "none", breaker: { failures: 1 }, run: down }),
    lines: ["execute_tool a defaulted", "  · faultline.breaker closed open", "  · faultline.recourse ToolUnavailable", "  faultline.attempt 1 ✗ ToolUnavailable"] },
];

describe.each(Object.entries(PLACES))("a call %s", (place, open) => {
  it.each(ROWS)("shows $name", async ({ tool: make, lines }) => {
    const { fl, until } = world();
    const protect = await until(open(fl));
    await until(protect(make(), "in" as never));
    expect(spans.lines()).toEqual(lines);
  });

  it("that was cancelled has no error, nor has its attempt", async () => {
    const { fl, until } = world();
    const protect = await until(open(fl));
    const stop = new AbortController();
    const hanging = tool({ id: "a", run: () => new Promise(() => stop.abort()) });
    await until(protect(hanging, "in" as never, { signal: stop.signal }));
    expect(spans.lines()).toEqual(["execute_tool a cancelled", "  faultline.attempt 1"]);
  });

  it("is a child of the active span, and spans of the tool are children of the attempt", async () => {
    const { fl, until } = world();
    const protect = await until(open(fl));
    const tracer = trace.getTracer("test");
    const nested = tool({
      id: "a",
      idempotent: true,
      retry,
      run: async (_input, { attempt }) => {
        // A library that the tool uses: it finds its parent by itself, also after a wait.
        await Promise.resolve();
        tracer.startActiveSpan(`GET ${attempt}`, (span) => span.end());
        if (attempt === 1) down();
        return "ok";
      },
    });
    await tracer.startActiveSpan("request", async (span) => {
      await until(protect(nested, "in" as never));
      expect(trace.getActiveSpan()).toBe(span);
      span.end();
    });
    expect(spans.lines()).toEqual([
      "request",
      "  execute_tool a done",
      "    · faultline.retry 2 ToolUnavailable",
      "    faultline.attempt 1 ✗ ToolUnavailable",
      "      GET 1",
      "    faultline.attempt 2",
      "      GET 2",
    ]);
  });

  it("has only attributes and events of the table, and no text of its input, output or error", async () => {
    const { fl, until } = world();
    const protect = await until(open(fl));
    const talks = tool({ id: "a", idempotent: true, retry, cost: { estimate: () => 1_000_000 }, run: failing(1) });
    await until(protect(talks, `use ${SECRET}` as never));
    const [call] = spans.named("execute_tool a");
    const [first, second] = spans.named("faultline.attempt");
    const known: readonly string[] = Object.values(ATTRIBUTES);
    const events: readonly string[] = Object.values(EVENTS);
    for (const span of spans.all()) {
      expect(known).toEqual(expect.arrayContaining(Object.keys(span.attributes)));
      for (const event of span.events) {
        expect(events).toContain(event.name);
        expect(known).toEqual(expect.arrayContaining(Object.keys(event.attributes ?? {})));
      }
      const said = JSON.stringify([span.name, span.attributes, span.events, span.status]);
      expect(said).not.toMatch(/sk-proj|no answer for|"ok"/);
    }
    expect(call).toMatchObject({
      kind: SpanKind.INTERNAL,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "a",
        "faultline.attempts": 2,
        ...(place === "in a session" ? { "gen_ai.conversation.id": "s1" } : {}),
      },
    });
    expect(first?.attributes).toMatchObject({
      "http.response.status_code": 503,
      "faultline.fault.class": "ToolTransient",
    });
    expect(second?.attributes).toMatchObject({ "faultline.attempt.reason": "retry", "faultline.cost.usd": 0.01 });
  });
});

it("a call that waits for a limit to lift is parked, and has not failed", async () => {
  const { fl, until } = world();
  const session = await until(fl.session("s1"));
  await until(session.protect(tool({ id: "a", retry: "none", run: limited }), "in"));
  expect(spans.lines()).toEqual([
    "execute_tool a parked",
    "  · faultline.park RateLimited",
    "  faultline.attempt 1 ✗ RateLimited",
  ]);
});

it("a call that its session has done before is marked, and has no attempt", async () => {
  const { fl, until } = world();
  const once = tool({ id: "a", run: () => "ok" });
  const session = await until(fl.session("s1"));
  await until(session.protect(once, "in", { id: "c1" }));
  spans.forget();
  expect(await until(session.protect(once, "in", { id: "c1" }))).toMatchObject({ status: "done", value: "ok" });
  expect(spans.lines()).toEqual(["execute_tool a done"]);
  expect(spans.all()[0]?.attributes).toMatchObject({ "faultline.replayed": true });
});

it("no span is made before a provider is registered, nor after it is gone", async () => {
  await spans.stop();
  const { fl, until } = world();
  const seen: unknown[] = [];
  const looks = tool({ id: "a", run: () => void seen.push(trace.getActiveSpan()) });
  await until(fl.protect(looks, 1));
  spans = recordSpans();
  await until(fl.protect(looks, 1));
  expect(spans.lines()).toEqual(["execute_tool a done", "  faultline.attempt 1"]);
  await spans.stop();
  await until(fl.protect(looks, 1));
  expect(seen.map((span) => span !== undefined)).toEqual([false, true, false]);
});

it("a span processor that throws fails no call", async () => {
  await spans.stop();
  const broken: SpanProcessor = {
    onStart: () => {
      throw new Error("no room");
    },
    onEnd: () => {
      throw new Error("no room");
    },
    forceFlush: () => Promise.resolve(),
    shutdown: () => Promise.resolve(),
  };
  spans = recordSpans([broken]);
  const warned: string[] = [];
  const hear = (warning: Error): void => void warned.push(warning.message);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const { fl, until } = world();
  const works = tool({ id: "a", idempotent: true, retry, run: failing(1) });
  expect(await until(fl.protect(works, 1))).toMatchObject({ status: "done", attempts: 2 });
  await new Promise(setImmediate);
  expect(warned).toEqual([expect.stringContaining("no room")]);
});

it("a process that was started inside a trace continues it", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  process.env["TRACEPARENT"] = `00-${traceId}-b7ad6b7169203331-01`;
  onTestFinished(() => void delete process.env["TRACEPARENT"]);
  const { fl, until } = world();
  await until(fl.protect(tool({ id: "a", run: () => 1 }), 1));
  expect(new Set(spans.all().map((span) => span.spanContext().traceId))).toEqual(new Set([traceId]));
  expect(context.active()).toBeDefined();
});
