// Applies an operator's instruction to the next attempt of an agent's node. Two tables: how the prompt changes, and which arguments
// grant a CLI the permission it was denied.

import { AGENT_KINDS, type AgentKind } from "../../agent/parse/agent-state.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { actionHas, type ActionId } from "../../core/flow/action.ts";
import { type Instruction, turnOf } from "../../core/flow/visit.ts";
import { parseTemplate, renderTemplate, type Template } from "../../sandbox/template.ts";
import { grantedIn } from "../operator/instructions.ts";
import type { StageScope } from "../../workflow-model/stage.ts";
import { expressionScope } from "./expression-scope.ts";

/** Fills in the template; shortens the values if an operator asked for that. */
export function renderedFor(template: string, scope: StageScope): string {
  const parsed = parseTemplate(template);
  const values = expressionScope(scope);
  if (!isShortened(scope.instruction)) return renderTemplate(parsed, values);
  return parsed.problems.length > 0 ? renderTemplate(parsed, values) : shortened(parsed, values);
}

/** Why a node with these templates cannot follow the instruction; null when it can. */
export function agentRefusal(node: string, templates: readonly string[], scope: StageScope): Fault | null {
  const { instruction } = scope;
  if (instruction === null) return null;
  if (actionHas(instruction.action, "replaces-text") && "commands" in instruction.params) return noCommands(node);
  if (!isShortened(instruction)) return null;
  const whole = { ...scope, instruction: null };
  const isCut = templates.some((template) => renderedFor(template, scope) !== renderedFor(template, whole));
  return isCut ? null : nothingToCut(node);
}

function noCommands(node: string): Fault {
  const message = `node ${node} asks an agent and runs no commands, so there is nothing to allow; leave out commands`;
  return fault("ShapeInvalid", { message, context: { stage: node, field: "commands" } });
}

/** Shortening would change nothing, so the same prompt would be too long again. */
function nothingToCut(node: string): Fault {
  const message = `the context of node ${node} cannot be shortened: no value in its prompt has more than ${ALWAYS_KEPT_CHARS} characters, so the prompt would stay the same. Write a shorter one with edit-and-retry, or have it done by a model with a larger window: switch-provider, or the workflow file.`;
  return fault("ContextOverflow", { message, context: { stage: node, field: "prompt" } });
}

export function isShortened(instruction: Instruction | null): boolean {
  return actionHas(instruction?.action, "shortens");
}

/** Values up to this length are never cut: a task of a sentence or two makes no sense without its end. */
const ALWAYS_KEPT_CHARS = 400;
const CUT_MARK = " … (shortened)";

function shortened(template: Template, values: Readonly<Record<string, unknown>>): string {
  return template.parts
    .map((part) => {
      if (typeof part === "string") return part;
      const text = renderTemplate({ parts: [part], paths: [part], problems: [] }, values);
      const keptChars = Math.max(ALWAYS_KEPT_CHARS, Math.floor(text.length / 4));
      // Including the mark, the result must not be longer than the original.
      return text.length <= keptChars + CUT_MARK.length
        ? text
        : `${text.slice(0, keptChars).toWellFormed()}${CUT_MARK}`;
    })
    .join("");
}

/** How each action changes the prompt. */
export function instructedPrompt(prompt: string, scope: StageScope): string {
  const { instruction } = scope;
  const edit = instruction === null ? undefined : EDITS[instruction.action as ActionId];
  return instruction === null || edit === undefined ? prompt : edit(prompt, textOf(instruction), scope);
}

type Edit = (prompt: string, text: string, scope: StageScope) => string;

const COMMENTED: Edit = (prompt, text) => (text === "" ? prompt : `${prompt}\n\n## Comment of the operator\n\n${text}`);

const EDITS: Readonly<Partial<Record<ActionId, Edit>>> = {
  "edit-and-retry": (prompt, text) => (text === "" ? prompt : text),
  "regenerate-once": (prompt, text, { lastFault, instruction }) => {
    const seen = lastFault === null ? wordOf(instruction, "found") : SHAPE_REDACTOR.text(lastFault.message);
    const why = text === "" ? seen : text;
    const reason = why === "" ? "It was not what was asked for." : why;
    return `${prompt}\n\n## Your last answer could not be used\n\n${reason}\n\nAnswer again, completely and in the requested format.`;
  },
  "send-back": (prompt, text, scope) => {
    const found = wordOf(scope.instruction, "found");
    return COMMENTED(found === "" ? prompt : `${prompt}\n\n## What was found wrong\n\n${found}`, text, scope);
  },
  "continue-discussion": COMMENTED,
};

function textOf(instruction: Instruction): string {
  return wordOf(instruction, "text");
}

function wordOf(instruction: Instruction | null, name: string): string {
  const word = instruction?.params[name];
  return typeof word === "string" ? word.trim() : "";
}

/** A suffix that gives the targets of an attempt that starts at once fresh identities without a pause; empty for every other attempt. */
export function ownTargets({ run, instruction, ...place }: StageScope): string {
  return actionHas(instruction?.action, "starts-now") ? `${run}/${turnOf(place)}` : "";
}

/** The arguments that give this CLI the granted permissions; empty when nothing was granted, or the CLI takes none. */
export function grantArgs(cli: string, instruction: Instruction | null): readonly string[] {
  if (instruction === null) return [];
  const named = grantedIn(instruction, "tools").filter(isToolName);
  const isGrant = actionHas(instruction.action, "allows") && actionHas(instruction.action, "lasts");
  if (!isGrant && named.length === 0) return [];
  const kind = AGENT_KINDS.find((one) => one === cli);
  return (kind === undefined ? undefined : GRANTS[kind])?.(named) ?? [];
}

/** A word that begins with a dash would be read as an option. */
function isToolName(tool: string): boolean {
  return /^[^\s-]/.test(tool) && !/[\p{Cc},]/u.test(tool);
}

/** From each CLI's help. Where no tool can be named, they allow editing files, the smallest useful permission. */
const GRANTS: Readonly<Partial<Record<AgentKind, (tools: readonly string[]) => readonly string[]>>> = {
  claude: (tools) => (tools.length > 0 ? ["--allowedTools", tools.join(",")] : ["--permission-mode", "acceptEdits"]),
  codex: () => ["-s", "workspace-write"],
  gemini: () => ["--approval-mode", "auto_edit"],
  qwen: () => ["--approval-mode", "auto-edit"],
};
