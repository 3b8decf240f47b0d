// Kills `faultline serve` with SIGKILL under load, again and again, and starts it again on the same journal and port. Holds these:
// K1  Every decision and outcome that the server acknowledged is in the journal, with the acknowledged content.
// K2  An attempt of a call is decided about once, however often it is reported.
// K3  Every reader of the event stream sees every position once and in order, through all restarts.
// K4  Open questions and open breakers are there after a restart.
// Everything that can be chosen comes from the seed; what exactly a kill cuts off is up to the machine.

import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Client, createClient } from "../../../src/client/index.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { type Entry, type Journal, openJournal } from "../../../src/index.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { runCli } from "../../support/run-cli.ts";
import { compare, entriesOf, lastFor } from "./check-journal.ts";
import { type Acknowledged, runExecutor, send, type Wire } from "./executor.ts";
import { type Follower, follow } from "./follower.ts";
import { journalIn } from "../../support/journal-in.ts";
import { freePorts } from "../../support/free-ports.ts";
import { type ServeProcess, startServe, startWorker } from "./serve-process.ts";

export interface KillOptions {
  readonly kills: number;
  readonly seed: number;
  /** An empty folder; everything is left in it. */
  readonly folder: string;
  readonly executors: number;
  /** The address of the PostgreSQL server that has the journal; null: a file in the folder. */
  readonly postgres: string | null;
  /** The address of the Restate server that drives runs; a worker is killed with the server. null: the server advances them itself. */
  readonly restate: string | null;
  readonly tell: (line: string) => void;
}

export interface KillReport {
  readonly problems: string[];
  readonly counts: Readonly<Record<string, number>>;
}

const [MIN_ACKNOWLEDGED, MAX_ACKNOWLEDGED] = [20, 150];
const MAX_PROBLEMS = 50;

export async function runKills(options: KillOptions): Promise<KillReport> {
  const journal = journalIn(options.postgres, options.folder);
  const campaign = new Campaign(options, journal, await makeJournal(options.folder, journal));
  await campaign.run();
  return { problems: campaign.problems, counts: campaign.counts };
}

/** Runs that ask a person. The first servers bring them to their question. */
const GATES = ["gate-1", "gate-2", "gate-3"];
const GATE = `faultline: 1
workflow: { id: gate, version: "1" }
nodes:
  ask: { type: human_gate, prompt: "Ship it?" }
`;

/** Makes the journal with its runs, so that readers can start at its first entry. */
async function makeJournal(folder: string, path: string): Promise<string> {
  const file = join(folder, "gate.faultline.yaml");
  writeFileSync(file, GATE);
  for (const run of GATES) {
    const { exit, stderr } = await runCli(["workflow", "run", file, "--detach", "--run", run, "--journal", path], {
      isHere: true,
    });
    if (exit !== "ok") throw new Error(`${run} did not start: ${stderr}`);
  }
  const journal = await openJournal(path);
  const { storeId } = journal;
  await journal.close();
  return storeId;
}

class Campaign {
  readonly problems: string[] = [];
  readonly counts: Record<string, number> = {};
  readonly #options: KillOptions;
  readonly #storeId: string;
  readonly #journal: string;
  readonly #acknowledged: Acknowledged[] = [];
  /** Open questions that the server has shown. */
  readonly #questions = new Set<string>();
  #up = Promise.withResolvers<string>();
  #isOver = false;
  #target = Promise.withResolvers<undefined>();
  #left = Infinity;

  constructor(options: KillOptions, journal: string, storeId: string) {
    this.#options = options;
    this.#storeId = storeId;
    this.#journal = journal;
  }

