// Performs the demo: the provider is in this process, the run in worker processes, one of which is killed on purpose. Everything
// the demo reports comes from the journal.
// D1  However the demo ends, no process it started stays behind.

import { type ChildProcess, spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";
import type { ChaosStep } from "../../chaos/scenario-schema.ts";
import type { Chaos } from "../../chaos/start-chaos.ts";
import type { Answer, Entry } from "../../core/index.ts";
import { fault, FaultError } from "../../core/index.ts";
import { createRunStream, type RunStreamEvent } from "../../core/record/run-stream.ts";
import type { StreamQuestion } from "../../core/record/run-stream-event.ts";
import type { Clock } from "../../host/clock.ts";
import type { RunReport } from "../../workflow/runs-api.ts";
import type { Workflow } from "../../workflow-model/stage.ts";
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

export interface TeamStage {
  readonly chaos: Chaos;
  readonly workflows: Workflows;
  readonly workflowFile: string;
}

export interface DemoStage extends TeamStage {
  readonly journalFile: string;
  readonly io: Io;
  /** The program to start as a worker. */
  readonly program: readonly string[];
  /** Asks a person the gate's question, until `elsewhere` says that it was answered in the dashboard; null: confirms it without asking. */
  readonly ask: ((question: StreamQuestion, elsewhere: AbortSignal) => Promise<Answer>) | null;
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

/** A workflow of the demo's own. */
export async function readWorkflow(workflows: Pick<Workflows, "file">, file: string): Promise<Workflow> {
  const { workflow, diagnostics } = await workflows.file(file);
  if (workflow !== null) return workflow;
  const why = diagnostics.map(({ line, message }) => `line ${line}: ${message}`).join("; ");
  throw new FaultError(fault("InvariantBroken", { message: `cannot read the demo's workflow ${file}: ${why}` }));
}

/** Starts a run of the team; the models are ready to discuss its task. */
export async function startTeam({ workflows, workflowFile, chaos }: TeamStage): Promise<string> {
  const workflow = await readWorkflow(workflows, workflowFile);
  play(DISCUSSION_STEPS, chaos);
  return workflows.runs.start(workflow, { inputs: { task: DEMO_TASK } });
}

export async function driveDemo(stage: DemoStage): Promise<DemoEnd> {
  const { stop } = stage;
  const run = await startTeam(stage);
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
  /** Ends the prompt that is on the screen. */
  #prompt: AbortController | null = null;
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
    if (entry.event.type === "node-resumed") this.#resumed(entry.event.answer);
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
    const child = spawn(command, [...args, "--worker", journalFile, "--worker-run", this.#run], {
      // The worker ends when its stdin closes, which also happens if this process is killed.
      stdio: ["pipe", "ignore", "pipe"],
      env: envOf(io),
    });
    const worker = ++this.#workers;
    this.#worker = child;
    let said = "";
    child.stderr.on("data", (piece: Buffer) => (said = `${said}${piece.toString()}`.slice(-MAX_SAID_CHARS)));
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
    const { ask, workflows, tell } = this.#stage;
    // A person may also confirm in the dashboard, so the models' answers are made ready first.
    if (question.kind === "Select") this.#playFrom("confirm");
    const answer = ask === null ? CONFIRMED : await this.#askPerson(ask, question);
    if (answer === null) return;
    // A closed prompt is not an answer: the run keeps waiting for one.
    if (answer.status !== "accepted") throw left(this.#run);
    const chosen = String(answer.value);
    if (question.kind === "Select") this.#playFrom(chosen);
    const by = ask === null ? BY : "operator";
    tell({ type: "gate-answered", answer: chosen, by });
    await workflows.runs.answer(question.id, answer, by);
  }

  /** null: it was answered elsewhere. */
  async #askPerson(ask: NonNullable<DemoStage["ask"]>, question: StreamQuestion): Promise<Answer | null> {
    const prompt = new AbortController();
    this.#prompt = prompt;
    try {
      return await ask(question, prompt.signal);
    } catch (error) {
      if (prompt.signal.aborted) return null;
      throw error;
    } finally {
      this.#prompt = null;
    }
  }

  #resumed(answer: Answer | null): void {
    if (this.#prompt === null || answer?.status !== "accepted") return;
    const chosen = String(answer.value);
    this.#playFrom(chosen);
    this.#stage.tell({ type: "gate-answered", answer: chosen, by: "operator" });
    this.#prompt.abort();
  }

  /** The models answer as they do after this choice. */
  #playFrom(choice: string): void {
    this.#killAt = choice === "confirm" ? KILLED_AT_REQUEST : null;
    playFrom(choice, this.#stage.chaos);
  }
}

type StepsAfter = Readonly<Record<string, readonly ChaosStep[]>>;

const STEPS_AFTER: StepsAfter = {
  confirm: IMPLEMENTATION_STEPS,
  continue: MORE_DISCUSSION_STEPS,
};

/** For a run whose worker is not killed: the request that is lost then is not sent twice. */
export const UNDISTURBED_STEPS_AFTER: StepsAfter = {
  ...STEPS_AFTER,
  confirm: IMPLEMENTATION_STEPS.toSpliced(KILLED_AT_REQUEST, 1),
};

/** The models answer as they do after this choice at the gate. Typed text does not count as a choice. */
export function playFrom(choice: string, chaos: Chaos, stepsAfter: StepsAfter = STEPS_AFTER): void {
  const steps = stepsAfter[choice];
  if (steps !== undefined) play(steps, chaos);
}

/** Instead of what was to come, and with the requests counted from 0. */
function play(steps: readonly ChaosStep[], chaos: Chaos): void {
  chaos.reset();
  chaos.script([...steps]);
}

const CONFIRMED: Answer = { status: "accepted", value: "confirm" };
const OVER: ReadonlySet<RunStreamEvent["type"]> = new Set(["run.completed", "run.failed", "run.cancelled"] as const);
const MAX_SAID_CHARS = 2_000;

/** Tools and tests run with the same Node as this process, whatever else is installed. */
export function envOf({ env }: Io): Io["env"] {
  return { ...env, PATH: [dirname(process.execPath), env["PATH"] ?? ""].join(delimiter) };
}

function left(run: string): FaultError {
  return new FaultError(fault("SessionCancelled", { message: "stopped", context: { run } }));
}

function tooLong(): FaultError {
  const message = `the demo did not finish within ${LONGEST_MS} ms; the machine may be very busy. Try again`;
  return new FaultError(fault("RunTimeout", { message, context: { limit: LONGEST_MS } }));
}
