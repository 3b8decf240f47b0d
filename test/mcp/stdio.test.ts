// Protected tools of a real MCP server process over stdio: every way it can fail, seen at the door and in what is written down.

import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it } from "vitest";
import { type FaultCode, FaultError, hasValue, step } from "../../src/index.ts";
import { connectMcp, type McpToolsChange, modelText } from "../../src/mcp/index.ts";
import { thrownBy } from "../support/thrown.ts";
import { connected, runtime, type Runtime } from "./connected.ts";
import { stdioServer } from "./stdio-server.ts";

function eventsOf({ fl }: Runtime, tool: string): readonly string[] {
  return fl
    .recent()
    .map(({ event }) => event)
    .filter((event) => "tool" in event && event.tool === tool)
    .map(({ type }) => type);
}

describe("tools of a server", () => {
  it("are protected tools, from every page of its list", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    expect([...mcp.tools.keys()]).toEqual(expect.arrayContaining(["echo", "as_task"]));
    expect(mcp.tools.get("echo")).toMatchObject({
      id: "travel.echo",
      surface: "mcp",
      provider: "travel",
      idempotent: true,
    });
    expect(mcp.tools.get("crash")).toMatchObject({ idempotent: false });
    expect(mcp.definition("echo")?.description).toBe("says it again");
    expect(await mcp.protect("echo", { text: "hello" })).toMatchObject({
      status: "done",
      value: { text: "hello", isError: false, structured: null },
      from: "travel.echo",
    });
  });

  it("may be said to be idempotent by the program, which is believed more than the server", async () => {
    const server = stdioServer();
    const { mcp } = await connected({
      transport: server.transport,
      idempotent: ({ name }) => name === "crash",
      tools: { hang: { idempotent: true, timeoutMs: 5 } },
    });
    expect(mcp.tool("echo").idempotent).toBe(false);
    expect(mcp.tool("crash").idempotent).toBe(true);
    expect(mcp.tool("hang")).toMatchObject({ idempotent: true, timeoutMs: 5 });
  });

  it("are not run with input that does not fit their schema", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    const outcome = await mcp.protect("echo", { text: 7 });
    expect(outcome).toMatchObject({ status: "surfaced", fault: { code: "InputInvalid" } });
    expect(server.runs()).toEqual([]);
  });

  it("with a schema that cannot be used are refused at their first use, and the others work", async () => {
    const server = stdioServer();
    const { mcp, suppressed } = await connected({ transport: server.transport });
    expect(suppressed).toEqual([]);
    expect(await mcp.protect("echo", { text: "x" })).toMatchObject({ status: "done" });
    const outcome = await mcp.protect("broken_schema", {});
    expect(suppressed).toMatchObject([{ fault: { code: "ConfigSchemaViolation" } }]);
    expect(server.runs()).toEqual(["echo"]);
    expect(outcome).toMatchObject({ status: "surfaced", fault: { code: "NotFound" } });
    expect("fault" in outcome && outcome.fault.message).toContain("cannot be used");
  });

  it("that only run as tasks of the protocol are refused before they run", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    expect(await mcp.protect("as_task", {})).toMatchObject({ fault: { code: "Unsupported", context: { ran: false } } });
    expect(server.runs()).toEqual([]);
  });

  it("are none when the server has none", async () => {
    const server = stdioServer({ mode: "no-tools" });
    const { mcp } = await connected({ transport: server.transport });
    expect(mcp.tools.size).toBe(0);
    const outcome = await mcp.protect("echo", { text: "x" });
    expect("fault" in outcome && outcome.fault.message).toBe("travel has no tool echo (any more); it offers none");
  });
});

describe("an answer with isError", () => {
  it("goes to the model as it is, is not tried again, and says nothing about the server's health", async () => {
    const server = stdioServer();
    const home = await connected({ transport: server.transport, breaker: { failures: 1 } });
    const outcome = await home.mcp.protect("refuse", {});
    expect(outcome).toMatchObject({
      status: "partial",
      value: { isError: true },
      fault: { code: "ExecutionFailed", context: { isError: true, looksLike: "RateLimited" } },
      attempts: 1,
    });
    expect(hasValue(outcome)).toBe(true);
    expect(modelText(outcome)).toBe("HTTP 429 rate limit: no seats left on KL1001");
    expect(server.runs()).toEqual(["refuse"]);
    expect(home.fl.targets()).toContainEqual(
      expect.objectContaining({ target: "travel.refuse", breaker: "closed", pausedUntil: null }),
    );
    expect(eventsOf(home, "travel.refuse")).toEqual(["call-started", "call-admitted", "call-failed"]);
  });
});

