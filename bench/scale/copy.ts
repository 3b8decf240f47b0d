// `faultline journal copy` of a large journal, both ways, in a process of its own: time, the most memory it took with a heap of at most
// 48 MB, and the same when it is killed
// half-way and called again. Memory may not grow with the journal.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { isFaultError, type Keep, type NewEntry, openJournal } from "../../src/index.ts";
import { startPostgres } from "../../test/postgres/server.ts";
import { print } from "../measure.ts";
import { printAligned } from "../runtime/table.ts";

const MAIN = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
const PER_SESSION = 50;
const TEXT = "x".repeat(400);
const LOOK_MS = 50;
/** Small, so that the collector works and the peak tells what is needed, not what was left lying about. */
const HEAP = "--max-old-space-size=48";

interface Copied {
  readonly seconds: number;
  readonly peakMegabytes: number;
  readonly wasKilled: boolean;
}

export async function copyBothWays(entries: number): Promise<void> {
  const shown = (value: number): string => Math.round(value).toLocaleString("en");
  print(`\n9. faultline journal copy of ${shown(entries)} entries, and of a tenth of them`);
  const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
  const server = await startPostgres();
  const rows: string[][] = [];
  for (const count of [entries / 10, entries]) {
    const source = join(folder, `from-${count}.db`);
    const [there, back] = [`${server.url}?schema=copy_${count}`, join(folder, `back-${count}.db`)];
    await fill(source, count);
    const cut = await copy(source, `${there}_cut`, count / 2);
    const resumed = await copy(source, `${there}_cut`);
    for (const [name, { seconds, peakMegabytes }] of Object.entries({
      "SQLite to PostgreSQL": await copy(source, there),
      "PostgreSQL to SQLite": await copy(there, back),
      "killed half-way": cut,
      "called again": resumed,
    }))
      rows.push([`${shown(count)}, ${name}`, seconds.toFixed(1), shown(peakMegabytes), ""]);
    for (const place of [there, `${there}_cut`, back]) await refuseDifferent(place, count);
    if (!cut.wasKilled) throw new Error("the copy was over before it could be killed: take more entries");
  }
  printAligned(["", "seconds", "peak memory, MB", ""], rows);
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
}

/** The command verifies a copy itself; here it is counted once more. */
async function refuseDifferent(place: string, entries: number): Promise<void> {
  const journal = await openJournal(place, { readOnly: true });
  const verified = await journal.verify();
  await journal.close();
  if (verified.entries !== entries || verified.firstBad !== null)
    throw new Error(`a copy of ${entries} entries has ${verified.entries}`);
}

async function fill(place: string, entries: number): Promise<void> {
  const journal = await openJournal(place);
  const entry = (at: number): NewEntry => ({ at, event: { type: "extension-started", name: TEXT } });
  for (let session = 0; session < entries / PER_SESSION; session++) {
    const name = `session-${session}`;
    const keeps: readonly Keep[] = [{ kind: "result", key: `${name}/1`, value: TEXT }];
    await journal.append(
      name,
      0,
      Array.from({ length: PER_SESSION }, (_, index) => entry(index)),
      keeps,
    );
  }
  await journal.close();
}

/** `killAt`: ends the copy with SIGKILL when the target has so many entries. */
async function copy(from: string, to: string, killAt = Infinity): Promise<Copied> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [HEAP, MAIN, "journal", "copy", from, to, "--json"], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NODE_NO_WARNINGS: "1" },
  });
  const ended = once(child, "exit");
  const watched = watch(child, to, killAt);
  const [status, signal] = (await ended) as [number | null, string | null];
  if (status !== 0 && signal !== "SIGKILL") throw new Error(`the copy ended with ${status}`);
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, peakMegabytes: await watched, wasKilled: signal === "SIGKILL" };
}

/** Returns the most memory of its own that the process had, in megabytes: without the pages of the file that the system maps and can take back. */
async function watch(child: ChildProcess, to: string, killAt: number): Promise<number> {
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, memoryOf(child.pid ?? 0));
    if (killAt < Infinity && (await entriesIn(to)) >= killAt) child.kill("SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return peak;
}

function memoryOf(pid: number): number {
  try {
    return Number(/RssAnon:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch (error) {
    // It has just ended, or the system does not say.
    if (["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) return 0;
    throw error;
  }
}

/** 0 while there is no journal yet. */
async function entriesIn(place: string): Promise<number> {
  try {
    const journal = await openJournal(place, { readOnly: true });
    const { last } = await journal.position();
    await journal.close();
    return last;
  } catch (error) {
    if (!isFaultError(error)) throw error;
    return 0;
  }
}
