// Follows a run from this terminal: advances it or watches the process that does, asks the person's questions, and waits.

import { isFaultError, type Question } from "../../core/index.ts";
import { isEnded } from "../../core/flow/run-state.ts";
import { toCloudEvent } from "../../core/record/cloud-event.ts";
import { Interruptible, scopeOfSignal } from "../../runtime/scope.ts";
import type { Interactor } from "../../runtime/person/interactors.ts";
import { terminalInteractor } from "../../runtime/person/terminal-interactor.ts";
import type { RunEnd, RunReport, RunSummary } from "../../workflow/runs-api.ts";
import { variableOf } from "../config/settings.ts";
import { UsageError } from "../io.ts";
import { shown } from "../render/values.ts";
import { OutputQueue } from "../render/output-queue.ts";

import type { RunCommandDeps } from "../runs/run-deps.ts";
import { safeJson } from "../render/safe-text.ts";
import { askHere } from "./ask-here.ts";
import { FOLLOW_WORDS } from "../render/words/follow-words.ts";
import { onStopSignal } from "../stop-signals.ts";
import type { RunPicture } from "./run-picture.ts";
import { createView, isLive, type RunView } from "../render/run-view.ts";
import { WatchedRun } from "./watched-run.ts";

export interface FollowOptions {
  /** `watch` never advances the run. */
  readonly part: "advance" | "watch";
  /** Wait for times and ask questions. If false, return as soon as the run has to wait. */
  readonly waits: boolean;
  /** Print every event on stdout. */
  readonly jsonl: boolean;
  /** Skip events up to this number; null: skip those recorded before the start. */
  readonly after: number | null;
  /** Asks the questions; defaults to a prompt on the terminal. */
  readonly interactor?: Interactor;
  /** The run as the command has read it already. */
  readonly watched?: WatchedRun;
}

export type Standing =
  | "over" //
  | "waiting" // for a person
  | "parked" //  for a time
  | "left"; //   Ctrl-C

export interface Followed {
  readonly standing: Standing;
  readonly report: RunReport;
  readonly picture: RunPicture;
}

export async function followRun(deps: RunCommandDeps, run: string, options: FollowOptions): Promise<Followed> {
  const { workflows } = deps;
  const watched = options.watched ?? new WatchedRun(deps, run);
  const hint = FOLLOW_WORDS[deps.locale].leaveHint;
  const view = createView(deps, { run, picture: watched.picture, hint });
  const lines = new OutputQueue(deps.stdout);
  watched.onEvent((event, isNew) => {
    const isTold = options.after === null ? isNew : event.sequence > options.after;
    if (options.jsonl && isTold) void lines.write(`${safeJson(toCloudEvent(event))}\n`);
    view.onEvent(event, isTold);
  });
  const stopper = new AbortController();
  const release = onStopSignal(() => stopper.abort());
  try {
    await watched.start();
    const standing = await new Following(deps, run, view, options, stopper.signal).go();
    if (standing === "left") await workflows.runs.stop("cli");
    await watched.catchUp();
    const report = await workflows.runs.show(run);
    if (report === null)
      throw new UsageError({ "en": `run ${run} is gone`, "zh-CN": `运行 ${run} 已不存在` }, "failed");
    return { standing, report, picture: watched.picture };
  } finally {
    release();
    watched.stop();
    await Promise.all([view.end(), lines.end()]);
  }
}

/** Without a terminal, longer waits are not waited for: the caller has to resume the run. */
const FAR_MS = 120_000;
const LOOK_EVERY_MS = 1_000;

class Following {
  readonly #deps: RunCommandDeps;
  readonly #run: string;
  readonly #view: RunView;
  readonly #options: FollowOptions;
  readonly #stop: AbortSignal;
  readonly #interactor: Interactor;
  /** Its waits, which a stop ends. */
  readonly #pause: Interruptible;
  #saysWatched = false;
  /** How many questions were answered at the last look. */
  #answered = 0;

