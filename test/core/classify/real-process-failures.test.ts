// Proves that `classify` names the right fault for what Node's own fetch throws, for the ways real child processes end,
// and for what a real MCP client sees of a real MCP server.

import { createServer as createTlsServer } from "node:https";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { classify } from "../../../src/core/classify/classify.ts";
import type { Evidence } from "../../../src/core/classify/evidence.ts";
import type { FaultCode } from "../../../src/core/fault/catalogue.ts";
import { runChild, type Ending } from "../../support/child.ts";
import {
  closedUrl,
  cutBody,
  neverAnswer,
  resetBeforeHeaders,
  serving,
  withServer,
} from "../../support/failing-server.ts";
import { openMcpServer, withMcpServer, type McpConnection } from "../../support/mcp-client.ts";
import { selfSigned } from "../../support/self-signed.ts";
import { thrownBy } from "../../support/thrown.ts";

const OBSERVED_AT = Date.UTC(2026, 10, 15, 12);

function expectFault(evidence: Evidence, code: FaultCode): void {
  const fault = classify({ ...evidence, observedAt: OBSERVED_AT });
  expect(fault).toMatchObject({ code });
  expect(fault.evidence.rule).not.toBe("none");
}

interface FetchFailure {
  readonly name: string;
  readonly fail: () => Promise<unknown>;
  readonly means: FaultCode;
  readonly onTool: FaultCode;
}

// prettier-ignore
const FETCH_FAILURES: readonly FetchFailure[] = [
  { name: "a closed port", fail: async () => thrownBy(fetch(await closedUrl())), means: "NetworkDisconnect", onTool: "ToolUnavailable" },
  { name: "a reset before headers", fail: () => withServer(resetBeforeHeaders, ({ url }) => thrownBy(fetch(url))), means: "NetworkDisconnect", onTool: "NetworkDisconnect" },
  { name: "a body cut midway", fail: () => withServer(cutBody, async ({ url }) => thrownBy((await fetch(url)).text())), means: "NetworkDisconnect", onTool: "NetworkDisconnect" },
  { name: "AbortSignal.timeout", fail: () => withServer(neverAnswer, ({ url }) => thrownBy(fetch(url, { signal: AbortSignal.timeout(50) }))), means: "NetworkTimeout", onTool: "ExecutionTimeout" },
  { name: "the caller's abort", fail: abortedFetch, means: "TurnCancelled", onTool: "ToolCancelled" },
];

function abortedFetch(): Promise<unknown> {
  const caller = new AbortController();
  return withServer(neverAnswer, async ({ url, requested }) => {
    const thrown = thrownBy(fetch(url, { signal: caller.signal }));
    await requested;
    caller.abort();
    return thrown;
  });
}

describe("fetch", () => {
  it.each(FETCH_FAILURES)("$name is $means, in a tool $onTool", async ({ fail, means, onTool }) => {
    const error = await fail();
    expectFault({ surface: "node", error }, means);
    expectFault({ surface: "tool", error }, onTool);
  });

  it("a self-signed certificate is TlsUntrusted", async ({ skip }) => {
    const credentials = selfSigned();
    if (credentials === undefined) return skip("the openssl command is needed to make a certificate");
    const error = await serving(createTlsServer(credentials, neverAnswer), "https", ({ url }) => thrownBy(fetch(url)));
    expectFault({ surface: "node", error }, "TlsUntrusted");
  });
});

interface ProcessFailure {
  readonly name: string;
  readonly run: () => Promise<Ending>;
  readonly means: FaultCode;
}

const WAIT_FOREVER = "setInterval(() => {}, 2 ** 30)";