// prettier-ignore
const CODES: readonly (readonly [number, FaultCode])[] = [
  [-32600, "InputInvalid"],
  [-32601, "Unsupported"],
  [-32602, "InputInvalid"],
  [-32603, "ExecutionFailed"],
  [-32700, "OutputMalformed"],
];

describe("an error of the protocol", () => {
  it("means what its code says, and is decided about, not shown as an answer", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    for (const [code, means] of CODES) {
      const outcome = await mcp.protect("code", { code });
      expect(outcome, String(code)).toMatchObject({ status: "surfaced", fault: { code: means }, attempts: 1 });
      expect(modelText(outcome)).not.toContain("as asked");
      expect(mcp.status).toBe("connected");
    }
  });

  it("that mentions lost connections is about another connection: ours is kept", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    const words = "upstream said: connection reset by peer, not connected";
    expect(await mcp.protect("code", { code: -32_603, words })).toMatchObject({ status: "surfaced" });
    expect(mcp.status).toBe("connected");
    await mcp.protect("echo", { text: "x" });
    expect(server.starts()).toBe(1);
  });

  it("that is not a valid result is OutputMalformed", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    expect(await mcp.protect("no_result", {})).toMatchObject({ fault: { code: "OutputMalformed" }, attempts: 1 });
  });
});

describe("structured output", () => {
  it("is handed on when it fits its schema", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    expect(await mcp.protect("sum", { n: 3 })).toMatchObject({
      status: "done",
      value: { structured: { n: 3 }, text: '{"n":3}' },
    });
  });

  it.each([
    ["does not fit", { n: "three" }],
    ["is missing", {}],
  ])("that %s is OutputMalformed", async (_how, input) => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    expect(await mcp.protect("sum", input)).toMatchObject({ status: "surfaced", fault: { code: "OutputMalformed" } });
  });
});

