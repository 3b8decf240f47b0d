// Servers that send too much: thousands of tools, schemas that cannot be checked in any reasonable time.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { CallToolRequestSchema, ListToolsRequestSchema, type Tool } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { connected } from "./connected.ts";

const EVIL = { type: "string", pattern: "^(a+)+$" };
const LONG = `${"a".repeat(60)}!`;

/** A separate server for every connection. Each of its tools answers with a text that the pattern cannot be checked against. */
function serving(tools: readonly object[]): () => Transport {
  return () => {
    const [mine, theirs] = InMemoryTransport.createLinkedPair();
    const { server } = new McpServer({ name: "hostile", version: "1" }, { capabilities: { tools: {} } });
    server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools as Tool[] }));
    server.setRequestHandler(CallToolRequestSchema, () => ({ content: [], structuredContent: { text: LONG } }));
    void server.connect(theirs);
    onTestFinished(() => server.close());
    return mine;
  };
}

function named(count: number): readonly object[] {
  // None of these schemas can be compiled, so compiling one is noticed.
  return Array.from({ length: count }, (_, n) => ({
    name: `t${n}`,
    inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } },
  }));
}

describe("a hostile MCP server", () => {
  it("with 10,000 tools is connected without compiling a schema", async () => {
    const { mcp, suppressed } = await connected({ transport: serving(named(10_000)) });
    expect(mcp.tools.size).toBe(10_000);
    expect(suppressed).toEqual([]);
    expect(await mcp.protect("t7", {})).toMatchObject({ fault: { code: "NotFound", context: { ran: false } } });
    expect(suppressed).toHaveLength(1);
  });

  it("with more tools than that is refused", async () => {
    const refused = connected({ transport: serving(named(10_001)), reconnect: "none" });
    await expect(refused).rejects.toMatchObject({
      fault: { message: expect.stringContaining("10000 tools") as unknown },
    });
  });

  it("cannot freeze this process with the pattern of an input or output schema", async () => {
    const object = (text: object): object => ({ type: "object", properties: { text } });
    const { mcp } = await connected({
      transport: serving([
        { name: "in", inputSchema: object(EVIL) },
        { name: "out", inputSchema: object({}), outputSchema: object(EVIL) },
      ]),
    });
    expect(await mcp.protect("in", { text: LONG })).toMatchObject({ fault: { code: "InputInvalid" } });
    expect(await mcp.protect("out", {})).toMatchObject({ fault: { code: "OutputMalformed", context: { ran: true } } });
    expect(await mcp.protect("in", { text: "aaa" })).toMatchObject({ status: "done" });
  });
});
