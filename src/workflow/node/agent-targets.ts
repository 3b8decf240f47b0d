// The targets of an agent by name (`openai/gpt-5.5`, `claude`), and the order in which they are asked, which an operator may change.

import { AGENT_KINDS, type AgentKind } from "../../agent/parse/agent-state.ts";
import { fault, FaultError } from "../../core/fault/fault.ts";
import { type Instruction, switchedTo } from "../../core/flow/visit.ts";
import { freeName } from "../../runtime/tool/chain.ts";
import type { AgentSpec, AgentTarget } from "../../workflow-model/node-options.ts";
import { knownProviders, type ModelAgentTarget, providerName } from "../../workflow-model/providers.ts";

export type CliAgentTarget = Extract<AgentTarget, { readonly kind: "cli" }>;

export interface NamedTarget<Target> {
  readonly id: string;
  readonly target: Target;
}

/** The names of its targets in order; an operator can switch to any of them. */
export function agentTargetIds({ targets }: Pick<AgentSpec, "targets">): readonly string[] {
  return namedTargets(targets).map(({ id }) => id);
}

/** The targets in the order of this attempt. The first one answers and the others are fallbacks; an operator's choice comes first. */
export function targetChain(
  spec: Pick<AgentSpec, "id" | "targets">,
  instruction: Instruction | null,
): readonly NamedTarget<AgentTarget>[] {
  const own = namedTargets(spec.targets);
  const wanted = switchedTo(instruction);
  if (own.length === 0) throw noTarget(spec.id);
  if (wanted === null) return own;
  const first = own.find(({ id }) => id === wanted) ?? otherTarget(wanted, own);
  if (first === null) throw noSuchTarget(spec.id, wanted, own);
  return [first, ...own.filter((each) => each !== first)];
}

function noTarget(agent: string): FaultError {
  const message = `agent ${agent} has no target: give it a model or a cli`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "targets", agent } }));
}

function isModel(named: NamedTarget<AgentTarget>): named is NamedTarget<ModelAgentTarget> {
  return named.target.kind === "model";
}

/** A target that is listed twice gets two names. */
function namedTargets(targets: readonly AgentTarget[]): readonly NamedTarget<AgentTarget>[] {
  const taken = new Set<string>();
  return targets.map((target) => ({ id: freeName(nameOf(target), taken), target }));
}

function nameOf(target: AgentTarget): string {
  if (target.kind === "model") return `${providerName(target)}/${target.model}`;
  // Shows the command's name without its folder.
  return target.cli === ANY_COMMAND ? (target.command.split(/[\\/]/).at(-1) ?? target.cli) : target.cli;
}

const ANY_COMMAND: AgentKind = "generic";

/** A target outside the agent's list: a known CLI, or any model of a provider that is known or used by the agent; null for neither. */
function otherTarget(wanted: unknown, own: readonly NamedTarget<AgentTarget>[]): NamedTarget<AgentTarget> | null {
  if (typeof wanted !== "string") return null;
  if (wanted !== ANY_COMMAND && (AGENT_KINDS as readonly string[]).includes(wanted)) {
    return { id: wanted, target: { kind: "cli", cli: wanted, command: "", args: [], model: "" } };
  }
  const [, name = "", model = ""] = /^([^/]+)\/(.+)$/.exec(wanted) ?? [];
  if (model === "") return null;
  // A provider's settings apply to all its models.
  const like = own.filter(isModel).find(({ target }) => providerName(target) === name)?.target;
  if (like !== undefined) return { id: wanted, target: { ...like, model } };
  if (!knownProviders().includes(name)) return null;
  return { id: wanted, target: { kind: "model", name, provider: name, model, baseUrl: "", apiKeyEnv: "" } };
}

function noSuchTarget(agent: string, wanted: unknown, own: readonly NamedTarget<AgentTarget>[]): FaultError {
  const there = own.map(({ id }) => id).join(", ");
  const message = `agent ${agent} cannot be switched to ${JSON.stringify(wanted)}; it has ${there}, and can have any <provider>/<model> (${knownProviders().join(", ")}) or CLI (${AGENT_KINDS.filter((kind) => kind !== ANY_COMMAND).join(", ")})`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "target", agent } }));
}