describe("a server that dies", () => {
  it("during a call may have done it: it is not called again, and the next call finds it restarted", async () => {
    const server = stdioServer();
    const home = await connected({ transport: server.transport });
    const outcome = await home.mcp.protect("crash", {});
    expect(outcome).toMatchObject({
      status: "surfaced",
      fault: { code: "NetworkDisconnect", context: { stderr: "fatal: out of seats" } },
      attempts: 1,
    });
    expect("decision" in outcome && outcome.decision?.considered).toContainEqual({
      recourse: "retry",
      refused: "may-have-happened",
    });
    expect(server.runs()).toEqual(["crash"]);
    expect(await home.mcp.protect("echo", { text: "again" })).toMatchObject({
      status: "done",
      value: { text: "again" },
    });
    expect(server.starts()).toBe(2);
    expect(eventsOf(home, "travel.crash")).toEqual(["call-started", "call-admitted", "call-failed"]);
  });

  it("during a call of a tool that may run twice is started again, and so is the call", async () => {
    const server = stdioServer();
    const { mcp, waits } = await connected({ transport: server.transport });
    const outcome = await mcp.protect("crash_once", {});
    expect(outcome).toMatchObject({ status: "done", value: { text: "done the second time" }, attempts: 2 });
    expect(server.runs()).toEqual(["crash_once", "crash_once"]);
    expect(waits.map(({ tool }) => tool)).toEqual(["travel.crash_once"]);
  });

  it("fails all calls in flight at once, and is started again once", async () => {
    const server = stdioServer();
    const { mcp, becomes } = await connected({ transport: server.transport });
    const calling = [mcp.protect("hang", {}), mcp.protect("hang", { again: true })];
    await server.said("hanging\nhanging");
    server.kill();
    for (const outcome of await Promise.all(calling)) {
      expect(outcome).toMatchObject({ status: "surfaced", fault: { code: "NetworkDisconnect" }, attempts: 1 });
    }
    await becomes("connected");
    expect(server.starts()).toBe(2);
  });

  it("between calls is restarted automatically", async () => {
    const server = stdioServer();
    const { mcp, becomes } = await connected({ transport: server.transport });
    const lost = becomes("reconnecting");
    server.kill();
    expect(await lost).toMatchObject({ code: "NetworkDisconnect" });
    await becomes("connected");
    expect(server.starts()).toBe(2);
    expect(await mcp.protect("echo", { text: "x" })).toMatchObject({ status: "done", attempts: 1 });
  });

  it("is waited for by a call that comes while it is being started", async () => {
    const server = stdioServer();
    const { mcp, becomes } = await connected({ transport: server.transport });
    const lost = becomes("reconnecting");
    server.kill();
    await lost;
    expect(mcp.status).toBe("reconnecting");
    expect(await mcp.protect("crash_once", {})).toMatchObject({ status: "done", attempts: 1 });
    expect(server.starts()).toBe(2);
  });

  it("again without having been used is not restarted until the next call", async () => {
    const server = stdioServer();
    const { mcp, becomes } = await connected({ transport: server.transport });
    const lost = becomes("reconnecting");
    server.kill();
    await lost;
    await becomes("connected");
    const gone = becomes("disconnected");
    server.kill();
    await gone;
    expect(mcp.status).toBe("disconnected");
    expect(server.starts()).toBe(2);
    expect(await mcp.protect("echo", { text: "x" })).toMatchObject({ status: "done", attempts: 1 });
    expect(server.starts()).toBe(3);
  });

  it("and does not come back is given up; calls are refused until its breaker lets one through", async () => {
    const server = stdioServer({ badStarts: "2-6" });
    const { mcp, becomes, fl, waits, advance } = await connected({ transport: server.transport });
    const gone = becomes("disconnected");
    server.kill();
    expect(await gone).toMatchObject({ code: "ToolUnavailable" });
    expect(waits.map(({ tool }) => tool)).toEqual(Array.from({ length: 4 }, () => "mcp:travel"));
    expect(server.starts()).toBe(6);
    expect(fl.targets()).toContainEqual(expect.objectContaining({ target: "travel", breaker: "open" }));
    const refused = await mcp.protect("crash_once", {});
    expect(refused).toMatchObject({ status: "surfaced", fault: { code: "CircuitOpen", context: { ran: false } } });
    expect(server.starts()).toBe(6);
    await advance(5_000);
    expect(await mcp.protect("crash_once", {})).toMatchObject({ status: "done", attempts: 1 });
    expect(mcp.status).toBe("connected");
    expect(fl.targets()).toContainEqual(expect.objectContaining({ target: "travel", breaker: "closed" }));
  });

  it("again after an outage that outlasted all tries is tried as retryWhileBusy as the first time", async () => {
    const server = stdioServer({ badStarts: "2-6,8-10" });
    const { mcp, becomes, waits, advance } = await connected({ transport: server.transport });
    const gone = becomes("disconnected");
    server.kill();
    await gone;
    await advance(5_000);
    expect(await mcp.protect("echo", { text: "back" })).toMatchObject({ status: "done" });
    const before = waits.length;
    const lost = becomes("reconnecting");
    server.kill();
    await lost;
    expect(await mcp.protect("echo", { text: "again" })).toMatchObject({ status: "done" });
    expect(mcp.status).toBe("connected");
    expect(server.starts()).toBe(11);
    expect(waits.slice(before).filter(({ tool }) => tool === "mcp:travel")).toHaveLength(3);
  });

  it("before the call was sent has not run it, so that any tool is tried again", async () => {
    const server = stdioServer({ badStarts: "2-2" });
    const { mcp, becomes } = await connected({ transport: server.transport });
    const lost = becomes("reconnecting");
    server.kill();
    await lost;
    // Joins the start that fails; `old` is not idempotent.
    const outcome = await mcp.protect("old", {});
    expect(outcome).toMatchObject({ status: "done", value: { text: "old" }, attempts: 2 });
    expect(server.runs()).toEqual(["old"]);
    expect(server.starts()).toBe(3);
  });
});

