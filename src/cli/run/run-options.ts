// The options of `faultline run`, and the same call as a command line to type again.

import type { AgentKind } from "../../agent/parse/agent-state.ts";
import type { PresetName } from "../../core/index.ts";
import { commandLine } from "../render/program-name.ts";

/** As parsed from the command line. */
export interface RunCommandOptions {
  readonly retry?: number;
  readonly fallback?: readonly string[];
  readonly as?: AgentKind;
  readonly journal?: string;
  readonly session?: string;
  /** In milliseconds, like `idle`. */
  readonly timeout?: number;
  readonly idle?: number;
  readonly idempotent?: true;
  readonly stdin?: true;
  readonly passthrough?: true;
  readonly policy?: string;
  readonly preset?: PresetName;
}

/** Changes for the next call. Without a session it starts a new one, because an ended session cannot be continued. */
export interface CallChanges extends Pick<RunCommandOptions, "idempotent" | "timeout" | "idle"> {
  readonly session: string | null;
}

/** The command line that repeats the call. Piped input has to be piped in again. */
export function callAgain(words: readonly string[], options: RunCommandOptions, changes: CallChanges): string {
  const {
    retry,
    fallback = [],
    as,
    journal,
    session,
    timeout,
    idle,
    policy,
    preset,
    ...flags
  } = { ...options, ...changes };
  const named: readonly (readonly [string, string | number | undefined])[] = [
    ["retry", retry],
    ...fallback.map((command) => ["fallback", command] as const),
    ["as", as],
    ["journal", journal],
    ["session", session ?? undefined],
    ["timeout", timeout === undefined ? undefined : durationText(timeout)],
    ["idle", idle === undefined ? undefined : durationText(idle)],
    ["policy", policy],
    ["preset", preset],
  ];
  const given = named.flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)]));
  const set = (["idempotent", "stdin", "passthrough"] as const).filter((name) => flags[name] === true);
  return commandLine("run", ...set.map((name) => `--${name}`), ...given, "--", ...words);
}

const UNITS = [
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

/** In the largest unit without a fraction: `90s`, `15m`. */
function durationText(durationMs: number): string {
  const [unit, unitMs] = UNITS.find(([, ms]) => durationMs % ms === 0) ?? ["ms", 1];
  return `${durationMs / unitMs}${unit}`;
}
