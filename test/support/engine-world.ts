// Runs of workflows written in TypeScript, with time that the test owns: in at the door, out at the journal. `nextLife` is what
// a process that is started again sees: the same journal, nothing else.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Chance } from "../../src/host/chance.ts";
import type { Worker } from "../../src/host/worker.ts";
import {
  createMemoryJournal,
  fault,
  type FaultCode,
  FaultError,
  type Journal,
  type JournalEvent,
  openJournal,
} from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";
import { defineWorkflow, type WorkflowOptions } from "../../src/workflow/define.ts";
import type { RunEnd } from "../../src/workflow/runs-api.ts";
import { createRuns, type WorkflowRuns } from "../../src/workflow/runs.ts";
import type { RunsOptions } from "../../src/workflow/runs-options.ts";
import type { ActTools, Workflow } from "../../src/workflow-model/stage.ts";
import { turnOf } from "../../src/core/flow/visit.ts";
import { freshJournalUrl } from "../postgres/shared-server.ts";
import { driven, TEST_SERVERS } from "./test-servers.ts";
import { createClockForFiles } from "../runtime/session/life.ts";

export type Store = "memory" | "sqlite" | "postgres";
export const STORES: readonly Store[] = ["memory", "sqlite", "postgres"];

export interface EngineWorld {
  readonly clock: FakeClock;
  readonly chance: Chance;
  readonly journal: Journal;
  readonly workflow: Workflow;
  readonly runs: WorkflowRuns;
  readonly start: (inputs?: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly advance: (run: string) => Promise<RunEnd>;
  /** Begun and advanced as far as it goes. */
  readonly go: (inputs?: Readonly<Record<string, unknown>>) => Promise<RunEnd>;
  readonly events: (run: string) => Promise<readonly JournalEvent[]>;
  /** Another process on the same journal: it knows `workflows`, this one when left out. */
  readonly nextLife: (over?: Partial<RunsOptions>) => WorkflowRuns;
}

export interface WorldOptions extends Partial<Omit<RunsOptions, "journal">> {
  readonly journal?: Journal;
  readonly store?: Store;
  readonly wrap?: (journal: Journal) => Journal;
}

let lives = 0;

/** No process is known to be dead, whatever its name. */
export function worker(name = `worker-${++lives}`): Worker {
  return { name, isGone: () => false };
}

export async function engineWorld(options: WorkflowOptions, over: WorldOptions = {}): Promise<EngineWorld> {
  const { store = defaultStore(), wrap = (journal) => journal, ...rest } = over;
  const clock = store === "memory" ? createFakeClock(1_000_000) : createClockForFiles(1_000_000);
  const seeded = createSeededChance(7);
  const chance: Chance = { roll: () => seeded.roll(), newId: (prefix) => seeded.newId(prefix) };
  const given = rest.journal ?? (await openStore(store, clock, chance));
  const journal = wrap(given);
  const workflow = defineWorkflow(options);
  const nextLife = (more: Partial<RunsOptions> = {}): WorkflowRuns =>
    createRuns({ workflows: [workflow], worker: worker(), ...rest, clock, chance, journal, ...more });
  const runs = nextLife();
  const start: EngineWorld["start"] = (inputs = {}) => clock.runUntil(runs.start(workflow, { inputs }));
  // Time in a world in memory does not wait for a server.
  const advance: EngineWorld["advance"] = (run) =>
    clock.runUntil(store === "memory" ? runs.advance(run) : driven(() => runs.advance(run)));
  return {
    clock,
    chance,
    journal,
    workflow,
    runs,
    start,
    advance,
    go: async (inputs) => advance(await start(inputs)),
    events: (run) => eventsIn(journal, run),
    nextLife,
  };
}

function defaultStore(): Store {
  if (TEST_SERVERS.postgres !== null) return "postgres";
  return TEST_SERVERS.isChosen ? "sqlite" : "memory";
}

async function openStore(store: Store, clock: FakeClock, chance: Chance): Promise<Journal> {
  if (store === "memory") return createMemoryJournal({ clock, chance });
  const journal = await openJournal(store === "sqlite" ? newFile() : await freshJournalUrl(), { clock, chance });
  onTestFinished(() => journal.close());
  return journal;
}

/** The file of a journal in a folder of its own, which is gone after the test. */
export function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-engine-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "runs.db");
}

export async function eventsIn(journal: Journal, run: string): Promise<readonly JournalEvent[]> {
  const events: JournalEvent[] = [];
  for await (const { event } of journal.read(run)) events.push(event);
  return events;
}

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { readonly type: Type }>;

export function only<Type extends JournalEvent["type"]>(
  events: readonly JournalEvent[],
  type: Type,
): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

/** `node#execution.attempt` of each, in order. */
export function places(
  events: readonly JournalEvent[],
  type: "node-started" | "node-completed" | "node-failed" | "node-skipped" | "node-paused",
): readonly string[] {
  return only(events, type).map(({ node, execution, attempt }) => `${node}#${execution}.${attempt}`);
}

/** Every phase that was entered, as `node#execution.attempt phase`: one entry may cover several. */
export function phasesIn(events: readonly JournalEvent[]): readonly string[] {
  return only(events, "stage-entered").flatMap(({ phase, passed = [], ...place }) =>
    [...passed, phase].map((one) => `${turnOf(place)} ${one}`),
  );
}

export function thrown(code: FaultCode, more: Parameters<typeof fault>[1] = {}): FaultError {
  return new FaultError(fault(code, { message: "as the test wants it", ...more }));
}

/** A gate with a yes and a no. */
export const APPROVE = { kind: "Approve", prompt: "go on?", tool: "", approvalKey: "" } as const;
export const YES = { status: "accepted", value: true } as const;

/** Never ends by itself. */
export function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}

/** Ends when the attempt is given up, and only then. */
export function untilGivenUp({ signal }: Pick<ActTools, "signal">): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** What it is refused with, time moved on until it is. */
export function refusal(clock: FakeClock, work: Promise<unknown>): Promise<{ code: FaultCode; message: string }> {
  const seen = work.then(
    () => {
      throw new Error("it was not refused");
    },
    (error: unknown) => {
      if (error instanceof FaultError) return { code: error.fault.code, message: error.fault.message };
      throw error;
    },
  );
  return clock.runUntil(seen);
}
