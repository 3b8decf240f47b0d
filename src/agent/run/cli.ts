// An agent CLI as a program names it: `cli("claude")`, or any command with what is special about it.

import { checkOptions, invalidOption } from "../../options/check-options.ts";
import { anyText, callable, flag, group, listOf, number, over, shape, text } from "../../options/kind.ts";
import { environmentKind } from "../../runtime/option-shapes.ts";
import type { ProcessTimeouts } from "../process/process-spec.ts";
import { AGENT_KINDS, type AgentKind } from "../parse/agent-state.ts";
import { AGENT_CLIS } from "../verdict/cli-table.ts";
import type { OneShot } from "../verdict/one-shot.ts";

/** Options of `cli`. */
export interface CliOptions {
  /** Names it in events; the kind when left out. */
  readonly id?: string;
  /** What is run instead of the CLI's own name: a path, a wrapper. Needed for `generic`. */
  readonly command?: string;
  /** The arguments of one run, instead of those the CLI documents. */
  readonly args?: (shot: OneShot) => readonly string[];
  /** Put in front of the CLI's own, behind its subcommand. */
  readonly extraArgs?: readonly string[];
  /** The model the CLI uses. Default: the CLI's own. */
  readonly model?: string;
  /** Added to this process's environment; undefined takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** false: it gets `env` alone, and nothing of this process's environment. */
  readonly inheritEnv?: boolean;
  /** The folder it runs in. Default: the program's. */
  readonly cwd?: string;
  /** How long to wait, in milliseconds. */
  readonly timeouts?: Partial<ProcessTimeouts>;
  /** A config home of its own for each run, gone afterwards: nothing is shared, and no session can be resumed. */
  readonly privateHome?: boolean;
  /** A run may be done twice without harm even if it has used tools. */
  readonly idempotent?: boolean;
  /** Which account it uses, by a name of yours. Told from its key and its config home when left out. */
  readonly credential?: string;
  /** Tried even while its breaker is open. Default: false. */
  readonly lastResort?: boolean;
  /** What each run gets on its stdin, whatever the prompt is. */
  readonly stdin?: string;
  /** It may change something without a word, as in text mode: a run that failed is taken for one that did. */
  readonly hidesTools?: boolean;
  /** Exit 0 is success, whatever it printed or did not print. */
  readonly exitCodeDecides?: boolean;
  /** What a run that worked printed is for `onBytes` alone: it is not in the result, and so not in the journal. Lines end at 16 MB. */
  readonly forgetsOutput?: boolean;
}

/** A CLI with everything decided. */
export interface CliTarget {
  readonly id: string;
  readonly kind: AgentKind;
  readonly command: string;
  readonly args: (shot: OneShot) => readonly string[];
  readonly model: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly inheritEnv: boolean;
  readonly cwd: string | null;
  readonly timeouts: Required<ProcessTimeouts>;
  readonly privateHome: boolean;
  readonly idempotent: boolean;
  /** null: told from its key and its config home. */
  readonly credential: string | null;
  readonly lastResort: boolean;
  /** null: a prompt that is too long for an argument, or nothing. */
  readonly stdin: string | null;
  readonly hidesTools: boolean;
  readonly exitCodeDecides: boolean;
  readonly forgetsOutput: boolean;
}

/** Tools may be silent for long and say so; what says nothing at all for minutes hangs. */
const DEFAULT_TIMEOUTS: Required<ProcessTimeouts> = {
  startupMs: 120_000,
  idleMs: 300_000,
  totalMs: 3_600_000,
  killAfterMs: 1_500,
  drainMs: 1_000,
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
    const message = `there is no agent CLI ${JSON.stringify(kind)}; there are ${AGENT_KINDS.join(", ")}`;
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
  const { extraArgs = [], args } = options;
  const id = options.id ?? (known.binary === null ? command : kind);
  return {
    id,
    kind,
    command,
    args: args ?? ((shot) => known.oneShotArgs(shot).toSpliced(known.subcommandWords, 0, ...extraArgs)),
    model: options.model ?? null,
    env: options.env ?? {},
    inheritEnv: options.inheritEnv ?? true,
    cwd: options.cwd ?? null,
    timeouts: over<Required<ProcessTimeouts>>(DEFAULT_TIMEOUTS, options.timeouts),
    privateHome: options.privateHome ?? false,
    idempotent: options.idempotent ?? false,
    credential: options.credential ?? null,
    lastResort: options.lastResort ?? false,
    stdin: options.stdin ?? null,
    hidesTools: options.hidesTools ?? false,
    exitCodeDecides: options.exitCodeDecides ?? false,
    forgetsOutput: options.forgetsOutput ?? false,
  };
}
