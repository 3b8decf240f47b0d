// Starts a process with execa, in a process group of its own, and gives the few things the rest of this folder needs of it.
// execa is used for starting, feeding stdin, signalling the group (taskkill on Windows) and for ending it when this program ends;
// its time limits, cancelling and buffering are not: they keep their own time, tell less, and know nothing of held pipes.
//
// When this program ends by process.exit, by an uncaught error or by a signal it does not handle itself, what it started gets
// SIGKILL, for nobody is left to follow up a SIGTERM. What cannot be helped: if this program itself gets SIGKILL nothing runs any
// more (the children see closed pipes), and a process that made a session of its own (setsid) has left the group.

import type { Readable } from "node:stream";
import { execa } from "execa";
import { isGroupRunning } from "./process-group.ts";
import type { ProcessSpec } from "./process-spec.ts";

export interface Launched {
  readonly pid: number | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** When it ended and its pipes are closed, with what went wrong at the start or in a pipe, or null. Never rejects. */
  readonly closed: Promise<{ readonly failure: unknown }>;
  onExit(listener: (exitCode: number | null, signal: string | null) => void): void;
  signalGroup(signal: "SIGTERM" | "SIGKILL"): void;
  /** Is anybody of the group still running? On Windows, where there are no groups: no. */
  hasGroup(): boolean;
  /** Lets go of pipes that somebody else holds, and of a process that does not end. */
  abandon(): void;
}

export function launch({ command, args, cwd, env, stdin }: ProcessSpec): Launched {
  const started = execa(command, args, {
    cwd,
    env,
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
    hasGroup: () => pid !== null && isGroupRunning(pid),
    abandon() {
      child.stdin?.destroy();
      started.stdout.destroy();
      started.stderr.destroy();
      child.unref();
    },
  };
}
