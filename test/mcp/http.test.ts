// Protected tools of a real MCP server over streamable HTTP, which gives no signal when the other side is gone.

import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";
import type { McpToolsChange } from "../../src/mcp/index.ts";
import { connected } from "./connected.ts";
import { httpServer, type HttpMcpServer } from "./http-server.ts";

const over = (server: HttpMcpServer) => ({ transport: () => new StreamableHTTPClientTransport(server.url) });

/** The same, with an observer of every request. */
function watched(server: HttpMcpServer, watch: (body: string, send: () => Promise<Response>) => Promise<Response>) {
  return () =>
    new StreamableHTTPClientTransport(server.url, {
      fetch: (url, init) => watch(typeof init?.body === "string" ? init.body : "", () => fetch(url, init)),
    });
}

describe("over HTTP", () => {
  it("a tool is called, and the session is ended with the connection", async () => {
    const server = await httpServer();
    const { mcp } = await connected(over(server));
    expect(await mcp.protect("book", {})).toMatchObject({ status: "done", value: { text: "book 1" }, attempts: 1 });
    await mcp.close();
    expect(server.seen).toContain("DELETE");
    expect(mcp.status).toBe("closed");
  });

  it("a server that dies during a call may have done it: the call fails at once and is not made again", async () => {
    const server = await httpServer();
    const { mcp, becomes } = await connected({ ...over(server), reconnect: "none" });
    const called = server.called("hang");
    const calling = mcp.protect("hang", {});
    await called;
    const gone = becomes("disconnected");
    await server.stop();
    expect(await calling).toMatchObject({ status: "surfaced", fault: { code: "NetworkDisconnect" }, attempts: 1 });
    await gone;
    expect(server.runs).toEqual(["hang"]);
  });

  it("a server that dies in the middle of an answer is noticed: the call fails at once and is not made again", async () => {
    const server = await httpServer();
    const begun = Promise.withResolvers<undefined>();
    const transport = watched(server, async (body, send) => {
      const response = await send();
      if (body.includes("tools/call")) begun.resolve(undefined);
      return response;
    });
    const { mcp } = await connected({ transport, reconnect: "none" });
    const calling = mcp.protect("talk", {});
    await begun.promise;
    await server.stop();
    expect(await calling).toMatchObject({ status: "surfaced", fault: { code: "NetworkDisconnect" }, attempts: 1 });
    expect(server.runs).toEqual(["talk"]);
  });

  it("a call that arrives while the server's state is unknown waits until it is clear", async () => {
    const server = await httpServer();
    const doubted = Promise.withResolvers<undefined>();
    const goOn = Promise.withResolvers<undefined>();
    const transport = watched(server, async (body, send) => {
      if (body.includes('"ping"')) {
        doubted.resolve(undefined);
        await goOn.promise;
      }
      return send();
    });
    const { mcp } = await connected({ transport });
    await server.stop();
    await server.start();
    await doubted.promise;
    const calling = mcp.protect("book", {});
    goOn.resolve(undefined);
    expect(await calling).toMatchObject({ status: "done", attempts: 1 });
    expect(server.runs).toEqual(["book"]);
  });

  it("a server that has forgotten the session is given another one, and the call runs once", async () => {
    const server = await httpServer();
    const { mcp } = await connected(over(server));
    server.forget();
    // `book` is not idempotent: it is tried again because it was refused before it ran.
    expect(await mcp.protect("book", {})).toMatchObject({ status: "done", attempts: 2 });
    expect(server.runs).toEqual(["book"]);
    expect(server.seen.filter((what) => what === "POST initialize")).toHaveLength(2);
  });

  it("a restarted server is noticed and used again by itself", async () => {
    const server = await httpServer();
    const { mcp, becomes } = await connected(over(server));
    const lost = becomes("reconnecting");
    await server.stop();
    await server.start();
    await lost;
    expect(await mcp.protect("book", {})).toMatchObject({ status: "done", attempts: 1 });
    expect(server.runs).toEqual(["book"]);
  });

  it("a server that is down is given up, and used again when it is back", async () => {
    const server = await httpServer();
    const { mcp, becomes, advance } = await connected({ ...over(server), reconnect: "none" });
    const gone = becomes("disconnected");
    await server.stop();
    expect(await gone).toMatchObject({ code: "ToolUnavailable" });
    const refused = await mcp.protect("book", {});
    expect(refused).toMatchObject({ status: "surfaced", fault: { code: "CircuitOpen", context: { ran: false } } });
    await server.start();
    await advance(5_000);
    expect(await mcp.protect("book", {})).toMatchObject({ status: "done", attempts: 1 });
    expect(server.runs).toEqual(["book"]);
  });

  it.each([
    [503, "ToolUnavailable"],
    [429, "RateLimited"],
  ])("a refusal with %i is %s and is tried again over the same connection", async (status, code) => {
    const server = await httpServer();
    const { mcp, fl } = await connected(over(server));
    server.refusals.push(status);
    expect(await mcp.protect("book", {})).toMatchObject({ status: "done", attempts: 2 });
    const failed = fl.recent().flatMap(({ event }) => (event.type === "call-failed" ? [event.fault.code] : []));
    expect(failed).toEqual([code]);
    expect(server.runs).toEqual(["book"]);
    expect(server.seen.filter((what) => what === "POST initialize")).toHaveLength(1);
  });

  it("a changed list of tools is read by itself", async () => {
    const server = await httpServer();
    const changed = Promise.withResolvers<McpToolsChange>();
    const { mcp } = await connected({ ...over(server), onToolsChanged: changed.resolve });
    await mcp.protect("read", {});
    await server.changeTools();
    expect(await changed.promise).toEqual({ added: ["book_v2"], removed: ["book"], changed: [] });
    expect(await mcp.protect("book_v2", {})).toMatchObject({ status: "done" });
  });
});
