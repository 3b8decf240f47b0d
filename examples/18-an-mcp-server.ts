// An MCP server whose tools are protected: a flaky backend is retried, a slow one is stopped, and the client reads safe words.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { createFaultline, hasValue, tool, viewFor, type Tool } from "faultline";
import { z } from "zod";

const fl = createFaultline();
const server = new McpServer({ name: "travel", version: "1.0.0" });

let asked = 0;
const find = tool({
  id: "find",
  idempotent: true,
  run: ({ to }: { to: string }) => {
    asked += 1;
    if (asked === 1) throw Object.assign(new Error("connect ECONNREFUSED 10.0.0.7:5432"), { code: "ECONNREFUSED" });
    return `${to} 07:10`;
  },
});
const book = tool({
  id: "book",
  timeoutMs: 50,
  run: (_flight: { flight: string }): Promise<string> => new Promise(() => undefined), // hangs
});

/** The handler of a protected tool. The client cancels it with its signal. */
const handler =
  <In>(protectedTool: Tool<In, string>) =>
  async (input: In, { signal }: { signal: AbortSignal }) => {
    const outcome = await fl.protect(protectedTool, input, { signal });
    if (hasValue(outcome)) return { content: [{ type: "text" as const, text: outcome.value }] };
    const { message } = viewFor("model", outcome.fault, { correlationId: outcome.call });
    return { isError: true, content: [{ type: "text" as const, text: message }] };
  };

server.registerTool("find", { inputSchema: { to: z.string() }, annotations: { readOnlyHint: true } }, handler(find));
server.registerTool("book", { inputSchema: { flight: z.string() } }, handler(book));

// In your program: `await server.connect(new StdioServerTransport())`.
const [here, there] = InMemoryTransport.createLinkedPair();
const client = new Client({ name: "someone", version: "1.0.0" });
await Promise.all([server.connect(there), client.connect(here)]);

const found = await client.callTool({ name: "find", arguments: { to: "LIS" } });
console.log(JSON.stringify(found.content), asked);
// [{"type":"text","text":"LIS 07:10"}] 2

const lost = await client.callTool({ name: "book", arguments: { flight: "LIS 07:10" } });
console.log(lost.isError, JSON.stringify(lost.content));
// true [{"type":"text","text":"The tool ran out of time and may have done its work; check whether it did before you repeat the call."}]
console.log(fl.metrics()["find"]?.retry_count, fl.metrics()["book"]?.timeout_count);
// 1 1

await client.close();
await fl.close();