describe("connecting", () => {
  it("is tried again with the policy's waits", async () => {
    const server = stdioServer({ badStarts: "1-2" });
    const home = await connected({ transport: server.transport });
    expect(home.mcp.status).toBe("connected");
    const [first = 0, second = 0] = home.waits.map(({ delayMs }) => delayMs);
    expect(first).toBeGreaterThanOrEqual(90);
    expect(first).toBeLessThanOrEqual(110);
    expect(second).toBeGreaterThanOrEqual(180);
    expect(second).toBeLessThanOrEqual(220);
    expect(eventsOf(home, "mcp:travel").filter((type) => type === "call-failed")).toHaveLength(2);
  });

  it("to a server that never starts rejects with what it wrote last, without secrets", async () => {
    const server = stdioServer({ badStarts: "1-99" });
    const error = await thrownBy(connected({ transport: server.transport }));
    expect(error).toBeInstanceOf(FaultError);
    const { fault } = error as FaultError;
    expect(fault.code).toBe("ToolUnavailable");
    expect(fault.context["stderr"]).toMatch(/^config broken: api_key=\[redacted\]/);
    expect(fault.message).toMatch(
      /^there is no connection to travel: .*; the server wrote: config broken: api_key=\[redacted\]/,
    );
    expect(server.starts()).toBe(5);
  });

  it("to a server that hangs is given up at its time limit", async () => {
    const server = stdioServer({ mode: "silent" });
    const home = runtime();
    const connecting = thrownBy(connected({ transport: server.transport, reconnect: "none" }, home));
    await server.said("asked");
    await home.advance(10_100);
    const { fault } = (await connecting) as FaultError;
    expect(fault).toMatchObject({ code: "ExecutionTimeout", context: { limit: 10_000 } });
  });

  it("to a program that is not there rejects at once", async () => {
    const transport = (): StdioClientTransport => new StdioClientTransport({ command: "no-such-mcp-server" });
    const { fault } = (await thrownBy(connected({ transport }))) as FaultError;
    expect(fault.code).toBe("BinaryMissing");
  });

  it("ends when its signal fires", async () => {
    const server = stdioServer({ mode: "silent" });
    const caller = new AbortController();
    const connecting = thrownBy(connected({ transport: server.transport, signal: caller.signal }));
    await server.said("asked");
    caller.abort();
    expect(((await connecting) as FaultError).fault.class).toBe("Cancellation");
  });

  it.each([
    ["a name", { name: "two words", transport: () => new StdioClientTransport({ command: "x" }) }],
    ["a transport", { name: "x", transport: {} as never }],
  ])("needs %s", async (_what, options) => {
    const { fault } = (await thrownBy(connectMcp(runtime().fl, options))) as FaultError;
    expect(fault.code).toBe("ConfigSchemaViolation");
  });
});

describe("a call that takes too long", () => {
  it("times out, is not retried, and the server is notified", async () => {
    const server = stdioServer();
    const { mcp, advance } = await connected({ transport: server.transport, timeoutMs: 7_000 });
    const calling = mcp.protect("hang", {});
    await server.said("hanging");
    await advance(7_100);
    expect(await calling).toMatchObject({ status: "surfaced", fault: { code: "ExecutionTimeout" }, attempts: 1 });
    await server.said("cancelled");
    expect(await mcp.protect("echo", { text: "well" })).toMatchObject({ status: "done" });
    expect(server.starts()).toBe(1);
  });

  it("is cancelled by its caller, and the server is notified", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    const caller = new AbortController();
    const calling = mcp.protect("hang", {}, { signal: caller.signal });
    await server.said("hanging");
    caller.abort();
    expect(await calling).toMatchObject({ status: "cancelled", fault: { class: "Cancellation" } });
    await server.said("cancelled");
  });

  it("is given up by the client too, whose time is the machine's", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport, tools: { hang: { timeoutMs: 30 } } });
    expect(await mcp.protect("hang", {})).toMatchObject({ fault: { code: "ExecutionTimeout" }, attempts: 1 });
  });
});