  constructor(deps: RunCommandDeps, run: string, view: RunView, options: FollowOptions, stop: AbortSignal) {
    this.#deps = deps;
    this.#run = run;
    this.#view = view;
    this.#options = options;
    this.#stop = stop;
    this.#pause = new Interruptible(deps.clock);
    scopeOfSignal(stop).add(this.#pause);
    this.#interactor = options.interactor ?? terminalInteractor({ locale: deps.locale });
  }

  async go(): Promise<Standing> {
    while (!this.#isStopped()) {
      const end = this.#options.part === "watch" || (await this.#isHeld()) ? null : await this.#advance();
      if (this.#isStopped()) break;
      if (end === null) {
        if (await this.#isOver()) return "over";
        await this.#pass(this.#now() + LOOK_EVERY_MS);
        continue;
      }
      if (isEnded(end)) return "over";
      const standing = await this.#wait(end);
      if (standing !== null) return standing;
    }
    return "left";
  }

  /** null: another process advances the run. */
  async #advance(): Promise<RunEnd | null> {
    const { runs } = this.#deps.workflows;
    const stopped = new Promise<null>((resolve) => this.#stop.addEventListener("abort", () => resolve(null)));
    return Promise.race([this.#tolerant(runs.advance(this.#run)), stopped]);
  }

  async #tolerant(work: Promise<RunEnd>): Promise<RunEnd | null> {
    try {
      return await work;
    } catch (error) {
      // A stop, or another process that holds the run, explains the failure.
      if (this.#isStopped() || (isFaultError(error) && (await this.#isHeld()))) return null;
      throw error;
    }
  }

  #isStopped(): boolean {
    // A watcher stops when its reader closes stdout; a process that advances the run does not.
    const isUnread = this.#options.part === "watch" && this.#deps.stdout.isClosed === true;
    return isUnread || this.#stop.aborted;
  }

  /** null: the wait is over. Otherwise the run's standing. */
  async #wait(end: RunEnd): Promise<Standing | null> {
    const { questions, wakeAt } = end;
    const open = await this.#unanswered(questions);
    // A question's expiry is not a time to resume at.
    const due = questions.some(({ expiresAt }) => expiresAt === wakeAt) ? null : wakeAt;
    if (questions.length > open.length) return this.#takeUp(questions.length - open.length);
    const [question] = open;
    if (question !== undefined && this.#options.waits && this.#canAsk(question)) {
      this.#view.hide();
      const until = Math.min(question.expiresAt, due ?? Infinity);
      const asked = await askHere(this.#deps, question, this.#interactor, this.#stop, until);
      this.#view.show();
      return asked === "closed" ? "left" : null;
    }
    const isNear = due !== null && due - this.#now() <= this.#patienceMs();
    if (this.#options.waits && isNear) {
      await this.#passUntilWoken(due);
      return null;
    }
    return question === undefined && due !== null ? "parked" : "waiting";
  }

  /** If an advance did not read the answers, waits a moment to avoid a busy loop. */
  async #takeUp(answered: number): Promise<null> {
    if (answered === this.#answered) await this.#pass(this.#now() + LOOK_EVERY_MS);
    this.#answered = answered;
    return null;
  }

  #patienceMs(): number {
    return isLive(this.#deps) ? Infinity : FAR_MS;
  }

  #canAsk({ payload }: Question): boolean {
    const { env } = this.#deps;
    const isAlone = variableOf("questions", env) === "never" && this.#options.interactor === undefined;
    return !isAlone && (this.#interactor.kinds?.includes(payload.kind) ?? true);
  }

  async #unanswered(questions: readonly Question[]): Promise<readonly Question[]> {
    const { journal } = this.#deps.workflows;
    const answers = await Promise.all(questions.map(({ id }) => journal.kept("answer", id)));
    return questions.filter((_question, index) => answers[index] === null || answers[index] === undefined);
  }

  async #isHeld(): Promise<boolean> {
    const isHeld = (await this.#deps.workflows.runs.held()).has(this.#run);
    if (isHeld && !this.#saysWatched && this.#options.part === "advance") {
      this.#saysWatched = true;
      this.#view.say(FOLLOW_WORDS[this.#deps.locale].watched(shown(this.#run)));
    }
    return isHeld;
  }

  async #isOver(): Promise<boolean> {
    const summary = (await this.#deps.workflows.journal.kept("run", this.#run)) as RunSummary | null;
    return summary === null || isEnded(summary);
  }

  #now(): number {
    return this.#deps.clock.now();
  }

  /** Also wakes up when another process acts on the run or answers a question. */
  async #passUntilWoken(until: number): Promise<void> {
    while (!this.#stop.aborted && this.#now() < until) {
      await this.#pass(Math.min(until, this.#now() + LOOK_EVERY_MS));
      const wakeAt = await this.#deps.workflows.journal.kept("wake", this.#run);
      if (typeof wakeAt === "number" && wakeAt < until && wakeAt <= this.#now()) return;
      if (await this.#isHeld()) return;
    }
  }

  async #pass(until: number): Promise<void> {
    await this.#pause.waitUntil(until);
  }
}
