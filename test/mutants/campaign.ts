// Tries mutants on copies of the repository, one copy per worker.

import { spawn } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { tryRead } from "../../src/core/try-read.ts";
import { IN_A_PROCESS, withReports } from "./reach.ts";
import { type Mutant, ROOT } from "./sample.ts";

export interface Tally {
  readonly killed: number;
  readonly survived: readonly Mutant[];
}

export interface CampaignOptions {
  readonly workers: number;
  /** Mutants that this file says were killed are not tried again. Every mutant that is killed is added to it. */
  readonly killedFile: string | undefined;
  readonly tell: (line: string) => void;
}

/** What a copy needs to run tests. */
const COPIED = [
  ...["src", "test", "dist", "corpus", "deploy", "docs", "examples", "schema", "scripts", "site", "bench", "lint"],
  "templates",
];
const VITEST = ["node_modules/vitest/vitest.mjs", "run"];
const TSC = ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json", "--noEmit", "--pretty", "false"];
/** A mutant that makes its tests this much slower, and a minute on top, loops forever. */
const SLOWER = 4;

/** Killed a mutant outside a test: the run hung, or it did not begin. */
const NO_TEST = "(no test)";

/** Tests of the whole: simulated worlds, and docs made from the tables in the sources. */
const WHOLE = ["test/simulation/", "test/docs.test.ts"];
/**
 * How long the test files of each stage take together. Those that are left after the last stage are not run: a mutant that only they would notice
 * counts as a survivor.
 */
const STAGES_MS = [5_000, 30_000, 200_000];
/** A test file of the mutant's own folder is tried before others that take a tenth of its time. */
const PREFERENCE = 10;

/** Test files that are tried together, and the time after which they hang. */
interface Stage {
  readonly tests: readonly string[];
  readonly longestMs: number;
}

export async function runMutants(mutants: readonly Mutant[], options: CampaignOptions): Promise<Tally> {
  const { killedFile, tell } = options;
  const before = readKilled(killedFile);
  const untried = mutants.filter((mutant) => !before.has(nameOf(mutant)));
  const plan = await planTests(untried, tell);
  tell(`trying ${untried.length} mutants`);
  const { killers, survived } = await tryAll(untried, plan, options);
  const killing = [...new Set([...killers.values()].flat())].filter((name) => name !== NO_TEST);
  const { unfit } = await withCopy((copy) => withoutMutant(copy, killing));
  const doubtful = [...killers]
    .filter(([, files]) => files.some((file) => unfit.includes(file)))
    .map(([mutant]) => mutant);
  if (unfit.length > 0) tell(`these fail without a mutant, too, so they kill none: ${unfit.join(", ")}`);
  if (killedFile !== undefined && doubtful.length > 0) {
    const names = new Set(doubtful.map(nameOf));
    writeFileSync(killedFile, [...readKilled(killedFile)].filter((name) => !names.has(name)).join("\n"));
  }
  const alive = [...survived, ...doubtful];
  return { killed: mutants.length - alive.length, survived: alive };
}

interface Round {
  readonly survived: readonly Mutant[];
  /** Test files that killed a mutant. */
  readonly killers: ReadonlyMap<Mutant, readonly string[]>;
}

async function tryAll(
  mutants: readonly Mutant[],
  plan: ReadonlyMap<Mutant, readonly Stage[]>,
  { workers, killedFile, tell }: CampaignOptions,
): Promise<Round> {
  const queue = [...mutants];
  const survived: Mutant[] = [];
  const killers = new Map<Mutant, readonly string[]>();
  const work = (): Promise<void> =>
    withCopy(async (copy) => {
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const failed = await killersOf(copy, mutant, plan.get(mutant) ?? []);
        if (failed === null) survived.push(mutant);
        else killers.set(mutant, failed);
        if (failed !== null && killedFile !== undefined) appendFileSync(killedFile, `${nameOf(mutant)}\n`);
        tell(`${failed === null ? "survived" : "killed  "} ${describeMutant(mutant)}`);
      }
    });
  await Promise.all(Array.from({ length: mutants.length === 0 ? 0 : workers }, work));
  return { survived, killers };
}

export function describeMutant({ file, line, from, to, text }: Mutant): string {
  return `${file}:${line}  ${from}  →  ${to === "" ? "(nothing)" : to}    in  ${text}`;
}

function nameOf({ file, text, column, to }: Mutant): string {
  return JSON.stringify([file, text, column, to]);
}

function readKilled(file: string | undefined): ReadonlySet<string> {
  if (file === undefined) return new Set();
  mkdirSync(dirname(file), { recursive: true });
  return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n") : []);
}

