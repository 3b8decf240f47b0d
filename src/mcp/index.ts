// `faultline/mcp`: the tools of MCP servers as protected tools. Needs @modelcontextprotocol/sdk, which the program installs.

export { connectMcp } from "./connect.ts";
export type { McpConnection } from "./connection.ts";
export type { McpOptions, McpStatus, McpToolDefinition, McpToolOptions, McpToolsChange } from "./options.ts";
export { modelText } from "./result.ts";
export type { McpResult } from "./result.ts";
export type { McpInput, McpTool } from "./server-tools.ts";
export { toAiTools } from "./ai-tools.ts";
export type { AiTool } from "./ai-tools.ts";
