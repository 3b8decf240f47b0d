// Kills a program again and again and looks at what is left: as many kills as asked for, over as many sessions as it takes.
// Everything that can be chosen comes from the seed; when exactly a signal arrives is up to the machine.

import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { classify, type Journal, openJournal } from "../../src/index.ts";
import type { Chance } from "../../src/host/chance.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import { journalIn } from "../support/journal-in.ts";
import { checkCalls } from "./check-calls.ts";
import { checkJournal, type Entries, readEntries } from "./check-journal.ts";
import { checkSession, strayFiles } from "./check-session.ts";
import { type Diary, readDiary, type Trouble } from "./diary.ts";
import { HITS, type Hit, whatWasHit } from "./hits.ts";
import { type Came, type Job, type LifeEnd, type Moment, pickMoment, startLife } from "./life.ts";
import { answerQuestions, type Approvals } from "./person.ts";
import { between, makeSession, type SessionSpec } from "./program.ts";

export interface CampaignOptions {
  readonly kills: number;
  readonly seed: number;
  /** An empty folder; everything is left in it. */
  readonly folder: string;
  /** How many programs are killed side by side, each with a journal of its own. */
  readonly workers: number;
  /** The address of the PostgreSQL server that has the journals; null: files in the folder have them. */
  readonly postgres: string | null;
  readonly tell: (line: string) => void;
}

export interface Report {
  readonly hits: Record<Hit, number>;
  readonly problems: string[];
  kills: number;
  lives: number;
  sessions: number;
  entries: number;
  runs: number;
  questions: number;
  /** Two processes were at one session … */
  meetings: number;
  /** … and this often one of them was refused by the journal and stopped. */
  fenced: number;
}

export async function runCampaign(options: CampaignOptions): Promise<Report> {
  const { kills, seed, folder, workers } = options;
  const hits = Object.fromEntries(HITS.map((hit) => [hit, 0])) as Record<Hit, number>;
  const counts = { kills: 0, lives: 0, sessions: 0, entries: 0, runs: 0, questions: 0, meetings: 0, fenced: 0 };
  const report: Report = { ...counts, hits, problems: [] };
  const moments = { dealt: 0 };
  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const chance = createSeededChance(seed * 1000 + index);
      const home = { folder: join(folder, `worker-${index}`), met: new Set<string>(), moments };
      const quota = Math.ceil((kills * (index + 1)) / workers) - Math.ceil((kills * index) / workers);
      for (let number = 1, dead = 0; dead < quota; number++) {
        const meets = (number + index) % MEETS_EVERY === 2;
        const story = new Story(options, report, home, `w${index}-${number}`, meets, chance);
        dead += await story.tell(Math.min(between(chance, 2, 6), quota - dead));
        if (report.problems.length > MAX_PROBLEMS) return;
      }
    }),
  );
  return report;
}

/** In every third story of a worker two processes meet: in the second one of the first worker, in the first one of the second. */
const MEETS_EVERY = 3;

/** More would tell nothing new. */
const MAX_PROBLEMS = 200;

/** What the stories of one worker share. */
interface Home {
  readonly folder: string;
  /** Sessions at which two processes have met. */
  readonly met: Set<string>;
  /** Shared by all workers: how many moments they have got. */
  readonly moments: { dealt: number };
}

/** Statements that make a new journal, about. */
const SET_UP_STEPS = { sqlite: 6, postgres: 10 } as const;

/** Enough for every question of every step to be asked in its own life. */
const MAX_LIVES = 120;

/** One to three sessions in one program, from their beginning to their end, through many lives. */
class Story {
  readonly #options: CampaignOptions;
  readonly #report: Report;
  readonly #home: Home;
  readonly #name: string;
  readonly #chance: Chance;
  readonly #folder: string;
  readonly #journal: string;
  readonly #program: readonly SessionSpec[];
  readonly #approvals: Approvals = new Map();
  readonly #came: Came[] = [];
  readonly #meets: boolean;
  readonly #isNewStore: boolean;
  #lives = 0;
  #kills = 0;
  #problems = 0;

