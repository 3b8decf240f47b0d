// Agent CLIs as one agent: a chain of them that switches, waits and gives up by the same rules as a chain of models.

import { classify } from "../../core/classify/classify.ts";
import type { FailureDomains } from "../../core/decide/fallback.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import { guarded } from "../../host/foreign-code.ts";
import { checkOptions, invalidOption } from "../../options/check-options.ts";
import { anyText, callable, having, mapOf, shape, signal as signalKind } from "../../options/kind.ts";
import type { Outcome } from "../../runtime/call/outcome.ts";
import { targetKey } from "../../runtime/target/target-key.ts";
import type { ChainPart } from "../../runtime/tool/chain-part.ts";
import { type AnyTool, tool } from "../../runtime/tool/tool.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import { type AgentListeners, AgentRequest, type AgentRunResult } from "./agent-request.ts";
import type { CliTarget } from "./cli.ts";
import { cliDomains } from "./cli-domains.ts";
import { otherTargets, RETRY_BEFORE_FALLBACK } from "./other-targets.ts";
import { runCli, type CliRunDeps } from "./run-cli.ts";

export interface AgentOptions {
  /** Says what has to be known of a session that became too long, for the fresh one; its last answer when left out. */
  readonly summarize?: (about: { readonly lastText: string; readonly signal: AbortSignal }) => string | Promise<string>;
}

export const AGENT_OPTIONS = shape<AgentOptions>({ summarize: callable });

export interface AgentRunOptions {
  /** Sessions to go on with, by target: what `sessionId` of an earlier result was. */
  readonly sessions?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Everything the CLIs say, as they say it. An `attempt` makes what came before it void. */
  readonly onEvent?: AgentListeners["onEvent"];
  /** Every line the CLIs print, as it is: it may hold secrets. */
  readonly onLine?: AgentListeners["onLine"];
  /** Every byte the CLIs print, as it is. A promise asks for time; "closed" closes the pipe of the process. */
  readonly onBytes?: AgentListeners["onBytes"];
  /** How each process ended by its own account. */
  readonly onExit?: AgentListeners["onExit"];
  /** What each run came to, whether it worked or not. */
  readonly onResult?: AgentListeners["onResult"];
}

const AGENT_RUN_OPTIONS = shape<AgentRunOptions>({
  sessions: mapOf(anyText),
  signal: signalKind,
  onEvent: callable,
  onLine: callable,
  onBytes: callable,
  onExit: callable,
  onResult: callable,
});

const targetKind = having("a CLI made by cli()", "id", "kind", "command");

export interface Agent {
  /** Never rejects for a failing CLI. */
  run(prompt: string, options?: AgentRunOptions): Promise<Outcome<AgentRunResult>>;
}

export interface AgentDeps {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Reports an error that is ignored on purpose. */
  readonly suppress: (fault: Fault, reason: string) => void;
}

export type ProtectAgent = (
  tool: AnyTool,
  request: AgentRequest,
  signal: AbortSignal | undefined,
) => Promise<Outcome<unknown>>;

export function createAgent(
  targets: readonly CliTarget[],
  options: AgentOptions,
  protect: ProtectAgent,
  home: AgentDeps,
): Agent {
  const known: KnownSessions = new Map();
  const costBefore = (sessionId: string | null): number => known.get(sessionId ?? "")?.costUsd ?? 0;
  const list: unknown = targets;
  const fits = Array.isArray(list) && list.length > 0 && list.every(targetKind.fits);
  const [head] = fits ? membersOf(targets, options, known, { ...home, costBefore }) : [];
  if (head === undefined) {
    throw invalidOption("fl.agent", "targets", "targets must be a list of agent CLIs, as in fl.agent([cli('claude')])");
  }
  return {
    async run(prompt, options = {}) {
      const { sessions = {}, signal, ...listeners } = checkOptions("agent.run", options, AGENT_RUN_OPTIONS);
      const request = new AgentRequest(prompt, sessions, safeListeners({ ...NOBODY, ...listeners }, home));
      const outcome = (await protect(head, request, signal)) as Outcome<AgentRunResult>;
      if (outcome.status === "done") remember(known, outcome.value);
      return outcome;
    },
  };
}

const NOBODY: AgentListeners = {
  onEvent: () => undefined,
  onLine: () => undefined,
  onBytes: () => undefined,
  onExit: () => undefined,
  onResult: () => undefined,
};

/** A listener that throws must not fail a run that works. Its first failure is reported. */
function safeListeners(
  { onEvent, onLine, onBytes, onExit, onResult }: AgentListeners,
  home: AgentDeps,
): AgentListeners {
  const event = safely("onEvent", onEvent, home);
  const exit = safely("onExit", onExit, home);
  const result = safely("onResult", onResult, home);
  return {
    onEvent: (heard) => void event(heard),
    onLine: safely("onLine", onLine, home),
    onBytes: safeBytes(onBytes, home),
    onExit: (seen) => void exit(seen),
    onResult: (run) => void result(run),
  };
}

