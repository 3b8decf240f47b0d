// The program of a simulated world: one session, its turns, and what a careful program does around them. Run again in every
// life until it comes to its end.

import { classify } from "../../src/core/classify/classify.ts";
import type { Fault } from "../../src/core/fault/fault.ts";
import type { Journal } from "../../src/journal/journal.ts";
import { createRuntime, type Runtime } from "../../src/runtime/runtime.ts";
import type { Outcome } from "../../src/runtime/call/outcome.ts";
import { type Got, type PlanSteps, step } from "../../src/runtime/session/plan.ts";
import type { Session } from "../../src/runtime/session/session.ts";
import type { AnyTool, Tool } from "../../src/runtime/tool/tool.ts";
import type { Turn, TurnResult } from "../../src/runtime/session/turn.ts";
import { diceFor } from "./dice.ts";
import { noteWith } from "./simulated-act.ts";
import type { Life } from "./simulated-life.ts";
import { answerAtDesk, personOf } from "./simulated-people.ts";
import { type SimulatedInput, toolsOf } from "./simulated-tools.ts";
import type { CallSpec, RoundSpec, StepSpec, TurnSpec } from "./world-spec.ts";

/** How often a turn that waits is taken up again before the program loses patience. */
const MOST_RESUMES = 8;
const MINUTE_MS = 60_000;

/** `again`: the program has to be started once more, not before that time. */
export type ProgramEnd = { readonly again: null } | { readonly again: number };
const OVER: ProgramEnd = { again: null };

export class Program {
  readonly #life: Life;
  readonly #faultline: Runtime;
  readonly #tools: ReadonlyMap<string, AnyTool>;
  session: Session | null = null;
  #cancelling: Promise<void> | null = null;