  constructor(options: CampaignOptions, report: Report, home: Home, name: string, meets: boolean, chance: Chance) {
    this.#options = options;
    this.#report = report;
    this.#home = home;
    this.#name = name;
    this.#chance = chance;
    this.#folder = join(home.folder, name);
    // Every other story has a journal of its own, so that a kill can hit it while it is made.
    this.#isNewStore = chance.roll() < 0.5;
    this.#journal = journalIn(options.postgres, join(this.#isNewStore ? this.#folder : home.folder, "store"));
    this.#meets = meets;
    const sessions = chance.roll() < 0.6 ? 1 : between(chance, 2, 3);
    this.#program = Array.from({ length: sessions }, (_, index) =>
      makeSession(`${name}-${index + 1}`, chance, this.#meets),
    );
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(join(this.#folder, "program.json"), JSON.stringify(this.#program));
  }

  /** Returns how many processes it killed. */
  async tell(maxKills: number): Promise<number> {
    try {
      return await this.#run(maxKills);
    } catch (error) {
      const { code, message } = classify({ surface: "store", error });
      this.#blame(`cannot be looked at: ${code}: ${message}`);
      return this.#kills;
    }
  }

  async #run(maxKills: number): Promise<number> {
    const isFirst = this.#home.met.size === 0;
    let livesToMeeting = this.#meets ? (isFirst ? 0 : between(this.#chance, 0, 2)) : Infinity;
    for (let isOver = false; !isOver;) {
      if (this.#lives >= MAX_LIVES) this.#blame(`is not over after ${this.#lives} lives`);
      // What is broken does not get better by being killed again.
      if (this.#problems > 0) return this.#kills;
      const meets = livesToMeeting-- === 0;
      const ends = meets ? await this.#meet() : [await this.#live(this.#kills < maxKills)];
      isOver = await this.#lookAfter(ends);
    }
    await this.#checkEnd();
    this.#options.tell(`${this.#name}: ${this.#program.length} sessions, ${this.#lives} lives, ${this.#kills} kills`);
    return this.#kills;
  }

  #job(): Job {
    const life = ++this.#lives;
    return { life, folder: this.#folder, journal: this.#journal };
  }

  #pickMoment(): Moment {
    const isNew = this.#isNewStore && !readDiary(this.#folder).acks.some(({ what }) => what === "opened");
    const setUpSteps = isNew ? SET_UP_STEPS[this.#options.postgres === null ? "sqlite" : "postgres"] : 0;
    return pickMoment(this.#chance, setUpSteps, this.#home.moments.dealt++);
  }

  async #live(dies: boolean): Promise<LifeEnd> {
    const end = await startLife(this.#job(), dies ? this.#pickMoment() : null).ended;
    for (const { session, code, message } of end.came.filter(({ came }) => came === "stopped")) {
      this.#blame(`life ${end.life} stopped ${session} with ${code ?? "nothing"}: ${message ?? ""}`);
    }
    return end;
  }

  /** A second process resumes the sessions while the first one still works on them, or is stopped and wakes up later. */
  async #meet(): Promise<readonly LifeEnd[]> {
    const chance = this.#chance;
    // The first time nothing is left to chance: the one that sleeps holds no lock, and both live.
    const isSure = this.#home.met.size === 0;
    const standsStill = isSure || chance.roll() < 0.5;
    const first = startLife(this.#job(), {
      at: "begin",
      nth: isSure ? 1 : between(chance, 1, 12),
      by: isSure ? "itself" : "parent",
      signal: standsStill ? "SIGSTOP" : "SIGCONT",
      delayMicros: 0,
    });
    await first.moment;
    const second = startLife(this.#job(), !isSure && chance.roll() < 0.3 ? this.#pickMoment() : null);
    if (standsStill) {
      await second.ended;
      first.send(isSure || chance.roll() < 0.8 ? "SIGCONT" : "SIGKILL");
    }
    const ends = await Promise.all([first.ended, second.ended]);
    for (const { session } of this.#program) this.#home.met.add(session);
    const stopped = ends.flatMap(({ came }) => came.filter((each) => each.came === "stopped"));
    const fenced = stopped.filter(({ code }) => code === "EngineState");
    this.#report.meetings++;
    this.#report.fenced += fenced.length;
    if (isSure && fenced.length === 0)
      this.#blame("slept while another process went on, and was not stopped after that");
    // Who stands still in the middle of a commit holds up everybody else: then the other one gives up.
    const allowed = standsStill && !isSure ? ["EngineState", "StoreUnavailable"] : ["EngineState"];
    for (const { session, code, message } of stopped.filter((each) => !allowed.includes(each.code ?? ""))) {
      this.#blame(`two lives met, and ${session} stopped with ${code ?? "nothing"}: ${message ?? ""}`);
    }
    return ends;
  }

  /** After every life: does the journal have what its writers were told? True when all sessions are over. */
  async #lookAfter(ends: readonly LifeEnd[]): Promise<boolean> {
    const killed = ends.filter((end) => end.killed);
    for (const { life, exitCode, hung, stderr } of ends.filter((end) => !end.killed)) {
      if (hung) this.#blame(`life ${life} did not end by itself`);
      else if (exitCode !== 0) this.#blame(`life ${life} ended with ${exitCode ?? "a signal"}: ${stderr}`);
    }
    this.#came.push(...ends.flatMap(({ came }) => came));
    this.#kills += killed.length;
    this.#report.kills += killed.length;
    this.#report.lives += ends.length;
    const diary = readDiary(this.#folder);
    for (const { life, code, while: what } of ends.length === 1 ? troublesOf(diary, ends) : []) {
      this.#blame(`life ${life} was alone with its journal, and had trouble ${what}: ${code}`);
    }
    // Half of the time only a copy is opened, so that the next life finds the files as the dead one left them.
    const entries = await this.#look(diary, this.#chance.roll() < 0.5 && this.#options.postgres === null);
    for (const { life } of killed) for (const hit of whatWasHit(life, diary, entries)) this.#report.hits[hit]++;
    const isWaiting = ends.some(({ came }) => came.some((each) => each.came === "waiting"));
    if (isWaiting || this.#chance.roll() < 0.3) {
      const problems = await answerQuestions(this.#journal, this.#folder, this.#program, this.#approvals);
      for (const problem of problems) this.#blame(problem);
    }
    return [...entries.values()].every((list) => list.some(({ event }) => event.type === "session-ended"));
  }

  async #look(diary: Diary, atCopy: boolean): Promise<Entries> {
    return this.#withJournal(atCopy, async (journal) => {
      const entries = await readEntries(
        journal,
        this.#program.map(({ session }) => session),
      );
      for (const problem of await checkJournal(journal, entries, diary)) this.#blame(problem);
      return entries;
    });
  }

  async #withJournal<T>(atCopy: boolean, look: (journal: Journal) => Promise<T>): Promise<T> {
    const copy = join(this.#folder, "copy");
    const journal = await openJournal(atCopy ? this.#copyTo(copy) : this.#journal);
    try {
      return await look(journal);
    } finally {
      await journal.close();
      rmSync(copy, { recursive: true, force: true });
    }
  }

  #copyTo(folder: string): string {
    mkdirSync(folder);
    for (const end of ["", "-wal", "-journal"]) {
      if (existsSync(this.#journal + end)) copyFileSync(this.#journal + end, join(folder, `journal.db${end}`));
    }
    return join(folder, "journal.db");
  }

  async #checkEnd(): Promise<void> {
    const diary = readDiary(this.#folder);
    const entries = await this.#look(diary, false);
    const report = this.#report;
    await this.#withJournal(false, async (journal) => {
      for (const spec of this.#program) {
        const { session } = spec;
        const list = entries.get(session) ?? [];
        const ended = {
          spec,
          entries: list,
          diary,
          approvals: this.#approvals.get(session) ?? new Map<string, number>(),
        };
        const came = this.#came.filter((each) => each.session === session);
        for (const problem of [...checkCalls(ended), ...(await checkSession(ended, journal, came))])
          this.#blame(problem);
        report.sessions++;
        report.entries += list.length;
        report.questions += list.filter(({ event }) => event.type === "question-asked").length;
      }
    });
    report.runs += diary.effects.filter(({ phase }) => phase === "begin").length;
    const strays = this.#options.postgres === null ? strayFiles(this.#journal, this.#home.met) : [];
    for (const file of strays) this.#blame(`${file} lies beside the journal`);
  }

  #blame(problem: string): void {
    this.#problems++;
    this.#report.problems.push(`[seed ${this.#options.seed}] ${this.#name}: ${problem}`);
  }
}

function troublesOf({ acks }: Diary, ends: readonly LifeEnd[]): readonly Trouble[] {
  return acks.filter((ack): ack is Trouble => ack.what === "trouble" && ends.some(({ life }) => life === ack.life));
}
