// One run of the team from an empty folder to its end, through as many lives as it takes: the plan says where the worker is
// killed, a scripted person answers at the gate, and the models continue at the step that the journal shows.

import { readFileSync, readdirSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { type Chaos, startChaos } from "../../src/chaos/start-chaos.ts";
import type { ChaosStep } from "../../src/chaos/scenario-schema.ts";
import { type Entry, type Journal, openJournal, type VerifyReport } from "../../src/index.ts";
import { readRestateAddress } from "../../src/workflow/restate/restate-address.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import type { RunReport } from "../../src/workflow/runs-api.ts";
import { finishedRequests } from "./entries.ts";
import { journalIn } from "../../test/support/journal-in.ts";
import { freePorts } from "../../test/support/free-ports.ts";
import { type Job, type Kill, type Life, type LifeEnd, startLife, type Told } from "./life.ts";
import { livingWith } from "./processes.ts";
import { makeTeamFolder, TEAM_INPUTS, TEAM_STEPS, type TeamChanges, type TeamFiles, type TeamFolder } from "./team.ts";

const RUN = "team";

export interface Plan extends TeamChanges {
  readonly name: string;
  /** One after the other: a life gets the first one that is still to come. */
  readonly kills: readonly Kill[];
  /** The lives before this one get none of these. */
  readonly killsFrom?: number;
  readonly steps?: readonly ChaosStep[];
  /** Receives the messages of a worker, with a way to kill it. The mark is in the environment of all its processes. */
  readonly listen?: (told: Told, life: Life, number: number, mark: string) => void;
  /** How much later it is for the worker in its n-th life, counted from 1. */
  readonly aheadMs?: (number: number) => number;
  /** When the run waits for a time, that time comes at once. */
  readonly jumps?: boolean;
  /** The gate is not answered before this life. */
  readonly answersFrom?: number;
}

export interface Ask {
  readonly step: number;
  readonly life: number;
  readonly body: string;
}

export interface Story {
  readonly name: string;
  readonly entries: readonly Entry[];
  readonly report: RunReport | null;
  readonly asks: readonly Ask[];
  /** What is in the repository, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** The outputs of nodes, by visit. */
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly lives: readonly LifeEnd[];
  /** Kills at entries that are over: the worker had written the entry, and was dead soon after. */
  readonly killsAtEntries: number;
  readonly verified: VerifyReport;
  /** Runs that still want to be woken, questions that are still open. */
  readonly left: readonly string[];
  /** Which processes still hold something, and what. */
  readonly holds: readonly string[];
  /** What Restate knew when a life did not end by itself. */
  readonly atRestate: readonly string[];
  readonly orphans: readonly string[];
}

export interface StoryHome {
  readonly team: TeamFiles;
  /** Of this story alone. */
  readonly folder: string;
  /** The addresses of the servers that keep the journals and drive the runs; null: a file does, and the plain driver. */
  readonly postgres: string | null;
  readonly restate: string | null;
}

/** More lives than any plan needs. */
const MOST_LIVES = 8;

export async function tellStory(home: StoryHome, plan: Plan): Promise<Story> {
  await mkdir(home.folder, { recursive: true });
  const chaos = await startChaos({ latencyMs: 15 });
  try {
    return await new Telling(home, plan, chaos).tell();
  } finally {
    await chaos.close();
  }
}

class Telling {
  readonly #home: StoryHome;
  readonly #journal: string;
  readonly #plan: Plan;
  readonly #chaos: Chaos;
  readonly #steps: readonly ChaosStep[];
  readonly #asks: Ask[] = [];
  readonly #lives: LifeEnd[] = [];
  #heard = 0;
  /** The kill that the last life got, and how many are over. */
  #aimed: Kill | null = null;
  #over = 0;

  constructor(home: StoryHome, plan: Plan, chaos: Chaos) {
    this.#home = home;
    this.#journal = journalIn(home.postgres, home.folder);
    this.#plan = plan;
    this.#chaos = chaos;
    this.#steps = plan.steps ?? TEAM_STEPS;
  }

  async tell(): Promise<Story> {
    const team = await makeTeamFolder(this.#home.folder, this.#home.team, this.#chaos, this.#plan);
    const restate = await this.#onRestate();
    for (let isOver = false; !isOver && this.#lives.length < MOST_LIVES;) {
      const number = this.#lives.length + 1;
      const end = await this.#live(team, number, restate);
      this.#lives.push(end);
      isOver = !end.killed;
    }
    const { entries, report, outputs, verified, left, holds } = await withJournal(this.#journal, lookAt);
    const files = textsIn(team.repository, this.#home.folder);
    const orphans = await livingWith(this.#home.folder);
    const atRestate = this.#lives.some(({ hung }) => hung) ? await knownAtRestate(this.#home.restate) : [];
    const { name } = this.#plan;
    const told = { name, asks: this.#asks, lives: this.#lives, killsAtEntries: this.#over };
    return { ...told, entries, report, files, outputs, verified, left, holds, atRestate, orphans };
  }

  /** All lives of a worker have one address, as workers behind a load balancer have. */
  async #onRestate(): Promise<Job["restate"]> {
    const { restate } = this.#home;
    if (restate === null) return null;
    const [port = 0] = await freePorts(1);
    return { url: restate, port };
  }

  async #live(team: TeamFolder, number: number, restate: Job["restate"]): Promise<LifeEnd> {
    const { kills, killsFrom = 1, listen, aheadMs = () => 0, jumps = false, answersFrom = 1 } = this.#plan;
    const { entries, finished: from } = this.#lives.length === 0 ? NOTHING : await withJournal(this.#journal, progress);
    await this.#rewind(from);
    if (this.#aimed !== null && entries >= this.#aimed.seq) this.#over += 1;
    const kill = number < killsFrom ? null : (kills[this.#over] ?? null);
    this.#aimed = kill;
    const mayAnswer = number >= answersFrom;
    const time = { aheadMs: aheadMs(number), jumps };
    const place = { journal: this.#journal, restate };
    const job = { ...place, run: RUN, inputs: TEAM_INPUTS, ...team, kill, ...time };
    const answering: Promise<void>[] = [];
    const life = startLife(job, this.#home.folder, (told) => {
      listen?.(told, life, number, this.#home.folder);
      // A worker that finds a run waiting at its gate reports nothing, so the start of a life is checked too.
      if (mayAnswer && (told.told === "paused" || told.told === "driving")) answering.push(answerAll(this.#journal));
    });
    const end = await life.ended;
    await Promise.all(answering);
    this.#hear(from, number);
    return end;
  }

  /** Requests of a dead worker without an answer are repeated: the models start with the first of those. */
  async #rewind(from: number): Promise<void> {
    // Over HTTP, so that the requests of the dead worker have arrived before. A new scenario empties the script.
    const url = `${this.#chaos.url}/__chaos`;
    await (await fetch(url)).text();
    await (await fetch(`${url}/scenario`, { method: "POST", body: "{}" })).text();
    this.#chaos.script(this.#steps.slice(from));
  }

  #hear(from: number, life: number): void {
    const fresh = this.#chaos.received().slice(this.#heard);
    this.#heard += fresh.length;
    for (const [index, { body }] of fresh.entries()) {
      this.#asks.push({ step: from + index, life, body: plain(JSON.stringify(body), this.#home.folder) });
    }
  }
}

const NOTHING = { entries: 0, finished: 0 } as const;

/** How many entries there are, and how many requests have their answers among them. */
async function progress(journal: Journal): Promise<{ readonly entries: number; readonly finished: number }> {
  const entries = await entriesOf(journal);
  return { entries: entries.length, finished: finishedRequests(entries).length };
}

async function withJournal<T>(path: string, use: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await openJournal(path);
  try {
    return await use(journal);
  } finally {
    await journal.close();
  }
}

async function entriesOf(journal: Journal): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read(RUN)) entries.push(entry);
  return entries;
}

/** Plays the person: confirms every gate, through a journal connection of its own. */
async function answerAll(path: string): Promise<void> {
  await withJournal(path, async (journal) => {
    const { runs } = createWorkflows({ journal });
    for (const { key } of await journal.keptAll("question")) {
      await runs.answer(key, { status: "accepted", value: "confirm" }, "somebody");
    }
  });
}

async function lookAt(
  journal: Journal,
): Promise<Pick<Story, "entries" | "report" | "outputs" | "verified" | "left" | "holds">> {
  const report = await createWorkflows({ journal }).runs.show(RUN);
  const holds = (await journal.holds()).map(({ owner, key }) => `${owner} still holds ${key}`);
  const outputs = Object.fromEntries(
    (await journal.keptAll("result", `${RUN}/node`)).map(({ key, value }) => [key, value]),
  );
  const left = [
    ...(await journal.keptAll("wake")).map(({ key }) => `wake ${key}`),
    ...(await journal.keptAll("question")).map(({ key }) => `question ${key}`),
    ...(await journal.keptAll("answer")).map(({ key }) => `answer ${key}`),
  ];
  return { entries: await entriesOf(journal), report, outputs, verified: await journal.verify(), left, holds };
}

/** Which services it can call, and what it is doing for each run. */
async function knownAtRestate(restate: string | null): Promise<readonly string[]> {
  if (restate === null) return [];
  const [admin = ""] = readRestateAddress(restate).admin;
  const headers = { "content-type": "application/json", "accept": "application/json" };
  const rows = async (query: string): Promise<readonly string[]> => {
    const answer = await fetch(`${admin}/query`, { method: "POST", headers, body: JSON.stringify({ query }) });
    const { rows: found } = (await answer.json()) as { readonly rows: readonly unknown[] };
    return found.map((row) => `Restate: ${JSON.stringify(row)}`);
  };
  return [
    ...(await rows("select name, deployment_id from sys_service")),
    ...(await rows("select id, target, status, retry_count, last_failure from sys_invocation")),
  ];
}

function textsIn(folder: string, home: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map(({ parentPath, name }) => join(parentPath, name)).toSorted();
  return Object.fromEntries(paths.map((path) => [relative(folder, path), plain(readFileSync(path, "utf8"), home)]));
}

/** Removes values that differ in every run: the folder, ports, and the ids of model calls. */
function plain(text: string, folder: string): string {
  return text
    .replaceAll(folder, "<folder>")
    .replace(/127\.0\.0\.1:\d+/g, "<chaos>")
    .replace(/\b(?:call|toolu)_chaos\w+/g, "<call>");
}