// prettier-ignore
const PROCESS_FAILURES: readonly ProcessFailure[] = [
  { name: "a missing binary", run: () => runChild("no-such-agent-cli", ["--version"]), means: "BinaryMissing" },
  { name: "a process killed with SIGKILL", run: () => runChild(process.execPath, ["-e", WAIT_FOREVER], (child) => void child.kill("SIGKILL")), means: "ProcessCrashed" },
  { name: "a process killed with SIGKILL under sh (137)", run: () => runChild("sh", ["-c", "sh -c 'kill -KILL $$'; exit $?"]), means: "ProcessCrashed" },
  { name: "a missing binary under sh (127)", run: () => runChild("sh", ["-c", "no-such-agent-cli --version"]), means: "BinaryMissing" },
  { name: "a node child whose fetch was refused", run: async () => runChild(process.execPath, ["-e", `fetch("${await closedUrl()}")`]), means: "NetworkDisconnect" },
  { name: "a node child whose socket was refused", run: async () => runChild(process.execPath, ["-e", `require("node:http").get("${await closedUrl()}")`]), means: "NetworkDisconnect" },
];

describe("a child process", () => {
  it.each(PROCESS_FAILURES)("$name is $means", async ({ run, means }) => {
    const { stderr, ...ending } = await run();
    expectFault({ surface: "cli", message: stderr, ...ending }, means);
  });
});

interface McpFailure {
  readonly name: string;
  readonly fail: (connection: McpConnection) => Promise<Omit<Evidence, "surface">>;
  readonly means: FaultCode;
  /** It ends its server, or waits for the first call of the tool that never answers. */
  readonly needsOwn?: true;
}

async function result(call: Promise<unknown>): Promise<Omit<Evidence, "surface">> {
  const body = await call;
  expect(body).toMatchObject({ isError: true });
  return { body };
}

async function rejection(call: Promise<unknown>): Promise<Omit<Evidence, "surface">> {
  return { error: await thrownBy(call) };
}

async function abortedCall({ client, called }: McpConnection): Promise<Omit<Evidence, "surface">> {
  const caller = new AbortController();
  const thrown = rejection(client.callTool({ name: "never-answer" }, undefined, { signal: caller.signal }));
  await called;
  caller.abort();
  return thrown;
}

// prettier-ignore
const MCP_FAILURES: readonly McpFailure[] = [
  { name: "a tool that throws", fail: ({ client }) => result(client.callTool({ name: "explode" })), means: "ExecutionFailed" },
  { name: "a tool that misses a file", fail: ({ client }) => result(client.callTool({ name: "read-missing-file" })), means: "NotFound" },
  { name: "an unknown tool", fail: ({ client }) => result(client.callTool({ name: "nope" })), means: "NotFound" },
  { name: "bad arguments", fail: ({ client }) => result(client.callTool({ name: "add", arguments: { a: "one" } })), means: "InputInvalid" },
  { name: "output against its schema", fail: ({ client }) => result(client.callTool({ name: "wrong-output" })), means: "OutputMalformed" },
  { name: "an unknown method", fail: ({ client }) => rejection(client.listPrompts()), means: "Unsupported" },
  { name: "a request timeout", fail: ({ client }) => rejection(client.callTool({ name: "never-answer" }, undefined, { timeout: 50 })), means: "ExecutionTimeout" },
  { name: "the caller's abort, told", fail: async (connection) => ({ ...(await abortedCall(connection)), aborted: "tool" }), means: "ToolCancelled", needsOwn: true },
  { name: "the caller's abort, not told", fail: abortedCall, means: "ToolCancelled", needsOwn: true },
  { name: "a server that exits mid call", fail: ({ client }) => rejection(client.callTool({ name: "exit" })), means: "NetworkDisconnect", needsOwn: true },
  { name: "a call after the server is gone", fail: async ({ client }) => { await thrownBy(client.callTool({ name: "exit" })); return rejection(client.callTool({ name: "add", arguments: { a: 1 } })); }, means: "ToolUnavailable", needsOwn: true },
];

describe("MCP", () => {
  let shared: McpConnection;
  beforeAll(async () => void (shared = await openMcpServer()));
  afterAll(() => shared.client.close());

  it.each(MCP_FAILURES)("$name is $means", async ({ fail, means, needsOwn }) => {
    const seen = await (needsOwn === true ? withMcpServer(fail) : fail(shared));
    expectFault({ surface: "mcp", ...seen }, means);
  });
});
