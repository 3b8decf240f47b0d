// An agent CLI as a program declares it: `cli("claude")`, or any command with options.

import {
  anyText,
  callable,
  checkOptions,
  flag,
  group,
  invalidOption,
  listOf,
  number,
  over,
  shape,
  text,
} from "../../options/check-options.ts";
import { environmentKind } from "../../runtime/option-shapes.ts";
import type { ProcessTimeouts } from "../process/process-spec.ts";
import { AGENT_KINDS, type AgentKind } from "../parse/agent-state.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import type { OneShot } from "../verdict/one-shot.ts";

/** Options of `cli`. */
export interface CliOptions {
  /** The target's name in events. Default: the kind. */
  readonly id?: string;
  /** The command to run instead of the CLI's own name: a path, a wrapper. Required for `generic`. */
  readonly command?: string;
  /** Returns the arguments of one run, instead of the CLI's documented ones. */
  readonly args?: (shot: OneShot) => readonly string[];
  /** Extra arguments, inserted after the subcommand and before the CLI's own arguments. */
  readonly extraArgs?: readonly string[];
  /** The model the CLI uses. Default: the CLI's own. */
  readonly model?: string;
  /** Variables added to this process's environment; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** false: the CLI gets only `env`, and nothing of this process's environment. */
  readonly inheritEnv?: boolean;
  /** The folder it runs in. Default: the program's. */
  readonly cwd?: string;
  /** How long to wait, in milliseconds. */
  readonly timeouts?: Partial<ProcessTimeouts>;
  /** Gives each run its own config home, removed afterwards. Runs share nothing, and no session can be resumed. */
  readonly privateHome?: boolean;
  /** A run can be repeated safely, even if it has used tools. */
  readonly idempotent?: boolean;
  /** Your name for the account it uses. Default: derived from its key and its config home. */
  readonly credential?: string;
  /** Try it even while its breaker is open. Default: false. */
  readonly lastResort?: boolean;
  /** The stdin of every run, independent of the prompt. */
  readonly stdin?: string;
  /** The CLI does not report its tool calls, as in text mode. A failed run is then assumed to have changed something. */
  readonly hidesTools?: boolean;
  /** Exit code 0 means success, whatever the CLI printed. */
  readonly exitCodeDecides?: boolean;
  /** Passes the output of a successful run to `onBytes` only. It is not part of the result or the journal. Lines are cut at 16 MB. */
  readonly forgetsOutput?: boolean;
}

/** A CLI with all options resolved. null: not set. */
export interface CliTarget extends Required<
  Omit<CliOptions, "extraArgs" | "model" | "cwd" | "timeouts" | "credential" | "stdin">
> {
  readonly kind: AgentKind;
  readonly model: string | null;
  readonly cwd: string | null;
  readonly timeouts: Required<ProcessTimeouts>;
  /** null: derived from its key and its config home. */
  readonly credential: string | null;
  /** null: stdin is the prompt if it is too long for an argument, and empty otherwise. */
  readonly stdin: string | null;
}

/** Whether its next run can continue a session. A private home is gone after each run, with its sessions. */
export function resumesSessions({ kind, privateHome }: CliTarget): boolean {
  return AGENT_CLIS[kind].supportsResume && !privateHome;
}

/** A running tool may be silent for long, and the CLI reports it. A CLI that prints nothing for minutes hangs. */
const DEFAULT_TIMEOUTS: Required<ProcessTimeouts> = {
  startupMs: 120_000,
  idleMs: 300_000,
  totalMs: 3_600_000,
  killAfterMs: 1_500,
  drainMs: 1_000,
};

const DEFAULTS: Omit<CliTarget, "id" | "kind" | "command" | "args" | "timeouts"> = {
  model: null,
  env: {},
  inheritEnv: true,
  cwd: null,
  privateHome: false,
  idempotent: false,
  credential: null,
  lastResort: false,
  stdin: null,
  hidesTools: false,
  exitCodeDecides: false,
  forgetsOutput: false,
};

const CLI_OPTIONS = shape<CliOptions>({
  id: text,
  command: text,
  args: callable,
  extraArgs: listOf(anyText),
  model: text,
  env: environmentKind,
  inheritEnv: flag,
  cwd: text,
  timeouts: group(
    shape<ProcessTimeouts>({
      startupMs: number(1),
      idleMs: number(1),
      totalMs: number(1),
      killAfterMs: number(0),
      drainMs: number(0),
    }),
  ),
  privateHome: flag,
  idempotent: flag,
  credential: text,
  lastResort: flag,
  stdin: anyText,
  hidesTools: flag,
  exitCodeDecides: flag,
  forgetsOutput: flag,
});

/**
 * An agent CLI as a target for `fl.agent`.
 *
 * @example
 * ```ts
 * import { cli, createFaultline } from "faultline";
 *
 * const agent = createFaultline().agent([cli("claude"), cli("codex")]);
 * ```
 */
export function cli(kind: AgentKind, options: CliOptions = {}): CliTarget {
  if (!AGENT_KINDS.includes(kind)) {
    const message = `unknown agent CLI ${JSON.stringify(kind)}; expected one of ${AGENT_KINDS.join(", ")}`;
    throw invalidOption("cli", "kind", message);
  }
  checkOptions(`cli ${kind}`, options, CLI_OPTIONS);
  const known = AGENT_CLIS[kind];
  const command = options.command ?? known.binary;
  if (command === null) {
    throw invalidOption(
      `cli ${kind}`,
      "command",
      `command is missing; it names the program, as in cli("${kind}", { command: "my-agent" })`,
    );
  }
  const { extraArgs = [], timeouts, ...others } = options;
  const ownArgs: CliTarget["args"] = (shot) =>
    known.oneShotArgs(shot).toSpliced(known.subcommandWords, 0, ...extraArgs);
  return {
    ...over(DEFAULTS, others),
    id: options.id ?? (known.binary === null ? command : kind),
    kind,
    command,
    args: options.args ?? ownArgs,
    timeouts: over<Required<ProcessTimeouts>>(DEFAULT_TIMEOUTS, timeouts),
  };
}
