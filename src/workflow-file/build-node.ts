// Turns a node of the file into the options of its stage, with all defaults filled in.

import type { GivenEnv } from "../agent/process/child-env.ts";
import type { FaultCode, Retry } from "../core/index.ts";
import { isFaultCode, PRESETS, schedule } from "../core/index.ts";
import type { AgentSpec, Edge, NodeBase, NodeOptions, ToolSpec } from "../workflow-model/node-options.ts";
import type { Path } from "../yaml-file/locate.ts";
import { durationMs } from "./amounts.ts";
import { linesOf } from "./references.ts";
import type { WrittenAgent, WrittenEdge, WrittenEdges, WrittenNode, WrittenPrompt, WrittenRetry } from "./schema.ts";

/** The things a node may refer to by name. */
export interface NamedParts {
  readonly agent: (id: string) => AgentSpec | undefined;
  /** The environment variables of a node together with those of the whole file. */
  readonly env: (own: GivenEnv | undefined) => GivenEnv;
  readonly writtenAgent: (id: string) => WrittenAgent | undefined;
  readonly tool: (id: string) => ToolSpec | undefined;
  readonly prompt: (prompt: WrittenPrompt, path: Path) => string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
/** Longer than three attempts of ten minutes, so that the fault of a hanging model is the one reported. */
const AGENT_TIMEOUT_MS = 35 * MINUTE_MS;
const COMMAND_TIMEOUT_MS = 2 * MINUTE_MS;
/** For nodes that only evaluate an expression, which has its own limit. */
const QUICK_TIMEOUT_MS = MINUTE_MS;

export function buildNode(id: string, node: WrittenNode, named: NamedParts): NodeOptions {
  const path = ["nodes", id, "prompt"];
  switch (node.type) {
    case "agent": {
      const agent = named.agent(node.agent) ?? missing(node.agent);
      const written = named.writtenAgent(node.agent) ?? {};
      const isModel = agent.targets.every(({ kind }) => kind === "model");
      const own = {
        timeoutMs: durationMs(node.timeout) ?? AGENT_TIMEOUT_MS,
        idempotent: written.idempotent ?? isModel,
        retry: node.retry ?? written.retry,
      };
      return { ...base(id, node, own), kind: "agent", agent, prompt: named.prompt(node.prompt, path) };
    }
    case "command": {
      const lines = linesOf(node.run);
      const failsAs = node.fails_as ?? "ExecutionFailed";
      return {
        // Each command has its own time limit, and the number of commands is bounded.
        ...base(id, node, { timeoutMs: Infinity, idempotent: IS_IDEMPOTENT[failsAs] }),
        kind: "command",
        run: lines === null ? { from: fromOf(node.run) } : { lines },
        // Without a list, exactly the commands in the file may run; they contain no {{ }} then.
        allow: { commands: node.allow ?? lines ?? [] },
        env: named.env(node.env),
        cwd: node.cwd ?? "",
        commandTimeoutMs: durationMs(node.timeout) ?? COMMAND_TIMEOUT_MS,
        failsAs,
        stopWhenRepeated: node.stop_when_repeated ?? false,
      };
    }
    case "tool": {
      const spec = named.tool(node.tool);
      const own = {
        timeoutMs: durationMs(node.timeout) ?? callsMs(spec, named),
        idempotent: spec?.idempotent ?? false,
      };
      return { ...base(id, node, own), kind: "tool", tool: node.tool, input: node.input ?? {} };
    }
    case "human_gate":
      return {
        // The question has its own time limit.
        ...base(id, node, { timeoutMs: Infinity, idempotent: true }),
        kind: "human_gate",
        ask: node.ask ?? "Approve",
        prompt: named.prompt(node.prompt, path),
        options: node.options ?? [],
        gateTimeoutMs: durationMs(node.timeout),
        onTimeout: node.on_timeout ?? "reject",
      };
    case "condition":
      return { ...quick(id, node), kind: "condition", expression: node.when, cases: casesOf(node) };
    case "transform":
      return { ...quick(id, node), kind: "transform", expression: node.value };
    case "parallel": {
      const { branches, join, fail_fast: failFast = true } = node;
      return { ...quick(id, node), kind: "parallel", branches, join, failFast };
    }
    case "merge":
      return { ...quick(id, node), kind: "merge", expression: node.value ?? null };
  }
}

/** Long enough for the tool and for all its alternatives. */
function callsMs(first: ToolSpec | undefined, { tool }: NamedParts): number {
  const specs = new Set([first]);
  for (const spec of specs) for (const id of spec?.alternatives ?? []) specs.add(tool(id));
  return [...specs].reduce((total, spec) => total + callMs(spec), 0);
}

/** Long enough for all attempts and waits of the tool's own call, by the policy rows with the most of them. */
function callMs(spec: ToolSpec | undefined): number {
  const most = PRESETS.default.rows.map(({ retry }) => {
    if (retry === null) return spec?.timeoutMs ?? 0;
    const own = { ...retry, maxAttempts: spec?.maxAttempts ?? retry.maxAttempts };
    return (spec?.timeoutMs ?? 0) * own.maxAttempts + (schedule(own).at(-1)?.totalMaxMs ?? 0);
  });
  return Math.max(...most) + MINUTE_MS;
}

/** Tests can run any number of times; another command may have had an effect. */
const IS_IDEMPOTENT = { TestsFailed: true, ExecutionFailed: false } as const;

function missing(agent: string): never {
  throw new TypeError(`agent ${agent} was checked and is not there`);
}

function fromOf(run: Extract<WrittenNode, { type: "command" }>["run"]): string {
  return typeof run === "object" && "from" in run ? run.from : "";
}

function casesOf(node: Extract<WrittenNode, { type: "condition" }>): Readonly<Record<string, Edge>> {
  const named = node.cases ?? { true: node.then, false: node.else };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, to]) => (to === undefined ? [] : [[name, edgeOf(to)]])),
  );
}

