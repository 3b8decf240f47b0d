// A server with workflows, and ways to wait for what its runs do.

import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { type ProblemDetails, ProblemError } from "../../src/client/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { type Journal, type JournalEvent, openJournal } from "../../src/index.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import { fault, FaultError } from "../../src/index.ts";
import { defineWorkflow } from "../../src/workflow/define.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import type { Workflow } from "../../src/workflow-model/stage.ts";
import { journalPath, type ServerWorld, startWorld } from "./world.ts";

export interface RunWorld extends ServerWorld {
  /** The same journal, opened by another program. */
  readonly journal: Journal;
  /** Resolves with the first event of this type in the run. */
  readonly event: <Type extends JournalEvent["type"]>(
    run: string,
    type: Type,
  ) => Promise<Extract<JournalEvent, { readonly type: Type }>>;
}

export async function runWorld(
  workflows: readonly Workflow[],
  options: Partial<ServerOptions> = {},
): Promise<RunWorld> {
  const world = await startWorld({ workflows, ...options });
  const journal = await openJournal(world.journalFile, { clock: systemClock });
  onTestFinished(() => journal.close());
  return {
    ...world,
    journal,
    event: (run, type) =>
      new Promise((resolve) => {
        const stop = journal.subscribe(
          ({ event }) => {
            if (event.type !== type) return;
            // A listener may be called before the subscription is returned.
            queueMicrotask(() => stop());
            resolve(event as never);
          },
          { session: run, after: 0 },
        );
      }),
  };
}

/** A workflow from a YAML text, beside a journal that a server will use. */
export async function fromText(
  name: string,
  text: string,
): Promise<{ readonly workflow: Workflow; readonly journal: string }> {
  const journal = journalPath();
  const file = join(dirname(journal), name);
  writeFileSync(file, text);
  const loader = createWorkflows({ env: ENV });
  onTestFinished(() => loader.close());
  const { workflow, diagnostics } = await loader.file(file);
  if (workflow === null) throw new Error(JSON.stringify(diagnostics));
  return { workflow, journal };
}

export const ENV = { PATH: process.env["PATH"], OPENAI_API_KEY: "any" };

/** Two stages; the second fails until `mend` is called. */
export function fragile(): { readonly workflow: Workflow; readonly mend: () => void } {
  let isMended = false;
  const workflow = defineWorkflow({
    id: "fragile",
    secretInputs: ["password"],
    stages: {
      build: { act: (_request, _tools, scope) => ({ built: scope.inputs["task"] ?? "nothing" }) },
      ship: {
        act: () => {
          if (isMended) return "shipped";
          throw new FaultError(fault("NetworkDisconnect", { message: "connect ECONNREFUSED /secret/path/db.sock" }));
        },
      },
    },
  });
  return { workflow, mend: () => void (isMended = true) };
}

/** A gate, then an end. */
export const GATED = `faultline: 1
workflow: { id: gated, version: "1" }
inputs:
  task: { type: string, default: a page }
  token: { type: string, secret: true, required: false }
tools:
  lookup: { command: [echo, found], description: Looks something up, idempotent: true }
nodes:
  build: { type: command, run: ["echo built"], allow: ["echo *"], next: find }
  find: { type: tool, tool: lookup, input: {}, next: ask }
  ask: { type: human_gate, ask: Confirm, prompt: "Ship {{ inputs.task }}?", timeout: 1h, next: last }
  last: { type: transform, value: "({ task: inputs.task, said: nodes.ask.output.approved })", next: { to: end, outcome: shipped } }
`;

/** One command that always fails. */
export const FAILING_COMMAND = `faultline: 1
workflow: { id: tests, version: "1" }
nodes:
  check: { type: command, run: ["sh -c 'exit 3'"], allow: ["sh *"], next: end }
`;

/** An agent with two targets, of which `chaos` makes the first fail. */
export async function twoProviders() {
  const chaos = await startChaos({ clock: systemClock });
  onTestFinished(() => chaos.close());
  const { workflow, journal } = await fromText(
    "models.yaml",
    [
      "faultline: 1",
      'workflow: { id: models, version: "1" }',
      `providers: { openai: { base_url: "${chaos.openaiUrl}", api_key_env: OPENAI_API_KEY } }`,
      "agents:",
      "  writer: { model: openai/gpt-5.5, fallback: [openai/gpt-5.4] }",
      "nodes:",
      "  write: { type: agent, agent: writer, prompt: Write something, next: end }",
      "",
    ].join("\n"),
  );
  return { chaos, workflow, journal };
}

/** The problem that a request ends with. */
export async function problemOf(work: Promise<unknown>): Promise<ProblemDetails> {
  const [result] = await Promise.allSettled([work]);
  const why: unknown = result.status === "rejected" ? result.reason : null;
  if (why instanceof ProblemError) return why.problem;
  throw new Error(`no problem, but ${JSON.stringify(why)}`);
}
