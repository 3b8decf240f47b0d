// Journals for the tests of `faultline journal`: real files, written by a small program through the public API, at known times.

import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../src/host/clock.ts";
import { PRESETS, withRows } from "../../src/core/index.ts";
import {
  createFaultline,
  fault,
  type FaultCode,
  FaultError,
  type Faultline,
  type FaultlineOptions,
  openJournal,
  type PolicyRow,
  step,
  tool,
  type TurnResult,
} from "../../src/index.ts";
import { createFakeClock } from "../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../src/testing/seeded-chance.ts";

/** A folder that the caller removes. */
export interface Folder {
  readonly path: string;
  file(name: string): string;
  /** A copy of a journal that is not open anywhere. */
  copy(file: string, name: string): string;
  remove(): void;
}

export function newFolder(): Folder {
  const path = mkdtempSync(join(tmpdir(), "faultline-cli-journal-"));
  const file = (name: string): string => join(path, name);
  return {
    path,
    file,
    copy(from, name) {
      copyFileSync(from, file(name));
      return file(name);
    },
    remove: () => rmSync(path, { recursive: true, force: true }),
  };
}

export const NOON = Date.UTC(2025, 0, 15, 12);
/** Later than any clock. */
export const FAR_AHEAD = Date.UTC(2999, 0, 1);

interface Life {
  readonly fl: Faultline;
  /** Advances time until the work has ended. */
  readonly run: <T>(work: Promise<T>) => Promise<T>;
  /** Waits within a tool. */
  readonly pass: (ms: number) => Promise<void>;
  /** Lets this much time pass, and leaves running work as a crash would. */
  readonly advance: (ms: number) => Promise<void>;
}

let lives = 0;

async function life(file: string, startAt: number, options: FaultlineOptions = {}): Promise<Life> {
  const clock = createFakeClock(startAt, untilFilesRest);
  const chance = createSeededChance(++lives);
  const named = { roll: () => chance.roll(), newId: (prefix: string) => chance.newId(`${prefix}${lives}`) };
  const journal = await openJournal(file, { clock, chance: named });
  return {
    fl: createFaultline({ clock, chance: named, ...options, journal }),
    run: (work) => clock.runUntil(work),
    pass: (ms) => new Promise((resolve) => void clock.after(ms, resolve)),
    advance: (ms) => clock.advance(ms),
  };
}

/** Between two timers, pending file writes are awaited. */
function untilFilesRest(next: () => void): void {
  const look = (): void => {
    if (process.getActiveResourcesInfo().some((kind) => FILE_WORK.has(kind))) systemClock.soon(look);
    else next();
  };
  systemClock.soon(look);
}

const FILE_WORK: ReadonlySet<string> = new Set(["FSReqPromise", "FSReqCallback", "CloseReq"]);

const SECRET = "sk-ant-api03-AAAABBBBCCCC";
/** Clears the screen in three ways, sets the title, writes backwards. */
const HOSTILE = "\u001b[2J\u009b2J\u001b]0;evil\u0007\u202e";
export const HIDDEN = [SECRET, "\u001b", "\u009b", "\u0007", "\u202e"];

/** Each takes a different time, so that their records have one order. */
function failing(id: string, code: FaultCode, message: string, wait: () => Promise<void>, more: object = {}) {
  return tool<object, string>({
    id,
    ...more,
    run: async () => {
      await wait();
      throw new FaultError(fault(code, { message }));
    },
  });
}

