// The targets of an agent as members of one chain: models and agent CLIs, made from what the workflow says, with what an operator
// granted, and logged. A CLI gets the whole conversation as a text and answers with its last word; it has its own tools, its own
// time limit and its own account.

import type { LanguageModelV4, LanguageModelV4Content } from "@ai-sdk/provider";
import { AGENT_KINDS } from "../../agent/parse/agent-state.ts";
import { childEnv, type Environment, type GivenEnv } from "../../agent/process/child-env.ts";
import { AgentRequest } from "../../agent/run/agent-request.ts";
import { cli, type CliTarget } from "../../agent/run/cli.ts";
import { cliMember } from "../../agent/run/cli-member.ts";
import { cliEnvNames } from "../../agent/verdict/cli-env.ts";
import { classify } from "../../core/classify/classify.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { Instruction } from "../../core/flow/node.ts";
import type { Clock } from "../../host/clock.ts";
import { lazyPart } from "../../host/lazy-part.ts";
import { CAPABILITIES } from "../../provider/model-facts/capability.ts";
import { NO_USAGE } from "../../provider/model/chain-model.ts";
import type { ModelMember } from "../../provider/model/members.ts";
import type { ModelTargetOptions } from "../../provider/model/model-options.ts";
import type { ModelRequest } from "../../provider/model/model-request.ts";
import type { RunContext } from "../../runtime/tool/tool.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import type { AgentTarget } from "../../workflow-model/node-options.ts";
import { createModel, type ModelAgentTarget, modelDomains, providerNamed } from "../../workflow-model/providers.ts";
import { readAnswer } from "./agent-answer.ts";
import { grantArgs, isShortened } from "./agent-instruction.ts";
import { attemptsIn, heardModel, type RawLog } from "./agent-raw.ts";
import type { CliAgentTarget, NamedTarget } from "./agent-targets.ts";
import { conversationText } from "./conversation-text.ts";

const cliRuns = lazyPart(() => import("../../agent/run/run-cli.ts"));

export interface AgentMembersDeps {
  readonly agent: string;
  readonly clock: Clock;
  readonly log: RawLog;
  readonly env: Environment;
  /** What the workflow names of the environment for CLIs. */
  readonly given: GivenEnv;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** A run of a CLI may be done twice without harm even if it has used tools. */
  readonly idempotent: boolean;
  readonly instruction: Instruction | null;
  /** See `ownTargets`; empty for none. */
  readonly own: string;
}

/** Throws what keeps the first model from being made. A fallback that cannot be made fails when it is tried. */
export async function agentMembers(
  targets: readonly NamedTarget<AgentTarget>[],
  deps: AgentMembersDeps,
): Promise<readonly (ModelTargetOptions | ModelMember)[]> {
  const poor: PoorSessions = new Map();
  const made: (ModelTargetOptions | ModelMember)[] = [];
  for (const { id, target } of targets) {
    if (target.kind === "cli") made.push(memberOfCli(cliTarget(id, target, deps), deps, poor));
    else made.push(await modelTarget(id, target, made.length === 0, deps));
  }
  return made;
}

/** At least one target takes no schema beside the prompt, so the prompt has to contain it. */
export function needsSchemaWords(targets: readonly NamedTarget<AgentTarget>[]): boolean {
  return targets.some(({ target }) => target.kind === "cli" || providerNamed(target.provider)?.passesSchema === false);
}

async function modelTarget(
  id: string,
  target: ModelAgentTarget,
  isFirst: boolean,
  { env, log, own }: AgentMembersDeps,
): Promise<ModelTargetOptions> {
  const model = isFirst ? await createModel(target, env) : await modelOrFailing(target, env);
  const { endpoint, account } = modelDomains(target, env);
  // What an operator wants to be tried now has an account of its own here, which nothing holds back yet.
  const credential = own === "" ? account : `${account} ${own}`;
  return { id, model: heardModel(model, id, log), endpoint, credential };
}

