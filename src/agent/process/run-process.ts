// Runs a command as a child process. Whatever happens, `done` reports how it ended, and nothing is left behind.
// R1  stdin is always closed.
// R2  A failed start does not throw.
// R3  Signals go to everything the command started, including processes that left its group; see ending.ts and process-mark.ts.
// R4  After `done` no timer or listener is left, and no process that was asked to end. If a command ends by itself, processes that it left
//     running without its pipes are spared, because that may be intended; unless `endsAll` says otherwise.

import { steadyNow } from "../../host/clock.ts";
import { launch, type Launched } from "./launch.ts";
import { createEnding } from "./ending.ts";
import { readOutput } from "./output.ts";
import {
  type ProcessEnd,
  type ProcessHooks,
  type ProcessSpec,
  type ProcessTimeLimit,
  resolveTimeouts,
  type RunningProcess,
  type SpawnError,
} from "./process-spec.ts";
import { classifySpawnFailure } from "./spawn-failure.ts";
import { startWatchdog } from "./watchdog.ts";

type StopCause = Pick<ProcessEnd, "timedOut" | "aborted" | "killReason">;

const BY_ITSELF: StopCause = { timedOut: null, aborted: false, killReason: null };

export function runProcess(spec: ProcessSpec, hooks: ProcessHooks): RunningProcess {
  const timeouts = resolveTimeouts(spec);
  if (spec.signal?.aborted === true) return notRun({ ...BY_ITSELF, aborted: true, spawnError: null });
  let child: Launched;
  try {
    child = launch(spec);
  } catch (error) {
    return notRun({ ...BY_ITSELF, spawnError: classifySpawnFailure(error, spec) });
  }
  return supervise(spec, hooks, timeouts, child);
}

function supervise(
  spec: ProcessSpec,
  hooks: ProcessHooks,
  timeouts: ReturnType<typeof resolveTimeouts>,
  child: Launched,
): RunningProcess {
  const { clock, signal: abortSignal } = spec;
  const startedAt = steadyNow(clock);
  const done = Promise.withResolvers<ProcessEnd>();
  let stopCause: StopCause | null = null;
  let hookFailure: { readonly error: unknown } | null = null;
  let exit: Pick<ProcessEnd, "exitCode" | "signal"> = { exitCode: null, signal: null };
  let spawnError: SpawnError | null = null;
  let isPipeBroken = false;
  let isOver = false;

  const isHeldBack = (): boolean => stdout.isHeldBack || stderr.isHeldBack;
  const ending = createEnding({ child, clock, ...timeouts, isHeldBack, onEnd });
  const watchdog = startWatchdog({
    ...timeouts,
    clock,
    // While reading is paused, silence does not mean that the process is idle.
    isToolRunning: () => isHeldBack() || (guarded(() => hooks.isToolRunning?.() ?? false) ?? false),
    onLimit: (limit: ProcessTimeLimit) => stop({ ...BY_ITSELF, timedOut: limit }),
  });
  const output = (name: "stdout" | "stderr"): ReturnType<typeof readOutput> =>
    readOutput(child[name], {
      ...spec,
      onLine: (line) => {
        const busy = guarded(() => hooks[name](line));
        return busy instanceof Promise ? busy.catch(reject) : undefined;
      },
      onBytes: (chunk) => {
        watchdog.sawOutput();
        const taken = guarded(() => hooks.bytes?.(name, chunk));
        // Node's pipes are sockets. Without this, the writer would see a connection reset instead of the SIGPIPE it gets in a shell.
        if (taken === "closed") child.signalGroup("SIGPIPE");
        return taken instanceof Promise ? taken.catch(reject) : (taken ?? undefined);
      },
      wantsLines: () => hooks.wantsLines?.() ?? true,
    });
  const stdout = output("stdout");
  const stderr = output("stderr");
  const onAbort = (): void => stop({ ...BY_ITSELF, aborted: true });

  abortSignal?.addEventListener("abort", onAbort);
  child.onExit((exitCode, signal) => {
    exit = { exitCode, signal };
    // The process has exited within its limits. From here on only the pipes are awaited.
    watchdog.stop();
    if (spec.endsAll === true) ending.stop();
    ending.exited();
  });
  void child.closed.then(({ failure }) => {
    if (child.pid === null) spawnError = classifySpawnFailure(failure, spec);
    else isPipeBroken = failure !== null;
    ending.closed();
  });

  /** Only the first cause is reported. */
  function stop(cause: StopCause): void {
    if (isOver) return;
    stopCause ??= cause;
    watchdog.stop();
    ending.stop();
  }

  /** If a hook throws, the process is ended and `done` then rejects with the error. No hook is called again. */
  function guarded<T>(call: () => T): T | undefined {
    if (hookFailure !== null) return undefined;
    try {
      return call();
    } catch (error) {
      reject(error);
      return undefined;
    }
  }

  function reject(error: unknown): void {
    hookFailure ??= { error };
    stop({ ...BY_ITSELF, killReason: "a hook threw" });
  }

  function onEnd(drained: boolean): void {
    isOver = true;
    watchdog.stop();
    abortSignal?.removeEventListener("abort", onAbort);
    stdout.finish();
    stderr.finish();
    if (hookFailure !== null) done.reject(asError(hookFailure.error));
    else
      done.resolve({
        ...exit,
        ...(stopCause ?? BY_ITSELF),
        spawnError,
        killed: stopCause !== null && child.pid !== null,
        stdoutTail: stdout.tail(),
        stderrTail: stderr.tail(),
        stdoutBytes: stdout.bytes,
        durationMs: steadyNow(clock) - startedAt,
        drained: drained && !isPipeBroken,
      });
  }

  return { pid: child.pid, done: done.promise, kill: (reason) => stop({ ...BY_ITSELF, killReason: reason }) };
}

/** The result of a process that was cancelled before its start or could not be started. */
function notRun(cause: StopCause & Pick<ProcessEnd, "spawnError">): RunningProcess {
  const done = Promise.resolve<ProcessEnd>({
    exitCode: null,
    signal: null,
    ...cause,
    killed: false,
    stdoutTail: "",
    stderrTail: "",
    stdoutBytes: 0,
    durationMs: 0,
    drained: true,
  });
  return { pid: null, done, kill: () => undefined };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error("A hook threw a value that is not an Error.", { cause: thrown });
}
