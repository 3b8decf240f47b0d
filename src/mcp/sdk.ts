// The official MCP SDK. It is optional and takes a quarter of a second to load, so it loads with the first connection.

import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type * as SdkTypes from "@modelcontextprotocol/sdk/types.js";
import { orFail } from "../host/lazy-part.ts";

export type McpSdk = typeof SdkTypes & { readonly Client: typeof Client };

let sdk: McpSdk | undefined;

export async function loadMcpSdk(): Promise<void> {
  if (sdk !== undefined) return;
  const client = await import("@modelcontextprotocol/sdk/client/index.js").catch(orFail);
  const types = await import("@modelcontextprotocol/sdk/types.js").catch(orFail);
  sdk = { ...types, Client: client.Client };
}

/** The SDK, which a connection has loaded before it uses it. */
export function mcpSdk(): McpSdk {
  if (sdk === undefined) throw new TypeError("the MCP SDK is not loaded");
  return sdk;
}
