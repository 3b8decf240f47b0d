// `npm run bench:replay`: how fast the decisions of a journal are replayed under another policy, beside the floor of just reading and
// decoding the same entries. `--quick` takes a tenth of the decisions.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import {
  createMemoryJournal,
  fault,
  FaultError,
  createFaultline,
  type Journal,
  type NewEntry,
  openJournal,
  step,
  tool,
} from "../src/index.ts";
import { DEFAULT_POLICY, PRESETS } from "../src/core/index.ts";
import { replayPolicy } from "../src/journal/replay-policy.ts";
import { createFakeClock } from "../src/testing/fake-clock.ts";
import { createSeededChance } from "../src/testing/seeded-chance.ts";
import { print } from "./measure.ts";

const quick = process.argv.includes("--quick");
const DECISIONS = quick ? 10_000 : 100_000;
/** Each call fails four times, then succeeds. */
const FAILURES_PER_CALL = 4;
const CALLS_PER_SESSION = 50;
const PAGE = 1_000;
const STARTED_AT = 1_700_000_000_000;
const LAST_TENTH_AT = STARTED_AT + (0.9 * DECISIONS * 3_600_000) / FAILURES_PER_CALL / CALLS_PER_SESSION;

/** A session as a runtime writes it. */
async function sessionOf(seed: number): Promise<readonly NewEntry[]> {
  const clock = createFakeClock(STARTED_AT);
  const chance = createSeededChance(seed);
  const journal = createMemoryJournal({ clock, chance });
  const fl = createFaultline({ journal, clock, chance });
  const session = await clock.runUntil(fl.session("a"));
  for (let call = 0; call < CALLS_PER_SESSION; call++) {
    let tries = 0;
    const busy = tool({
      id: `tool-${call % 20}`,
      idempotent: true,
      run: () => {
        if (++tries > FAILURES_PER_CALL) return tries;
        throw new FaultError(fault("ResourceBusy", { message: "the index is being rebuilt; try again later" }));
      },
    });
    await clock.runUntil(session.turn({ busy: step(busy, { query: "where is my order" }) }));
  }
  await clock.runUntil(session.end());
  const entries: NewEntry[] = [];
  for await (const { at, event } of journal.read("a")) entries.push({ at, event });
  return entries;
}

/** The same few sessions again and again, an hour apart. */
async function fill(journal: Journal): Promise<void> {
  const kinds = await Promise.all([1, 2, 3].map(sessionOf));
  const sessions = DECISIONS / FAILURES_PER_CALL / CALLS_PER_SESSION;
  for (let number = 0; number < sessions; number++) {
    const laterMs = number * 3_600_000;
    const entries = kinds[number % kinds.length] ?? [];
    await journal.append(
      `session-${number}`,
      0,
      entries.map(({ at, event }) => ({ at: at + laterMs, event })),
    );
  }
}

interface Timing {
  readonly wallMs: number;
  readonly cpuMs: number;
}

async function timed(work: () => Promise<unknown>): Promise<Timing> {
  const [startedAt, cpu] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: performance.now() - startedAt, cpuMs: (user + system) / 1000 };
}

async function readAll(journal: Journal): Promise<number> {
  let [position, read] = [0, 0];
  for (;;) {
    const page = await journal.readFrom(position, { limit: PAGE });
    read += page.length;
    position = page.at(-1)?.position ?? position;
    if (page.length < PAGE) return read;
  }
}

const folder = mkdtempSync(join(tmpdir(), "faultline-bench-replay-"));
try {
  const path = join(folder, "agent.db");
  const writer = await openJournal(path);
  const filling = await timed(() => fill(writer));
  await writer.close();
  const journal = await openJournal(path, { readOnly: true });
  const entries = await readAll(journal);
  print(
    `${DECISIONS.toLocaleString("en")} decisions in ${entries.toLocaleString("en")} entries (written in ${(filling.wallMs / 1000).toFixed(1)} s)`,
  );
  let decisions = 0;
  const subjects = [
    ["floor: read and decode", async () => readAll(journal)],
    ["replay, same policy", async () => (decisions = (await replayPolicy(journal, DEFAULT_POLICY)).decisions)],
    ["replay, last tenth", async () => replayPolicy(journal, DEFAULT_POLICY, { sinceAt: LAST_TENTH_AT })],
    ["replay, all changed", async () => (decisions = (await replayPolicy(journal, PRESETS.cautious)).decisions)],
  ] as const;
  for (const [name, work] of subjects) {
    const { wallMs, cpuMs } = await timed(work);
    const rate = Math.round(DECISIONS / (wallMs / 1000)).toLocaleString("en");
    print(
      `  ${name.padEnd(24)} ${(wallMs / 1000).toFixed(2).padStart(6)} s  (CPU ${(cpuMs / 1000).toFixed(2)} s)  ${rate.padStart(9)} decisions/s`,
    );
  }
  if (decisions !== DECISIONS) throw new Error(`the journal holds ${decisions} decisions, not ${DECISIONS}`);
  await journal.close();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
