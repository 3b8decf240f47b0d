// What a test may do to the process that its file shares with others. Everything is as before when the test ends, so the file needs no
// process of its own.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface OwnSignals {
  /** As if the signal had come from outside. Without a listener it would end the process, so it throws. */
  send(signal: (typeof SIGNALS)[number]): void;
  /** How many listeners the test has added. */
  listenersTo(signal: (typeof SIGNALS)[number]): number;
  /** Removes them, as the end of a process does. */
  forget(): void;
}

/** Call it before the command that hears the signals: a command that was stopped keeps its listeners, because its process ends. */
export function ownSignals(): OwnSignals {
  const before = new Map(SIGNALS.map((signal) => [signal, process.listeners(signal)]));
  const added = (signal: (typeof SIGNALS)[number]) =>
    process.listeners(signal).filter((listener) => before.get(signal)?.includes(listener) !== true);
  const forget = (): void => {
    for (const signal of SIGNALS) for (const listener of added(signal)) process.removeListener(signal, listener);
  };
  onTestFinished(forget);
  return {
    send(signal) {
      const listeners = added(signal);
      if (listeners.length === 0) throw new Error(`no listener for ${signal}`);
      for (const listener of listeners) listener(signal);
    },
    listenersTo: (signal) => added(signal).length,
    forget,
  };
}

/** What this process writes to the system's temporary folder until the test ends, goes into a folder that is removed then. */
export function ownTemporaryFolder(): void {
  const { TMPDIR: before } = process.env;
  const folder = mkdtempSync(join(tmpdir(), "faultline-own-"));
  process.env["TMPDIR"] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
    rmSync(folder, { recursive: true, force: true });
  });
}
