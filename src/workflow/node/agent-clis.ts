// Agent CLIs as the act of a node: one run for the answer, and one more when its JSON does not fit the schema.

import { AGENT_KINDS } from "../../agent/parse/agent-state.ts";
import type { AgentRunResult } from "../../agent/run/agent-request.ts";
import { cli, type CliTarget } from "../../agent/run/cli.ts";
import { FaultError } from "../../core/fault/fault-error.ts";
import { fault } from "../../core/fault/fault.ts";
import type { Instruction } from "../../core/flow/node.ts";
import type { Faultline } from "../../faultline.ts";
import { hasValue } from "../../runtime/call/outcome.ts";
import type { Turn } from "../../runtime/session/turn.ts";
import type { JsonSchema } from "../../schema/json-schema.ts";
import { correctionPrompt, readAnswer, schemaWords } from "./agent-answer.ts";
import { grantArgs, isShortened } from "./agent-instruction.ts";
import type { RawLog } from "./agent-raw.ts";
import type { CliAgentTarget, Named } from "./agent-targets.ts";
import type { Environment } from "./providers.ts";

export interface CliHome {
  readonly env: Environment;
  readonly cwd: string;
  readonly timeoutMs: number;
  /** A run may be done twice without harm even if it has used tools. */
  readonly idempotent: boolean;
  /** See `ownTargets`; empty for none. */
  readonly own: string;
}

export function cliTargets(
  targets: readonly Named<CliAgentTarget>[],
  instruction: Instruction | null,
  home: CliHome,
): readonly CliTarget[] {
  const { env, cwd, idempotent, timeoutMs, own } = home;
  return targets.map(({ id, target }) => {
    const { cli: name, command, model, args } = target;
    const kind = AGENT_KINDS.find((one) => one === name);
    if (kind === undefined) throw unknownCli(name);
    return cli(kind, {
      id,
      env,
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

export interface CliAct {
  readonly agent: string;
  readonly faultline: Faultline;
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly targets: readonly CliTarget[];
  /** Empty for none. */
  readonly system: string;
  readonly prompt: string;
  readonly outputSchema: JsonSchema | null;
  readonly instruction: Instruction | null;
  readonly log: RawLog;
  /** Throws when it may not be asked any more. */
  readonly mayAsk: () => void;
}

/** The text of the answer, or its value when a schema was given. Throws the fault of a run that could not be cured. */
export async function runCliAct(act: CliAct): Promise<unknown> {
  const { agent, outputSchema, targets, turn, faultline, instruction } = act;
  const runs = faultline.agent(targets, { within: turn });
  const asked = [act.system, act.prompt, ...(outputSchema === null ? [] : [schemaWords(outputSchema)])]
    .filter((part) => part !== "")
    .join("\n\n");
  const first = await runOnce(act, runs, asked, {});
  if (outputSchema === null) return first.text;
  const read = await readAnswer(first.text, outputSchema, agent);
  if (read.ok) return read.value;
  const { sessionId, target, text } = first;
  // It remembers what it did; unless that has become too much.
  const sessions = sessionId === null || isShortened(instruction) ? {} : { [target]: sessionId };
  const second = await runOnce(act, runs, correctionPrompt(asked, text, read.fault), sessions);
  const again = await readAnswer(second.text, outputSchema, agent);
  if (!again.ok) throw new FaultError(again.fault);
  return again.value;
}

async function runOnce(
  { log, mayAsk, signal }: CliAct,
  runs: ReturnType<Faultline["agent"]>,
  prompt: string,
  sessions: Readonly<Record<string, string>>,
): Promise<AgentRunResult> {
  mayAsk();
  const outcome = await runs.run(prompt, {
    sessions,
    signal,
    onEvent: (event) => {
      if (event.type === "attempt") log.heading(`${event.target}, attempt ${event.attempt}`);
    },
    onLine: (_stream, line) => log.line(line),
  });
  if (!hasValue(outcome)) throw new FaultError(outcome.fault);
  log.answered(outcome.value.text);
  return outcome.value;
}
