// Starts a process with execa, in a process group of its own, and gives the few things the rest of this folder needs of it.
// execa is used for starting, feeding stdin, signalling the group (taskkill on Windows) and for ending it when this program ends;
// its time limits, cancelling and buffering are not: they keep their own time, tell less, and know nothing of held pipes.
//
// When this program ends by process.exit, by an uncaught error or by a signal it does not handle itself, execa sends SIGKILL to the
// group, because nobody is left to follow up a SIGTERM. A child that has left the group (setsid) survives that, and everything
// survives a SIGKILL of this program.

import type { Readable } from "node:stream";
import { execa } from "execa";
import { isGroupRunning } from "./process-group.ts";
import { markedEnv, markedProcesses, newMark, signalDetached } from "./process-mark.ts";
import type { ProcessSpec } from "./process-spec.ts";

export interface Launched {
  readonly pid: number | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When it ended and its pipes are closed, with what went wrong at the start or in a pipe, or null. Never rejects. */
  readonly closed: Promise<{ readonly failure: unknown }>;
  onExit(listener: (exitCode: number | null, signal: string | null) => void): void;
  signalGroup(signal: "SIGTERM" | "SIGKILL" | "SIGPIPE"): void;
  /** The group, and what has left it. */
  signalAll(signal: "SIGTERM" | "SIGKILL"): void;
  /** Is any process of it still running? On Windows, where there are no groups: no. */
  isAnyRunning(): boolean;
  /** Lets go of pipes that somebody else holds, and of a process that does not end. */
  abandon(): void;
}

export function launch({ command, args, cwd, env, stdin }: ProcessSpec): Launched {
  const mark = newMark();
  const started = execa(command, args, {
    cwd,
    env: markedEnv(env, mark),
    extendEnv: false,
    ...(stdin === null ? { stdin: "ignore" } : { input: stdin }),
    stdout: "pipe",
    stderr: "pipe",
    buffer: false,
    encoding: "buffer",
    reject: false,
    // Otherwise NODE_DEBUG=execa would print command lines, with whatever is in them.
    verbose: "none",
    killDescendants: true,
    cleanup: true,
    killSignal: "SIGKILL",
    forceKillAfterDelay: false,
  });
  const child = started.nodeChildProcess;
  const pid = started.pid ?? null;
  let failure: unknown = null;
  // First of all: an error nobody listens for ends this program. A signal that may not be sent comes here, too.
  child.on("error", (error) => void (failure ??= error));
  return {
    pid,
    stdout: started.stdout,
    stderr: started.stderr,
    closed: started.then((result) => ({ failure: failure ?? result.cause ?? null })),
    onExit: (listener) => void child.on("exit", listener),
    signalGroup: (signal) => void started.kill(signal),
    signalAll(signal) {
      // Looked for first: a process that ends takes its group with it, and a dead parent's children are harder to tell apart.
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
