// Every kind of tool gives a model and a person the same information: a model reads the mistakes in its own arguments and as much
// of a failure as `model_detail` allows; a person who is asked for another input gets the tool's schema.

import { tmpdir } from "node:os";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { describe, expect, it, onTestFinished } from "vitest";
import * as z from "zod";
import { createRedactor } from "../../../src/core/fault/redact.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { DEFAULT_POLICY, MODEL_DETAILS, withRows } from "../../../src/core/index.ts";
import { createFaultline, type Faultline, type ModelDetail, tool } from "../../../src/index.ts";
import { connectMcp } from "../../../src/mcp/index.ts";
import type { AnyTool } from "../../../src/runtime/tool/tool.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { offeredTools, runToolCalls } from "../../../src/workflow/node/agent-tools.ts";
import type { ToolSpec } from "../../../src/workflow-model/node-options.ts";
import { toolsOf } from "../../../src/workflow/node/workflow-tools.ts";
import { bundledProgram } from "../../support/bundled-program.ts";

const SECRET = `sk-live-${"a1B2c3D4".repeat(4)}`;
const SAID = `the ledger at 10.0.0.7 is full, key ${SECRET}`;
const SCHEMA = {
  type: "object",
  properties: { amount: { type: "number", description: "in cents" } },
  required: ["amount"],
};
const SERVER = bundledProgram(new URL("../../fixtures/mcp-payment-server.mjs", import.meta.url));

interface Kind {
  readonly kind: string;
  readonly make: (fl: Faultline, modelDetail: ModelDetail) => AnyTool | Promise<AnyTool>;
  /** The details at which a model reads the tool's text. */
  readonly readWith: readonly ModelDetail[];
}

const failing = (): never => {
  throw new Error(SAID);
};

function declared(run: ToolSpec["run"], modelDetail: ModelDetail, input: ToolSpec["input"]): ToolSpec {
  const rest = { idempotent: false, optional: false, fallbackValue: null, alternatives: [] } as const;
  return { id: "pay", description: "", input, timeoutMs: 60_000, maxAttempts: 1, run, modelDetail, ...rest };
}

function ofWorkflow(fl: Faultline, spec: ToolSpec): AnyTool {
  const env = { PATH: process.env["PATH"] };
  const tools = toolsOf([spec], { runtime: fl, env, cwd: tmpdir(), clock: systemClock });
  onTestFinished(() => tools.close());
  const found = tools.find("pay");
  if (found === undefined) throw new Error("there is no tool pay");
  return found;
}

const COMMAND = {
  kind: "command",
  command: process.execPath,
  args: ["-e", `console.error(${JSON.stringify(SAID)}); process.exitCode = 3`],
  env: [],
} as const;
const MCP = {
  kind: "mcp",
  server: { id: "bank", command: process.execPath, args: [SERVER, SAID], env: [], url: "" },
  tool: "pay",
} as const;

const KINDS: readonly Kind[] = [
  {
    kind: "a tool in TypeScript with a JSON Schema",
    readWith: ["full"],
    make: (_, modelDetail) => tool<unknown, never>({ id: "pay", input: SCHEMA, modelDetail, run: failing }),
  },
  {
    kind: "a tool in TypeScript with a zod schema",
    readWith: ["full"],
    make: (_, modelDetail) => {
      const input = z.object({ amount: z.number().describe("in cents") });
      return tool({ id: "pay", input, modelDetail, run: failing });
    },
  },
  {
    kind: "a tool of an MCP connection",
    // The error text of such a tool is meant for the model.
    readWith: ["stderr_tail", "full"],
    make: async (fl, modelDetail) => {
      const transport = (): StdioClientTransport =>
        new StdioClientTransport({ command: process.execPath, args: [SERVER, SAID] });
      const connection = await connectMcp(fl, { name: "bank", transport, tools: { pay: { modelDetail } } });
      onTestFinished(() => connection.close());
      return connection.tool("pay");
    },
  },
  {
    kind: "a command of a workflow",
    readWith: ["stderr_tail", "full"],
    make: (fl, modelDetail) => ofWorkflow(fl, declared(COMMAND, modelDetail, SCHEMA)),
  },
  {
    kind: "an MCP tool of a workflow",
    readWith: ["stderr_tail", "full"],
    make: (fl, modelDetail) => ofWorkflow(fl, declared(MCP, modelDetail, null)),
  },
];

