// Runs one command in its own process group, and on a timeout kills it with its child processes. A command that cannot start or
// finish is a fault; its exit status is a value.

import { FINDS_DETACHED } from "../../agent/process/process-mark.ts";
import type { ProcessEnd, SpawnObstacle } from "../../agent/process/process-spec.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";
import { fault, type Fault, FaultError } from "../../core/fault/fault.ts";
import { lastOf } from "../../core/fault/known-values.ts";
import type { Clock } from "../../host/clock.ts";

export interface CommandSpec {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string | null;
  readonly timeoutMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** How much of the end of each stream is kept. */
  readonly keepBytes: number;
}

export interface CommandEnd {
  /** null when a signal ended it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: number;
  readonly durationMs: number;
}

/** A protected call around a command gets this much more time than the command, because ending a process takes a while. */
const ENDING_MS = 10_000;

const LONGEST_CALL_MS = 30 * 24 * 3_600_000;

export function callTimeoutMs(commandTimeoutMs: number): number {
  return Math.min(commandTimeoutMs + ENDING_MS, LONGEST_CALL_MS);
}

/** Calls `seen` with the output, even if the command was ended. */
export async function runCommand(
  spec: CommandSpec,
  seen: (end: CommandEnd) => void = () => undefined,
): Promise<CommandEnd> {
  const { command, args, cwd, env, stdin, timeoutMs, clock, signal, keepBytes } = spec;
  const ignore = (): void => undefined;
  // Loaded on demand, because it loads all of execa.
  const { runProcess } = await import("../../agent/process/run-process.ts");
  const running = runProcess(
    {
      command,
      args,
      cwd,
      env,
      stdin,
      clock,
      signal,
      // No idle limit: many builds print nothing until they finish.
      timeouts: { startupMs: Infinity, idleMs: Infinity, totalMs: timeoutMs },
      maxLineBytes: 1024,
      maxTailBytes: keepBytes,
    },
    { stdout: ignore, stderr: ignore },
  );
  const ended = await running.done;
  const { exitCode, stdoutTail: stdout, stderrTail: stderr, stdoutBytes, durationMs } = ended;
  const end = { exitCode, signal: ended.signal, stdout, stderr, stdoutBytes, durationMs };
  seen(end);
  if (ended.aborted) signal.throwIfAborted();
  const failed = neverEnded(spec, ended);
  if (failed !== null) throw new FaultError(failed);
  return end;
}

const OBSTACLES: Readonly<Record<SpawnObstacle, FaultCode>> = {
  command: "BinaryMissing",
  interpreter: "BinaryMissing",
  folder: "NotFound",
  arguments: "InputInvalid",
  machine: "ResourceBusy",
};

function neverEnded(
  { command, timeoutMs }: CommandSpec,
  { spawnError, timedOut, stdoutTail, stderrTail }: ProcessEnd,
): Fault | null {
  if (spawnError !== null)
    return fault(OBSTACLES[spawnError.obstacle], {
      message: spawnError.message,
      context: { program: command, errno: spawnError.code, ran: false },
    });
  if (timedOut === null) return null;
  return fault("ExecutionTimeout", {
    message: `${command} did not finish within ${timeoutMs} ms and was ended with ${WHAT_ENDED}. Give it more time, or find out why it hangs.`,
    context: { program: command, limit: timeoutMs, ran: true },
    evidence: saidEvidence("command/timeout", stderrTail === "" ? stdoutTail : stderrTail),
  });
}

const WHAT_ENDED = FINDS_DETACHED ? "everything it had started" : "its process group";

const EXCERPT_CHARS = 2_000;

/** The end of a process's output, as evidence of its failure. */
export function saidEvidence(rule: string, said: string): Fault["evidence"] {
  return { rule, source: "process", nearly: [], excerpt: lastOf(said.trim(), EXCERPT_CHARS) };
}
