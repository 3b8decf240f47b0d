// The CLIs of an agent as targets of a chain: made from what the workflow says, with what an operator granted.

import { AGENT_KINDS } from "../../agent/parse/agent-state.ts";
import { childEnv, type GivenEnv } from "../../agent/process/child-env.ts";
import { cliEnvNames } from "../../agent/verdict/cli-env.ts";
import { cli, type CliTarget } from "../../agent/run/cli.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { Instruction } from "../../core/flow/node.ts";
import { grantArgs } from "./agent-instruction.ts";
import type { CliAgentTarget, NamedTarget } from "./agent-targets.ts";
import type { Environment } from "../../agent/process/child-env.ts";

export interface CliPlace {
  readonly env: Environment;
  /** What the workflow names of it. */
  readonly given: GivenEnv;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** A run may be done twice without harm even if it has used tools. */
  readonly idempotent: boolean;
  /** See `ownTargets`; empty for none. */
  readonly own: string;
}

export function cliTargets(
  targets: readonly NamedTarget<CliAgentTarget>[],
  instruction: Instruction | null,
  home: CliPlace,
): readonly CliTarget[] {
  const { env, given, cwd, idempotent, timeoutMs, own } = home;
  return targets.map(({ id, target }) => {
    const { cli: name, command, model, args } = target;
    const kind = AGENT_KINDS.find((one) => one === name);
    if (kind === undefined) throw unknownCli(name);
    return cli(kind, {
      id,
      env: childEnv(env, given, cliEnvNames(kind, env)),
      inheritEnv: false,
      cwd,
      idempotent,
      extraArgs: [...args, ...grantArgs(kind, instruction)],
      // A node that may take hours has a CLI that may.
      ...(Number.isFinite(timeoutMs) ? { timeouts: { totalMs: timeoutMs } } : {}),
      ...(own === "" ? {} : { credential: `${id} ${own}` }),
      ...(command === "" ? {} : { command }),
      ...(model === "" ? {} : { model }),
    });
  });
}

function unknownCli(name: string): FaultError {
  const message = `there is no agent CLI ${JSON.stringify(name)}; there are ${AGENT_KINDS.join(", ")}`;
  return new FaultError(fault("ConfigSchemaViolation", { message, context: { field: "cli" } }));
}
