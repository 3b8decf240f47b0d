// A real MCP client with its own server process (`test/fixtures/mcp-server.mjs`), both gone when the test is.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { LoggingMessageNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { bundledProgram } from "./bundled-program.ts";

const SERVER = bundledProgram(new URL("../fixtures/mcp-server.mjs", import.meta.url));

export interface McpConnection {
  readonly client: Client;
  /** Resolves when a tool that will never answer has been called. */
  readonly called: Promise<void>;
}

/** Its maker closes it. */
export async function openMcpServer(): Promise<McpConnection> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const called = new Promise<void>(
    (resolve) => void client.setNotificationHandler(LoggingMessageNotificationSchema, () => resolve()),
  );
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [SERVER], stderr: "ignore" }));
  return { client, called };
}

export async function withMcpServer<T>(use: (connection: McpConnection) => Promise<T>): Promise<T> {
  const connection = await openMcpServer();
  try {
    return await use(connection);
  } finally {
    await connection.client.close();
  }
}
