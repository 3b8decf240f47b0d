// A node that asks an agent: a chain of models with tools, or a chain of agent CLIs. Init makes the prompt, Act asks, Assert says what
// a message loop that used up its rounds is worth.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault, type Fault } from "../../core/fault/fault.ts";
import { compileSchema } from "../../schema/index.ts";
import { raisedFor } from "../raised-limit.ts";
import type { ActResult, ActTools, AssertVerdict, Stage, StageScope } from "../stage.ts";
import { schemaWords } from "./agent-answer.ts";
import { cliTargets, runCliAct } from "./agent-clis.ts";
import { instructedPrompt, ownTargets, renderedFor } from "./agent-instruction.ts";
import { modelTargets, needsSchemaWords } from "./agent-models.ts";
import { RawLog } from "./agent-raw.ts";
import { targetChain } from "./agent-targets.ts";
import { offeredTools } from "./agent-tools.ts";
import { type NodeHome, stageBase } from "./base.ts";
import { runMessageLoop } from "./message-loop.ts";
import type { AgentSpec, NodeOptions } from "./node-options.ts";

export type AgentNodeOptions = NodeOptions & { readonly kind: "agent" };

export { agentTargetIds } from "./agent-targets.ts";

export function agentStage(options: AgentNodeOptions, home: NodeHome): Stage {
  const { agent, prompt, onlyIf } = options;
  const base = stageBase(options, home);
  return {
    ...base,
    kind: "agent",
    turnCap: agent.turnCap,
    maxCostMicrocents: agent.maxCostMicrocents,
    init: async (context, scope) => {
      // What a node that is passed over would have said may be about things that are not there.
      if (onlyIf !== null && (await base.checkGate(context, scope)).verdict !== "proceed") return "";
      renderedFor(agent.system, scope);
      return instructedPrompt(renderedFor(prompt, scope), scope);
    },
    act: (request, tools, scope) => act(options, home, request, tools, scope),
    assert: async (result, scope, context) => {
      const refused = result.capHit ? await capVerdict(agentFor(agent, scope), options.id, result) : null;
      return refused ?? base.assert(result, scope, context);
    },
  };
}

async function act(
  { agent, timeoutMs, rules }: AgentNodeOptions,
  home: NodeHome,
  prompt: string,
  tools: ActTools,
  scope: StageScope,
): Promise<ActResult> {
  const { faultline, turn, signal, turnCap } = tools;
  const { outputSchema, stream, maxOutputTokens } = agent;
  const { instruction } = scope;
  const { env, cwd } = home;
  const system = renderedFor(agent.system, scope);
  const log = new RawLog(tools.raw);
  const own = ownTargets(scope);
  const mayAsk = (): void => checkBudget(agent, tools, scope);
  const chain = targetChain(agent, instruction);
  if (chain.kind === "cli") {
    const limit = { timeoutMs: raisedFor(scope, "attemptMs") ?? timeoutMs, idempotent: rules.idempotent };
    const targets = cliTargets(chain.targets, instruction, { env, cwd, own, ...limit });
    const asked = { agent: agent.id, system, prompt, outputSchema, instruction };
    return { output: await runCliAct({ ...asked, faultline, turn, signal, targets, log, mayAsk }), capHit: false };
  }
  await home.learn(agent.tools);
  const targets = await modelTargets(chain.targets, env, log, own);
  const inWords = outputSchema !== null && needsSchemaWords(chain.targets) ? schemaWords(outputSchema) : "";
  return runMessageLoop({
    agent: agent.id,
    // Nobody reads the answer before its end, so a stream that breaks can begin anew.
    model: (voided) => faultline.model(targets, { within: turn, midStream: "restart", onDiscard: voided }),
    system: [system, inWords].filter((part) => part !== "").join("\n\n"),
    prompt,
    outputSchema,
    tools: offeredTools(agent.tools, home.tool, agent.id),
    protect: (tool, input, call) => turn.protect(tool, input, call),
    signal,
    turnCap,
    maxOutputTokens,
    stream,
    mayAsk,
    answered: (text) => log.answered(text),
  });
}

function checkBudget({ id, maxCostMicrocents }: AgentSpec, tools: ActTools, scope: StageScope): void {
  if (tools.budgetLeftMicrocents() > 0) return;
  const limit = raisedFor(scope, "agentCostMicrocents") ?? maxCostMicrocents;
  throw new FaultError(
    fault("BudgetExceeded", {
      message: `agent ${id} has used up the money it may spend in this run; raise max_cost_usd of its budget`,
      context: { limit, agent: id },
    }),
  );
}

/** With the rounds an operator gave it. */
function agentFor(agent: AgentSpec, scope: StageScope): AgentSpec {
  return { ...agent, turnCap: raisedFor(scope, "turnCap") ?? agent.turnCap };
}

/** null: what there is is good enough. */
async function capVerdict(agent: AgentSpec, node: string, { output }: ActResult): Promise<AssertVerdict | null> {
  const { onCap, turnCap, outputSchema } = agent;
  const why = capFault(agent, node);
  const reason = why.message;
  if (onCap !== "accept") return { verdict: onCap, reason, fault: why };
  if (outputSchema === null) return null;
  // The nodes after it rely on the schema, whoever says that half an answer will do.
  const { ok } = await compileSchema(outputSchema, `the output schema of agent ${agent.id}`)(output);
  return ok ? null : { verdict: "fail", reason: `${reason} (${turnCap} rounds, no answer that fits)`, fault: why };
}

function capFault({ id, turnCap }: AgentSpec, node: string): Fault {
  return fault("TurnLimit", {
    message: `agent ${id} was still using tools after ${turnCap} rounds; raise its turn_cap, or make its task smaller`,
    context: { limit: turnCap, agent: id, stage: node },
  });
}
