// What `faultline run` was told, and the same call as a line that can be typed again.

import type { AgentKind } from "../../agent/parse/agent-state.ts";
import type { PresetName } from "../../core/index.ts";
import { commandLine } from "../render/program-name.ts";

/** As the command line gives it. */
export interface RunCommandOptions {
  readonly retry?: number;
  readonly fallback: readonly string[];
  readonly as?: AgentKind;
  readonly journal?: string;
  readonly session?: string;
  /** Milliseconds, like `idle`. */
  readonly timeout?: number;
  readonly idle?: number;
  readonly idempotent?: true;
  readonly stdin?: true;
  readonly passthrough?: true;
  readonly policy?: string;
  readonly preset?: PresetName;
}

/** What is different next time; without a session it is a new one, because one that has ended cannot be gone on with. */
export interface CallChanges {
  readonly idempotent?: true;
  readonly session: string | null;
}

/** The call once more. Whoever pipes something in has to do that again. */
export function callAgain(words: readonly string[], options: RunCommandOptions, changes: CallChanges): string {
  const { retry, fallback, as, journal, session, timeout, idle, policy, preset, ...flags } = { ...options, ...changes };
  const named: readonly (readonly [string, string | number | undefined])[] = [
    ["retry", retry],
    ...fallback.map((command) => ["fallback", command] as const),
    ["as", as],
    ["journal", journal],
    ["session", session ?? undefined],
    ["timeout", timeout === undefined ? undefined : `${timeout}ms`],
    ["idle", idle === undefined ? undefined : `${idle}ms`],
    ["policy", policy],
    ["preset", preset],
  ];
  const given = named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
  const set = (["idempotent", "stdin", "passthrough"] as const).filter((name) => flags[name] === true);
  return commandLine("run", ...set.map((name) => `--${name}`), ...given, "--", ...words);
}
