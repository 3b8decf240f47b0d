// Types for running a process: what to start, the hooks while it runs, and how it ended. No I/O here.

import { fault, FaultError } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";

export interface ProcessSpec {
  /** A path, or a name to look up on the PATH of `env`. Never passed to a shell. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. Undefined entries are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written to stdin, which is then closed. With null it is closed at once: an open stdin makes codex and opencode wait forever. */
  readonly stdin: string | null;
  readonly clock: Clock;
  readonly timeouts: ProcessTimeouts;
  readonly signal: AbortSignal | null;
  /** Longer lines are cut here, with a note at their end. */
  readonly maxLineBytes: number;
  /** How much of the end of each stream is kept. */
  readonly maxTailBytes: number;
  /** Also end what it left running when it ended by itself. Default: false, because that may be intended. */
  readonly endsAll?: boolean;
}

export interface ProcessTimeouts {
  /** Until the first byte on either stream. */
  readonly startupMs: number;
  /** Between two bytes on either stream, while no tool runs. */
  readonly idleMs: number;
  readonly totalMs: number;
  /** From SIGTERM to SIGKILL, and how long to wait after SIGKILL. Default: 1500. */
  readonly killAfterMs?: number;
  /** How long other processes may hold the pipes of a process that has exited. Default: 1000. */
  readonly drainMs?: number;
}

/** Called in step with reading. If a hook returns a promise, reading of that stream pauses until the promise settles. */
export interface ProcessHooks {
  stdout(line: string): Promise<void> | void;
  stderr(line: string): Promise<void> | void;
  /** Gets every byte, before the lines in it. "closed" means that the reader of this stream has left; the process then gets SIGPIPE, as in a shell. */
  bytes?(stream: "stdout" | "stderr", chunk: Uint8Array): Promise<void> | "closed" | undefined;
  /** While it returns false, bytes are not decoded into lines. Default: true. */
  wantsLines?(): boolean;
  /** While it returns true, the idle limit does not apply: a build may print nothing for an hour. */
  isToolRunning?(): boolean;
}

export interface RunningProcess {
  /** Also the id of its process group. Null if it did not start. */
  readonly pid: number | null;
  /** Rejects only with the error of a hook, and only after the process is gone. */
  readonly done: Promise<ProcessEnd>;
  /** Sends SIGTERM to the whole group, then SIGKILL. Does nothing if the process has ended. */
  kill(reason: string): void;
}

export type ProcessTimeLimit = "startup" | "idle" | "total";

export interface ProcessEnd {
  /** Null if a signal ended it, if it never started, or if even SIGKILL did not end it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly spawnError: SpawnError | null;
  /** Only one of `timedOut`, `aborted` and `killReason` is set: the first that happened. */
  readonly timedOut: ProcessTimeLimit | null;
  readonly aborted: boolean;
  /** The reason passed to `kill`. */
  readonly killReason: string | null;
  /** We ended it, for one of the reasons above. */
  readonly killed: boolean;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly stdoutBytes: number;
  readonly durationMs: number;
  /** False if another process held the pipes too long, or they broke: output may be missing. */
  readonly drained: boolean;
}

/** What prevented the start. */
export type SpawnObstacle = "command" | "interpreter" | "folder" | "arguments" | "machine";

export interface SpawnError {
  /** The system's error code: ENOENT, EACCES, E2BIG … */
  readonly code: string;
  readonly obstacle: SpawnObstacle;
  readonly message: string;
}

const KILL_AFTER_MS = 1500;
const DRAIN_MS = 1000;

/** Throws for invalid options, which are a mistake in the program, not a failure of the process. */
export function resolveTimeouts({ timeouts, maxLineBytes, maxTailBytes }: ProcessSpec): Required<ProcessTimeouts> {
  const resolved = { killAfterMs: KILL_AFTER_MS, drainMs: DRAIN_MS, ...timeouts };
  for (const [name, ms] of Object.entries(resolved)) {
    if (!(ms >= 0)) throw refusal(`${name} is ${ms}. It must be a number of milliseconds, 0 or more.`);
  }
  // These two bound the end: without them, Faultline would wait forever for a process that cannot be killed.
  if (resolved.killAfterMs === Infinity || resolved.drainMs === Infinity)
    throw refusal("killAfterMs and drainMs cannot be Infinity: the wait for the end of a process must have a limit.");
  if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1)
    throw refusal(`maxLineBytes is ${maxLineBytes}. It must be a whole number of bytes, 1 or more.`);
  if (!Number.isSafeInteger(maxTailBytes) || maxTailBytes < 0)
    throw refusal(`maxTailBytes is ${maxTailBytes}. It must be a whole number of bytes, 0 or more.`);
  return resolved;
}

function refusal(message: string): FaultError {
  return new FaultError(fault("ConfigSchemaViolation", { message }));
}
