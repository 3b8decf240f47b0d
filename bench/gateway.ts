// `npm run bench:gateway -- [speed|memory|streams] [--quick] [--requests n] [--streams n]`: our gateway with keys, budgets, prices and a
// journal on disk, Portkey's gateway from npm, and a proxy that only parses, in front of one stub upstream. Subjects take turns. All
// processes share this machine, so what a subject can do is counted in requests for each second of its own CPU time. A gateway runs for days, so
// each subject is warm before it is measured: V8 compiles for the first forty thousand requests.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Kind, Load } from "./gateway/load.ts";
import { startMinimal, startOurs, startPortkey, startStub, type Subject } from "./gateway/subjects.ts";
import { median } from "./runtime/median.ts";
import { print } from "./measure.ts";

const { positionals: words, values } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    requests: { type: "string" },
    streams: { type: "string", default: "1000" },
  },
});
const isWanted = (section: string): boolean => words.length === 0 || words.includes(section);

const CASES: Readonly<Record<Kind, { readonly title: string; readonly warm: number; readonly count: number }>> = {
  JSON: { title: "JSON", warm: 40_000, count: 4_000 },
  SSE: { title: "stream of 50 events", warm: 3_000, count: 400 },
};
/** The share of requests that are streams, while memory is measured. */
const STREAMED = 0.1;

const folder = mkdtempSync(join(tmpdir(), "faultline-bench-"));
const started: Subject[] = [];
async function keep(starting: Promise<Subject>): Promise<Subject> {
  const subject = await starting;
  started.push(subject);
  return subject;
}

try {
  const stub = await keep(startStub());
  print(`Node ${process.version}. Load, gateways and upstream share this machine.`);
  if (isWanted("speed")) {
    const ours = await keep(startOurs(stub.url, folder));
    const minimal = await keep(startMinimal(stub.url));
    const portkey = await keep(startPortkey(stub.url, print));
    await speed([ours, portkey, minimal]);
    await addedTime([stub, ours, portkey, minimal]);
    await Promise.all([ours.stop(), minimal.stop(), portkey.stop()]);
  }
  if (isWanted("memory")) {
    const ours = await keep(startOurs(stub.url, folder));
    const minimal = await keep(startMinimal(stub.url));
    await memory([ours, minimal], Number(values.requests ?? (values.quick ? 5_000 : 30_000)));
    await Promise.all([ours.stop(), minimal.stop()]);
  }
  if (isWanted("streams")) await openStreams(await keep(startOurs(stub.url, folder)), stub, Number(values.streams));
} finally {
  await Promise.all(started.map((subject) => subject.stop()));
  rmSync(folder, { recursive: true, force: true });
}

interface Round {
  readonly perSecond: number;
  readonly perCpuSecond: number;
}

async function speed(subjects: readonly Subject[]): Promise<void> {
  print("\nRequests for each second of CPU time (in brackets: for each second on the clock)");
  print(row(["", ...subjects.map(({ name }) => name), "ours of Portkey", "ours of minimal", "minimal of Portkey"]));
  print(row(Array.from({ length: subjects.length + 4 }, () => "---")));
  for (const kind of ["JSON", "SSE"] as const) {
    const { title, warm, count } = CASES[kind];
    for (const subject of subjects) await warmUp(subject, kind, warm / (values.quick ? 5 : 1));
    for (const side of [1, 32, 256]) {
      const found = await inTurns(subjects, kind, count / (values.quick ? 3 : 1), side);
      const [own = NaN, portkey = NaN, minimal = NaN] = found.map(({ perCpuSecond }) => perCpuSecond);
      const cells = found.map((one) => `${Math.round(one.perCpuSecond)} (${Math.round(one.perSecond)})`);
      const ratios = [times(own, portkey), `${Math.round((own / minimal) * 100)} %`, times(minimal, portkey)];
      print(row([`${title}, ${side} at once`, ...cells, ...ratios]));
    }
  }
}

async function warmUp(subject: Subject, kind: Kind, count: number): Promise<void> {
  const load = new Load(subject, 32);
  await load.run(kind, count, 32);
  await load.close();
}

function times(one: number, other: number): string {
  return `${(one / other).toFixed(1)}×`;
}

