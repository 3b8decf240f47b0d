// The door to MCP servers. The MCP SDK and what it brings take a quarter of a second to load, so they load with the first connection.

import type { Runtime } from "../runtime/runtime.ts";
import type { McpConnection } from "./connection.ts";
import type { McpOptions } from "./options.ts";

/** Connects and reads the list of tools. Rejects with a FaultError when the server cannot be reached. */
export async function connectMcp(fl: Runtime, options: McpOptions): Promise<McpConnection> {
  const { openConnection } = await import("./connection.ts");
  return openConnection(fl, options);
}