/**
 * The first `count` of `mutants` that the compiler accepts. Each mutant becomes a file beside the one it changes, so one run of the compiler checks
 * all of them. Beside them lies an unchanged copy of each file, which shows that a copy can compile there.
 */
export function thatCompile(mutants: readonly Mutant[], count: number): Promise<readonly Mutant[]> {
  return withCopy(async (copy) => {
    const sources = new Map(mutants.map(({ file }) => [file, readFileSync(join(copy, file), "utf8")]));
    for (const [file, source] of sources) writeFileSync(join(copy, besideOf(file, "same")), source);
    for (const [id, { file, start, end, to }] of mutants.entries()) {
      const source = sources.get(file) ?? "";
      writeFileSync(join(copy, besideOf(file, id)), source.slice(0, start) + to + source.slice(end));
    }
    const { output } = await run(copy, TSC);
    const refused = new Set(output.split("\n").map((line) => line.slice(0, line.indexOf("("))));
    const unfit = [...sources.keys()].filter((file) => refused.has(besideOf(file, "same")));
    if (unfit.length > 0) throw new Error(`a copy of ${unfit.join(", ")} does not compile beside it`);
    return mutants.filter(({ file }, id) => !refused.has(besideOf(file, id))).slice(0, count);
  });
}

function besideOf(file: string, id: number | "same"): string {
  return join(dirname(file), `mutant-${id}-${basename(file)}`);
}

/**
 * Runs all tests of the mutants' parts once without a mutant, to learn which of them reach which mutant, and how long they take. Test files that
 * fail without a mutant are left out: they would kill everything.
 */
function planTests(
  mutants: readonly Mutant[],
  tell: (line: string) => void,
): Promise<ReadonlyMap<Mutant, readonly Stage[]>> {
  return withCopy(async (copy) => {
    const reachedFile = join(copy, "reached.txt");
    const unclear = new Set<number>();
    writeFileSync(reachedFile, "");
    for (const [file, group] of Map.groupBy(mutants.entries(), ([, mutant]) => mutant.file)) {
      const path = join(copy, file);
      const { source, silent } = withReports(readFileSync(path, "utf8"), new Map(group), reachedFile);
      writeFileSync(path, source);
      for (const id of silent) unclear.add(id);
    }
    const tests = [...new Set(mutants.flatMap(({ file }) => testsFor(file)))];
    tell(`running ${tests.length} test files without a mutant`);
    const { fit, unfit } = await withoutMutant(copy, tests);
    if (unfit.length > 0) tell(`these fail without a mutant and are left out: ${unfit.join(", ")}`);
    const reached = new Set(readFileSync(reachedFile, "utf8").split("\n"));
    return new Map(
      mutants.map((mutant, id) => {
        const isReached = (by: string): boolean => reached.has(`${by}\t${id}`);
        // What runs in a process that a test starts does not know its test.
        const near = unclear.has(id) || isReached(IN_A_PROCESS) ? testsFor(mutant.file) : [];
        const reaching = fit.filter(({ test }) => isReached(join(copy, test)) || near.includes(test));
        return [mutant, inStages(likeliestFirst(reaching, mutant.file))];
      }),
    );
  });
}

/** What fails while many tests run may pass alone: on a busy machine, every test that is left out is a mutant that survives for no reason. */
async function withoutMutant(
  copy: string,
  tests: readonly string[],
): Promise<{ readonly fit: readonly TestResult[]; readonly unfit: readonly string[] }> {
  const fit: TestResult[] = [];
  let unfit = tests;
  for (const args of [[], ["--maxWorkers=1"]]) {
    if (unfit.length === 0) break;
    const { results } = await runTests(copy, { tests: unfit, longestMs: Infinity }, args);
    fit.push(...results.filter(({ passed }) => passed));
    const passed = new Set(fit.map(({ test }) => test));
    unfit = unfit.filter((test) => !passed.has(test));
  }
  return { fit, unfit };
}

/** Quick test files first, and before them those of the mutant's own folder, which notice most. */
function likeliestFirst(results: readonly TestResult[], file: string): TestResult[] {
  const folder = `${dirname(file).replace(/^src/, "test")}/`;
  const rank = ({ test, tookMs }: TestResult): number => (test.startsWith(folder) ? tookMs / PREFERENCE : tookMs);
  return results.toSorted((one, other) => rank(one) - rank(other));
}

