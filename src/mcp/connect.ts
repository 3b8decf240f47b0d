// Loads the MCP SDK with the first connection, because loading it takes a quarter of a second.

import type { Runtime } from "../runtime/runtime.ts";
import type { McpConnection } from "./connection.ts";
import type { McpOptions } from "./options.ts";

/** Connects and reads the tool list. Rejects with a FaultError if the server cannot be reached. */
export async function connectMcp(fl: Runtime, options: McpOptions): Promise<McpConnection> {
  const { openConnection } = await import("./connection.ts");
  return openConnection(fl, options);
}
