// The command line in this process, for workflows: a temporary folder, real files and a real journal, and its output as text. The
// test controls time where only sockets are awaited.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import type { ExitName } from "../../src/cli/exit-codes.ts";
import { fileAccess } from "../../src/cli/file-access.ts";
import type { Io, Sink } from "../../src/cli/io.ts";
import { runCli } from "../../src/cli/program.ts";
import { type Clock, systemClock } from "../../src/host/clock.ts";
import type { FakeClock } from "../../src/testing/fake-clock.ts";
import { createLookAgain } from "../support/look-again.ts";
import { createSocketClock } from "../support/socket-clock.ts";

export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly exit: ExitName;
}

export interface CallOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** The width of stdout. */
  readonly columns?: number;
  /** stdout and stderr are a terminal. */
  readonly isTTY?: boolean;
  /** Called with all of stderr so far, on every write. */
  readonly onStderr?: (text: string) => void;
}

export class WorkflowWorld {
  readonly folder = mkdtempSync(join(tmpdir(), "faultline-workflow-"));
  readonly clock: Clock;
  readonly #time: FakeClock | null;

  /** `ownTime`: waits take no time; for workflows that start no processes. */
  constructor(ownTime = false) {
    this.#time = ownTime ? createSocketClock(NOON) : null;
    this.clock = this.#time ?? systemClock;
    onTestFinished(() => rmSync(this.folder, { recursive: true, force: true }));
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text);
    return this.path(name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  /** The journal is passed to every command that takes one. */
  async call(
    args: readonly string[],
    { env = {}, columns = Infinity, isTTY = false, onStderr }: CallOptions = {},
  ): Promise<Ran> {
    let [stdout, stderr] = ["", ""];
    const exits: ExitName[] = [];
    const sink = (take: (text: string) => void): Sink => ({
      isTTY,
      columns,
      write: (text) => Promise.resolve(void take(typeof text === "string" ? text : new TextDecoder().decode(text))),
    });
    const io: Io = {
      stdin: nothing(),
      stdout: sink((text) => void (stdout += text)),
      stderr: sink((text) => {
        stderr += text;
        onStderr?.(stderr);
      }),
      env: { PATH: process.env["PATH"], FAULTLINE_JOURNAL: this.path("runs.db"), OPENAI_API_KEY: "any", ...env },
      clock: this.clock,
      ...fileAccess,
      exit: (name) => void exits.push(name),
    };
    const work = runCli(args, "0.0.0", io);
    await (this.#time === null ? work : through(work, this.#time));
    return { stdout, stderr, exit: exits[0] ?? "ok" };
  }

  async json(args: readonly string[], options?: CallOptions): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await this.call([...args, "--json"], options);
    if (!/^[^\n]+\n$/.test(stdout)) throw new Error(`not one line on stdout: ${stdout}\n${stderr}`);
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  /** A provider that fails on demand, and a workflow of agents that uses it. */
  async withModels(nodes: readonly string[]) {
    const chaos = await startChaos({ clock: this.clock });
    onTestFinished(() => chaos.close());
    const file = this.write(
      "models.yaml",
      [
        "faultline: 1",
        'workflow: { id: models, version: "1" }',
        `providers: { openai: { base_url: "${chaos.openaiUrl}", api_key_env: OPENAI_API_KEY } }`,
        "agents:",
        "  writer: { model: openai/gpt-5.5 }",
        "  patient: { model: openai/gpt-5.5, fallback: [openai/gpt-5.4] }",
        "nodes:",
        ...nodes.map((node) => `  ${node}`),
        "",
      ].join("\n"),
    );
    return { chaos, file };
  }
}

/** Time advances whenever something waits for it; otherwise files and modules are awaited. */
async function through(work: Promise<void>, time: FakeClock): Promise<void> {
  let isOver = false;
  const over = (): void => void (isOver = true);
  work.then(over, over);
  const hasEnded = (): boolean => isOver;
  let again = createLookAgain();
  while (!hasEnded()) {
    if (await time.next()) again = createLookAgain();
    else await new Promise<void>((resolve) => again(resolve));
  }
  await work;
}

export const NOON = Date.UTC(2025, 0, 15, 12);

export const lastLine = ({ stderr }: Ran): string => stderr.trimEnd().split("\n").at(-1) ?? "";

/** A command, a gate, and an end with its own outcome. */
export const GATED = `faultline: 1
workflow: { id: gated, version: "1" }
inputs:
  task: { type: string, default: a page }
  times: { type: integer, default: 1 }
nodes:
  build: { type: command, run: ["echo built"], allow: ["echo *"], next: ask }
  ask: { type: human_gate, ask: Confirm, prompt: "Ship {{ inputs.task }}?", timeout: 1h, next: last }
  last: { type: transform, value: "({ task: inputs.task, times: inputs.times, said: nodes.ask.output.approved })", next: { to: end, outcome: shipped } }
`;

/** Needs no person and no process. */
export const QUICK = `faultline: 1
workflow: { id: quick, version: "1" }
inputs:
  task: { type: string, default: a page }
  times: { type: integer, default: 1 }
nodes:
  one: { type: transform, value: "({ task: inputs.task, times: inputs.times })", next: { to: end, outcome: fine } }
`;

async function* nothing(): AsyncGenerator<Uint8Array> {
  // No input is piped in.
}

/** A run of `GATED` that waits at its gate. */
export async function gated(run = "ship"): Promise<WorkflowWorld> {
  const world = new WorkflowWorld();
  await world.call(["workflow", "run", world.write("gated.yaml", GATED), "--run", run]);
  return world;
}
