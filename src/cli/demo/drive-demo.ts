// Performs the demo: the provider is in this process, the run in worker processes, one of which is killed on purpose. Everything
// the demo reports comes from the journal.
// D1  However the demo ends, no process it started stays behind.

import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import type { Chaos } from "../../chaos/start-chaos.ts";
import type { Answer, Entry } from "../../core/index.ts";
import { fault, FaultError } from "../../core/index.ts";
import { createRunStream, type RunStreamEvent } from "../../core/record/run-stream.ts";
import type { StreamQuestion } from "../../core/record/run-stream-event.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunReport } from "../../workflow/runs-api.ts";
import type { Workflows } from "../../workflow/workflows.ts";
import type { Io } from "../io.ts";
import {
  DEMO_TASK,
  DISCUSSION_STEPS,
  IMPLEMENTATION_STEPS,
  KILLED_AT_REQUEST,
  MORE_DISCUSSION_STEPS,
} from "./demo-story.ts";

/** News about the workers, which are not events of the run. */
export type DemoNews =
  | { readonly type: "worker-started"; readonly worker: number; readonly pid: number }
  | { readonly type: "worker-killed"; readonly worker: number; readonly pid: number }
  | { readonly type: "gate-answered"; readonly answer: string; readonly by: string };

export interface DemoStage {
  readonly chaos: Chaos;
  readonly workflows: Workflows;
  readonly workflowFile: string;
  readonly journalFile: string;
  readonly io: Io;
  /** The program to start as a worker. */
  readonly program: readonly string[];
  /** Asks a person the gate's question; null: confirms it without asking. */
  readonly ask: ((question: StreamQuestion) => Promise<Answer>) | null;
  readonly tell: (news: DemoNews) => void;
  /** Called for every entry of the run's journal, with the stream events made from it. */
  readonly onEntry: (entry: Entry, events: readonly RunStreamEvent[]) => void;
  readonly stop: AbortSignal;
}

export interface DemoEnd {
  readonly run: string;
  readonly report: RunReport;
  readonly entries: readonly Entry[];
  readonly workers: number;
  readonly killed: number;
}

/** The demo normally takes 15 seconds. With `--ask` there is no limit. */
const LONGEST_MS = 120_000;
const LOOK_EVERY_MS = 20;
const BY = "faultline start";

export async function driveDemo(stage: DemoStage): Promise<DemoEnd> {
  const { workflows, workflowFile, chaos, stop } = stage;
  const { workflow, diagnostics } = await workflows.file(workflowFile);
  if (workflow === null) {
    const why = diagnostics.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
    throw new FaultError(fault("InvariantBroken", { message: `cannot read the team's workflow: ${why}` }));
  }
  const run = await workflows.runs.start(workflow, { inputs: { task: DEMO_TASK } });
  chaos.script([...DISCUSSION_STEPS]);
  const demo = new Demo(stage, run);
  const leave = (): void => demo.breakOff(left(run));
  stop.addEventListener("abort", leave);
  try {
    return await demo.play();
  } finally {
    stop.removeEventListener("abort", leave);
    demo.close();
  }
}

class Demo {
  readonly #stage: DemoStage;
  readonly #run: string;
  readonly #clock: Clock;
  #worker: ChildProcess | null = null;
  #workers = 0;
  #killed = 0;
  /** The request during which the worker is killed; null until the implementation starts. */
  #killAt: number | null = null;
  #stopTimer: () => void = () => undefined;
  #finish: () => void = () => undefined;
  #fail: (error: unknown) => void = () => undefined;

  constructor(stage: DemoStage, run: string) {
    this.#stage = stage;
    this.#run = run;
    this.#clock = stage.workflows.clock;
  }

