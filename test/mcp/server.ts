// A real MCP server over stdio, run as a process of its own, that can be told to fail in every way there is.
// MCP_RUNS names a file that gets a line for every tool that really ran, MCP_STARTS one for every start of the process,
// MCP_BAD_STARTS says which of these end at once (`2-6,9-9`), MCP_MODE how the others behave.

import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { appendFileSync, readFileSync } from "node:fs";

const { MCP_RUNS = "", MCP_STARTS = "", MCP_BAD_STARTS = "0-0", MCP_MODE = "" } = process.env;

appendFileSync(MCP_STARTS, "start\n");
const starts = readFileSync(MCP_STARTS, "utf8").split("\n").length - 1;
const isBad = MCP_BAD_STARTS.split(",").some((range) => {
  const [first = 0, last = 0] = range.split("-").map(Number);
  return starts >= first && starts <= last;
});
if (isBad) {
  process.stderr.write("config broken: api_key=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789 is refused\n", () =>
    process.exit(1),
  );
} else if (MCP_MODE === "silent") {
  process.stdin.once("data", () => process.stderr.write("asked\n"));
} else await serve();

async function serve(): Promise<void> {
  // A process that ends at once, or says nothing, does not need the SDK.
  const { McpServer } = await import("@modelcontextprotocol/sdk/server/mcp.js");
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  const { CallToolRequestSchema, ListToolsRequestSchema, McpError } =
    await import("@modelcontextprotocol/sdk/types.js");
  const { server } = new McpServer(
    { name: "fixture", version: "1.0.0" },
    { capabilities: MCP_MODE === "no-tools" ? {} : { tools: { listChanged: true } } },
  );
  const open = { type: "object" as const };
  const tools: Tool[] = [
    {
      name: "echo",
      description: "says it again",
      inputSchema: { ...open, properties: { text: { type: "string" } }, required: ["text"] },
      annotations: { readOnlyHint: true },
    },
    {
      name: "sum",
      inputSchema: open,
      outputSchema: { ...open, properties: { n: { type: "number" } }, required: ["n"] },
    },
    { name: "refuse", inputSchema: open, annotations: { readOnlyHint: true } },
    { name: "code", inputSchema: open },
    { name: "crash", inputSchema: open },
    { name: "crash_once", inputSchema: open, annotations: { idempotentHint: true } },
    { name: "hang", inputSchema: open },
    { name: "garbage", inputSchema: open },
    { name: "no_result", inputSchema: open },
    { name: "change", inputSchema: open },
    { name: "old", inputSchema: open },
    { name: "broken_schema", inputSchema: { ...open, properties: { a: { type: "nonsense" } } } },
    { name: "throws", inputSchema: open },
    { name: "as_task", inputSchema: open, execution: { taskSupport: "required" } },
  ];

  const text = (said: string): CallToolResult => ({ content: [{ type: "text", text: said }] });
  const run: Record<string, (input: Record<string, unknown>, extra: { signal: AbortSignal; id: unknown }) => unknown> =
    {
      echo: ({ text: said }) => text(String(said)),
      sum: ({ n }) => (n === undefined ? text("nothing") : { content: [], structuredContent: { n } }),
      refuse: () => ({ ...text("HTTP 429 rate limit: no seats left on KL1001"), isError: true }),
      code: ({ code }) => {
        throw new McpError(Number(code), "as asked");
      },
      throws: ({ text: said }) => {
        throw new Error(String(said), { cause: new TypeError(String(said)) });
      },
      crash: () => new Promise(() => process.stderr.write("fatal: out of seats\n", () => process.exit(3))),
      crash_once: () => (starts === 1 ? process.exit(1) : text("done the second time")),
      hang: (_input, { signal }) => {
        signal.addEventListener("abort", () => process.stderr.write("cancelled\n"));
        process.stderr.write("hanging\n");
        return new Promise(() => undefined);
      },
      garbage: () => {
        process.stdout.write("Debugger listening on ws://127.0.0.1\n{ not json\n");
        return text("still here");
      },
      no_result: (_input, { id }) => {
        process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { content: "not a list" } })}\n`);
        return new Promise(() => undefined);
      },
      change: async () => {
        tools.splice(
          tools.findIndex(({ name }) => name === "old"),
          1,
          { name: "fresh", inputSchema: open },
        );
        await server.sendToolListChanged();
        return text("changed");
      },
      old: () => text("old"),
      fresh: () => text("fresh"),
    };

  // Two pages, as large servers send them.
  if (MCP_MODE !== "no-tools") {
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
      params?.cursor === undefined ? { tools: tools.slice(0, 5), nextCursor: "5" } : { tools: tools.slice(5) },
    );
    server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
      appendFileSync(MCP_RUNS, `${params.name}\n`);
      const handler = run[params.name];
      if (handler === undefined) throw new McpError(-32602, `Tool ${params.name} not found`);
      return handler(params.arguments ?? {}, { signal: extra.signal, id: extra.requestId }) as CallToolResult;
    });
  }
  await server.connect(new StdioServerTransport());
}