/** The median of a few rounds, after one that opens the connections. */
async function inTurns(
  subjects: readonly Subject[],
  kind: Kind,
  count: number,
  side: number,
): Promise<readonly Round[]> {
  const all = subjects.map((): Round[] => []);
  const loads = subjects.map((subject) => new Load(subject, side));
  for (let round = 0; round <= (values.quick ? 2 : 5); round++) {
    for (const [index, subject] of subjects.entries()) {
      const before = await subject.used();
      const startedAt = performance.now();
      await loads[index]?.run(kind, count, side);
      const tookMs = performance.now() - startedAt;
      const { cpuMs } = await subject.used();
      const one = { perSecond: (count * 1000) / tookMs, perCpuSecond: (count * 1000) / (cpuMs - before.cpuMs) };
      if (round > 0) all[index]?.push(one);
    }
  }
  await Promise.all(loads.map((load) => load.close()));
  return all.map((rounds) => ({
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    perCpuSecond: median(rounds.map(({ perCpuSecond }) => perCpuSecond)),
  }));
}

async function addedTime([stub, ...gateways]: readonly [Subject, ...Subject[]]): Promise<void> {
  const subjects = [stub, ...gateways];
  const loads = subjects.map((subject) => new Load(subject, 1));
  const medians = subjects.map((): number[] => []);
  for (let round = 0; round <= (values.quick ? 3 : 12); round++) {
    for (const [index, load] of loads.entries()) {
      const p50 = median(await load.run("JSON", 200, 1));
      if (round > 0) medians[index]?.push(p50);
    }
  }
  await Promise.all(loads.map((load) => load.close()));
  const [direct = NaN, ...through] = medians.map((rounds) => median(rounds));
  print(`\nTime added to a JSON answer, one at a time, p50 (direct: ${direct.toFixed(2)} ms)`);
  for (const [index, { name }] of gateways.entries())
    print(`  ${name.padEnd(10)} ${((through[index] ?? NaN) - direct).toFixed(2)} ms`);
}

async function openStreams(gateway: Subject, stub: Subject, count: number): Promise<void> {
  const load = new Load(gateway, count);
  const streams = Array.from({ length: count }, () => load.open());
  await Promise.all(streams.map(({ begun }) => begun));
  const { residentMb } = await gateway.used();
  await fetch(stub.url);
  const ends = await Promise.allSettled(streams.map(({ done }) => done));
  const whole = ends.filter(({ status }) => status === "fulfilled").length;
  await load.close();
  print(`\n${count} open streams: ${Math.round(residentMb)} MB resident while they are open; ${whole} ended whole`);
}

async function memory(subjects: readonly Subject[], count: number): Promise<void> {
  const SAMPLES = 20;
  const loads = subjects.map((subject) => new Load(subject, 32));
  const sizes = subjects.map((): number[] => []);
  print(`\nResident memory over ${count} requests, one in ${1 / STREAMED} a stream`);
  for (let sample = 0; sample <= SAMPLES; sample++) {
    for (const [index, subject] of subjects.entries()) sizes[index]?.push((await subject.used()).residentMb);
    const cells = subjects.map(({ name }, index) => `${name} ${Math.round(sizes[index]?.at(-1) ?? NaN)} MB`);
    print(`  after ${(count / SAMPLES) * sample}: ${cells.join(", ")}`);
    if (sample === SAMPLES) break;
    for (const load of loads) {
      await load.run("JSON", (count / SAMPLES) * (1 - STREAMED), 32);
      await load.run("SSE", (count / SAMPLES) * STREAMED, 32);
    }
  }
  await Promise.all(loads.map((load) => load.close()));
  const grownBy = sizes.map((all) => median(all.slice(-SAMPLES / 2)) - median(all.slice(1, -SAMPLES / 2)));
  const changes = subjects.map(({ name }, index) => `${name} ${Math.round(grownBy[index] ?? NaN)} MB`);
  print(`From the first half to the second it changed by: ${changes.join(", ")}`);
}

/** A row of a table in Markdown, as docs/GATEWAY.md has it. */
function row(cells: readonly string[]): string {
  return `| ${cells.map((cell, index) => (index === 0 ? cell.padEnd(30) : cell.padStart(14))).join(" | ")} |`;
}