  constructor(life: Life, journal: Journal) {
    const { clock, chance, story } = life;
    const { policy, budget, limits, secrets, watches } = story.world;
    const person = personOf(life);
    this.#life = life;
    this.#tools = toolsOf(life);
    this.#faultline = createRuntime({
      clock,
      chance,
      journal,
      policy,
      budget,
      limits,
      secrets,
      tools: [...this.#tools.values()],
      interactors: person === null ? [] : [person],
    });
    if (watches) {
      this.#faultline.subscribe(({ session, seq }) => {
        if (session !== "" && !life.isOver()) story.told.push({ seq, onDisk: story.written.length });
      });
    }
  }

  async run(): Promise<ProgramEnd> {
    const { turns, endsEarly, mode } = this.#life.story.world;
    try {
      this.session = await this.#faultline.session(this.#life.story.session, { mode });
      for (const [index, turn] of turns.entries()) {
        if (turn.before !== null) await this.#protect(turn.before);
        const isLast = index === turns.length - 1;
        const waits = await this.#turn(this.session, turn, index, endsEarly && isLast);
        if (waits !== null) return { again: waits };
        if (this.#isCancelled()) break;
      }
      // A session that was ended early, or cancelled meanwhile, cannot be ended again.
      if (this.#cancelling !== null) await this.#cancelling;
      else if (!this.session.isOver) await this.session.end();
      return OVER;
    } catch (error) {
      return this.#giveUp(classify({ surface: "node", error }));
    }
  }

  /** The session is over already, or its store is gone: then another life tries. */
  #giveUp(seen: Fault): ProgramEnd {
    const { record, clock } = this.#life;
    if (this.session === null && seen.code === "EngineState") return OVER;
    record.lostStore = true;
    return { again: clock.now() + MINUTE_MS };
  }

  async #protect(spec: CallSpec): Promise<void> {
    const { session } = this;
    if (session === null) return;
    const made = session.protect(this.#tool(spec), this.#input(spec), { id: spec.id, ...extrasOf(spec) });
    this.#see(await made);
  }

  /** null when the turn is over; else when to take it up again. */
  async #turn(session: Session, spec: TurnSpec, index: number, endsEarly: boolean): Promise<number | null> {
    const { clock, story, number } = this.#life;
    const id = `turn${index}`;
    for (let resumes = 0; resumes < MOST_RESUMES; resumes++) {
      if (this.#isCancelled()) return null;
      const controller = new AbortController();
      const disarm = this.#armCancels(session, index, controller);
      const running = this.#start(session, spec, id, controller.signal);
      const ended = endsEarly ? session.end() : null;
      void Promise.allSettled([ended]);
      const result = await running;
      disarm();
      this.#seeTurn(result);
      await ended;
      if (result.fault?.class === "Session" && !this.#isOver(id)) return this.#giveUp(result.fault).again;
      if (result.status !== "waiting" || this.#isCancelled() || endsEarly) return null;
      const dueAt = Math.max(await answerAtDesk(this.#life, this.#faultline, result.questions), result.wakeAt ?? 0);
      // Some programs stay, others leave and are started again.
      if (diceFor(story.world.seed, "stays", id, resumes, number).chance(0.3)) return dueAt;
      const leftMs = dueAt - clock.now();
      if (leftMs > 0) await new Promise<void>((resolve) => void clock.after(leftMs, resolve));
    }
    await this.#cancel(session);
    return null;
  }

  /** The journal says whether it failed for good or only lost its store. */
  #isOver(id: string): boolean {
    return this.#life.story.written.some(
      ({ entry: { event } }) => event.type === "turn-ended" && event.turn === id && event.status !== "waiting",
    );
  }

  #start(session: Session, spec: TurnSpec, id: string, signal: AbortSignal): Promise<TurnResult> {
    const { timeoutMs, rounds, isBare } = spec;
    const options = { id, signal, ...(timeoutMs === null ? {} : { timeoutMs }) };
    const [first] = rounds;
    if (isBare && first?.kind === "plan") return session.turn(this.#plan(first.steps), options);
    return session.turn((turn) => this.#body(turn, spec), options);
  }

  async #body(turn: Turn, { rounds, last }: TurnSpec): Promise<string> {
    for (const [index, round] of rounds.entries()) await this.#round(turn, round, index);
    if (last === "throw") throw new Error(`the program broke ${this.#life.story.world.secrets.join(" ")}`);
    if (last === "hang") await new Promise<void>(() => undefined);
    if (last === "cancel") {
      this.#noteCancel(turn.id);
      turn.cancel("enough");
    }
    return "finished";
  }

  async #round(turn: Turn, round: RoundSpec, index: number): Promise<void> {
    if (round.kind === "plan") {
      const { maxParallel, steps } = round;
      const { outcomes } = await turn.run(this.#plan(steps), maxParallel === null ? {} : { maxParallel });
      for (const outcome of Object.values(outcomes)) this.#see(outcome);
      return;
    }
    const make = async (spec: CallSpec): Promise<void> => {
      const id = `r${index}${spec.id}`;
      this.#see(await turn.protect(this.#tool(spec), this.#input(spec), { id, ...extrasOf(spec) }));
    };
    if (round.together) await Promise.all(round.calls.map(make));
    else for (const call of round.calls) await make(call);
  }

  #plan(steps: readonly StepSpec[]): PlanSteps {
    return Object.fromEntries(
      steps.map((spec) => {
        const given = this.#input(spec);
        const input = spec.needs.length === 0 ? given : (got: Got): SimulatedInput => ({ ...given, got });
        return [spec.id, step(this.#tool(spec), input, { needs: spec.needs, ...extrasOf(spec) })];
      }),
    );
  }

  #tool({ tool }: CallSpec): Tool<SimulatedInput, unknown> {
    const found = this.#tools.get(tool);
    if (found === undefined) throw new RangeError(`The world has no tool ${tool}.`);
    return found as Tool<SimulatedInput, unknown>;
  }

  #input({ n, plants, id }: CallSpec): SimulatedInput {
    const { seed, secrets, shaped } = this.#life.story.world;
    if (!plants) return { n };
    const dice = diceFor(seed, "input", id, n);
    return { n, note: noteWith(dice, dice.pick([...secrets, ...shaped])) };
  }

  /** The returned function takes back what is meant for this turn only. */
  #armCancels(session: Session, turn: number, controller: AbortController): () => void {
    const { clock, story, number } = this.#life;
    const mine = story.world.cancels.filter((cancel) => cancel.turn === turn && cancel.life === number);
    const disarms = mine.map(({ what, afterMs }) => {
      const disarm = clock.after(afterMs, () => {
        if (this.#life.isOver() || this.#isCancelled()) return;
        if (what === "session") {
          // The program awaits it at the end.
          void Promise.allSettled([this.#cancel(session)]);
        } else {
          this.#noteCancel(`turn${turn}`);
          controller.abort();
        }
      });
      return what === "turn" ? disarm : () => undefined;
    });
    return () => disarms.forEach((disarm) => disarm());
  }

  #isCancelled(): boolean {
    return this.#cancelling !== null;
  }

  #cancel(session: Session): Promise<void> {
    this.#noteCancel(null);
    this.#cancelling ??= session.cancel("enough");
    return this.#cancelling;
  }

  #noteCancel(turn: string | null): void {
    const { story, clock, number } = this.#life;
    story.cancels.push({ order: story.next(), life: number, at: clock.now(), turn });
  }

  #see(outcome: Outcome<unknown>): void {
    const { story, clock, number } = this.#life;
    if (this.#life.isOver()) return;
    const { status, call, attempts } = outcome;
    const fault = "fault" in outcome ? outcome.fault : null;
    const isRefusal = status === "failed" && outcome.decision === null;
    const order = story.next();
    story.outcomes.push({ order, life: number, at: clock.now(), call, status, fault, attempts, isRefusal });
  }

  #seeTurn(result: TurnResult): void {
    const { story, clock, number } = this.#life;
    if (this.#life.isOver()) return;
    story.turns.push({ order: story.next(), life: number, at: clock.now(), result });
    for (const outcome of Object.values(result.outcomes)) this.#see(outcome);
  }
}

function extrasOf({ optional, hasDefault, id }: CallSpec): { optional: boolean; default?: string } {
  return { optional, ...(hasDefault ? { default: `default of ${id}` } : {}) };
}