function quick(id: string, node: WrittenNode): NodeBase {
  return base(id, node, { timeoutMs: QUICK_TIMEOUT_MS, idempotent: true });
}

interface OwnDefaults {
  readonly timeoutMs: number;
  readonly idempotent: boolean;
  readonly retry?: WrittenRetry | undefined;
}

function base(id: string, node: WrittenNode, { timeoutMs, idempotent, retry = node.retry }: OwnDefaults): NodeBase {
  const { resolution = "abort-workflow" } = node;
  const written = retry ?? (resolution === "retry-later" ? ONCE_MORE_LATER : undefined);
  return {
    id,
    rules: {
      node: id,
      retry: retryOf(written),
      retryOn: written?.on?.filter((code): code is FaultCode => isFaultCode(code)) ?? null,
      resolution,
      idempotent: node.idempotent ?? idempotent,
    },
    timeoutMs,
    role: node.role ?? null,
    onlyIf: node.only_if ?? null,
    asserts: (node.assert ?? []).map(({ that, reason, verdict = "fail" }) => ({ expression: that, reason, verdict })),
    next: node.type === "parallel" ? [] : edgesOf(node.next),
    onFailure: edgesOf(node.on_failure),
  };
}

/** The default for a node with `retry-later`: it runs once more later and is not retried before that. */
const ONCE_MORE_LATER: WrittenRetry = { max_attempts: 2, on: [] };

const RETRY_DEFAULTS = { initialMs: 1000, maxMs: MINUTE_MS, multiplier: 2, jitter: 0.2 } as const;
/** No process waits between attempts of a node, so long waits that a server asks for are respected. */
const LONGEST_WAITS = { maxWaitMs: DAY_MS, maxTotalWaitMs: 30 * DAY_MS } as const;

function retryOf(written: WrittenRetry | undefined): Retry {
  const { initialMs, maxMs, multiplier, jitter } = RETRY_DEFAULTS;
  const kind = written?.backoff ?? "exponential";
  const first = kind === "none" ? 0 : (durationMs(written?.initial) ?? initialMs);
  return {
    maxAttempts: written?.max_attempts ?? 1,
    backoff: {
      kind: kind === "none" ? "fixed" : kind,
      initialMs: first,
      // A default maximum does not shorten an explicit first wait.
      maxMs: durationMs(written?.max) ?? Math.max(maxMs, first),
      multiplier: written?.multiplier ?? multiplier,
    },
    jitter: written?.jitter ?? jitter,
    ...LONGEST_WAITS,
  };
}

function edgesOf(written: WrittenEdges | undefined): readonly Edge[] {
  if (written === undefined) return [];
  return (
    Array.isArray(written) ? (written as readonly (string | WrittenEdge)[]) : [written as string | WrittenEdge]
  ).map(edgeOf);
}

function edgeOf(written: string | WrittenEdge): Edge {
  if (typeof written === "string") return { to: written, when: null, max: Infinity, outcome: "" };
  const { to, when = null, max = Infinity, outcome = "" } = written;
  return { to, when, max, outcome };
}
