// Runs an agent through drills: each time a new provider, a new gateway if there is to be one, and a new process.
// D1  No run leaves a process, a server or a timer behind.
// D2  The provider behind the gateway is a server of its own, because targets of one address fail together.

import { runProcess } from "../../agent/process/run-process.ts";
import type { ScenarioRule } from "../../chaos/scenario-schema.ts";
import { type Chaos, startChaos } from "../../chaos/start-chaos.ts";
import { createFaultline } from "../../faultline.ts";
import { DIALECT_NAMES } from "../../gateway/dialect/dialect.ts";
import { parseGateway } from "../../gateway/config/parse-gateway.ts";
import { startGateway } from "../../gateway/start-gateway.ts";
import type { Clock } from "../../host/clock.ts";
import { CODE_WORD, type Drill, GOOD_RULES, rulesOf } from "./drills.ts";
import { judge, type DrillRun, type Verdict } from "./judge.ts";

/** The process of an agent that is to use the provider at an address. */
export interface DrilledAgent {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface DrillOptions {
  readonly agentAt: (url: string) => DrilledAgent;
  readonly drills: readonly Drill[];
  readonly hasGateway: boolean;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onResult: (result: DrillResult) => Promise<void> | void;
}

export interface DrillResult {
  readonly drill: Drill;
  readonly verdict: Verdict;
  readonly seen: DrillRun;
}

/** The run without a fault, and how it ended if it did not work. */
export interface Baseline {
  readonly seen: DrillRun;
  /** The end of what it printed. */
  readonly printed: string;
  readonly works: boolean;
  /** Why it could not be started; null: it was. */
  readonly notStarted: string | null;
  /** A request to an address that no vendor has. */
  readonly stray: string | null;
}

export async function runDrills(options: DrillOptions): Promise<Baseline> {
  const baseline = await runOnce(GOOD_RULES, options);
  if (!baseline.works) return baseline;
  const usual = baseline.seen.requests.length;
  const isStopped = (): boolean => options.signal.aborted;
  for (const drill of options.drills) {
    const { seen } = await runOnce(rulesOf(drill, usual), options);
    if (isStopped()) break;
    await options.onResult({ drill, seen, verdict: judge(drill, seen, usual) });
  }
  return baseline;
}

async function runOnce(rules: readonly ScenarioRule[], options: DrillOptions): Promise<Baseline> {
  const { clock, hasGateway } = options;
  const failing = await startChaos({ clock, scenario: { rules: [...rules] } });
  const backup = await startChaos({ clock, scenario: { rules: [...GOOD_RULES] } });
  const gateway = hasGateway ? await gatewayTo(failing, backup, clock) : null;
  try {
    return await runAgent(gateway?.url ?? failing.url, { failing, backup }, options);
  } finally {
    await failing.close();
    await backup.close();
    await gateway?.close();
  }
}

interface Providers {
  readonly failing: Chaos;
  readonly backup: Chaos;
}

const MAX_LINE_BYTES = 1_048_576;
const TAIL_BYTES = 2_000;

async function runAgent(url: string, { failing, backup }: Providers, options: DrillOptions): Promise<Baseline> {
  const { timeoutMs, clock, signal } = options;
  const printed = { hasAnswer: false };
  const running = runProcess(
    {
      ...options.agentAt(url),
      stdin: null,
      clock,
      signal,
      endsAll: true,
      timeouts: { startupMs: Infinity, idleMs: Infinity, totalMs: timeoutMs },
      maxLineBytes: MAX_LINE_BYTES,
      maxTailBytes: TAIL_BYTES,
    },
    {
      stdout: (line) => void (printed.hasAnswer ||= line.includes(CODE_WORD)),
      stderr: () => undefined,
    },
  );
  const { exitCode, timedOut, durationMs, spawnError, stdoutTail, stderrTail } = await running.done;
  const { hasAnswer } = printed;
  const seen = {
    exitCode,
    hasAnswer,
    durationMs,
    timedOut: timedOut !== null,
    requests: failing.received(),
    rescued: backup.received().length,
  };
  return {
    seen,
    works: exitCode === 0 && hasAnswer && seen.requests.length > 0,
    printed: stderrTail === "" ? stdoutTail : stderrTail,
    notStarted: spawnError?.message ?? null,
    stray: failing.strays()[0]?.path ?? null,
  };
}

/** Short, so that an agent need not wait long for a provider that says nothing. */
const LIMITS = "{ headers_ms: 5000, first_token_ms: 5000, idle_ms: 5000 }";

async function gatewayTo(failing: Chaos, backup: Chaos, clock: Clock): Promise<Pick<Chaos, "url" | "close">> {
  const dialects = `[${DIALECT_NAMES.join(", ")}]`;
  const { settings, diagnostics } = parseGateway(
    `version: 1
targets:
  first: { dialect: ${dialects}, base_url: "${failing.url}/v1", timeouts: ${LIMITS} }
  second: { dialect: ${dialects}, base_url: "${backup.url}/v1", timeouts: ${LIMITS} }
routes:
  "*": { chain: [first, second], mid_stream: restart }
`,
    "drill",
    {},
  );
  if (settings === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const faultline = createFaultline({ clock });
  const started = await startGateway(faultline, settings, { port: 0, host: "127.0.0.1" });
  return {
    url: started.url,
    async close() {
      await started.close();
      await faultline.close();
    },
  };
}
