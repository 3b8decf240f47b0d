// Loads the MCP SDK with the first connection, because loading it takes a quarter of a second.

import type { Runtime } from "../runtime/runtime.ts";
import type { McpConnection } from "./connection.ts";
import type { McpOptions } from "./options.ts";

/**
 * Connects and reads the tool list. Rejects with a FaultError if the server cannot be reached.
 *
 * @example
 * ```ts
 * import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
 * import { createFaultline } from "faultline";
 * import { connectMcp } from "faultline/mcp";
 *
 * const transport = () => new StdioClientTransport({ command: "my-file-server" });
 * const mcp = await connectMcp(createFaultline(), { name: "files", transport });
 * ```
 */
export async function connectMcp(fl: Runtime, options: McpOptions): Promise<McpConnection> {
  const { openConnection } = await import("./connection.ts");
  return openConnection(fl, options);
}