/** An ended session of one turn with many failures. */
export async function writeTrip(file: string, startAt = NOON, session = "trip-42"): Promise<void> {
  const { fl, run, pass } = await life(file, startAt);
  let asked = 0;
  const flights = tool<object, string>({
    id: "flight_search",
    idempotent: true,
    run: async (_input, { cost }) => {
      await pass(350);
      cost(750_000);
      if (++asked > 1) return "LIS 07:10";
      throw new FaultError(fault("RateLimited", { message: "Rate limit reached for gpt-5.5.", retryAfterMs: 20_000 }));
    },
  });
  const noForecast = `${HOSTILE}no forecast, key ${SECRET}`;
  const weather = failing("weather", "Unsupported", noForecast, () => pass(20), { default: "?" });
  const taxi = tool<object, string>({ id: "taxi", run: () => Promise.resolve("a car") });
  const book = tool<object, string>({ id: "book", timeoutMs: 1_000, run: () => new Promise(() => undefined) });
  const opened = await run(fl.session(session, { mode: "headless", labels: { user: "ada" } }));
  await run(
    opened.turn(
      {
        flights: step(flights, {}),
        hotels: step(
          failing("hotels", "NotFound", "no such city", () => pass(10)),
          {},
          { optional: true },
        ),
        taxi: step(taxi, {}, { needs: ["hotels"], optional: true }),
        weather: step(weather, {}),
        book: step(book, {}, { needs: ["flights"] }),
      },
      { id: "plan" },
    ),
  );
  await run(opened.turn({ taxi: step(taxi, {}) }, { id: "ride" }));
  await run(opened.end());
  await run(fl.close());
}

const ASK_FIRST: PolicyRow = {
  match: { code: ["RequestInvalid"] },
  retry: null,
  then: ["ask", "fail"],
  origin: { layer: "file", at: "test:1" },
};

/** A program that asks a person three questions over several lives. Returns how its turn ended. */
export async function runAsking(file: string, startAt = NOON): Promise<TurnResult> {
  const { fl, run, pass } = await life(file, startAt, {
    policy: withRows(PRESETS.default, [ASK_FIRST]),
    budget: { maxUsd: 0.01, onExceed: "pause_for_approval" },
  });
  const paid = tool<object, string>({
    id: "summarise",
    cost: { estimate: () => 800_000 },
    run: (_input, { cost }) => {
      cost(750_000);
      return Promise.resolve("a summary");
    },
  });
  const search = tool<{ query: string }, string>({
    id: "search",
    run: ({ query }) =>
      query === "cats"
        ? Promise.resolve("9 lives")
        : Promise.reject(new FaultError(fault("RequestInvalid", { message: "the query is empty" }))),
  });
  const session = await run(fl.session("report-3", { mode: "headless" }));
  const result = await run(
    session.turn(
      {
        first: step(paid, {}),
        second: step(paid, {}, { needs: ["first"] }),
        model: step(
          failing("model", "QuotaExhausted", "the quota is used up", () => pass(10)),
          {},
        ),
        search: step(search, { query: "" }),
      },
      { id: "summaries" },
    ),
  );
  await run(fl.close());
  return result;
}

/** Stopped in the middle of a call, then resumed a day later by a second life, which finishes. */
export async function writeInterrupted(file: string): Promise<void> {
  const first = await life(file, NOON);
  void (await beginOrder(first, () => new Promise(() => undefined))).turn;
  await first.advance(1_000);

  const second = await life(file, NOON + 86_400_000);
  const { session, turn } = await beginOrder(second, () => Promise.resolve("shipped"));
  await second.run(turn);
  await second.run(session.end());
  await second.run(second.fl.close());
  await first.run(first.fl.close());
}

async function beginOrder({ fl, run }: Life, work: () => Promise<string>) {
  const ship = tool<object, string>({ id: "ship", idempotent: true, run: work });
  const session = await run(fl.session("order-7"));
  return { session, turn: session.turn({ ship: step(ship, {}) }, { id: "t1" }) };
}

/** How many entries each session has, according to the journal. */
export async function entryCounts(file: string): Promise<Readonly<Record<string, number>>> {
  const journal = await openJournal(file);
  const sessions = await journal.sessions();
  await journal.close();
  return Object.fromEntries(sessions.map(({ session, lastSeq }) => [session, lastSeq]));
}

/** Changes a file without the journal's knowledge. */
export function tamper(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}
