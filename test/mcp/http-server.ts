// A real MCP server over streamable HTTP on loopback that can be stopped, started again on the same port, and told to refuse.

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface HttpMcpServer {
  readonly url: URL;
  /** The tools that really ran, in order. */
  readonly runs: readonly string[];
  /** Methods of HTTP, and of the protocol where there is one, in order: `POST initialize`. */
  readonly seen: readonly string[];
  /** Resolves when a tool of this name has been called. */
  called(tool: string): Promise<void>;
  /** Cuts every connection and forgets every session. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Forgets every session, and cuts nothing. */
  forget(): void;
  /** The next calls of tools are answered with these statuses. */
  readonly refusals: number[];
  /** Tells every client that the list has changed. */
  changeTools(): Promise<void>;
}

export async function httpServer(): Promise<HttpMcpServer> {
  const runs: string[] = [];
  const seen: string[] = [];
  const refusals: number[] = [];
  const waiting = new Map<string, () => void>();
  const sessions = new Map<string, { transport: StreamableHTTPServerTransport; server: McpServer }>();
  const tools = ["book", "hang", "talk", "read"];
  let http: HttpServer | null = null;
  let port = 0;
  let made = 0;

  async function newSession(): Promise<StreamableHTTPServerTransport> {
    const server = new McpServer(
      { name: "http", version: "1" },
      { capabilities: { tools: { listChanged: true }, logging: {} } },
    );
    server.server.setRequestHandler(ListToolsRequestSchema, () => ({
      tools: tools.map((name) => ({
        name,
        inputSchema: { type: "object" as const },
        annotations: { readOnlyHint: name === "read" },
      })),
    }));
    server.server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
      runs.push(params.name);
      waiting.get(params.name)?.();
      if (params.name === "talk") {
        const said = { level: "info" as const, data: "on my way" };
        await extra.sendNotification({ method: "notifications/message", params: said });
      }
      if (params.name === "hang" || params.name === "talk") return new Promise<never>(() => undefined);
      return { content: [{ type: "text", text: `${params.name} ${runs.length}` }] };
    });
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => `session-${++made}`,
      onsessioninitialized: (id) => void sessions.set(id, { transport, server }),
    });
    await server.connect(transport);
    return transport;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = text === "" ? undefined : (JSON.parse(text) as { readonly method?: string });
    seen.push(body?.method === undefined ? String(request.method) : `${String(request.method)} ${body.method}`);
    const refused = body?.method === "tools/call" ? refusals.shift() : undefined;
    if (refused !== undefined) return void response.writeHead(refused).end("not now");
    const id = request.headers["mcp-session-id"];
    const session = typeof id === "string" ? sessions.get(id) : undefined;
    if (session === undefined && body?.method !== "initialize") {
      const error = { code: -32_001, message: "Session not found" };
      return void response.writeHead(404).end(JSON.stringify({ jsonrpc: "2.0", error, id: null }));
    }
    await (session?.transport ?? (await newSession())).handleRequest(request, response, body);
  }

  const self: HttpMcpServer = {
    get url() {
      return new URL(`http://127.0.0.1:${port}/mcp`);
    },
    runs,
    seen,
    refusals,
    called: (tool) => new Promise((resolve) => void waiting.set(tool, resolve)),
    async start() {
      http = createServer((request, response) => {
        answer(request, response).catch((error: unknown) => {
          if (!response.destroyed) throw error;
        });
      });
      http.listen(port, "127.0.0.1");
      await once(http, "listening");
      ({ port } = http.address() as AddressInfo);
    },
    forget: () => sessions.clear(),
    async stop() {
      if (http === null) return;
      const closed = once(http, "close");
      http.close();
      http.closeAllConnections();
      http = null;
      sessions.clear();
      await closed;
    },
    async changeTools() {
      tools.splice(0, 1, "book_v2");
      for (const { server } of sessions.values()) await server.server.sendToolListChanged();
    },
  };
  await self.start();
  onTestFinished(() => self.stop());
  return self;
}
