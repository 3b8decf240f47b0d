// Runs many simulated worlds: `node scripts/simulate.ts --seeds 5000 [--from 1] [--jobs 2]`. Reports every seed that broke
// a promise, and how much happened, so that a campaign in which nothing happens does not look like a success. Exits with 1 if a
// promise broke.

import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { simulate, type Violation } from "../test/simulation/simulate.ts";

interface Share {
  readonly from: number;
  readonly until: number;
  readonly step: number;
}

interface Report {
  readonly violations: readonly Violation[];
  readonly happened: ReadonlyMap<string, number>;
}

const MOST_SHOWN = 5;

if (isMainThread) await main();
else parentPort?.postMessage(await runShare(workerData as Share));

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { seeds: { type: "string" }, from: { type: "string" }, jobs: { type: "string" } },
  });
  const count = wholeNumber(values.seeds ?? "5000");
  const from = wholeNumber(values.from ?? "1");
  const jobs = Math.min(count, wholeNumber(values.jobs ?? String(availableParallelism())));
  const began = performance.now();
  const shares = Array.from({ length: jobs }, (_, index) => ({ from: from + index, until: from + count, step: jobs }));
  const reports = await Promise.all(jobs === 1 ? shares.map(runShare) : shares.map(inThread));
  const seconds = (performance.now() - began) / 1000;
  show(reports);
  const worlds = `${count} worlds, seeds ${from} to ${from + count - 1}`;
  console.log(`\n${worlds}, in ${seconds.toFixed(1)} s (${Math.round(count / seconds)} a second)`);
  const violations = reports.flatMap((report) => report.violations);
  tell(violations);
  process.exitCode = violations.length === 0 ? 0 : 1;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number >= 1) return number;
  throw new RangeError(`${text} is not a whole number from 1 up: try --seeds 5000 --from 1 --jobs 2`);
}

function inThread(share: Share): Promise<Report> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share });
    worker.once("message", (report: Report) => resolve(report));
    worker.once("error", reject);
  });
}

async function runShare({ from, until, step }: Share): Promise<Report> {
  // Thousands of simulated errors are thrown, and their stacks are never read.
  Error.stackTraceLimit = 0;
  const violations: Violation[] = [];
  const happened = new Map<string, number>();
  const add = (what: string, times: number): void => void happened.set(what, (happened.get(what) ?? 0) + times);
  for (let seed = from; seed < until; seed += step) {
    const { violations: found, story } = await simulate(seed);
    violations.push(...found);
    add("lives", story.lives.length);
    add("runs of tools", story.runs.length);
    add("refusals of the disk", story.refusals);
    add("cancellations", story.cancels.length);
    for (const { entry } of story.written) {
      const { event } = entry;
      add("decision" in event ? `${event.type} → ${event.decision.recourse}` : event.type, 1);
    }
  }
  return { violations, happened };
}

function show(reports: readonly Report[]): void {
  const all = new Map<string, number>();
  for (const [what, times] of reports.flatMap(({ happened }) => [...happened])) {
    all.set(what, (all.get(what) ?? 0) + times);
  }
  for (const [what, times] of [...all].sort(([a], [b]) => (a < b ? -1 : 1))) {
    console.log(`${String(times).padStart(9)}  ${what}`);
  }
}

function tell(violations: readonly Violation[]): void {
  if (violations.length === 0) return console.log("Everything held.");
  for (const [property, found] of Map.groupBy(violations, (violation) => violation.property)) {
    const seeds = found.sort((a, b) => a.seed - b.seed);
    console.log(`\nDoes not hold: ${property} (${new Set(seeds.map(({ seed }) => seed)).size} worlds)`);
    for (const { seed, detail } of seeds.slice(0, MOST_SHOWN)) console.log(`  seed ${seed}: ${detail}`);
  }
  console.log("\nOne of them again: node scripts/simulate.ts --seeds 1 --from <seed>");
}
