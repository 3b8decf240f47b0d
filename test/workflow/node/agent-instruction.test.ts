// What each instruction of an operator changes in the next attempt of an agent: its prompt, its arguments, its targets. As a file says that
// was reviewed (`npx vitest run test/workflow/node/agent-instruction.test.ts -u` writes it again).

import { describe, expect, it } from "vitest";
import { AGENT_KINDS } from "../../../src/agent/parse/agent-state.ts";
import { fault } from "../../../src/core/fault/fault.ts";
import { ACTION_IDS } from "../../../src/core/flow/action.ts";
import type { Instruction } from "../../../src/core/flow/visit.ts";
import type { StageScope } from "../../../src/workflow-model/stage.ts";
import {
  agentRefusal,
  grantArgs,
  instructedPrompt,
  isShortened,
  ownTargets,
  renderedFor,
} from "../../../src/workflow/node/agent-instruction.ts";

const SCOPE: StageScope = {
  ...{ run: "r1", node: "coder", execution: 2, attempt: 3, inputs: { task: "short" }, nodes: {} },
  ...{ executionsOf: () => 2, lastFault: null, instruction: null },
};
const told = (action: string, params: Instruction["params"] = {}): Instruction => ({ action, params, by: "ops" });
const withTask = (chars: number, instruction: Instruction | null): StageScope => ({
  ...SCOPE,
  inputs: { task: "x".repeat(chars) },
  instruction,
});
const SHORTEN = told("shorten-context");
const lost = fault("SchemaInvalid", { message: "no JSON, and sk-proj-0123456789abcdefghijklmnop in it" });

describe("an instruction", () => {
  it("changes the next attempt as the reviewed file says", async () => {
    const params: readonly Instruction["params"][] = [
      {},
      { text: "  Do it in C.  ", found: " the tests fail " },
      { found: "the tests fail" },
      { text: " ", commands: ["npm test"], tools: ["Edit", "-x", "a,b", "", " y", "a\nb", "Bash(git diff)"] },
      { tools: ["Edit"] },
      { granted: { tools: ["Read", "Edit"], commands: [] } },
    ];
    const lines: string[] = [];
    for (const action of [...ACTION_IDS, "of a newer program"]) {
      lines.push(`${action}${isShortened(told(action)) ? ", shortens" : ""}`);
      for (const one of params) {
        const instruction = told(action, one);
        const scopes = [SCOPE, { ...SCOPE, lastFault: lost }].map((scope) => ({ ...scope, instruction }));
        const prompts = scopes.map((scope) => instructedPrompt("Write it.", scope));
        const refused = agentRefusal("coder", ["Do {{ inputs.task }}."], { ...SCOPE, instruction });
        const args = AGENT_KINDS.flatMap((kind) => grantArgs(kind, instruction).map((arg) => `${kind} ${arg}`));
        lines.push(
          `  ${JSON.stringify(one)}`,
          ...new Set(
            prompts.filter((prompt) => prompt !== "Write it.").map((prompt) => `    ${JSON.stringify(prompt)}`),
          ),
          ...args.map((arg) => `    ${arg}`),
          ...[ownTargets({ ...SCOPE, instruction })].filter((own) => own !== "").map((own) => `    targets of ${own}`),
          ...(refused === null ? [] : [`    ${refused.code}: ${refused.message} ${JSON.stringify(refused.context)}`]),
        );
      }
    }
    await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot("instructed/agents.txt");
  });

  it("is not needed", () => {
    expect(instructedPrompt("Write it.", SCOPE)).toBe("Write it.");
    expect([grantArgs("claude", null), ownTargets(SCOPE), agentRefusal("coder", ["{{ inputs.task }}"], SCOPE)]).toEqual(
      [[], "", null],
    );
    expect([isShortened(null), isShortened(SHORTEN)]).toEqual([false, true]);
  });
});

describe("a value in a prompt that is to be shorter", () => {
  it.each([
    { chars: 399, left: 399 },
    { chars: 414, left: 414 },
    { chars: 415, left: 400 },
    { chars: 1_603, left: 400 },
    { chars: 1_604, left: 401 },
    { chars: 4_000, left: 1_000 },
  ])("of $chars characters keeps $left, and says so if it is cut", ({ chars, left }) => {
    const mark = left === chars ? "" : " … (shortened)";
    const template = "Do {{ inputs.task }} now.";
    expect(renderedFor(template, withTask(chars, SHORTEN))).toBe(`Do ${"x".repeat(left)}${mark} now.`);
    expect(renderedFor(template, withTask(chars, null))).toBe(`Do ${"x".repeat(chars)} now.`);
    expect(agentRefusal("coder", [template], withTask(chars, SHORTEN))?.code ?? null).toBe(
      left === chars ? "ContextOverflow" : null,
    );
  });

  it("is cut wherever it is, is never half a character, and the rest of the prompt stays", () => {
    const scope = { ...SCOPE, instruction: SHORTEN, inputs: { task: `${"x".repeat(399)}😀${"y".repeat(100)}` } };
    const fixed = "z".repeat(5_000);
    expect(renderedFor(`{{ inputs.task }}${fixed}{{ run.id }}`, scope)).toBe(
      `${"x".repeat(399)}\u{FFFD} … (shortened)${fixed}r1`,
    );
    expect(agentRefusal("coder", ["{{ run.id }}", "{{ inputs.task }}"], scope)).toBeNull();
  });
});
