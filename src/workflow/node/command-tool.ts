// A tool that is a command. It reads its input as JSON from stdin and prints its answer as JSON or text. A non-zero exit code is a
// failure, which its stderr explains.

import { childEnv } from "../../agent/process/child-env.ts";
import { classify } from "../../core/classify/classify.ts";
import { traitsOf } from "../../core/fault/catalogue.ts";
import { fault, type Fault, FaultError, withContext } from "../../core/fault/fault.ts";
import { lastOf } from "../../core/fault/known-values.ts";
import { parseJson } from "../../core/try-read.ts";
import type { Clock } from "../../host/clock.ts";
import { type AnyTool, tool, type ToolOptions } from "../../runtime/tool/tool.ts";
import type { ToolSpec } from "../../workflow-model/node-options.ts";
import { callTimeoutMs, type CommandEnd, runCommand, saidEvidence } from "./run-command.ts";

export interface CommandToolDeps {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly clock: Clock;
}

/** Answers are stored in the journal and read by models, so they are limited. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

/** A tool's settings from the workflow, whatever runs it. */
export type DeclaredTool = Omit<ToolOptions<unknown, unknown>, "run">;

export function commandTool(
  { id, timeoutMs }: ToolSpec,
  declared: DeclaredTool,
  { command, args, env: given }: Extract<ToolSpec["run"], { readonly kind: "command" }>,
  { env, cwd, clock }: CommandToolDeps,
): AnyTool {
  return tool<unknown, unknown>({
    ...declared,
    timeoutMs: callTimeoutMs(timeoutMs),
    run: async (input, { signal, artefact }) => {
      const stdin = JSON.stringify(input ?? null);
      const end = await runCommand(
        {
          command,
          args,
          cwd,
          env: childEnv(env, given),
          stdin,
          timeoutMs,
          clock,
          signal,
          keepBytes: MAX_OUTPUT_BYTES,
        },
        ({ stdout, stderr }) => artefact("output.txt", `${stdout}\n--- stderr\n${stderr}\n`),
      );
      if (end.exitCode !== 0) throw new FaultError(failureOf(id, end, clock.now()));
      if (end.stdoutBytes > MAX_OUTPUT_BYTES) throw new FaultError(tooMuch(id, end));
      return jsonOrText(end.stdout);
    },
  });
}

/** A tool may print JSON or text; text that parses as JSON is JSON. */
export function jsonOrText(text: string): unknown {
  const value = parseJson(text);
  return value === undefined ? text.replace(/\r?\n$/, "") : value;
}

/** Words such as those of a rate limit say more than the exit code. A cancellation is ruled out, because nothing here cancelled it. */
function failureOf(id: string, { exitCode, signal, stdout, stderr }: CommandEnd, observedAt: number): Fault {
  const said = stderr.trim() === "" ? stdout : stderr;
  // It was started, so it may have had an effect, whatever it printed.
  const how = { ran: true, ...(exitCode === null ? { signal: signal ?? "" } : { exitCode }) };
  const seen = classify({ surface: "tool", message: lastOf(said, MAX_READ_CHARS), observedAt });
  if (seen.evidence.rule !== "none" && !traitsOf(seen.code).cancels) return withContext(seen, { tool: id, ...how });
  const ended = exitCode === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${exitCode}`;
  return fault("ExecutionFailed", {
    message: `the tool ${id} ${ended}`,
    context: { tool: id, ...how },
    evidence: saidEvidence("command/exit", said),
  });
}

/** The end of a failing program's output describes the failure. */
const MAX_READ_CHARS = 8 * 1024;

function tooMuch(id: string, { stdoutBytes }: CommandEnd): Fault {
  return fault("OutputMalformed", {
    message: `the tool ${id} printed ${stdoutBytes} bytes; the limit is ${MAX_OUTPUT_BYTES}. Make it print less.`,
    context: { tool: id, limit: MAX_OUTPUT_BYTES, ran: true },
  });
}
