// Lives of a program for tests of sessions: a runtime on a journal, with a clock that the test controls. The next life opens the
// same file, like a restarted process.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import {
  createFaultline,
  type Entry,
  fault,
  type FaultCode,
  FaultError,
  type Faultline,
  type FaultlineOptions,
  type Journal,
  type JournalEvent,
  openJournal,
} from "../../../src/index.ts";
import { journalOf } from "../../../src/runtime/options.ts";
import { createFakeClock, type FakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { createQuietCheck } from "../../postgres/under-way.ts";

export interface Life {
  readonly fl: Faultline;
  readonly clock: FakeClock;
  readonly journal: Journal;
}

export interface LifeOptions extends FaultlineOptions {
  readonly startAt?: number;
}

const STARTED_AT = 1_000_000;
let lives = 0;

/** A life in memory, unless it is given a journal. */
export function life(options: LifeOptions = {}): Life {
  const { startAt = STARTED_AT, ...rest } = options;
  const clock = options.journal === undefined ? createFakeClock(startAt) : createClockForFiles(startAt);
  const chance = createSeededChance(++lives);
  const journal = journalOf(options.journal, { clock, chance });
  return { clock, journal, fl: createFaultline({ clock, chance, ...rest, journal }) };
}

/** A life on a journal file: the next one if there was one before. `wrap` puts something between the runtime and the file. */
export async function lifeOn(
  path: string,
  options: LifeOptions = {},
  wrap: (journal: Journal) => Journal = (journal) => journal,
): Promise<Life> {
  const { startAt = STARTED_AT, ...rest } = options;
  const clock = createClockForFiles(startAt);
  const chance = createSeededChance(++lives);
  // Question ids must differ from those of an earlier life.
  const named = { roll: () => chance.roll(), newId: (prefix: string) => chance.newId(`${prefix}${lives}`) };
  const journal = wrap(await openJournal(path, { clock, chance: named }));
  return { clock, journal, fl: createFaultline({ clock, chance: named, ...rest, journal }) };
}

/** A journal file in its own temporary folder, deleted after the test. */
export function newPath(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-session-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "agent.db");
}

/** Also waits for file I/O, and for answers of a database, between two timers. */
export function createClockForFiles(startAt: number): FakeClock {
  return createFakeClock(startAt, (next) => {
    const isQuiet = createQuietCheck();
    const look = (): void => {
      if (!isQuiet() || process.getActiveResourcesInfo().some((kind) => FILE_WORK.has(kind))) systemClock.soon(look);
      else next();
    };
    systemClock.soon(look);
  });
}

const FILE_WORK: ReadonlySet<string> = new Set(["FSReqPromise", "FSReqCallback", "CloseReq"]);

export async function entriesOf(journal: Journal, session: string): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read(session)) entries.push(entry);
  return entries;
}

export async function eventsOf(journal: Journal, session: string): Promise<readonly JournalEvent[]> {
  return (await entriesOf(journal, session)).map(({ event }) => event);
}

type EventOf<Type extends JournalEvent["type"]> = Extract<JournalEvent, { readonly type: Type }>;

export function only<Type extends JournalEvent["type"]>(
  events: readonly JournalEvent[],
  type: Type,
): readonly EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}

export function thrown(code: FaultCode, message = "as the test wants it"): FaultError {
  return new FaultError(fault(code, { message }));
}

/** For tools: fails. */
export function fails(code: FaultCode, message?: string): () => never {
  return () => {
    throw thrown(code, message);
  };
}

export function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
