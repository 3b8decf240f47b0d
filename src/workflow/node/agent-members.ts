// Builds an agent's chain from its targets: models and agent CLIs, with the permissions an operator granted, and with logging. A
// CLI gets the whole conversation as one text and answers with its final message. It has its own tools, time limit and account.

import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Message } from "@ai-sdk/provider";
import { AGENT_KINDS } from "../../agent/parse/agent-state.ts";
import { childEnv, type Environment, type GivenEnv } from "../../agent/process/child-env.ts";
import { AgentRequest } from "../../agent/run/agent-request.ts";
import { KnownSessions } from "../../agent/run/known-sessions.ts";
import { cli, type CliTarget } from "../../agent/run/cli.ts";
import { cliDomains, cliMember } from "../../agent/run/cli-member.ts";
import { cliEnvNames } from "../../agent/verdict/cli-env.ts";
import { accountOnce } from "../../runtime/target/targets.ts";
import { classify } from "../../core/classify/classify.ts";
import { fault, FaultError } from "../../core/fault/fault.ts";
import type { Instruction } from "../../core/flow/visit.ts";
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
import { attemptsIn, loggedModel, type RawLog } from "./agent-raw.ts";
import type { CliAgentTarget, NamedTarget } from "./agent-targets.ts";

const cliRuns = lazyPart(() => import("../../agent/run/run-cli.ts"));

export interface AgentMembersDeps {
  readonly agent: string;
  readonly clock: Clock;
  readonly log: RawLog;
  readonly env: Environment;
  /** The environment variables that the workflow passes to CLIs. */
  readonly given: GivenEnv;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** A CLI run may safely be repeated even if it has used tools. */
  readonly idempotent: boolean;
  readonly instruction: Instruction | null;
  /** See `ownTargets`; may be empty. */
  readonly own: string;
}

/** Throws if the first model cannot be created. A fallback that cannot be created fails when it is used. */
export async function agentMembers(
  targets: readonly NamedTarget<AgentTarget>[],
  deps: AgentMembersDeps,
): Promise<readonly (ModelTargetOptions | ModelMember)[]> {
  const poor: PoorSessions = { ids: new Map(), known: new KnownSessions() };
  const made: (ModelTargetOptions | ModelMember)[] = [];
  for (const { id, target } of targets) {
    if (target.kind === "cli") made.push(memberOfCli(cliTarget(id, target, deps), deps, poor));
    else made.push(await modelTarget(id, target, made.length === 0, deps));
  }
  return made;
}

/** At least one target takes no schema besides the prompt, so the prompt must contain it. */
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
  // An attempt that must start at once uses a separate account name, which no pause applies to.
  const credential = own === "" ? account : accountOnce(account, own);
  return { id, model: loggedModel(model, id, log), endpoint, credential };
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
  const options = {
    id,
    env: childEnv(env, given, cliEnvNames(kind, env)),
    inheritEnv: false,
    cwd,
    idempotent,
    extraArgs: [...args, ...grantArgs(kind, instruction)],
    // The CLI may take as long as its node.
    ...(Number.isFinite(timeoutMs) ? { timeouts: { totalMs: timeoutMs } } : {}),
    ...(command === "" ? {} : { command }),
    ...(model === "" ? {} : { model }),
  };
  const made = cli(kind, options);
  return own === "" ? made : cli(kind, { ...options, credential: accountOnce(cliDomains(made).account, own) });
}

function unknownCli(name: string): FaultError {
  const message = `unknown agent CLI ${JSON.stringify(name)}; known are ${AGENT_KINDS.join(", ")}`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "cli" } }));
}

/** A CLI meets every need of a conversation in its own way, but it cannot continue a text that a reader has already seen. */
const CLI_CAPABILITIES = CAPABILITIES.filter((each) => each !== "prefill");

/** Sessions that gave an invalid answer. */
interface PoorSessions {
  /** By CLI. */
  readonly ids: Map<string, string>;
  readonly known: KnownSessions;
}

function memberOfCli(target: CliTarget, deps: AgentMembersDeps, poor: PoorSessions): ModelMember {
  return cliMember(target, (request, context) => answerOf(target, request, context, deps, poor), CLI_CAPABILITIES);
}

/** The answer in the form that a chain of models expects: complete, or as a finished stream. */
async function answerOf(
  target: CliTarget,
  { options, sink, memory }: ModelRequest,
  context: RunContext,
  { agent, clock, log, instruction }: AgentMembersDeps,
  { ids, known }: PoorSessions,
): Promise<unknown> {
  sink?.begin();
  // A CLI asked for a better answer resumes its session, unless the operator asked for a shorter prompt.
  const before = isShortened(instruction) ? undefined : ids.get(target.id);
  const sessions = before === undefined ? {} : { [target.id]: before };
  const request = new AgentRequest(conversationText(options.prompt), sessions, attemptsIn(log));
  const run = { clock, env: {}, cwd: target.cwd ?? "", sessions: known };
  const { runCli } = await cliRuns();
  const { text: said, sessionId } = await runCli(target, request, run, context);
  ids.delete(target.id);
  const { responseFormat } = options;
  const isJson = responseFormat?.type === "json";
  const read = isJson ? await readAnswer(said, (responseFormat.schema as JsonSchema | undefined) ?? true, agent) : null;
  if (read !== null && !read.ok) {
    memory.lastAnswer = said;
    if (sessionId !== null) ids.set(target.id, sessionId);
    throw new FaultError(read.fault);
  }
  const text = read === null ? said : JSON.stringify(read.value);
  const content: readonly LanguageModelV4Content[] = [{ type: "text", text }];
  // The CLI reports its cost itself, so no token usage is needed.
  const ending = { usage: NO_USAGE, finishReason: { unified: "stop", raw: undefined } } as const;
  return sink === null ? { content, ...ending, warnings: [] } : { content, finish: { type: "finish", ...ending } };
}

// A conversation as one text, for an agent that takes no messages: the instructions and the question, what earlier targets said and
// did so far, and what was wrong with it.

function conversationText(messages: readonly LanguageModelV4Message[]): string {
  return messages
    .flatMap(linesOf)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function linesOf(message: LanguageModelV4Message): readonly string[] {
  switch (message.role) {
    case "system":
      return [message.content];
    case "user":
      return message.content.map((part) => (part.type === "text" ? part.text : ""));
    case "assistant":
      return message.content.map((part) => {
        if (part.type === "text") return part.text === "" ? "" : `This was answered so far:\n\n${part.text}`;
        return part.type === "tool-call" ? `The tool ${part.toolName} was called with ${inJson(part.input)}.` : "";
      });
    case "tool":
      return message.content.map((part) =>
        part.type === "tool-result" ? `The tool ${part.toolName} gave:\n\n${resultText(part.output)}` : "",
      );
  }
}

type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;
type ToolOutput = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];

function resultText(output: ToolOutput): string {
  return output.type === "text" ? output.value : inJson("value" in output ? output.value : null);
}

function inJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}
