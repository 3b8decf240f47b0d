// The durable journal beside the least that a durable insert can cost.
// Wall time, because waiting for the disk is what an event costs.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { print } from "../measure.ts";
import { BareSqlite } from "./bare-sqlite.ts";
import { median } from "./median.ts";
import type { Scale } from "./scale.ts";
import { callSucceeded, EVENT_BYTES, longSession } from "./session-events.ts";
import { openFaultlineJournal, resumeWithFaultline } from "./subjects.ts";
import { printAligned } from "./table.ts";

const WRITERS = 64;

export async function journalSpeed({ rounds, events }: Scale): Promise<void> {
  await inFolder(async (folder) => {
    const bare = bareWriter(join(folder, "bare.db"));
    const ours = await faultlineWriter(join(folder, "faultline.db"));
    print(`\n5. Journal: events on disk a second, ${EVENT_BYTES} bytes each (WAL, synchronous=FULL, in ${tmpdir()})`);
    await compare("one at a time", rounds, Math.ceil(events / 4), ours.oneByOne, bare.oneByOne);
    await compare(`${WRITERS} writers`, rounds, events, ours.together, bare.together);
    await bare.close();
    await ours.close();
  });
}

export async function resumeSpeed({ rounds, eventsToResume }: Scale): Promise<void> {
  await inFolder(async (folder) => {
    print(
      `\n6. Taking up a session of ${eventsToResume.toLocaleString("en")} events, folded from the first to the last`,
    );
    const session = "long";
    const oursPath = join(folder, "faultline.db");
    const journal = await openFaultlineJournal(oursPath);
    const events = longSession(session, journal.storeId, eventsToResume);
    await journal.append(
      session,
      0,
      events.map((event) => ({ at: 0, event })),
    );
    await journal.close();
    const bare = new BareSqlite(join(folder, "bare.db"));
    bare.together(() => events.forEach((event, index) => bare.insert(session, index + 1, JSON.stringify(event))));

    const oursMs: number[] = [];
    const bareMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      oursMs.push(await timed(() => resumeWithFaultline(oursPath, session), eventsToResume));
      bareMs.push(await timed(() => Promise.resolve(bare.readAll(session)), eventsToResume));
    }
    bare.close();
    const row = (name: string, ms: readonly number[]): string[] => [
      name,
      median(ms).toFixed(0),
      `${(median(ms) / median(bareMs)).toFixed(2)}×`,
      "",
    ];
    printAligned(
      ["", "ms", "of bare", ""],
      [row("faultline: open, fold, go on", oursMs), row("bare node:sqlite: read and JSON.parse", bareMs)],
    );
  });
}

async function timed(work: () => Promise<number>, atLeast: number): Promise<number> {
  const startedAt = performance.now();
  const events = await work();
  if (events < atLeast) throw new Error(`${events} events were taken up instead of ${atLeast}`);
  return performance.now() - startedAt;
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Writer {
  readonly oneByOne: (events: number) => Promise<void>;
  readonly together: (events: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

function bareWriter(path: string): Writer {
  const bare = new BareSqlite(path);
  const body = JSON.stringify(callSucceeded("call-1"));
  let seq = 0;
  return {
    oneByOne(events) {
      for (let i = 0; i < events; i++) bare.insert("one", ++seq, body);
      return Promise.resolve();
    },
    async together(events) {
      for (let written = 0; written < events; written += WRITERS) {
        seq++;
        bare.together(() => {
          for (let writer = 0; writer < WRITERS; writer++) bare.insert(`writer-${writer}`, seq, body);
        });
        await turn();
      }
    },
    close() {
      bare.close();
      return Promise.resolve();
    },
  };
}

async function faultlineWriter(path: string): Promise<Writer> {
  const journal = await openFaultlineJournal(path);
  const event = callSucceeded("call-1");
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

async function compare(
  title: string,
  rounds: number,
  events: number,
  ours: Writer["oneByOne"],
  bare: Writer["oneByOne"],
): Promise<void> {
  const rows = [
    { name: "faultline journal", write: ours, wallMs: [] as number[], cpuMicros: [] as number[] },
    { name: "bare node:sqlite", write: bare, wallMs: [] as number[], cpuMicros: [] as number[] },
  ];
  for (let round = -1; round < rounds; round++) {
    for (const { write, wallMs, cpuMicros } of rows) {
      const startedAt = performance.now();
      const cpu = process.cpuUsage();
      await write(events);
      const { user, system } = process.cpuUsage(cpu);
      if (round < 0) continue;
      wallMs.push(performance.now() - startedAt);
      cpuMicros.push((user + system) / events);
    }
  }
  const perSecond = rows.map(({ wallMs }) => events / (median(wallMs) / 1000));
  const barePerSecond = perSecond[1] ?? NaN;
  printAligned(
    [title, "events a second", "of bare", "CPU µs an event", ""],
    rows.map(({ name, cpuMicros }, index) => [
      name,
      Math.round(perSecond[index] ?? NaN).toLocaleString("en"),
      `${(((perSecond[index] ?? NaN) / barePerSecond) * 100).toFixed(0)} %`,
      median(cpuMicros).toFixed(1),
      "",
    ]),
  );
}
