// A node that asks an agent: a chain of models with tools, agent CLIs, or both. Init builds the prompt, Act asks, and Assert decides
// whether the result of a message loop that ran out of rounds is acceptable.

import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { compileSchema } from "../../schema/index.ts";
import { overrideFor } from "../operator/instructions.ts";
import type { ActResult, ActTools, AssertVerdict, Stage, StageScope } from "../../workflow-model/stage.ts";
import { schemaWords } from "./agent-answer.ts";
import { agentRefusal, instructedPrompt, ownTargets, renderedFor } from "./agent-instruction.ts";
import { agentMembers, needsSchemaWords } from "./agent-members.ts";
import { RawLog } from "./agent-raw.ts";
import { targetChain } from "./agent-targets.ts";
import { offeredTools } from "./agent-tools.ts";
import { initUnlessSkipped, type NodeDeps, stageBase } from "./base.ts";
import { runMessageLoop } from "./message-loop.ts";
import type { AgentSpec, NodeOptions } from "../../workflow-model/node-options.ts";

export type AgentNodeOptions = NodeOptions & { readonly kind: "agent" };

export function agentStage(options: AgentNodeOptions, deps: NodeDeps): Stage {
  const { id, agent, prompt } = options;
  const base = stageBase(options, deps);
  const refusal = (scope: StageScope): Fault | null => agentRefusal(id, [agent.system, prompt], scope);
  return {
    ...base,
    kind: "agent",
    turnCap: agent.turnCap,
    maxCostMicrocents: agent.maxCostMicrocents,
    refusal,
    init: initUnlessSkipped(options, deps, (scope) => {
      const refused = refusal(scope);
      if (refused !== null) throw new FaultError(refused);
      // Only Act needs the system prompt; rendering it here reports template errors early.
      renderedFor(agent.system, scope);
      return instructedPrompt(renderedFor(prompt, scope), scope);
    }),
    act: (request, tools, scope) => act(options, deps, request, tools, scope),
    assert: async (result, scope, context) => {
      const refused = result.capHit ? await capVerdict(agentFor(agent, scope), options.id, result) : null;
      return refused ?? base.assert(result, scope, context);
    },
  };
}

async function act(
  { agent, timeoutMs, rules }: AgentNodeOptions,
  deps: NodeDeps,
  prompt: string,
  tools: ActTools,
  scope: StageScope,
): Promise<ActResult> {
  const { faultline, turn, signal, turnCap } = tools;
  const { outputSchema, stream, maxOutputTokens, repeatedFailures } = agent;
  const { instruction } = scope;
  const { env, cwd } = deps;
  const system = renderedFor(agent.system, scope);
  const log = new RawLog(tools.raw);
  const own = ownTargets(scope);
  const mayAsk = (): void => checkBudget(agent, tools, scope);
  const chain = targetChain(agent, instruction);
  const limit = { timeoutMs: overrideFor(scope, "attemptMs") ?? timeoutMs, idempotent: rules.idempotent };
  await deps.learn(agent.tools);
  const place = { agent: agent.id, clock: deps.clock, log, env, given: agent.env, cwd, instruction, own };
  const targets = await agentMembers(chain, { ...place, ...limit });
  const schemaNote = outputSchema !== null && needsSchemaWords(chain) ? schemaWords(outputSchema) : "";
  return runMessageLoop({
    agent: agent.id,
    // The answer is read only when it is complete, so a broken stream can restart.
    model: () => faultline.model(targets, { within: turn, midStream: "restart", repeatedFailures }),
    system: [system, schemaNote].filter((part) => part !== "").join("\n\n"),
    prompt,
    outputSchema,
    tools: offeredTools(agent.tools, deps.tool, agent.id),
    protect: (tool, input, call) => turn.protect(tool, input, call),
    signal,
    redactor: turn.redactor,
    turnCap,
    maxOutputTokens,
    stream,
    mayAsk,
    answered: (text) => log.answered(text),
  });
}

function checkBudget({ id, maxCostMicrocents }: AgentSpec, tools: ActTools, scope: StageScope): void {
  if (tools.budgetLeftMicrocents() > 0) return;
  const limit = overrideFor(scope, "agentCostMicrocents") ?? maxCostMicrocents;
  throw new FaultError(
    fault("BudgetExceeded", {
      message: `agent ${id} has used up its budget for this run; raise max_cost_usd of its budget`,
      context: { limit, agent: id },
    }),
  );
}

/** With the number of rounds an operator may have raised. */
function agentFor(agent: AgentSpec, scope: StageScope): AgentSpec {
  return { ...agent, turnCap: overrideFor(scope, "turnCap") ?? agent.turnCap };
}

/** null: the result is acceptable. */
async function capVerdict(agent: AgentSpec, node: string, { output }: ActResult): Promise<AssertVerdict | null> {
  const { onCap, turnCap, outputSchema } = agent;
  const why = capFault(agent, node);
  const reason = why.message;
  if (onCap !== "accept") return { verdict: onCap, reason, fault: why };
  if (outputSchema === null) return null;
  // Later nodes rely on the schema, even if a partial answer is accepted.
  const { ok } = await compileSchema(outputSchema, `the output schema of agent ${agent.id}`)(output);
  return ok ? null : { verdict: "fail", reason: `${reason} (${turnCap} rounds, no valid answer)`, fault: why };
}

function capFault({ id, turnCap }: AgentSpec, node: string): Fault {
  return fault("TurnLimit", {
    message: `agent ${id} still used tools after ${turnCap} rounds; raise its turn_cap, or make its task smaller`,
    context: { limit: turnCap, agent: id, stage: node },
  });
}
