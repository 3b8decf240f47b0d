// What a process is asked to be, what is heard of it while it runs, and how it ended. Plain data: no I/O here.

import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { Clock } from "../../host/clock.ts";

export interface ProcessSpec {
  /** A name that is looked up on the PATH of `env`, or a path. Never given to a shell. */
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. Entries that are undefined are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Written and closed; null is closed at once. An open stdin makes codex and opencode wait for ever. */
  readonly stdin: string | null;
  readonly clock: Clock;
  readonly timeouts: ProcessTimeouts;
  readonly signal: AbortSignal | null;
  /** Longer lines are cut here, and say so at their end. */
  readonly maxLineBytes: number;
  /** How much of the end of each stream is kept. */
  readonly maxTailBytes: number;
}

export interface ProcessTimeouts {
  /** Until the first byte on either stream. */
  readonly startupMs: number;
  /** Without a byte on either stream, once there was one, while no tool runs. */
  readonly idleMs: number;
  readonly totalMs: number;
  /** From SIGTERM to SIGKILL, and how long is waited after that one. 1500 when left out. */
  readonly killAfterMs?: number;
  /** How long somebody else may hold the pipes of a process that has exited. 1000 when left out. */
  readonly drainMs?: number;
}

/** Called in step with reading. One that gives a promise asks for time: until it is settled nothing more of that stream is read. */
export interface ProcessHooks {
  stdout(line: string): Promise<void> | void;
  stderr(line: string): Promise<void> | void;
  /** Gets every byte, before the lines in it. "closed": the reader of this stream has left. The process then gets SIGPIPE, as in a shell. */
  bytes?(stream: "stdout" | "stderr", chunk: Uint8Array): Promise<void> | "closed" | undefined;
  /** While this is false, bytes are not decoded to lines. True when left out. */
  wantsLines?(): boolean;
  /** While this is true, silence is no idleness: a build may say nothing for an hour. */
  isToolRunning?(): boolean;
}

export interface RunningProcess {
  /** Also the id of its process group. Null when it did not start. */
  readonly pid: number | null;
  /** Rejects only with what a hook threw, and then, too, when the process is gone. */
  readonly done: Promise<ProcessEnd>;
  /** SIGTERM to the whole group, then SIGKILL. Does nothing when it has ended. */
  kill(reason: string): void;
}

export type ProcessTimeLimit = "startup" | "idle" | "total";

export interface ProcessEnd {
  /** Null when a signal ended it, when it never started, and when even SIGKILL did not end it. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly spawnError: SpawnError | null;
  /** Of `timedOut`, `aborted` and `killReason`, the first that happened is told, and no other. */
  readonly timedOut: ProcessTimeLimit | null;
  readonly aborted: boolean;
  /** What `kill` was told. */
  readonly killReason: string | null;
  /** We told it to end, for one of the reasons above. */
  readonly killed: boolean;
  readonly stdoutTail: string;
  readonly stderrTail: string;
  readonly stdoutBytes: number;
  readonly stderrBytes: number;
  readonly durationMs: number;
  readonly firstOutputMs: number | null;
  /** False when somebody else held the pipes too long, or they broke: output may be missing. */
  readonly drained: boolean;
}

/** What stood in the way of a start. */
export type SpawnObstacle = "command" | "interpreter" | "folder" | "arguments" | "machine";

export interface SpawnError {
  /** As the system said it: ENOENT, EACCES, E2BIG … */
  readonly code: string;
  readonly obstacle: SpawnObstacle;
  readonly message: string;
}

const KILL_AFTER_MS = 1500;
const DRAIN_MS = 1000;

/** Throws for what cannot be meant: a mistake in a program, and no failure of a process. */
export function resolveTimeouts({ timeouts, maxLineBytes, maxTailBytes }: ProcessSpec): Required<ProcessTimeouts> {
  const resolved = { killAfterMs: KILL_AFTER_MS, drainMs: DRAIN_MS, ...timeouts };
  for (const [name, ms] of Object.entries(resolved)) {
    if (!(ms >= 0))
      throw refusal(`${name} is ${ms}. A time limit of a process is a number of milliseconds, 0 or more.`);
  }
  // These two are what bounds the end: without them a process that cannot be killed would be waited for for ever.
  if (resolved.killAfterMs === Infinity || resolved.drainMs === Infinity)
    throw refusal("killAfterMs and drainMs cannot be Infinity: the end of a process is not waited for without limit.");
  if (!Number.isSafeInteger(maxLineBytes) || maxLineBytes < 1)
    throw refusal(`maxLineBytes is ${maxLineBytes}. It is a whole number of bytes, 1 or more.`);
  if (!Number.isSafeInteger(maxTailBytes) || maxTailBytes < 0)
    throw refusal(`maxTailBytes is ${maxTailBytes}. It is a whole number of bytes, 0 or more.`);
  return resolved;
}

function refusal(message: string): FaultError {
  return new FaultError(fault("ConfigSchemaViolation", { message }));
}
