// Protected tools of an MCP server: the model reads the tool's own errors, and a dead server is restarted.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { createFaultline } from "faultline";
import { connectMcp, modelText } from "faultline/mcp";
import { z } from "zod";

// This file is the server too: it starts itself with the word "serve".
if (process.argv[2] === "serve") await serve();
else await useTools();

async function useTools(): Promise<void> {
  const fl = createFaultline();
  const travel = await connectMcp(fl, {
    name: "travel",
    transport: () => new StdioClientTransport({ command: process.execPath, args: [import.meta.filename, "serve"] }),
  });
  console.log([...travel.tools.keys()].join(" "), travel.status);
  // find book connected

  const found = await travel.protect("find", { to: "LIS" });
  console.log(found.status, modelText(found));
  // done LIS 07:10, LIS 18:45

  // The tool's own error is an answer: the model reads it unchanged, and Faultline does not retry.
  const refused = await travel.protect("find", { to: "XXX" });
  console.log(refused.status, modelText(refused));
  // partial there is no airport XXX

  // The server dies while it books. It may have booked, and `book` is not idempotent, so Faultline does not call it again.
  const lost = await travel.protect("book", { flight: "LIS 07:10" });
  console.log(lost.status, modelText(lost));
  // surfaced ProviderTransient/NetworkDisconnect: The connection broke off; the request may still have arrived, so check for its effect before you repeat a change.

  // The server is restarted before the next call.
  const again = await travel.protect("find", { to: "LIS" });
  console.log(again.status, again.attempts, travel.status);
  // done 1 connected

  await travel.close();
  await fl.close();
}

async function serve(): Promise<void> {
  const server = new McpServer({ name: "travel", version: "1.0.0" });
  const find = { inputSchema: { to: z.string() }, annotations: { readOnlyHint: true } };
  server.registerTool("find", find, ({ to }) =>
    to === "XXX"
      ? { isError: true, content: [{ type: "text", text: `there is no airport ${to}` }] }
      : { content: [{ type: "text", text: `${to} 07:10, ${to} 18:45` }] },
  );
  server.registerTool("book", { inputSchema: { flight: z.string() } }, () => process.exit(1));
  await server.connect(new StdioServerTransport());
}
