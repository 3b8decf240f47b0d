// Tools: transient failures are retried by their contract; all others are reported to the model or fail the node.

import { expect } from "vitest";
import type { Row } from "../row.ts";
import { completed, failed, steps } from "./expect.ts";

const TOOL = "tool.faultline.yaml";
const AGENT_TOOL = "agent-tool.faultline.yaml";
const TRANSIENT = "000 Tool transient";
const TERMINAL = "000 Tool terminal";
/** `max_attempts: 3` of its declaration. */
const BY_CONTRACT = { retries: { workflow: 0, transport: 2 }, waitsMs: [100, 200], jitter: 0.1 } as const;
const LOOKUP_FAILED = { way: ["lookup#1 failed"], files: ["lookup#1"] } as const;
const CALLS = steps("coder", { call: { tool: "lookup", input: { q: "answer" } } });

/** What the model read about its call. */
function toldOf(body: unknown): string {
  const { input } = body as { readonly input: readonly { readonly type?: string; readonly output?: unknown }[] };
  return JSON.stringify(input.find(({ type }) => type === "function_call_output")?.output);
}

export const TOOL_ROWS: readonly Row[] = [
  {
    name: "a busy tool is called as often as its declaration allows, then the node fails",
    seed: TRANSIENT,
    injected: "`EBUSY` every time; `max_attempts: 3`",
    raw: "EBUSY: resource busy or locked",
    file: TOOL,
    edits: { fine: "busy" },
    node: "lookup",
    expected: failed("provider_runtime_error", "ToolTransient/ResourceBusy", {
      ...BY_CONTRACT,
      ...LOOKUP_FAILED,
      asked: { "lookup.mjs": 3 },
      actions: ["retry-stage"],
      says: { en: "The tool met a lock or a busy resource", zh: "工具遇到锁或资源被占用" },
    }),
  },
  {
    name: "a tool that is busy for a moment does not fail the node",
    seed: TRANSIENT,
    injected: "`EBUSY` twice",
    file: TOOL,
    edits: { fine: "busy-twice" },
    node: "lookup",
    expected: completed("found", { ...BY_CONTRACT, asked: { "lookup.mjs": 3 }, way: ["lookup#1"] }),
  },
  {
    name: "a hanging tool is ended, and retried because it is idempotent",
    seed: TRANSIENT,
    injected: "the tool never ends; `timeout: 10s`, `idempotent: true`",
    file: TOOL,
    edits: { fine: "hang" },
    node: "lookup",
    expected: failed("provider_timeout", "ToolTransient/ExecutionTimeout", {
      ...BY_CONTRACT,
      ...LOOKUP_FAILED,
      asked: { "lookup.mjs": 3 },
      actions: ["retry-stage"],
      says: { en: "The tool passed its time limit", zh: "工具超出时限" },
    }),
  },
  {
    name: "a hanging tool that is not idempotent is not retried",
    seed: TRANSIENT,
    injected: "the tool never ends; not idempotent",
    file: TOOL,
    edits: { "fine": "hang", "idempotent: true, ": "" },
    node: "lookup",
    expected: failed("provider_timeout", "ToolTransient/ExecutionTimeout", {
      ...LOOKUP_FAILED,
      asked: { "lookup.mjs": 1 },
      actions: ["retry-stage"],
      says: { en: "The tool passed its time limit", zh: "工具超出时限" },
    }),
  },
  {
    name: "a permanent tool failure is not retried",
    seed: TERMINAL,
    injected: "`ENOENT`, called by a node",
    file: TOOL,
    edits: { fine: "missing" },
    node: "lookup",
    expected: failed("provider_not_found", "ToolTerminal/NotFound", {
      ...LOOKUP_FAILED,
      asked: { "lookup.mjs": 1 },
      actions: ["retry-stage"],
      says: { en: "The tool reports that its target does not exist", zh: "工具报告目标不存在" },
    }),
  },
  {
    name: "a permanent tool failure reaches the model as a safe message, and the model continues",
    seed: TERMINAL,
    injected: "`ENOENT` with a path, called by a model",
    file: AGENT_TOOL,
    edits: { fine: "missing" },
    rules: [CALLS],
    node: "coder",
    expected: completed("found", { asked: { "coder": 2, "lookup.mjs": 1 }, way: ["coder#1"] }),
    also: ({ chaos }) => {
      const told = toldOf(chaos.received()[1]?.body);
      expect(told).toContain("ToolTerminal");
      expect(told).toContain("NotFound");
      expect(told).not.toContain("secret");
    },
  },
  {
    name: "a tool that stays busy is reported to the model after its last attempt",
    seed: TRANSIENT,
    injected: "`EBUSY` every time, called by a model",
    file: AGENT_TOOL,
    edits: { fine: "busy" },
    rules: [CALLS],
    node: "coder",
    expected: completed("found", {
      ...BY_CONTRACT,
      asked: { "coder": 2, "lookup.mjs": 3 },
      way: ["coder#1"],
    }),
    also: ({ chaos }) => {
      expect(toldOf(chaos.received()[1]?.body)).toContain("ResourceBusy");
    },
  },
  {
    name: "an invalid input is reported to the model, and the tool does not run",
    seed: TERMINAL,
    injected: "the model calls the tool without its required field",
    file: AGENT_TOOL,
    rules: [steps("coder", { call: { tool: "lookup", input: {} } })],
    node: "coder",
    expected: completed("found", { asked: { coder: 2 }, way: ["coder#1"] }),
    also: ({ chaos }) => {
      expect(toldOf(chaos.received()[1]?.body)).toContain("InputInvalid");
    },
  },
];