const call = { type: "tool-call", toolCallId: "1", toolName: "pay" } as const;

/** What a model reads about a call with this input. */
async function told(fl: Faultline, used: AnyTool, input: unknown): Promise<Readonly<Record<string, unknown>>> {
  const session = await fl.session("s");
  const offer = { type: "function", name: "pay", inputSchema: used.inputSchema() ?? {} } as const;
  const [result] = await runToolCalls([{ ...call, input: JSON.stringify(input) }], 1, {
    tools: [{ tool: used, offer }],
    protect: (one, given, { id }) => session.protect(one, given, { id }),
    signal: new AbortController().signal,
    redactor: createRedactor([]),
  });
  const { output } = result ?? {};
  if (output?.type !== "error-json" && output?.type !== "json")
    throw new Error(`the model read ${JSON.stringify(result)}`);
  return output.value as Readonly<Record<string, unknown>>;
}

describe.each(KINDS)("$kind", ({ make, readWith }) => {
  it("gives a model path, expected and got of its own arguments, in one envelope", async () => {
    const fl = createFaultline({});
    const seen = await told(fl, await make(fl, "none"), { amount: SECRET });
    expect(seen).toMatchObject({ class: "ToolTerminal", code: "InputInvalid" });
    expect(seen).not.toHaveProperty("error");
    expect(seen["issues"]).toEqual([
      { path: "$.amount", expected: expect.stringMatching(/number/) as string, got: "string" },
    ]);
    expect(JSON.stringify(seen)).not.toContain("a1B2");
  });

  it.each(MODEL_DETAILS)("lets a model read of a failure what model_detail %s says, redacted", async (modelDetail) => {
    const fl = createFaultline({});
    const seen = await told(fl, await make(fl, modelDetail), { amount: 5 });
    const text = JSON.stringify(seen);
    expect(text.includes("the ledger at 10.0.0.7 is full")).toBe(readWith.includes(modelDetail));
    expect(text).not.toContain("a1B2");
    // One envelope: a partial result has its error beside it, a failure has none around it.
    expect("error" in seen).toBe("partial" in seen);
    expect(seen["error"] ?? seen).toMatchObject({
      class: expect.any(String) as string,
      code: expect.any(String) as string,
    });
    expect(seen["error"] ?? {}).not.toHaveProperty("error");
  });

  it("asks a person for another input with its schema, and says what was wrong", async () => {
    const rows = { match: {}, retry: null, then: ["ask", "fail"], origin: { layer: "file", at: "test" } } as const;
    const ada = scriptedInteractor("ada", [
      { status: "accepted", value: { amount: 5 } },
      { status: "rejected", reason: "enough" },
    ]);
    const fl = createFaultline({ policy: withRows(DEFAULT_POLICY, [rows]), interactors: [ada] });
    const used = await make(fl, "none");
    const session = await fl.session("s");
    const outcome = await session.protect(used, { amount: "five" } as never);
    const payload = ada.asked[0]?.payload;
    expect(payload).toMatchObject({
      kind: "Ask",
      schema: { type: "object", properties: { amount: { type: "number", description: "in cents" } } },
      issues: [{ path: "$.amount", got: "string" }],
    });
    // The second input fits, and the tool fails for its own reason.
    expect(outcome).toMatchObject({
      status: "failed",
      fault: { class: expect.not.stringMatching("Validation") as string },
    });
    expect("fault" in outcome && outcome.fault.code).not.toBe("InputInvalid");
  });

  it("is offered to a model with that schema", async () => {
    const fl = createFaultline({});
    const used = await make(fl, "none");
    // A server provides it once it is connected.
    await fl.protect(used, { amount: 5 } as never);
    const [offered] = offeredTools(["pay"], () => used, "payer");
    expect(offered?.offer.inputSchema).toMatchObject({ required: ["amount"] });
  });
});
