// Agent CLIs in a chain of models, or instead of them. A CLI stands there as a model that is asked with the whole conversation as a
// text and answers with its last word; it has its own tools, its own time and its own account. What is switched, waited for and
// asked again is decided as in any chain.

import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Usage } from "@ai-sdk/provider";
import { AgentRequest } from "../../agent/run/agent-request.ts";
import type { CliTarget } from "../../agent/run/cli.ts";
import { cliDomains } from "../../agent/run/cli-domains.ts";
import { otherTargets, RETRY_BEFORE_FALLBACK, type OtherTargets } from "../../agent/run/other-targets.ts";
import { runCli } from "../../agent/run/run-cli.ts";
import { AGENT_CLIS } from "../../agent/verdict/cli-table.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import type { ModelRequest } from "../../provider/model/model-request.ts";
import type { Turn } from "../../runtime/session/turn.ts";
import { targetKey } from "../../runtime/target/target-key.ts";
import type { ChainPart } from "../../runtime/tool/chain-part.ts";
import { type AnyTool, type RunContext, tool } from "../../runtime/tool/tool.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { readAnswer } from "./agent-answer.ts";
import { attemptsIn, type RawLog } from "./agent-raw.ts";
import { conversationText } from "./conversation-text.ts";

export interface CliDeps {
  readonly agent: string;
  readonly clock: Clock;
  readonly log: RawLog;
  /** A CLI that is asked for a better answer remembers what it did; unless that has become too much. */
  readonly resumes: boolean;
}

/** Sessions with a poor answer, by the CLI: what it is called, and what it had cost. */
type PoorSessions = Map<string, { readonly sessionId: string; readonly costUsd: number }>;

/** The turn, for a chain of models in which those of these names are CLIs. */
export function turnWithClis(turn: Turn, clis: readonly CliTarget[], home: CliDeps): Turn {
  const known = new Map<AnyTool, AnyTool>();
  return {
    id: turn.id,
    get deadlineAt() {
      return turn.deadlineAt;
    },
    redactor: turn.redactor,
    get cancelled() {
      return turn.cancelled;
    },
    get isWaiting() {
      return turn.isWaiting;
    },
    protect: (head, input, options) => {
      const own = known.get(head) ?? mixed(head, clis, home);
      known.set(head, own);
      return turn.protect(own as typeof head, input, options);
    },
    run: (steps, options) => turn.run(steps, options),
    ask: (name, payload, options) => turn.ask(name, payload, options),
    cancel: (reason) => turn.cancel(reason),
  };
}

/** Holds the place of a CLI in a chain of models; `turnWithClis` puts the CLI there. */
export function placeOfCli({ id }: CliTarget): LanguageModelV4 {
  const message = `${id} is an agent CLI and was asked as a model`;
  const fail = (): Promise<never> => Promise.reject(new FaultError(fault("InvariantBroken", { message })));
  return {
    specificationVersion: "v4",
    provider: "cli",
    modelId: id,
    supportedUrls: {},
    doGenerate: fail,
    doStream: fail,
  };
}

function mixed(head: AnyTool, clis: readonly CliTarget[], home: CliDeps): AnyTool {
  const members: AnyTool[] = [];
  const poor: PoorSessions = new Map();
  for (const member of head.chain?.members ?? []) {
    if (member.chain === null) continue;
    const chain = { ...member.chain, members };
    const target = clis.find(({ id }) => id === member.id);
    members.push(target === undefined ? { ...member, chain } : memberOf(target, chain, home, poor));
  }
  return members[0] ?? head;
}

/** The process has its own clock, which says which limit was passed; the call's is for when it cannot be ended. */
const GRACE_MS = 30_000;
const LONGEST_MS = 30 * 24 * 3_600_000;

function memberOf(target: CliTarget, chain: ChainPart<AnyTool>, home: CliDeps, poor: PoorSessions): AnyTool {
  const { id, kind, idempotent, lastResort } = target;
  const domains = cliDomains(target);
  const others = otherTargets(id, chain.members);
  const plain = tool<ModelRequest, unknown>({
    id,
    surface: "cli",
    provider: AGENT_CLIS[kind].provider,
    target: targetKey(domains),
    idempotent,
    timeoutMs: Math.min(target.timeouts.totalMs + GRACE_MS, LONGEST_MS),
    // What a run costs is not known before it has run.
    cost: { estimate: () => null },
    run: (request, context) => answerOf(target, request, context, { ...home, others }, poor),
  });
  return {
    ...(plain as AnyTool),
    chain: {
      ...chain,
      // What the models can do it need not be able to do: it does the work in its own way.
      facts: { ...chain.facts, ...domains, lastResort },
      hurried: RETRY_BEFORE_FALLBACK,
      // It gets the conversation as it is, whoever it was meant for.
      repairs: { ...chain.repairs, fit: (input) => ({ input, changes: [] }) },
    },
  };
}

/** In the form the chain of models expects an answer in: whole, or as a stream that has come to its end. */
async function answerOf(
  target: CliTarget,
  { options, sink, memory }: ModelRequest,
  context: RunContext,
  { agent, clock, log, resumes, others }: CliDeps & { readonly others: OtherTargets },
  poor: PoorSessions,
): Promise<unknown> {
  sink?.begin();
  const before = resumes ? poor.get(target.id) : undefined;
  const sessions = before === undefined ? {} : { [target.id]: before.sessionId };
  const request = new AgentRequest(conversationText(options.prompt), sessions, attemptsIn(log));
  const run = { clock, env: {}, cwd: target.cwd ?? "", costBefore: () => before?.costUsd ?? 0, others };
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
  const ending = { usage: NO_USAGE, finishReason: { unified: "stop", raw: undefined } } as const;
  if (sink === null) return { content, ...ending, warnings: [] };
  sink.push({ type: "stream-start", warnings: [] });
  sink.push({ type: "text-start", id: "0" });
  sink.push({ type: "text-delta", id: "0", delta: text });
  sink.push({ type: "text-end", id: "0" });
  return { content, finish: { type: "finish", ...ending } };
}

/** In tokens; what it cost in money it says itself. */
const NO_USAGE: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};