  async run(): Promise<void> {
    const { kills, seed, executors } = this.#options;
    const chance = createSeededChance(seed);
    const [workerPort = 0] = await freePorts(1);
    let server = await this.#start(0, workerPort);
    const wire = this.#wire(readFileSync(resolve(this.#options.folder, server.tokenFile), "utf8").trim());
    const stop = new AbortController();
    const client = createClient({ baseUrl: server.url, token: wire.token });
    const followers = FOLLOWED.map((types) => follow(client, this.#storeId, types, stop.signal, wire.blame));
    const working = Array.from({ length: executors }, (_, index) =>
      runExecutor(wire, `exec-${index}`, createSeededChance(seed * 1_000 + index)),
    );
    for (let life = 1; life <= kills && this.problems.length < MAX_PROBLEMS; life++) {
      server = await this.#live(server, life, wire, followers, chance.roll(), workerPort);
    }
    this.#up.resolve(server.url);
    this.#isOver = true;
    await Promise.all(working);
    await this.#finish(server, followers);
    stop.abort();
  }

  /** The server, and with Restate a worker, which dies with it. */
  async #start(port: number, workerPort: number): Promise<ServeProcess> {
    const { folder, restate } = this.#options;
    if (restate === null) return startServe(this.#journal, port, [], folder);
    const [server, worker] = await Promise.all([
      startServe(this.#journal, port, ["--driver", restate], folder),
      startWorker(this.#journal, restate, workerPort),
    ]);
    const end: ServeProcess["end"] = async (signal) => {
      const [ended] = await Promise.all([server.end(signal), worker.end(signal)]);
      return ended;
    };
    return { ...server, end };
  }

  /** One life of the server, from its start to its successor's. */
  async #live(
    server: ServeProcess,
    life: number,
    wire: Wire,
    followers: readonly Follower[],
    roll: number,
    workerPort: number,
  ): Promise<ServeProcess> {
    this.#left = MIN_ACKNOWLEDGED + Math.floor(roll * (MAX_ACKNOWLEDGED - MIN_ACKNOWLEDGED));
    this.#target = Promise.withResolvers<undefined>();
    const seen = followers.map((follower) => follower.next());
    this.#up.resolve(server.url);
    const client = createClient({ baseUrl: server.url, token: wire.token });
    const broken = await openBreaker(wire, life);
    await Promise.all([this.#target.promise, ...seen]);
    for (const id of await questionsOf(client)) this.#questions.add(id);
    this.#up = Promise.withResolvers<string>();
    await server.end("SIGKILL");
    this.#count("kills");
    const next = await this.#start(server.port, workerPort);
    await this.#lookAfter(client, wire, broken);
    this.#options.tell(`life ${life}: ${this.#acknowledged.length} requests acknowledged so far`);
    return next;
  }

  /** The state that must survive. The executors have not begun again: they wait for the address. */
  async #lookAfter(client: Client, { blame }: Wire, broken: string): Promise<void> {
    const found = await questionsOf(client);
    for (const id of this.#questions) {
      if (found.includes(id)) this.#count("questions found after a restart");
      else blame(`question ${id} is gone after a restart`);
    }
    const { breaker } = await client.showFailure({ params: { id: broken } });
    if (breaker === "open") this.#count("open breakers found after a restart");
    else blame(`${broken}: its breaker is ${breaker} after a restart`);
  }

  async #finish(server: ServeProcess, followers: readonly Follower[]): Promise<void> {
    const journal = await openJournal(this.#journal);
    await allAsked(journal);
    const entries = await entriesOf(journal);
    await journal.close();
    await Promise.all(followers.map((follower) => follower.upTo(lastFor(follower, entries))));
    const { exitCode } = await server.end("SIGTERM");
    if (exitCode !== 0) this.#blame(`SIGTERM ended the server with ${exitCode}`);
    const found = compare(entries, this.#acknowledged, followers);
    for (const problem of found.problems) this.#blame(problem);
    Object.assign(this.counts, found.counts);
    const asked = entries.filter(({ entry }) => entry.event.type === "question-asked");
    if (asked.length !== GATES.length) this.#blame(`${GATES.length} runs asked ${asked.length} questions`);
    const { exit, stderr } = await runCli(["journal", "verify", this.#journal]);
    if (exit !== "ok") this.#blame(`journal verify: ${exit}: ${stderr}`);
  }

  #wire(token: string): Wire {
    return {
      token,
      up: () => this.#up.promise,
      isOver: () => this.#isOver,
      told: (acknowledged) => {
        this.#acknowledged.push(acknowledged);
        this.#count(`${acknowledged.what}s acknowledged`);
        if (--this.#left <= 0) this.#target.resolve(undefined);
      },
      blame: (problem) => this.#blame(problem),
      count: (what) => this.#count(`requests ${what}`),
    };
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  #blame(problem: string): void {
    this.problems.push(`[seed ${this.#options.seed}] ${problem}`);
    // A campaign that cannot go on must end.
    if (this.problems.length >= MAX_PROBLEMS) this.#target.resolve(undefined);
  }
}

/** A driver brings a run to its question soon after a restart; how soon is not what this campaign is about. */
const ASKED_WITHIN_MS = 60_000;

/** Resolves when every run has asked its question, or has had time enough for it. */
async function allAsked(journal: Journal): Promise<void> {
  const over = Promise.withResolvers<undefined>();
  const disarm = systemClock.after(ASKED_WITHIN_MS, () => over.resolve(undefined));
  let asked = 0;
  const count = ({ event }: Entry): void => {
    if (event.type === "question-asked" && ++asked === GATES.length) over.resolve(undefined);
  };
  const unsubscribe = journal.subscribe(count, { position: 0 });
  await over.promise;
  disarm();
  unsubscribe();
}

async function questionsOf(client: Client): Promise<readonly string[]> {
  return (await client.listQuestions()).items.map(({ id }) => id);
}

/** What the readers of the stream ask for: everything, twice; and only decisions. */
const FOLLOWED: readonly (readonly string[] | null)[] = [null, null, ["call-failed"]];

const ENOUGH_FAILURES = 50;

/** Reports failures of a target of its own until its breaker opens. Returns the last call. */
async function openBreaker(wire: Wire, life: number): Promise<string> {
  const tool = `dead-${life}`;
  for (let call = 1; call <= ENOUGH_FAILURES; call++) {
    const body = { tool, code: "ToolUnavailable", session: tool, call: `c${call}`, attempt: 1, retry: "none" };
    const answer = await send(wire, "/v1/failures", body, null);
    if (answer === null) break;
    wire.told({ what: "decision", tool, attempt: 1, answer });
    if (answer.breaker === "open") return answer.id;
  }
  wire.blame(`the breaker of ${tool} did not open`);
  return "";
}