  async play(): Promise<DemoEnd> {
    const { workflows, ask } = this.#stage;
    const over = new Promise<void>((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    const stream = createRunStream(this.#run);
    const unwatch = workflows.journal.subscribe((entry) => this.#see(entry, stream.feed(entry)), {
      session: this.#run,
      after: 0,
    });
    const disarm = ask === null ? this.#clock.after(LONGEST_MS, () => this.breakOff(tooLong())) : () => undefined;
    try {
      this.#startWorker();
      this.#lookForKill();
      await over;
      const report = await workflows.runs.show(this.#run);
      if (report === null) throw new FaultError(fault("InvariantBroken", { message: "the run is not in its journal" }));
      const entries: Entry[] = [];
      for await (const entry of workflows.journal.read(this.#run)) entries.push(entry);
      return { run: this.#run, report, entries, workers: this.#workers, killed: this.#killed };
    } finally {
      unwatch();
      disarm();
    }
  }

  #see(entry: Entry, events: readonly RunStreamEvent[]): void {
    this.#stage.onEntry(entry, events);
    for (const event of events) {
      if (event.type === "gate.paused") void this.#answer(event.data.questions[0]).catch(this.#fail);
      if (OVER.has(event.type)) this.#finish();
    }
  }

  breakOff(error: unknown): void {
    this.#fail(error);
  }

  close(): void {
    this.#stopTimer();
    const worker = this.#worker;
    this.#worker = null;
    worker?.kill("SIGKILL");
  }

  #startWorker(): void {
    const { program, journalFile, io, tell } = this.#stage;
    const [command = "", ...args] = program;
    // Tools and tests run with the same Node as this process, whatever else is installed.
    const child = spawn(command, [...args, "--worker", journalFile, "--worker-run", this.#run], {
      // The worker ends when its stdin closes, which also happens if this process is killed.
      stdio: ["pipe", "ignore", "pipe"],
      env: { ...io.env, PATH: [dirname(process.execPath), io.env["PATH"] ?? ""].join(delimiter) },
    });
    const worker = ++this.#workers;
    this.#worker = child;
    let said = "";
    child.stderr.on("data", (piece: Buffer) => (said = `${said}${piece.toString()}`.slice(-MOST_SAID_CHARS)));
    // Writing to a killed worker fails; that is expected.
    child.stdin.on("error", () => undefined);
    child.once("error", (error) => this.#fail(error));
    child.once("exit", (code, signal) => this.#ended(child, worker, code, signal, said));
    tell({ type: "worker-started", worker, pid: child.pid ?? 0 });
  }

  #ended(child: ChildProcess, worker: number, code: number | null, signal: string | null, said: string): void {
    if (this.#worker !== child) return;
    this.#worker = null;
    if (code === 0) return;
    if (signal === "SIGKILL" && this.#killAt === Infinity) {
      this.#killed += 1;
      this.#stage.tell({ type: "worker-killed", worker, pid: child.pid ?? 0 });
      return this.#startWorker();
    }
    const how = code === null ? `was ended by ${signal ?? "a signal"}` : `ended with exit code ${code}`;
    this.#fail(new FaultError(fault("ProcessCrashed", { message: `worker ${worker} ${how}. ${said}`.trim() })));
  }

  /** Kills the worker while a request is in flight: the worst moment to die. */
  #lookForKill(): void {
    const { chaos } = this.#stage;
    const open = this.#killAt === null ? undefined : chaos.received()[this.#killAt];
    if (open?.ended === "open" && this.#worker !== null) {
      this.#killAt = Infinity;
      this.#worker.kill("SIGKILL");
      return;
    }
    this.#stopTimer = this.#clock.after(LOOK_EVERY_MS, () => this.#lookForKill());
  }

  async #answer(question: StreamQuestion | undefined): Promise<void> {
    if (question === undefined) return;
    const { ask, workflows, chaos, tell } = this.#stage;
    const answer: Answer = ask === null ? CONFIRMED : await ask(question);
    // A closed prompt is not an answer: the run keeps waiting for one.
    if (answer.status !== "accepted") throw left(this.#run);
    const chosen = String(answer.value);
    if (question.kind === "Select" && chosen === "confirm") {
      this.#killAt = chaos.received().length + KILLED_AT_REQUEST;
      chaos.script([...IMPLEMENTATION_STEPS]);
    } else if (question.kind === "Select" && chosen === "continue") chaos.script([...MORE_DISCUSSION_STEPS]);
    const by = ask === null ? BY : "operator";
    tell({ type: "gate-answered", answer: chosen, by });
    await workflows.runs.answer(question.id, answer, by);
  }
}

const CONFIRMED: Answer = { status: "accepted", value: "confirm" };
const OVER: ReadonlySet<RunStreamEvent["type"]> = new Set(["run.completed", "run.failed", "run.cancelled"] as const);
const MOST_SAID_CHARS = 2_000;

function left(run: string): FaultError {
  return new FaultError(fault("SessionCancelled", { message: "stopped", context: { run } }));
}

function tooLong(): FaultError {
  const message = `the demo did not finish within ${LONGEST_MS} ms; the machine may be very busy. Try again`;
  return new FaultError(fault("RunTimeout", { message, context: { limit: LONGEST_MS } }));
}