function inStages(left: TestResult[]): readonly Stage[] {
  return STAGES_MS.map((atMostMs) => {
    let sumMs = 0;
    const tooLong = left.findIndex(({ tookMs }) => (sumMs += tookMs) > atMostMs);
    const stage = left.splice(0, tooLong < 0 ? left.length : tooLong);
    return {
      tests: stage.map(({ test }) => test),
      longestMs: 60_000 + Math.ceil(SLOWER * stage.reduce((sum, { tookMs }) => sum + tookMs, 0)),
    };
  });
}

interface TestResult {
  /** The test file, relative to the repository. */
  readonly test: string;
  readonly passed: boolean;
  readonly tookMs: number;
}

interface TestRun {
  readonly passed: boolean;
  readonly results: readonly TestResult[];
}

/** A mutant that loops forever leaves no results. */
async function runTests(copy: string, { tests, longestMs }: Stage, args: readonly string[] = []): Promise<TestRun> {
  const report = join(copy, "report.json");
  rmSync(report, { force: true });
  const reporting = ["--reporter=json", `--outputFile=${report}`];
  const { passed } = await run(copy, [...VITEST, ...args, ...reporting, ...tests], longestMs);
  if (!existsSync(report)) return { passed, results: [] };
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    readonly testResults: readonly {
      readonly name: string;
      readonly status: string;
      readonly startTime: number;
      readonly endTime: number;
    }[];
  };
  const results = testResults.map(({ name, status, startTime, endTime }) => ({
    test: relative(copy, name),
    passed: status === "passed",
    tookMs: endTime - startTime,
  }));
  return { passed, results };
}

async function failingTests(copy: string, stage: Stage, args: readonly string[] = []): Promise<ReadonlySet<string>> {
  if (stage.tests.length === 0) return new Set();
  const { passed, results } = await runTests(copy, stage, args);
  if (passed) return new Set();
  const failed = results.filter((result) => !result.passed).map(({ test }) => test);
  return new Set(failed.length > 0 ? failed : [NO_TEST]);
}

/** The test files that notice the mutant; null if none does. */
async function killersOf(copy: string, mutant: Mutant, stages: readonly Stage[]): Promise<readonly string[] | null> {
  const revert = applyTo(copy, mutant);
  try {
    for (const stage of stages) {
      const failed = await failingTests(copy, stage, ["--bail=1", "--maxWorkers=2"]);
      if (failed.size > 0) return [...failed];
    }
    return null;
  } finally {
    revert();
  }
}

/** Returns what takes the mutant back. */
function applyTo(copy: string, { file, start, end, from, to }: Mutant): () => void {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  if (source.slice(start, end).replaceAll(/\s+/g, " ") !== from)
    throw new Error(`${file} changed after the sample was drawn`);
  writeFileSync(path, source.slice(0, start) + to + source.slice(end));
  return () => writeFileSync(path, source);
}

/** The test files that may notice a change of this file: those of its part, those about it, and those of the whole. */
function testsFor(file: string): readonly string[] {
  const part = dirname(file).replace(/^src/, "test").split("/").slice(0, 2).join("/");
  return globSync("test/**/*.test.ts", { cwd: ROOT }).filter(
    (test) => WHOLE.some((one) => test.startsWith(one)) || test.startsWith(`${part}/`) || isAbout(test, file),
  );
}

function isAbout(test: string, file: string): boolean {
  const name = basename(file, ".ts");
  const spec = relative(dirname(test), file);
  return basename(test, ".test.ts") === name || readFileSync(join(ROOT, test), "utf8").includes(`"${spec}"`);
}

function run(
  copy: string,
  args: readonly string[],
  longestMs = Infinity,
): Promise<{ readonly passed: boolean; readonly output: string }> {
  return new Promise((resolve) => {
    // A group of its own: a worker that loops forever does not notice that its parent is gone.
    const child = spawn(process.execPath, args, { cwd: copy, stdio: ["ignore", "pipe", "ignore"], detached: true });
    const { pid } = child;
    const killGroup = (): void => {
      if (pid !== undefined) tryRead(() => process.kill(-pid, "SIGKILL"), false);
    };
    const timer = Number.isFinite(longestMs) ? setTimeout(killGroup, longestMs) : undefined;
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.once("close", (code) => {
      clearTimeout(timer);
      killGroup();
      resolve({ passed: code === 0, output });
    });
  });
}

async function withCopy<T>(use: (copy: string) => Promise<T>): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), "faultline-mutants-"));
  try {
    for (const name of COPIED)
      if (existsSync(join(ROOT, name))) cpSync(join(ROOT, name), join(copy, name), { recursive: true });
    for (const file of globSync("*.{json,ts,md}", { cwd: ROOT })) cpSync(join(ROOT, file), join(copy, file));
    symlinkSync(join(ROOT, "node_modules"), join(copy, "node_modules"));
    return await use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}
