// One real CLI in one scenario, run as an agent with a fallback, and what was observed.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  artefactsFolder,
  cli,
  createFaultline,
  type Entry,
  type Fault,
  hasValue,
  openJournal,
  type Outcome,
  readArtefact,
  type AgentRunEvent,
  type AgentRunResult,
} from "../../src/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { type Chaos, startChaos } from "../../src/testing/index.ts";
import type { RealCli } from "./install.ts";
import type { CliScenario } from "./scenarios.ts";
import { cleanEnvironment, SETUPS } from "./setups.ts";

export interface Seen {
  readonly kind: RealCli;
  readonly scenario: CliScenario;
  /** `0`, `1`, `SIGKILL`, or `–` for a process that never started. */
  readonly ending: string;
  readonly requests: number;
  readonly durationMs: number;
  /** The CLI's failure; null if there was none. */
  readonly fault: Fault | null;
  readonly faultAt: number;
  /** The recourse that was taken, and which target answered in the end. */
  readonly then: string;
  readonly answeredBy: string | null;
  readonly text: string;
  readonly sessionId: string | null;
  readonly hasUsage: boolean;
  readonly costUsd: number | null;
  /** Retries that the CLI itself reported. */
  readonly retriesReported: number;
  /** For debugging: the raw output of a failed run. */
  readonly raw: string;
}

const STAND_IN = "stand-in";

/** Opencode prints nothing for more than a minute while it retries. */
const TIMEOUTS = { startupMs: 130_000, idleMs: 130_000, totalMs: 140_000 };

export async function seeOneRun(kind: RealCli, scenario: CliScenario, commands: string): Promise<Seen> {
  const home = mkdtempSync(join(tmpdir(), `faultline-clis-${kind}-${scenario.id}-`));
  for (const folder of ["work", "tmp"]) mkdirSync(join(home, folder));
  const chaos = await startChaos({ scenario: { rules: [...scenario.rules] } });
  const journal = await openJournal(join(home, "journal.sqlite"));
  const fl = createFaultline({ journal });
  try {
    const session = await fl.session("run");
    const pidFile = join(home, "pid");
    const { env, ...rest } = SETUPS[kind].options(chaos, home);
    const target = cli(kind, {
      command: commandOf(kind, scenario, commands, home, pidFile),
      env: { ...cleanEnvironment(home), ...env },
      ...rest,
      cwd: join(home, "work"),
      timeouts: { ...TIMEOUTS, ...scenario.timeouts },
    });
    const standIn = cli("generic", {
      id: STAND_IN,
      command: process.execPath,
      args: () => ["-e", "process.stdout.write('The stand-in answers.')"],
    });
    const agent = fl.agent([target, standIn], { within: session });
    const prompt = scenario.prompt ?? "say hello";
    let sessions: Readonly<Record<string, string>> = {};
    if (scenario.special === "resumed") {
      const first = await agent.run(prompt);
      const sessionId = hasValue(first) ? first.value.sessionId : null;
      if (sessionId !== null) sessions = { [kind]: sessionId };
      chaos.reset();
    }
    const cancelling = new AbortController();
    if (scenario.special === "killed") whenAsked(chaos, () => killGroup(pidFile));
    if (scenario.special === "cancelled") whenAsked(chaos, () => cancelling.abort());
    const events: AgentRunEvent[] = [];
    const startedAt = systemClock.now();
    const outcome = await agent.run(prompt, {
      sessions,
      signal: cancelling.signal,
      onEvent: (event) => void events.push(event),
    });
    const durationMs = systemClock.now() - startedAt;
    const entries = await session.entries();
    const raw = await rawOutput(entries, artefactsFolder(join(home, "journal.sqlite")));
    return {
      kind,
      scenario,
      ...whatCame(outcome, entries, raw),
      requests: chaos.received().length,
      durationMs,
      raw,
      retriesReported: events.filter(({ type }) => type === "retrying").length,
    };
  } finally {
    await fl.close();
    await journal.close();
    await chaos.close();
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

/** To be killed from outside, the process id has to be known: a shell prints its id and then becomes the CLI. */
function commandOf(kind: RealCli, { special }: CliScenario, commands: string, home: string, pidFile: string): string {
  const command = join(commands, kind);
  if (special === "missing") return join(home, "no-such-command");
  if (special !== "killed") return command;
  const launcher = join(home, "launcher.sh");
  writeFileSync(launcher, `#!/bin/sh\necho $$ > '${pidFile}'\nexec '${command}' "$@"\n`, { mode: 0o755 });
  return launcher;
}

const LOOK_EVERY_MS = 50;
/** Long enough for the first words of an answer to arrive. */
const LET_IT_READ_MS = 500;

function whenAsked(chaos: Chaos, act: () => void): void {
  if (chaos.received().length > 0) systemClock.after(LET_IT_READ_MS, act);
  else systemClock.after(LOOK_EVERY_MS, () => whenAsked(chaos, act));
}

function killGroup(pidFile: string): void {
  process.kill(-Number(readFileSync(pidFile, "utf8")), "SIGKILL");
}

async function rawOutput(entries: readonly Entry[], folder: string): Promise<string> {
  for (const { event } of entries) {
    if (event.type === "artefact-kept" && event.name.endsWith("_raw.md")) {
      return Buffer.from((await readArtefact(folder, event.ref)) ?? "").toString("utf8");
    }
  }
  return "";
}

type Came = Pick<
  Seen,
  "ending" | "fault" | "faultAt" | "then" | "answeredBy" | "text" | "sessionId" | "hasUsage" | "costUsd"
>;

function whatCame(outcome: Outcome<AgentRunResult>, entries: readonly Entry[], raw: string): Came {
  const failure = entries.find(({ event }) => event.type === "call-failed" || event.type === "call-cancelled");
  const result = hasValue(outcome) ? outcome.value : null;
  const answeredBy = result?.target ?? null;
  const common = {
    answeredBy,
    text: result?.text ?? "",
    hasUsage: result?.usage !== null && result?.usage !== undefined,
  };
  if (failure?.event.type !== "call-failed" && failure?.event.type !== "call-cancelled") {
    return {
      ...common,
      ending: "0",
      fault: null,
      faultAt: 0,
      then: "",
      sessionId: result?.sessionId ?? null,
      costUsd: result?.totalCostUsd ?? null,
    };
  }
  const { fault } = failure.event;
  const { sessionId } = fault.context;
  return {
    ...common,
    ending: /^Ended with (?:exit code|signal) (\w+) after/m.exec(raw)?.[1] ?? "–",
    fault,
    faultAt: failure.at,
    then: failure.event.type === "call-failed" ? failure.event.decision.recourse : "",
    sessionId: typeof sessionId === "string" ? sessionId : null,
    hasUsage: false,
    costUsd: null,
  };
}
