// The durable journal beside the least that a durable insert can cost: a bare node:sqlite loop with the same pragmas.
// Wall time, because waiting for the disk is what an event costs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import type { JournalEvent } from "../../src/core/record/event.ts";
import { print } from "../measure.ts";
import { median } from "./median.ts";
import type { Scale } from "./scale.ts";
import { FAULTLINE_JOURNAL, FAULTLINE_RESUME } from "./subjects.ts";
import { printAligned } from "./table.ts";

const WRITERS = 64;
const BODY_BYTES = 500;

export async function journalSpeed({ rounds, events }: Scale): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  try {
    const bare = bareWriter(join(folder, "bare.db"));
    const ours = FAULTLINE_JOURNAL.missing === null ? await faultlineWriter(join(folder, "faultline.db")) : null;
    print(`\n5. Journal: events on disk a second, ${BODY_BYTES} bytes each (WAL, synchronous=FULL, in ${tmpdir()})`);
    await comparePlaces("one at a time", rounds, Math.ceil(events / 4), bare.oneByOne, ours?.oneByOne);
    await comparePlaces(`${WRITERS} writers`, rounds, events, bare.together, ours?.together);
    bare.close();
    await ours?.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Write = (events: number) => Promise<void> | void;

async function comparePlaces(
  title: string,
  rounds: number,
  events: number,
  bare: Write,
  ours: Write | undefined,
): Promise<void> {
  const spent = { bare: newSpent(), ours: newSpent() };
  for (let round = -1; round < rounds; round++) {
    for (const [write, into] of [
      [bare, spent.bare],
      [ours, spent.ours],
    ] as const) {
      if (write === undefined) continue;
      const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
      await write(events);
      const { user, system } = process.cpuUsage(cpu);
      if (round < 0) continue;
      into.wallMs.push(performance.now() - startedAt);
      into.cpuMicros.push((user + system) / events);
    }
  }
  const perSecond = (of: Spent): number => events / (median(of.wallMs) / 1000);
  const cells = (of: Spent): string[] =>
    of.wallMs.length === 0
      ? ["–", "", ""]
      : [
          Math.round(perSecond(of)).toLocaleString("en"),
          `${((perSecond(of) / perSecond(spent.bare)) * 100).toFixed(0)} %`,
          median(of.cpuMicros).toFixed(1),
        ];
  printAligned(
    [title, "events a second", "of bare", "CPU µs an event", ""],
    [
      ["faultline journal", ...cells(spent.ours), FAULTLINE_JOURNAL.missing ?? ""],
      ["bare node:sqlite", ...cells(spent.bare), ""],
    ],
  );
}

interface Spent {
  readonly wallMs: number[];
  readonly cpuMicros: number[];
}
const newSpent = (): Spent => ({ wallMs: [], cpuMicros: [] });

function bareWriter(path: string): { oneByOne: Write; together: Write; close: () => void } {
  const db = openBare(path);
  const insert = db.prepare("INSERT INTO entry (session, seq, at, body) VALUES (?, ?, ?, ?)");
  const body = "x".repeat(BODY_BYTES);
  let seq = 0;
  return {
    oneByOne(events) {
      for (let i = 0; i < events; i++) insert.run("one", ++seq, 0, body);
    },
    async together(events) {
      for (let written = 0; written < events; written += WRITERS) {
        seq++;
        db.exec("BEGIN IMMEDIATE");
        for (let writer = 0; writer < WRITERS; writer++) insert.run(`writer-${writer}`, seq, 0, body);
        db.exec("COMMIT");
        await turn();
      }
    },
    close: () => db.close(),
  };
}

function openBare(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE entry (session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (session, seq))`);
  return db;
}

async function faultlineWriter(
  path: string,
): Promise<{ oneByOne: Write; together: Write; close: () => Promise<void> }> {
  const journal = await FAULTLINE_JOURNAL.open(path);
  const event = eventOfSize(BODY_BYTES);
  const lastSeq = new Map<string, number>();
  const write = async (session: string, events: number): Promise<void> => {
    const after = lastSeq.get(session) ?? 0;
    for (let i = 0; i < events; i++) await journal.append(session, after + i, [{ at: 0, event }]);
    lastSeq.set(session, after + events);
  };
  return {
    oneByOne: (events) => write("one", events),
    together: async (events) => {
      const each = Math.ceil(events / WRITERS);
      await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(`writer-${writer}`, each)));
    },
    close: () => journal.close(),
  };
}

function eventOfSize(bytes: number): JournalEvent {
  const event = (output: string): JournalEvent => ({
    type: "call-succeeded",
    call: "call-1",
    tool: "t",
    attempt: 1,
    durationMs: 12,
    cost: null,
    errors: [],
    output,
  });
  return event("x".repeat(bytes - JSON.stringify(event("")).length));
}

export async function resumeSpeed({ rounds, eventsToResume }: Scale): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  try {
    print(`\n6. Taking up a session of ${eventsToResume.toLocaleString("en")} events`);
    const rows = [["faultline resume", "–", "", "FAULTLINE_RESUME in bench/runtime/subjects.ts is not there yet"]];
    const barePath = join(folder, "bare.db");
    prepareBare(barePath, eventsToResume);
    const oursPath = join(folder, "faultline.db");
    await FAULTLINE_RESUME?.prepare(oursPath, "long", eventsToResume);
    const bareMs: number[] = [];
    const oursMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      bareMs.push(await timed(() => Promise.resolve(readBare(barePath)), eventsToResume));
      if (FAULTLINE_RESUME !== null) {
        const { resume } = FAULTLINE_RESUME;
        oursMs.push(await timed(() => resume(oursPath, "long"), eventsToResume));
      }
    }
    if (oursMs.length > 0) {
      rows[0] = ["faultline resume", median(oursMs).toFixed(0), (median(oursMs) / median(bareMs)).toFixed(2), ""];
    }
    rows.push(["bare: read and JSON.parse all", median(bareMs).toFixed(0), "1.00", ""]);
    printAligned(["", "ms", "of bare", ""], rows);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function timed(work: () => Promise<number>, expected: number): Promise<number> {
  const startedAt = performance.now();
  const events = await work();
  if (events !== expected) throw new Error(`${events} events were taken up instead of ${expected}`);
  return performance.now() - startedAt;
}

function prepareBare(path: string, events: number): void {
  const db = openBare(path);
  const insert = db.prepare("INSERT INTO entry (session, seq, at, body) VALUES (?, ?, ?, ?)");
  const body = JSON.stringify(eventOfSize(BODY_BYTES));
  db.exec("BEGIN");
  for (let seq = 1; seq <= events; seq++) insert.run("long", seq, 0, body);
  db.exec("COMMIT");
  db.close();
}

function readBare(path: string): number {
  const db = new DatabaseSync(path, { readOnly: true });
  let events = 0;
  const rows = db.prepare("SELECT seq, at, body FROM entry WHERE session = ? ORDER BY seq").iterate("long");
  for (const row of rows) {
    const event = JSON.parse(String(row["body"])) as JournalEvent;
    if (event.type === "call-succeeded") events++;
  }
  db.close();
  return events;
}