function safeBytes(onBytes: AgentListeners["onBytes"], home: AgentDeps): AgentListeners["onBytes"] {
  const heard: { answer: "closed" | undefined } = { answer: undefined };
  const tell = safely(
    "onBytes",
    (...args: Parameters<typeof onBytes>) => {
      const taken = onBytes(...args);
      heard.answer = taken === "closed" ? taken : undefined;
      return taken;
    },
    home,
  );
  return (...args) => {
    heard.answer = undefined;
    const busy = tell(...args);
    return busy ?? heard.answer;
  };
}

function safely<Args extends readonly unknown[]>(
  name: keyof AgentListeners,
  listener: (...args: Args) => unknown,
  { suppress, clock }: AgentDeps,
): (...args: Args) => Promise<void> | undefined {
  return guarded(listener, (error) =>
    suppress(
      classify({ surface: "node", error, observedAt: clock.now() }),
      `${name} threw; the run goes on. Later failures of ${name} are not reported`,
    ),
  );
}

/** What is remembered of sessions that worked: what they had cost, and what was said last. */
type KnownSessions = Map<string, { readonly costUsd: number; readonly text: string }>;

const MOST_SESSIONS = 1_000;

function remember(known: KnownSessions, { sessionId, totalCostUsd, text }: AgentRunResult): void {
  if (sessionId === null) return;
  known.delete(sessionId);
  known.set(sessionId, { costUsd: totalCostUsd ?? 0, text });
  for (const oldest of known.keys()) if (known.size > MOST_SESSIONS) known.delete(oldest);
}

function membersOf(
  targets: readonly CliTarget[],
  options: AgentOptions,
  known: KnownSessions,
  home: Omit<CliRunDeps, "others">,
): readonly AnyTool[] {
  const members: AnyTool[] = [];
  for (const target of targets) {
    const domains = cliDomains(target);
    const others = otherTargets(target.id, members);
    const plain = tool<AgentRequest, AgentRunResult>({
      id: target.id,
      surface: "cli",
      provider: AGENT_CLIS[target.kind].provider,
      target: targetKey(domains),
      idempotent: target.idempotent,
      // The process has its own clock, which says which limit was passed; this one is for when it cannot be ended.
      timeoutMs: Math.min(target.timeouts.totalMs + GRACE_MS, LONGEST_MS),
      // What a run costs is not known before it has run.
      cost: { estimate: () => null },
      run: (request, context) => runCli(target, request, { ...home, others }, context),
    });
    members.push({ ...(plain as AnyTool), chain: chainPart(target, domains, members, options, known) });
  }
  return members;
}

const GRACE_MS = 30_000;
const LONGEST_MS = 30 * 24 * 3_600_000;

/** About what a session holds when it overflows, in tokens: enough to be more than any prompt. */
const SESSION_TOKENS = 200_000;

function chainPart(
  { id, lastResort }: CliTarget,
  domains: FailureDomains,
  members: readonly AnyTool[],
  { summarize }: AgentOptions,
  known: KnownSessions,
): ChainPart<AnyTool> {
  return {
    members,
    facts: { ...domains, capabilities: [], contextWindowTokens: Infinity, lastResort },
    hurried: RETRY_BEFORE_FALLBACK,
    revive: (kept, given) => (given as AgentRequest).revived(kept),
    passesThrough: () => true,
    needsOf: () => NO_NEEDS,
    repairs: {
      fit: (input) => ({ input, changes: [] }),
      sizeOf: (input) => {
        const { prompt, isResuming } = input as AgentRequest;
        return Math.ceil(prompt.length / 4) + (isResuming ? SESSION_TOKENS : 0);
      },
      // A session that is too long, or that the CLI has lost, is left, and its gist goes into a fresh one; a prompt that is too long by itself stays so.
      compact: async (input, _why, signal) => {
        const request = input as AgentRequest;
        if (!request.isResuming) return null;
        const lastText = known.get(request.sessions[id] ?? "")?.text ?? "";
        const gist = summarize === undefined ? lastText : await summarize({ lastText, signal });
        return request.afresh(gist === "" ? NOTHING_KNOWN : `What was said before, in short:\n${gist}`);
      },
      regenerate: (input) => input,
      refresh: null,
    },
  };
}

const NO_NEEDS = { capabilities: [], inputTokens: 0, refusal: null } as const;
const NOTHING_KNOWN = "(The conversation before this could not be continued and was left behind.)";
