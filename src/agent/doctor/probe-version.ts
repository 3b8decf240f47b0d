// Asks an agent CLI for its version, in a private home and without the user's keys. The probe changes nothing, and every reaction of the
// CLI is a result.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { classify } from "../../core/classify/classify.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import type { Clock } from "../../host/clock.ts";
import { findBinary } from "../process/find-binary.ts";
import { createPrivateHome } from "../process/private-home.ts";
import type { ProcessEnd } from "../process/process-spec.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import { EXAMINED_KINDS, type ExaminedKind, LOGIN_EVIDENCE } from "./login-evidence.ts";
import type { Environment } from "../process/child-env.ts";
import { homeOf } from "./login-state.ts";

export interface ProbeOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** How long a CLI may take to print its version. */
  readonly timeoutMs: number;
}

/** `hangs`: did not exit in time. `fails`: did not start, or exited with an error. `unclear`: exited with 0 but printed no version. */
export type CliStatus = "ready" | "missing" | "hangs" | "fails" | "unclear";

export interface VersionProbe {
  readonly status: CliStatus;
  readonly version: string | null;
  /** The message of the CLI or the system, in one line without secrets; null if there is none. */
  readonly detail: string | null;
}

/** Never throws. */
export async function probeVersion(kind: ExaminedKind, options: ProbeOptions): Promise<VersionProbe> {
  const { binary, versionArgs } = AGENT_CLIS[kind];
  const path = findBinary(binary ?? kind, options.env);
  if (path === null) return { status: "missing", version: null, detail: null };
  try {
    const home = createPrivateHome(`faultline-doctor-${kind}-`);
    try {
      return verdictOn(await runIn(home.path, path, versionArgs, options), home.path);
    } finally {
      home.remove();
    }
  } catch (error) {
    return { status: "fails", version: null, detail: shortLine(classify({ surface: "cli", error }).message) };
  }
}

const MAX_OUTPUT_BYTES = 16 * 1024;

async function runIn(
  home: string,
  command: string,
  args: readonly string[],
  { env, clock, timeoutMs }: ProbeOptions,
): Promise<ProcessEnd> {
  const { runProcess } = await import("../process/run-process.ts");
  const run = runProcess(
    {
      command,
      args,
      cwd: home,
      env: {
        ...managersOf(env),
        ...env,
        ...HIDDEN,
        ...QUIET,
        ...Object.fromEntries(MOVED.map((name) => [name, home])),
      },
      stdin: null,
      clock,
      timeouts: { startupMs: timeoutMs, idleMs: timeoutMs, totalMs: timeoutMs, killAfterMs: 500, drainMs: 500 },
      signal: null,
      maxLineBytes: MAX_OUTPUT_BYTES,
      maxTailBytes: MAX_OUTPUT_BYTES,
    },
    { stdout: () => undefined, stderr: () => undefined },
  );
  return run.done;
}

/** The command on the PATH may be a version manager's shim, which finds the real program through the home folder or these variables. */
const VERSION_MANAGERS = [
  ["VOLTA_HOME", ".volta"],
  ["MISE_DATA_DIR", ".local/share/mise"],
  ["MISE_CONFIG_DIR", ".config/mise"],
] as const;

function managersOf(env: Environment): Environment {
  const places = VERSION_MANAGERS.map(([name, below]) => [name, join(homeOf(env), below)] as const);
  return Object.fromEntries(places.filter(([, path]) => existsSync(path)));
}

const EVIDENCE = EXAMINED_KINDS.flatMap((kind) => LOGIN_EVIDENCE[kind]);

/** Asking for the version needs no key. */
const HIDDEN: Environment = Object.fromEntries(
  EVIDENCE.flatMap(({ variables }) => variables.map((name) => [name, undefined])),
);

/** Turns off the update checks that CLIs do on their first start. */
const QUIET: Environment = {
  CI: "1",
  NO_COLOR: "1",
  FORCE_COLOR: undefined,
  NO_UPDATE_NOTIFIER: "1",
  DISABLE_AUTOUPDATER: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  OPENCODE_DISABLE_AUTOUPDATE: "1",
  GEMINI_CLI_NO_RELAUNCH: "true",
};

/** Every variable that moves a settings folder. */
const MOVED: readonly string[] = [
  "HOME",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "XDG_CONFIG_HOME",
  "XDG_DATA_HOME",
  "XDG_STATE_HOME",
  "XDG_CACHE_HOME",
  ...EVIDENCE.flatMap(({ files }) => files.flatMap(({ folder }) => folder.moved.map(([name]) => name))),
];

function verdictOn(end: ProcessEnd, home: string): VersionProbe {
  const { exitCode, signal, spawnError, timedOut, stdoutTail, stderrTail } = end;
  // The private home is gone by the time the user reads this, and its name says nothing.
  const said = lineToQuote(stderrTail.replaceAll(home, "~")) ?? lineToQuote(stdoutTail.replaceAll(home, "~"));
  const without = (status: CliStatus, detail: string | null): VersionProbe => ({ status, version: null, detail });
  if (spawnError !== null) return without("fails", shortLine(spawnError.message));
  if (timedOut !== null) return without("hangs", said);
  if (exitCode !== 0) {
    const how = signal ?? `exit code ${exitCode ?? "unknown"}`;
    return without("fails", said === null ? how : `${how}: ${said}`);
  }
  const version = versionIn(stdoutTail) ?? versionIn(stderrTail);
  return version === null ? without("unclear", said) : { status: "ready", version, detail: null };
}

/** Real ones: `2.1.325 (Claude Code)`, `codex-cli 0.155.0`, `0.30.0-nightly.1`, ` 1.20.0`. */
const VERSION = /(?<![\w.])v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?(?:[-+][\w.+-]{1,60})?)(?![\w.]*\d)/;

export function versionIn(output: string): string | null {
  return VERSION.exec(output)?.[1] ?? null;
}

const MAX_DETAIL_CHARS = 200;

/** The line that names the error, or else the last line. */
function lineToQuote(output: string): string | null {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  const line = lines.find((text) => /error/i.test(text)) ?? lines.at(-1);
  return line === undefined ? null : shortLine(line);
}

function shortLine(text: string): string {
  const line = SHAPE_REDACTOR.text(text.replace(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim());
  return line.length <= MAX_DETAIL_CHARS ? line : `${line.slice(0, MAX_DETAIL_CHARS - 1)}…`;
}
