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
    name: "a tool that is busy is called as often as its declaration says, and then the node fails",
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
    name: "a tool that is busy for a moment is no failure",
    seed: TRANSIENT,
    injected: "`EBUSY` twice",
    file: TOOL,
    edits: { fine: "busy-twice" },
    node: "lookup",
    expected: completed("found", { ...BY_CONTRACT, asked: { "lookup.mjs": 3 }, way: ["lookup#1"] }),
  },
  {
    name: "a tool that hangs is ended, and called again because it may be called twice",
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
    name: "a tool that hangs and may not be called twice is not",
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
    name: "what a tool cannot do is not tried again",
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
    name: "what a tool cannot do is told to the model in words made for it, and the model goes on",
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
    name: "a tool that stays busy is told to the model once its attempts are used up",
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
    name: "input that does not fit is told to the model, and the tool is not run",
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