async function modelOrFailing(target: ModelAgentTarget, env: Environment): Promise<LanguageModelV4> {
  try {
    return await createModel(target, env);
  } catch (error) {
    const failure = new FaultError(classify({ surface: "node", error }));
    const fail = (): Promise<never> => Promise.reject(failure);
    const { provider, model: modelId } = target;
    return { specificationVersion: "v4", provider, modelId, supportedUrls: {}, doGenerate: fail, doStream: fail };
  }
}

function cliTarget(id: string, { cli: name, command, model, args }: CliAgentTarget, deps: AgentMembersDeps): CliTarget {
  const { env, given, cwd, idempotent, timeoutMs, own, instruction } = deps;
  const kind = AGENT_KINDS.find((one) => one === name);
  if (kind === undefined) throw unknownCli(name);
  return cli(kind, {
    id,
    env: childEnv(env, given, cliEnvNames(kind, env)),
    inheritEnv: false,
    cwd,
    idempotent,
    extraArgs: [...args, ...grantArgs(kind, instruction)],
    // A node that may take hours has a CLI that may.
    ...(Number.isFinite(timeoutMs) ? { timeouts: { totalMs: timeoutMs } } : {}),
    ...(own === "" ? {} : { credential: `${id} ${own}` }),
    ...(command === "" ? {} : { command }),
    ...(model === "" ? {} : { model }),
  });
}

function unknownCli(name: string): FaultError {
  const message = `there is no agent CLI ${JSON.stringify(name)}; there are ${AGENT_KINDS.join(", ")}`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "cli" } }));
}

/** What a conversation needs of a model, a CLI does in its own way. It cannot continue a text that a reader has seen. */
const CLI_CAPABILITIES = CAPABILITIES.filter((each) => each !== "prefill");

/** Sessions with a poor answer, by the CLI: their id, and what they had cost. */
type PoorSessions = Map<string, { readonly sessionId: string; readonly costUsd: number }>;

function memberOfCli(target: CliTarget, deps: AgentMembersDeps, poor: PoorSessions): ModelMember {
  return cliMember(target, (request, context) => answerOf(target, request, context, deps, poor), CLI_CAPABILITIES);
}

/** In the form a chain of models expects an answer in: whole, or as a stream that has come to its end. */
async function answerOf(
  target: CliTarget,
  { options, sink, memory }: ModelRequest,
  context: RunContext,
  { agent, clock, log, instruction }: AgentMembersDeps,
  poor: PoorSessions,
): Promise<unknown> {
  sink?.begin();
  // A CLI that is asked for a better answer remembers what it did, unless the operator asked for a shorter prompt.
  const before = isShortened(instruction) ? undefined : poor.get(target.id);
  const sessions = before === undefined ? {} : { [target.id]: before.sessionId };
  const request = new AgentRequest(conversationText(options.prompt), sessions, attemptsIn(log));
  const run = { clock, env: {}, cwd: target.cwd ?? "", costBefore: () => before?.costUsd ?? 0 };
  const { runCli } = await cliRuns();
  const { text: said, sessionId, totalCostUsd } = await runCli(target, request, run, context);
  poor.delete(target.id);
  const { responseFormat } = options;
  const isJson = responseFormat?.type === "json";
  const read = isJson ? await readAnswer(said, (responseFormat.schema as JsonSchema | undefined) ?? true, agent) : null;
  if (read !== null && !read.ok) {
    memory.lastAnswer = said;
    if (sessionId !== null) poor.set(target.id, { sessionId, costUsd: totalCostUsd ?? 0 });
    throw new FaultError(read.fault);
  }
  const text = read === null ? said : JSON.stringify(read.value);
  const content: readonly LanguageModelV4Content[] = [{ type: "text", text }];
  // What it cost in money it says itself.
  const ending = { usage: NO_USAGE, finishReason: { unified: "stop", raw: undefined } } as const;
  if (sink === null) return { content, ...ending, warnings: [] };
  sink.push({ type: "stream-start", warnings: [] });
  sink.push({ type: "text-start", id: "0" });
  sink.push({ type: "text-delta", id: "0", delta: text });
  sink.push({ type: "text-end", id: "0" });
  return { content, finish: { type: "finish", ...ending } };
}