describe("a changed list of tools", () => {
  it("is read by itself: what is gone is NotFound, what is new is there, the rest stays what it was", async () => {
    const server = stdioServer();
    const changed = Promise.withResolvers<McpToolsChange>();
    const { mcp, fl } = await connected({ transport: server.transport, onToolsChanged: changed.resolve });
    const before = { old: mcp.tool("old"), echo: mcp.tool("echo") };
    expect(await mcp.protect("old", {})).toMatchObject({ status: "done" });
    await mcp.protect("change", {});
    expect(await changed.promise).toEqual({ added: ["fresh"], removed: ["old"], changed: [] });
    expect(mcp.tool("echo")).toBe(before.echo);
    expect(await mcp.protect("fresh", {})).toMatchObject({ status: "done", value: { text: "fresh" } });
    const outcome = await fl.protect(before.old, {});
    expect(outcome).toMatchObject({ status: "surfaced", fault: { code: "NotFound", context: { ran: false } } });
    expect("fault" in outcome && outcome.fault.message).toMatch(
      /^travel has no tool old \(any more\); it offers echo,/,
    );
    expect(server.runs()).toEqual(["old", "change", "fresh"]);
  });

  it("is noticed after a restart", async () => {
    const server = stdioServer();
    const changes: McpToolsChange[] = [];
    const { mcp, becomes } = await connected({
      transport: server.transport,
      onToolsChanged: (change) => void changes.push(change),
    });
    await mcp.protect("change", {});
    await mcp.refresh();
    const lost = becomes("reconnecting");
    server.kill();
    await lost;
    await becomes("connected");
    expect(changes).toEqual([
      { added: ["fresh"], removed: ["old"], changed: [] },
      { added: ["old"], removed: ["fresh"], changed: [] },
    ]);
  });
});

describe("the rest", () => {
  it("of what a server prints on its output is ignored out loud", async () => {
    const server = stdioServer();
    const { mcp, suppressed } = await connected({ transport: server.transport });
    expect(await mcp.protect("garbage", {})).toMatchObject({ status: "done", value: { text: "still here" } });
    expect(suppressed.map(({ reason }) => reason)).toContain("the connection continues");
  });

  it("of the program continues when its own listeners throw", async () => {
    const server = stdioServer();
    const home = runtime();
    const fails = (): never => {
      throw new Error("a listener's own bug");
    };
    const mcp = await connectMcp(home.fl, {
      name: "travel",
      transport: server.transport,
      onStatus: fails,
      onToolsChanged: fails,
      onSuppressed: fails,
    });
    await mcp.protect("change", {});
    await mcp.refresh();
    expect(await mcp.protect("fresh", {})).toMatchObject({ status: "done" });
    await mcp.close();
    expect(eventsOf(home, "mcp:travel:onSuppressed")).toContain("call-failed");
  });

  it("of the calls fails once the connection is closed, and the process is gone", async () => {
    const server = stdioServer();
    const { mcp } = await connected({ transport: server.transport });
    const { pid } = server;
    const inFlight = mcp.protect("hang", {});
    await server.said("hanging");
    await mcp.close();
    await mcp.close();
    expect(await inFlight).toMatchObject({ status: "surfaced", fault: { code: "NetworkDisconnect" }, attempts: 1 });
    expect(mcp.status).toBe("closed");
    expect(await mcp.protect("echo", { text: "x" })).toMatchObject({
      status: "failed",
      fault: { code: "EngineState" },
    });
    expect(() => process.kill(pid ?? 0, 0)).toThrow("ESRCH");
    expect(server.starts()).toBe(1);
  });

  it("of a session knows MCP calls like all others", async () => {
    const server = stdioServer();
    const { mcp, fl } = await connected({ transport: server.transport });
    const session = await fl.session("trip");
    const result = await session.turn({
      said: step(mcp.tool("echo"), { text: "hello" }),
      no: step(mcp.tool("refuse"), {}),
    });
    expect(result.outcomes).toMatchObject({
      said: { status: "done" },
      no: { status: "partial", value: { isError: true } },
    });
    const told = await session.trace();
    expect(told.map(({ event_type }) => event_type)).toContain("ToolError");
  });
});
