// What an operator wants to be different in the next attempt of an agent's node, as tables: what becomes of the prompt, and which
// arguments grant a CLI what it was denied.

import { AGENT_KINDS, type AgentKind } from "../../agent/parse/agent-state.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { type Instruction, turnOf } from "../../core/flow/node.ts";
import { parseTemplate, renderTemplate, type Template } from "../../sandbox/template.ts";
import { grantedIn } from "../operator/grants.ts";
import type { StageScope } from "../../workflow-model/stage.ts";
import { expressionScope } from "./expression-scope.ts";

/** The template filled in, shorter when an operator asked for that. */
export function renderedFor(template: string, scope: StageScope): string {
  const parsed = parseTemplate(template);
  const values = expressionScope(scope);
  if (!isShortened(scope.instruction)) return renderTemplate(parsed, values);
  return parsed.problems.length > 0 ? renderTemplate(parsed, values) : shortened(parsed, values);
}

/** What keeps a node with these templates from doing what it was told; null when nothing does. */
export function agentRefusal(node: string, templates: readonly string[], scope: StageScope): Fault | null {
  const { instruction } = scope;
  if (instruction === null) return null;
  if (isEdit(instruction) && "commands" in instruction.params) return noCommands(node);
  if (!isShortened(instruction)) return null;
  const whole = { ...scope, instruction: null };
  const isCut = templates.some((template) => renderedFor(template, scope) !== renderedFor(template, whole));
  return isCut ? null : nothingToCut(node);
}

function isEdit({ action }: Instruction): boolean {
  return action === "edit-and-retry";
}

function noCommands(node: string): Fault {
  const message = `node ${node} asks an agent and runs no commands, so there are none to allow; leave commands out`;
  return fault("ShapeInvalid", { message, context: { stage: node, field: "commands" } });
}

/** The same prompt would be too long again. */
function nothingToCut(node: string): Fault {
  const message = `the context of node ${node} cannot be shortened: no value that is filled into its prompt has more than ${ALWAYS_KEPT_CHARS} characters, so it would be the same prompt again. Write a shorter one with edit-and-retry, or have it done by a model with a larger window: switch-provider, or the workflow file.`;
  return fault("ContextOverflow", { message, context: { stage: node, field: "prompt" } });
}

export function isShortened(instruction: Instruction | null): boolean {
  return instruction?.action === "shorten-context";
}

/** A task in a sentence or two is no context, and would make no sense without its end. */
const ALWAYS_KEPT_CHARS = 400;
const CUT_MARK = " … (shortened)";

function shortened(template: Template, values: Readonly<Record<string, unknown>>): string {
  return template.parts
    .map((part) => {
      if (typeof part === "string") return part;
      const text = renderTemplate({ parts: [part], paths: [part], problems: [] }, values);
      const keptChars = Math.max(ALWAYS_KEPT_CHARS, Math.floor(text.length / 4));
      // With the mark it must not become longer than it was.
      return text.length <= keptChars + CUT_MARK.length
        ? text
        : `${text.slice(0, keptChars).toWellFormed()}${CUT_MARK}`;
    })
    .join("");
}

/** The prompt as the operator wants it. */
export function instructedPrompt(prompt: string, scope: StageScope): string {
  const { instruction } = scope;
  const edit = instruction === null ? undefined : EDITS[instruction.action];
  return instruction === null || edit === undefined ? prompt : edit(prompt, textOf(instruction), scope);
}

type Edit = (prompt: string, text: string, scope: StageScope) => string;

const COMMENTED: Edit = (prompt, text) => (text === "" ? prompt : `${prompt}\n\n## Comment of the operator\n\n${text}`);

const EDITS: Readonly<Record<string, Edit | undefined>> = {
  "edit-and-retry": (prompt, text) => (text === "" ? prompt : text),
  "regenerate-once": (prompt, text, { lastFault, instruction }) => {
    const seen = lastFault === null ? wordOf(instruction, "found") : SHAPE_REDACTOR.text(lastFault.message);
    const why = text === "" ? seen : text;
    const told = why === "" ? "It was not what was asked for." : why;
    return `${prompt}\n\n## Your last answer could not be used\n\n${told}\n\nAnswer again, completely and in the requested format.`;
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

/** What an operator wants to be tried now is not held back by a pause the other side once asked for. */
const GOES_NOW: ReadonlySet<string> = new Set(["retry-now", "retry-stage", "sign-in-again", "switch-provider"]);

/** The targets of such an attempt have a name of their own, which nothing holds back yet; empty for every other attempt. */
export function ownTargets({ run, instruction, ...place }: StageScope): string {
  return instruction !== null && GOES_NOW.has(instruction.action) ? `${run}/${turnOf(place)}` : "";
}

/** Arguments that let this CLI do what an operator granted; empty when nothing was granted, or it takes none. */
export function grantArgs(cli: string, instruction: Instruction | null): readonly string[] {
  if (instruction === null) return [];
  const named = grantedIn(instruction, "tools").filter(isToolName);
  if (instruction.action !== "grant-and-retry" && named.length === 0) return [];
  const kind = AGENT_KINDS.find((one) => one === cli);
  return (kind === undefined ? undefined : GRANTS[kind])?.(named) ?? [];
}

/** A word that begins with a dash would be taken for an option of its own. */
function isToolName(tool: string): boolean {
  return /^[^\s-]/.test(tool) && !/[\p{Cc},]/u.test(tool);
}

/** As their help says; editing files is the least that makes sense where no tool can be named. */
const GRANTS: Readonly<Partial<Record<AgentKind, (tools: readonly string[]) => readonly string[]>>> = {
  claude: (tools) => (tools.length > 0 ? ["--allowedTools", tools.join(",")] : ["--permission-mode", "acceptEdits"]),
  codex: () => ["-s", "workspace-write"],
  gemini: () => ["--approval-mode", "auto_edit"],
  qwen: () => ["--approval-mode", "auto-edit"],
};
