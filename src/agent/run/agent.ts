// An agent made of agent CLIs: a chain that falls back, waits and gives up by the same rules as a chain of models.

import { classify } from "../../core/classify/classify.ts";
import type { Fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";
import { guarded } from "../../host/foreign-code.ts";
import { lazyPart } from "../../host/lazy-part.ts";
import {
  anyText,
  callable,
  checkOptions,
  having,
  invalidOption,
  mapOf,
  shape,
  signal as signalKind,
} from "../../options/check-options.ts";
import type { Outcome, ProtectChain } from "../../runtime/call/outcome.ts";
import { chain } from "../../runtime/tool/chain.ts";
import type { Repairs } from "../../runtime/tool/tool.ts";
import { type AgentListeners, AgentRequest, type AgentRunResult } from "./agent-request.ts";
import { type CliTarget, resumesSessions } from "./cli.ts";
import { cliMember } from "./cli-member.ts";
import { KnownSessions } from "./known-sessions.ts";

/** Options of an agent. */
export interface AgentOptions {
  /** Summarizes a session that became too long, for the new session. Default: the session's last answer. */
  readonly summarize?: (about: { readonly lastText: string; readonly signal: AbortSignal }) => string | Promise<string>;
}

export const AGENT_OPTIONS = shape<AgentOptions>({ summarize: callable });

/** Options of one run of an agent. */
export interface AgentRunOptions {
  /** Sessions to resume, by target: the `sessionId` of an earlier result. */
  readonly sessions?: Readonly<Record<string, string>>;
  /** Cancels the run and ends the CLI's processes. */
  readonly signal?: AbortSignal;
  /** Gets every event of the CLIs as it happens. An `attempt` event voids the events before it. */
  readonly onEvent?: AgentListeners["onEvent"];
  /** Gets every line the CLIs print, unchanged. Lines may contain secrets. */
  readonly onLine?: AgentListeners["onLine"];
  /** Gets every byte the CLIs print, unchanged. If it returns a promise, reading pauses; "closed" closes the pipe of the process. */
  readonly onBytes?: AgentListeners["onBytes"];
  /** Gets the exit code or signal of each process. */
  readonly onExit?: AgentListeners["onExit"];
  /** Gets the result of each run, successful or not. */
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

const cliRuns = lazyPart(() => import("./run-cli.ts"));

const targetKind = having("a CLI made by cli()", "id", "kind", "command");

/** A chain of agent CLIs and models that answers a prompt. */
export interface Agent {
  /** Does not reject when a CLI fails; the outcome says so. */
  run(prompt: string, options?: AgentRunOptions): Promise<Outcome<AgentRunResult>>;
}

export interface AgentDeps {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Reports an error that is ignored on purpose. */
  readonly suppress: (fault: Fault, reason: string) => void;
}

export function createAgent(
  targets: readonly CliTarget[],
  options: AgentOptions,
  protect: ProtectChain,
  deps: AgentDeps,
): Agent {
  const list: unknown = targets;
  if (!Array.isArray(list) || list.length === 0 || !list.every(targetKind.fits)) {
    throw invalidOption("fl.agent", "targets", "targets must be a list of agent CLIs, as in fl.agent([cli('claude')])");
  }
  const known = new KnownSessions();
  const runDeps = { ...deps, sessions: known };
  const members = targets.map((target) =>
    cliMember<AgentRequest, AgentRunResult>(target, async (request, context) => {
      const { runCli } = await cliRuns();
      return runCli(target, request, runDeps, context);
    }),
  );
  const resumable = new Set(targets.filter(resumesSessions).map(({ id }) => id));
  const agents = chain(members, { repairs: repairsFor(options, known) });
  return {
    async run(prompt, options = {}) {
      if (!anyText.fits(prompt)) throw invalidOption("agent.run", "prompt", "the prompt must be a string");
      const { sessions = {}, signal, ...listeners } = checkOptions("agent.run", options, AGENT_RUN_OPTIONS);
      const resumed = Object.fromEntries(Object.entries(sessions).filter(([id]) => resumable.has(id)));
      const request = new AgentRequest(prompt, resumed, safeListeners({ ...NO_LISTENERS, ...listeners }, deps));
      return protect(agents, request, signal);
    },
  };
}

const NO_LISTENERS: AgentListeners = {
  onEvent: () => undefined,
  onLine: () => undefined,
  onBytes: () => undefined,
  onExit: () => undefined,
  onResult: () => undefined,
};

/** A listener that throws must not fail a run that works. Its first failure is reported. */
function safeListeners(
  { onEvent, onLine, onBytes, onExit, onResult }: AgentListeners,
  deps: AgentDeps,
): AgentListeners {
  const event = safely("onEvent", onEvent, deps);
  const exit = safely("onExit", onExit, deps);
  const result = safely("onResult", onResult, deps);
  return {
    onEvent: (seen) => void event(seen),
    onLine: safely("onLine", onLine, deps),
    onBytes: safeBytes(onBytes, deps),
    onExit: (seen) => void exit(seen),
    onResult: (run) => void result(run),
  };
}

function safeBytes(onBytes: AgentListeners["onBytes"], deps: AgentDeps): AgentListeners["onBytes"] {
  const last: { answer: "closed" | undefined } = { answer: undefined };
  const call = safely(
    "onBytes",
    (...args: Parameters<typeof onBytes>) => {
      const taken = onBytes(...args);
      last.answer = taken === "closed" ? taken : undefined;
      return taken;
    },
    deps,
  );
  return (...args) => {
    last.answer = undefined;
    const busy = call(...args);
    return busy ?? last.answer;
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
      `${name} threw; the run continues. Later failures of ${name} are not reported`,
    ),
  );
}

/** The assumed size of a session that overflows, in tokens: more than any prompt. */
const SESSION_TOKENS = 200_000;

function repairsFor({ summarize }: AgentOptions, known: KnownSessions): Partial<Repairs<AgentRequest>> {
  return {
    sizeOf: ({ prompt, sessions }) => Math.ceil(prompt.length / 4) + Object.keys(sessions).length * SESSION_TOKENS,
    // Replaces a session that is too long, or that the CLI has lost, with a new one that starts with a summary. A prompt that is too long
    // by itself cannot be compacted.
    compact: async (request, _why, signal, target) => {
      const session = request.sessions[target];
      if (session === undefined) return null;
      const lastText = known.textOf(session);
      const gist = summarize === undefined ? lastText : await summarize({ lastText, signal });
      return request.inNewSession(target, gist === "" ? NOTHING_KNOWN : `Summary of the conversation so far:\n${gist}`);
    },
    regenerate: (request) => request,
  };
}

const NOTHING_KNOWN = "(The earlier conversation could not be resumed, and no summary of it is available.)";
