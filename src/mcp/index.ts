// `faultline/mcp`: the tools of MCP servers as protected tools. Requires @modelcontextprotocol/sdk, an optional peer dependency.

export { connectMcp } from "./connect.ts";
export type { McpConnection } from "./connection.ts";
export type { McpOptions, McpStatus, McpToolDefinition, McpToolOptions, McpToolsChange } from "./options.ts";
export { modelText } from "./result.ts";
export type { McpResult } from "./result.ts";
export type { McpInput, McpTool } from "./server-tools.ts";
export { toAiTools } from "./ai-tools.ts";
export type { McpAiTool } from "./ai-tools.ts";
