// Starts a process with execa in its own process group, and exposes the few things that the rest of this folder needs. execa starts the
// process, feeds stdin, signals the group (taskkill on Windows) and kills it when this program ends. Its time limits, cancelling and
// buffering are not used: they use their own clock, report less, and do not handle pipes that other processes hold.
//
// When this program ends by process.exit, by an uncaught error or by a signal it does not handle itself, execa sends SIGKILL to the
// group, because no process is left to follow up a SIGTERM. A child that has left the group (setsid) survives that, and all children
// survive a SIGKILL of this program.

import type { Readable } from "node:stream";
import { execa } from "execa";
import { outgoingEnv } from "../../telemetry/otel.ts";
import { isGroupRunning, markedEnv, markedProcesses, newMark, signalDetached } from "./process-mark.ts";
import type { ProcessSpec } from "./process-spec.ts";

export interface Launched {
  readonly pid: number | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the process has ended and its pipes are closed, with the failure of the start or of a pipe, if any. Never rejects. */
  readonly closed: Promise<{ readonly failure: unknown }>;
  onExit(listener: (exitCode: number | null, signal: string | null) => void): void;
  signalGroup(signal: "SIGTERM" | "SIGKILL" | "SIGPIPE"): void;
  /** Signals the group and the processes that have left it. */
  signalAll(signal: "SIGTERM" | "SIGKILL"): void;
  /** Whether any process of the group is still running. Always false on Windows, which has no groups. */
  isAnyRunning(): boolean;
  /** Abandons pipes that another process holds, and a process that does not end. */
  abandon(): void;
}

export function launch({ command, args, cwd, env, stdin }: ProcessSpec): Launched {
  const mark = newMark();
  const started = execa(command, args, {
    cwd,
    env: { ...markedEnv(env, mark), ...outgoingEnv() },
    extendEnv: false,
    ...(stdin === null ? { stdin: "ignore" } : { input: stdin }),
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    encoding: "buffer",
    reject: false,
    // Otherwise NODE_DEBUG=execa would print command lines, which may contain secrets.
    verbose: "none",
    killDescendants: true,
    cleanup: true,
    killSignal: "SIGKILL",
    forceKillAfterDelay: false,
  });
  const child = started.nodeChildProcess;
  const pid = started.pid ?? null;
  let failure: unknown = null;
  // Attach this first: an `error` event without a listener would crash this program. A signal that is not permitted ends up here, too.
  child.on("error", (error) => void (failure ??= error));
  return {
    pid,
    stdout: started.stdout,
    stderr: started.stderr,
    closed: started.then((result) => ({ failure: failure ?? result.cause ?? null })),
    onExit: (listener) => void child.on("exit", listener),
    signalGroup: (signal) => void started.kill(signal),
    signalAll(signal) {
      // Do this first: when the process ends, its group goes with it, and the children of a dead parent are harder to find.
      if (pid !== null) signalDetached(mark, pid, signal);
      started.kill(signal);
    },
    isAnyRunning: () => pid !== null && (isGroupRunning(pid) || markedProcesses(mark).length > 0),
    abandon() {
      child.stdin?.destroy();
      started.stdout.destroy();
      started.stderr.destroy();
      child.unref();
    },
  };
}
